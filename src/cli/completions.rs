//! `completions`: prints scripts for shell completion of commands and options, database files and
//! the fields of the query language.

use std::{fmt::Write as _, io::Write as _};

use clap::CommandFactory as _;
use clap_complete::Shell;
use tabiya::{
    format::{SET_SUFFIX, database_suffixes},
    query::{
        Op,
        table::{FIELDS, Field, Level},
    },
};

use super::{
    args::{Cli, CompletionsArgs},
    arguments::QUERYING,
    failure::Outcome,
    output::Output,
};

pub(crate) fn run(args: &CompletionsArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    // Generated in memory first: the generator panics if writing fails.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tabiya", &mut script);
    let script = String::from_utf8_lossy(&script);
    // The last lines of the zsh script may call functions defined before them.
    let end = match args.shell {
        Shell::Zsh => script.find(ZSH_END).unwrap_or(script.len()),
        _ => script.len(),
    };
    let (script, end) = script.split_at(end);
    write!(out, "{script}{}{end}", query_words(args.shell))?;
    Ok(Outcome::Done)
}

/// Returns the script that completes databases and fields; empty for shells where only commands and
/// options are completed.
fn query_words(shell: Shell) -> String {
    let words: Vec<String> = outer_fields().map(word).collect();
    let between = if shell == Shell::Bash { "|*." } else { "|" };
    let script = match shell {
        Shell::Bash => BASH,
        Shell::Zsh => ZSH,
        Shell::Fish => return fish(),
        _ => return String::new(),
    };
    let mut databases = database_suffixes();
    databases.push(SET_SUFFIX);
    script
        .replace("COMMANDS", &QUERYING.join("|"))
        .replace("FIELDS", &words.join(" "))
        .replace("DATABASES", &databases.join(between))
}

/// Returns the fields that are allowed outside `at( ... )`.
fn outer_fields() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(|field| field.level != Level::Modifier)
}

/// Returns a field as typed, with its first operator.
fn word(field: &Field) -> String {
    let name = field.stem();
    match field.operators().first() {
        Some(op) if !field.is_bare() && name == field.name => format!("{name}{}", Op::symbol(*op)),
        _ => name.to_owned(),
    }
}

/// The first word is a database; later ones may also be fields. Words after an option, or after a
/// colon where the shell splits words at colons, are left to the generated function.
const BASH: &str = r#"
_tabiya_query() {
    _tabiya "$@"
    local word=${COMP_WORDS[COMP_CWORD]}
    case ${COMP_WORDS[1]} in COMMANDS) ;; *) return ;; esac
    [[ $word == [-:=]* || ${COMP_WORDS[COMP_CWORD-1]} == [-:=]* ]] && return
    compopt -o nospace 2>/dev/null
    COMPREPLY=()
    ((COMP_CWORD > 2)) && COMPREPLY=($(compgen -W 'FIELDS' -- "$word"))
    local file
    while IFS= read -r file; do
        if [[ -d $file ]]; then
            COMPREPLY+=("$file/")
        else
            case $file in *.DATABASES) COMPREPLY+=("$file ") ;; esac
        fi
    done < <(compgen -f -- "$word")
}
complete -F _tabiya_query tabiya
"#;

const ZSH: &str = r#"
functions[_tabiya_options]=${functions[_tabiya]}
_tabiya() {
    local word=${words[CURRENT]}
    case ${words[2]} in
        COMMANDS)
            if (( CURRENT > 2 )) && [[ $word != -* && ${words[CURRENT-1]} != --* ]]; then
                local -a fields=(FIELDS)
                compadd -S '' -- $fields
                _files -g '*.(DATABASES)'
                return
            fi ;;
    esac
    _tabiya_options "$@"
}

"#;
const ZSH_END: &str = "if [ \"$funcstack[1]\"";

/// Returns a line for each field, with its meaning. Files are completed by default.
fn fish() -> String {
    let mut script = String::new();
    let commands = QUERYING.join(" ");
    for field in outer_fields() {
        let (word, meaning) = (word(field), field.meaning.replace('\'', "\\'"));
        // Writing to a string cannot fail.
        let _ = writeln!(
            script,
            "complete -c tabiya -n '__fish_seen_subcommand_from {commands}' -a '{word}' \
             -d '{meaning}'"
        );
    }
    script
}
