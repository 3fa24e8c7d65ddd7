//! Requests as other programs send them, letter by letter, and the fields that they read.
//!
//! Facts of public sources, written down by us: how an address is built and encoded, which headers
//! come with it, how the answer is split, and of which type each field must be.

use serde_json::Value;

use crate::{client::ask, server::Server};

/// How a client splits an answer.
enum Split {
    /// The whole body is one value.
    Whole,
    /// A value a line; empty lines keep the connection alive.
    Lines,
}

/// One request of one client.
struct Pattern {
    client: &'static str,
    address: &'static str,
    /// Beyond `Host`.
    headers: &'static str,
    split: Split,
    /// Places and types; every item of a list must have them. `?` allows null or nothing.
    reads: &'static str,
}

/// The site's own analysis board: project lichess-org/lila, `explorerXhr.ts` and `explorerView.ts`
/// in `ui/analyse/src/explorer`. Browsers write a space as `+` and encode commas and slashes. All
/// endpoints are read as lines.
const LILA: [Pattern; 3] = [
    Pattern {
        client: "lila, masters",
        address: "/masters?variant=standard&fen=rnbqkbnr%2Fpppppppp%2F8%2F8%2F8%2F8%2FPPPPPPPP%2F\
                  RNBQKBNR+w+KQkq+-+0+1&play=e2e4%2Ce7e5&since=1700&until=2030&source=analysis",
        headers: "Accept: */*\r\nOrigin: https://lichess.org\r\nReferer: https://lichess.org/\r\n\
                  Accept-Encoding: gzip, deflate, br\r\n",
        split: Split::Lines,
        reads: "white:number draws:number black:number moves[].uci:string moves[].san:string \
                moves[].white:number moves[].draws:number moves[].black:number \
                moves[].averageRating:number? topGames[].id:string topGames[].winner:string? \
                topGames[].white.name:string topGames[].white.rating:number \
                topGames[].black.name:string topGames[].black.rating:number \
                topGames[].year:number topGames[].month:string? opening.name:string?",
    },
    Pattern {
        client: "lila, lichess, with the games hidden",
        address: "/lichess?variant=standard&fen=rnbqkbnr%2Fpppppppp%2F8%2F8%2F8%2F8%2FPPPPPPPP%2F\
                  RNBQKBNR+w+KQkq+-+0+1&play=e2e4&since=1700-01&until=2030-12&speeds=bullet%2C\
                  blitz%2Crapid%2Cclassical&ratings=0%2C1000%2C1200%2C1400%2C1600%2C1800%2C2000%2C\
                  2200%2C2500&topGames=0&recentGames=0&source=analysis",
        headers: "Accept: */*\r\nOrigin: https://lichess.org\r\n",
        split: Split::Lines,
        reads: "white:number moves[].uci:string moves[].san:string moves[].white:number \
                moves[].draws:number moves[].black:number moves[].averageRating:number?",
    },
    Pattern {
        client: "lila, player",
        address: "/player?variant=standard&fen=rnbqkbnr%2Fpppppppp%2F8%2F8%2F8%2F8%2FPPPPPPPP%2F\
                  RNBQKBNR+w+KQkq+-+0+1&play=&speeds=ultraBullet%2Cbullet%2Cblitz%2Crapid%2C\
                  classical%2Ccorrespondence&player=Carlsen%2C+Magnus&color=white&modes=casual%2C\
                  rated&source=analysis",
        headers: "Accept: */*\r\nOrigin: https://lichess.org\r\n",
        split: Split::Lines,
        reads: "white:number moves[].uci:string moves[].san:string moves[].performance:number? \
                moves[].averageOpponentRating:number? recentGames[].id:string \
                recentGames[].white.rating:number queuePosition:number",
    },
];

/// An older form of the same: lists are repeated parameters with `[]`, beside the form with commas.
const OLD_LILA: [Pattern; 2] = [
    Pattern {
        client: "lila of 2021, lichess",
        address: "/lichess?variant=standard&fen=rnbqkbnr%2Fpppppppp%2F8%2F8%2F8%2F8%2FPPPPPPPP%2F\
                  RNBQKBNR+w+KQkq+-+0+1&play=&speeds=blitz%2Crapid&speeds%5B%5D=blitz&\
                  speeds%5B%5D=rapid&ratings=2200%2C2500&ratings%5B%5D=2200&ratings%5B%5D=2500",
        headers: "",
        split: Split::Lines,
        reads: "moves[].uci:string moves[].white:number topGames[].id:string",
    },
    Pattern {
        client: "lila before, masters",
        address: "/master?fen=rnbqkbnr%2Fpppppppp%2F8%2F8%2F8%2F8%2FPPPPPPPP%2FRNBQKBNR+w+KQkq+-+\
                  0+1&play=e2e4&topGames=0&recentGames=0",
        headers: "",
        split: Split::Whole,
        reads: "moves[].uci:string moves[].white:number",
    },
];

