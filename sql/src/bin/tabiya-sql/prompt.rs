//! A prompt with history.

use std::path::PathBuf;

use rustyline::{DefaultEditor, error::ReadlineError};
use tabiya_sql::Session;

use crate::{
    Failure,
    output::{self, Target},
};

/// Reads statements, which end with a semicolon, and runs them until the input ends.
pub(crate) async fn run(session: &Session, target: &Target) -> Result<(), Failure> {
    let mut editor = DefaultEditor::new()?;
    let history = history();
    if let Some(path) = &history {
        // There is none at the first start.
        let _ = editor.load_history(path);
    }
    output::tell("Statements end with a semicolon; `\\q` ends the program.");
    let mut text = String::new();
    loop {
        let prompt = if text.is_empty() {
            "tabiya> "
        } else {
            "     -> "
        };
        match editor.readline(prompt) {
            Ok(line) if text.is_empty() && ["\\q", "quit", "exit"].contains(&line.trim()) => break,
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
