//! The position editor: by mouse, finger and keyboard, and that its queries are queries.

use serde_json::json;

use crate::tab::{Tab, on};

fn edit(square: &str) -> String {
    format!("[data-edit={square}]")
}

fn tool(sign: &str) -> String {
    format!("[data-tool=\"{sign}\"]")
}

fn query(tab: &Tab) -> String {
    tab.text("#edit-query")
}

/// Opens the editor with nothing on its board.
fn open(tab: &Tab) {
    tab.click("#open-editor");
    tab.wait("document.querySelector('#editor[open]')");
    tab.click(".from button:last-child");
    tab.wait_for_text("#edit-query", "nothing is asked for yet");
}

#[test]
fn a_position_is_set_up_by_mouse_and_its_games_are_found() {
    on("/?q=year>=1800", |tab| {
        open(tab);
        tab.click(&tool("N"));
        tab.click(&edit("d5"));
        assert_eq!(query(tab), "at(board:\"8/8/8/3N4/8/8/8/8\")");
        // Again takes it off; a stroke puts it on several squares.
        tab.click(&edit("d5"));
        tab.click(&tool("A"));
        tab.drag_between(&edit("a1"), &edit("c1"));
        assert_eq!(query(tab), "at(board:\"8/8/8/8/8/8/8/AAA5\")");
        tab.click(&tool("m"));
        tab.drag_between(&edit("a1"), &edit("a3"));
        tab.drag_between(&edit("b1"), &edit("d5"));
        tab.drag_between(&edit("c1"), ".wishes");
        assert_eq!(query(tab), "at(board:\"8/8/8/3A4/8/A7/8/8\")");
        tab.click(&edit("a3"));
        tab.click(&edit("b4"));
        assert_eq!(query(tab), "at(board:\"8/8/8/3A4/1A6/8/8/8\")");
        tab.click("#edit-several");
        for sign in ["Q", "r", "_"] {
            tab.click(&tool(sign));
            tab.click(&edit("h8"));
        }
        tab.click(&tool("."));
        tab.click(&edit("b4"));
        tab.click("[data-file=c]");
        tab.click("[data-file=c]");
        tab.click("[data-file=c]");
        tab.click("#edit-flip");
        assert_eq!(
            query(tab),
            "at(board:\"7[Qr_]/8/8/3A4/8/8/8/8\" not piece:P@c not piece:p@c flip)"
        );
        tab.click("#edit-search");
        tab.wait("!document.querySelector('#editor[open]')");
        tab.wait("location.search.includes('flip')");
        tab.settle();
        assert_eq!(tab.text("#q-fault"), "");
        let q = tab.value("new URLSearchParams(location.search).get('q')");
        assert!(
            q.as_str()
                .is_some_and(|q| q.starts_with("year>=1800 at(board:")),
            "{q}"
        );
        assert!(tab.texts("#games-body tr").len() > 3);
        // What is searched next takes the place of this.
        tab.click("#open-editor");
        tab.wait("document.querySelector('#editor[open]')");
        tab.click("[data-file=c]");
        tab.click("#edit-search");
        tab.wait("!location.search.includes('piece')");
        let q = tab.value("new URLSearchParams(location.search).get('q')");
        assert_eq!(q, "year>=1800 at(board:\"7[Qr_]/8/8/3A4/8/8/8/8\" flip)");
    });
}

#[test]
fn a_position_is_set_up_by_fingers_on_a_phone() {
    on("/", |tab| {
        tab.size(360, 740);
        tab.open("/?play=e2e4");
        tab.panel("filter");
        tab.tap("#open-editor");
        tab.wait("document.querySelector('#editor[open]')");
        assert!(query(tab).starts_with("at(fen:\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR\""));
        tab.tap(&edit("b1"));
        tab.tap(&edit("d5"));
        tab.tap("#edit-only");
        tab.tap(&tool("."));
        for file in "abcdefgh".chars() {
            tab.tap(&edit(&format!("{file}8")));
        }
        assert!(
            query(tab).starts_with("at(board:\"8/pppppppp/8/3N4/4P3/"),
            "{}",
            query(tab)
        );
        tab.tap("#edit-search");
        tab.wait("location.search.startsWith('?q=')");
        tab.settle();
        assert_eq!(tab.text("#q-fault"), "");
    });
}

