//! `names`: players, events, sites, rounds.

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
