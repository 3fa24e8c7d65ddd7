//! Converts records of `.si5`, in which every game is prepared, to those of `.si4`.

use shakmaty::Color;
use tabiya_chess::PartialDate;
use zerocopy::FromZeros;

use super::record::is_near;
use crate::{
    header::{Extent, Header, NameSlot},
    scid4::{
        record::{Record, counter_code},
        record5::Record5,
    },
};

/// Returns a record with the same content. Name IDs, offset and length must fit; an event date
/// that cannot be expressed becomes unknown.
pub(super) fn narrowed(wide: &Record5) -> Record {
    let mut record = Record::new_zeroed();
    let (flags, length) = (wide.flags(), wide.length_bytes());
    record.offset.set(wide.offset_bytes() as u32);
    record.length_low.set(length as u16);
    record.length_high = (length >> 9) as u8 & 0x80 | (flags >> 16) as u8 & 0x3f;
    record.common.flags.set(flags as u16);
    set_names(&mut record, wide);

    let common = &mut record.common;
    let code = |count: Extent| counter_code(count.at_least as usize);
    common.result_and_counts.set(
        (wide.result() as u16) << 12
            | code(wide.nag_count()) << 8
            | code(wide.comment_count()) << 4
            | code(wide.variation_count()),
    );
    common.eco.set(wide.eco_code());
    common.dates.set(dates(wide.date(), wide.event_date()));
    let rating = |color| u16::from(wide.rating_kind(color).code()) << 12 | wide.rating_value(color);
    common.white_rating.set(rating(Color::White));
    common.black_rating.set(rating(Color::Black));
    let line = u32::from(wide.stored_line()) << 24;
    let material = line | wide.final_material().0 & 0xff_ffff;
    common.line_and_material.set(material);
    let (plies, pawns) = (wide.plies().at_least, wide.home_pawns());
    let plies = (plies as u16 & 0xff) << 8 | ((plies >> 8 & 3) as u16) << 6;
    common.plies_and_pawns.set(plies | u16::from(pawns.count()));
    common.home_pawns.set(pawns.packed());
    record
}

fn set_names(record: &mut Record, wide: &Record5) {
    let id = |slot| wide.name(slot).0;
    let high = |slot| (id(slot) >> 16) as u8;
    let common = &mut record.common;
    common.players_high = high(NameSlot::White) << 4 | high(NameSlot::Black) & 15;
    common.places_high =
        high(NameSlot::Event) << 5 | (high(NameSlot::Site) & 7) << 2 | high(NameSlot::Round) & 3;
    common.white_low.set(id(NameSlot::White) as u16);
    common.black_low.set(id(NameSlot::Black) as u16);
    common.event_low.set(id(NameSlot::Event) as u16);
    common.site_low.set(id(NameSlot::Site) as u16);
    common.round_low.set(id(NameSlot::Round) as u16);
}

/// Packs both dates into 32 bits. The event's year is stored relative to the game's.
fn dates(date: PartialDate, event: PartialDate) -> u32 {
    if !is_near(date, event) {
        return date.packed();
    }
    let year = date.year().unwrap_or(0);
    let delta = u32::from(event.year().unwrap_or(0) + 4 - year);
    // Without a year the rest of an event date is dropped.
    let event = match event.year() {
        Some(_) => event,
        None => PartialDate::UNKNOWN,
    };
    let (month, day) = (u32::from(event.month()), u32::from(event.day()));
    delta << 29 | month << 25 | day << 20 | date.packed()
}
