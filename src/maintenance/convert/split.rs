//! Divides games among new databases, by what their headers say.

use std::{
    collections::{HashMap, hash_map::Entry},
    num::NonZeroU32,
    path::{Path, PathBuf},
    str::FromStr,
};

use tabiya_chess::{Eco, Flow, GameId, NameId, NameKind, ParseError};
use tabiya_formats::{
    Overwrite,
    error::{Error, Result},
    pgn::Packing,
    progress::Progress,
};

use super::{Conversion, ConvertOptions, convert_games, target_files};
use crate::{database::Database, limits::SPLIT_DATABASES_MAX};

/// Greatest length of what the name of a file says of a value, in bytes.
const VALUE_BYTES_MAX: usize = 100;
/// What the name of a file says of a value that is unknown or has no letters.
const UNKNOWN: &str = "unknown";

/// What decides into which database a game goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitBy {
    /// The event, by its exact name.
    Event,
    /// The year.
    Year,
    /// The players, by their exact names: a game goes into the databases of both.
    Player,
    /// The ECO code, without Scid's refinements.
    Eco,
    /// So many games in a row.
    Games(NonZeroU32),
}

/// The error for other texts.
const NO_SPLIT: ParseError = ParseError("event, year, player, eco or a number of games");

impl FromStr for SplitBy {
    type Err = ParseError;

    fn from_str(text: &str) -> std::result::Result<SplitBy, ParseError> {
        match text {
            "event" => Ok(SplitBy::Event),
            "year" => Ok(SplitBy::Year),
            "player" => Ok(SplitBy::Player),
            "eco" => Ok(SplitBy::Eco),
            _ => match text.parse() {
                Ok(games) => Ok(SplitBy::Games(games)),
                Err(_) => Err(NO_SPLIT),
            },
        }
    }
}

/// Games of open databases, divided among databases to be written.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{ConvertOptions, Database, Progress, Split, SplitBy};
///
/// # let folder = tempfile::tempdir()?;
/// let database = Database::open("fixtures/famous.si4")?;
/// let games: Vec<_> = database.games().map(|game| (&database, game)).collect();
/// let split = Split::new(&games, SplitBy::Year, &folder.path().join("famous.pgn"))?;
/// assert!(split.paths().any(|path| path.ends_with("famous-1858.pgn")));
/// let converted = split.write(ConvertOptions::new(), Progress::ignore)?;
/// assert_eq!(converted.games, 91);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Split<'g> {
    games: &'g [(&'g Database, GameId)],
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    path: PathBuf,
    /// Places in the list of games.
    games: Vec<u32>,
}

