//! The house rules, as far as a program can check them: that no modules use each other in a circle,
//! where `unsafe` may be used, how long lines, functions and files may be, that documents name what
//! there is, and that no file says where it was written.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

/// The folders with the sources of each package.
const PACKAGES: [&str; 7] = [
    "crates/tabiya-chess/src/",
    "crates/tabiya-formats/src/",
    "src/",
    "explorer/src/",
    "python/src/",
    "sql/src/",
    "tests/fuzz/src/",
];

const COLUMNS_MAX: usize = 100;
const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;

/// A source file.
struct Source {
    /// From the project's root.
    path: String,
    text: String,
    /// The text with comments and literals blanked out, line by line the same.
    code: String,
    /// Built only for tests.
    test_only: bool,
}

impl Source {
    /// The module path in its package: `pgn::lex`, `main`.
    fn module(&self) -> String {
        let mut packages = PACKAGES.iter();
        let path = packages.find_map(|package| self.path.strip_prefix(package));
        let path = path.unwrap_or(&self.path).trim_end_matches(".rs");
        path.trim_end_matches("/mod").replace('/', "::")
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files of the project, but those that git does not keep.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                folders.extend((name != "target" && name != ".git").then_some(path));
            } else if name != ".git" {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn shown(path: &Path) -> String {
    let path = path.strip_prefix(root()).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

/// All Rust files of the project.
static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let mut sources = Vec::new();
    for path in files() {
        if path.extension().is_some_and(|suffix| suffix == "rs") {
            let text = fs::read_to_string(&path).expect("source is text");
            sources.push(Source {
                code: blanked(&text),
                text,
                test_only: is_test_only(&path),
                path: shown(&path),
            });
        }
    }
    sources
});

/// All Rust files of the project below a folder.
fn rust_files(folder: &str) -> impl Iterator<Item = &'static Source> {
    let sources = SOURCES.iter();
    sources.filter(move |source| source.path.starts_with(folder))
}

/// The Rust files that the bounds on lengths are for: all but tests, which tell long stories.
/// What is fuzzed is read like code.
fn bounded_files() -> impl Iterator<Item = &'static Source> {
    let folders = ["crates/", "src/", "tests/fuzz/", "tests/it/bodies/"];
    folders.into_iter().flat_map(rust_files)
}

/// Tells whether a file belongs to a module that its parent declares for tests only.
fn is_test_only(path: &Path) -> bool {
    path.ancestors()
        .take_while(|path| path.file_name().is_some_and(|name| name != "src"))
        .any(|path| {
            let (Some(folder), Some(name)) = (path.parent(), path.file_stem()) else {
                return false;
            };
            let declaration = format!("#[cfg(test)]\nmod {};", name.to_string_lossy());
            [
                folder.join("mod.rs"),
                folder.join("lib.rs"),
                folder.with_extension("rs"),
            ]
            .into_iter()
            .filter_map(|parent| fs::read_to_string(parent).ok())
            .any(|parent| parent.contains(&declaration))
        })
}

/// Replaces comments and the insides of literals with spaces; line breaks stay.
fn blanked(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < letters.len() {
        let end = match literal_end(&letters, at) {
            Some(end) => end,
            None => {
                code.push(letters[at]);
                at += 1;
                continue;
            }
        };
        let blank = |&letter: &char| if letter == '\n' { '\n' } else { ' ' };
        code.extend(letters[at..end].iter().map(blank));
        at = end;
    }
    code
}

/// Returns where the comment or literal ends that begins here, if one does.
fn literal_end(letters: &[char], at: usize) -> Option<usize> {
    let find = |from: usize, wanted: &str| {
        let wanted: Vec<char> = wanted.chars().collect();
        let rest = letters.get(from..)?;
        let found = rest
            .windows(wanted.len())
            .position(|window| window == wanted);
        Some(from + found? + wanted.len())
    };
    let or_all = |end: Option<usize>| Some(end.unwrap_or(letters.len()));
    let after_word = at > 0 && (letters[at - 1].is_alphanumeric() || letters[at - 1] == '_');
    match (letters[at], letters.get(at + 1)) {
        ('/', Some('/')) => or_all(find(at, "\n").map(|end| end - 1)),
        ('/', Some('*')) => or_all(find(at + 2, "*/")),
        ('r', Some('"' | '#')) if !after_word => {
            let hashes = letters[at + 1..]
                .iter()
                .take_while(|&&letter| letter == '#')
                .count();
            if letters.get(at + 1 + hashes) != Some(&'"') {
                return None;
            }
            or_all(find(at + 2 + hashes, &format!("\"{}", "#".repeat(hashes))))
        }
        ('"', _) => or_all(quoted_end(letters, at + 1, '"')),
        // A character, not a lifetime.
        ('\'', Some('\\')) => or_all(quoted_end(letters, at + 1, '\'')),
        ('\'', Some(_)) if letters.get(at + 2) == Some(&'\'') => Some(at + 3),
        _ => None,
    }
}

