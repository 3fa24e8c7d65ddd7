//! From any readable format to any writable one, in parallel and in constant memory.

use std::{
    cell::RefCell,
    io::BufWriter,
    path::{Path, PathBuf},
    thread::LocalKey,
};

use rayon::prelude::*;

use crate::{
    chess::{Flow, GameId},
    database::Database,
    error::{Error, ErrorKind, Result},
    format::{
        GameHeader, Lost, OpenOptions, Overwrite, Target, Visitor, chessbase,
        game::Encode,
        go_on,
        monty::{Layout, encode as monty},
        pgn::{self, GameText, Input, has_pgn_name},
        scdb::write::{self as scdb, ScdbLayout},
        scid4::write::{self as scid4, Edition},
    },
    limits::DAMAGED_LISTED_MAX,
};

/// Games that are encoded together before they are written in order.
const BATCH_GAMES: u32 = 8192;

/// What a conversion did.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Conversion {
    /// Games written.
    pub games: u64,
    /// Games that could not be read or that the target cannot hold.
    pub skipped: u64,
    /// The first of them, each with its place and reason.
    pub skipped_games: Vec<Error>,
    /// What the target could not hold of the games that were written.
    pub losses: Vec<Lost>,
}

/// How far a conversion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvertProgress {
    /// Games looked at so far, skipped ones included.
    pub games: u64,
    /// Games to look at, when that is known beforehand.
    pub total: Option<u64>,
}

/// How a new file is written.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// What to do when it is there already.
    pub overwrite: Overwrite,
    /// Which layout the index of a Simple Chess Database gets.
    pub scdb_layout: ScdbLayout,
    /// Which layout training data of Monty gets; `None` for that of the first source that is
    /// such data, or policy data.
    pub monty_layout: Option<Layout>,
    /// Whether nothing may be lost: the first game that cannot be read or that the target cannot
    /// hold wholly ends the conversion, and nothing is written.
    pub strict: bool,
    /// How sources are opened.
    pub opening: OpenOptions,
}

impl From<Overwrite> for ConvertOptions {
    fn from(overwrite: Overwrite) -> ConvertOptions {
        ConvertOptions {
            overwrite,
            ..ConvertOptions::default()
        }
    }
}

/// Converts databases and PGN files into one new file, whose name says its format: `.si4`,
/// `.si5`, `.cbh`, `.dci`, `.binpack` or `.pgn`. Games keep their order. The new file, and what
/// belongs to it, is written beside its place and renamed when complete: whatever fails and
/// whenever the process is killed, what was there before or the new file is there, whole. A file
/// with the suffix `.tabiya-commit` that a kill has left lists what [`Database::open`] then
/// finishes.
///
/// `progress` is called now and then; `Break` from it ends the conversion and leaves nothing.
///
/// # Errors
/// What opening a source or writing the target may give; `Unfinished` when the work of a killed
/// process at the target's place cannot be finished; `Unsupported` for a target of another
/// format; `Changed` when another program changes a source; `Interrupted` after a `Break`. A
/// game that cannot be read is no error: it is counted
/// and listed.
pub fn convert(
    sources: &[PathBuf],
    target: &Path,
    options: impl Into<ConvertOptions>,
    progress: &mut dyn FnMut(ConvertProgress) -> Flow,
) -> Result<Conversion> {
    let options = options.into();
    let opened: Vec<Opened> = sources
        .iter()
        .map(|path| Opened::new(path, &options.opening, progress))
        .collect::<Result<_>>()?;
    let mut run = Run {
        options,
        total: opened.iter().map(Opened::game_count).sum(),
        seen: 0,
        conversion: Conversion::default(),
        progress,
    };
    let suffix = target.extension().unwrap_or_default().to_ascii_lowercase();
    match suffix.to_str() {
        Some("si4" | "si5") => run.write_scid(&opened, target)?,
        Some("cbh") => run.write_chessbase(&opened, target)?,
        Some("dci") => run.write_scdb(&opened, target)?,
        Some("binpack") => run.write_monty(&opened, target)?,
        Some("pgn") => run.write_pgn(&opened, target)?,
        _ => {
            let what = "writing this format (only .si4, .si5, .cbh, .dci, .binpack and .pgn are)";
            return Err(Error::new(ErrorKind::Unsupported { what }).at_path(target));
        }
    }
    Ok(run.conversion)
}

