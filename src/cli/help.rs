//! Help texts that are generated from data: the query language from its table of fields.

use std::{fmt::Write as _, iter};

use tabiya::query::{
    Op,
    table::{FIELDS, Field, Level},
};

/// The first part of the help of `search`: common queries.
pub(crate) const EXAMPLES: &str = "\
EXAMPLES

Games of a player with White against another
  tabiya search base.si4 'white:carlsen black:anand'
An opening won by the stronger side of two strong players, newest first, ten of them
  tabiya search base.si4 'eco:B90..B99 result:1-0 elo:2600..' --sort date:desc -n 10
All but the draws of some years, counted
  tabiya search base.si4 'year:1970..1979 -result:draw' --count
The position on the board, however it came about
  tabiya search base.si4 'fen:\"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b\"'
Part of a position: White castled short behind three pawns
  tabiya search base.si4 'board:\"8/8/8/8/8/8/5PPP/6K1\"'
Rook endings with four pawns against three
  tabiya search base.si4 'at(Q=0 q=0 R=1 r=1 wminor=0 bminor=0 P=4 p=3)'
Bishops of opposite colours for twelve half-moves, for either side
  tabiya search base.si4 'at(bishops:opposite for:12)' --format pgn
A sacrifice on h7
  tabiya search base.si4 'at(played:Bxh7+ piece:kg8)'
First this, later that: queens come off early, and the knight gets to d5
  tabiya search base.si4 'at(Q=0 q=0 ply:..30) then at(piece:Nd5)'
One knight's journey
  tabiya search base.si4 'path:\"Nb1-d2-f1-g3\"'
What was written about the games, also in variations
  tabiya search base.si4 'text:zugzwang at(men<=8)' --variations
The games of one query as another database
  tabiya search base.si4 'at(mate)' --format pgn > mates.pgn";

/// The help text on exit codes.
pub(crate) const EXIT_CODES: &str = "\
Exit codes: 0 something matched, 1 nothing matched, 2 wrong usage or a fault in the query,
3 data that is missing, unreadable or damaged, 130 interrupted. A search that meets damaged
games warns, searches them as far as they are sound and still ends with 0 or 1.";

/// The help text on repertoires.
pub(crate) const REPERTOIRE: &str = "\
The files' main lines and variations count alike, and a position is the same by whatever moves it
came. A game leaves them after the last of its positions that they have:

  me          by a move of --color, where the files have another
  opponent    by a move of the other side, where the files have another
  file ends   the files have no move there, and the game goes on
  game ends   the game ends there

A reply counts as a gap where the files have other replies, or end with it. The score is that of
--color. PGN has the files' moves with the gaps as variations; comments and marks of the files are
left out, and what follows null moves. In queries `left` and `repertoire.ply` find these games:
  tabiya search mine.pgn 'white:\"Lopez, A\" repertoire.white:\"white.pgn\" left:me'

  tabiya repertoire mine.pgn 'white:\"Lopez, A\"' --file white.pgn --color white";

/// The help text on the columns of a tree.
pub(crate) const LINES: &str = "\
At each position the moves are those that `tabiya tree` counts there: a game counts wherever it has
the position, by whatever moves and at whatever ply; with --variations once for each move that one
of its lines plays there. A position that several lines reach is told once, after the first move
that leads to it; `=` and moves refer to it. Lines end at --depth, at null moves, and where no move
has enough games.

  share   of the games that have the position before the move
  score   of White, over games with a result

A book has PolyGlot's format. The weight of a move is two for each win of the side that plays it and
one for each draw, divided so that none of its position is greater than 65 535; a move without
points is left out. Where no game has a result, it is the number of games.

  tabiya lines mega.si4 --moves \"1.e4 c5\" --depth 12 --min-games 500
  tabiya lines mega.si4 'white:me' --only-color white -o mine.pgn
  tabiya lines mega.si4 'elo>=2400' --depth 30 --min-games 5 -o book.bin

The exit code is 1 when no game reaches the position.";

