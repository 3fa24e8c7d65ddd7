//! The table of fields. A row has: level, name, value, kind for the parser; then the meaning and an
//! example.

use crate::pattern::word::PHASE_NAMES;
use crate::query::{
    DateField, Judgement, Measure, NumberField, QualityField, Standing, State, TagNumber,
    choices::{FLAG_NAMES, LEAVER_NAMES, START_NAMES},
    structures::STRUCTURE_NAMES,
    table::{Brackets, Field, Kind, Level},
};
use shakmaty::{Color, Role};
use tabiya_chess::{
    GameResult, Man,
    marks::{CONTENT_NAMES, MEDAL_NAMES},
    speed::SPEED_NAMES,
};

/// The speeds, and what is none of them.
const SPEEDS: [&str; SPEED_NAMES.len() + 1] = {
    let mut names = ["unknown"; SPEED_NAMES.len() + 1];
    let mut index = 0;
    while index < SPEED_NAMES.len() {
        names[index] = SPEED_NAMES[index];
        index += 1;
    }
    names
};

/// The description of a value, and its choices if they are few.
type Takes = (&'static str, &'static [&'static str]);

const NONE: Takes = ("", &[]);
const TEXT: Takes = ("text, `*` for any letters, or `/regex/`", &[]);
const TAG: Takes = (
    "text, `*` for any letters, `*` alone for present, or `/regex/`",
    &[],
);
const NUMBER: Takes = ("number or range `a..b`", &[]);
const COUNT: Takes = ("number, range `a..b`, or sum of counts `p+2`", &[]);
const SIGNED: Takes = ("number, also below 0, or range `a..b`", &[]);
const SUM: Takes = ("sum of counts and numbers, or range `a..b`", &[]);
const DATE: Takes = (
    "date `2010`, `2010.05`, `2010.05.17` or `2010-05-17`, range, or `unknown`",
    &[],
);
const ECO: Takes = ("code `B90`, `B9`, `B`, `B90a`, range, or `none`", &[]);
const OPENING: Takes = ("text, `*` for any letters, `none` or `/regex/`", &[]);
const CODE: Takes = ("code `B90`, `B9`, `B`, range, or `none`", &[]);
const DECIMAL: Takes = ("number or range `a..b`", &[]);
const CHANGE: Takes = ("pawns, also below 0, or range `-3..-1`", &[]);
const LINE: Takes = ("moves in SAN from the start, in quotes", &[]);
const RESULT: Takes = (
    "result, or a comma list",
    &["1-0", "0-1", "1/2-1/2", "draw", "*"],
);
const FLAG: Takes = ("flag", &FLAG_NAMES);
const MEDAL: Takes = ("medal", &MEDAL_NAMES);
const CONTENT: Takes = ("content", &CONTENT_NAMES);
const START: Takes = ("kind", &START_NAMES);
const FEN: Takes = ("FEN, or its placement alone", &[]);
const BOARD: Takes = (
    "placement; digit or `?` anything, `A` `a` any man, `_` empty, `[QR]`",
    &[],
);
const PLACEMENT: Takes = ("placement or FEN, or a word", &[]);
const MATERIAL: Takes = ("`KRPvKRP`, `KRPkrp`, or FEN", &[]);
const BISHOPS: Takes = ("colours of their squares", &["same", "opposite"]);
const PIECE: Takes = ("piece and square `Nd5`, file `P@e` or rank `k@8`", &[]);
const SIDE: Takes = ("side", &["white", "black"]);
const CHECK: Takes = ("kind, or nothing", &["double", "discovered"]);
const MATE: Takes = ("kind, or nothing", &["smothered", "backrank"]);
const ATTACK: Takes = (
    "two sets of men with `>` between them, in quotes; `?d5` for a square",
    &[],
);
const RAY: Takes = ("three sets of men with `>` between them, in quotes", &[]);
const MEN: Takes = (
    "men `N`, `Nd5`, `[QR]@7`, `a@e`; `A` `a` any of White's, Black's",
    &[],
);
const PAWNS: Takes = ("pawns `P`, `p`, `[Pp]`, `Pd4` or `p@c`", &[]);
const STRUCTURE: Takes = ("name", &STRUCTURE_NAMES);
const SIMILAR: Takes = (
    "placement or FEN in quotes, then `>=` and a number to 1",
    &[],
);
const SAN: Takes = ("move in SAN, `?` for any character", &[]);
const MOVE: Takes = (
    "move `Nbd2`, `?xd5`, `e8=Q`, `O-O`, `e.p.`; `?` for any man, file, rank or promotion",
    &[],
);
const REPLY: Takes = ("move as of `played`, or `mate`", &[]);
const PHASE: Takes = ("phase", &PHASE_NAMES);
const WING: Takes = ("wing", &["queenside", "kingside"]);
const ROUTE: Takes = ("piece and squares `Nb1-d2-f1`, `?` for any square", &[]);
const SHARE: Takes = ("number from 0 to 1, or range `0.6..0.8`", &[]);
const VISITS: Takes = (
    "share from 0 to 1 or range, or a move and its share `e4=0.3..`",
    &[],
);
const SPEED: Takes = ("speed", &SPEEDS);
const TITLE: Takes = ("the whole title, `*` for any letters", &[]);
const THEME: Takes = ("the whole word, `*` for any letters", &[]);
const SECONDS: Takes = ("seconds, or range `10..30`", &[]);
const EVAL: Takes = (
    "pawns, range `-0.5..0.5`, `#` for any mate, `#3` or `#-2` for one",
    &[],
);
const FILE: Takes = ("path of a PGN file or another database", &[]);
const LEAVER: Takes = ("whose move", &LEAVER_NAMES);
const LENGTH: Takes = ("number from 1", &[]);

/// The kind of a count field.
const fn count(color: Color, role: Role) -> Kind {
    Kind::Count(Man::new(color, role))
}

macro_rules! fields {
    ($($level:ident $name:literal $takes:ident $kind:expr; $meaning:literal $example:literal)*) => {
        /// Every field of the query language, in the order of the help text.
        pub const FIELDS: &[Field] = &[$(Field {
            name: $name,
            level: Level::$level,
            value: $takes.0,
            choices: $takes.1,
            meaning: $meaning,
            example: $example,
            kind: $kind,
        }),*];
    };
}

fields! {
    Game "white" TEXT Kind::Text("White");
        "White's name" r#"white:"carlsen, m""#
    Game "black" TEXT Kind::Text("Black");
        "Black's name" "black=Tal"
    Game "player" TEXT Kind::Text("Player");
        "the name of either player" r#"player:"karsten muller""#
    Game "winner" TEXT Kind::Text("Winner");
        "the name of the player who won" "winner:carlsen"
    Game "loser" TEXT Kind::Text("Loser");
        "the name of the player who lost" "loser:carlsen"
    Game "event" TEXT Kind::Text("Event");
        "the event" r#"event:"world championship""#
    Game "site" TEXT Kind::Text("Site");
        "the place" "site:reykjavik"
    Game "round" TEXT Kind::Text("Round");
        "the round" "round=1"
    Game "annotator" TEXT Kind::Text("Annotator");
        "who annotated the game" "annotator:ftacnik"
    Game "source" TEXT Kind::Text("Source");
        "where the game was published" "source:informant"
    Game "team" TEXT Kind::Text("Team");
        "the team of either player" "team:baden"
    Game "tag.NAME" TAG Kind::Tag;
        "any other PGN tag" "tag.TimeControl:*"
    Game "text" TEXT Kind::Comment;
        "contained in any comment of the game" r#"text:"time trouble""#

    Game "elo" NUMBER Kind::Number(NumberField::Elo);
        "both ratings; as an order or a column the lower of both" "elo>=2600"
    Game "whiteelo" NUMBER Kind::Number(NumberField::WhiteElo);
        "White's rating; `=0` finds the unrated, whom `<` and `<=` leave out" "whiteelo:2500..2600"
    Game "blackelo" NUMBER Kind::Number(NumberField::BlackElo);
        "Black's rating; `=0` finds the unrated, whom `<` and `<=` leave out" "blackelo<2000"
    Game "avgelo" NUMBER Kind::Number(NumberField::AvgElo);
        "the mean of both ratings" "avgelo:2700.."
    Game "elodiff" SIGNED Kind::Number(NumberField::EloDiff);
        "White's rating minus Black's" "elodiff<=-200"
    Game "date" DATE Kind::Date(DateField::Date);
        "the day of the game" "date:2010.05..2012"
    Game "eventdate" DATE Kind::Date(DateField::EventDate);
        "the day on which the event began" "eventdate:1972"
    Game "year" NUMBER Kind::Number(NumberField::Year);
        "the year of the game" "year<1900"
    Game "weekday" NUMBER Kind::Number(NumberField::Weekday);
        "the day of the week of the date, 1 for Monday to 7 for Sunday" "weekday:6..7"
    Game "eco" ECO Kind::Eco;
        "the opening code with all its sub-codes" "eco:B90..B99"
    Game "eco.position" CODE Kind::EcoPosition;
        "the opening code of the position that gives `opening` its name" "eco.position:B90..B99"
    Game "opening" OPENING Kind::Opening;
        "the name of the opening, by the positions of the game" "opening:najdorf"
    Game "repertoire" FILE Kind::Repertoire(None);
        "the first 16 half-moves stay among the positions of a file, variations included"
        r#"repertoire:"my lines.pgn" repertoire.plies:20"#
    Game "repertoire.white" FILE Kind::Repertoire(Some(Color::White));
        "White's first moves lead to positions of a file" r#"repertoire.white:"white.pgn""#
    Game "repertoire.black" FILE Kind::Repertoire(Some(Color::Black));
        "Black's first moves lead to positions of a file" r#"repertoire.black:"black.pgn""#
    Game "repertoire.plies" LENGTH Kind::RepertoirePlies;
        "for how many half-moves repertoires are followed; 16 if not said"
        r#"repertoire:"lines.pgn" repertoire.plies:20"#
    Game "repertoire.ply" NUMBER Kind::RepertoirePly;
        "the half-move with which the game leaves the file that `repertoire` names, for good"
        r#"repertoire.white:"white.pgn" repertoire.ply:..16"#
    Game "left" LEAVER Kind::Left;
        "whose move leaves the file of `repertoire`, which then asks for some position of it"
        r#"repertoire.white:"white.pgn" left:me"#
    Game "result" RESULT Kind::Result;
        "the result" "result:1-0,0-1"
    Game "plies" NUMBER Kind::Number(NumberField::Plies);
        "half-moves of the main line" "plies<=40"
    Game "moves" NUMBER Kind::Number(NumberField::Moves);
        "full moves of the main line" "moves>=100"
    Game "comments" NUMBER Kind::Number(NumberField::Comments);
        "comments, as the index counts them" "comments>0"
    Game "variations" NUMBER Kind::Number(NumberField::Variations);
        "variations, as the index counts them" "variations=0"
    Game "nags" NUMBER Kind::Number(NumberField::Nags);
        "annotation symbols, as the index counts them" "nags>10"
    Game "flag" FLAG Kind::Flag;
        "a mark that the database keeps for the game" "flag:brilliancy"
    Game "medal" MEDAL Kind::Medal;
        "a medal of ChessBase" "medal:sacrifice"
    Game "has" CONTENT Kind::Content;
        "something that the game holds besides its main line" "has:arrows"
    Game "start" START Kind::Start;
        "the kind of start position" "start:chess960"
    Game "number" NUMBER Kind::Number(NumberField::Number);
        "the game's number in the database, from 1" "number:1..100"

    Game "timecontrol" TEXT Kind::Text("TimeControl");
        "the time control" "timecontrol=300+3"
    Game "speed" SPEED Kind::Speed;
        "how fast it was played, by the time control, or by the event's words without one"
        "speed:blitz"
    Game "variant" TEXT Kind::Text("Variant");
        "the variant" "variant:960"
    Game "termination" TEXT Kind::Text("Termination");
        "how it ended" r#"termination:"time forfeit""#
    Game "acpl.white" DECIMAL Kind::Quality(QualityField::Loss(Color::White));
        "White's mean loss by move in centipawns, by the evaluations" "acpl.white<20"
    Game "acpl.black" DECIMAL Kind::Quality(QualityField::Loss(Color::Black));
        "Black's mean loss by move in centipawns" "acpl.black:20..40"
    Game "accuracy.white" DECIMAL Kind::Quality(QualityField::Accuracy(Color::White));
        "White's accuracy from 0 to 100, as Lichess computes it" "accuracy.white>=95"
    Game "accuracy.black" DECIMAL Kind::Quality(QualityField::Accuracy(Color::Black));
        "Black's accuracy" "accuracy.black<60"
    Game "title" TITLE Kind::Title(None);
        "the title of either player" "title:GM"
    Game "whitetitle" TITLE Kind::Title(Some(Color::White));
        "White's title" "whitetitle:IM"
    Game "blacktitle" TITLE Kind::Title(Some(Color::Black));
        "Black's title" "blacktitle:*"
    Game "theme" THEME Kind::Theme;
        "a theme of the puzzle: a word of the tag `Themes`" "theme:fork"
    Game "rating" NUMBER Kind::TagNumber(TagNumber::Rating);
        "the rating of the puzzle: the tag `Rating`" "rating:2000.."
    Game "popularity" SIGNED Kind::TagNumber(TagNumber::Popularity);
        "how much the puzzle is liked, from -100 to 100: the tag `Popularity`" "popularity>=90"

    Position "fen" FEN Kind::Fen;
        "exactly this position; rights and counters do not count"
        r#"fen:"8/8/4k3/8/8/4K3/4P3/8 b - - 0 1""#
    Position "board" BOARD Kind::Board;
        "these squares, whatever stands elsewhere" "board:8/8/8/8/8/8/5PPP/6K1"
    Position "pawns" PLACEMENT Kind::Pawns;
        "all pawns on exactly these squares; `symmetric`: Black's mirror White's"
        "pawns:8/8/R6P/4k2K/8/8/8/6r1"
    Position "files" PLACEMENT Kind::Files;
        "as many white and black pawns on every file as here; `equal`: as many of each"
        "files:8/5pk1/8/8/5P2/8/6K1/8"
    Position "material" MATERIAL Kind::Material;
        "exactly this material" "material:KRPvKR"
    Position "Q" COUNT count(Color::White, Role::Queen);
        "white queens" "Q=0"
    Position "R" COUNT count(Color::White, Role::Rook);
        "white rooks" "R:1..2"
    Position "B" COUNT count(Color::White, Role::Bishop);
        "white bishops" "B=2"
    Position "N" COUNT count(Color::White, Role::Knight);
        "white knights" "N>=3"
    Position "P" COUNT count(Color::White, Role::Pawn);
        "white pawns" "P<4"
    Position "q" COUNT count(Color::Black, Role::Queen);
        "black queens" "q=0"
    Position "r" COUNT count(Color::Black, Role::Rook);
        "black rooks" "r:1..2"
    Position "b" COUNT count(Color::Black, Role::Bishop);
        "black bishops" "b=2"
    Position "n" COUNT count(Color::Black, Role::Knight);
        "black knights" "n>=3"
    Position "p" COUNT count(Color::Black, Role::Pawn);
        "black pawns" "p<4"
    Position "wminor" COUNT Kind::Measure(Measure::Minors(Color::White));
        "white bishops plus knights" "wminor=1"
    Position "bminor" COUNT Kind::Measure(Measure::Minors(Color::Black));
        "black bishops plus knights" "bminor=1"
    Position "men" COUNT Kind::Measure(Measure::Men);
        "all men on the board, kings included" "men<=7"
    Position "diff" SUM Kind::Measure(Measure::Difference);
        "White's material minus Black's, with Q9 R5 B3 N3 P1" "diff:-3..-1"
    Position "A" COUNT Kind::Side(Color::White);
        "all men of White" "at(A>=a+4)"
    Position "a" COUNT Kind::Side(Color::Black);
        "all men of Black" "a@1-4>=5"
    Position "K" COUNT count(Color::White, Role::King);
        "the white king, for zones" "K@light=1"
    Position "k" COUNT count(Color::Black, Role::King);
        "the black king, for zones" "k@1-3=1"
    Position "R@ZONE" SUM Kind::Sum;
        "men on `@7`, `@e`, `@a-d`, `@2-4`, `@light` or `@dark`; counts add and subtract"
        "at(R@7>=2 P@a-d-p@a-d>=1)"
    Position "bishops" BISHOPS Kind::Bishops;
        "each side has exactly one bishop and they stand so" "bishops:opposite"
    Position "piece" PIECE Kind::Piece;
        "at least one such piece there" "at(piece:Pd4 not piece:P@c)"
    Position "stm" SIDE Kind::Turn;
        "the side to move" "at(men=3 stm:white)"
    Position "ply" NUMBER Kind::Ply;
        "half-moves since the game's own start position" "at(ply<=30 Q=0 q=0)"
    Position "move" NUMBER Kind::MoveNumber;
        "the full-move number that PGN would print" "at(move:10..20 N=0)"
    Position "won" NONE Kind::Outcome(GameResult::WhiteWins);
        "White wins the game; with `flip` also the other side" "at(R>r for:8 flip won)"
    Position "drawn" NONE Kind::Outcome(GameResult::Draw);
        "the game is drawn" "at(P>=p+2 flip drawn)"
    Position "lost" NONE Kind::Outcome(GameResult::BlackWins);
        "Black wins the game" "at(Q>q lost)"
    Position "phase" PHASE Kind::Phase;
        "endgame: 6 men or fewer besides kings and pawns; opening: over 10, and 4 at home each"
        "at(phase:endgame ply<=40)"
    Position "repetition" NUMBER Kind::Measure(Measure::Repetition);
        "how often the position has stood on this line, this time included" "repetition:3"
    Position "quiet" NUMBER Kind::Measure(Measure::Quiet);
        "half-moves since the last capture or pawn move" "at(quiet>=40 men<=7)"
    Position "fifty" NONE Kind::State(State::FiftyMoves);
        "50 moves without a capture or pawn move" "fifty"
    Position "majority" WING Kind::Majority;
        "White has more pawns on that wing" "at(majority:queenside flip for:20)"
    Position "check" CHECK Kind::State(State::Check);
        "the side to move is in check, by two men, or by one that did not move last" "check"
    Position "mate" MATE Kind::State(State::Mate);
        "the side to move is checkmated" "at(mate ply<20)"
    Position "stalemate" NONE Kind::State(State::Stalemate);
        "the side to move is stalemated" "stalemate"
    Position "attacks" ATTACK Kind::Attacks;
        "men of the first set attack one of the second, or a square; `*2`: two of them or more"
        r#"at(attacks:"P>[nb]" stm:white)"#
    Position "ray" RAY Kind::Ray;
        "from a sliding piece of the first set the next men in a line are of the other two"
        r#"ray:"B>n>q""#
    Position "discovered" ATTACK Kind::Discovered;
        "the last move opened the line of a sliding man that it did not move, to another"
        r#"discovered:"B>q""#
    Position "trapped" MEN Kind::Standing(Standing::Trapped);
        "one of these men, no king or pawn, would be lost wherever it went; its side is to move"
        "at(trapped:B flip)"
    Position "sacrifice" SIGNED Kind::Measure(Measure::Sacrifice);
        "material given that the next 8 half-moves do not win back, by values of `diff`"
        "at(sacrifice>=3 won flip)"
    Position "defended" MEN Kind::Standing(Standing::Defended);
        "one of these men is defended by its own side" "at(defended:Nd5)"
    Position "undefended" MEN Kind::Standing(Standing::Undefended);
        "one of these men, no king, is not defended" "at(undefended:[QR] stm:white)"
    Position "hanging" MEN Kind::Standing(Standing::Hanging);
        "one of these men, no king, is attacked and not defended" "at(hanging:Q for:2)"
    Position "pinned" MEN Kind::Standing(Standing::Pinned);
        "one of these men shields its king from a sliding piece" "pinned:nf6"
    Position "fork" MEN Kind::Standing(Standing::Fork);
        "one of these men attacks two that are the king, undefended or worth more"
        "at(fork:N@7 stm:black)"
    Position "passed" PAWNS Kind::Standing(Standing::Passed);
        "no pawn of the other side can stop or take one of these pawns" "passed:P@7"
    Position "isolated" PAWNS Kind::Standing(Standing::Isolated);
        "one of these pawns has none of its side on a neighbouring file" "isolated:P@d"
    Position "doubled" PAWNS Kind::Standing(Standing::Doubled);
        "one of these pawns has another of its side on its file" "doubled:P@c"
    Position "backward" PAWNS Kind::Standing(Standing::Backward);
        "one of these pawns is behind its neighbours, and a pawn attacks the square ahead of it"
        "backward:pd6"
    Position "connected" PAWNS Kind::Standing(Standing::Connected);
        "one of these pawns has another beside it, or one rank ahead or behind beside it"
        "at(connected:P@6 passed:P@6)"
    Position "structure" STRUCTURE Kind::Structure;
        "the pawns stand so, White's side; with `flip` also Black's" "at(structure:carlsbad flip)"
    Position "similar" SIMILAR Kind::Similar;
        "at least so similar to a position, by pawns, other men and material; 0.75 if not said"
        r#"similar:"r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NB1N2/PP3PPP/R1BQ1RK1">=0.8"#
    Position "played" MOVE Kind::Played;
        "the move that led here, by what it did; `+` and `#` only if written" "played:Bxh7+"
    Position "san" SAN Kind::San;
        "the move that led here, by its letters in SAN" r#"san:"?x?7""#
    Position "can" REPLY Kind::Can;
        "the side to move has such a legal move" "at(can:Bxh7+ flip)"
    Position "missed" REPLY Kind::Missed;
        "it has such a move and plays another" "missed:mate"
    Position "after" LINE Kind::After;
        "the position after these moves; a text that begins with `1.` means it too"
        r#"after:"1.d4 Nf6 2.c4""#
    Position "score" SHARE Kind::Score;
        "what an engine expected for the side to move, where files tell" "at(score>=0.9 ply<=20)"
    Position "visits" VISITS Kind::Visits;
        "the most visited move's share of all visits, or a move's share of the most visited's"
        "at(ply=0 visits:e4=0.3..)"
    Position "clock" SECONDS Kind::Clock;
        "seconds left for the side that has just moved, by the comments of the move"
        "at(clock<30 check)"
    Position "spent" SECONDS Kind::Spent;
        "seconds spent on the last move" "at(spent>=60 played:O-O)"
    Position "eval" EVAL Kind::Eval;
        "an engine's evaluation for White after the last move, in pawns"
        "at(eval>=2) then at(eval<=0)"
    Position "swing" CHANGE Kind::Swing;
        "what the last move changed in the evaluation, for the side that made it" "swing<=-2"
    Position "blunder" NONE Kind::Judgement(Judgement::Blunder);
        "the last move cost 15 percent of the chances to win or more, by the evaluations"
        "at(blunder clock<30)"
    Position "mistake" NONE Kind::Judgement(Judgement::Mistake);
        "it cost 10 to 15 percent" "at(mistake ply<=40)"
    Position "inaccuracy" NONE Kind::Judgement(Judgement::Inaccuracy);
        "it cost 5 to 10 percent" "at(inaccuracy ply<=20)"

    Game "line" LINE Kind::Line;
        "the game begins with these moves, in this order" r#"line:"1.d4 Nf6 2.c4""#
    Game "last" NONE Kind::Brackets(Brackets::Last);
        "the final position of the main line satisfies the conditions in brackets"
        "last(R=1 r=1 Q=0 q=0)"
    Game "count" NONE Kind::Brackets(Brackets::Count);
        "at how many positions of a line what stands in brackets is complete"
        "count(at(check) then at(check))>=10"

    Modifier "for" LENGTH Kind::Consecutive;
        "all of it in this many consecutive positions, in the same image of flip and mirror"
        "at(bishops:opposite for:6)"
    Modifier "flip" NONE Kind::Flip;
        "or with colours exchanged and ranks mirrored" "at(R=1 r=0 flip)"
    Modifier "mirror" NONE Kind::Mirror;
        "or with files a to h reversed" "at(piece:Nd5 mirror)"
    Modifier "shift" NONE Kind::Shift;
        "or with the named squares, files and ranks moved together as far as the board goes"
        "at(piece:Nd5 piece:Pe4 shift)"
    Modifier "rights" NONE Kind::Rights;
        "castling and en-passant rights of `fen` count"
        r#"at(fen:"r3k2r/8/8/8/8/8/8/R3K2R w KQ - 0 1" rights)"#

    Path "path" ROUTE Kind::Path;
        "one piece stands on these squares in this order, other moves between; a promoted pawn too"
        "path:Nb1-d2-f1-g3"
}
