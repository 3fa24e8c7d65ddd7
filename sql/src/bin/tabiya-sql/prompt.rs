//! A prompt with history.

use std::path::PathBuf;

use rustyline::{DefaultEditor, error::ReadlineError};
use tabiya_sql::{Session, reference};

use crate::{
    Failure,
    output::{self, Target},
};

const HELP: &str = "\
A statement may have several lines and ends with a semicolon:
  select white, count(*) from games where year > 2000 group by white order by 2 desc limit 10;
Tables, which are functions too: games, moves, tags, nags, variations.
Functions: tree, lines, positions, matches, tag.
  select * from games('other.pgn', query => 'at(mate)');
\\d          the columns of all tables
\\d TABLE    those of one, also of tree, lines and positions, with what they mean
\\q          ends the program, as Ctrl-D does; Ctrl-C ends a statement";

/// Returns the statement that tells the columns of tables.
fn described(line: &str) -> String {
    let name = line.trim_start_matches("\\d").trim().trim_end_matches(';');
    if let Some(statement) = reference::statement(name) {
        return statement;
    }
    let of_one = if name.is_empty() {
        String::new()
    } else {
        format!("and table_name = '{}' ", name.replace('\'', "''"))
    };
    format!(
        "select table_name, column_name, data_type from information_schema.columns \
         where table_schema = 'public' {of_one}order by table_name, ordinal_position;"
    )
}

/// Reads statements, which end with a semicolon, and runs them until the input ends.
pub(crate) async fn run(session: &Session, target: &Target) -> Result<(), Failure> {
    let mut editor = DefaultEditor::new()?;
    let history = history();
    if let Some(path) = &history {
        // There is none at the first start.
        let _ = editor.load_history(path);
    }
    output::tell("Statements end with a semicolon; `help` says what else there is.");
    let mut text = String::new();
    loop {
        let prompt = if text.is_empty() {
            "tabiya> "
        } else {
            "     -> "
        };
        match editor.readline(prompt) {
            Ok(line) if text.is_empty() && ["\\q", "quit", "exit"].contains(&line.trim()) => break,
            Ok(line) if text.is_empty() && ["help", "\\?"].contains(&line.trim()) => {
                output::tell(HELP);
                continue;
            }
            Ok(line) if text.is_empty() && line.trim_start().starts_with("\\d") => {
                text = described(line.trim());
            }
            Ok(line) => {
                text.push_str(&line);
                text.push('\n');
            }
            Err(ReadlineError::Interrupted) => text.clear(),
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        }
        if !text.trim_end().ends_with(';') {
            continue;
        }
        editor.add_history_entry(text.trim())?;
        match target.run(session, std::mem::take(&mut text)).await {
            Ok(Some(())) => {}
            Ok(None) => output::tell("interrupted"),
            Err(error) => output::tell(&format!("error: {}", output::told(error.as_ref()))),
        }
        output::warn_of_damage(session);
    }
    if let Some(path) = &history
        && let Err(error) = save(&mut editor, path)
    {
        output::tell(&format!("tabiya-sql: note: {}: {error}", path.display()));
    }
    Ok(())
}

fn save(editor: &mut DefaultEditor, path: &PathBuf) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(editor.save_history(path)?)
}

/// Returns the file of the history, where the system keeps the state of programs.
fn history() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state"));
    Some(state.or_else(home)?.join("tabiya/sql_history"))
}
