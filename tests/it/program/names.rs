//! `names`: players, events, sites, rounds.

use std::fs;

use super::Bench;

#[test]
fn players_come_by_games_and_then_by_name() {
    let ran = Bench::new().run(&["names", "small.si4"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(
        ran.out,
        "\
name          games  white  black  first  last  peak
de Vries, Bo      2      1      1   2010  2010  2400
Müller, Jan       2      1      1   1999  2010
Sharp, Sue        2      1      1   1999  2001  2100
\"Q\", x            1      0      1   2010  2010  2450
?                 1      1      1
Fool, Frank       1      1      0   2001  2001  1500
"
    );
}

#[test]
fn names_sort_and_stop_and_print_as_json() {
    let bench = Bench::new();
    let first = |sort: &str| {
        let arguments = ["names", "small", "--sort", sort, "--limit", "1"];
        bench
            .run(&[&arguments[..], &["--format", "jsonl"]].concat())
            .out
    };
    assert_eq!(
        first("rating"),
        "{\"name\":\"\\\"Q\\\", x\",\"games\":1,\"white\":0,\"black\":1,\
         \"firstYear\":2010,\"lastYear\":2010,\"peakElo\":2450}\n"
    );
    assert!(first("name").contains("\\\"Q\\\", x"));
    assert!(first("year").contains("de Vries, Bo"));
    assert!(first("games").contains("de Vries, Bo"));
    let ran = bench.run(&[
        "names", "small", "--kind", "site", "--format", "jsonl", "bonn",
    ]);
    assert_eq!(
        ran.out,
        "{\"name\":\"Bonn GER\",\"games\":2,\"firstYear\":2001,\"lastYear\":2010}\n"
    );
    let ran = bench.run(&["names", "small", "--kind", "event", "--limit", "1"]);
    assert_eq!(
        ran.out,
        "name          games  first  last\nClub, Monday      2   1999  2001\n"
    );
}

#[test]
fn names_contain_the_text_as_in_queries_and_none_ends_with_1() {
    let bench = Bench::new();
    let ran = bench.run(&["names", "small", "MULLER"]);
    assert_eq!(ran.out.lines().count(), 2);
    let ran = bench.run(&["names", "small", "de", "vries"]);
    assert_eq!(ran.out.lines().count(), 2);
    let ran = bench.run(&["names", "small", "nobody"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    std::fs::remove_file(bench.path("small.sn4")).unwrap();
    let ran = bench.run(&["names", "small"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
}

/// Games of players whose names are spelt in several ways.
fn spelt(bench: &Bench) {
    let game = |white: &str, black: &str, year: u16, elo: u16| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"{year}.01.01\"]\n\
             [WhiteElo \"{elo}\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n"
        )
    };
    let text = [
        game("Speelman, Jonathan", "Short, Nigel", 1988, 2600),
        game("Speelman, Jonathan", "Adams, Michael", 1990, 2620),
        game("Speelman, J", "Adams, Mark", 1991, 2610),
        game("Jonathan Speelman", "Short, N.", 1992, 2600),
        game("Spelman, Jonathan", "Short, Nigel", 1992, 2590),
    ];
    fs::write(bench.path("spelt.pgn"), text.concat()).unwrap();
}

#[test]
fn suggestions_are_a_list_to_check_with_kind_from_and_to_first() {
    let bench = Bench::new();
    spelt(&bench);
    let ran = bench.run(&["names", "spelt.pgn", "--suggest", "--format", "csv"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(
        ran.out,
        "\
kind,from,to,reason,points,fromGames,fromFirstYear,fromLastYear,fromPeakElo,toGames,toFirstYear,\
toLastYear,toPeakElo
player,Jonathan Speelman,\"Speelman, Jonathan\",order,99,1,1992,1992,2600,2,1988,1990,2620
player,\"Speelman, J\",\"Speelman, Jonathan\",initials,75,1,1991,1991,2610,2,1988,1990,2620
player,\"Spelman, Jonathan\",\"Speelman, Jonathan\",one letter,70,1,1992,1992,2590,2,1988,1990,2620
player,\"Short, N.\",\"Short, Nigel\",initials,60,1,1992,1992,,2,1988,1992,
"
    );
    let ran = bench.run(&["names", "spelt.pgn", "--suggest", "short"]);
    assert_eq!(
        ran.out,
        "\
from       games  first  last  peak  to            games  first  last  peak  reason
Short, N.      1   1992  1992        Short, Nigel      2   1988  1992        initials
"
    );
    let nothing = bench.run(&["names", "small", "--suggest"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (1, ""));
    let told = "no name is probably a spelling of another one";
    assert!(nothing.err.contains(told), "{}", nothing.err);
}

#[test]
fn a_list_of_spellings_corrects_names_or_says_what_is_wrong_in_it() {
    let bench = Bench::new();
    spelt(&bench);
    let list = "@PLAYER \"., -_*\"\nSpeelman, Jonathan S #gm ENG\n   = Speelman, J\n";
    fs::write(bench.path("right.ssp"), list).unwrap();
    let corrected = [
        &["names", "spelt.pgn", "--spelling", "right.ssp"][..],
        &["--format", "jsonl"],
    ];
    let ran = bench.run(&corrected.concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 3);
    assert!(ran.out.starts_with(
        "{\"kind\":\"player\",\"from\":\"Speelman, Jonathan\",\"to\":\"Speelman, Jonathan S\",\
         \"reason\":\"listed\",\"points\":100,\"fromGames\":2"
    ));
    let both = [&corrected.concat()[..], &["--suggest"]].concat();
    assert_eq!(bench.run(&both).out.lines().count(), 5);
    fs::write(bench.path("right.ssp"), "@PLAYER\n = Speelman\n").unwrap();
    let ran = bench.run(&corrected.concat());
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("right.ssp: line 2: "), "{}", ran.err);
}
