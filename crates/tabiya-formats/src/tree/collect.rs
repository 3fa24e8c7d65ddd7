//! The visitor that collects games for every format that is written.

use std::fmt::Debug;

use shakmaty::Move;
use tabiya_chess::{Flow, Start};

use super::{GameTree, Rules};
use crate::{
    EncodedGame,
    error::{Error, ErrorKind, Result},
    game::{Encode, FirstError, GameHeader, Visitor},
    loss::GameLosses,
};

/// Encodes games that are collected before.
pub trait EncodeTree: Debug {
    /// What the format stores of a game besides its bytes.
    type GameMeta: Send;

    /// What it does with annotations and variations.
    const RULES: Rules;

    /// Begins a game and discards what is left of the previous one.
    fn begin(&mut self, header: &GameHeader, losses: &mut GameLosses);

    /// See [`Encode::begin_text`].
    ///
    /// # Errors
    /// `WouldLose` in formats without guiding texts.
    fn begin_text(&mut self, header: &GameHeader, losses: &mut GameLosses) -> Result<()> {
        let _ = (header, losses);
        let what = "guiding texts left out";
        Err(Error::new(ErrorKind::WouldLose { what }))
    }

    /// Takes a tag.
    ///
    /// # Errors
    /// `LimitExceeded` for too many bytes of tags.
    fn tag(&mut self, name: &str, value: &str, losses: &mut GameLosses) -> Result<()>;

    /// Takes the bytes of a guiding text: [`Visitor::guiding_text`].
    fn guiding_text(&mut self, title: &[u8], body: &[u8]) {
        let _ = (title, body);
    }

    /// Counts what a comment loses wherever it stands.
    fn comment_losses(&self, comment: &str, losses: &mut GameLosses) {
        let _ = (comment, losses);
    }

    /// Whether an annotation of ChessBase 2 waits for the next move in any case; `None` if it is
    /// not taken as it is.
    fn annotation(kind: u8, data: &[u8]) -> Option<bool> {
        let _ = (kind, data);
        None
    }

    /// Encodes the game. Returns its bytes and the rest.
    ///
    /// # Errors
    /// As [`Encode::finish`].
    fn encode(
        &mut self,
        tree: &mut GameTree,
        losses: &mut GameLosses,
    ) -> Result<(Vec<u8>, Self::GameMeta)>;
}

/// Collects the events of a game and encodes it: [`Encode`].
#[derive(Debug)]
pub struct Collector<E> {
    pub(crate) encoder: E,
    tree: GameTree,
    losses: GameLosses,
    /// Why the game cannot be encoded.
    fault: FirstError,
}

impl<E> Collector<E> {
    /// Returns a collector without a game.
    pub(crate) fn over(encoder: E) -> Collector<E> {
        Collector {
            encoder,
            tree: GameTree::default(),
            losses: GameLosses::default(),
            fault: FirstError::default(),
        }
    }

    fn clear(&mut self) {
        self.tree.clear();
        self.losses = GameLosses::default();
        self.fault = FirstError::default();
    }
}

impl<E: EncodeTree + Default> Collector<E> {
    /// Returns an encoder without a game.
    #[must_use]
    pub fn new() -> Collector<E> {
        Collector::default()
    }
}

impl<E: EncodeTree + Default> Default for Collector<E> {
    fn default() -> Collector<E> {
        Collector::over(E::default())
    }
}

impl<E: EncodeTree> Visitor for Collector<E> {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        let done = self.encoder.tag(name, value, &mut self.losses);
        self.fault.flow(done)
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.tree.start = match start {
            Start::Standard => None,
            Start::Custom(setup) => Some(setup.clone()),
        };
        self.fault.flow(Ok(()))
    }

    #[inline]
    fn play(&mut self, played: Option<Move>) -> Flow {
        let done = self.tree.play(played, &E::RULES, &mut self.losses);
        self.fault.flow(done)
    }

    fn nag(&mut self, nag: u8) -> Flow {
        self.tree.nag(nag, &E::RULES, &mut self.losses);
        self.fault.flow(Ok(()))
    }

    fn void_nag(&mut self) -> Flow {
        if self.tree.left_out == 0 {
            self.losses.add_some(E::RULES.void_nags);
        }
        self.fault.flow(Ok(()))
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.encoder.comment_losses(text, &mut self.losses);
        let done = self.tree.say(text, &E::RULES, &mut self.losses);
        self.fault.flow(done)
    }

    fn guiding_text(&mut self, title: &[u8], body: &[u8]) -> Flow {
        self.encoder.guiding_text(title, body);
        self.fault.flow(Ok(()))
    }

    fn annotation(&mut self, kind: u8, data: &[u8], told: &str) -> Flow {
        let Some(waits) = E::annotation(kind, data) else {
            return self.comment(told);
        };
        self.tree.annotate(kind, data, waits, &E::RULES);
        self.fault.flow(Ok(()))
    }

    fn begin_variation(&mut self) -> Flow {
        let done = self.tree.begin_variation(&E::RULES, &mut self.losses);
        self.fault.flow(done)
    }

    fn end_variation(&mut self) -> Flow {
        let done = self.tree.end_variation(&E::RULES, &mut self.losses);
        self.fault.flow(done)
    }
}

impl<E: EncodeTree> Encode for Collector<E> {
    type GameMeta = E::GameMeta;

    fn begin(&mut self, header: &GameHeader) {
        self.clear();
        self.encoder.begin(header, &mut self.losses);
    }

    fn begin_text(&mut self, header: &GameHeader) -> Result<()> {
        self.clear();
        self.encoder.begin_text(header, &mut self.losses)
    }

    fn finish(&mut self) -> Result<EncodedGame<E::GameMeta>> {
        self.fault.take()?;
        self.tree.end()?;
        let (bytes, rest) = self.encoder.encode(&mut self.tree, &mut self.losses)?;
        Ok(EncodedGame {
            bytes,
            losses: self.losses,
            rest,
        })
    }
}
