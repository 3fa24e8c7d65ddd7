//! The parameters of an address, by name.

use std::{fmt::Display, str::FromStr};

use axum::{
    extract::{FromRequestParts, Query as UrlQuery},
    http::request::Parts,
};
use shakmaty::{
    CastlingMode, Chess, EnPassantMode, Move, Position, PositionErrorKinds, Setup, san::San,
    uci::UciMove,
};
use tabiya::{Query, TreePosition, chess::forgiving_position};

use crate::errors::Fault;

/// Moves that a line may have.
pub(crate) const LINE_MOVES_MAX: usize = 1000;

/// Bytes of a query. Those of people have a hundred; each of its conditions is asked of every game.
const QUERY_BYTES_MAX: usize = 8 << 10;

/// The parameters of one request, in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Params(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Params, Fault> {
        let pairs = UrlQuery::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        let pairs = pairs.map_err(|_| Fault::Request("the address is malformed".to_owned()))?;
        Ok(Params(pairs.0))
    }
}

impl Params {
    /// Returns names and values. Older clients write `name[]` for a name.
    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.0.iter();
        pairs.map(|(name, value)| (name.strip_suffix("[]").unwrap_or(name), value.as_str()))
    }

    /// Checks that there are no other parameters than these.
    ///
    /// # Errors
    /// `Request`, with the first other one and all that are known.
    pub(crate) fn only(&self, names: &[&str]) -> Result<(), Fault> {
        let Some((other, _)) = self.pairs().find(|(name, _)| !names.contains(name)) else {
            return Ok(());
        };
        let known = if names.is_empty() {
            "none is known here".to_owned()
        } else {
            format!("known here are {}", names.join(", "))
        };
        Err(Fault::Request(format!("no parameter `{other}`: {known}")))
    }

    /// Returns the values of a parameter.
    fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let named = self.pairs().filter(move |(key, _)| *key == name);
        named.map(|(_, value)| value)
    }

    /// Returns the value of a parameter; the last one counts.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.all(name).last()
    }

    /// Returns the values of a parameter, separated by commas; `None` when it is not there.
    pub(crate) fn list(&self, name: &str) -> Option<Vec<&str>> {
        self.text(name)?;
        let values = self.all(name).flat_map(|values| values.split(','));
        Some(values.filter(|value| !value.is_empty()).collect())
    }

    /// Reads the value of a parameter.
    ///
    /// # Errors
    /// When it is not of its type.
    pub(crate) fn value<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>, Fault> {
        let read = |text: &str| {
            let value = text.parse();
            value.map_err(|error| Fault::parameter(name, error))
        };
        self.text(name).map(read).transpose()
    }

    /// Reads a parameter that says yes or no; no when it is not there. Clients in Python write
    /// `True`.
    ///
    /// # Errors
    /// When it is neither.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Fault> {
        let text = self.text(name).map(str::to_ascii_lowercase);
        match text.as_deref() {
            None | Some("false" | "0") => Ok(false),
            Some("" | "true" | "1") => Ok(true),
            Some(_) => Err(Fault::parameter(name, "neither `true` nor `false`")),
        }
    }

    /// Returns the names of the databases that are asked; none for all.
    pub(crate) fn databases(&self) -> Vec<String> {
        let names = self.list("db").unwrap_or_default();
        names.into_iter().map(str::to_owned).collect()
    }

    /// Reads the query in the parameter `q`; every game when it is not there.
    ///
    /// # Errors
    /// `Query`, which says where it is wrong.
    pub(crate) fn query(&self) -> Result<Query, Fault> {
        query(self.text("q").unwrap_or_default())
    }

    /// Reads the position of `fen` and plays the moves of `play` from there.
    ///
    /// # Errors
    /// When one of them is not possible.
    pub(crate) fn place(&self) -> Result<PositionParam, Fault> {
        let position = self.position(|_, _| ())?;
        Ok(PositionParam(position.to_setup(EnPassantMode::Legal)))
    }

    /// The same with the moves to it, if it comes of moves from the standard start position.
    ///
    /// # Errors
    /// When one of them is not possible.
    pub(crate) fn line(&self) -> Result<TreePosition, Fault> {
        let mut line = String::new();
        let position = self.position(|before, played| {
            line += &format!("{} ", San::from_move(before, played));
        })?;
        let is_standard = self.text("fen").is_none_or(str::is_empty);
        let of_moves = is_standard.then(|| TreePosition::from_moves(&line));
        Ok(match of_moves {
            Some(Ok(position)) => position,
            _ => TreePosition::new(position.to_setup(EnPassantMode::Legal)),
        })
    }

    /// Returns the whole position; tells of each move and the position before it.
    ///
    /// # Errors
    /// When one of them is not possible.
    pub(crate) fn position(&self, mut tell: impl FnMut(&Chess, Move)) -> Result<Chess, Fault> {
        let mut position = match self.text("fen") {
            None | Some("") => Chess::default(),
            Some(fen) => position(fen)?,
        };
        let moves = self.list("play").unwrap_or_default();
        if moves.len() > LINE_MOVES_MAX {
            let what = format!("more than {LINE_MOVES_MAX} moves");
            return Err(Fault::parameter("play", what));
        }
        for text in moves {
            let uci: UciMove = text
                .parse()
                .map_err(|error| Fault::parameter("play", format!("{error}: {text}")))?;
            let played = uci
                .to_move(&position)
                .map_err(|error| Fault::parameter("play", format!("{error}: {text}")))?;
            tell(&position, played);
            position.play_unchecked(played);
        }
        Ok(position)
    }
}

