//! What games lose on their way from one format to another: what differs between a game and its
//! copy, and whether the report of the conversion says just that.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use shakmaty::{Setup, fen::Fen};
use tabiya::{
    Conversion, ConvertOptions, Database, Error, Flow,
    chess::PartialDate,
    format::{GameHeader, Lost},
};

use super::game::{Event, PlainGame};

/// What a game consists of, for comparing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Names,
    Round,
    Date,
    EventDate,
    Ratings,
    Eco,
    Marks,
    Result,
    Tags,
    Start,
    Moves,
    Comments,
    Nags,
}

use Part::*;

/// What may be different when a conversion says so, by its words. One of the parts is. A NAG before
/// a variation counts among what is said there.
const LOSSES: &[(&str, &[Part])] = &[
    ("comments joined to the comment before them", &[Comments]),
    ("NAGs dropped, seven a move being the limit", &[Nags]),
    ("tags without a name dropped", &[Tags]),
    ("tag names cut at 240 bytes", &[Tags]),
    ("tag values cut, 248 bytes a tag being the limit", &[Tags]),
    ("names cut at 255 bytes", &[Names, Round]),
    ("dates reduced to what fits", &[Date, EventDate]),
    (
        "event dates kept as tags only, too far from the date",
        &[EventDate, Tags],
    ),
    ("ratings above 4000 set to 4000", &[Ratings]),
    (
        "zero bytes replaced by spaces",
        &[Names, Round, Tags, Comments],
    ),
    ("impossible rights to castle dropped", &[Start]),
    ("tags dropped, for which the format has no place", &[Tags]),
    ("dates of events dropped", &[EventDate]),
    (
        "rounds dropped that are no numbers from 1 to 65535",
        &[Round],
    ),
    ("names cut at 36 bytes", &[Names]),
    ("names without the white space around them", &[Names]),
    ("ratings of other systems kept as Elo", &[Ratings]),
    ("marks dropped other than \"deleted\"", &[Marks]),
    (
        "comments moved after the first move of their variation",
        &[Comments],
    ),
    ("comments of variations without moves dropped", &[Comments]),
    ("NAGs dropped that belong to no move", &[Nags, Comments]),
    (
        "comments with characters that are signs of ChessBase's font",
        &[Comments],
    ),
    ("NAGs dropped that are 0 or above 255", &[]),
    ("games without their second tag Event", &[]),
    ("opening codes dropped of Chess960 games", &[Eco]),
    (
        "games with a move or a start position that the rules do not allow, \
         which are read up to there",
        &[Moves, Start, Comments, Nags],
    ),
    ("guiding texts left out", &[]),
    (
        "guiding texts written as one text without layout",
        &[Comments],
    ),
    ("names cut to their fields", &[Names, Tags]),
    ("player names now spelled \"Last, First\"", &[Names]),
    ("rounds reduced to two numbers up to 255", &[Round]),
    ("rounds reduced to two numbers up to 1023", &[Round]),
    ("refinements of opening codes dropped", &[Eco]),
    ("user's marks dropped that are no medals", &[Marks]),
    ("user's marks turned into medals", &[Marks]),
    ("half-move clocks of start positions dropped", &[Start]),
    (
        "first moves numbered above 255 numbered modulo 256",
        &[Start],
    ),
    ("variations without moves dropped", &[Moves, Comments]),
    (
        "NAGs before a line given to its first move",
        &[Nags, Comments],
    ),
    (
        "games without the names, dates and tags that they had",
        &[Names, Round, Date, EventDate, Ratings, Eco, Marks, Tags],
    ),
    ("comments dropped", &[Comments]),
    ("NAGs dropped", &[Nags, Comments]),
    ("variations dropped", &[Moves, Comments, Nags]),
    (
        "moves without a score given that of an even game",
        &[Comments],
    ),
    ("scores rounded to those of this layout", &[Comments]),
    (
        "scores dropped of positions after the last move",
        &[Comments],
    ),
    ("moves without the visits that they had", &[Comments]),
    (
        "start positions without their clock or the number of the move",
        &[Start],
    ),
];

fn parts_of(loss: &str) -> &'static [Part] {
    let known = LOSSES.iter().find(|(words, _)| *words == loss);
    known
        .unwrap_or_else(|| panic!("nobody knows of {loss:?}"))
        .1
}

/// A move, with what is said of it.
#[derive(Debug, Default, Clone, PartialEq)]
struct Node {
    /// How many moves lead to it.
    depth: usize,
    played: String,
    nags: Vec<u8>,
    /// What is said of the move, and before it where it is the first of a variation.
    comments: Vec<String>,
    /// The moves that follow it: first the one of its own line.
    next: Vec<usize>,
    before: usize,
}

