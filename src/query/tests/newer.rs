//! Random values of words about moves and counts.

use proptest::{collection::vec, option, prelude::*, sample::select};
use shakmaty::{Color, File, Rank};

use super::{
    super::{part::Part, *},
    round_trip::{OPS, man},
};

pub(super) fn played() -> impl Strategy<Value = String> {
    "O-O|0-0-0[+]|--|e\\.p\\.|[KQRBNP?]?[a-h?]?[1-8?]?x?[a-h?][1-8?](=[QRBN?])?( ?e\\.p\\.)?[+#]?"
}

pub(super) fn moves() -> impl Strategy<Value = Box<Moves>> {
    let texts = vec![
        "1.e4",
        "1. d4 Nf6 2. c4!? $1",
        "1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.O-O",
    ];
    select(texts).prop_map(|text| Box::new(Moves::parse(&Part::new(text)).unwrap()))
}

fn sum() -> impl Strategy<Value = CountSum> {
    let line = |lines: usize| {
        (0..lines, 0..lines).prop_map(|(one, other)| (one.min(other), one.max(other)))
    };
    let zone = prop_oneof![
        line(8).prop_map(|(low, high)| Zone::Files(File::ALL[low], File::ALL[high])),
        line(8).prop_map(|(low, high)| Zone::Ranks(Rank::ALL[low], Rank::ALL[high])),
        Just(Zone::Light),
        Just(Zone::Dark),
    ];
    let men = prop_oneof![
        man().prop_map(ManSet::of),
        select(vec![ManSet::WHITE, ManSet::BLACK]),
    ];
    let measures = vec![
        Measure::Men,
        Measure::Difference,
        Measure::Minors(Color::White),
        Measure::Minors(Color::Black),
    ];
    let count = prop_oneof![
        4 => (men, option::of(zone)).prop_map(|(men, zone)| Counted::Men(men, zone)),
        1 => select(measures).prop_map(Counted::Measure),
        1 => (0..40i32).prop_map(Counted::Number),
    ];
    let term = (any::<bool>(), count).prop_map(|(minus, count)| SumTerm { minus, count });
    vec(term, 1..5).prop_map(CountSum)
}

/// A sum that has no other form: one that begins with a count, and has two terms or a zone.
pub(super) fn sum_test() -> impl Strategy<Value = SumTest> {
    let range =
        (-40..=0i32, 0..40i32).prop_map(|(low, high)| SumBound::Range(Some(low), Some(high)));
    let bounds = prop_oneof![
        (select(OPS[1..].to_vec()), sum().prop_map(SumBound::Sum)),
        (select(OPS[..3].to_vec()), range),
    ];
    (sum(), bounds).prop_filter_map("begins with a count", |(mut left, (op, right))| {
        let first = left.0.first_mut()?;
        first.minus = false;
        let is_of_sum = match first.count {
            Counted::Number(_) => false,
            Counted::Men(_, zone) => zone.is_some() || left.0.len() > 1,
            Counted::Measure(_) => left.0.len() > 1,
        };
        // `P@a-b` is a range of files, and no difference of counts.
        let mut pairs = left.0.windows(2).chain(match &right {
            SumBound::Sum(sum) => sum.0.windows(2),
            SumBound::Range(..) => [].windows(2),
        });
        let is_read_otherwise = pairs.any(|pair| {
            let is_line = |zone: Zone| matches!(zone, Zone::Files(low, high) if low == high);
            let is_rank = |zone: Zone| matches!(zone, Zone::Ranks(low, high) if low == high);
            match (pair[0].count, pair[1]) {
                (Counted::Men(_, Some(zone)), SumTerm { minus: true, count }) => match count {
                    Counted::Men(_, None) => is_line(zone),
                    Counted::Number(_) => is_rank(zone),
                    _ => false,
                },
                _ => false,
            }
        });
        (is_of_sum && !is_read_otherwise).then_some(SumTest { left, op, right })
    })
}

pub(super) fn reply() -> impl Strategy<Value = Reply> {
    prop_oneof![Just(Reply::Mate), played().prop_map(Reply::Move)]
}