impl<'g> Split<'g> {
    /// Divides games, which keep their order. The databases are those of the first games first.
    /// The target says how they are named: `out.pgn` becomes `out-2013.pgn`. A name has the
    /// letters, digits and hyphens of a value, at most 100 bytes, and `_` for all others; where
    /// values have one name, also for systems to which capitals are equal, a number follows.
    ///
    /// # Errors
    /// `Unsupported` for a target that cannot be written; `LimitExceeded` for more than
    /// [`SPLIT_DATABASES_MAX`] databases.
    pub fn new(
        games: &'g [(&'g Database, GameId)],
        by: SplitBy,
        target: &Path,
    ) -> Result<Split<'g>> {
        if target_files(target).is_none() {
            return Err(Error::unsupported("writing this format").at_path(target));
        }
        let mut groups = Groups::default();
        for (place, &(database, game)) in (0..).zip(games) {
            match by {
                SplitBy::Games(count) => groups.add(Value::Number(place / count), place)?,
                SplitBy::Year => {
                    let year = database.keys(game)?.date.year();
                    groups.add(Value::Number(year.unwrap_or_default().into()), place)?;
                }
                SplitBy::Eco => {
                    let eco = database.keys(game)?.eco;
                    let code = eco.map_or(0, |eco| u32::from(eco.basic().code()));
                    groups.add(Value::Number(code), place)?;
                }
                SplitBy::Event => {
                    let event = database.keys(game)?.event;
                    groups.add_name(database, NameKind::Event, event, place)?;
                }
                SplitBy::Player => {
                    let keys = database.keys(game)?;
                    groups.add_name(database, NameKind::Player, keys.white, place)?;
                    groups.add_name(database, NameKind::Player, keys.black, place)?;
                }
            }
        }
        Ok(Split {
            games,
            parts: groups.named(by, target),
        })
    }

    /// Returns the paths of the databases.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.parts.iter().map(|part| part.path.as_path())
    }

    /// Writes the databases one after the other, each as [`convert_games`] does: complete or not
    /// at all. Those that are complete stay if the work ends before the others are. Returns the
    /// sums of all; the numbers of games with losses are those in their databases.
    ///
    /// # Errors
    /// Those of [`convert_games`]. If one of the files exists and none may be replaced, nothing is
    /// written.
    pub fn write(
        &self,
        options: impl Into<ConvertOptions>,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<Conversion> {
        let options = options.into();
        if options.overwrite == Overwrite::Refuse {
            let files = self
                .paths()
                .flat_map(|path| target_files(path).unwrap_or_default());
            if let Some(exists) = files.into_iter().find(|file| file.exists()) {
                let cause = std::io::ErrorKind::AlreadyExists;
                return Err(Error::io("create", &exists, cause.into()));
            }
        }
        let mut all = Conversion::default();
        for part in &self.parts {
            let games = part.games.iter().map(|&place| self.games[place as usize]);
            let games: Vec<_> = games.collect();
            all.add(convert_games(
                &games,
                &part.path,
                options.clone(),
                &mut progress,
            )?);
        }
        Ok(all)
    }
}

/// What games have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Value {
    /// A year, the code of an opening, or the place of a range.
    Number(u32),
    Name(String),
}

/// Games by what they have in common, in the order of the first ones.
#[derive(Default)]
struct Groups {
    by_value: HashMap<Value, usize>,
    /// The groups of names that were met, by database.
    by_id: HashMap<(*const Database, NameId), usize>,
    groups: Vec<(Value, Vec<u32>)>,
}

impl Groups {
    fn add(&mut self, value: Value, place: u32) -> Result<()> {
        let group = self.group(value)?;
        self.put(group, place);
        Ok(())
    }

    fn add_name(
        &mut self,
        database: &Database,
        kind: NameKind,
        id: NameId,
        place: u32,
    ) -> Result<()> {
        let key = (std::ptr::from_ref(database), id);
        let group = match self.by_id.get(&key) {
            Some(&group) => group,
            None => {
                let name = database.name_of(kind, id)?.unwrap_or_default();
                let name = if name == "?" { String::new() } else { name };
                let group = self.group(Value::Name(name))?;
                self.by_id.insert(key, group);
                group
            }
        };
        self.put(group, place);
        Ok(())
    }