pub(crate) const TREE: &str = "\
For every game the move after the first occurrence of the position in its main line counts;
`[end]` stands for the games that end there. With --variations a game counts once for each move
that one of its lines plays there, and opening codes are not counted.

  white draw black  games by result; games without one are counted only in `games`
  score             of White, over games with a result
  elo               mean rating of the side to move, over games with both ratings
  perf              mean rating of its opponents and what FIDE's table adds for the score
  year              mean year, over games with one
  eco               commonest opening code in the headers of the games

With --book FILE the moves of an opening book stand beside them, and those that no game plays too.
Castling and en-passant rights count there; a FEN without any may have them. A book instead of a
database is told alone, with the weights, priorities or results that it has: `tabiya tree book.bin`.

  book  share of the move in the weights of the book, or in its games if it has no weights
  mark  its colour in a book of ChessBase, green or red, and its glyph

`tabiya search --help` teaches the query language. The exit code is 1 when no game reaches the
position.";

/// The help text on changing a database.
pub(crate) const CHANGE: &str = "\
All of the change is made, or nothing, whenever the program ends. While another process changes
BASE this waits, and after ten seconds it says so. The sidecar, if there is one, is
refreshed. What was before is kept in BASE.tabiya-undo until the next change: `tabiya undo BASE`
brings it back.";

/// The help text on what an index is made of.
pub(crate) const INDEX: &str = "\
Of PGN the sidecar has an index too, so that opening reads no text. PGN that is packed by zstd in
frames, as pzstd and Lichess pack it, stays packed. If it unpacks to more than 2 GiB, each part of
about a million games gets a sidecar of its own, in the folder NAME.tabiya-parts. If that is ended
before its end, the next run goes on with the part after those that are complete.";

/// The help text on damaged games.
pub(crate) const REPAIR: &str = "\
A game whose own record and own bytes are not damaged comes over with all its moves, whatever
else is damaged. A game damaged in its middle comes over up to there, with a comment at its end.
The report has a line for every other game that is not as it was:

  lost         not one half-move could be read, or the new format cannot hold the game
  moves lost   the main line is cut after the half-move given
  only the main line   variations, comments and glyphs are missing after the half-move given
  annotations lost     of ChessBase: those from the damaged one on
  White lost, Event lost ...   the name cannot be read: ?
  doubtful     all could be read, but the record or the rules of chess say otherwise

The exit code is 0 when nothing is damaged and nothing was lost, else 3.";

/// The help of a command whose options are those of another program.
pub(crate) const WITHOUT_OPTIONS: &str = "\
{about-with-newline}
{usage-heading} {usage}

Arguments:
{positionals}{after-help}";

/// The help text on the program that `explore` starts.
pub(crate) const EXPLORE: &str = "\
Starts the program `tabiya-explorer`, which lies beside this one or in a folder of PATH, and which
`cargo install --path explorer` installs. All that follows `explore` is for that program. It shows
its page in the browser and runs until Ctrl-C; the exit code is its own.";

/// The help text on installing shell completions.
pub(crate) const COMPLETIONS: &str = "\
They complete commands, options, the files of databases and the fields of the query language:

  bash   tabiya completions bash > ~/.local/share/bash-completion/completions/tabiya
  zsh    tabiya completions zsh > ~/.zfunc/_tabiya   (with ~/.zfunc in $fpath)
  fish   tabiya completions fish > ~/.config/fish/completions/tabiya.fish";

/// Adds the help of the positional words of a search, of which only some belong to the query.
pub(crate) fn words_of_search(words: clap::Arg) -> clap::Arg {
    words
        .index(1)
        .required(true)
        .value_name("DB... QUERY")
        .help("Databases, then the query; several words make one query, none match every game")
        .long_help(
            "Databases, then the query; several words make one query, none match every game\n\n\
             The leading arguments that name databases are searched; the rest is the query.\n\
             A list (`.tabiyaset`: a text file with a path or a pattern a line) or a pattern in\n\
             quotes (`'2024-*.pgn.zst'`) stands for all databases that it names.\n\
             After `--` everything is the query.",
        )
}

