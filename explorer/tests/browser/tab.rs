//! The page as a reader has it before them: what it shows, and what it complains about.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tabiya_explorer::PageOptions;

use crate::{
    chromium::{self, Chromium},
    server::{Server, fixture},
};

/// How long something may take that is to happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// A page of a server in a browser.
pub(crate) struct Tab {
    pub(crate) browser: Chromium,
    pub(crate) server: Server,
    /// The script by which browsers have no service worker.
    workerless: Value,
    /// What the browser may note of answers that a test means to be bad.
    expected: Option<&'static str>,
}

/// Runs a test on the fixture's page; see [`with`].
pub(crate) fn on(path: &str, test: impl FnOnce(&mut Tab)) {
    with(vec![fixture("famous.si4")], path, test);
}

/// Runs a test on a page over some databases. Whatever the test is about, the browser's console
/// must be empty at its end.
pub(crate) fn with(databases: Vec<PathBuf>, path: &str, test: impl FnOnce(&mut Tab)) {
    with_page(databases, PageOptions::default(), path, test);
}

/// The same with a page that may do more than ask.
pub(crate) fn with_page(
    databases: Vec<PathBuf>,
    page: PageOptions,
    path: &str,
    test: impl FnOnce(&mut Tab),
) {
    let Some(program) = chromium::program() else {
        return;
    };
    let browser = Chromium::start(&program);
    // It would fetch all files again for each test.
    let source = json!({ "source": "delete Navigator.prototype.serviceWorker" });
    let mut tab = Tab {
        server: Server::new(databases, page),
        workerless: browser.ask("Page.addScriptToEvaluateOnNewDocument", source),
        browser,
        expected: None,
    };
    tab.size(1600, 900);
    tab.open(path);
    test(&mut tab);
    let mut complaints = tab.complaints();
    let is_expected = |text: &str| tab.expected.is_some_and(|expected| text.contains(expected));
    complaints.retain(|text| !is_expected(text));
    assert!(complaints.is_empty(), "{complaints:#?}");
}

impl Tab {
    /// From now on lines of the console with these words are no fault. The browser notes each
    /// request that goes wrong, sooner or later.
    pub(crate) fn expect(&mut self, words: &'static str) {
        self.expected = Some(words);
    }

    /// Goes to an address and waits until everything that belongs to it is there.
    pub(crate) fn open(&self, path: &str) {
        let url = self.server.address(path);
        self.browser.ask("Page.navigate", json!({ "url": url }));
        self.wait("document.readyState === 'complete' && document.querySelector('.square')");
        self.settle();
    }

    /// Does what makes the page load itself again, and waits for all of it.
    pub(crate) fn load_by(&self, act: impl FnOnce()) {
        self.browser.take("Page.loadEventFired");
        act();
        self.event("Page.loadEventFired");
        self.settle();
    }

    /// Waits until the page waits for nothing.
    pub(crate) fn settle(&self) {
        self.wait(
            "document.querySelector('.man') && !document.querySelector('[aria-busy=true]') \
             && !document.querySelector('#progress.busy') && document.getAnimations().length === 0 \
             && !document.body.classList.contains('starting')",
        );
    }

    /// Lets pages that are opened from now on have a service worker.
    pub(crate) fn allow_workers(&self) {
        let script = self.workerless.clone();
        let removed = "Page.removeScriptToEvaluateOnNewDocument";
        self.browser.ask(removed, script);
    }