    /// Returns the group of a value.
    fn group(&mut self, value: Value) -> Result<usize> {
        let next = self.groups.len();
        match self.by_value.entry(value) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(_) if next >= SPLIT_DATABASES_MAX => Err(Error::limit(
                "the number of new databases",
                SPLIT_DATABASES_MAX as u64,
            )),
            Entry::Vacant(new) => {
                self.groups.push((new.key().clone(), Vec::new()));
                Ok(*new.insert(next))
            }
        }
    }

    /// Adds a game to a group, once.
    fn put(&mut self, group: usize, place: u32) {
        let games = &mut self.groups[group].1;
        if games.last() != Some(&place) {
            games.push(place);
        }
    }

    /// Gives the groups the names of files.
    fn named(self, by: SplitBy, target: &Path) -> Vec<Part> {
        let digits = self.groups.len().to_string().len();
        let mut names = FileNames::default();
        let whole = Path::new(target.file_stem().unwrap_or_default());
        let (stem, ends) = match Packing::named(target) {
            Some(Packing::Gzip | Packing::Zstd) => {
                let stem = whole.file_stem().unwrap_or_default();
                (stem, [whole.extension(), target.extension()])
            }
            _ => (whole.as_os_str(), [None, target.extension()]),
        };
        let named = self.groups.into_iter().map(|(value, games)| {
            let text = match (&value, by) {
                (Value::Name(name), _) => name.clone(),
                (Value::Number(number), SplitBy::Games(_)) => format!("{:0digits$}", number + 1),
                (Value::Number(0), _) => String::new(),
                (Value::Number(code), SplitBy::Eco) => {
                    let eco = u16::try_from(*code).ok().and_then(Eco::from_code);
                    eco.map_or(String::new(), |eco| eco.to_string())
                }
                (Value::Number(year), _) => format!("{year:04}"),
            };
            let mut name = stem.to_owned();
            name.push(format!("-{}", names.of(&text)));
            for end in ends.into_iter().flatten() {
                name.push(".");
                name.push(end);
            }
            Part {
                path: target.with_file_name(name),
                games,
            }
        });
        named.collect()
    }
}

/// Names of files that are different wherever they are written.
#[derive(Default)]
struct FileNames {
    /// By the name to which capitals do not matter: the last number that followed it.
    taken: HashMap<String, u32>,
}

impl FileNames {
    /// Returns the name for the next value.
    fn of(&mut self, value: &str) -> String {
        let plain = file_name(value);
        loop {
            let number = self.taken.entry(folded(&plain)).or_default();
            *number += 1;
            if *number == 1 {
                return plain;
            }
            let numbered = format!("{plain}-{number}");
            if let Entry::Vacant(free) = self.taken.entry(folded(&numbered)) {
                free.insert(1);
                return numbered;
            }
        }
    }
}

/// Returns a name with equal letters for capitals and small ones, as some systems compare them.
fn folded(name: &str) -> String {
    name.to_uppercase().to_lowercase()
}

/// Returns what the name of a file says of a value: letters, digits and hyphens, `_` for all else.
fn file_name(value: &str) -> String {
    let mut name = String::new();
    for character in value.chars() {
        let is_plain = character.is_alphanumeric() || character == '-';
        match character {
            _ if is_plain && name.len() + character.len_utf8() > VALUE_BYTES_MAX => break,
            _ if is_plain => name.push(character),
            _ if name.is_empty() || name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    name.truncate(name.trim_end_matches('_').len());
    if name.is_empty() {
        UNKNOWN.to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_values_become_plain_names_of_files() {
        for (value, name) in [
            ("Carlsen, Magnus", "Carlsen_Magnus"),
            ("../../etc/passwd", "etc_passwd"),
            ("C:\\a\0b\n|?*<>\"", "C_a_b"),
            ("...", "unknown"),
            ("", "unknown"),
            (" \u{202e}é\u{301} ", "é"),
            ("Łódź 2024-25", "Łódź_2024-25"),
        ] {
            assert_eq!(file_name(value), name, "{value:?}");
        }
        let long = file_name(&"aé".repeat(1000));
        assert!(long.len() <= VALUE_BYTES_MAX && long.starts_with("aéaé"));
    }

    #[test]
    fn different_values_never_share_a_name_of_a_file() {
        let values = [
            "A",
            "a",
            "a-2",
            "A!",
            "ſ",
            "s",
            "S",
            "?",
            "unknown",
            "",
            "unknown-2",
            "a-2",
            "A-3",
        ];
        let mut names = FileNames::default();
        let made: Vec<String> = values.iter().map(|value| names.of(value)).collect();
        let mut folds: Vec<String> = made.iter().map(|name| folded(name)).collect();
        folds.sort_unstable();
        folds.dedup();
        assert_eq!(folds.len(), values.len(), "{made:?}");
        assert_eq!(made[..3], ["A", "a-2", "a-2-2"]);
    }
}