/// A source of games.
enum Opened {
    Database(Box<Database>),
    Pgn(Input),
}

impl Opened {
    /// Opens text if the name says PGN, plain or compressed; else a database.
    fn new(
        path: &Path,
        options: &OpenOptions,
        progress: &mut dyn FnMut(ConvertProgress) -> Flow,
    ) -> Result<Opened> {
        if has_pgn_name(path) {
            return Input::open(path).map(Opened::Pgn);
        }
        let begun = ConvertProgress {
            games: 0,
            total: None,
        };
        let opened = options.open_with_progress(path, &mut |_| progress(begun))?;
        Ok(Opened::Database(Box::new(opened)))
    }

    /// Returns how many games there are, when that is known without reading them.
    fn game_count(&self) -> Option<u64> {
        match self {
            Opened::Database(database) => Some(database.len().into()),
            Opened::Pgn(_) => None,
        }
    }

    /// Returns the layout of training data; `None` for other sources.
    fn monty_layout(&self) -> Option<Layout> {
        match self {
            Opened::Database(database) => database.training_layout(),
            Opened::Pgn(_) => None,
        }
    }

    /// Makes something of every game on all processors and delivers it in order.
    fn for_each<T: Send>(
        &self,
        make: impl Fn(&GameHeader, &dyn Fn(&mut dyn Visitor) -> Result<()>) -> Result<T> + Sync,
        mut deliver: impl FnMut(Result<T>) -> Result<()>,
    ) -> Result<()> {
        match self {
            Opened::Pgn(input) => pgn::for_each_game(
                input,
                |game| make(game.header(), &|visitor| game.replay(visitor)),
                |_place, made| deliver(made),
            ),
            Opened::Database(database) => {
                let one = |game: GameId| {
                    let header = database.header(game)?;
                    let made = make(&header, &|visitor| database.visit(game, visitor));
                    // What the target cannot hold has no place yet.
                    made.map_err(|error| error.at_path(database.path()).in_game(game.number()))
                };
                let mut first = 0;
                while first < database.len() {
                    database.check_unchanged()?;
                    let end = database.len().min(first + BATCH_GAMES);
                    let games = (first..end).into_par_iter().map(GameId);
                    let made: Vec<Result<T>> = games.map(one).collect();
                    made.into_iter().try_for_each(&mut deliver)?;
                    first = end;
                }
                database.check_unchanged()
            }
        }
    }
}

/// A conversion under way.
struct Run<'p> {
    options: ConvertOptions,
    total: Option<u64>,
    seen: u64,
    conversion: Conversion,
    progress: &'p mut dyn FnMut(ConvertProgress) -> Flow,
}

