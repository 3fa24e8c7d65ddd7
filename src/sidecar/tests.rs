//! Compares containers with plain sets and sidecars with plain replays, and changes every byte.

use std::{collections::BTreeSet, fs, ops::Range, path::PathBuf};

use tabiya_chess::{
    Counts, Flow, Follow, Man, Placed, Rewind, Start, material::CountRange, placement::Placement,
};
use tabiya_formats::{Scratch, View};

use super::{
    container::{self, Container, Shape},
    end_tests::ends,
    games::BlockGames,
    layout::{Directory, Header},
    visit_tracker::VisitTracker,
    *,
};
use crate::{
    database::{Database, with_view},
    pattern::{
        Pattern, Term, Test,
        material::{MaterialPhases, Stretch},
    },
    slow::ends_soon,
};

/// Pseudo-random numbers that are the same on every machine.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

/// Sets of games of a block: none, all, few, all but few, half, clusters.
fn sets(games: u32) -> Vec<BTreeSet<u16>> {
    let mut dice = Dice(u64::from(games));
    let mut some = |count: u64| -> BTreeSet<u16> {
        let number = |_| dice.below(games.into()) as u16;
        (0..count).map(number).collect()
    };
    let all: BTreeSet<u16> = (0..games).map(|game| game as u16).collect();
    let mut sets = vec![BTreeSet::new(), all.clone()];
    for count in [1, 3, 40, u64::from(games) / 20, u64::from(games)] {
        let few = some(count);
        sets.push(all.difference(&few).copied().collect());
        sets.push(few);
    }
    sets.push(
        all.iter()
            .copied()
            .filter(|game| game % 1000 < 300)
            .collect(),
    );
    sets
}

fn words(set: &BTreeSet<u16>) -> Vec<u64> {
    let mut words = vec![0; BLOCK_WORDS];
    for &game in set {
        words[usize::from(game / 64)] |= 1 << (game % 64);
    }
    words
}

fn stored(set: &BTreeSet<u16>, games: u32) -> (Shape, Vec<u8>) {
    let mut bytes = Vec::new();
    let shape = container::write(&words(set), games, &mut bytes);
    (shape, bytes)
}

fn listed(games: &BlockGames, among: u32) -> BTreeSet<u16> {
    let numbers = (0..among).map(|game| game as u16);
    match games {
        BlockGames::Few(games) => games.iter().copied().collect(),
        BlockGames::Many(words) => numbers
            .filter(|game| words[usize::from(game / 64)] >> (game % 64) & 1 == 1)
            .collect(),
    }
}

#[test]
fn containers_come_back_as_they_were_and_take_few_bytes() {
    for games in [1, 63, 64, 65, 1000, 65_535, 65_536] {
        for set in sets(games) {
            let (shape, bytes) = stored(&set, games);
            assert_eq!(shape.count() as usize, set.len());
            assert_eq!(shape.bytes(games), Some(bytes.len()));
            let missing = games as usize - set.len();
            let bitmap = 8 * games.div_ceil(64) as usize;
            let numbers = match set.len().min(missing) {
                few @ 0..=512 => 2 * few,
                many => 512 + many,
            };
            let smallest = if numbers < bitmap.min(6144) {
                numbers
            } else {
                bitmap
            };
            assert_eq!(bytes.len(), smallest, "{} of {games}", set.len());
            let row = shape.read(games, &bytes).unwrap();
            for game in (0..games).map(|game| game as u16) {
                assert_eq!(row.holds(game), set.contains(&game));
            }
        }
    }
}

#[test]
fn shapes_that_cannot_be_have_no_length() {
    for wrong in [
        0x0000_0001,
        0x0100_0005,
        0x0200_000b,
        0x0300_000b,
        0x0500_0001,
        u32::MAX,
    ] {
        assert_eq!(Shape(wrong).bytes(10), None, "{wrong:#x}");
    }
}

/// A union may have more games, since it is only a bound; none may be lost.
#[test]
fn narrowing_keeps_what_all_conditions_hold() {
    for games in [100, 5000, 65_536] {
        let sets = sets(games);
        let stored: Vec<_> = sets.iter().map(|set| stored(set, games)).collect();
        let row = |number: usize| -> Container<'_> {
            let (shape, bytes) = &stored[number];
            shape.read(games, bytes).unwrap()
        };
        for one in 0..sets.len() {
            let begun = BlockGames::union(&[row(one)], sets[one].len(), games);
            assert!(sets[one] == listed(&begun, BLOCK_GAMES), "{one} of {games}");
            for other in 0..sets.len() {
                let kept = begun.clone().keep(&[row(other)]);
                let both = &listed(&begun, games) & &sets[other];
                assert!(listed(&kept, games) == both, "{one} and {other} of {games}");
                let third = (one + other) % sets.len();
                let either = &sets[other] | &sets[third];
                let kept = listed(&begun.clone().keep(&[row(other), row(third)]), games);
                assert!((&sets[one] & &either).is_subset(&kept));
                assert!(kept.is_subset(&listed(&begun, games)));
            }
        }
    }
}

