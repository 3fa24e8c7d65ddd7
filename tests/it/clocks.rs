//! Clocks, evaluations and the tags of servers, against recorded answers.

use serde_json::Value;
use tabiya::{Database, Query, Remarks, Search, SidecarOptions, Strategy};

use crate::support::{dice::Dice, losses, shared};

/// The recorded queries with their games and, where they are fixed, the plies.
fn truth() -> Option<Vec<(String, Value)>> {
    let text = std::fs::read_to_string(shared::packed("truth/lichess-dev.json")?).unwrap();
    let truth: Value = serde_json::from_str(&text).unwrap();
    let cases = truth["queries"].as_array().unwrap().iter();
    let named = |case: &Value| (case["query"].as_str().unwrap().to_owned(), case.clone());
    Some(cases.map(named).collect())
}

#[test]
fn games_of_a_server_are_found_as_recorded() {
    let (Some(cases), Some(database)) = (truth(), shared::database("pgn-lichess/lichess.pgn"))
    else {
        return;
    };
    let mut asked = 0;
    for (text, case) in cases {
        let query: Query = text
            .parse()
            .unwrap_or_else(|fault| panic!("{text}: {fault}"));
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let found = Search::new(&query).strategy(strategy).run(&database);
            let hits = found.expect("the search runs").into_parts().0;
            let games: Vec<u32> = hits.iter().map(|hit| hit.game.number_in_part()).collect();
            assert_eq!(Value::from(games), case["games"], "{strategy:?} {text}");
            if let Some(plies) = case.get("ply") {
                let have: Vec<u32> = hits.iter().filter_map(|hit| hit.ply).collect();
                assert_eq!(Value::from(have), *plies, "{strategy:?} {text}");
            }
        }
        asked += 1;
    }
    assert!(asked > 20, "{asked}");
}

/// The terms about evaluations are not asked of stored lines: without them more positions match,
/// which excludes no number.
#[test]
fn an_exact_number_of_evaluated_positions_is_found() {
    let text = "[Result \"*\"]\n\n1. e4 {[%eval 0.2]} e5 {[%eval 0.3]} 2. Nf3 {[%eval 0.1]} Nc6 \
                {[%eval 1.5]} 3. Bb5 {[%eval 1.6]} a6 {[%eval 1.7]} 4. Ba4 {[%eval 1.8]} Nf6 \
                {[%eval 0.4]} 5. O-O {[%eval 0.4]} *\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("evaluated.pgn");
    std::fs::write(&path, text).unwrap();
    let base = Database::open(&path).unwrap();
    for (condition, number) in [
        ("at(eval>=1)", 4),
        ("at(eval>=1 for:2)", 3),
        ("at(eval>=1 for:4)", 1),
        ("at(eval>=1 P=8)", 4),
        ("at(swing<=0.25 for:3)", 5),
        ("at(eval>=1) then at(eval>=0.4)", 5),
    ] {
        for bound in 0..8 {
            for (operator, holds) in [
                ("=", number == bound),
                ("!=", number != bound),
                ("<", number < bound),
                ("<=", number <= bound),
                (">", number > bound),
                (">=", number >= bound),
            ] {
                let text = format!("count({condition}){operator}{bound}");
                let query: Query = text.parse().unwrap();
                for strategy in [Strategy::Auto, Strategy::FullDecode] {
                    let found = Search::new(&query).strategy(strategy).run(&base).unwrap();
                    assert_eq!(!found.is_empty(), holds, "{strategy:?} {text}");
                }
            }
        }
    }
}

/// Text of games whose comments tell of clocks, times and evaluations, of some, or of nothing.
fn text(games: usize, dice: &mut Dice) -> String {
    let mut text = String::new();
    for game in 0..games {
        let control = dice.pick(&["180+2", "60+0", "-"]);
        text += &format!("[White \"{game}\"]\n[TimeControl \"{control}\"]\n[Result \"*\"]\n\n");
        let (mut clock, told) = (dice.between(1, 200), dice.below(6));
        for ply in 0..dice.below(50) {
            text += ["Nf3 ", "Nf6 ", "Ng1 ", "Ng8 "][ply % 4];
            clock = (clock - dice.between(0, 6)).max(0);
            let eval = match dice.below(9) {
                0 => format!("#{}", dice.between(-9, 9)),
                _ => format!("{}.{:02}", dice.between(-6, 6), dice.below(100)),
            };
            text += &match told {
                _ if dice.percent(5) => "{nothing} ".to_owned(),
                0 => String::new(),
                1 => format!("{{[%emt 0:00:{:02}]}} ", dice.below(60)),
                2 => format!("{{[%eval {eval}]}} "),
                3 => format!("{{[%clk 0:{:02}:{:02}]}} ", clock / 60, clock % 60),
                _ => format!(
                    "{{[%eval {eval}] [%clk 0:{:02}:{:02}.5]}} ",
                    clock / 60,
                    clock % 60
                ),
            };
            if ply > 2 && dice.percent(4) {
                let other = ["Nf3", "Nf6", "Nc3", "Nc6"][ply % 4];
                text += &format!("({other} {{[%clk 0:00:01] [%eval 30]}}) ");
            }
        }
        text += if dice.percent(3) {
            "Ke7 *\n\n"
        } else {
            "*\n\n"
        };
    }
    text
}

