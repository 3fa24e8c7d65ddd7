//! Mouse, fingers and keys.

use serde_json::json;

use crate::tab::Tab;

/// A key that is held, as the developers' tools number them.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Held {
    None = 0,
    Shift = 8,
}

impl Tab {
    /// Returns the middle of the first element that a selector finds, after scrolling to it.
    /// Waits until an element is there and rests, so that what is clicked is not drawn anew
    /// meanwhile. Returns the middle of it.
    fn middle(&self, selector: &str) -> (f64, f64) {
        let find = format!(
            r"(async () => {{
                const place = () => {{
                    const element = document.querySelector({selector:?});
                    element?.scrollIntoView({{ block: 'nearest', behavior: 'instant' }});
                    const box = element?.getBoundingClientRect();
                    return box && [element, box.x + box.width / 2, box.y + box.height / 2];
                }};
                let before = place();
                for (let left = 1000; left > 0; left -= 1) {{
                    await new Promise((rested) => setTimeout(rested, 10));
                    const now = place();
                    if (now && now.every((one, at) => one === before?.[at])) return now.slice(1);
                    before = now;
                }}
                throw new Error('not there, or never at rest');
            }})()"
        );
        let place = self.value(&find);
        let at = |index: usize| place[index].as_f64().expect("a place");
        (at(0), at(1))
    }

    fn mouse(&self, kind: &str, (x, y): (f64, f64)) {
        let is_move = kind == "mouseMoved";
        let event = json!({
            "type": kind, "x": x, "y": y, "clickCount": u8::from(!is_move),
            "button": if is_move { "none" } else { "left" },
        });
        self.browser.ask("Input.dispatchMouseEvent", event);
    }

    pub(crate) fn point_at(&self, selector: &str) {
        self.mouse("mouseMoved", self.middle(selector));
    }

    pub(crate) fn click(&self, selector: &str) {
        let place = self.middle(selector);
        self.mouse("mouseMoved", place);
        self.mouse("mousePressed", place);
        self.mouse("mouseReleased", place);
    }

    /// Shows a panel of the window where not all are in sight: `moves`, `games`, `filter`.
    pub(crate) fn panel(&self, name: &str) {
        let button = format!("#tabs [data-panel={name}]");
        if self.is(&format!(
            "document.querySelector({button:?}).checkVisibility()"
        )) {
            self.click(&button);
        }
    }

    /// Clicks one square after the other.
    pub(crate) fn play(&self, from: &str, to: &str) {
        self.click(&square(from));
        self.click(&square(to));
    }

    pub(crate) fn drag(&self, from: &str, to: &str) {
        self.drag_between(&square(from), &square(to));
    }

    /// Drags from the middle of one element to that of another.
    pub(crate) fn drag_between(&self, from: &str, to: &str) {
        self.drag_along(self.middle(from), self.middle(to));
    }

    /// Drags the middle of an element by some pixels.
    pub(crate) fn drag_by(&self, selector: &str, (x, y): (f64, f64)) {
        let from = self.middle(selector);
        self.drag_along(from, (from.0 + x, from.1 + y));
    }

    fn drag_along(&self, from: (f64, f64), to: (f64, f64)) {
        self.mouse("mousePressed", from);
        for step in 1..=5 {
            let part = f64::from(step) / 5.0;
            let x = from.0 + part * (to.0 - from.0);
            let y = from.1 + part * (to.1 - from.1);
            let event = json!({ "type": "mouseMoved", "x": x, "y": y, "button": "left" });
            self.browser.ask("Input.dispatchMouseEvent", event);
        }
        self.mouse("mouseReleased", to);
    }

    /// Turns the wheel over an element by some pixels downwards.
    pub(crate) fn wheel(&self, selector: &str, by: i32) {
        let (x, y) = self.middle(selector);
        let event = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by });
        self.browser.ask("Input.dispatchMouseEvent", event);
    }

    /// Draws with the right button from one square to another, while a key is held.
    pub(crate) fn draw(&self, from: &str, to: &str, held: Held) {
        let (from, to) = (self.middle(&square(from)), self.middle(&square(to)));
        let event = |kind: &str, (x, y): (f64, f64), buttons: u8| {
            let event = json!({
                "type": kind, "x": x, "y": y, "button": "right", "buttons": buttons,
                "clickCount": u8::from(kind != "mouseMoved"), "modifiers": held as u8,
            });
            self.browser.ask("Input.dispatchMouseEvent", event);
        };
        event("mousePressed", from, 2);
        event("mouseMoved", to, 2);
        event("mouseReleased", to, 0);
    }

    /// Presses a letter while Ctrl is held.
    pub(crate) fn undo_by_key(&self, letter: &str) {
        let code = u32::from(letter.as_bytes()[0].to_ascii_uppercase());
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({
                "type": kind, "key": letter, "windowsVirtualKeyCode": code, "modifiers": 2
            });
            self.browser.ask("Input.dispatchKeyEvent", event);
        }
    }

    /// Moves a finger over the screen, or taps when it stays.
    pub(crate) fn touch(&self, from: &str, to: &str) {
        let (from, to) = (self.middle(&square(from)), self.middle(&square(to)));
        let event = |kind: &str, places: &[(f64, f64)]| {
            let points: Vec<_> = places
                .iter()
                .map(|(x, y)| json!({ "x": x, "y": y }))
                .collect();
            let event = json!({ "type": kind, "touchPoints": points });
            self.browser.ask("Input.dispatchTouchEvent", event);
        };
        event("touchStart", &[from]);
        if from != to {
            event(
                "touchMove",
                &[((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0)],
            );
            event("touchMove", &[to]);
        }
        event("touchEnd", &[]);
    }

    /// Taps on the first element that a selector finds.
    pub(crate) fn tap(&self, selector: &str) {
        let (x, y) = self.middle(selector);
        for (kind, points) in [
            ("touchStart", json!([{ "x": x, "y": y }])),
            ("touchEnd", json!([])),
        ] {
            let event = json!({ "type": kind, "touchPoints": points });
            self.browser.ask("Input.dispatchTouchEvent", event);
        }
    }

    /// Presses a key by the name that pages know it under.
    pub(crate) fn key(&self, key: &str) {
        let code = match key {
            "Enter" => 13,
            " " => 32,
            "Tab" => 9,
            "Escape" => 27,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            letter => u32::from(letter.as_bytes()[0].to_ascii_uppercase()),
        };
        let text = match key {
            "Enter" => "\r",
            name if name.len() == 1 => name,
            _ => "",
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.browser.ask("Input.dispatchKeyEvent", event);
        }
    }

    /// Types into a text field in place of what it holds.
    pub(crate) fn write(&self, selector: &str, text: &str) {
        self.click(selector);
        self.value(&format!("document.querySelector({selector:?}).select()"));
        self.browser
            .ask("Input.insertText", json!({ "text": text }));
    }
}

/// Returns the selector of a square.
pub(crate) fn square(name: &str) -> String {
    format!("[data-square={name}]")
}
