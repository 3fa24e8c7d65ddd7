//! Values of which users choose one by its name: marks of games, kinds of start positions, and who
//! leaves a repertoire.

use tabiya_chess::named;

named! {
    /// Flags of a game in the index, with Scid's names and order of bits (from bit 1).
    Flag, FLAG_NAMES[21]:
    Promotion "promotion" "The main line contains a promotion.";
    Underpromotion "underpromotion" "It contains one to a piece other than a queen.";
    Deleted "deleted" "Marked as deleted.";
    WhiteOpening "white-opening" "The opening of White.";
    BlackOpening "black-opening" "The opening of Black.";
    Middlegame "middlegame" "The middlegame.";
    Endgame "endgame" "The endgame.";
    Novelty "novelty" "A novelty.";
    PawnStructure "pawn-structure" "The pawn structure.";
    Tactics "tactics" "Tactics.";
    Kingside "kingside" "Play on the king's side.";
    Queenside "queenside" "Play on the queen's side.";
    Brilliancy "brilliancy" "A brilliancy.";
    Blunder "blunder" "A blunder.";
    User "user" "The user's own mark.";
    Custom1 "custom1" "The first mark that users name.";
    Custom2 "custom2" "The second.";
    Custom3 "custom3" "The third.";
    Custom4 "custom4" "The fourth.";
    Custom5 "custom5" "The fifth.";
    Custom6 "custom6" "The sixth.";
}

named! {
    /// Whose move leaves a repertoire.
    Leaver, LEAVER_NAMES[5]:
    Me "me" "A move of the side whose repertoire it is.";
    Opponent "opponent" "A move of the other side.";
    White "white" "A move of White's.";
    Black "black" "A move of Black's.";
    Nobody "nobody" "None: the file has no move there, or the game ends.";
}

named! {
    /// The kind of start position of a game.
    StartKind, START_NAMES[3]:
    Standard "standard" "The standard start position.";
    Custom "custom" "A custom start position.";
    Chess960 "chess960" "Chess960.";
}