/// Returns a text as the parameters of an address have it.
pub(crate) fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

/// Checks that a query is not too long.
///
/// # Errors
/// `Query`, if it is.
pub(crate) fn checked_length(text: &str) -> Result<(), Fault> {
    if text.len() <= QUERY_BYTES_MAX {
        return Ok(());
    }
    Err(Fault::Query(tabiya::query::Fault {
        start: QUERY_BYTES_MAX,
        end: text.len(),
        message: format!("the query is longer than {QUERY_BYTES_MAX} bytes"),
        suggestion: None,
    }))
}

/// Reads a query of a client.
///
/// # Errors
/// `Query`, which says where it is wrong; also when it is too long.
pub(crate) fn query(text: &str) -> Result<Query, Fault> {
    checked_length(text)?;
    let query: Query = text.parse().map_err(Fault::Query)?;
    if query.names_files() {
        return Err(Fault::Query(tabiya::query::Fault {
            start: 0,
            end: text.len(),
            message: "`repertoire` reads files of the server, which nobody may name from here"
                .to_owned(),
            suggestion: None,
        }));
    }
    Ok(query)
}

/// A position that is asked about.
#[derive(Debug, Clone)]
pub(crate) struct PositionParam(pub(crate) Setup);

impl PositionParam {
    pub(crate) fn tree(&self) -> TreePosition {
        TreePosition::new(self.0.clone())
    }

    /// Returns what makes answers differ: the men and who is to move.
    pub(crate) fn key(&self) -> String {
        format!("{} {}", self.0.board, self.0.turn.char())
    }
}

/// Reads a FEN or the beginning of one. Positions that no game reaches pass, as long as the
/// rules of chess can do something with them.
///
/// # Errors
/// When it is none, or the rules can do nothing with it.
pub(crate) fn position(fen: &str) -> Result<Chess, Fault> {
    let read = TreePosition::from_fen(fen);
    let read = read.map_err(|fault| Fault::parameter("fen", fault.message))?;
    forgiving_position(read.setup().clone(), CastlingMode::Chess960)
        .map_err(|kinds| Fault::parameter("fen", format!("illegal position: {}", what(kinds))))
}

/// Says what the rules of chess cannot do with a position.
fn what(kinds: PositionErrorKinds) -> &'static str {
    let texts = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (
            PositionErrorKinds::TOO_MANY_KINGS,
            "there are too many kings",
        ),
        (
            PositionErrorKinds::PAWNS_ON_BACKRANK,
            "a pawn stands on a back rank",
        ),
        (
            PositionErrorKinds::OPPOSITE_CHECK,
            "the side to move could take the king",
        ),
    ];
    let found = texts.iter().find(|(kind, _)| kinds.contains(*kind));
    found.map_or("no game reaches it", |(_, text)| text)
}
