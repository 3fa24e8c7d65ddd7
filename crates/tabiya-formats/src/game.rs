//! A game in a form common to all formats: the header's values and a stream of events.
//!
//! Readers drive a [`Visitor`] and writers are visitors, so any format converts to any other. PGN
//! is written while the events arrive; for all other formats a `Collector` keeps them first.

use shakmaty::Move;
use tabiya_chess::{Eco, Elo, Flow, GameResult, PartialDate, RatingKind, Start};

use super::writer::EncodedGame;
use crate::error::{Error, ErrorKind, Result};

/// A rating and the system it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Rating {
    /// The number, 1 to 4095.
    pub value: Elo,
    /// The system, Elo unless the source says otherwise.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub kind: RatingKind,
}

/// The decoded values of a game's header. Missing names are empty or `?`, as in the source.
///
/// Fields may be added, so make one with `..GameHeader::default()`. Serialized (feature `serde`),
/// it is what rows of games have in the program's jsonl: what is unknown is null, and ratings are
/// numbers; the last two fields are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct GameHeader {
    /// PGN `White`.
    #[cfg_attr(feature = "serde", serde(serialize_with = "known"))]
    pub white: String,
    /// PGN `Black`.
    #[cfg_attr(feature = "serde", serde(serialize_with = "known"))]
    pub black: String,
    /// PGN `WhiteElo`, or the tag of another rating system.
    #[cfg_attr(feature = "serde", serde(rename = "whiteElo"))]
    pub white_rating: Option<Rating>,
    /// PGN `BlackElo`, or the tag of another rating system.
    #[cfg_attr(feature = "serde", serde(rename = "blackElo"))]
    pub black_rating: Option<Rating>,
    /// PGN `Event`.
    #[cfg_attr(feature = "serde", serde(serialize_with = "known"))]
    pub event: String,
    /// PGN `Site`.
    #[cfg_attr(feature = "serde", serde(serialize_with = "known"))]
    pub site: String,
    /// PGN `Round`.
    #[cfg_attr(feature = "serde", serde(serialize_with = "known"))]
    pub round: String,
    /// PGN `Date`.
    pub date: PartialDate,
    /// PGN `Result`.
    pub result: GameResult,
    /// PGN `ECO`.
    pub eco: Option<Eco>,
    /// PGN `EventDate`.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub event_date: PartialDate,
    /// Marks that a database program's user set, as Scid numbers its flag bits 3 to 21
    /// (deleted, white opening, ... custom 6); the other bits are 0. PGN `ScidFlags`.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub marks: u32,
}

/// Serializes a name; `null` if it is unknown.
#[cfg(feature = "serde")]
fn known<S: serde::Serializer>(name: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&(!is_unknown(name)).then_some(name), serializer)
}

/// Returns whether a name says nothing.
fn is_unknown(name: &str) -> bool {
    matches!(name, "" | "?")
}

impl GameHeader {
    /// Whether it says nothing but the result.
    pub(super) fn is_bare(&self) -> bool {
        let names = [
            &self.event,
            &self.site,
            &self.round,
            &self.white,
            &self.black,
        ];
        names.into_iter().all(|name| is_unknown(name))
            && self.date.is_unknown()
            && self.event_date.is_unknown()
            && self.white_rating.is_none()
            && self.black_rating.is_none()
            && self.eco.is_none()
            && self.marks == 0
    }
}