#[test]
fn sets_of_games_unite_and_intersect_like_sets() {
    let (games, sets) = (5000, sets(5000));
    let made = |set: &BTreeSet<u16>| {
        let (shape, bytes) = stored(set, games);
        let all = BlockGames::Many(Box::new([u64::MAX; BLOCK_WORDS]));
        all.keep(&[shape.read(games, &bytes).unwrap()])
    };
    for one in &sets {
        for other in &sets {
            let (both, either) = (made(one).and(made(other)), made(one).or(made(other)));
            assert!(listed(&both, games) == one & other);
            assert!(listed(&either, games) == one | other);
        }
    }
}

#[test]
fn transposing_moves_bit_b_of_word_w_to_bit_w_of_word_b() {
    let mut dice = Dice(7);
    let before: [u64; 64] =
        std::array::from_fn(|_| dice.below(1 << 31) << 40 ^ dice.below(1 << 31) << 15);
    let mut after = before;
    rows::transpose(&mut after);
    for (word, bits) in before.iter().enumerate() {
        for (bit, other) in after.iter().enumerate() {
            assert_eq!(bits >> bit & 1, other >> word & 1, "{word} {bit}");
        }
    }
}

/// A copy of a fixture with its sidecar, in a folder of its own.
pub(super) struct Copy {
    _folder: tempfile::TempDir,
    index: PathBuf,
    pub(super) database: Database,
}

