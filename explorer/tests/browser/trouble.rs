//! Names that are attacks, servers that are gone or busy.

use serde_json::json;

use crate::{
    server::{fixture, written},
    tab::{on, with},
};

#[test]
fn names_that_are_markup_are_texts_and_nothing_else() {
    let evil = "<img src=x onerror=document.title='hacked'>";
    let pgn = format!(
        "[Event \"{evil}\"]\n[Site \"<script>document.title='hacked'</script>\"]\n\
         [Date \"2020.01.01\"]\n[Round \"<b>1\"]\n[White \"{evil}\"]\n[Black \"</td>{evil}\"]\n\
         [Result \"1-0\"]\n[Odd \"{evil}\"]\n\n{{ {evil} }} 1. e4 {{ <svg onload=alert(1)> }} \
         (1. d4 {{ {evil} }}) e5 1-0\n\n"
    );
    let database = written("<i>hostile", &pgn);
    with(
        vec![database.clone(), fixture("famous.si4")],
        "/?q=year:2020",
        |tab| {
            let harmless =
                "!document.querySelector('main img:not(.man), main script, main b b, td i')";
            assert!(tab.text("#games-body").contains(evil));
            assert!(tab.is(harmless));
            tab.click("#games-body a");
            tab.wait_for_text("#notation", evil);
            tab.value("document.querySelectorAll('details').forEach(part => part.open = true)");
            assert!(tab.text("#game-title").contains(evil));
            assert!(tab.text("#game-tags").contains(evil));
            assert!(tab.text("#databases-list").contains("<i>hostile"));
            assert!(tab.is(harmless));
            // A query comes back in messages.
            tab.write("#q", "<img/src=x>:1");
            tab.key("Enter");
            tab.wait("document.querySelector('#q-fault').textContent");
            assert!(!tab.is("document.querySelector('#filter img')"));
            assert!(tab.is("!document.title.includes('hacked')"));
        },
    );
    let _ = std::fs::remove_file(database);
}

#[test]
fn a_server_that_is_gone_is_told_and_asked_again_on_demand() {
    on("/", |tab| {
        tab.expect("ERR_CONNECTION");
        tab.server.stop();
        tab.play("e2", "e4");
        tab.wait("!document.querySelector('#trouble').hidden");
        assert_eq!(tab.text("#trouble-text"), "The server does not answer.");
        tab.click("#again");
        tab.wait("!document.querySelector('#trouble').hidden");
    });
}

#[test]
fn a_busy_server_is_waited_for() {
    on("/", |tab| {
        let pattern = json!({ "patterns": [{ "urlPattern": "*/api/tree*" }] });
        tab.expect("503");
        tab.browser.ask("Fetch.enable", pattern);
        tab.play("e2", "e4");
        let paused = tab.event("Fetch.requestPaused");
        let busy = json!({
            "requestId": paused["requestId"],
            "responseCode": 503,
            "responseHeaders": [{ "name": "Retry-After", "value": "1" }],
            "body": "",
        });
        tab.browser.ask("Fetch.fulfillRequest", busy);
        tab.wait("document.querySelector('#trouble-text').textContent.includes('busy')");
        tab.browser.ask("Fetch.disable", json!({}));
        tab.wait("document.querySelector('#trouble').hidden");
        tab.settle();
        assert!(tab.texts("#moves-body .san").contains(&"e5".to_owned()));
    });
}

#[test]
fn a_question_that_a_newer_one_replaces_is_given_up() {
    on("/", |tab| {
        let pattern = json!({ "patterns": [{ "urlPattern": "*/api/tree*" }] });
        tab.browser.ask("Fetch.enable", pattern);
        tab.play("e2", "e4");
        tab.wait_for_text("#line", "e4");
        tab.wait("document.querySelector('#moves').ariaBusy === 'true'");
        tab.browser.take("Network.loadingFailed");
        tab.play("e7", "e5");
        tab.wait_for_text("#line", "e5");
        let failed = tab.event("Network.loadingFailed");
        assert_eq!(failed["canceled"], true);
        tab.browser.ask("Fetch.disable", json!({}));
        tab.settle();
        assert!(tab.texts("#moves-body .san").contains(&"Nf3".to_owned()));
    });
}

#[test]
fn the_page_loads_nothing_from_anywhere_else() {
    on("/?play=e2e4", |tab| {
        let sent = tab.browser.take("Network.requestWillBeSent");
        assert!(sent.len() > 10);
        for request in sent {
            let url = request["request"]["url"]
                .as_str()
                .expect("an address")
                .to_owned();
            let is_own = url.starts_with(&tab.server.address("/"));
            assert!(is_own || url == "about:blank", "{url}");
        }
    });
}
