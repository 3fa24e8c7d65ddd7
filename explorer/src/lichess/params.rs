//! What the three endpoints are asked, as a place, a filter and bounds on the answer.

use shakmaty::Color;
use tabiya::Query;

use crate::{
    errors::Fault,
    limits::Ask,
    params::{Params, PositionParam, query},
    registry::DatabaseRef,
    speeds,
};

/// Games that a client gets at most.
const MASTERS_TOP_GAMES: usize = 15;
const LICHESS_TOP_GAMES: usize = 4;
const LICHESS_RECENT_GAMES: usize = 4;
const PLAYER_RECENT_GAMES: usize = 8;
/// Moves that a client gets unless it says how many it wants.
const MOVES: usize = 12;

/// Variants that are chess, whatever position it begins with: their games count together, as in
/// the original.
const CHESS: [&str; 4] = ["standard", "chess", "chess960", "fromPosition"];

/// The lower ends of the rating groups, each of which ends where the next one begins.
const RATING_GROUPS: [u16; 9] = [0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500];
/// The last year that a database can hold.
const YEAR_MAX: u16 = 2047;

/// One request to one of the endpoints.
#[derive(Debug, Clone)]
pub(crate) struct LichessRequest {
    pub(crate) place: PositionParam,
    /// Conditions on games, as clauses of the query language.
    clauses: Vec<String>,
    speeds: Vec<usize>,
    modes: Vec<usize>,
    pub(crate) player: Option<Player>,
    /// Rows of the answer.
    pub(crate) moves: usize,
    /// Games by rating; `None` where the endpoint has no such list.
    pub(crate) top_games: Option<usize>,
    /// Games by date; `None` where the endpoint has no such list.
    pub(crate) recent_games: Option<usize>,
    /// Whether games by month are wanted.
    pub(crate) history: bool,
}

/// Whose games.
#[derive(Debug, Clone)]
pub(crate) struct Player {
    name: String,
    pub(crate) color: Color,
}

impl LichessRequest {
    /// Tells whether games are looked at one by one, and not only counted.
    pub(crate) fn shows_games(&self) -> bool {
        let wants = |list: Option<usize>| list.is_some_and(|wanted| wanted > 0);
        wants(self.top_games) || wants(self.recent_games) || self.history
    }

    /// Reads a request to `/masters`.
    pub(crate) fn masters(params: &Params) -> Result<LichessRequest, Fault> {
        let top_games = at_most(params, "topGames", MASTERS_TOP_GAMES)?;
        let mut asked = LichessRequest::new(params)?;
        asked.top_games = Some(top_games);
        for (name, sign) in [("since", ">="), ("until", "<=")] {
            let year = params.value::<u16>(name)?.map(|year| (year, None));
            asked.clauses.extend(date_clause(sign, year));
        }
        Ok(asked)
    }

    /// Reads a request to `/lichess`.
    pub(crate) fn lichess(params: &Params) -> Result<LichessRequest, Fault> {
        let mut asked = LichessRequest::new(params)?.of_months(params)?;
        asked.top_games = Some(at_most(params, "topGames", LICHESS_TOP_GAMES)?);
        asked.recent_games = Some(at_most(params, "recentGames", LICHESS_RECENT_GAMES)?);
        asked.history = params.flag("history")?;
        asked.clauses.extend(ratings_clause(params)?);
        Ok(asked)
    }

    /// Reads a request to `/player`.
    pub(crate) fn player(params: &Params) -> Result<LichessRequest, Fault> {
        let mut asked = LichessRequest::new(params)?.of_months(params)?;
        let name = params.text("player").filter(|name| !name.trim().is_empty());
        let name = name.ok_or_else(|| Fault::parameter("player", "missing"))?;
        let color = match params.text("color") {
            Some("white") => Color::White,
            Some("black") => Color::Black,
            None => return Err(Fault::parameter("color", "missing")),
            Some(_) => return Err(Fault::parameter("color", "neither `white` nor `black`")),
        };
        asked.player = Some(Player {
            name: name.to_owned(),
            color,
        });
        asked.moves = params.value("moves")?.unwrap_or(usize::MAX);
        asked.recent_games = Some(at_most(params, "recentGames", PLAYER_RECENT_GAMES)?);
        Ok(asked)
    }

    /// Reads what all endpoints are asked.
    fn new(params: &Params) -> Result<LichessRequest, Fault> {
        let variant = params.text("variant").unwrap_or("standard");
        if !CHESS.contains(&variant) {
            return Err(Fault::parameter(
                "variant",
                format!("no games of `{variant}`"),
            ));
        }
        Ok(LichessRequest {
            place: params.place()?,
            clauses: Vec::new(),
            speeds: choices(params, "speeds", &speeds::SPEEDS)?,
            modes: choices(params, "modes", &speeds::MODES)?,
            player: None,
            moves: params.value("moves")?.unwrap_or(MOVES),
            top_games: None,
            recent_games: None,
            history: false,
        })
    }