impl Copy {
    pub(super) fn new() -> Copy {
        let folder = tempfile::tempdir().unwrap();
        for suffix in ["si4", "sg4", "sn4"] {
            let name = format!("famous.{suffix}");
            let fixture = format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
            fs::copy(fixture, folder.path().join(name)).unwrap();
        }
        let index = folder.path().join("famous.si4");
        let database = Database::open(&index).unwrap();
        let path = index.with_extension(SUFFIX);
        let mut told = 0;
        let order = BuildRequest {
            store: database.store(),
            parts: Parts { columns: true },
            path: &path,
            grows: false,
        };
        with_view!(database.tags(), view => build(view, &order, None, &mut |done, _| {
            told = done;
            crate::Flow::Continue(())
        }))
        .unwrap();
        assert_eq!(told, u64::from(database.len()));
        Copy {
            _folder: folder,
            index,
            database,
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        fs::read(self.index.with_extension(SUFFIX)).unwrap()
    }

    pub(super) fn open(&self, bytes: Vec<u8>) -> Result<Sidecar> {
        let file = File::in_memory(PathBuf::from("famous.tabiya"), bytes);
        Sidecar::new(file, self.database.store())
    }

    /// Returns the squares that men have visited in each game.
    fn squares(&self) -> Vec<Squares> {
        let (mut trace, mut scratch) = (VisitTracker::new(), Scratch::default());
        let mut squares = Vec::new();
        with_view!(self.database.tags(), view => for record in view.records() {
            view.main_line(record, &mut scratch, &mut trace).unwrap();
            squares.push(trace.squares);
        });
        squares
    }
}

fn pattern(terms: &[(&str, u64)]) -> Pattern {
    let term = |&(letters, squares): &(&str, u64)| {
        let men = letters
            .chars()
            .map(|letter| Man::from_char(letter).unwrap());
        let men = men.fold(0, |men, man| men | 1 << man.index());
        Term::new(false, Test::All { men, squares })
    };
    let terms = terms.iter().map(term).collect();
    Pattern::new(CountRange::ANY, None, (0, u32::MAX), terms)
}

/// Patterns that some of the fixture's games allow, and more than the few at which narrowing stops.
fn patterns() -> Vec<Pattern> {
    vec![
        pattern(&[("P", 1 << 28)]),
        pattern(&[("N", 1 << 18 | 1 << 21)]),
        pattern(&[("K", 1 << 6), ("k", 1 << 62)]),
        pattern(&[("QRBNP", 1 << 35), ("n", 1 << 45), ("bn", 1 << 42)]),
        pattern(&[("P", 0xff << 24)]),
    ]
}

#[test]
fn every_game_is_in_the_visit_sets_of_its_squares_and_in_no_others() {
    let copy = Copy::new();
    let sidecar = copy.open(copy.bytes()).unwrap();
    let squares = copy.squares();
    for man in Man::ALL {
        for square in 0..64 {
            let row = (man.index() * 64 + square) as u16;
            let wanted = RequiredSets::new(&pattern(&[(&man.char().to_string(), 1 << square)]));
            let having: BTreeSet<u16> = (0..)
                .zip(&squares)
                .filter_map(|(game, squares)| squares.has(row).then_some(game))
                .collect();
            match sidecar.candidates(0, &wanted) {
                Some(games) => assert!(listed(&games, sidecar.games) == having, "row {row}"),
                None => assert_eq!(having.len(), squares.len(), "row {row}"),
            }
        }
    }
    assert!(
        sidecar
            .candidates(1, &RequiredSets::new(&patterns()[0]))
            .is_none()
    );
}

#[test]
fn candidates_hold_every_game_that_allows_a_pattern() {
    let copy = Copy::new();
    let sidecar = copy.open(copy.bytes()).unwrap();
    holds_all(&copy.squares(), &sidecar);
    let rare = pattern(&[("N", 1 << 18), ("b", 1 << 9), ("q", 1 << 33)]);
    let few = sidecar.candidates(0, &RequiredSets::new(&rare)).unwrap();
    assert!(listed(&few, sidecar.games).len() < 20);
}

/// Checks that no game is excluded whose men have visited the squares of some patterns.
fn holds_all(squares: &[Squares], sidecar: &Sidecar) {
    for pattern in patterns() {
        let wanted = RequiredSets::new(&pattern);
        let Some(games) = sidecar.candidates(0, &wanted) else {
            continue;
        };
        let games = listed(&games, sidecar.games);
        for (game, squares) in (0..).zip(squares) {
            assert!(
                !wanted.allows(squares) || games.contains(&game),
                "game {game}"
            );
        }
    }
}

/// Returns the timelines of some games.
fn stretches(sidecar: &Sidecar, games: Range<u32>) -> Vec<Option<Vec<Stretch>>> {
    games
        .map(|game| {
            let mut timeline = sidecar.timelines(game)?.of(game)?;
            let next = || timeline.next_within(&CountRange::ANY);
            Some(std::iter::from_fn(next).collect())
        })
        .collect()
}

/// Follows a game and records the counts of each position, and whether it begins like most games.
#[derive(Default)]
struct Recorder(Vec<Counts>, bool);

impl Follow for Recorder {
    fn reset(&mut self) {
        self.0.clear();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.0 = vec![Counts::of(&start.setup().board)];
        self.1 = matches!(start, Start::Standard);
        self.ply_done()
    }

    fn moved(&mut self, _: Placed, _: Placed) {}

    fn remove(&mut self, gone: Placed) {
        self.0.last_mut().unwrap().take(gone.man());
    }

    fn place(&mut self, new: Placed) {
        self.0.last_mut().unwrap().add(new.man());
    }

    /// The last count belongs to the next ply.
    fn ply_done(&mut self) -> Flow {
        self.0.extend(self.0.last().copied());
        Flow::Continue(())
    }
}

impl Rewind for Recorder {
    type Snapshot = ();

    fn snapshot(&self) {}

