//! The book, `docs/book`: below each command stands what the program prints, beside each query how
//! many games it finds, and two chapters are made from the program's own tables. This writes anew
//! what is not so:
//!
//! ```sh
//! TABIYA_RENEW=1 cargo test --test it book
//! ```

use std::{
    collections::BTreeSet,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use tabiya::{
    Query,
    query::{
        Op,
        table::{self, FIELDS, Field, Level},
    },
};

use super::shell::Shell;

/// The database that queries are put to.
const FAMOUS: &str = "fixtures/famous.si4";
/// The head of a table of queries, whose last column is made; a database may be named in it.
const COUNTED: [&str; 2] = ["| you want | query", " | games |"];
/// What the program of Windows prints, and what stands in the book.
const OF_WINDOWS: [(&str, &str); 2] = [
    ("tabiya.exe", "tabiya"),
    ("File not found. (os", "No such file or directory (os"),
];
/// Stands for lines that are left out.
const LEFT_OUT: &str = "…";

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/src")
}

/// Returns the pages of the book with their names.
fn pages() -> Vec<(String, String)> {
    let entries = source().read_dir().unwrap().map(|entry| entry.unwrap());
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    let read = |name: String| {
        (
            name.clone(),
            fs::read_to_string(source().join(name)).unwrap(),
        )
    };
    names.into_iter().map(read).collect()
}

/// Compares a page with what it should be, or writes that.
fn settle(name: &str, is: &str, should_be: &str) {
    if env::var("TABIYA_RENEW").is_ok_and(|value| value == "1") {
        fs::write(source().join(name), should_be).unwrap();
        return;
    }
    for (line, (is, should_be)) in (1..).zip(is.lines().zip(should_be.lines())) {
        assert_eq!(
            is, should_be,
            "{name}:{line}; TABIYA_RENEW=1 writes it anew"
        );
    }
    assert_eq!(is.len(), should_be.len(), "{name}");
}