    fn of_months(mut self, params: &Params) -> Result<LichessRequest, Fault> {
        for (name, sign) in [("since", ">="), ("until", "<=")] {
            let month = params.text(name).map(month).transpose()?;
            self.clauses.extend(date_clause(sign, month));
        }
        Ok(self)
    }

    /// Returns the query that the games of one database must match.
    ///
    /// # Errors
    /// Those of a search, since names are looked up.
    pub(crate) fn query(&self, held: &DatabaseRef, ask: &Ask) -> Result<Query, Fault> {
        let mut clauses = self.clauses.clone();
        let all = self.speeds.len() == speeds::SPEEDS.len() && self.modes.len() == 2;
        if !all {
            let known = held.kinds(ask)?;
            clauses.extend(speeds::clauses(known, &self.speeds, &self.modes));
        }
        if let Some(player) = &self.player {
            clauses.push(player.clause(held, ask)?);
        }
        query(&clauses.join(" "))
    }

    /// Returns what makes answers differ.
    pub(crate) fn key(&self) -> String {
        let LichessRequest {
            place,
            clauses,
            speeds,
            modes,
            player,
            ..
        } = self;
        let (moves, top, recent) = (self.moves, self.top_games, self.recent_games);
        let history = self.history;
        format!(
            "{} {clauses:?} {speeds:?} {modes:?} {player:?} {moves} {top:?} {recent:?} {history}",
            place.key(),
        )
    }
}

impl Player {
    /// Returns the clause for the player's games: of exactly this name if the database has it,
    /// else of all names that contain it.
    fn clause(&self, held: &DatabaseRef, ask: &Ask) -> Result<String, Fault> {
        let name = self.name.replace('\\', "\\\\").replace('"', "\\\"");
        let side = self.color.fold_wb("white", "black");
        let exact = format!("{side}=\"{name}\"");
        let wanted = query(&exact)?;
        let found = tabiya::Search::new(&wanted)
            .limit(1)
            .on_progress(|_| ask.flow())
            .count(held)?;
        if found.matched > 0 {
            Ok(exact)
        } else {
            Ok(format!("{side}:\"{name}\""))
        }
    }
}

/// Parses a limit, at most `max`.
fn at_most(params: &Params, name: &str, max: usize) -> Result<usize, Fault> {
    let wanted = params.value::<usize>(name)?;
    Ok(wanted.map_or(max, |wanted| wanted.min(max)))
}

/// Reads a list of words as places in the list of all words; all of them when it is not there.
fn choices(params: &Params, name: &str, all: &[&str]) -> Result<Vec<usize>, Fault> {
    let Some(words) = params.list(name) else {
        return Ok((0..all.len()).collect());
    };
    let find = |word: &str| {
        let place = all.iter().position(|known| *known == word);
        place.ok_or_else(|| Fault::parameter(name, format!("unknown: `{word}`")))
    };
    let mut places: Vec<usize> = words.into_iter().map(find).collect::<Result<_, _>>()?;
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// Reads a month `2010-05`.
fn month(text: &str) -> Result<(u16, Option<u8>), Fault> {
    let wrong = || Fault::Request(format!("`{text}` is not a month like `2010-05`"));
    let (year, month) = text.split_once('-').ok_or_else(wrong)?;
    let month = month
        .parse::<u8>()
        .ok()
        .filter(|month| (1..=12).contains(month));
    match (year.parse::<u16>(), month) {
        (Ok(year), Some(month)) => Ok((year, Some(month))),
        _ => Err(wrong()),
    }
}

/// Returns the clause for a bound on the date; none for one that no game can violate.
fn date_clause(sign: &str, bound: Option<(u16, Option<u8>)>) -> Option<String> {
    let (year, month) = bound?;
    match (sign, year) {
        (">=", 0) => None,
        ("<=", YEAR_MAX..) => None,
        // Nothing is that late, or that early.
        (">=", year) if year > YEAR_MAX => Some("number<1".to_owned()),
        ("<=", 0) => Some("number<1".to_owned()),
        _ => Some(match month {
            Some(month) => format!("date{sign}{year:04}.{month:02}"),
            None => format!("date{sign}{year:04}"),
        }),
    }
}

/// Returns the clause for the rating groups; none when all are wanted. A game's group is that of
/// the mean of both ratings, so a game without both is in none.
fn ratings_clause(params: &Params) -> Result<Option<String>, Fault> {
    let names: Vec<String> = RATING_GROUPS.iter().map(u16::to_string).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let groups = choices(params, "ratings", &names)?;
    if groups.len() == RATING_GROUPS.len() {
        return Ok(None);
    }
    let group = |&group: &usize| match RATING_GROUPS.get(group + 1) {
        Some(next) => format!("(avgelo>={} avgelo<{next})", RATING_GROUPS[group].max(1)),
        None => format!("avgelo>={}", RATING_GROUPS[group]),
    };
    let clauses: Vec<String> = groups.iter().map(group).collect();
    Ok(Some(if clauses.is_empty() {
        "number<1".to_owned()
    } else {
        format!("({})", clauses.join(" or "))
    }))
}