/// What stands for the first move of a variation that has none.
const NOTHING: &str = "nothing";

/// The moves of a game as a tree. Whether a third move in one position is an alternative to the
/// first or to the second makes no difference, and not every format tells.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    now: usize,
    /// What is said before the first move of a variation; `None` after it.
    said_before: Option<Vec<String>>,
    outer: Vec<usize>,
}

impl Tree {
    fn grow(&mut self, played: String) {
        let before = self.now;
        self.now = self.nodes.len();
        self.nodes[before].next.push(self.now);
        self.nodes.push(Node {
            depth: self.nodes[before].depth + 1,
            played,
            comments: self.said_before.take().unwrap_or_default(),
            before,
            ..Node::default()
        });
    }

    fn hear(&mut self, event: &Event) {
        match event {
            Event::Play(played) => self.grow(format!("{played:?}")),
            Event::Begin => {
                self.outer.push(self.now);
                self.now = self.nodes[self.now].before;
                self.said_before = Some(Vec::new());
            }
            Event::End => {
                if self.said_before.is_some() {
                    self.grow(NOTHING.to_owned());
                }
                self.now = self.outer.pop().unwrap();
            }
            Event::Nag(nag) => match &mut self.said_before {
                Some(said) => said.push(format!("${nag}")),
                None => self.nodes[self.now].nags.push(*nag),
            },
            Event::Comment(text) => match &mut self.said_before {
                Some(said) => said.extend(sayings(text)),
                None => self.nodes[self.now].comments.extend(sayings(text)),
            },
        }
    }
}

/// Returns the moves of a game from its start, each followed by all that come after it.
fn nodes(game: &PlainGame) -> Vec<Node> {
    let mut tree = Tree {
        nodes: vec![Node::default()],
        ..Tree::default()
    };
    game.events.iter().for_each(|event| tree.hear(event));
    let (mut nodes, mut waiting) = (Vec::new(), vec![0]);
    while let Some(node) = waiting.pop() {
        let mut node = tree.nodes[node].clone();
        waiting.extend(std::mem::take(&mut node.next).iter().rev());
        node.before = 0;
        nodes.push(node);
    }
    nodes
}

/// Returns the glyphs of each move. What stands before a variation without moves is no glyph here.
fn nags(nodes: &[Node]) -> Vec<Vec<u8>> {
    let moves = nodes.iter().filter(|node| node.played != NOTHING);
    moves.map(|node| node.nags.clone()).collect()
}

/// Returns what a comment says: each of its commands, such as `[%eval 0.35]`, and its text, since
/// ChessBase keeps each by itself.
fn sayings(comment: &str) -> Vec<String> {
    // In PGN a comment with a closing brace has one line.
    let lines = comment.split(['\n', '\r']).filter(|line| !line.is_empty());
    let mut text = if comment.contains('}') {
        lines.collect::<Vec<_>>().join(" ")
    } else {
        comment.to_owned()
    };
    let mut sayings = Vec::new();
    // What stands around a command may be one, too, once that is taken out.
    while command(&text).is_some() {
        text = take_commands(&text, &mut sayings);
    }
    sayings.push(text);
    sayings.retain(|saying| !saying.is_empty());
    sayings
}

/// Moves the commands of a comment to what it says; returns the text that is left.
fn take_commands(comment: &str, sayings: &mut Vec<String>) -> String {
    let (mut texts, mut rest) = (Vec::new(), comment);
    while let Some((begin, end)) = command(rest) {
        sayings.push(rest[begin..end].to_owned());
        texts.push(rest[..begin].trim());
        rest = &rest[end..];
    }
    texts.push(rest.trim());
    texts.retain(|text| !text.is_empty());
    texts.join(" ")
}

/// Returns where the first command begins and ends: what only looks like the beginning of one may
/// stand before it.
fn command(text: &str) -> Option<(usize, usize)> {
    let first = text.find("[%")?;
    let end = first + text[first..].find(']')?;
    Some((text[..end].rfind("[%")?, end + 1))
}

/// Puts commands first, which concern the move wherever they stand; of texts the order counts.
fn in_order(sayings: &[String]) -> Vec<String> {
    let is_text = |saying: &&String| !saying.starts_with("[%");
    let (texts, mut commands): (Vec<&String>, Vec<&String>) = sayings.iter().partition(is_text);
    commands.sort_unstable();
    commands.into_iter().chain(texts).cloned().collect()
}

/// An absent name is empty or a question mark.
fn name(name: &str) -> &str {
    if name == "?" { "" } else { name }
}

