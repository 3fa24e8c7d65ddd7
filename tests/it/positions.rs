//! Many positions counted in one pass are what a search for each of them finds.

use tabiya::{
    Database, Flow, GameId, GameSet, LineEnd, Positions, Query, Search, Strategy, Tally,
    WantedPosition, query::FenTest,
};

use crate::{
    conformance::kingbase,
    support::{dice::Dice, pool::Pool, shared, walk::Place},
};

fn wanted(place: &Place, with_turn: bool) -> WantedPosition {
    WantedPosition::new(FenTest {
        board: place.board.clone(),
        turn: with_turn.then_some(place.turn),
        castling: place.castling,
        en_passant: place.en_passant,
    })
}

/// Positions of the games, some twice, and some that no game has.
fn some_positions(pool: &Pool, count: usize, dice: &mut Dice) -> Vec<WantedPosition> {
    let position = |_| {
        let nodes = &dice.pick(&pool.games).nodes;
        let reach = if dice.percent(50) { 12 } else { nodes.len() };
        let node = &nodes[dice.below(reach.min(nodes.len()))];
        let mut place = node.place.clone();
        if dice.percent(10) {
            place = place.flipped();
        }
        wanted(&place, dice.percent(90))
    };
    let mut positions: Vec<WantedPosition> = (0..count).map(position).collect();
    positions.extend(positions.first().cloned());
    positions
}

/// Compares with a search for each position.
fn agrees(database: &Database, positions: &Positions, query: &Query, variations: bool) {
    let positions = positions.clone().variations(variations).query(query);
    let mut with_any = GameSet::default();
    let found: Vec<GameSet> = positions
        .wanted()
        .iter()
        .map(|wanted| {
            let asked = Query::from(wanted.fen.clone()).and(query.clone());
            let search = Search::new(&asked).variations(variations);
            search.run(database).unwrap().games()
        })
        .collect();
    for games in &found {
        with_any = with_any.or(games);
    }
    for strategy in [Strategy::Auto, Strategy::FullDecode] {
        let counts = positions.clone().keep_games(true).strategy(strategy);
        let counts = counts.run(database).unwrap();
        assert_eq!(counts.rows().len(), found.len());
        assert_eq!(counts.report().damaged, 0);
        assert_eq!(counts.report().matched, with_any.len());
        for ((wanted, count), games) in positions.wanted().iter().zip(counts.rows()).zip(&found) {
            let what = format!(
                "{} {strategy:?} variations {variations} {query}",
                wanted.fen
            );
            assert_eq!(&count.games, games, "{what}");
            let results = games
                .iter()
                .map(|game| database.header(game).unwrap().result);
            let mut by_result = [0; 4];
            results.for_each(|result| by_result[result as usize] += 1);
            let tally = |tally: &Tally| {
                use tabiya::chess::GameResult::*;
                [Unknown, WhiteWins, BlackWins, Draw].map(|result| tally.count(result))
            };
            assert_eq!(tally(&count.tally), by_result, "{what}");
        }
        let plain = positions.clone().strategy(strategy).run(database).unwrap();
        for (one, other) in plain.rows().iter().zip(counts.rows()) {
            assert_eq!(one.tally, other.tally);
            assert!(one.games.is_empty());
        }
    }
}

/// Few positions ask the index, many do not; a sidecar is asked for all of these.
#[test]
fn one_pass_counts_what_a_search_for_each_position_finds() {
    for seed in 0..6 {
        let pool = Pool::new(seed, 80);
        let mut dice = Dice::new(seed);
        for count in [1, 7, 40, 150] {
            let positions = Positions::new(some_positions(&pool, count, &mut dice));
            for query in ["", "result:1-0 or plies>40", "not check"] {
                let query = query.parse().unwrap();
                for variations in [false, true] {
                    agrees(&pool.database, &positions, &query, variations);
                    if seed < 2 {
                        agrees(&pool.indexed, &positions, &query, variations);
                    }
                }
            }
        }
    }
}

#[test]
fn no_positions_have_no_counts() {
    let pool = Pool::new(1, 10);
    let counts = Positions::default().run(&pool.database).unwrap();
    assert!(counts.rows().is_empty() && counts.is_empty());
}

#[test]
fn counting_stops_when_progress_says_so() {
    let pool = Pool::new(1, 10);
    let positions = Positions::new(some_positions(&pool, 3, &mut Dice::new(1)));
    let stopped = positions
        .on_progress(|_| Flow::Break(()))
        .run(&pool.database);
    let error = stopped.unwrap_err();
    assert!(matches!(error.kind(), tabiya::ErrorKind::Interrupted));
}

/// Positions of real games, of every length.
fn positions_of(database: &Database, count: u32, dice: &mut Dice) -> Vec<WantedPosition> {
    let mut positions = Vec::new();
    while positions.len() < count as usize {
        let game = GameId(dice.below(database.len() as usize) as u32);
        let plies = database.plies(game).unwrap();
        let most = if dice.percent(60) { 20 } else { 400 };
        let end = LineEnd::Ply(dice.below((plies as usize + 1).min(most)) as u32);
        let setup = database.line(game, end).unwrap().unwrap().end;
        positions.push(WantedPosition::new(FenTest {
            board: setup.board,
            turn: Some(setup.turn),
            castling: setup.castling_rights,
            en_passant: setup.ep_square,
        }));
    }
    positions
}

#[test]
fn real_games_are_counted_as_a_search_for_each_position_finds_them() {
    // Unoptimised, searching for many positions one by one takes too long.
    let counts: &[u32] = if cfg!(debug_assertions) {
        &[5]
    } else {
        &[40, 120]
    };
    let databases = [shared::database("scid4/edge/edge.si4"), kingbase()];
    for database in databases.into_iter().flatten() {
        for &count in counts {
            let positions = Positions::new(positions_of(&database, count, &mut Dice::new(7)));
            agrees(&database, &positions, &Query::All, false);
        }
    }
}
