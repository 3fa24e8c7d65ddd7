//! Writes the new file in the format of its suffix.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::Mutex,
};

use tabiya_chess::Flow;
#[cfg(any(feature = "scdb", feature = "training"))]
use tabiya_formats::Layout;
#[cfg(feature = "chessbase")]
use tabiya_formats::chessbase::{v1::write as chessbase, v2::write as chessbase2};
#[cfg(feature = "scdb")]
use tabiya_formats::scdb::write as scdb;
use tabiya_formats::{
    Assemble, Encode, GameFilter, GameHeader, Lost, Overwrite, Writer, check_interrupt,
    error::{Error, ErrorKind, Result},
    loss::GameLosses,
    pgn::{self, GameText, Packing},
    publish::FAMILIES,
    scid4::write::{self as scid4, Edition},
};
#[cfg(feature = "training")]
use tabiya_formats::{GamesFile, monty::encode as monty, viriformat};

use super::{
    ConvertOptions,
    source::{Delivered, Found, Games},
};
use crate::{maintenance::classify::Classified, search::Report};

/// Records the outcome of each game.
pub(crate) trait RecordOutcome<N> {
    /// Records that a game was written, or its error, with its note. An error returned here ends
    /// the work, and nothing is written.
    fn record(&mut self, written: Result<Option<Error>>, note: N) -> Result<()>;

    /// Reports the progress and asks whether to continue.
    fn ask(&mut self) -> Flow;

    /// Whether a game that would lose data is an error.
    fn refuses_losses(&self) -> bool {
        false
    }

    /// Records what a search has found out about the games that it does not find.
    fn searched(&mut self, report: Report) -> Result<()> {
        let _ = report;
        Ok(())
    }
}

/// Writes all games of the sources to a new file. Returns what the format could not store of the
/// written games.
///
/// # Errors
/// `Unsupported` if the suffix is not that of a writable format, `Io`, and those of the outcome.
pub(crate) fn write<S: Games>(
    sources: &[S],
    target: &Path,
    options: &ConvertOptions,
    outcome: &mut impl RecordOutcome<S::Note>,
) -> Result<Vec<Lost>> {
    let mut run = Run {
        sources,
        options,
        outcome,
        seen: 0,
        written: 0,
    };
    let appends = options.overwrite == Overwrite::Append;
    if let Some(packing) = pgn_packing(target) {
        let encoder = || GameText::new(&GameHeader::default());
        return run.write::<pgn::TextFile, _>(packing, target, encoder);
    }
    match suffix(target).as_str() {
        "binpack" | "vf" | "viribin" if appends => {
            let what = "adding games to training data";
            Err(Error::unsupported(what).at_path(target))
        }
        "si4" => run.write_scid(Edition::Si4, target),
        "si5" => run.write_scid(Edition::Si5, target),
        #[cfg(feature = "chessbase")]
        "cbh" => run.write::<chessbase::Assembler, _>((), target, chessbase::Encoder::new),
        #[cfg(feature = "chessbase")]
        "2cbh" => run.write::<chessbase2::Assembler, _>((), target, chessbase2::Encoder::new),
        #[cfg(feature = "scdb")]
        "dci" => run.write_scdb(target),
        #[cfg(feature = "training")]
        "binpack" => run.write_monty(target),
        #[cfg(feature = "training")]
        "vf" | "viribin" => run.write::<GamesFile, _>((), target, viriformat::Encoder::default),
        _ => {
            let what = if cfg!(all(
                feature = "chessbase",
                feature = "scdb",
                feature = "training"
            )) {
                "writing this format (only .si4, .si5, .cbh, .2cbh, .dci, .binpack, .vf, .pgn, \
                 .pgn.gz and .pgn.zst are)"
            } else {
                "writing this format in a build without all formats"
            };
            Err(Error::unsupported(what).at_path(target))
        }
    }
}

/// Returns the files that are created, replaced or removed when writing to this path, the path
/// itself first; `None` if its format is not writable.
#[must_use]
pub fn target_files(target: &Path) -> Option<Vec<PathBuf>> {
    let suffix = suffix(target);
    if pgn_packing(target).is_some() || matches!(suffix.as_str(), "binpack" | "vf" | "viribin") {
        return Some(vec![target.to_owned()]);
    }
    let family = FAMILIES.iter().find(|family| family[0] == suffix)?;
    let files = family.iter().map(|suffix| target.with_extension(suffix));
    Some(files.collect())
}

/// Returns how PGN at this path is packed; `None` if it is no PGN by its name.
fn pgn_packing(target: &Path) -> Option<Packing> {
    Packing::named(target).filter(|_| !suffix(target).is_empty())
}

/// Returns the suffix in small letters; nothing of `..pgn`, which without its suffix is the folder
/// above, so that no name of another file can be made of it.
fn suffix(target: &Path) -> String {
    if target.file_stem().is_some_and(|stem| stem == ".") {
        return String::new();
    }
    let suffix = target.extension().unwrap_or_default().to_string_lossy();
    suffix.to_ascii_lowercase()
}

/// Tags with the values that are told instead.
type Tags = [(String, Option<String>)];

/// Returns the header of a game to write, with the code of its opening if that is asked for, and
/// the tags that are left out then: what is no code for a header may stand in a tag of this name.
fn coded<'t>(
    found: Found<'t>,
    options: &ConvertOptions,
    own_code: &'t Tags,
) -> Result<(Cow<'t, GameHeader>, &'t Tags)> {
    let mut header = Cow::Borrowed(found.header);
    if !options.classify || found.is_text {
        return Ok((header, &[]));
    }
    let opening = Classified::of(found.replay)?;
    if opening.eco.is_none() {
        return Ok((header, &[]));
    }
    opening.set_code(header.to_mut());
    Ok((header, own_code))
}

