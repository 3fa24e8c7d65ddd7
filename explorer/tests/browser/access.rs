//! Those who do not see the page, or not well.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    server::fixture,
    tab::{Tab, on, with, with_page},
};

/// Roles that can be acted on.
pub(crate) const CONTROLS: [&str; 8] = [
    "button",
    "link",
    "textbox",
    "combobox",
    "checkbox",
    "gridcell",
    "DisclosureTriangle",
    "searchbox",
];

/// Returns the nodes of the accessibility tree: role and name.
pub(crate) fn nodes(tab: &Tab) -> Vec<(String, String)> {
    let tree = tab.browser.ask("Accessibility.getFullAXTree", json!({}));
    let nodes = tree["nodes"].as_array().expect("nodes").iter();
    let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
    nodes
        .filter(|node| node["ignored"] == false)
        .map(|node| (text(&node["role"]), text(&node["name"])))
        .collect()
}

#[test]
fn every_control_has_a_name_in_the_explorer_and_in_a_game() {
    let databases = vec![fixture("famous.si4"), fixture("famous.pgn")];
    with(databases, "/?play=e2e4", |tab| {
        for path in ["/?play=e2e4", "/?game=00000003&ply=5"] {
            tab.open(path);
            tab.wait("document.querySelector('.movable')");
            tab.value("document.querySelectorAll('details').forEach(part => part.open = true)");
            let mut seen = BTreeMap::new();
            for (role, name) in nodes(tab) {
                if CONTROLS.contains(&role.as_str()) {
                    assert!(!name.trim().is_empty(), "{path}: a {role} without a name");
                    *seen.entry(role).or_insert(0) += 1;
                }
            }
            assert_eq!(seen["gridcell"], 64, "{seen:?}");
            assert!(seen["button"] > 10 && seen["link"] > 5, "{seen:?}");
            let texts = ["textbox", "combobox"].map(|role| seen.get(role).copied().unwrap_or(0));
            assert!(
                texts.iter().sum::<i32>() >= 3 && seen["checkbox"] >= 3,
                "{seen:?}"
            );
        }
    });
}

// The engine is a shell script, and Windows starts none.
#[cfg(unix)]
#[test]
fn every_control_of_dialogs_and_of_the_engine_has_a_name() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = tabiya_explorer::PageOptions {
        folders: vec![root.join("../fixtures")],
        index: true,
        engines: vec![root.join("tests/engines/good.sh")],
        ..Default::default()
    };
    with_page(vec![fixture("famous.si4")], page, "/", |tab| {
        tab.wait("document.querySelector('#engine') && document.querySelector('#folders-open')");
        tab.click("#engine-switch");
        tab.wait("document.querySelector('#engine-list .san')");
        for dialog in ["", "help", "folders"] {
            if !dialog.is_empty() {
                tab.click(&format!("#{dialog}-open"));
                tab.wait(&format!("document.querySelector('#{dialog}').open"));
                tab.wait("document.querySelector('dialog[open] button')");
            }
            if dialog == "folders" {
                tab.wait("document.querySelectorAll('#folders tbody button').length > 2");
            }
            let mut seen = 0;
            for (role, name) in nodes(tab) {
                if CONTROLS.contains(&role.as_str()) || ["switch", "dialog"].contains(&&*role) {
                    assert!(!name.trim().is_empty(), "{dialog}: a {role} without a name");
                    seen += 1;
                }
            }
            assert!(seen >= 2, "{dialog}: {seen}");
            for theme in ["light", "dark"] {
                tab.prefer(&[("prefers-color-scheme", theme)]);
                let contrasts = tab.value(CONTRASTS);
                let weakest = &contrasts[0];
                assert!(
                    weakest[0].as_f64() >= Some(4.5),
                    "{theme} {dialog}: {weakest}"
                );
            }
            tab.key("Escape");
        }
    });
}

#[test]
fn squares_tables_and_charts_are_read_aloud_as_what_they_are() {
    on("/?play=e2e4", |tab| {
        let nodes = nodes(tab);
        let has = |role: &str, name: &str| {
            nodes
                .iter()
                .any(|(is, called)| is == role && called.contains(name))
        };
        assert!(has("grid", "Chess board"));
        assert!(has("gridcell", "e4, white pawn"));
        assert!(has("table", "What was played in the position"));
        assert!(has("table", "Games by year"));
        assert!(has("columnheader", "Games"));
        assert!(has("rowheader", "e5"));
        assert!(has("image", "White wins"), "bars are told in words");
        assert!(has("status", ""), "moves are announced");
    });
}

