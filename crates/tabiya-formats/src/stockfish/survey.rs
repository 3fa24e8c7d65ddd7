//! Surveys all chains of a file in parallel, block by block.
//!
//! After a damaged chain the next one in the block is searched for, byte by byte: a chain whose
//! moves are all legal, and which is followed by another such chain or by the end of the block, or
//! is long enough to be none by chance. What lies between is one damaged game. So damage costs the
//! chain that it is in, and seldom a short one after it. The search takes a bounded number of
//! steps for each byte of a block; then the rest of the block is one damaged game.

use std::ops::Range;

use rayon::prelude::*;
use shakmaty::{Move, Role};
use tabiya_chess::{
    Counts, FinalMaterial, Flow, GameResult, follow::break_if, variant::starts_chess960,
};

use super::{
    game::{Chain, HEAD_BYTES},
    layout::{Block, Blocks},
};
use crate::{
    Damage, Decoded, Header as _, Report,
    error::{Error, Result},
    header::flag,
    progress::Progress,
    training::{Facts, NOTES_MAX, Notes, Record, reserve},
};

/// Least bytes of blocks that are surveyed together, and their greatest number.
const BATCH_BYTES: usize = 1 << 26;
const BATCH_BLOCKS: usize = 1 << 12;
/// Entries of a chain that is believed whatever follows it.
const CERTAIN_ENTRIES: u32 = 8;
/// Stems and entries that may be tried for each byte of a block when the next chain is searched.
const STEPS_PER_BYTE: usize = 8;

/// Surveys all games. Also returns notes about the first damaged blocks and games.
///
/// # Errors
/// `LimitExceeded` if there are too many games; `Interrupted` after a `Break` from `progress`.
pub(super) fn survey(bytes: &[u8], progress: Report<'_>) -> Result<(Vec<Record>, Vec<Error>)> {
    let (mut records, mut notes): (Vec<Record>, Notes) = (Vec::new(), Notes::default());
    let mut blocks = Blocks::new(bytes);
    loop {
        let batch = next_batch(&mut blocks);
        let Some(last) = batch.last() else {
            break;
        };
        let end = last.data.end;
        let survey = |block: &Block| survey_block(bytes, block.data.clone());
        let parts: Vec<Part> = batch.par_iter().map(survey).collect();
        for (block, part) in batch.iter().zip(parts) {
            if let Some(flaw) = block.flaw {
                notes.add(Error::corrupt(flaw).at_offset(block.data.start as u64));
            }
            for (index, damage) in part.damaged {
                let record = records.len() + index;
                let number = u32::try_from(record + 1).unwrap_or(u32::MAX);
                let at = part
                    .records
                    .get(index)
                    .map_or(0, |game| game.offset_bytes());
                let error = Error::corrupt(damage.what).in_game(number);
                notes.add(error.at_offset(at + u64::from(damage.at)));
            }
            records.extend(part.records);
        }
        let (done, total) = (end as u64, bytes.len() as u64);
        if progress(Progress::of(done, total)).is_break() {
            return Err(Error::interrupted());
        }
        reserve(&mut records, end, bytes.len())?;
    }
    records.shrink_to_fit();
    Ok((records, notes.into_errors()))
}

fn next_batch(blocks: &mut Blocks<'_>) -> Vec<Block> {
    let (mut batch, mut bytes) = (Vec::new(), 0);
    while bytes < BATCH_BYTES && batch.len() < BATCH_BLOCKS {
        let Some(block) = blocks.next() else {
            break;
        };
        bytes += block.data.len();
        batch.push(block);
    }
    batch
}

/// The games of a block.
struct Part {
    records: Vec<Record>,
    /// The first damaged games, by their place in `records`.
    damaged: Vec<(usize, Damage)>,
}

fn survey_block(bytes: &[u8], data: Range<usize>) -> Part {
    let offset = data.start as u64;
    let block = bytes.get(data).unwrap_or_default();
    let mut part = Part {
        records: Vec::new(),
        damaged: Vec::new(),
    };
    let (mut at, mut steps) = (0, STEPS_PER_BYTE.saturating_mul(block.len()));
    while let Some(rest) = block.get(at..).filter(|rest| rest.len() >= HEAD_BYTES) {
        let (facts, read) = survey_chain(rest);
        let length = match read {
            Ok(length) => length,
            Err(damage) => {
                if part.damaged.len() < NOTES_MAX {
                    part.damaged.push((part.records.len(), damage));
                }
                next_chain(rest, &mut steps).unwrap_or(rest.len())
            }
        };
        let place = (offset + at as u64, length);
        part.records.push(Record::new(place, &facts));
        at += length;
    }
    part
}

/// Reads a chain; returns what is known of it, and its length or what is wrong with it.
fn survey_chain(bytes: &[u8]) -> (Facts, Decoded<usize>) {
    let mut facts = Facts {
        flags: 0,
        result: GameResult::Unknown,
        comments: 0,
        end: None,
    };
    let chain = match Chain::read(bytes) {
        Ok(chain) => chain,
        Err(damage) => return (facts, Err(damage)),
    };
    facts.result = chain.result();
    if let Some(setup) = chain.setup() {
        facts.flags = flag::CUSTOM_START;
        if starts_chess960(&setup) {
            facts.flags |= flag::CHESS960;
        }
    }
    let (mut men, mut plies) = (chain.men(), 0);
    let read = chain.walk(&mut men, |entry| {
        plies += u32::from(entry.played.is_some());
        facts.comments += u32::from(entry.score.is_some());
        if let Some(Move::Normal {
            promotion: Some(role),
            ..
        }) = entry.played
        {
            facts.flags |= flag::PROMOTION;
            if role != Role::Queen {
                facts.flags |= flag::UNDERPROMOTION;
            }
        }
        Flow::Continue(())
    });
    if read.is_ok() {
        facts.end = Some((plies, FinalMaterial::of(Counts::of(&men.board))));
    }
    (facts, read)
}

/// Returns where the chain after a damaged one begins, in the bytes from the damaged one on; `None`
/// if none is found in time.
fn next_chain(bytes: &[u8], steps: &mut usize) -> Option<usize> {
    let last = bytes.len().checked_sub(HEAD_BYTES)?;
    for at in 1..=last {
        if *steps == 0 {
            return None;
        }
        let Some((length, entries)) = whole(bytes.get(at..)?, steps) else {
            continue;
        };
        let after = bytes.get(at + length..)?;
        let is_last = after.len() < HEAD_BYTES;
        if entries >= CERTAIN_ENTRIES || is_last || whole(after, steps).is_some() {
            return Some(at);
        }
    }
    None
}

/// Returns length and number of entries of the chain at the beginning of some bytes; `None` if it
/// is damaged, or too long for the steps that are left.
fn whole(bytes: &[u8], steps: &mut usize) -> Option<(usize, u32)> {
    *steps = steps.saturating_sub(1);
    let chain = Chain::read(bytes).ok()?;
    let mut entries = 0;
    let read = chain.walk(&mut chain.men(), |_| {
        entries += 1;
        *steps = steps.saturating_sub(1);
        break_if(*steps == 0)
    });
    let length = read.ok()?;
    (*steps > 0).then_some((length, entries))
}