/// Tells whether a tag has the name of a field of the header. Such a tag could not be read, or is
/// a second one; what becomes of it depends on how it is spelled.
fn is_of_header(name: &str, part: Part) -> bool {
    let is_rating = |name: &str| {
        let kind = name
            .strip_prefix("White")
            .or_else(|| name.strip_prefix("Black"));
        kind.is_some_and(|kind| !kind.is_empty() && kind != "Team")
    };
    match part {
        Names => matches!(name, "White" | "Black" | "Event" | "Site"),
        Round => name == "Round",
        Date => name == "Date",
        EventDate => name == "EventDate",
        Ratings => is_rating(name),
        Eco => name == "ECO",
        Marks => name == "ScidFlags",
        Result => name == "Result",
        Tags | Start | Moves | Comments | Nags => false,
    }
}

const HEADER_PARTS: [Part; 8] = [Names, Round, Date, EventDate, Ratings, Eco, Marks, Result];

/// The tags that say something of their own. These follow from the start position.
fn tags(game: &PlainGame) -> Vec<(&str, &str)> {
    let tags = game.tags.iter();
    let tags = tags.map(|(name, value)| (name.as_str(), value.as_str()));
    let mut tags: Vec<_> = tags
        .filter(|(name, _)| !matches!(*name, "SetUp" | "Variant"))
        .collect();
    tags.sort_unstable();
    tags
}

/// Returns the parts in which two games differ.
pub(crate) fn differences(one: &PlainGame, other: &PlainGame) -> BTreeSet<Part> {
    let names = |header: &GameHeader| {
        let names = [&header.white, &header.black, &header.event, &header.site];
        names.map(|text| name(text).to_owned())
    };
    let (had, has) = (&one.header, &other.header);
    let start = |game: &PlainGame| game.start.clone().unwrap_or_else(Setup::initial);
    let (before, after) = (nodes(one), nodes(other));
    let moves = |nodes: &[Node]| -> Vec<(usize, String)> {
        let moves = nodes.iter();
        moves
            .map(|node| (node.depth, node.played.clone()))
            .collect()
    };
    let said = |nodes: &[Node]| -> Vec<Vec<String>> {
        nodes.iter().map(|node| in_order(&node.comments)).collect()
    };
    let compared = [
        (Names, names(had) == names(has)),
        (Round, name(&had.round) == name(&has.round)),
        (Date, had.date == has.date),
        (EventDate, had.event_date == has.event_date),
        (
            Ratings,
            (had.white_rating, had.black_rating) == (has.white_rating, has.black_rating),
        ),
        (Eco, had.eco == has.eco),
        (Marks, had.marks == has.marks),
        (Result, had.result == has.result),
        (Tags, tags(one) == tags(other)),
        (Start, start(one) == start(other)),
        (Moves, moves(&before) == moves(&after)),
        (Comments, said(&before) == said(&after)),
        (Nags, nags(&before) == nags(&after)),
    ];
    let different = compared.into_iter().filter(|(_, same)| !same);
    different.map(|(part, _)| part).collect()
}

/// What games are turned into.
pub(crate) const TARGETS: [&str; 8] = ["si4", "si5", "dci", "cbh", "2cbh", "binpack", "vf", "pgn"];

pub(crate) fn convert(source: &Path, target: &Path) -> Conversion {
    let go_on = &mut |_| Flow::Continue(());
    let options = ConvertOptions::default();
    let done = tabiya::convert(&[source.to_owned()], target, options, go_on);
    done.unwrap_or_else(|error| panic!("{error}"))
}

/// Reads all games that can be read, each with its number.
fn games(path: &Path) -> Vec<(u32, PlainGame)> {
    let database = Database::open(path).unwrap();
    let games = database.games();
    games
        .filter_map(|id| Some((id.number_in_part(), PlainGame::read(&database, id).ok()?)))
        .collect()
}

/// Converts a source to every target and compares the games and the report. Returns how many
/// games were written, by target.
pub(crate) fn every_target(source: &Path, folder: &Path) -> [u64; TARGETS.len()] {
    let original = games(source);
    TARGETS.map(|suffix| {
        let target = folder.join(format!("target.{suffix}"));
        let done = convert(source, &target);
        let place = format!("{} to {suffix}", source.display());
        let skipped: BTreeSet<u32> = done.skipped_games.iter().filter_map(Error::game).collect();
        assert_eq!(skipped.len() as u64, done.skipped, "{place}");
        let kept = original
            .iter()
            .filter(|(number, _)| !skipped.contains(number));
        let copies = games(&target);
        assert_eq!(
            (copies.len() as u64, kept.clone().count() as u64),
            (done.games, done.games)
        );
        let faults = unreported(kept.map(|(_, game)| game).zip(&copies), &done);
        assert!(faults.is_empty(), "{place}: {faults:#?}");
        remove(folder, "target");
        done.games
    })
}

