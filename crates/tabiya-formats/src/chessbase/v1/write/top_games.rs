//! `.flags`: two bits per game, the lower of which marks a top game; the first two bits belong to
//! no game.

use crate::{
    error::Result,
    output::{Destination, Output},
    source::Source,
};

const SUFFIX: &str = "flags";
const MAGIC: [u8; 4] = [0x0f, 0x01, 0x0b, 0x09];
const HEADER_BYTES: usize = 12;
/// Where the header has the number of words, and before how many bits a game has.
const WORDS_AT: usize = 4;
const WORD_BYTES: usize = 4;
const BITS: u32 = 2;
const GAMES_IN_BYTE: u32 = 8 / BITS;

/// The bits of new games.
#[derive(Debug)]
pub(super) struct TopGames {
    /// The number of the byte with which they begin, and what it says of old games.
    begun: usize,
    first: u8,
    bits: Vec<u8>,
    place: Place,
}

#[derive(Debug)]
enum Place {
    New,
    /// A database without the file, or without top games: it is made for the first.
    Missing,
    Old {
        bytes: usize,
    },
}

impl TopGames {
    pub(super) fn new() -> TopGames {
        TopGames {
            begun: 0,
            first: 0,
            bits: vec![0],
            place: Place::New,
        }
    }

    /// Goes on with the file of a database that has this number of games; `None` if it has not the
    /// form that is written.
    pub(super) fn resume(file: Option<&Source>, games: u32) -> Option<TopGames> {
        let next = games + 1;
        let begun = (next / GAMES_IN_BYTE) as usize;
        let (mut first, mut place) = (0, Place::Missing);
        if let Some(file) = file {
            let (head, bits) = file.split_first_chunk::<HEADER_BYTES>()?;
            let words = (bits.len() / WORD_BYTES) as u32;
            let expected = header(words);
            if !bits.len().is_multiple_of(WORD_BYTES) || *head != expected {
                return None;
            }
            let old = (1_u8 << (next % GAMES_IN_BYTE * BITS)) - 1;
            first = bits.get(begun).map_or(0, |bits| bits & old);
            place = Place::Old { bytes: file.len() };
        }
        Some(TopGames {
            begun,
            first,
            bits: Vec::new(),
            place,
        })
    }

    /// Says whether the next game is a top game.
    pub(super) fn set(&mut self, number: u32, is_top_game: bool) {
        let byte = ((number / GAMES_IN_BYTE) as usize).saturating_sub(self.begun);
        if self.bits.is_empty() {
            self.bits.push(self.first);
        }
        self.bits.resize(self.bits.len().max(byte + 1), 0);
        self.bits[byte] |= u8::from(is_top_game) << (number % GAMES_IN_BYTE * BITS);
    }

    /// Returns the file; `None` if there is none and nothing to be said in it.
    pub(super) fn into_output(mut self, place: &Destination) -> Result<Option<Output>> {
        let end = self.begun + self.bits.len();
        let words = end.div_ceil(WORD_BYTES);
        let header = header(words as u32);
        let zeros = words * WORD_BYTES - end;
        match self.place {
            Place::Missing if self.bits.iter().all(|&bits| bits == 0) => Ok(None),
            Place::New | Place::Missing => {
                let mut file = Output::whole(place, SUFFIX, &header)?;
                self.bits.resize(self.bits.len() + zeros, 0);
                file.put((HEADER_BYTES + self.begun) as u64, &self.bits)?;
                Ok(Some(file))
            }
            Place::Old { bytes } => {
                let mut file = Output::growing(place, SUFFIX, bytes as u64)?;
                if !self.bits.is_empty() && HEADER_BYTES + words * WORD_BYTES > bytes {
                    self.bits.resize(self.bits.len() + zeros, 0);
                    file.overwrite(WORDS_AT as u64, &header[WORDS_AT..][..WORD_BYTES])?;
                }
                file.put((HEADER_BYTES + self.begun) as u64, &self.bits)?;
                Ok(Some(file))
            }
        }
    }
}

fn header(words: u32) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..WORDS_AT].copy_from_slice(&MAGIC);
    header[WORDS_AT..][..WORD_BYTES].copy_from_slice(&words.to_be_bytes());
    header[WORDS_AT + WORD_BYTES..].copy_from_slice(&BITS.to_be_bytes());
    header
}
