//! The page's languages: each file of words has every text of the page, and the page has no text
//! beside them. What readers see of it, the tests in a browser tell.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde_json::Deserializer;

/// Texts of `index.html` that are names.
const NAMES: [&str; 2] = ["tabiya", "explorer"];
/// What stands where a text could stand and is a command.
const COMMANDS: [&str; 1] = ["tabiya explore"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("page")
}

/// Returns names and texts of the page's scripts.
fn scripts(is_wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let mut scripts = Vec::new();
    for entry in fs::read_dir(folder()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if name.ends_with(".js") && is_wanted(&name) {
            let text = fs::read_to_string(&path).expect("text");
            scripts.push((name.into_owned(), text));
        }
    }
    scripts.sort();
    scripts
}

fn is_language(name: &str) -> bool {
    name.starts_with("words-")
}

/// Scripts that show texts: not the languages, nor what translates.
fn is_shown(name: &str) -> bool {
    !is_language(name) && name != "words.js" && !name.starts_with("openings-")
}

/// Reads strings joined by `+` at the beginning of a text; returns them as one, and the rest.
fn literal(text: &str) -> Option<(String, &str)> {
    let mut strings = Deserializer::from_str(text.trim_start()).into_iter::<String>();
    let mut whole = strings.next()?.ok()?;
    let rest = &text.trim_start()[strings.byte_offset()..];
    if let Some(more) = rest.trim_start().strip_prefix('+') {
        let (more, rest) = literal(more)?;
        whole.push_str(&more);
        return Some((whole, rest));
    }
    Some((whole, rest))
}

/// Returns what follows each call of a function: `t(`.
fn calls<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let call = format!("{name}(");
    let is_whole = |at: usize| {
        let before = text[..at].chars().next_back().unwrap_or(' ');
        !before.is_alphanumeric() && !"_.$".contains(before)
    };
    let found = text.match_indices(&call);
    found
        .filter(|&(at, _)| is_whole(at))
        .map(|(at, _)| &text[at + call.len()..])
        .collect()
}

/// A tag or a text of a page.
enum Part<'a> {
    Tag(&'a str),
    Text(&'a str),
}

/// Takes a page apart; attributes may hold `>`.
fn parts(html: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        parts.push(Part::Text(&rest[..start]));
        rest = &rest[start + 1..];
        let mut is_quoted = false;
        let end = rest.find(|letter| {
            is_quoted ^= letter == '"';
            letter == '>' && !is_quoted
        });
        let end = end.expect("the end of a tag");
        parts.push(Part::Tag(&rest[..end]));
        rest = &rest[end + 1..];
    }
    parts
}

/// Tells whether there is something to read: single letters are keys.
fn is_text(text: &str) -> bool {
    let words = text.split(|letter: char| !letter.is_alphabetic());
    words.map(|word| word.chars().count()).any(|long| long > 1)
}