    /// Sets the window's size.
    pub(crate) fn size(&self, width: u32, height: u32) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500
        });
        self.browser.ask("Emulation.setDeviceMetricsOverride", size);
    }

    /// Makes the system's wishes known: `("prefers-color-scheme", "dark")`.
    pub(crate) fn prefer(&self, wishes: &[(&str, &str)]) {
        let features: Vec<Value> = wishes
            .iter()
            .map(|(name, value)| json!({ "name": name, "value": value }))
            .collect();
        let media = json!({ "features": features });
        self.browser.ask("Emulation.setEmulatedMedia", media);
    }

    /// Evaluates an expression of JavaScript.
    pub(crate) fn value(&self, expression: &str) -> Value {
        let question = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true
        });
        let answer = self.browser.ask("Runtime.evaluate", question);
        let fault = &answer["exceptionDetails"];
        assert!(fault.is_null(), "{expression}: {fault}");
        answer["result"]["value"].clone()
    }

    pub(crate) fn is(&self, expression: &str) -> bool {
        self.value(&format!("Boolean({expression})")) == true
    }

    pub(crate) fn number(&self, expression: &str) -> f64 {
        let value = self.value(expression);
        value
            .as_f64()
            .unwrap_or_else(|| panic!("{expression}: {value}"))
    }

    /// Returns the text of the first element that a selector finds.
    pub(crate) fn text(&self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({selector:?}).textContent"));
        text.as_str().expect("a text").to_owned()
    }

    /// Returns the texts of all elements that a selector finds.
    pub(crate) fn texts(&self, selector: &str) -> Vec<String> {
        let all = format!("[...document.querySelectorAll({selector:?})].map(e => e.textContent)");
        let texts = self.value(&all);
        let texts = texts.as_array().expect("texts").iter();
        texts
            .map(|text| text.as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// Waits until an expression holds.
    #[track_caller]
    pub(crate) fn wait(&self, expression: &str) {
        let started = Instant::now();
        while !self.is(expression) {
            if started.elapsed() > PATIENCE {
                let page = self.value("document.body.innerText");
                let complaints = self.complaints();
                panic!("never: {expression}\n{page}\n{complaints:#?}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for an event of the browser and returns the first one.
    #[track_caller]
    pub(crate) fn event(&self, method: &str) -> Value {
        let started = Instant::now();
        loop {
            if let Some(event) = self.browser.take(method).first() {
                return event.clone();
            }
            assert!(started.elapsed() < PATIENCE, "never: {method}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the box of the first element that a selector finds: left, top, width, height.
    pub(crate) fn place(&self, selector: &str) -> [f64; 4] {
        let found = self.value(&format!(
            "(() => {{ const box = document.querySelector({selector:?}).getBoundingClientRect(); \
             return [box.x, box.y, box.width, box.height]; }})()"
        ));
        [0, 1, 2, 3].map(|index| found[index].as_f64().expect("a number"))
    }

    /// Tells whether a reader sees the first element that a selector finds.
    pub(crate) fn is_seen(&self, selector: &str) -> bool {
        self.is(&format!(
            "document.querySelector({selector:?})?.checkVisibility()"
        ))
    }

    /// Waits until the first element that a selector finds has a text.
    #[track_caller]
    pub(crate) fn wait_for_text(&self, selector: &str, text: &str) {
        self.wait(&format!(
            "document.querySelector({selector:?})?.textContent.includes({text:?})"
        ));
    }

    /// Returns the address after the host.
    pub(crate) fn address(&self) -> String {
        let address = self.value("location.pathname + location.search");
        address.as_str().expect("an address").to_owned()
    }

    /// Returns what the man on a square is called; `empty` without one.
    pub(crate) fn square(&self, name: &str) -> String {
        let label = format!("document.querySelector('[data-square={name}]').ariaLabel");
        let label = self.value(&label);
        let label = label.as_str().expect("a label");
        label.split_once(", ").expect("a man").1.to_owned()
    }

    /// Takes what the console has: errors, warnings and exceptions.
    fn complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for call in self.browser.take("Runtime.consoleAPICalled") {
            if call["type"] == "error" || call["type"] == "warning" {
                complaints.push(call["args"].to_string());
            }
        }
        for entry in self.browser.take("Log.entryAdded") {
            let entry = &entry["entry"];
            if entry["level"] == "error" || entry["level"] == "warning" {
                complaints.push(format!("{} {}", entry["text"], entry["url"]));
            }
        }
        let thrown = self.browser.take("Runtime.exceptionThrown");
        complaints.extend(thrown.iter().map(Value::to_string));
        complaints
    }
}