/// A condition on what comments tell, alone or with others.
fn condition(dice: &mut Dice) -> String {
    let operator = *dice.pick(&["=", "!=", "<", "<=", ">", ">="]);
    let test = match dice.below(8) {
        0..3 => format!(
            "clock{operator}{}",
            dice.pick(&["0", "0.5", "10", "10.5", "59.5", "60"])
        ),
        3 => format!(
            "spent{operator}{}",
            dice.pick(&["0", "0.5", "2", "5.5", "100"])
        ),
        4 | 5 => {
            let bound = dice.pick(&["0", "0.5", "-3", "5.99", "7", "#3", "#-2", "#1"]);
            format!("eval{operator}{bound}")
        }
        6 => format!("swing{operator}{}", dice.pick(&["0", "-3", "2.5"])),
        _ => (*dice.pick(&["blunder", "mistake", "clock=5..20", "eval=-1..1"])).to_owned(),
    };
    match dice.below(9) {
        0 => format!("at({test} stm:white)"),
        1 => format!("at({test} for:2)"),
        2 => format!("at(not {test})"),
        3 => format!("count(at({test}))>={}", dice.below(5)),
        4 => format!("at({test}) then at(clock<20)"),
        5 => format!("at({test} eval>0)"),
        6 => format!("last({test})"),
        7 => format!("({test} or acpl.white>{})", dice.below(300)),
        _ => test,
    }
}

#[test]
fn a_sidecar_with_clocks_and_evaluations_finds_the_same() {
    let mut dice = Dice::new(22);
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source.pgn");
    std::fs::write(&source, text(1500, &mut dice)).unwrap();
    let mut found = 0;
    for name in ["indexed.pgn", "scid.si5", "chessbase.cbh"] {
        let path = folder.path().join(name);
        match name {
            // Damaged games stay damaged.
            "indexed.pgn" => drop(std::fs::copy(&source, &path).unwrap()),
            _ => drop(losses::convert(&source, &path)),
        }
        SidecarOptions::new()
            .refresh(&Database::open(&path).unwrap())
            .unwrap();
        let base = Database::open(&path).unwrap();
        assert!(base.sidecar().is_some(), "{name}");
        let (mut whole, mut numbers) = (Remarks::default(), Remarks::default());
        for game in base.games() {
            let is_read = whole.read(&base, game).is_ok();
            assert_eq!(numbers.read_numbers(&base, game).is_ok(), is_read);
            for ply in 0..60 {
                let [told, expected] = [&numbers, &whole].map(|remarks| {
                    let remark = remarks.after(ply).0;
                    (remark.clock, remark.spent, remark.eval)
                });
                assert_eq!(told, expected, "{name} {game:?} {ply}");
            }
        }
        for _ in 0..100 {
            let text = format!("{} {}", condition(&mut dice), condition(&mut dice));
            let query: Query = text
                .parse()
                .unwrap_or_else(|fault| panic!("{text}: {fault}"));
            let variations = dice.percent(20);
            let ask = |base: &Database, strategy| {
                let search = Search::new(&query)
                    .strategy(strategy)
                    .variations(variations);
                search.run(base).unwrap().into_parts().0
            };
            let fast = ask(&base, Strategy::Auto);
            let slow = ask(&base, Strategy::FullDecode);
            assert_eq!(fast, slow, "{name} {text} {variations}");
            let search = Search::new(&query).variations(variations);
            assert_eq!(
                search.count(&base).unwrap().matched,
                slow.len() as u64,
                "{text}"
            );
            found += slow.len();
        }
    }
    assert!(found > 8_000, "{found}");
}

/// The moves of the game and the length of its text stay the same.
#[test]
fn a_clock_that_has_changed_is_known_after_a_refresh() {
    let mut dice = Dice::new(5);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("changed.pgn");
    let first = "[White \"A\"]\n\n1. e4 {[%clk 1:00:00]} *\n\n";
    let rest = text(1200, &mut dice);
    let query: Query = "clock=8000".parse().unwrap();
    for (clock, games) in [("1:00:00", 0), ("2:13:20", 1)] {
        let first = first.replace("1:00:00", clock);
        std::fs::write(&path, format!("{first}{rest}")).unwrap();
        let read = tabiya::OpenOptions::new()
            .sidecar(false)
            .open(&path)
            .unwrap();
        SidecarOptions::new().refresh(&read).unwrap();
        let base = Database::open(&path).unwrap();
        assert!(base.sidecar().is_some());
        let found = Search::new(&query).run(&base).unwrap();
        assert_eq!(found.len(), games);
    }
}
