//! Assistants: the program asked by a client of the Model Context Protocol, as one starts it.

use std::time::Duration;

use rmcp::{
    RoleClient, ServiceExt as _,
    model::{CallToolRequestParams, CallToolResult, ReadResourceRequestParams, ResourceContents},
    service::RunningService,
    transport::TokioChildProcess,
};
use serde_json::{Value, json};
use tokio::process::Command;

type Client = RunningService<RoleClient, ()>;

async fn client(options: &[&str]) -> Client {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya-explorer"));
    command
        .args(["--mcp", "../fixtures/famous.si4"])
        .args(options);
    let process = TokioChildProcess::new(command).expect("a process");
    ().serve(process)
        .await
        .expect("a server that speaks the protocol")
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> CallToolResult {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    let params = CallToolRequestParams::new(tool).with_arguments(arguments);
    client.call_tool(params).await.expect("an answer")
}

fn text(result: &CallToolResult) -> String {
    let text = result.content.first().and_then(|content| content.as_text());
    text.expect("a text").text.clone()
}

async fn answer(client: &Client, tool: &'static str, arguments: Value) -> Value {
    let result = call(client, tool, arguments).await;
    let text = text(&result);
    assert_ne!(result.is_error, Some(true), "{tool}: {text}");
    serde_json::from_str(&text).expect("JSON")
}

async fn fault(client: &Client, tool: &'static str, arguments: Value) -> String {
    let result = call(client, tool, arguments).await;
    assert_eq!(result.is_error, Some(true), "{tool}: {}", text(&result));
    text(&result)
}

#[tokio::test]
async fn every_tool_answers_as_the_address_of_its_name_does() {
    let client = client(&[]).await;
    let tools = client.list_all_tools().await.expect("tools");
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    let all = [
        "databases",
        "search",
        "tree",
        "position",
        "game",
        "stats",
        "explain",
    ];
    assert_eq!(names, all);
    for tool in &tools {
        assert!(tool.description.is_some(), "{}", tool.name);
        assert_eq!(tool.input_schema["additionalProperties"], json!(false));
    }
    let databases = answer(&client, "databases", json!({})).await;
    assert!(databases.to_string().contains("famous"), "{databases}");
    let found = answer(&client, "search", json!({"q": "player:morphy", "limit": 1})).await;
    assert_eq!(found["games"].as_array().map(Vec::len), Some(1));
    let total = found["total"].as_u64().expect("a number");
    assert!(total > 1);
    let id = found["games"][0]["id"].clone();
    let game = answer(&client, "game", json!({ "id": id })).await;
    assert!(game.to_string().contains("Morphy"), "{game}");
    let tree = answer(&client, "tree", json!({"play": "e2e4", "q": "result:1-0"})).await;
    assert!(tree.to_string().contains("\"san\":\"e5\""), "{tree}");
    let position = answer(&client, "position", json!({"play": "e2e4,c7c5"})).await;
    assert!(position.to_string().contains("Sicilian"), "{position}");
    let stats = answer(&client, "stats", json!({"q": "player:morphy"})).await;
    assert!(stats.to_string().contains(&total.to_string()), "{stats}");
    let explained = answer(&client, "explain", json!({"q": "white:tal or eco:B90"})).await;
    assert!(explained["query"].is_string() && explained["fault"].is_null());
}

#[tokio::test]
async fn faults_say_what_to_mend() {
    let client = client(&[]).await;
    for (tool, arguments, part) in [
        ("search", json!({"q": "whit:tal"}), "white"),
        ("search", json!({"query": "white:tal"}), "it takes q, db"),
        ("search", json!({"q": ["white:tal"]}), "`q` is a text"),
        ("search", json!({"limit": "many"}), "limit"),
        ("tree", json!({"fen": "nonsense"}), "fen"),
        ("game", json!({"number": 1_000_000}), "game"),
        ("game", json!({}), "id"),
        ("stats", json!({"db": "other"}), "other"),
        ("delete", json!({}), "there are databases, search"),
    ] {
        let fault = fault(&client, tool, arguments.clone()).await;
        assert!(fault.contains(part), "{tool} {arguments}: {fault}");
    }
    let read = answer(&client, "explain", json!({"q": "white:tal and"})).await;
    assert!(!read["fault"].is_null(), "{read}");
}

#[tokio::test]
async fn the_query_language_is_a_resource() {
    let client = client(&[]).await;
    let resources = client.list_all_resources().await.expect("resources");
    let [language] = resources.as_slice() else {
        panic!("one resource, not {resources:?}");
    };
    let params = ReadResourceRequestParams::new(language.uri.clone());
    let read = client.read_resource(params).await.expect("a resource");
    let Some(ResourceContents::TextResourceContents { text, .. }) = read.contents.first() else {
        panic!("a text");
    };
    for word in ["at( ... )", "eco", "structure", "then"] {
        assert!(text.contains(word), "{word} is not in the text");
    }
    let params = ReadResourceRequestParams::new("file:///etc/passwd");
    assert!(client.read_resource(params).await.is_err());
}

#[tokio::test]
async fn the_limits_of_the_server_hold() {
    let slow = client(&["--search-time", "0.000001"]).await;
    let fault_of_slow = fault(&slow, "search", json!({"q": "at(check)"})).await;
    assert!(fault_of_slow.contains("long"), "{fault_of_slow}");
    let short = client(&["--url-bytes", "100"]).await;
    let long = "white:tal ".repeat(20);
    let fault_of_long = fault(&short, "search", json!({ "q": long })).await;
    assert!(fault_of_long.contains("414"), "{fault_of_long}");
    assert!(answer(&short, "databases", json!({})).await.is_object());
}

#[tokio::test]
async fn a_cancelled_call_keeps_no_place() {
    let client = client(&["--searches", "1", "--queue", "1"]).await;
    for _ in 0..30 {
        // Dropped before its answer, which tells the server.
        let search = call(&client, "search", json!({"q": "at(check) then at(mate)"}));
        let _ = tokio::time::timeout(Duration::from_micros(300), search).await;
    }
    // Those that were left give their places up when they notice it, not before.
    let answered = async {
        let stats = json!({"q": "player:morphy"});
        loop {
            let result = call(&client, "stats", stats.clone()).await;
            if result.is_error != Some(true) {
                break;
            }
            let fault = text(&result);
            assert!(fault.contains("try again"), "{fault}");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(20), answered);
    assert!(waited.await.is_ok(), "the server does not answer any more");
}