fn quoted_end(letters: &[char], mut at: usize, quote: char) -> Option<usize> {
    while let Some(&letter) = letters.get(at) {
        match letter {
            '\\' => at += 2,
            letter if letter == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// Returns the offsets at which a whole word stands in the code.
fn words<'c>(code: &'c str, word: &'c str) -> impl Iterator<Item = usize> + 'c {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    code.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| {
            let before = code[..at].chars().next_back();
            let after = code[at + word.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn fails_with(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// Returns the paths within its own crate that a file names, from the root on, and where.
fn imports(source: &Source) -> Vec<(Vec<String>, usize)> {
    let code = &source.code;
    let own: Vec<String> = source.module().split("::").map(str::to_owned).collect();
    let tests_at = code.find("#[cfg(test)]\nmod tests {").unwrap_or(code.len());
    let mut paths = Vec::new();
    for (start, depth) in [("crate", 0), ("self", own.len()), ("super", own.len() - 1)] {
        let is_start = |&at: &usize| {
            let is_own = start == "crate" || at < tests_at;
            is_own && !code[..at].ends_with("::") && code[at + start.len()..].starts_with("::")
        };
        for at in words(code, start).filter(is_start) {
            let rest = &code[at + start.len() + 2..];
            collect_paths(rest, at, own[..depth].to_vec(), &mut paths);
        }
    }
    paths
}

/// Collects the paths that a tree of imports names, which goes on after a `::`.
fn collect_paths(
    tree: &str,
    at: usize,
    mut path: Vec<String>,
    paths: &mut Vec<(Vec<String>, usize)>,
) {
    let tree = tree.trim_start();
    if let Some(group) = tree.strip_prefix('{') {
        let (mut depth, mut begins) = (0, true);
        for (offset, letter) in group.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                letter if begins && letter.is_alphabetic() => {
                    collect_paths(&group[offset..], at, path.clone(), paths);
                    begins = false;
                }
                _ => {}
            }
        }
        return;
    }
    let is_name = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    let name: String = tree.chars().take_while(is_name).collect();
    let rest = &tree[name.len()..];
    if name == "super" {
        path.pop();
    } else if !name.is_empty() && name != "self" {
        path.push(name);
    }
    match rest.strip_prefix("::") {
        Some(rest) => collect_paths(rest, at, path, paths),
        None => paths.push((path, at)),
    }
}

#[test]
fn modules_do_not_use_each_other_in_circles() {
    let faults: Vec<String> = PACKAGES.into_iter().flat_map(circles).collect();
    fails_with(&faults);
}

/// Returns the circles of a package: folders, and which of their modules use each other.
fn circles(package: &str) -> Vec<String> {
    // By folder: which of its modules uses which other.
    let mut uses: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    for source in rust_files(package).filter(|source| !source.test_only) {
        let module = source.module();
        let own: Vec<&str> = module.split("::").collect();
        for (path, _) in imports(source) {
            let same = own
                .iter()
                .zip(&path)
                .take_while(|(own, used)| **own == **used);
            let depth = same.count();
            if let (Some(user), Some(used)) = (own.get(depth), path.get(depth)) {
                let folder = uses.entry(own[..depth].join("::")).or_default();
                folder.insert(((*user).to_owned(), used.clone()));
            }
        }
    }
    let mut circles = Vec::new();
    for (folder, mut uses) in uses {
        // What uses nothing or is used by nothing is in no circle.
        loop {
            let before = uses.len();
            let all = uses.clone();
            uses.retain(|(user, used)| {
                all.iter().any(|(other, _)| other == used)
                    && all.iter().any(|(_, other)| other == user)
            });
            if uses.len() == before {
                break;
            }
        }
        if !uses.is_empty() {
            circles.push(format!("{package}{folder}: {uses:?}"));
        }
    }
    circles
}

#[test]
fn the_versions_of_chessbase_share_only_what_is_common() {
    let mut faults = Vec::new();
    let folders = ["v1", "v2", "common"].map(|name| (name, ["chessbase", name].map(String::from)));
    for (folder, _) in &folders[..] {
        for source in rust_files(&format!("crates/tabiya-formats/src/chessbase/{folder}/")) {
            let others = folders[..2].iter().filter(|(other, _)| other != folder);
            for (other, path) in others {
                let uses = imports(source).into_iter();
                for (_, at) in uses.filter(|(used, _)| used.starts_with(path)) {
                    let line = line_of(&source.code, at);
                    faults.push(format!("{}:{line}: `{other}` is used", source.path));
                }
            }
        }
    }
    fails_with(&faults);
}

/// Each is a file, a program of the crate of fuzzers and a body, all of one name.
#[test]
fn every_fuzzer_has_its_body() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap_or_default();
    let manifest = read("tests/fuzz/Cargo.toml");
    let bodies = read("tests/it/bodies/mod.rs");
    let names = |text: &str, key: &str| -> Vec<String> {
        let lines = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix(key));
        let mut names: Vec<String> = lines.map(|name| name.replace(['"', ','], "")).collect();
        names.sort();
        names
    };
    let mut programs = names(&manifest, "name = ");
    programs.retain(|name| name != "tabiya-fuzz");
    let of_body = |name: String| format!("tests/fuzz/targets/{name}.rs");
    let expected: Vec<String> = names(&bodies, "name: ").into_iter().map(of_body).collect();
    let mut faults = Vec::new();
    for source in rust_files("tests/fuzz/targets/") {
        let stem = Path::new(&source.path).file_stem().unwrap_or_default();
        if !source.text.contains(&format!("check({stem:?}")) {
            faults.push(format!("{}:1: it tries another body", source.path));
        }
    }
    let files: Vec<&str> = rust_files("tests/fuzz/targets/")
        .map(|source| source.path.as_str())
        .collect();
    assert_eq!(files, expected);
    assert_eq!(programs.len(), files.len());
    fails_with(&faults);
}

/// The crate of fuzzers lists the modules that bodies are made with, all but the one that finds
/// shared data.
#[test]
fn fuzzers_have_the_modules_of_their_bodies() {
    let modules = |path: &str| -> Vec<String> {
        let text = fs::read_to_string(root().join(path)).unwrap_or_default();
        let lines = text.lines().map(str::trim);
        let modules = lines.filter(|line| line.starts_with("pub(crate) mod "));
        modules.map(String::from).collect()
    };
    let mut expected = modules("tests/it/support/mod.rs");
    expected.retain(|module| module != "pub(crate) mod shared;");
    assert!(!expected.is_empty());
    assert_eq!(modules("tests/fuzz/src/lib.rs"), expected);
}

#[test]
fn unsafe_code_is_in_one_file() {
    let mut faults = Vec::new();
    for source in rust_files("") {
        if source.path != "crates/tabiya-formats/src/source.rs" {
            for at in words(&source.code, "unsafe") {
                let line = line_of(&source.code, at);
                faults.push(format!(
                    "{}:{line}: `unsafe` outside source.rs",
                    source.path
                ));
            }
        }
    }
    fails_with(&faults);
}

/// Whoever is asked whether to go on passes that on to what it calls.
#[test]
fn nothing_is_opened_or_searched_without_progress() {
    // What is in memory.
    const FROM_MEMORY: [&str; 2] = ["crates/tabiya-formats/src/open/mod.rs", "src/database.rs"];
    // For callers who do not want to be asked.
    const SHORT_FORM: &str = "self.on_progress(Progress::ignore)";
    const WITH_SHORT_FORM: [&str; 8] = [
        ".verify()",
        ".summary()",
        ".duplicates(",
        ".openings(&",
        ".next_part()",
        ".hints(",
        ".explain_clauses(",
        ".run_with_games(",
    ];
    let mut faults = Vec::new();
    let is_bound = |source: &&Source| !source.test_only && !FROM_MEMORY.contains(&&*source.path);
    let core = ["crates/", "src/"].into_iter().flat_map(rust_files);
    for source in core.filter(is_bound) {
        let code = source.code.split("#[cfg(test)]").next().unwrap_or_default();
        let mut refuse = |word: &str, at| {
            let (path, line) = (&source.path, line_of(code, at));
            faults.push(format!("{path}:{line}: `{word}` cannot be interrupted"));
        };
        for word in ["Database::open(", "Database::read(", "Progress::ignore"] {
            let met = code.match_indices(word).map(|(at, _)| at);
            met.filter(|&at| !code[..at + word.len()].ends_with(SHORT_FORM.trim_end_matches(')')))
                .for_each(|at| refuse(word, at));
        }
        for word in WITH_SHORT_FORM {
            let met = code.match_indices(word).map(|(at, _)| at);
            let begun = |at: usize| code[..at].rfind([';', '{']).unwrap_or_default();
            met.filter(|&at| !code[begun(at)..at].contains("on_progress("))
                .for_each(|at| refuse(word, at));
        }
    }
    fails_with(&faults);
}

/// Figures and tables of the documentation cannot be broken, nor can chess positions.
#[test]
fn lines_are_short() {
    let mut faults = Vec::new();
    for source in rust_files("") {
        let mut in_figure = false;
        for (line, text) in (1..).zip(source.text.lines()) {
            let documentation = text.trim_start().trim_start_matches("//!");
            if documentation.trim_start().starts_with("```") {
                in_figure = documentation.trim() == "```text";
            }
            let is_table = text.trim_start().starts_with("//") && documentation.contains('|');
            let is_position = text.matches('/').count() >= 7 && text.contains('"');
            let columns = text.chars().count();
            if columns > COLUMNS_MAX && !(in_figure || is_table || is_position) {
                faults.push(format!("{}:{line}: {columns} columns", source.path));
            }
        }
    }
    fails_with(&faults);
}

#[test]
fn files_are_short() {
    let mut faults = Vec::new();
    for source in bounded_files() {
        let lines = source.text.lines().count();
        if lines > FILE_LINES_MAX {
            faults.push(format!("{}:{lines}: {lines} lines", source.path));
        }
    }
    fails_with(&faults);
}

#[test]
fn functions_are_short() {
    let mut faults = Vec::new();
    for source in bounded_files() {
        for at in words(&source.code, "fn") {
            let Some(lines) = function_lines(&source.code[at..]) else {
                continue;
            };
            if lines > FUNCTION_LINES_MAX {
                let line = line_of(&source.code, at);
                faults.push(format!(
                    "{}:{line}: a function of {lines} lines",
                    source.path
                ));
            }
        }
    }
    fails_with(&faults);
}

/// Counts the lines of the function whose `fn` the code begins with; `None` without a body.
fn function_lines(code: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in code.char_indices() {
        match letter {
            ';' | ',' | ')' if depth == 0 && !code[..at].contains('(') => return None,
            ';' if depth == 0
                && code[..at].matches('[').count() == code[..at].matches(']').count() =>
            {
                return None;
            }
            '{' => depth += 1,
            '}' if depth == 1 => return Some(line_of(code, at)),
            '}' if depth == 0 => return None,
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the documents of the project, each with its path.
fn documents() -> Vec<(String, String)> {
    let is_document = |path: &PathBuf| path.extension().is_some_and(|suffix| suffix == "md");
    let documents = files().into_iter().filter(is_document);
    documents
        .filter_map(|path| Some((shown(&path), fs::read_to_string(&path).ok()?)))
        .collect()
}

/// Returns how a page of the web calls a heading: small letters, hyphens for spaces, no signs.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let is_kept = |letter: &char| letter.is_alphanumeric() || " -_".contains(*letter);
    let kept: String = heading.chars().filter(is_kept).collect();
    kept.replace(' ', "-")
}

#[test]
fn the_links_of_documents_lead_somewhere() {
    let mut faults = Vec::new();
    for (path, text) in documents() {
        let folder = root().join(&path);
        let folder = folder.parent().unwrap_or(root());
        for (at, _) in text.match_indices("](") {
            let link = text[at + 2..].split(')').next().unwrap_or_default();
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                root().join(&path)
            } else {
                folder.join(file)
            };
            let mut page = fs::read_to_string(&target).unwrap_or_default();
            // A chapter of the book may be a page that lies elsewhere.
            if let Some((_, included)) = page.split_once("{{#include ") {
                let path = included.split("}}").next().unwrap_or_default();
                let chapter = target.parent().unwrap_or(root()).join(path);
                page = fs::read_to_string(chapter).unwrap_or_default();
            }
            let mut headings = page.lines().filter(|line| line.starts_with('#'));
            let is_there = target.exists()
                && (heading.is_empty() || headings.any(|line| anchor(line) == heading));
            if !is_there {
                faults.push(format!("{path}:{}: no `{link}`", line_of(&text, at)));
            }
        }
    }
    fails_with(&faults);
}

/// DESIGN.md has a link to each page with the reasons of decisions.
#[test]
fn design_leads_to_every_page_of_reasons() {
    let decisions = fs::read_to_string(root().join("DESIGN.md")).unwrap_or_default();
    let pages = documents().into_iter().map(|(path, _)| path);
    let pages: Vec<String> = pages
        .filter(|path| path.starts_with("docs/design/"))
        .collect();
    let linked = |page: &String| decisions.contains(&format!("]({page}"));
    let faults = pages.iter().filter(|page| !linked(page));
    fails_with(
        &faults
            .map(|page| format!("DESIGN.md:1: no `{page}`"))
            .collect::<Vec<_>>(),
    );
    assert!(!pages.is_empty());
}

/// ARCHITECTURE.md has a table of the modules of each crate.
#[test]
fn the_map_has_every_module() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap_or_default();
    let rows: Vec<&str> = map.lines().filter(|line| line.starts_with("| `")).collect();
    let mut faults = Vec::new();
    for package in &PACKAGES[..3] {
        for entry in fs::read_dir(root().join(package)).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            let name = name.to_string_lossy();
            let module = name.trim_end_matches(".rs");
            let names = [format!("`{module}`"), format!("`{module}/`")];
            let is_listed = rows
                .iter()
                .any(|row| names.iter().any(|name| row.contains(name.as_str())));
            if module != "lib" && !is_listed {
                faults.push(format!("ARCHITECTURE.md:1: no `{module}` of {package}"));
            }
        }
    }
    fails_with(&faults);
}

/// Returns the cells of a row of a table, without marks of code.
fn cells(row: &str) -> Vec<String> {
    let row = row.replace('`', "");
    let cells = row.trim_matches('|').split('|');
    cells.map(|cell| cell.trim().to_owned()).collect()
}

/// ARCHITECTURE.md has tables of the files of each format: a column for each job, `.rs` or `/` if
/// the folder has a file or a folder of that name, or its path if it lies in a folder of its own.
#[test]
fn the_map_has_the_files_of_every_format() {
    const FORMATS: &str = "crates/tabiya-formats/src/";
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap_or_default();
    let lines: Vec<&str> = map.lines().collect();
    let (mut faults, mut folders) = (Vec::new(), BTreeSet::new());
    for table in lines.split(|line| line.is_empty()) {
        let jobs = table.first().map_or(Vec::new(), |row| cells(row));
        if jobs.first().is_none_or(|first| first != "folder") {
            continue;
        }
        for row in table.iter().skip(2).map(|row| cells(row)) {
            let folder = root().join(FORMATS).join(&row[0]);
            for (job, said) in jobs.iter().zip(&row).skip(1) {
                let found = match job {
                    job if folder.join(format!("{job}.rs")).is_file() => ".rs",
                    job if folder.join(job).is_dir() => "/",
                    job if said.ends_with(&format!("/{job}.rs")) => said,
                    _ => "—",
                };
                if said != found || found.len() > 3 && !folder.join(found).is_file() {
                    let folder = &row[0];
                    faults.push(format!("ARCHITECTURE.md:1: {folder}{job}: {found}"));
                }
            }
            folders.insert(row[0].clone());
        }
    }
    // Every format has flaws of its own.
    for source in rust_files(FORMATS) {
        let folder = source.path[FORMATS.len()..].strip_suffix("flaws.rs");
        if let Some(folder) =
            folder.filter(|folder| !folder.is_empty() && !folders.contains(*folder))
        {
            faults.push(format!("ARCHITECTURE.md:1: no `{folder}`"));
        }
    }
    fails_with(&faults);
}

#[test]
fn no_file_tells_where_it_was_written() {
    let mut traces = vec![
        concat!("/wo", "rk/").to_owned(),
        concat!("/ho", "me/").to_owned(),
        concat!("/ro", "ot/").to_owned(),
        concat!("/Us", "ers/").to_owned(),
    ];
    // A name that could be a word of the project is none to look for.
    let host = fs::read_to_string("/etc/hostname").unwrap_or_default();
    let host = host.trim();
    traces.extend(
        (host.len() > 5 && host.contains(|letter: char| letter.is_ascii_digit()))
            .then(|| host.to_owned()),
    );
    let mut faults = Vec::new();
    for path in files() {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for trace in &traces {
            for (at, _) in text.match_indices(trace) {
                faults.push(format!("{}:{}: {trace}", shown(&path), line_of(&text, at)));
            }
        }
    }
    fails_with(&faults);
}

/// Returns what a manifest says under a key, from a heading on.
fn manifest_value(path: &str, heading: &str, key: &str) -> String {
    let text = fs::read_to_string(root().join(path)).unwrap_or_default();
    let section = text.split_once(heading).map_or("", |(_, section)| section);
    let key = format!("{key} = \"");
    let line = section.lines().find_map(|line| line.strip_prefix(&*key));
    let value = line.and_then(|line| line.split('"').next());
    value.unwrap_or_default().to_owned()
}

/// `packaging/fill` writes both where they are needed.
#[test]
fn address_and_version_are_in_one_place() {
    let said = |key| manifest_value("Cargo.toml", "[workspace.package]", key);
    let (version, repository) = (said("version"), said("repository"));
    let (_, address) = repository.split_once("://").expect("an address");
    let host = address.split('/').next().unwrap_or_default();
    // A placeholder is spelled nowhere else; the host of the real address is not ours alone.
    let is_placeholder = host.ends_with(".invalid");
    let address = if is_placeholder { host } else { address };
    let mut faults = Vec::new();
    for path in files() {
        let (Ok(text), path) = (fs::read_to_string(&path), shown(&path)) else {
            continue;
        };
        let is_filled = path.starts_with("packaging/") || path.starts_with(".github/workflows/");
        // Readers of documents follow links to the real address.
        let is_link = path.ends_with(".md") && !is_placeholder;
        if path != "Cargo.toml" && !is_link && text.contains(address) {
            faults.push(format!("{path}:1: it has the address of the project"));
        }
        if is_filled && text.contains(&version) {
            faults.push(format!("{path}:1: it has the version of the project"));
        }
    }
    // What cannot take them from there says the same.
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap_or_default();
    for line in manifest.lines().filter(|line| line.starts_with("tabiya")) {
        let said = line.split_once("version = \"").map(|(_, rest)| rest);
        if said.is_some_and(|said| !said.starts_with(&format!("{version}\""))) {
            faults.push(format!("Cargo.toml:1: another version: {line}"));
        }
    }
    if manifest_value("sql/Cargo.toml", "[package]", "version") != version {
        faults.push("sql/Cargo.toml:1: another version".to_owned());
    }
    let interface = root().join("explorer/openapi.json");
    let interface = fs::read_to_string(interface).unwrap_or_default();
    if !interface.contains(&format!("\"version\": \"{version}\"")) {
        faults.push("explorer/openapi.json:1: another version".to_owned());
    }
    fails_with(&faults);
}

/// Whoever unpacks an archive types what the pages in it and the first chapters say.
#[test]
fn archives_have_the_fixtures_that_pages_name() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect(path);
    let stage = read("packaging/stage");
    let copied = stage.lines().find(|line| line.contains(" fixtures/"));
    let copied: Vec<&str> = copied.expect("fixtures").split(' ').collect();
    let is_copied = |name: &str| {
        copied.iter().any(|&from| match from.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => Path::new(name).starts_with(from),
        })
    };
    let mut faults = Vec::new();
    for page in ["README.md", "docs/book/src/first-half-hour.md"] {
        let text = read(page);
        let is_part = |letter: char| letter.is_alphanumeric() || "/._-".contains(letter);
        let names = text.split(|letter| !is_part(letter));
        let names = names.filter(|name| name.starts_with("fixtures/"));
        let lost = names.filter(|name| !is_copied(name));
        faults.extend(lost.map(|name| format!("{page}:1: packaging/stage leaves out {name}")));
    }
    fails_with(&faults);
}

#[test]
fn the_rules_see_code_and_not_what_is_quoted() {
    let code = blanked(concat!(
        "let a = \"crate::plan\"; // crate::search\n",
        "use crate::{chess::Man, bytes}; super::compile::range()",
    ));
    let source = Source {
        path: "src/plan/bind.rs".to_owned(),
        text: String::new(),
        code: code.clone(),
        test_only: false,
    };
    let imports = imports(&source);
    let names: Vec<String> = imports.iter().map(|(path, _)| path.join("::")).collect();
    assert_eq!(names, ["chess::Man", "bytes", "plan::compile::range"]);
    assert!(imports.iter().all(|&(_, at)| line_of(&code, at) == 2));
    assert_eq!(
        blanked("'a' '\\'' &'a str r#\"x\"#").replace(' ', ""),
        "&'astr"
    );
    assert_eq!(
        function_lines("fn f(a: [u8; 2]) -> u8 {\n{ 1 }\n}\nfn g() {}"),
        Some(3)
    );
    assert_eq!(function_lines("fn f(&self) -> u8;\nfn g() {\n}"), None);
}