/// A program for the desktop: project franciscoBSalgueiro/en-croissant,
/// `src/utils/lichess/explorer.ts` and `api.tsx`. Months have no leading zero. The FEN of
/// `/masters` is only encoded where an address does not allow a letter at all.
const EN_CROISSANT: [Pattern; 3] = [
    Pattern {
        client: "En Croissant, masters",
        address: "/masters?fen=rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR%20w%20KQkq%20-%200%\
                  202&since=1952&until=2026&moves=12&topGames=15",
        headers: "Accept: */*\r\nUser-Agent: tauri-plugin-http\r\n",
        split: Split::Whole,
        reads: "white:number draws:number black:number moves[].uci:string moves[].san:string \
                moves[].white:number moves[].draws:number moves[].black:number \
                topGames[].id:string",
    },
    Pattern {
        client: "En Croissant, lichess",
        address: "/lichess?fen=rnbqkbnr%2Fpppp1ppp%2F8%2F4p3%2F4P3%2F8%2FPPPP1PPP%2FRNBQKBNR+w+\
                  KQkq+-+0+2&variant=standard&speeds=ultraBullet%2Cbullet%2Cblitz%2Crapid%2C\
                  classical%2Ccorrespondence&ratings=0%2C1000%2C1200%2C1400%2C1600%2C1800%2C2000%2C\
                  2200%2C2500&since=1800-1&until=2026-9&moves=12&topGames=4&recentGames=4",
        headers: "Accept: */*\r\n",
        split: Split::Whole,
        reads: "white:number moves[].uci:string moves[].san:string topGames[].id:string \
                recentGames[].id:string",
    },
    Pattern {
        client: "En Croissant, player",
        address: "/player?fen=rnbqkbnr%2Fpppppppp%2F8%2F8%2F8%2F8%2FPPPPPPPP%2FRNBQKBNR+w+KQkq+-+\
                  0+1&player=Morphy%2C+Paul&color=white&variant=standard",
        headers: "Accept: */*\r\n",
        split: Split::Whole,
        reads: "white:number moves[].uci:string moves[].san:string recentGames[].id:string",
    },
];

/// A front end for engines: project rooklift/nibbler, `files/src/renderer/75_looker.js`. A token
/// may come along. It divides by the sum of the moves' games.
const NIBBLER: [Pattern; 2] = [
    Pattern {
        client: "Nibbler, masters",
        address: "/masters?topGames=0&fen=rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR%20w%20\
                  KQkq%20-%200%202",
        headers: "User-Agent: Nibbler\r\nAuthorization: Bearer lip_0123456789\r\n",
        split: Split::Whole,
        reads: "moves[].uci:string moves[].white:number moves[].draws:number moves[].black:number",
    },
    Pattern {
        client: "Nibbler, lichess",
        address: "/lichess?variant=standard&topGames=0&recentGames=0&fen=rnbqkbnr/pppp1ppp/8/4p3/\
                  4P3/8/PPPP1PPP/RNBQKBNR%20w%20KQkq%20-%200%202",
        headers: "User-Agent: Nibbler\r\n",
        split: Split::Whole,
        reads: "moves[].uci:string moves[].white:number moves[].draws:number moves[].black:number",
    },
];