#[test]
fn a_position_is_set_up_by_keyboard_and_gone_to() {
    on("/", |tab| {
        open(tab);
        for _ in 0..40 {
            if tab.is("document.activeElement.dataset.edit") {
                break;
            }
            tab.key("Tab");
        }
        assert_eq!(tab.value("document.activeElement.dataset.edit"), "e4");
        tab.key("K");
        for _ in 0..4 {
            tab.key("ArrowUp");
        }
        tab.key("k");
        tab.key("ArrowLeft");
        tab.key("*");
        assert_eq!(query(tab), "at(board:\"3[Aa]k3/8/8/8/4K3/8/8/8\")");
        assert_eq!(tab.text("#said"), "d8, any man");
        assert!(tab.is("document.querySelector('#edit-explore').disabled"));
        tab.key("Delete");
        // Enter picks up and puts down as long as men are moved.
        tab.key("ArrowRight");
        tab.key("Enter");
        tab.key("ArrowRight");
        tab.key("Enter");
        assert_eq!(query(tab), "at(board:\"5k2/8/8/8/4K3/8/8/8\")");
        tab.key("ArrowDown");
        tab.key("R");
        tab.value("document.querySelector('#edit-explore').focus()");
        tab.key("Enter");
        tab.expect("400");
        tab.wait("document.querySelector('#edit-fault').textContent.includes('take the king')");
        tab.value(
            "(() => { const turn = document.querySelector('#edit-turn'); turn.value = 'black'; \
             turn.dispatchEvent(new Event('input', { bubbles: true })); })()",
        );
        tab.click("#edit-explore");
        tab.wait("!document.querySelector('#editor[open]')");
        tab.wait_for_text("#status", "Black to move, in check");
        assert_eq!(tab.square("f7"), "white rook");
    });
}

#[test]
fn what_can_never_be_found_is_told() {
    on("/", |tab| {
        open(tab);
        tab.click(&tool("Q"));
        tab.click(&edit("d1"));
        tab.write("[data-man=R][data-end='0']", "2");
        tab.write("[data-man=R][data-end='1']", "1");
        tab.wait_for_text("#edit-fault", "smaller than the least");
        tab.write("[data-man=R][data-end='1']", "2");
        tab.wait("document.querySelector('#edit-fault').textContent === ''");
        tab.write("#edit-length", "3");
        assert_eq!(query(tab), "at(board:\"8/8/8/8/8/8/8/3Q4\" R=2 for:3)");
        tab.value(
            "(() => { const turn = document.querySelector('#edit-turn'); turn.value = 'white'; \
             turn.dispatchEvent(new Event('input', { bubbles: true })); })()",
        );
        tab.wait_for_text("#edit-fault", "changes with every half-move");
    });
}

#[test]
fn every_query_of_the_editor_is_accepted() {
    on("/", |tab| {
        let faults = tab.value(
            r#"(async () => {
              const { written, anything, ofFen, sorted, WHITE, BLACK } =
                await import("/page/pattern.js");
              const sets = [...WHITE, ...BLACK, "_", WHITE, BLACK, WHITE + BLACK,
                WHITE + BLACK + "_", "QR", "Qq_", sorted("pP_k")];
              const queries = new Set();
              for (const signs of sets) for (const only of [false, true])
                for (const mask of [0, 1, 2, 3, 4, 5, 6, 7])
                  for (const [length, unit] of [[1, "half-moves"], [3, "half-moves"],
                    [200, "moves"]])
                    queries.add(written({ ...anything(),
                      squares: new Map([["d5", signs], ["h1", "_"]]),
                      only, flip: Boolean(mask & 1), mirror: Boolean(mask & 2),
                      shift: Boolean(mask & 4), length, unit }));
              for (const pawns of ["P", "p", "Pp"]) for (const turn of ["", "white", "black"])
                for (const bounds of [["", ""], ["0", ""], ["", "10"], ["2", "2"], ["1", "3"]])
                  for (const shift of [false, true])
                    queries.add(written({ ...anything(), turn, shift,
                      files: new Map([["a", pawns], ["h", "P"]]),
                      counts: Object.fromEntries([..."QRBNPqrbnp"]
                        .map((man) => [man, bounds])) }));
              queries.add(written(ofFen("")));
              queries.add(written(anything()));
              const wrong = [];
              for (const q of queries) {
                const address = "/api/query?" + new URLSearchParams({ q });
                const answer = await (await fetch(address)).json();
                if (answer.fault) wrong.push([q, answer.fault.error]);
              }
              return [queries.size, wrong];
            })()"#,
        );
        assert!(faults[0].as_u64() > Some(800), "{faults}");
        assert_eq!(faults[1], json!([]));
    });
}