/// The introduction to the query language.
const SHAPE: &str = "\
THE QUERY LANGUAGE

A query is a list of conditions `field:value`; all must hold. `or`, `not` (or `-`) and
brackets put them together otherwise. Numbers, dates and opening codes compare with
= != < <= > >= and come in ranges: elo>=2700, year:1990..1999, eco:B90..B99, plies:..40.
For names `:` means contains and `=` the whole name. A text with `*` for any letters is compared
as a whole (`\\*` is a star), and `Magnus Carlsen` finds `Carlsen, Magnus`. Text with spaces stands
in double or single quotes; put the whole query in quotes of the other kind for the shell:
\"player:'van der' elo>=2700\" is the same in every shell, also of Windows.

  tabiya search base.si4 'white:carlsen elo>=2700 year:2010..'
  tabiya search base.si4 'player:\"tal,*\" event:*olymp*'
  tabiya search base.si4 'player:\"van der\" eco:B90..B99 -result:draw' --sort date:desc
  tabiya search base.si4 'fen:\"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b\"'

Conditions on positions look for one position of the game. Inside `at( ... )` one position must
satisfy all of them; `then` and `next` ask for positions in that order.

  tabiya search base.si4 'at(R=1 r=1 bishops:opposite men<=10)' --format jsonl
  tabiya search base.si4 'at(Q=1 q=1) then at(Q=0 q=0 ply:..30)' --count
  tabiya search base.si4 'path:\"Nb1-d2-f1-g3\" result:1-0' --format pgn

`ply` in the results is where the last condition is complete. With --variations it is in the main
line if it can be, else the first in the order of a PGN file: the table then has it in brackets,
and csv and jsonl have the moves from the start of the game to it in the field `line`. `tabiya
show` draws the place with --ply or --line.

As csv and jsonl the games go on to other programs, with the columns and the moves that these want:

  tabiya search base.si4 'eco:B90..B99' --format csv --columns white,black,isoDate,result,san
  tabiya search base.si4 'tag.Annotator:*' --format jsonl --moves san --comments
  tabiya search base.si4 'year:2020..' --format jsonl --moves uci --fens --columns number,white
";

/// Returns the help text on the query language.
pub(crate) fn query_language() -> String {
    let mut text = SHAPE.to_owned();
    for (level, title) in [
        (Level::Game, "FIELDS OF THE GAME"),
        (
            Level::Position,
            "FIELDS OF A POSITION, alone or inside at( ... )",
        ),
        (Level::Modifier, "ONLY INSIDE at( ... )"),
        (Level::Path, "ONE PIECE THROUGHOUT THE GAME"),
    ] {
        let _ = writeln!(text, "\n{title}\n");
        for field in FIELDS.iter().filter(|field| field.level == level) {
            push_field(&mut text, field);
        }
    }
    text.push('\n');
    text.push_str(EXIT_CODES);
    text
}

/// Appends a field in up to four lines: name and meaning, value, choices, example.
fn push_field(text: &mut String, field: &Field) {
    let words: Vec<&str> = field.meaning.split(' ').collect();
    let names = iter::once(field.name).chain(iter::repeat(""));
    for (name, line) in names.zip(wrapped(&words, 83)) {
        let _ = writeln!(text, "  {name:<14} {line}");
    }
    if !field.operators().is_empty() {
        let operators: Vec<&str> = field.operators().iter().copied().map(Op::symbol).collect();
        let _ = writeln!(text, "  {:<14} {} {}", "", operators.join(" "), field.value);
    }
    if !field.choices.is_empty() {
        for line in wrapped(field.choices, 80) {
            let _ = writeln!(text, "  {:<14} {line}", "");
        }
    }
    let _ = writeln!(text, "  {:<14} e.g. {}", "", field.example);
}

/// Joins words with spaces to lines of at most this many bytes.
fn wrapped(words: &[&str], width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push((*word).to_owned()),
        }
    }
    lines
}
