//! Plays the main line of a `.cbg` game, which ends at the first end of a line.
//! [`lines`](super::lines) plays all lines.

use shakmaty::Setup;
use tabiya_chess::{Follow, Start};

use super::{
    moves::{Men, Side, Step},
    setup,
    stream::{Parts, Stream},
};
use crate::{Damage, Decoded, Scratch, damage::Flaw, damage_at};

/// A game before its first move.
pub(super) struct Begun<'s> {
    pub(super) stream: Stream<'s>,
    pub(super) men: Men,
    pub(super) side: Side,
    pub(super) start: Start<'s>,
}

impl<'a> Parts<'a> {
    /// Sets up the start position and the move stream.
    #[inline(always)]
    pub(super) fn begin<'s>(&self, scratch: &'s mut Scratch) -> Decoded<Begun<'s>>
    where
        'a: 's,
    {
        let stream = self.stream(&mut scratch.moves);
        let begun = Begun {
            stream,
            men: Men::standard(self.encoding().reversed),
            side: 0,
            start: Start::Standard,
        };
        match self.setup {
            None => Ok(begun),
            Some(bytes) => self.set_up(bytes, &mut scratch.setup, begun),
        }
    }

    /// Replaces the standard start position by the game's own.
    #[inline(never)]
    fn set_up<'s>(
        &self,
        bytes: &[u8],
        room: &'s mut Option<Setup>,
        mut begun: Begun<'s>,
    ) -> Decoded<Begun<'s>> {
        let setup_at = |what| damage_at(what, self.moves_at - bytes.len());
        let (setup, homes) = setup::read(bytes, begun.stream.homes).map_err(setup_at)?;
        let setup = room.insert(setup);
        let reversed = self.encoding().reversed;
        begun.men = Men::from_setup(setup, reversed).map_err(setup_at)?;
        begun.side = setup.turn.is_black().into();
        begun.stream.homes = homes;
        begun.start = Start::Custom(setup);
        Ok(begun)
    }

    /// Converts an offset in the stream into damage of the game. Rewritten streams have no offsets
    /// of their own, so their damage is reported at the start of the moves.
    pub(super) fn damage(&self, stream: &Stream<'_>, what: Flaw, at: usize) -> Damage {
        let rewritten = !std::ptr::eq(stream.encoding, self.encoding());
        damage_at(what, self.moves_at + if rewritten { 0 } else { at })
    }

    /// Plays the main line to the follower until it breaks or the line ends. Returns the number of
    /// plies played.
    pub(super) fn main_line<F: Follow>(
        &self,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        // Destructured so that all but the men stay in registers.
        let Begun {
            ref stream,
            mut men,
            mut side,
            start,
        } = self.begin(scratch)?;
        let (mut at, mut moves) = (0, 0_u32);
        if follow.start(start).is_break() || stream.bytes.is_empty() {
            return Ok(0);
        }
        loop {
            match men.step(stream, side, moves as u8, &mut at, follow) {
                Ok(Step::Move) => {
                    moves = moves.wrapping_add(1);
                    if follow.ply_done().is_break() {
                        return Ok(moves);
                    }
                    side ^= 1;
                }
                Ok(Step::LineEnd) => return Ok(moves),
                Ok(Step::Branch | Step::Padding) => {}
                Err(what) => return Err(self.damage(stream, what, at)),
            }
        }
    }
}
