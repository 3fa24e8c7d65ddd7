//! Every message about damage has a class.

use std::{fs, path::Path};

use super::super::{class::DamageClass, messages::MESSAGES};

/// The code before a decoder's message.
const BEFORE: [&str; 9] = [
    "corrupt(",
    "damage(",
    "fault(",
    "Err(",
    "Damage(",
    "what: ",
    "let what = ",
    "&str = ",
    "Some(",
];
/// Prefixes of such messages; other texts are names.
const BEGINNINGS: [&str; 22] = [
    "a ",
    "an ",
    "the ",
    "no ",
    "not ",
    "names ",
    "moves ",
    "record ",
    "annotations ",
    "another ",
    "bits ",
    "castling ",
    "more ",
    "neither ",
    "one ",
    "two ",
    "variations ",
    "files ",
    "games ",
    "bytes ",
    "rows ",
    "blocks ",
];
/// Texts about what was asked for, or about a limit.
const THINGS: [&str; 14] = [
    "a compressed MyISAM table (a new export from jose as .jose is read)",
    "a jose database",
    "a jose database of another MySQL engine than MyISAM (an export from jose as .jose is read)",
    "a name",
    "a player's name",
    "an annotation",
    "an event's name",
    "the .2cbh format of newer ChessBase programs (neither headers nor moves are read; a copy as \
     .cbh or PGN is)",
    "the header of the index",
    "the moves of a game",
    "the unpacked length of the archive in bytes",
    "the unpacked length of the text in bytes",
    "what a member of the archive unpacks to",
    "what the archive unpacks to",
];

/// Returns all source files in a folder that read rather than write, without their tests.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if ["write", "encode", "tests", "testing", "support"].contains(&&*stem) {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next();
        found.push(joined(code.unwrap_or_default()));
    }
}

/// Joins string literals that continue on the next line.
fn joined(code: &str) -> String {
    let mut parts = code.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |joined, part| joined + part.trim_start())
}

/// Returns the string literals after one of the prefixes.
fn texts(code: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for before in BEFORE {
        for (at, _) in code.match_indices(before) {
            let rest = code[at + before.len()..].trim_start();
            let text = rest
                .strip_prefix('"')
                .and_then(|rest| rest.split('"').next());
            texts.extend(text.map(str::to_owned));
        }
    }
    texts
}

#[test]
fn every_text_that_tells_of_damage_has_a_class() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut code = Vec::new();
    sources(&root.join("format"), &mut code);
    for file in ["verify.rs", "repair/game.rs"] {
        code.push(joined(&fs::read_to_string(root.join(file)).unwrap()));
    }
    let mut said: Vec<String> = code.iter().flat_map(|code| texts(code)).collect();
    said.retain(|text| {
        BEGINNINGS
            .iter()
            .any(|beginning| text.starts_with(beginning))
    });
    assert!(said.len() > 150, "{} texts were found", said.len());
    let unknown = |text: &&String| {
        DamageClass::of_message(text).is_none() && !THINGS.contains(&text.as_str())
    };
    let unknown: Vec<&String> = said.iter().filter(unknown).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
    // Every classed message must be in use.
    let is_said = |message: &str| code.iter().any(|code| code.contains(message));
    let all = MESSAGES.iter().flat_map(|row| row.1);
    let unsaid: Vec<_> = all.filter(|message| !is_said(message)).collect();
    assert!(unsaid.is_empty(), "{unsaid:#?}");
}

#[test]
fn the_page_on_damage_has_the_table_of_all_classes() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/damage.md");
    let page = fs::read_to_string(page).unwrap();
    for class in DamageClass::ALL {
        let row = format!("| {} | {} |", class.as_str(), class.meaning());
        assert!(page.contains(&row), "{row}");
    }
}