/// Returns what a command prints, without the time that it took.
fn printed(shell: &Shell, command: &str) -> String {
    let output = shell.run(&format!("exec 2>&1\n{command}"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{command}\n{text}");
    let text = OF_WINDOWS
        .iter()
        .fold(text, |text, (there, here)| text.replace(there, here));
    let mut shown = String::new();
    for line in text.lines().filter(|line| !line.starts_with("time: ")) {
        let is_time = |end: &str| {
            let number = end.strip_suffix(" s");
            number.is_some_and(|number| number.parse::<f64>().is_ok())
        };
        let line = match line.rsplit_once(", ") {
            Some((rest, end)) if is_time(end) => rest,
            _ => line,
        };
        shown.push_str(line.trim_end());
        shown.push('\n');
    }
    shown
}

/// Returns what is printed, with as many lines left out as below the command by now.
fn shortened(printed: &str, shown: &[&str]) -> String {
    let lines: Vec<&str> = printed.lines().collect();
    let Some(first) = shown.iter().position(|line| *line == LEFT_OUT) else {
        return printed.to_owned();
    };
    let last = shown.len() - first - 1;
    let last = lines.len().saturating_sub(last).max(first);
    let kept = [
        lines.get(..first).unwrap_or(&lines),
        &[LEFT_OUT],
        lines.get(last..).unwrap_or_default(),
    ];
    kept.concat().join("\n") + "\n"
}

/// Returns a block of commands, each after a `$`, with what they print.
fn block(shell: &Shell, lines: &[&str]) -> String {
    let mut text = String::new();
    let mut at = 0;
    while at < lines.len() {
        let is_command = |line: &&str| line.starts_with("$ ");
        assert!(is_command(&lines[at]), "no command: {}", lines[at]);
        let goes_on = lines[at..].iter().take_while(|line| line.ends_with('\\'));
        let output_at = at + goes_on.count() + 1;
        let command = lines[at..output_at].join("\n");
        let shown = lines[output_at..].iter().position(is_command);
        let end = shown.map_or(lines.len(), |shown| output_at + shown);
        // A fault is shown too, and its exit code where the command asks for it.
        let printed = printed(shell, &format!("{}\ntrue", &command[2..]));
        text.push_str(&command);
        text.push('\n');
        text.push_str(&shortened(&printed, &lines[output_at..end]));
        at = end;
    }
    text
}

/// Returns the database of a table of queries, by the table's head.
fn counted_in(head: &str) -> Option<&str> {
    let named = head.strip_prefix(COUNTED[0])?.strip_suffix(COUNTED[1])?;
    let named = named
        .strip_prefix(" of `")
        .and_then(|named| named.strip_suffix('`'));
    Some(named.unwrap_or(FAMOUS))
}

/// Returns a row of a table of queries with the number of games of a database found.
fn row(shell: &Shell, database: &str, line: &str) -> String {
    let cells = line
        .strip_suffix('|')
        .and_then(|line| line.rsplit_once('|'));
    let (cells, _) = cells.unwrap();
    let parts = cells
        .trim_end()
        .strip_suffix('`')
        .and_then(|line| line.rsplit_once('`'));
    let Some((wanted, query)) = parts else {
        panic!("no query: {line}");
    };
    let command = format!("tabiya search {database} '{query}' --count -q || [ $? = 1 ]");
    let games = printed(shell, &command);
    format!("{wanted}`{query}` | {} |", games.trim())
}

/// Returns a page with what its commands print now.
fn renewed(page: &str) -> String {
    let shell = Shell::new();
    let mut text = String::new();
    let mut lines = page.lines();
    let mut database = None;
    while let Some(line) = lines.next() {
        let shown = match database {
            Some(database) if line.contains('`') => row(&shell, database, line),
            _ => line.to_owned(),
        };
        database = counted_in(line)
            .or(database)
            .filter(|_| line.starts_with('|'));
        let _ = writeln!(text, "{shown}");
        if line == "```sh" {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let shown = match inside.first() {
                Some(first) if first.starts_with("$ ") => block(&shell, &inside),
                _ => inside.join("\n") + "\n",
            };
            text.push_str(&shown);
            text.push_str("```\n");
        }
    }
    text
}

#[test]
fn the_commands_of_the_book_print_what_stands_below_them() {
    let mut commands = 0;
    for (name, page) in pages() {
        if !["commands.md", "language.md"].contains(&&*name) {
            let is_run = |block: &str| block.starts_with("$ ");
            assert!(page.split("```sh\n").skip(1).all(is_run), "{name}: no `$`");
            settle(&name, &page, &renewed(&page));
            commands += page.matches("\n$ tabiya ").count();
        }
    }
    // Of the README the blocks with a `$`.
    let readme = fs::read_to_string("README.md").unwrap();
    settle("../../../README.md", &readme, &renewed(&readme));
    assert!(commands > 50, "{commands}");
}

/// Returns what stands as code in running text and begins with a field and its value.
fn quoted_queries(page: &str) -> impl Iterator<Item = &str> {
    let mut in_block = false;
    let lines = page.lines().filter(move |line| {
        in_block ^= line.starts_with("```");
        !in_block
    });
    let codes = lines.flat_map(|line| line.split('`').skip(1).step_by(2));
    codes.filter(|code| {
        let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '.';
        let name = code.split(|letter| !is_of_name(letter)).next();
        let name = name.unwrap_or_default();
        let is_list = name.len() == 1 && code[1..].starts_with(' ');
        let is_part = name == *code
            || is_list
            || code.ends_with(':')
            || code.ends_with("ZONE")
            || code.contains(LEFT_OUT);
        !is_part && (name == "at" || table::find(name).is_some())
    })
}

#[test]
fn what_the_book_says_to_type_are_queries() {
    let read = |name: &str| fs::read_to_string(source().join(name)).unwrap();
    let asking = read("asking.md");
    let (_, table) = asking.split_once("| you want | you type |").unwrap();
    let rows = table.lines().skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let quoted = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    let typed = quoted.filter(|text| !text.starts_with(['-', '#']));
    let assistants = read("cookbook-assistants.md");
    let asked = assistants.split("\"q\": \"").skip(1);
    let asked = asked.filter_map(|rest| rest.split('"').next());
    let pages = pages();
    let quoted = pages.iter().flat_map(|(_, page)| quoted_queries(page));
    let queries: Vec<&str> = typed.chain(asked).chain(quoted).collect();
    assert!(queries.len() > 200, "{queries:?}");
    for text in queries {
        assert!(text.parse::<Query>().is_ok(), "{text}");
    }
}

#[test]
fn the_chapter_on_commands_is_the_help() {
    let shell = Shell::new();
    let mut page =
        "# Every command\n\nMade from the program's own help. Options of all commands:\n"
            .to_owned();
    let mut show = |help: &str| {
        let _ = write!(page, "\n```text\n{}```\n", printed(&shell, help));
    };
    show("tabiya --help");
    let help = printed(&shell, "tabiya --help");
    let (_, list) = help.split_once("Commands:\n").unwrap();
    for line in list.lines().take_while(|line| !line.is_empty()) {
        // A line that goes on is indented further.
        let name = line[2..].split(' ').next().unwrap();
        if !["", "help"].contains(&name) {
            let _ = writeln!(page, "\n## `{name}`");
            // That of `search` teaches the language, which has a chapter of its own.
            let option = if name == "search" { "-h" } else { "--help" };
            let help = printed(&shell, &format!("tabiya {name} {option}"));
            let _ = write!(page, "\n```text\n{help}```\n");
        }
    }
    let is = fs::read_to_string(source().join("commands.md")).unwrap_or_default();
    settle("commands.md", &is, &page);
}

/// How a query is answered.
struct Served {
    by: String,
    decoded: String,
    matched: String,
}

fn served(shell: &Shell, query: &str) -> Served {
    let told = printed(
        shell,
        &format!("tabiya explain {FAMOUS} '{query}' || [ $? = 1 ]"),
    );
    let (head, rows) = told.split_once('\n').unwrap();
    let column = head.find("served by").unwrap();
    let clauses = rows
        .lines()
        .take_while(|row| !row.starts_with("whole query"));
    let cells = clauses.filter_map(|row| row.get(column..)?.split("  ").next());
    let by: BTreeSet<&str> = cells.filter(|cell| !cell.is_empty()).collect();
    let totals = rows.lines().last().unwrap();
    let figure = |name: &str| {
        let (_, rest) = totals.split_once(name).unwrap();
        rest.split(',').next().unwrap().trim().to_owned()
    };
    Served {
        by: by.into_iter().collect::<Vec<_>>().join("; "),
        decoded: figure("decoded"),
        matched: figure("matched"),
    }
}

/// Returns words as code, with spaces between them.
fn as_code<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns links to the pictures of positions that a condition with this field finds.
fn pictures(of: &Field) -> String {
    let page = fs::read_to_string("docs/pictures.md").unwrap();
    let headings = page.lines().filter_map(|line| line.strip_prefix("### "));
    // Where a condition begins.
    let has_field = |heading: &&str| {
        let conditions = heading.split(['`', ' ', '(']);
        let name = |condition: &str| {
            let end = condition.find(|letter: char| !letter.is_alphanumeric());
            condition[..end.unwrap_or(condition.len())] == *of.name
        };
        conditions.into_iter().any(name)
    };
    let links = headings.filter(has_field).map(|heading| {
        let kept = |letter: &char| letter.is_alphanumeric() || " -_".contains(*letter);
        let anchor: String = heading.to_lowercase().chars().filter(kept).collect();
        format!("[{heading}](pictures.md#{})", anchor.replace(' ', "-"))
    });
    links.collect::<Vec<_>>().join(", ")
}

fn section(field: &Field, without: &Served, with: &Served) -> String {
    let mut text = format!("\n### `{}`\n\n", field.name);
    let mut meaning = field.meaning.to_owned();
    meaning[..1].make_ascii_uppercase();
    let _ = writeln!(text, "{meaning}.\n");
    if !field.operators().is_empty() {
        let operators = as_code(field.operators().iter().copied().map(Op::symbol));
        let _ = writeln!(text, "* {operators} and {}", field.value);
    }
    if !field.choices.is_empty() {
        let _ = writeln!(text, "* {}", as_code(field.choices.iter().copied()));
    }
    let _ = writeln!(
        text,
        "* Example: `{}`, games found: {}",
        field.example, with.matched
    );
    let _ = writeln!(
        text,
        "* Answered by {}; games decoded: {}",
        without.by, without.decoded
    );
    if (&with.by, &with.decoded) != (&without.by, &without.decoded) {
        let _ = writeln!(
            text,
            "* With a sidecar by {}; games decoded: {}",
            with.by, with.decoded
        );
    }
    let pictures = pictures(field);
    if !pictures.is_empty() {
        let _ = writeln!(text, "* Pictures: {pictures}");
    }
    text
}

const LANGUAGE: &str = "\
# Every word

Made from the program's own table of fields, which the parser and `tabiya search --help` use too.
[Asking](asking.md) says how words are put together and what the sources of an answer mean. The
examples were put to the 91 games of `fixtures/famous.si4`. *Decoded* is how many games had to be
played for the answer, because the index left them open; where a sidecar makes no difference, it is
not mentioned. The files that the examples of `repertoire` name hold the same games.
";

#[test]
fn the_chapter_on_the_language_is_the_table_of_fields() {
    let shell = Shell::new();
    for name in ["my lines", "lines", "white", "black"] {
        let file = shell.folder().join(name).with_extension("pgn");
        fs::copy(shell.folder().join("fixtures/famous.pgn"), file).unwrap();
    }
    let ask = |field: &Field| served(&shell, field.example);
    let without: Vec<Served> = FIELDS.iter().map(ask).collect();
    printed(&shell, &format!("tabiya index {FAMOUS}"));
    let mut page = LANGUAGE.to_owned();
    for (level, title) in [
        (Level::Game, "About the game"),
        (
            Level::Position,
            "About a position, alone or inside `at( … )`",
        ),
        (Level::Modifier, "Only inside `at( … )`"),
        (Level::Path, "About one piece throughout the game"),
    ] {
        let _ = writeln!(page, "\n## {title}");
        let fields = FIELDS.iter().zip(&without);
        for (field, without) in fields.filter(|(field, _)| field.level == level) {
            page.push_str(&section(field, without, &ask(field)));
        }
    }
    let is = fs::read_to_string(source().join("language.md")).unwrap_or_default();
    settle("language.md", &is, &page);
}

#[test]
fn the_summary_of_the_book_has_every_page() {
    let summary = fs::read_to_string(source().join("SUMMARY.md")).unwrap();
    for (name, _) in pages() {
        let is_listed = summary.contains(&format!("]({name})"));
        assert!(is_listed || name == "SUMMARY.md", "{name}");
    }
}

/// A page that is made elsewhere would be looked for beside the book.
#[test]
fn the_links_of_the_book_stay_inside() {
    for (name, page) in pages() {
        let included = page.split("{{#include ").skip(1).map(|rest| {
            let path = rest.split("}}").next().unwrap();
            fs::read_to_string(source().join(path)).unwrap()
        });
        for text in included.chain([page.clone()]) {
            for link in text.split("](").skip(1) {
                let link = link.split(')').next().unwrap();
                assert!(
                    link.contains("://") || !link.contains('/'),
                    "{name}: {link}"
                );
            }
        }
    }
}