/// The contrast of each visible text with what is behind it, the weakest first.
pub(crate) const CONTRASTS: &str = r#"(() => {
  const paper = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    paper.clearRect(0, 0, 1, 1);
    paper.fillStyle = color;
    paper.fillRect(0, 0, 1, 1);
    return paper.getImageData(0, 0, 1, 1).data;
  };
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const skip = element.closest("[aria-hidden], :disabled, .unseen, svg, option, script");
    if (!own || skip || !element.checkVisibility({ visibilityProperty: true })) continue;
    const [one, other] = [light(rgba(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const name = `${element.tagName} ${element.className}`;
    found.push([ratio, `${name} ${element.textContent.slice(0, 30)}`]);
  }
  return found.sort(([one], [other]) => one - other);
})()"#;

#[test]
fn texts_stand_out_from_what_is_behind_them_in_both_themes() {
    on("/", |tab| {
        for theme in ["light", "dark"] {
            tab.prefer(&[("prefers-color-scheme", theme)]);
            for path in [
                "/?play=e2e4&q=result:1-0",
                "/?game=00000003&ply=5",
                "/?q=white:nobody",
            ] {
                tab.open(path);
                let contrasts = tab.value(CONTRASTS);
                let contrasts = contrasts.as_array().expect("contrasts");
                assert!(contrasts.len() > 20);
                let weakest = &contrasts[0];
                assert!(
                    weakest[0].as_f64() >= Some(4.5),
                    "{theme} {path}: {weakest}"
                );
            }
        }
    });
}

/// Makes everything that can be pointed at look as under the mouse.
fn hover_everything(tab: &Tab) {
    let ask = |method: &str, parameters: Value| tab.browser.ask(method, parameters);
    for domain in ["DOM", "CSS"] {
        ask(&format!("{domain}.enable"), json!({}));
    }
    let root = ask("DOM.getDocument", json!({ "depth": 0 }));
    let all = json!({
        "nodeId": root["root"]["nodeId"], "selector": "body *:not(script, svg *)"
    });
    let found = ask("DOM.querySelectorAll", all);
    for node in found["nodeIds"].as_array().expect("elements") {
        let hovered = json!({ "nodeId": node, "forcedPseudoClasses": ["hover"] });
        ask("CSS.forcePseudoState", hovered);
    }
}

#[test]
fn texts_stand_out_under_the_mouse_in_both_themes() {
    let databases = vec![fixture("famous.si4"), fixture("famous.pgn")];
    with(databases, "/", |tab| {
        for theme in ["light", "dark"] {
            tab.prefer(&[("prefers-color-scheme", theme)]);
            for path in [
                "/?play=e2e4&q=result:1-0",
                "/?game=00000003&ply=5",
                "/?q=white:nobody",
            ] {
                tab.open(path);
                hover_everything(tab);
                let contrasts = tab.value(CONTRASTS);
                let contrasts = contrasts.as_array().expect("contrasts");
                assert!(contrasts.len() > 20);
                let weakest = &contrasts[0];
                assert!(
                    weakest[0].as_f64() >= Some(4.5),
                    "{theme} {path}: {weakest}"
                );
            }
        }
    });
}

#[test]
fn nothing_moves_for_those_who_want_no_motion() {
    on("/", |tab| {
        tab.value(
            "(() => { const animate = Element.prototype.animate; window.slides = 0; \
                   Element.prototype.animate = function (...all) { window.slides += 1; \
                   return animate.apply(this, all); }; })()",
        );
        tab.play("e2", "e4");
        tab.wait_for_text("#line", "e4");
        assert_eq!(tab.number("slides"), 1.0);
        tab.click("#back");
        tab.wait("document.querySelectorAll('#line .ahead').length === 1");
        tab.click("#on");
        tab.wait("document.querySelectorAll('#line .ahead').length === 0");
        assert_eq!(tab.number("slides"), 3.0);
        tab.prefer(&[("prefers-reduced-motion", "reduce")]);
        tab.play("e7", "e5");
        tab.wait_for_text("#line", "e5");
        assert_eq!(tab.number("slides"), 3.0);
    });
}

#[test]
fn the_focus_is_seen_wherever_it_is() {
    on("/", |tab| {
        for _ in 0..30 {
            tab.key("Tab");
            let seen = "(() => { const style = getComputedStyle(document.activeElement); \
                        return style.outlineStyle !== 'none' \
                        && parseFloat(style.outlineWidth) >= 2; })()";
            assert!(
                tab.is(seen),
                "{}",
                tab.value("document.activeElement.outerHTML")
            );
        }
    });
}