/// The app for phones: project lichess-org/mobile, `opening_explorer_repository.dart` and
/// `opening_explorer.dart`. It fails when a field that it needs has another type, so ratings must
/// be numbers even where nobody knows them.
const MOBILE: [Pattern; 3] = [
    Pattern {
        client: "Lichess Mobile, masters",
        address: "/masters?source=mobile&fen=rnbqkbnr%2Fpppppppp%2F8%2F8%2F4P3%2F8%2FPPPP1PPP%2F\
                  RNBQKBNR+b+KQkq+-+0+1&since=1700",
        headers: "User-Agent: Lichess Mobile\r\nAccept-Encoding: gzip\r\n",
        split: Split::Whole,
        reads: "white:number draws:number black:number moves[].uci:string moves[].san:string \
                moves[].white:number moves[].draws:number moves[].black:number \
                moves[].averageRating:number? moves[].game.id:string? topGames[].id:string \
                topGames[].white.name:string topGames[].white.rating:number \
                topGames[].black.name:string topGames[].black.rating:number \
                topGames[].uci:string? topGames[].winner:string? topGames[].year:number? \
                topGames[].month:string? opening.eco:string? opening.name:string?",
    },
    Pattern {
        client: "Lichess Mobile, lichess",
        address: "/lichess?source=mobile&variant=standard&fen=rnbqkbnr%2Fpppppppp%2F8%2F8%2F8%2F\
                  8%2FPPPPPPPP%2FRNBQKBNR+w+KQkq+-+0+1&speeds=bullet%2Cblitz%2Crapid&ratings=0%2C\
                  1000%2C1200%2C1400%2C1600%2C1800%2C2000%2C2200%2C2500&since=1800-1",
        headers: "User-Agent: Lichess Mobile\r\n",
        split: Split::Whole,
        reads: "moves[].uci:string topGames[].white.rating:number recentGames[].id:string \
                recentGames[].white.rating:number recentGames[].black.rating:number",
    },
    Pattern {
        client: "Lichess Mobile, player",
        address: "/player?source=mobile&variant=standard&fen=rnbqkbnr%2Fpppppppp%2F8%2F8%2F8%2F8%2F\
                  PPPPPPPP%2FRNBQKBNR+w+KQkq+-+0+1&player=morphy&color=white&speeds=blitz%2Crapid&\
                  modes=casual%2Crated",
        headers: "User-Agent: Lichess Mobile\r\n",
        split: Split::Lines,
        reads: "white:number moves[].uci:string moves[].performance:number? \
                recentGames[].id:string recentGames[].white.rating:number \
                recentGames[].black.rating:number queuePosition:number?",
    },
];

/// Returns all values at a place; null where there is none.
fn values<'v>(value: &'v Value, place: &str) -> Vec<&'v Value> {
    let (name, rest) = place.split_once('.').unwrap_or((place, ""));
    let next: Vec<&Value> = match name.strip_suffix("[]") {
        Some(name) => value[name].as_array().into_iter().flatten().collect(),
        None => vec![&value[name]],
    };
    match rest {
        "" => next,
        rest => next
            .into_iter()
            .flat_map(|value| values(value, rest))
            .collect(),
    }
}

fn check(pattern: &Pattern, value: &Value) {
    for read in pattern.reads.split_whitespace() {
        let (place, kind) = read.split_once(':').expect("a place and a type");
        let kind = kind
            .strip_suffix('?')
            .map_or((kind, false), |kind| (kind, true));
        let found = values(value, place);
        assert!(!found.is_empty(), "{}: no {place}: {value}", pattern.client);
        for value in found {
            let fits = match (kind, value) {
                ((_, true), Value::Null) => true,
                (("number", _), value) => value.is_i64() || value.is_u64(),
                (("string", _), value) => value.is_string(),
                _ => false,
            };
            assert!(fits, "{}: {read} is {value}", pattern.client);
        }
    }
}

#[test]
fn other_programs_get_what_they_read() {
    let server = Server::public();
    let all = LILA.iter().chain(&OLD_LILA).chain(&EN_CROISSANT);
    for pattern in all.chain(&NIBBLER).chain(&MOBILE) {
        let rest = format!("{}\r\n", pattern.headers);
        let answer = ask(server.address, "GET", pattern.address, &rest);
        assert_eq!(answer.status, 200, "{}: {}", pattern.client, answer.body);
        assert_eq!(answer.header("content-encoding"), "", "{}", pattern.client);
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        let values = match pattern.split {
            Split::Whole => vec![answer.json()],
            Split::Lines => answer.lines(),
        };
        assert!(!values.is_empty(), "{}", pattern.client);
        values.iter().for_each(|value| check(pattern, value));
    }
}

#[test]
fn a_browser_that_asks_first_may_ask_a_public_server() {
    let server = Server::public();
    let headers = "Origin: https://lichess.org\r\nAccess-Control-Request-Method: GET\r\n\
                   Access-Control-Request-Headers: authorization\r\n\r\n";
    let answer = ask(server.address, "OPTIONS", "/lichess?play=e2e4", headers);
    assert_eq!(answer.status, 204);
    let allowed = answer.header("access-control-allow-headers").to_lowercase();
    assert!(allowed.contains("authorization"), "{allowed}");
}
