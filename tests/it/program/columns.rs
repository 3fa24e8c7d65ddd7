//! `search --format csv` and `--format jsonl`: columns, moves, comments, positions, tags.

use std::{cmp::Reverse, fs};

use serde_json::Value;
use tabiya::query::SortField;

use super::{Bench, Ran};
use crate::small_base;

const GAMES: &str = r#"[Event "A, \"B\""]
[Site "?"]
[Date "2010.05.17"]
[Round "1"]
[White "Müller, Jan"]
[Black "Sharp, Sue"]
[Result "1-0"]
[WhiteElo "2400"]
[Annotator "Fool, Frank"]

{before, "all"} 1. e4 e5 {both
central} (1... c5 {in a variation}) 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# {mate} 1-0

[Event "damaged in its middle"]
[Date "2010.05.??"]
[White "?"]
[Black "b"]
[Result "*"]

1. d4 d5 2. c4 Ke4 3. Nc3 *

[Event "from shuffled men"]
[Date "2010.02.30"]
[White "w"]
[Black "b"]
[Result "*"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "1rk1r3/2p1p3/8/8/8/8/2P5/1RK1R3 w EBeb - 0 1"]

1. O-O c5 *

[Event "from its own start"]
[Date "????.??.??"]
[White "w"]
[Black "b"]
[Result "1/2-1/2"]
[ECO "B90"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 5 40"]

40... Kd7 41. e4 1/2-1/2
"#;

fn bench() -> Bench {
    let bench = Bench::new();
    fs::write(bench.path("games.pgn"), GAMES).unwrap();
    bench
}

fn search(bench: &Bench, arguments: &[&str]) -> Ran {
    bench.run(&[&["search", "games.pgn"], arguments].concat())
}

fn objects(ran: &Ran) -> Vec<Value> {
    let lines = ran.out.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the titles and the rows of csv.
fn table(ran: &Ran) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::Reader::from_reader(ran.out.as_bytes());
    let row = |row: &csv::StringRecord| row.iter().map(str::to_owned).collect();
    let titles = row(reader.headers().unwrap());
    let rows = reader.records().map(|record| row(&record.unwrap()));
    (titles, rows.collect())
}

#[test]
fn columns_are_printed_in_the_order_in_which_they_are_chosen() {
    let bench = bench();
    let chosen = [
        "--format",
        "csv",
        "--columns",
        "white,YEAR,number,tag.annotator",
    ];
    let ran = search(&bench, &chosen);
    assert_eq!(
        ran.out,
        "white,year,number,tag.annotator\n\
         \"Müller, Jan\",2010,1,\"Fool, Frank\"\n,2010,2,\nw,2010,3,\nw,,4,\n"
    );
    let chosen = ["--format", "jsonl", "--columns", "black,month"];
    let ran = search(&bench, &chosen);
    let first = "{\"black\":\"Sharp, Sue\",\"month\":5}\n";
    assert!(ran.out.starts_with(first), "{}", ran.out);
    // A row of one empty cell is no empty line.
    let ran = search(
        &bench,
        &["--format", "csv", "--columns", "eco", "number:3..4"],
    );
    assert_eq!(ran.out, "eco\n\"\"\nB90\n");
}

#[test]
fn a_column_that_is_none_is_refused_with_the_nearest() {
    let bench = bench();
    let ran = search(&bench, &["--format", "csv", "--columns", "white,whitelo"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("did you mean `whiteElo`?"), "{}", ran.err);
    assert!(ran.err.contains("isoDate, year, month"), "{}", ran.err);
    for wrong in [
        &["--columns", "white"][..],
        &["--moves", "san", "--format", "pgn"],
        &["--fens", "--format", "ids"],
        &["--comments", "--format", "table"],
        &["--columns", "tag.", "--format", "csv"],
        &["--moves", "san", "--format", "csv", "--count"],
        &["--moves", "lan", "--format", "csv"],
    ] {
        let ran = search(&bench, wrong);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{wrong:?}");
    }
}

#[test]
fn what_is_unknown_is_empty_in_csv_and_null_in_jsonl() {
    let bench = bench();
    let columns = "white,site,date,isoDate,day,eco,whiteElo,ply,fen,tag.White,tag.Date,tag.X";
    let options = ["number:4", "--columns", columns, "--format"];
    let ran = search(&bench, &[&options[..], &["jsonl"]].concat());
    let object = &objects(&ran)[0];
    assert_eq!(object["white"], "w");
    for unknown in [
        "site", "date", "isoDate", "day", "whiteElo", "ply", "tag.Date", "tag.X",
    ] {
        assert_eq!(object.get(unknown), Some(&Value::Null), "{unknown}");
    }
    let ran = search(&bench, &[&options[..], &["csv"]].concat());
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 5 40";
    let row = ["w", "", "", "", "", "B90", "", "", fen, "w", "", ""];
    assert_eq!(table(&ran).1, [row.map(str::to_owned)]);
}

#[test]
fn dates_are_also_iso_dates_as_far_as_they_are_known() {
    let bench = bench();
    let columns = [
        "--columns",
        "date,isoDate,year,month,day",
        "--format",
        "csv",
    ];
    let ran = search(&bench, &columns);
    let rows = [
        ["2010.05.17", "2010-05-17", "2010", "5", "17"],
        ["2010.05.??", "2010-05", "2010", "5", ""],
        ["2010.02.30", "2010-02", "2010", "2", "30"],
        ["", "", "", "", ""],
    ];
    assert_eq!(
        table(&ran).1,
        rows.map(|row| row.map(str::to_owned).to_vec())
    );
    // By default too, after the fields that the contract names.
    let all = objects(&search(&bench, &["number:1", "--format", "jsonl"]));
    assert_eq!(all[0]["isoDate"], "2010-05-17");
    assert_eq!(
        (&all[0]["date"], &all[0]["year"]),
        (&"2010.05.17".into(), &2010.into())
    );
}

#[test]
fn moves_are_those_of_the_main_line_from_whatever_start() {
    let bench = bench();
    let ran = search(&bench, &["--format", "jsonl", "--moves", "san"]);
    let all = objects(&ran);
    let san = |game: usize| all[game]["san"].to_string();
    assert_eq!(san(0), r#"["e4","e5","Qh5","Nc6","Bc4","Nf6","Qxf7#"]"#);
    assert_eq!(san(2), r#"["O-O","c5"]"#);
    assert_eq!(san(3), r#"["Kd7","e4"]"#);
    assert_eq!(all[0]["fen"], Value::Null);
    assert_eq!(
        all[2]["fen"],
        "1rk1r3/2p1p3/8/8/8/8/2P5/1RK1R3 w KQkq - 0 1"
    );
    assert_eq!(all[3]["fen"], "4k3/8/8/8/8/8/4P3/4K3 b - - 5 40");
    let ran = search(&bench, &["--format", "csv", "--moves", "uci"]);
    let (titles, rows) = table(&ran);
    let uci = titles.iter().position(|title| title == "uci").unwrap();
    assert_eq!(rows[0][uci], "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7");
    assert_eq!(rows[2][uci], "c1e1 c7c5");
    // As `show` has them.
    let shown = bench.run(&["show", "games.pgn", "1", "3..4", "--format", "jsonl"]);
    for shown in objects(&shown) {
        let number = shown["number"].as_u64().unwrap() as usize;
        assert_eq!(all[number - 1]["san"], shown["san"]);
        assert_eq!(all[number - 1]["fen"], shown["fen"]);
        assert_eq!(all[number - 1]["plies"], shown["plies"]);
    }
}

#[test]
fn a_game_damaged_in_its_middle_has_the_moves_before_and_a_warning() {
    let bench = bench();
    for options in [&["--moves", "san"][..], &["--moves", "san", "--comments"]] {
        let ran = search(
            &bench,
            &[options, &["--format", "jsonl", "--quiet"]].concat(),
        );
        assert_eq!(ran.code, 0);
        let all = objects(&ran);
        assert_eq!(all.len(), 4);
        assert_eq!(all[1]["san"].to_string(), r#"["d4","d5","c4"]"#);
        assert_eq!(all[3]["san"].to_string(), r#"["Kd7","e4"]"#);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        assert!(
            ran.err.contains("warning: ") && ran.err.contains("game 2"),
            "{}",
            ran.err
        );
    }
    // Nothing of its moves is asked for.
    let ran = search(&bench, &["--format", "jsonl", "--quiet"]);
    assert_eq!((ran.out.lines().count(), ran.err.as_str()), (4, ""));
}

#[test]
fn comments_are_told_with_the_move_that_they_follow() {
    let bench = bench();
    let told = concat!(
        r#"[{"ply":0,"text":"before, \"all\""},{"ply":2,"text":"both\ncentral"},"#,
        r#"{"ply":7,"text":"mate"}]"#
    );
    let ran = search(&bench, &["--format", "jsonl", "--comments"]);
    let all = objects(&ran);
    assert_eq!(all[0]["comments"].to_string(), told);
    assert_eq!(all[3]["comments"].to_string(), "[]");
    let ran = search(
        &bench,
        &["--format", "csv", "--columns", "comments", "number:1"],
    );
    assert_eq!(table(&ran).1, [[told]]);
}

#[test]
fn clocks_and_evaluations_of_comments_are_told_for_every_half_move() {
    let bench = bench();
    let text = "[Event \"a\"]\n\n1. e4 { [%eval 0.25] [%clk 0:03:00] } e5 \
        ( 1... c5 { [%eval 9] } ) 2. Qh5 { x [%clk 0:02:59.5] } Ke7 \
        { [%eval #1] } { [%clk 0:02:00] [%eval 3] } 1-0\n\n\
        [Event \"b\"]\n\n1. e4 { no clock } 1-0\n";
    fs::write(bench.path("clocks.pgn"), text).unwrap();
    let told = ["[180,null,179.5,120]", r##"[0.25,null,null,"#1"]"##];
    for command in [
        &[
            "search",
            "clocks.pgn",
            "--columns",
            "number,clocks,evals",
            "--format",
            "jsonl",
        ][..],
        &["show", "clocks.pgn", "1..2", "--format", "jsonl"],
    ] {
        let all = objects(&bench.run(command));
        assert_eq!(all[0]["clocks"].to_string(), told[0], "{command:?}");
        assert_eq!(all[0]["evals"].to_string(), told[1], "{command:?}");
        assert_eq!(
            (&all[1]["clocks"], &all[1]["evals"]),
            (&Value::Null, &Value::Null)
        );
    }
    let options = [
        "search",
        "clocks.pgn",
        "--format",
        "csv",
        "--columns",
        "clocks,evals",
    ];
    assert_eq!(table(&bench.run(&options)).1, [told, ["", ""]]);
}

#[test]
fn positions_are_told_after_every_half_move() {
    let bench = bench();
    let ran = search(&bench, &["--format", "jsonl", "--fens", "number:3..4"]);
    let all = objects(&ran);
    let second = [
        "8/3k4/8/8/8/8/4P3/4K3 w - - 6 41",
        "8/3k4/8/8/4P3/8/8/4K3 b - - 0 41",
    ];
    assert_eq!(all[1]["fens"], Value::from(second.to_vec()));
    let castled = "1rk1r3/2p1p3/8/8/8/8/2P5/1R3RK1 b kq - 1 1";
    assert_eq!(all[0]["fens"][0], castled);
    let ran = search(
        &bench,
        &["--format", "csv", "--columns", "fens", "number:4"],
    );
    assert_eq!(table(&ran).1, [[second.join(";")]]);
}

#[test]
fn tags_of_the_header_and_of_the_game_are_columns() {
    let bench = bench();
    let names = "tag.Event,tag.whiteelo,tag.Annotator,tag.Variant,tag.FEN,tag.SetUp,tag.Result";
    let ran = search(&bench, &["--format", "csv", "--columns", names]);
    let (titles, rows) = table(&ran);
    assert_eq!(titles.join(","), names);
    assert_eq!(
        rows[0],
        ["A, \"B\"", "2400", "Fool, Frank", "", "", "", "1-0"]
    );
    let fen = "1rk1r3/2p1p3/8/8/8/8/2P5/1RK1R3 w KQkq - 0 1";
    assert_eq!(
        rows[2],
        ["from shuffled men", "", "", "Chess960", fen, "1", "*"]
    );
}

/// Returns what a cell is sorted by; nothing is before everything.
fn sorted_by(field: SortField, cell: &str) -> (Option<i64>, String) {
    let number = |text: &str| (2.0 * text.parse::<f64>().unwrap()) as i64;
    match field {
        // An unknown name is a question mark in files.
        SortField::Event | SortField::Site | SortField::Round if cell.is_empty() => {
            (None, "?".to_owned())
        }
        _ if field.name_kind().is_some() => (None, field.sort_text(cell)),
        SortField::Number(_) => {
            let number = Some(cell).filter(|cell| !cell.is_empty()).map(number);
            (number, String::new())
        }
        SortField::Result => {
            let results = ["*", "0-1", "1/2-1/2", "1-0"];
            let place = results.iter().position(|result| *result == cell);
            (place.map(|place| place as i64), String::new())
        }
        _ => (None, cell.replace('?', "0")),
    }
}

#[test]
fn every_field_sorts_games_as_its_column_does() {
    let bench = bench();
    let base = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.si4");
    // No cell tells a winner whose name is unknown from none.
    let named = "not (white=? or black=?)";
    let mut fields = 0;
    for field in SortField::all() {
        let name = field.name();
        // The column of this name has the comments themselves.
        let column = if name == "comments" {
            "commentCount"
        } else {
            name
        };
        let columns = format!("number,{column}");
        let games = |more: &[&str]| {
            let all = [
                "search",
                base,
                named,
                "--format",
                "csv",
                "--columns",
                &columns,
            ];
            table(&bench.run(&[&all, more].concat())).1
        };
        let mut rows = games(&[]);
        rows.sort_by_cached_key(|row| sorted_by(field, &row[1]));
        assert_eq!(games(&["--sort", name]), rows, "{name}");
        // Equal ones stay in their order.
        rows.sort_by_cached_key(|row| row[0].parse::<u32>().unwrap());
        rows.sort_by_cached_key(|row| Reverse(sorted_by(field, &row[1])));
        assert_eq!(games(&["--sort", &format!("{name}:desc")]), rows, "{name}");
        fields += 1;
    }
    assert!(fields >= 23, "{fields}");
}

#[test]
fn several_databases_and_sorting_keep_their_order_with_moves() {
    let bench = bench();
    let both = [
        "search",
        "small.si4",
        "games.pgn",
        "plies>=2",
        "--format",
        "jsonl",
    ];
    let options = ["--moves", "san", "--sort", "plies:desc", "--quiet"];
    let ran = bench.run(&[&both[..], &options].concat());
    let found: Vec<String> = objects(&ran)
        .iter()
        .map(|game| {
            let moves = game["san"].as_array().unwrap().len();
            format!(
                "{}:{}:{moves}",
                game["database"].as_str().unwrap(),
                game["number"]
            )
        })
        .collect();
    let sorted = bench.run(&[&both[..4], &["--sort", "plies:desc", "--format", "ids"]].concat());
    let ids: Vec<&str> = sorted.out.lines().collect();
    assert_eq!(found.len(), ids.len());
    for (found, id) in found.iter().zip(ids) {
        assert!(found.starts_with(&format!("{id}:")), "{found} {id}");
    }
    assert!(found.contains(&"small:2:7".to_owned()), "{found:?}");
    assert!(found.contains(&"games:1:7".to_owned()), "{found:?}");
}

#[test]
fn a_match_in_a_variation_keeps_its_line_beside_the_moves() {
    let bench = bench();
    let options = ["played:c5", "number:1", "--variations", "--format", "jsonl"];
    let ran = search(&bench, &[&options[..], &["--moves", "san"]].concat());
    let all = objects(&ran);
    assert_eq!(
        (&all[0]["ply"], &all[0]["line"]),
        (&2.into(), &"e4 c5".into())
    );
    assert_eq!(all[0]["san"][1], "e5");
}

/// Enough games for several batches, which all threads fill in.
#[test]
fn rows_come_in_the_order_of_the_games_on_any_number_of_threads() {
    let bench = Bench::new();
    let mut text = String::new();
    for number in 0..9000 {
        let last = if number % 3 == 0 { "2. Nf3" } else { "" };
        text.push_str(&format!(
            "[Event \"e\"]\n[Round \"{number}\"]\n[Result \"*\"]\n\n1. e4 e5 {last} *\n\n"
        ));
    }
    fs::write(bench.path("games.pgn"), text).unwrap();
    let options = ["--format", "csv", "--columns", "number,round,san"];
    let one = search(&bench, &[&options[..], &["--strategy", "full"]].concat());
    let (_, rows) = table(&one);
    assert_eq!(rows.len(), 9000);
    for (index, row) in rows.iter().enumerate() {
        let san = if index % 3 == 0 { "e4 e5 Nf3" } else { "e4 e5" };
        assert_eq!(
            *row,
            [(index + 1).to_string(), index.to_string(), san.to_owned()]
        );
    }
    assert_eq!(search(&bench, &options).out, one.out);
    let page = search(
        &bench,
        &[&options[..], &["--offset", "5000", "--limit", "2"]].concat(),
    );
    assert_eq!(
        page.out,
        "number,round,san\n5001,5000,e4 e5\n5002,5001,e4 e5 Nf3\n"
    );
}

#[test]
fn a_missing_games_file_is_an_error_only_where_moves_are_wanted() {
    let bench = Bench::new();
    small_base::write(bench.directory.path(), "bare");
    fs::remove_file(bench.path("bare.sg4")).unwrap();
    let ran = bench.run(&["search", "bare.si4", "--format", "csv"]);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 6));
    let ran = bench.run(&["search", "bare.si4", "--format", "csv", "--moves", "san"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("bare.sg4"), "{}", ran.err);
}