/// Receives the events of one game, in the order of a PGN file.
///
/// First comes every tag that [`GameHeader`] does not hold, then [`start`](Visitor::start), then
/// the moves depth first. A comment or NAG belongs to the move before it, or to the start of the
/// game or variation. A variation is an alternative to the move before it. All variations are
/// closed when the stream ends.
///
/// Any method may return `Break`: the reader then stops, without an error.
pub trait Visitor {
    /// A tag: name and value, unescaped. `FEN` is passed to [`start`](Self::start) instead; `SetUp`
    /// is a tag like any other. A value that [`GameHeader`] holds only in part, or not at all, is
    /// passed here as well.
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        let _ = (name, value);
        Flow::Continue(())
    }

    /// Where the game begins.
    fn start(&mut self, start: Start<'_>) -> Flow {
        let _ = start;
        Flow::Continue(())
    }

    /// A move, or `None` for a null move (PGN `--`). Not checked against the rules unless the
    /// reader says so.
    fn play(&mut self, played: Option<Move>) -> Flow {
        let _ = played;
        Flow::Continue(())
    }

    /// A numeric annotation glyph, 1 to 255.
    fn nag(&mut self, nag: u8) -> Flow {
        let _ = nag;
        Flow::Continue(())
    }

    /// A NAG with number 0, which has no meaning, or above 255, which is invalid. Only PGN has
    /// these.
    fn void_nag(&mut self) -> Flow {
        Flow::Continue(())
    }

    /// A comment, without braces; it may contain line breaks.
    fn comment(&mut self, text: &str) -> Flow {
        let _ = text;
        Flow::Continue(())
    }

    /// A guiding text of a database of ChessBase 2: the bytes of its title and of its body, as the
    /// file has them. What they tell follows as comments, so only a visitor that passes everything
    /// on to another has use for it.
    fn guiding_text(&mut self, title: &[u8], body: &[u8]) -> Flow {
        let _ = (title, body);
        Flow::Continue(())
    }

    /// An annotation of a database of ChessBase 2: its type and data, as the file has them, and
    /// what they tell in words. By default that is a [`comment`](Self::comment).
    fn annotation(&mut self, kind: u8, data: &[u8], told: &str) -> Flow {
        let _ = (kind, data);
        self.comment(told)
    }

    /// What follows here is damaged and left out: the rest of the present variation, or of the
    /// main line. After a variation the game goes on, unless the visitor breaks here. Only PGN
    /// says this, as only there the end of a damaged variation can be found; elsewhere damage ends
    /// the stream.
    fn damaged(&mut self) -> Flow {
        Flow::Continue(())
    }

    /// A variation begins.
    fn begin_variation(&mut self) -> Flow {
        Flow::Continue(())
    }

    /// The variation ends.
    fn end_variation(&mut self) -> Flow {
        Flow::Continue(())
    }
}

/// The first error among the events of a game. Later results are ignored.
#[derive(Debug, Default)]
pub(crate) struct FirstError(Option<Error>);

impl FirstError {
    /// Records the first error. Breaks if this event or an earlier one failed.
    #[inline]
    pub(crate) fn flow(&mut self, done: Result<()>) -> Flow {
        match (&self.0, done) {
            (None, Ok(())) => Flow::Continue(()),
            (_, done) => self.stop(done),
        }
    }

    #[cold]
    fn stop(&mut self, done: Result<()>) -> Flow {
        if let Err(error) = done {
            self.0.get_or_insert(error);
        }
        Flow::Break(())
    }

    /// Returns the error, if there is one, and clears it.
    pub(crate) fn take(&mut self) -> Result<()> {
        self.0.take().map_or(Ok(()), Err)
    }
}

/// A visitor that encodes games for a writer, one after the other. Each thread needs its own.
///
/// [`begin`](Encode::begin) takes the header, a reader passes the rest to the encoder as to any
/// visitor, and [`finish`](Encode::finish) returns the game. Only this crate implements it.
pub trait Encode: Visitor {
    /// What the format stores of a game besides its bytes.
    type GameMeta: Send;

    /// Begins a game and discards what is left of the previous one.
    fn begin(&mut self, header: &GameHeader);

    /// Begins a guiding text, which comes as the comments of a game without moves.
    ///
    /// # Errors
    /// `WouldLose` in formats without guiding texts.
    fn begin_text(&mut self, header: &GameHeader) -> Result<()> {
        let _ = header;
        let what = "guiding texts left out";
        Err(Error::new(ErrorKind::WouldLose { what }))
    }

    /// Returns the encoded game after its last event.
    ///
    /// # Errors
    /// `IllegalMove` for a move that no man on the board can make; `Unsupported` for what the
    /// format cannot hold, such as some start positions; `LimitExceeded` for a game that is too
    /// long or whose variations are too deep; `Corrupt` for a variation without a move to replace,
    /// and for variations whose begin and end do not match.
    fn finish(&mut self) -> Result<EncodedGame<Self::GameMeta>>;
}