/// Compares games with their copies, and both with the report; returns what does not fit.
fn unreported<'g>(
    games: impl Iterator<Item = (&'g PlainGame, &'g (u32, PlainGame))>,
    done: &Conversion,
) -> Vec<String> {
    let mut different = BTreeSet::new();
    let mut examples: BTreeMap<Part, String> = BTreeMap::new();
    let all_tags = |game: &PlainGame| game.tags.iter().cloned().collect::<BTreeSet<_>>();
    let is_comment = |event: &&Event| matches!(event, Event::Comment(_));
    let all_comments = |game: &'g PlainGame| game.events.iter().filter(is_comment);
    for (one, (number, other)) in games {
        // A tag that follows from something else may be reported; it need not.
        different.extend((all_tags(one) != all_tags(other)).then_some(Tags));
        // So may two comments that say as much as one.
        different.extend((!all_comments(one).eq(all_comments(other))).then_some(Comments));
        for part in differences(one, other) {
            different.insert(part);
            if !is_retold(part, one, other) {
                let example =
                    || format!("{part:?} of game {number}: {}", example(part, one, other));
                examples.entry(part).or_insert_with(example);
            }
        }
    }
    let is_told = |part: Part| {
        let mut losses = done.losses.iter();
        losses.any(|lost| parts_of(lost.what).contains(&part))
    };
    let is_so = |lost: &&Lost| {
        let mut parts = parts_of(lost.what).iter();
        parts.any(|part| different.contains(part))
    };
    let untold = examples.iter().filter(|(part, _)| !is_told(**part));
    let untrue = done.losses.iter().filter(|lost| !is_so(lost));
    let untrue = untrue.map(|lost| format!("nothing is different, but {lost:?}"));
    untold
        .map(|(_, example)| example.clone())
        .chain(untrue)
        .collect()
}

/// Tells whether what is different is only told in another way: a tag without a value says as
/// much as none, some marks are told as medals, dates of events as a tag or in the header, the
/// glyphs of a move in another order, and what a tag with the name of a header's field says may
/// be in that field.
fn is_retold(part: Part, one: &PlainGame, other: &PlainGame) -> bool {
    let is_marked = one.header.marks != 0;
    let is_told_elsewhere = |name: &str| name == "EventDate" || (is_marked && name == "Medals");
    let own_tags = |game| {
        let mut tags = tags(game);
        let is_unclear = |name: &str| HEADER_PARTS.iter().any(|part| is_of_header(name, *part));
        tags.retain(|(name, value)| {
            !value.is_empty() && !is_told_elsewhere(name) && !is_unclear(name)
        });
        tags
    };
    let event_date = |game: &PlainGame| {
        let tag = game.tags.iter().find(|(name, _)| name == "EventDate");
        let of_tag = tag.and_then(|(_, value)| value.parse::<PartialDate>().ok());
        match game.header.event_date {
            PartialDate::UNKNOWN => of_tag.unwrap_or_default(),
            date => date,
        }
    };
    let sorted_nags = |game| {
        let mut nags = nags(&nodes(game));
        nags.iter_mut().for_each(|nags| nags.sort_unstable());
        nags
    };
    match part {
        Tags => own_tags(one) == own_tags(other),
        EventDate => event_date(one) == event_date(other),
        Nags => sorted_nags(one) == sorted_nags(other),
        _ => one.tags.iter().any(|(name, _)| is_of_header(name, part)),
    }
}

/// Shows a part of a game and of its copy.
fn example(part: Part, one: &PlainGame, other: &PlainGame) -> String {
    let show = |game: &PlainGame| match part {
        Tags | EventDate => format!("{:?} {:?}", game.header.event_date, game.tags),
        Start => game.start.clone().map_or_else(
            || "standard".to_owned(),
            |setup| match Fen::try_from(setup) {
                Ok(fen) => fen.to_string(),
                Err(lossy) => lossy.ignore().to_string(),
            },
        ),
        Moves | Comments | Nags => String::new(),
        _ => format!("{:?}", game.header),
    };
    let line = match part {
        Moves | Comments | Nags => {
            let (before, after) = (nodes(one), nodes(other));
            let pairs = before.iter().zip(&after);
            let same = pairs.take_while(|(before, after)| before == after).count();
            let some = same.saturating_sub(2)..same + 3;
            let cut = |nodes: &[Node]| format!("{:?}", nodes.get(some.clone()));
            format!("{} / {}", cut(&before), cut(&after))
        }
        _ => String::new(),
    };
    format!("{} became {}{line}", show(one), show(other))
}

pub(crate) fn remove(folder: &Path, stem: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_stem().is_some_and(|found| found == stem) {
            fs::remove_file(path).unwrap();
        }
    }
}