impl Run<'_> {
    fn write_chessbase(&mut self, sources: &[Opened], target: &Path) -> Result<()> {
        let mut writer = chessbase::write::Writer::create(target, self.options.overwrite)?;
        self.encode(sources, &CHESSBASE, |game| writer.append(game))?;
        let summary = writer.finish_asking(&mut || self.ask())?;
        self.conversion.losses = summary.losses.report();
        Ok(())
    }

    fn write_scid(&mut self, sources: &[Opened], target: &Path) -> Result<()> {
        let mut writer = scid4::Writer::create(target, self.options.overwrite)?;
        let encoder = match writer.edition() {
            Edition::Si4 => &SI4,
            Edition::Si5 => &SI5,
        };
        self.encode(sources, encoder, |game| writer.append(game))?;
        let summary = writer.finish_asking(&mut || self.ask())?;
        self.conversion.losses = summary.losses.report();
        Ok(())
    }

    fn write_scdb(&mut self, sources: &[Opened], target: &Path) -> Result<()> {
        let (layout, overwrite) = (self.options.scdb_layout, self.options.overwrite);
        let mut writer = scdb::Writer::create(target, layout, overwrite)?;
        self.encode(sources, &SCDB, |game| writer.append(game))?;
        let summary = writer.finish_asking(&mut || self.ask())?;
        self.conversion.losses = summary.losses.report();
        Ok(())
    }

    /// Encodes all games, each thread with its own encoder, and appends them in order.
    fn encode<E: Encode>(
        &mut self,
        sources: &[Opened],
        encoder: &'static LocalKey<RefCell<E>>,
        mut append: impl FnMut(&E::Encoded) -> Result<()>,
    ) -> Result<()> {
        for source in sources {
            source.for_each(
                |header, replay| {
                    encoder.with_borrow_mut(|encoder| {
                        encoder.begin(header);
                        replay(encoder)?;
                        encoder.finish()
                    })
                },
                |made| {
                    let written = made.and_then(|game| {
                        self.refuse_loss::<E>(&game)?;
                        append(&game)
                    });
                    self.count(written)
                },
            )?;
        }
        Ok(())
    }

    /// Refuses a game that would lose something, if nothing may be lost.
    fn refuse_loss<E: Encode>(&self, game: &E::Encoded) -> Result<()> {
        match E::lost(game).filter(|_| self.options.strict) {
            Some(what) => Err(Error::new(ErrorKind::WouldLose { what })
                .in_game(u32::try_from(self.seen + 1).unwrap_or(u32::MAX))),
            None => Ok(()),
        }
    }

    fn write_monty(&mut self, sources: &[Opened], target: &Path) -> Result<()> {
        let of_source = || sources.iter().find_map(Opened::monty_layout);
        let layout = self.options.monty_layout.or_else(of_source);
        let encoder = match layout.unwrap_or_default() {
            Layout::Policy => &POLICY,
            Layout::Value => &VALUE,
            Layout::OldValue => &OLD_VALUE,
        };
        let mut writer = monty::Writer::create(target, self.options.overwrite)?;
        self.encode(sources, encoder, |game| writer.append(game))?;
        let losses = writer.finish_asking(&mut || self.ask())?;
        self.conversion.losses = losses.report();
        Ok(())
    }

    fn write_pgn(&mut self, sources: &[Opened], target: &Path) -> Result<()> {
        let place = Target::for_file(target, self.options.overwrite)?;
        let mut file = place.temporary()?;
        let mut writer = pgn::Writer::new(BufWriter::new(&mut file));
        for source in sources {
            source.for_each(
                |header, replay| {
                    let mut text = GameText::new(header);
                    replay(&mut text)?;
                    text.finish()
                },
                |made| {
                    let written = made.and_then(|text| writer.write_text(&text));
                    self.count(written.map_err(|error| error.at_path(target)))
                },
            )?;
        }
        let finished = writer.finish().map(drop);
        finished.map_err(|error| error.at_path(target))?;
        place.publish(vec![(file, "")], &mut || self.ask())
    }

    /// Tells how far it is and asks whether to go on.
    fn ask(&mut self) -> Flow {
        (self.progress)(ConvertProgress {
            games: self.seen,
            total: self.total,
        })
    }

    /// Counts a game that was written or not. Only what concerns this game alone is passed
    /// over; a full disk ends the conversion.
    fn count(&mut self, written: Result<()>) -> Result<()> {
        self.seen += 1;
        match written {
            Ok(()) => self.conversion.games += 1,
            Err(error) if self.options.strict || matches!(error.kind(), ErrorKind::Io { .. }) => {
                return Err(error);
            }
            Err(error) => {
                self.conversion.skipped += 1;
                if self.conversion.skipped_games.len() < DAMAGED_LISTED_MAX {
                    self.conversion.skipped_games.push(error);
                }
            }
        }
        match self.seen.is_multiple_of(1024) {
            true => go_on(&mut || self.ask()),
            false => Ok(()),
        }
    }
}

thread_local! {
    /// Encoding reuses memory; one encoder of each kind for each thread of the pool.
    static SI4: RefCell<scid4::Encoder> = RefCell::new(scid4::Encoder::with_edition(Edition::Si4));
    static SI5: RefCell<scid4::Encoder> = RefCell::new(scid4::Encoder::with_edition(Edition::Si5));
    static SCDB: RefCell<scdb::Encoder> = RefCell::default();
    static CHESSBASE: RefCell<chessbase::write::Encoder> = RefCell::default();
    static POLICY: RefCell<monty::Encoder> = training(Layout::Policy);
    static VALUE: RefCell<monty::Encoder> = training(Layout::Value);
    static OLD_VALUE: RefCell<monty::Encoder> = training(Layout::OldValue);
}

fn training(layout: Layout) -> RefCell<monty::Encoder> {
    RefCell::new(monty::Encoder::with_layout(layout))
}
