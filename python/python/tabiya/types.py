"""The types of what is asked and told, for annotations."""

from __future__ import annotations

from typing import List, Literal, Optional, Tuple, TypedDict

HeaderColumn = Literal[
    "db", "game", "white", "black", "event", "site", "round", "date", "year", "month", "day",
    "result", "white_elo", "black_elo", "eco", "opening", "plies", "event_date", "match_ply",
    "match_fen",
]
MoveColumn = Literal[
    "db", "game", "ply", "san", "uci", "fen", "clock", "eval", "mate", "comment",
]
PlaneColumn = Literal[
    "planes", "move", "turn", "result", "elo", "castling", "en_passant", "ply", "game", "clock",
    "eval", "score", "legal", "visits",
]


class Results(TypedDict):
    """How many games, and with which result."""

    games: int
    white: int
    draws: int
    black: int


class TreeRow(Results):
    """A move that was played in a position."""

    move: str
    uci: Optional[str]
    average_rating: Optional[float]
    performance: Optional[float]
    average_year: Optional[float]
    eco: Optional[str]
    opening: Optional[str]


class LineRow(Results):
    """A move of lines."""

    line: str
    ply: int
    move: str
    uci: Optional[str]
    of: int
    average_rating: Optional[float]
    performance: Optional[float]
    average_year: Optional[float]
    opening: Optional[str]
    same_as: Optional[str]


class Stats(Results):
    """Figures of games."""

    years: List[Tuple[int, Results]]
    ratings: List[Tuple[int, Results]]
    openings: List[Tuple[str, Results]]
    players: List[Tuple[str, int]]
    events: List[Tuple[str, int]]
    mean_plies: Optional[float]
    median_plies: Optional[float]
    mean_rating: Optional[float]


class NameRow(TypedDict):
    """A name and the figures of its games."""

    name: str
    games: int
    as_white: int
    as_black: int
    first_year: Optional[int]
    last_year: Optional[int]
    peak: Optional[int]


class ExplainRow(TypedDict):
    """How a clause of a query is answered."""

    db: str
    clause: str
    served_by: str
    possible: int
    certain: int


class Hint(TypedDict):
    """What was probably meant by a condition."""

    condition: str
    instead: Optional[str]
    text: str


class Verified(TypedDict):
    """What verifying a file has found."""

    games: int
    plies: int
    damaged: int
    damaged_games: List[str]
    notes: List[str]


class Loss(TypedDict):
    """What a new database lacks."""

    what: str
    count: int
    first_game: Optional[int]


class Converted(TypedDict):
    """What became of games that were written."""

    games: int
    unmatched: int
    skipped: int
    skipped_games: List[str]
    losses: List[Loss]


class Repaired(TypedDict):
    """What was saved of a damaged database."""

    games: int
    sound: int
    harmed: int
    lost: int
    texts: int
    notes: List[str]
    losses: List[Loss]


class ReportRow(TypedDict):
    """A row of a report's table."""

    label: str
    depth: int
    query: Optional[str]
    games: int
    of: int
    won: int
    drawn: int
    lost: int
    lately: int
    fen: Optional[str]


class SquareMap(TypedDict):
    """On how many games' squares a man stands, from a1, b1 to h8."""

    man: str
    of: int
    squares: List[int]


class Section(TypedDict):
    """A table of a report."""

    title: str
    note: str
    rows: List[ReportRow]
    maps: List[SquareMap]


class LeavingGame(TypedDict):
    """Where a game leaves lines of one's own."""

    db: int
    index: int
    left: str
    ply: Optional[int]
    played: Optional[str]
    answers: List[str]
    line: str
    fen: str


class LeavingPlace(Results):
    """Where games leave lines of one's own."""

    left: str
    played: List[Tuple[str, int]]
    answers: List[str]
    line: str
    fen: str


class Gap(Results):
    """A reply that lines of one's own do not answer."""

    line: str
    fen: str
    of: int
    in_file: bool


class OwnLine(Results):
    """A line of one's own."""

    line: str
    lines: int
