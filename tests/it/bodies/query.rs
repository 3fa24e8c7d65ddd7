//! The query language.

use tabiya::Query;

use crate::support::ask::OF_ALL_KINDS;

/// A text is a query, whose own text reads back to it, or has a fault that can be shown.
pub(crate) fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    match text.parse::<Query>() {
        Ok(query) => {
            let printed = query.to_string();
            let again = printed.parse::<Query>();
            assert_eq!(again.as_ref(), Ok(&query), "{text:?} as {printed:?}");
            assert_eq!(printed, query.to_string());
        }
        Err(fault) => {
            let _ = (fault.to_string(), fault.caret(&text));
        }
    }
}

/// Fields and forms that the other questions do not have.
const MORE: [&str; 16] = [
    "",
    "white:\"carlsen, m\\\"x\" and not (black:b or -site=Oslo)",
    "date>=1999.05 and eventdate:1998.12.31..2001 or eventdate=?",
    "whiteelo:..2500 avgelo!=2400 elodiff>=100 number:2..3 nags=1",
    "eco:C30a..C39 or eco=? or eco!=B90",
    "result:1-0|draw flag:wopening|deleted has:variations|arrows start:chess960",
    "tag.Annotator:* or team:x or tag.Source!=Mega text:\"a b\"",
    "fen:\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3\" rights",
    "at(fen:\"8/8/8/8/8/8/8/K1k5\" flip mirror rights for:3)",
    "board:\"[Kk]7/P?N1*3/8/8/8/8/8/8\"",
    "material:KRPkr or at(pawns:\"8/pp6/8/8/8/8/PP6/8\")",
    "at(men<=20 wminor>1 bminor=0 diff:-3..-1 bishops:opposite)",
    "at(piece:P@d piece:n@5 piece:qd4) next at(check) then stalemate",
    "path:Ng1-f3-?-g5 or path:\"pa2-a8\"",
    "played:?xd5 or played:O-O or move=12 ply<4",
    "score:0.6..0.65 or visits:e4>=0.5 or visits<0.12",
];

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts = OF_ALL_KINDS.into_iter().chain(MORE);
    texts.map(|text| text.as_bytes().to_vec()).collect()
}
