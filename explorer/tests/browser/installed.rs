//! The page as a program of its own: its manifest, and what the browser keeps of it.

use serde_json::{Value, json};

use crate::{
    look::picture,
    tab::{self, Tab},
};

/// Runs a test on a page that may have a service worker.
fn on(path: &str, test: impl FnOnce(&mut Tab)) {
    tab::on(path, |tab| {
        tab.allow_workers();
        tab.open(path);
        test(tab);
    });
}

/// Opens the page so that the worker stands between it and the server.
fn controlled(tab: &Tab) {
    tab.value("navigator.serviceWorker.ready.then(() => true)");
    tab.wait("navigator.serviceWorker.ready.then((one) => one.active?.state === 'activated')");
    tab.open("/");
    tab.wait("navigator.serviceWorker.controller");
}

/// The paths of everything that the browser keeps.
const KEPT: &str = "(async () => { const paths = []; \
    for (const name of await caches.keys()) { \
        for (const { url } of await (await caches.open(name)).keys()) { \
            paths.push(url.slice(location.origin.length)); } } \
    return paths; })()";

fn kept(tab: &Tab) -> Vec<String> {
    let paths = tab.value(KEPT);
    let paths = paths.as_array().expect("paths").iter();
    paths
        .map(|path| path.as_str().expect("a path").to_owned())
        .collect()
}

#[test]
fn the_page_can_be_installed() {
    on("/", |tab| {
        let manifest = tab.browser.ask("Page.getAppManifest", json!({}));
        assert_eq!(manifest["errors"], json!([]), "{manifest}");
        let text = manifest["data"].as_str().expect("a manifest");
        let manifest: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(manifest["display"], "standalone");
        let faults = tab.browser.ask("Page.getInstallabilityErrors", json!({}));
        assert_eq!(faults["installabilityErrors"], json!([]), "{faults}");
        let drawn = "Promise.all(['/icons/knight.svg', '/icons/maskable.svg'].map((src) => \
            new Promise((done) => { const icon = new Image(); icon.src = src; \
                icon.onload = () => done(icon.naturalWidth); icon.onerror = () => done(0); })))";
        assert_eq!(tab.value(drawn), json!([512, 512]));
    });
}

#[test]
fn the_browser_keeps_the_page_and_nothing_of_databases() {
    on("/", |tab| {
        controlled(tab);
        tab.play("e2", "e4");
        tab.wait_for_text("#line", "e4");
        tab.open("/?game=00000003&ply=5");
        tab.wait("document.querySelectorAll('#notation .ply').length > 30");
        tab.value("Promise.all([fetch('/masters?play=e2e4'), fetch('/lichess?play=e2e4')])");
        let kept = kept(tab);
        for path in [
            "/",
            "/page/main.js",
            "/page/words-de.js",
            "/pieces/wood/bQ.svg",
        ] {
            assert!(kept.iter().any(|known| known == path), "{path}: {kept:?}");
        }
        let own = |path: &String| {
            let folders = ["/page/", "/pieces/", "/icons/"];
            path == "/"
                || path == "/manifest.webmanifest"
                || folders.iter().any(|folder| path.starts_with(folder))
        };
        assert!(kept.iter().all(own), "{kept:?}");
    });
}

#[test]
fn the_page_opens_and_says_so_when_the_server_is_stopped() {
    on("/", |tab| {
        controlled(tab);
        tab.expect("ERR_");
        tab.server.stop();
        tab.open("/?play=e2e4");
        tab.wait_for_text("#trouble-text", "The server does not answer.");
        assert!(tab.is("document.querySelector('#trouble').checkVisibility()"));
        assert_eq!(tab.text("#databases-only"), "");
        assert_eq!(tab.texts(".square").len(), 64);
        assert_eq!(tab.square("e1"), "white king");
        tab.wait("[...document.images].every((one) => one.complete && one.naturalWidth > 0)");
        picture(tab, "stopped.png");
        tab.click("#again");
        tab.wait_for_text("#trouble-text", "The server does not answer.");
    });
}

#[test]
fn what_the_server_has_comes_before_what_is_kept() {
    on("/", |tab| {
        controlled(tab);
        tab.value(
            "(async () => { const [name] = await caches.keys(); \
             const cache = await caches.open(name); \
             await cache.put('/page/base.css', new Response('body { display: none; }', \
                 { headers: { 'Content-Type': 'text/css' } })); })()",
        );
        tab.open("/?play=e2e4");
        assert!(tab.is("navigator.serviceWorker.controller"));
        assert_eq!(tab.value("getComputedStyle(document.body).display"), "grid");
    });
}

#[test]
fn what_another_version_has_kept_is_deleted() {
    on("/", |tab| {
        controlled(tab);
        tab.value(
            "(async () => { await (await caches.open('tabiya-0')).put('/', new Response('old')); \
             const all = await navigator.serviceWorker.getRegistrations(); \
             await Promise.all(all.map((one) => one.unregister())); })()",
        );
        tab.open("/");
        tab.wait("caches.keys().then((names) => names.length === 1 && names[0] !== 'tabiya-0')");
    });
}

#[test]
fn a_page_without_workers_is_as_before() {
    on("/", |tab| {
        // As where the browser has none, or refuses.
        for workers in [
            "undefined",
            "({ register: () => Promise.reject(new Error('not allowed')) })",
        ] {
            let source = format!(
                "Object.defineProperty(Navigator.prototype, 'serviceWorker', \
                 {{ configurable: true, get: () => {workers} }})"
            );
            let script = json!({ "source": source });
            tab.browser
                .ask("Page.addScriptToEvaluateOnNewDocument", script);
            tab.open("/");
            tab.play("e2", "e4");
            tab.wait_for_text("#line", "e4");
        }
    });
}