fn plain(text: &str) -> String {
    let text = text.replace("&gt;", ">").replace("&lt;", "<");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

/// Returns the texts and spoken attributes of `index.html`, without queries.
fn texts_of_page() -> BTreeSet<String> {
    let html = fs::read_to_string(folder().join("index.html")).expect("text");
    let (_, body) = html.split_once("<body").expect("a body");
    let (_, body) = body.split_once('>').expect("a body");
    let mut texts = BTreeSet::new();
    let mut tag = "";
    for part in parts(body) {
        match part {
            Part::Text(text) if !tag.starts_with("dt") => {
                let words: Vec<_> = text.split_whitespace().collect();
                texts.insert(plain(&words.join(" ")));
            }
            Part::Text(_) => {}
            Part::Tag(now) => {
                tag = now;
                for name in ["title", "aria-label", "placeholder", "alt"] {
                    let begin = format!(" {name}=\"");
                    if let Some((_, value)) = now.split_once(&begin) {
                        let (value, _) = value.split_once('"').expect("a quote");
                        texts.insert(plain(value));
                    }
                }
            }
        }
    }
    texts.retain(|text| is_text(text) && !NAMES.contains(&&**text));
    texts
}

/// Returns the texts of the page and of its scripts, and those of them that depend on a number.
fn texts() -> (BTreeSet<String>, BTreeSet<String>) {
    let mut texts = texts_of_page();
    let mut numbered = BTreeSet::new();
    for (name, script) in scripts(is_shown) {
        for call in calls(&script, "t") {
            let found = literal(call);
            let start: String = call.chars().take(40).collect();
            let (text, _) = found.unwrap_or_else(|| panic!("{name}: no text: t({start}"));
            texts.insert(text);
        }
        for call in calls(&script, "counted") {
            let at = call.find('"').expect("a text");
            let (one, rest) = literal(&call[at..]).expect("a text");
            let rest = rest.trim_start().strip_prefix(',');
            let many = rest.and_then(literal);
            let (many, _) = many.unwrap_or_else(|| panic!("{name}: no texts: {one}"));
            assert!(holes(&one).is_subset(&holes(&many)), "{one}");
            numbered.insert(many);
        }
    }
    assert!(texts.is_disjoint(&numbered));
    (texts, numbered)
}

/// Returns the names in braces.
fn holes(text: &str) -> BTreeSet<&str> {
    let parts = text.split('{').skip(1);
    parts
        .filter_map(|part| Some(part.split_once('}')?.0))
        .collect()
}

/// Reads a file of words: for each text its translation, or several by category of numbers.
fn words(name: &str, text: &str) -> BTreeMap<String, Vec<String>> {
    let (_, table) = text.split_once("export const WORDS = {\n").expect("words");
    let (table, _) = table.split_once("\n};").expect("the end of the words");
    let mut words = BTreeMap::new();
    let mut last = String::new();
    for line in table.lines() {
        let (key, rest) = literal(line).unwrap_or_else(|| panic!("{name}: {line}"));
        assert!(last < key, "{name}: {key} stands behind {last}");
        last.clone_from(&key);
        let rest = rest.strip_prefix(": ").expect("a translation");
        let mut all = Vec::new();
        if let Some(mut forms) = rest.strip_prefix("{ ") {
            while let Some((_, form)) = forms.split_once(": ") {
                let (text, rest) = literal(form).unwrap_or_else(|| panic!("{name}: {line}"));
                all.push(text);
                forms = rest;
            }
            assert!(line.contains(" other: "), "{name}: {line}");
        } else {
            all.push(literal(rest).unwrap_or_else(|| panic!("{name}: {line}")).0);
        }
        words.insert(key, all);
    }
    words
}

fn languages() -> Vec<(String, BTreeMap<String, Vec<String>>)> {
    let files = scripts(is_language);
    let read = files.into_iter().map(|(name, text)| {
        let words = words(&name, &text);
        (name, words)
    });
    read.collect()
}

#[test]
fn every_language_has_every_text_of_the_page_and_no_other() {
    let (texts, numbered) = texts();
    let all: BTreeSet<&String> = texts.iter().chain(&numbered).collect();
    assert!(all.len() > 500);
    let languages = languages();
    assert!(!languages.is_empty());
    for (name, words) in languages {
        let known: BTreeSet<&String> = words.keys().collect();
        let missing: Vec<_> = all.difference(&known).collect();
        let unused: Vec<_> = known.difference(&all).collect();
        assert!(missing.is_empty(), "{name} lacks {missing:#?}");
        assert!(unused.is_empty(), "{name} has beside them {unused:#?}");
    }
}

#[test]
fn translations_have_the_values_of_their_texts() {
    let (texts, _) = texts();
    for (name, words) in languages() {
        for (text, all) in words {
            let wanted = holes(&text);
            for one in &all {
                assert!(!one.trim().is_empty(), "{name}: {text}");
                if texts.contains(&text) {
                    assert_eq!(all.len(), 1, "{name}: {text}");
                    assert_eq!(holes(one), wanted, "{name}: {text}");
                } else {
                    // A form for one thing need not say its number.
                    assert!(holes(one).is_subset(&wanted), "{name}: {text}");
                }
            }
        }
    }
}

/// Returns the strings of a value, without those that are translated: `"`, or the words of a
/// template. The value ends with its line, or before a comma or bracket that is not its own.
fn bare(value: &str) -> Vec<String> {
    let mut bare = Vec::new();
    let mut depth = 0;
    let mut rest = value;
    while let Some(letter) = rest.chars().next() {
        let after = &rest[letter.len_utf8()..];
        match letter {
            '\n' => break,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' | ',' if depth == 0 => break,
            ')' | ']' | '}' => depth -= 1,
            '"' => {
                let Some((text, left)) = literal(rest) else {
                    break;
                };
                let before = &value[..value.len() - rest.len()];
                let is_argument = before.ends_with('(') || before.ends_with(", ");
                if depth == 0 || !is_argument {
                    bare.push(text);
                }
                rest = left;
                continue;
            }
            '`' => {
                let end = after.find('`').unwrap_or(after.len());
                let words = after[..end].split("${").enumerate();
                let words = words.map(|(at, part)| match at {
                    0 => part,
                    _ => part.split_once('}').map_or("", |(_, words)| words),
                });
                bare.push(words.collect());
                rest = after.get(end + 1..).unwrap_or("");
                continue;
            }
            _ => {}
        }
        rest = after;
    }
    bare
}

#[test]
fn nothing_that_readers_see_or_hear_lacks_a_translation() {
    let places = [
        "say(",
        "title: ",
        ".title = ",
        "\"aria-label\": ",
        "placeholder: ",
        "textContent = ",
        "new Error(",
        "new Fault(",
        "{}, ",
        " }, ",
    ];
    let mut found = Vec::new();
    for (name, script) in scripts(is_shown) {
        for place in places {
            for (at, _) in script.match_indices(place) {
                let line = script[..at].rsplit('\n').next().unwrap_or_default();
                if line.trim_start().starts_with(['/', '*']) {
                    continue;
                }
                let value = &script[at + place.len()..];
                // Children of elements, as texts; others are values of all kinds.
                if place.contains('}') && !value.starts_with(['"', '`']) {
                    continue;
                }
                let texts = bare(value).into_iter();
                let texts = texts.filter(|text| is_text(text) && !COMMANDS.contains(&&**text));
                found.extend(texts.map(|text| format!("{name}: {place}{text:?}")));
            }
        }
    }
    assert!(found.is_empty(), "in English alone: {found:#?}");
}

#[test]
fn every_family_of_openings_has_a_german_name() {
    let table = fs::read_to_string(folder().join("openings-de.js")).expect("text");
    let (_, table) = table.split_once("const FAMILIES = {").expect("a table");
    let (table, _) = table.split_once("\n};").expect("its end");
    let mut families = BTreeSet::new();
    for opening in tabiya::openings() {
        let family = opening.name.split([':', ',']).next().expect("a name");
        families.insert(family);
    }
    assert!(families.len() > 100);
    for family in families {
        assert!(table.contains(&format!("\n  \"{family}\": ")), "{family}");
    }
}