/// A conversion in progress.
struct Run<'r, S, L> {
    sources: &'r [S],
    options: &'r ConvertOptions,
    outcome: &'r mut L,
    seen: u64,
    written: u64,
}

impl<S: Games, L: RecordOutcome<S::Note>> Run<'_, S, L> {
    fn write_scid(&mut self, edition: Edition, target: &Path) -> Result<Vec<Lost>> {
        let encoder = || scid4::Encoder::with_edition(edition);
        self.write::<scid4::Assembler, _>(edition, target, encoder)
    }

    #[cfg(feature = "scdb")]
    fn write_scdb(&mut self, target: &Path) -> Result<Vec<Lost>> {
        let layout = match self.options.layout {
            _ if matches!(
                self.options.overwrite,
                Overwrite::Append | Overwrite::Rewrite
            ) =>
            {
                scdb::layout_of(target)?
            }
            Some(Layout::Scdb(layout)) => layout,
            _ => tabiya_formats::ScdbLayout::default(),
        };
        self.write::<scdb::Assembler, _>(layout, target, scdb::Encoder::new)
    }

    #[cfg(feature = "training")]
    fn write_monty(&mut self, target: &Path) -> Result<Vec<Lost>> {
        let layout = match self.options.layout {
            Some(Layout::Monty(layout)) => Some(layout),
            _ => self.sources.iter().find_map(Games::monty_layout),
        };
        let encoder = || monty::Encoder::with_layout(layout.unwrap_or_default());
        self.write::<GamesFile, _>((), target, encoder)
    }

    /// Encodes all games on all threads and appends them in order.
    fn write<A, E>(
        &mut self,
        layout: A::Layout,
        target: &Path,
        encoder: impl Fn() -> E + Sync,
    ) -> Result<Vec<Lost>>
    where
        A: Assemble,
        E: Encode<GameMeta = A::GameMeta> + Send,
    {
        let mut writer = match self.options.overwrite {
            Overwrite::Append => Writer::<A>::extend(target, layout)?,
            Overwrite::Rewrite => Writer::<A>::rewrite(target, layout)?,
            overwrite => Writer::<A>::create(target, layout, overwrite)?,
        };
        // Encoders reuse memory. There are soon as many as threads.
        let idle = Mutex::new(Vec::new());
        let take = || idle.lock().ok()?.pop();
        let own_code = [("ECO".to_owned(), None)];
        for source in self.sources {
            if self.is_full() {
                break;
            }
            let done = source.for_each(
                |found| {
                    let mut encoder = take().unwrap_or_else(&encoder);
                    let (header, tags) = coded(found, self.options, &own_code)?;
                    if found.is_text {
                        encoder.begin_text(&header)?;
                    } else {
                        encoder.begin(&header);
                    }
                    let game_filter = GameFilter::new(&mut encoder, &self.options.leave);
                    let mut game_filter = game_filter.with_tags(tags);
                    let encoded = (found.replay)(&mut game_filter).and_then(|damage| {
                        let harm = damage.map(|damage| damage.cause);
                        Ok((encoder.finish()?, harm))
                    });
                    if let Ok(mut idle) = idle.lock() {
                        idle.push(encoder);
                    }
                    encoded
                },
                |made| {
                    let (made, note) = match made {
                        _ if self.is_full() => return Err(Error::interrupted()),
                        Delivered::Game(made, note) => (made, note),
                        Delivered::Searched(report) => return self.outcome.searched(report),
                        Delivered::Pause => return check_interrupt(&mut || self.outcome.ask()),
                    };
                    self.seen += 1;
                    let written = made.and_then(|(game, harm)| {
                        let harm = self.refuse(harm, game.losses(), S::place(&note))?;
                        let put = match S::place(&note) {
                            Some(number) => writer.replace(number, &game),
                            None => writer.append(&game),
                        };
                        match put {
                            Ok(()) => Ok(Ok(harm)),
                            // The new database is full.
                            Err(full) if full.is_limit() => Ok(Err(full)),
                            Err(error) => Err(error),
                        }
                    });
                    let written = match written {
                        Ok(Err(full)) => return Err(full.at_path(target)),
                        Ok(Ok(harm)) => Ok(harm),
                        Err(error) => Err(error),
                    };
                    self.written += u64::from(written.is_ok());
                    self.outcome.record(written, note)
                },
            );
            if !self.is_full() {
                done?;
            }
        }
        let written = writer.finish_asking(&mut || self.outcome.ask())?;
        Ok(written.losses.report())
    }

    /// Returns whether as many games are written as were asked for.
    fn is_full(&self) -> bool {
        self.options
            .limit
            .is_some_and(|limit| self.written >= limit)
    }

    /// Returns an error for a game that is damaged or would lose data, if nothing may be lost, and
    /// else the damage.
    fn refuse(
        &self,
        harm: Option<Error>,
        losses: &GameLosses,
        place: Option<u32>,
    ) -> Result<Option<Error>> {
        if let Some(harm) = harm {
            return if self.outcome.refuses_losses() {
                Err(harm)
            } else {
                Ok(Some(harm))
            };
        }
        match losses.first().filter(|_| self.outcome.refuses_losses()) {
            Some(what) => Err(Error::new(ErrorKind::WouldLose { what })
                .in_game(place.unwrap_or(u32::try_from(self.seen).unwrap_or(u32::MAX)))),
            None => Ok(None),
        }
    }
}
