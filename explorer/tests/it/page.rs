//! The page's files as browsers get them. What they do there, the tests in a browser tell.

use std::{collections::HashSet, fs, path::Path};

use crate::{client::ask, server::Server};

/// Returns the addresses of the page's own files that a text names.
fn named(text: &str) -> HashSet<String> {
    let words = text.split(['"', '\'', '`']);
    words
        .filter_map(|word| match word.strip_prefix("./") {
            Some(name) => Some(format!("/page/{name}")),
            None => Some(word.to_owned()).filter(|word| word.starts_with("/page/")),
        })
        .collect()
}

#[test]
fn every_file_of_the_page_is_served_and_every_file_that_it_names_is_there() {
    let server = Server::famous();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).expect("text");
        let address = match &*name {
            "index.html" => "/".to_owned(),
            _ => format!("/page/{name}"),
        };
        assert_eq!(server.get(&address).body, text, "{name}");
        for other in named(&text) {
            assert_eq!(server.get(&other).status, 200, "{name} names {other}");
        }
        count += 1;
    }
    assert!(count > 10);
}

#[test]
fn files_come_with_their_types_and_may_load_nothing_from_elsewhere() {
    let server = Server::famous();
    for (address, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/?play=e2e4", "text/html; charset=utf-8"),
        ("/page/base.css", "text/css; charset=utf-8"),
        ("/page/main.js", "text/javascript; charset=utf-8"),
        ("/pieces/wK.svg", "image/svg+xml"),
        ("/pieces/bold/wK.svg", "image/svg+xml"),
        ("/icons/maskable.svg", "image/svg+xml"),
        ("/manifest.webmanifest", "application/manifest+json"),
        ("/service-worker.js", "text/javascript; charset=utf-8"),
    ] {
        let answer = server.get(address);
        assert_eq!(answer.status, 200, "{address}");
        assert_eq!(answer.header("content-type"), kind);
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
    }
    // Whatever the policy forbids would not work.
    let page = server.get("/").body;
    for forbidden in ["<style", "style=", "onclick=", "http:", "https:"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn browsers_ask_again_and_get_only_what_has_changed() {
    let server = Server::famous();
    for address in ["/", "/page/main.js", "/pieces/bN.svg"] {
        let first = server.get(address);
        assert_eq!(first.header("cache-control"), "no-cache");
        let tag = first.header("etag");
        let again = format!("If-None-Match: {tag}\r\n\r\n");
        let second = ask(server.address, "GET", address, &again);
        assert_eq!((second.status, &*second.body), (304, ""), "{address}");
        assert_eq!(second.header("etag"), tag);
        let other = "If-None-Match: \"0\"\r\n\r\n";
        assert_eq!(ask(server.address, "GET", address, other).body, first.body);
    }
}

#[test]
fn scripts_make_no_markup_out_of_texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("text");
        for way in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
        ] {
            assert!(!text.contains(way), "{}: {way}", path.display());
        }
    }
}

#[test]
fn the_worker_keeps_every_file_of_the_page_and_nothing_else() {
    let server = Server::famous();
    let script = server.get("/service-worker.js").body;
    let line = script.lines().nth(1).expect("a second line");
    let list = line
        .strip_prefix("const FILES = ")
        .and_then(|rest| rest.strip_suffix(';'))
        .expect("a list");
    let kept: HashSet<String> = serde_json::from_str(list).expect("JSON");
    for address in &kept {
        assert_eq!(server.get(address).status, 200, "{address}");
        let is_file = address == "/" || address == "/manifest.webmanifest";
        let folders = ["/page/", "/pieces/", "/icons/"];
        let is_in = |folder: &&str| address.starts_with(*folder);
        assert!(is_file || folders.iter().any(is_in), "{address}");
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    for entry in fs::read_dir(folder).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        let address = match &*name {
            "index.html" => "/".to_owned(),
            _ => format!("/page/{name}"),
        };
        assert!(kept.contains(&address), "{address}");
    }
}

#[test]
fn sets_of_men_are_different_drawings_of_all_men() {
    let server = Server::famous();
    let mut drawn = HashSet::new();
    for folder in ["", "bold/", "wood/"] {
        for man in "PNBRQK"
            .chars()
            .flat_map(|man| [format!("w{man}"), format!("b{man}")])
        {
            let answer = server.get(&format!("/pieces/{folder}{man}.svg"));
            assert_eq!(answer.status, 200, "{folder}{man}");
            assert!(answer.body.contains(" d=\"M"), "{}", answer.body);
            assert!(drawn.insert(answer.body), "{folder}{man}");
        }
    }
}