    fn restore(&mut self, (): &()) {}
}

#[test]
fn timelines_tell_the_counts_of_every_position() {
    let copy = Copy::new();
    let sidecar = copy.open(copy.bytes()).unwrap();
    let (mut recorder, mut scratch) = (Recorder::default(), Scratch::default());
    let mut told = stretches(&sidecar, 0..sidecar.games).into_iter();
    with_view!(copy.database.tags(), view => for record in view.records() {
        view.main_line(record, &mut scratch, &mut recorder).unwrap();
        recorder.0.pop();
        let told = told.next().unwrap();
        assert_eq!(told.is_some(), recorder.1);
        let Some(told) = told else { continue };
        let counts = |stretch: Stretch| (stretch.first..stretch.end).map(move |_| stretch.counts);
        let told: Vec<Counts> = told.into_iter().flat_map(counts).collect();
        assert_eq!(told, recorder.0);
    });
}

/// A frequent position and its stored data.
type Known = (Placement, BTreeSet<u16>, Vec<u32>, Vec<OpeningRow>);

/// Returns the games, their plies and the rows of the first positions of games.
fn openings(sidecar: &Sidecar) -> Vec<Known> {
    let mut placement = Placement::at(Start::Standard);
    let mut known = Vec::new();
    for (man, from, to) in [('P', 12, 28), ('p', 52, 36), ('N', 6, 21)] {
        if let Some(opening) = sidecar.opening(&placement) {
            let games = sidecar.opening_games(opening, 0).unwrap();
            let listed = listed(&games.games(), sidecar.games);
            let plies = listed.iter().map(|&game| games.first_ply(game)).collect();
            let rows = sidecar.opening_rows(opening).unwrap();
            known.push((placement, listed, plies, rows));
        }
        let man = Man::from_char(man).unwrap();
        let placed = |square| Placed::new(man, shakmaty::Square::new(square));
        placement.shift(placed(from), placed(to));
        placement.pass();
    }
    known
}

/// Checks that a sidecar has the same data about some positions, or none.
fn knows_no_other(known: &[Known], sidecar: &Sidecar) {
    for (placement, listed_games, plies, rows) in known {
        let Some(opening) = sidecar.opening(placement) else {
            continue;
        };
        if let Some(games) = sidecar.opening_games(opening, 0) {
            assert!(listed(&games.games(), sidecar.games) == *listed_games);
            let found = listed_games.iter().map(|&game| games.first_ply(game));
            assert!(found.eq(plies.iter().copied()));
        }
        let found = sidecar.opening_rows(opening);
        assert!(found.is_none_or(|found| found == *rows));
    }
}

#[test]
fn a_changed_byte_makes_a_sidecar_unused_or_says_less_but_nothing_wrong() {
    let copy = Copy::new();
    let (sound, squares) = (copy.bytes(), copy.squares());
    let undamaged = copy.open(copy.bytes()).unwrap();
    let (told, told_ends) = (stretches(&undamaged, 0..3), ends(&undamaged, 0..3));
    let openings = openings(&copy.open(sound.clone()).unwrap());
    assert!(openings.len() > 1);
    for at in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[at] ^= 1 << (at % 8);
        match copy.open(bytes) {
            Ok(sidecar) => {
                holds_all(&squares, &sidecar);
                // Those of all games are in one blob.
                let mut first = stretches(&sidecar, 0..3).into_iter().zip(&told);
                assert!(first.all(|(one, told)| one.is_none() || one == *told));
                let mut first = ends(&sidecar, 0..3).into_iter().zip(&told_ends);
                assert!(first.all(|(one, told)| one.is_none() || one == *told));
                knows_no_other(&openings, &sidecar);
            }
            Err(error) => {
                assert!(
                    matches!(error.kind(), ErrorKind::SidecarUnused { .. }),
                    "{error}"
                );
            }
        }
    }
}

#[test]
fn a_sidecar_that_is_cut_short_is_unused() {
    let copy = Copy::new();
    let sound = copy.bytes();
    for length in (0..sound.len()).step_by(61) {
        assert!(copy.open(sound[..length].to_vec()).is_err(), "{length}");
    }
}

#[test]
fn what_cannot_be_read_excludes_nothing() {
    let copy = Copy::new();
    let (mut bytes, sound) = (copy.bytes(), copy.open(copy.bytes()).unwrap());
    let wanted = RequiredSets::new(&patterns()[1]);
    assert!(sound.candidates(0, &wanted).is_some());
    // All blobs, but not the header before them nor the directories after them.
    let header = Header::read(&bytes).unwrap();
    let directories = header.part(PartKind::Sets).unwrap().directories().unwrap();
    bytes[Header::BYTES..directories.start].fill(0x55);
    let damaged = copy.open(bytes).unwrap();
    assert!(damaged.candidates(0, &wanted).is_none());
    assert!(
        stretches(&damaged, 0..damaged.games)
            .iter()
            .all(Option::is_none)
    );
}

#[test]
fn the_layout_has_the_sizes_that_its_description_gives() {
    assert_eq!(
        (Header::BYTES, Directory::bytes(0), Directory::bytes(1)),
        (528, 16, 28)
    );
}

#[test]
fn making_a_sidecar_ends_soon_whatever_a_game_costs() {
    let database = Database::open("fixtures/famous.si4").unwrap();
    let folder = tempfile::tempdir().unwrap();
    ends_soon(0, |games, ask| {
        let order = BuildRequest {
            store: database.store(),
            parts: Parts::default(),
            path: &folder.path().join("famous.tabiya"),
            grows: false,
        };
        let progress = &mut |_, _| ask();
        let made = with_view!(database.tags(), view => {
            build(games.of(view), &order, None, progress)
        });
        assert!(made.is_ok_and(|made| made.blocks == 1) || ask().is_break());
    });
}
