//! Writes the new file in the format of its suffix.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    thread::LocalKey,
};

use super::{ConvertOptions, source::Games};
use crate::{
    chess::Flow,
    error::{Error, ErrorKind, Result},
    format::{
        GameHeader, GamesFile, Layout, Lost, MontyLayout, ScdbLayout, chessbase,
        game::{Encode, EncodedBytes},
        go_on,
        loss::GameLosses,
        monty::encode as monty,
        pgn::GameText,
        publish::FAMILIES,
        scdb::write as scdb_write,
        scid4::write::{self as scid4, Edition},
    },
};

/// Records the outcome of each game.
pub(crate) trait Ledger<N> {
    /// Records that a game was written, or its error, with its note. An error returned here ends
    /// the work, and nothing is written.
    fn enter(&mut self, written: Result<()>, note: N) -> Result<()>;

    /// Reports the progress and asks whether to continue.
    fn ask(&mut self) -> Flow;

    /// Whether a game that would lose data is an error.
    fn refuses_losses(&self) -> bool {
        false
    }
}

/// Writes all games of the sources to a new file. Returns what the format could not store of the
/// written games.
///
/// # Errors
/// `Unsupported` if the suffix is not that of a writable format, `Io`, and those of the ledger.
pub(crate) fn write<S: Games>(
    sources: &[S],
    target: &Path,
    options: &ConvertOptions,
    ledger: &mut impl Ledger<S::Note>,
) -> Result<Vec<Lost>> {
    let mut run = Run {
        sources,
        options,
        ledger,
        seen: 0,
    };
    match suffix(target).as_str() {
        "si4" | "si5" => run.write_scid(target),
        "cbh" => run.write_chessbase(target),
        "dci" => run.write_scdb(target),
        "binpack" => run.write_monty(target),
        "pgn" => run.write_file(&PGN, target),
        _ => {
            let what = "writing this format (only .si4, .si5, .cbh, .dci, .binpack and .pgn are)";
            Err(Error::new(ErrorKind::Unsupported { what }).at_path(target))
        }
    }
}

/// Returns the files that are created when writing to this path, the path itself first; `None` if
/// its format is not writable.
#[must_use]
pub fn target_files(target: &Path) -> Option<Vec<PathBuf>> {
    let suffix = suffix(target);
    if matches!(suffix.as_str(), "pgn" | "binpack") {
        return Some(vec![target.to_owned()]);
    }
    let family = FAMILIES.iter().find(|family| family[0] == suffix)?;
    let files = family.iter().map(|suffix| target.with_extension(suffix));
    Some(files.collect())
}

fn suffix(target: &Path) -> String {
    let suffix = target.extension().unwrap_or_default().to_string_lossy();
    suffix.to_ascii_lowercase()
}

/// A conversion in progress.
struct Run<'r, S, L> {
    sources: &'r [S],
    options: &'r ConvertOptions,
    ledger: &'r mut L,
    seen: u64,
}

impl<S: Games, L: Ledger<S::Note>> Run<'_, S, L> {
    fn write_chessbase(&mut self, target: &Path) -> Result<Vec<Lost>> {
        let mut writer = chessbase::write::Writer::create(target, self.options.overwrite)?;
        self.encode(&CHESSBASE, |game| writer.append(game))?;
        let summary = writer.finish_asking(&mut || self.ledger.ask())?;
        Ok(summary.losses.report())
    }

    fn write_scid(&mut self, target: &Path) -> Result<Vec<Lost>> {
        let mut writer = scid4::Writer::create(target, self.options.overwrite)?;
        let encoder = match writer.edition() {
            Edition::Si4 => &SI4,
            Edition::Si5 => &SI5,
        };
        self.encode(encoder, |game| writer.append(game))?;
        let summary = writer.finish_asking(&mut || self.ledger.ask())?;
        Ok(summary.losses.report())
    }

    fn write_scdb(&mut self, target: &Path) -> Result<Vec<Lost>> {
        let layout = match self.options.layout {
            Some(Layout::Scdb(layout)) => layout,
            _ => ScdbLayout::default(),
        };
        let mut writer = scdb_write::Writer::create(target, layout, self.options.overwrite)?;
        self.encode(&SCDB, |game| writer.append(game))?;
        let summary = writer.finish_asking(&mut || self.ledger.ask())?;
        Ok(summary.losses.report())
    }

    fn write_monty(&mut self, target: &Path) -> Result<Vec<Lost>> {
        let layout = match self.options.layout {
            Some(Layout::Monty(layout)) => Some(layout),
            _ => self.sources.iter().find_map(Games::monty_layout),
        };
        let encoder = match layout.unwrap_or_default() {
            MontyLayout::Policy => &POLICY,
            MontyLayout::Value => &VALUE,
            MontyLayout::OldValue => &OLD_VALUE,
        };
        self.write_file(encoder, target)
    }

    /// Writes a file whose games follow each other.
    fn write_file<E: Encode<Encoded = EncodedBytes>>(
        &mut self,
        encoder: &'static LocalKey<RefCell<E>>,
        target: &Path,
    ) -> Result<Vec<Lost>> {
        let mut file = GamesFile::create(target, self.options.overwrite)?;
        self.encode(encoder, |game| file.append(game))?;
        Ok(file.finish(&mut || self.ledger.ask())?.report())
    }

    /// Encodes all games, with one encoder per thread, and appends them in order.
    fn encode<E: Encode>(
        &mut self,
        encoder: &'static LocalKey<RefCell<E>>,
        mut append: impl FnMut(&E::Encoded) -> Result<()>,
    ) -> Result<()> {
        for source in self.sources {
            source.for_each(
                |header, replay| {
                    encoder.with_borrow_mut(|encoder| {
                        encoder.begin(header);
                        replay(encoder)?;
                        encoder.finish()
                    })
                },
                |made| {
                    let Some((made, note)) = made else {
                        return go_on(&mut || self.ledger.ask());
                    };
                    self.seen += 1;
                    let written = made.and_then(|game| {
                        self.refuse(E::losses(&game))?;
                        append(&game)
                    });
                    self.ledger.enter(written, note)
                },
            )?;
        }
        Ok(())
    }

    /// Returns an error for a game that would lose data, if nothing may be lost.
    fn refuse(&self, losses: &GameLosses) -> Result<()> {
        match losses.first().filter(|_| self.ledger.refuses_losses()) {
            Some(what) => Err(Error::new(ErrorKind::WouldLose { what })
                .in_game(u32::try_from(self.seen).unwrap_or(u32::MAX))),
            None => Ok(()),
        }
    }
}

thread_local! {
    /// Encoders reuse memory; each thread of the pool has one of each kind.
    static SI4: RefCell<scid4::Encoder> = RefCell::new(scid4::Encoder::with_edition(Edition::Si4));
    static SI5: RefCell<scid4::Encoder> = RefCell::new(scid4::Encoder::with_edition(Edition::Si5));
    static SCDB: RefCell<scdb_write::Encoder> = RefCell::default();
    static CHESSBASE: RefCell<chessbase::write::Encoder> = RefCell::default();
    static POLICY: RefCell<monty::Encoder> = training(MontyLayout::Policy);
    static VALUE: RefCell<monty::Encoder> = training(MontyLayout::Value);
    static PGN: RefCell<GameText> = RefCell::new(GameText::new(&GameHeader::default()));
    static OLD_VALUE: RefCell<monty::Encoder> = training(MontyLayout::OldValue);
}

fn training(layout: MontyLayout) -> RefCell<monty::Encoder> {
    RefCell::new(monty::Encoder::with_layout(layout))
}
