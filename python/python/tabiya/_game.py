"""One game."""

from __future__ import annotations

import html
import warnings
from dataclasses import dataclass, field

from ._errors import DatabaseWarning, Error
from ._opened import origin


def _warn(damage):
    """Warns whoever has asked for what is damaged."""
    if damage is not None:
        warnings.warn(damage, DatabaseWarning, stacklevel=4)


class Game:
    """A game of a database. Light: everything is read when it is asked for, each time anew.

    Of a damaged game, what is sound is given, with a :class:`tabiya.DatabaseWarning`; if no half-move
    can be read, moves raise :class:`tabiya.Error` with the game's number. Headers can be read still.

    Attributes:
        number: its number in its database file, from 1.
        ply: the half-move after which a query matched, 0 being the start; ``None`` without one.
    """

    __slots__ = ("_base", "_index", "ply")

    def __init__(self, base, index, ply=None):
        self._base, self._index, self.ply = base, index, ply

    @property
    def number(self):
        """Its number in its database file, from 1."""
        return self._base.before() + self._index + 1

    @property
    def database(self):
        """The name of its database file."""
        return self._base.name()

    @property
    def headers(self):
        """All PGN tags by name; those that are unknown and not in PGN's roster are left out."""
        return self._base.tags(self._index)

    @property
    def white(self):
        """White's name, ``"?"`` if unknown."""
        return self._base.header(self._index)["White"]

    @property
    def black(self):
        """Black's name, ``"?"`` if unknown."""
        return self._base.header(self._index)["Black"]

    @property
    def result(self):
        """``"1-0"``, ``"0-1"``, ``"1/2-1/2"`` or ``"*"``."""
        return self._base.header(self._index)["Result"]

    @property
    def date(self):
        """The date as in PGN: ``"2010.05.??"``."""
        return self._base.header(self._index)["Date"]

    @property
    def opening(self):
        """The name of the opening, ``None`` without one."""
        return self._base.opening(self._index)

    @property
    def plies(self):
        """The number of half-moves of the main line."""
        return self._base.plies(self._index)

    @property
    def start(self):
        """The start position as FEN; ``None`` for the standard one."""
        return self._line("uci")[0]

    @property
    def moves(self):
        """The main line as UCI moves; ``"0000"`` is a null move."""
        return self._line("uci")[1]

    @property
    def san(self):
        """The main line in standard algebraic notation; ``"--"`` is a null move."""
        return self._line("san")[1]

    @property
    def fens(self):
        """The position after each half-move of the main line."""
        return self._line("fen")[1]

    def pgn(self):
        """Returns the game as PGN, with variations, comments and glyphs.

        A comment stands where something of a damaged game is missing.
        """
        pgn, damage = self._base.pgn(self._index)
        _warn(damage)
        return pgn

    def _line(self, notation):
        start, line, damage = self._base.line(self._index, notation)
        _warn(damage)
        return start, line

    @property
    def comment(self):
        """What is said before the first move; empty without it."""
        return self._lines()[1]

    @property
    def comments(self):
        """What is said after each half-move of the main line; empty texts without it."""
        return self._lines()[0].comments

    @property
    def nags(self):
        """The numbers of the glyphs after each half-move of the main line, a list each."""
        return self._lines()[0].nags

    @property
    def variations(self):
        """The variations of the main line, each a :class:`Variation`."""
        return self._lines()[0].variations

    def _lines(self):
        """Returns the main line with its variations, and what is said before it."""
        told, comment, damage = self._base.lines(self._index)
        _warn(damage)
        return lines_of(told), comment or ""

    def to_python_chess(self):
        """Returns the game as a ``chess.pgn.Game``. Needs the package ``chess``."""
        import io

        import chess.pgn

        pgn, damage = self._base.pgn(self._index)
        _warn(damage)
        tags, _, _ = pgn.partition("\n\n")
        headers = chess.pgn.read_headers(io.StringIO(tags + "\n\n*\n"))
        told, comment, _ = self._base.lines(self._index)
        # What python-chess has rules of its own for, it reads itself.
        castles = any(san.startswith("O") for *_, san, _, _, _ in told)
        is_illegal = any(san == uci for *_, uci, san, _, _, _ in told)
        if damage or is_illegal or "Variant" in headers or "FEN" in headers and castles:
            return chess.pgn.read_game(io.StringIO(pgn))
        game = chess.pgn.Game(headers)
        game.comment = comment or ""
        nodes = []
        for after, _, _, _, uci, _, nags, before, comment in told:
            parent = game if after is None else nodes[after]
            nodes.append(parent.add_variation(
                chess.Move.from_uci(uci), comment=comment or "", starting_comment=before or "",
                nags=nags,
            ))
        return game

    def svg(self, ply=None):
        """Returns a position of the main line as SVG.

        Args:
            ply: half-moves from the start; by default where a query matched, else the last one.

        Raises:
            IndexError: the game has fewer half-moves.
        """
        is_end = ply is None and self.ply is None
        if ply is None:
            ply = self.plies if self.ply is None else self.ply
        drawn = self._base.svg(self._index, ply)
        if drawn is None and is_end:
            # The game is damaged: what is sound of it is shorter.
            drawn = self._base.svg(self._index, len(self.moves))
        if drawn is None:
            raise IndexError(f"game {self.number} has no ply {ply}; its last one is {self.plies}")
        return drawn

    def _repr_svg_(self):
        return self.svg()

    def _repr_html_(self):
        tags = self._base.header(self._index)
        words = f"{tags['White']} - {tags['Black']} {tags['Result']}, {tags['Date']}"
        try:
            shown = self.svg()
        except Error as error:
            shown = f"<p>{html.escape(str(error))}</p>"
        return f"<p>{html.escape(words)}</p>{shown}"

    def _cells(self):
        tags = self._base.header(self._index)
        names = ("White", "Black", "Result", "Date", "ECO", "Event")
        return [str(self.number), *(tags.get(name, "") for name in names)]

    def __repr__(self):
        tags = self._base.header(self._index)
        players = f"{tags['White']} - {tags['Black']}"
        return f"<Game {self.number} of {self.database}: {players} {tags['Result']}>"

    def __eq__(self, other):
        same = isinstance(other, Game) and self._index == other._index
        return same and origin(self._base) == origin(other._base)

    def __hash__(self):
        return hash((origin(self._base), self._index))


@dataclass
class Variation:
    """Moves that could have been played instead of a half-move of the line that has it.

    Attributes:
        ply: the half-move that its first move stands for, from 1.
        moves, san: the moves, as UCI and in standard algebraic notation.
        comment: what is said before the first move.
        comments, nags: what is said and which glyphs stand after each move.
        variations: those of its moves.
    """

    ply: int
    moves: list[str] = field(default_factory=list)
    san: list[str] = field(default_factory=list)
    comment: str = ""
    comments: list[str] = field(default_factory=list)
    nags: list[list[int]] = field(default_factory=list)
    variations: list[Variation] = field(default_factory=list)


def lines_of(told):
    """Returns the main line with its variations from the moves of all lines."""
    main = Variation(1)
    lines = {None: main}
    for _, variation, parent, ply, uci, san, nags, before, comment in told:
        line = lines.get(variation)
        if line is None:
            line = lines[variation] = Variation(ply, comment=before or "")
            lines.get(parent, main).variations.append(line)
        line.moves.append(uci)
        line.san.append(san)
        line.nags.append(nags)
        line.comments.append(comment or "")
    return main


def table(titles, rows, more=0):
    """Returns a table for notebooks. Everything in it is text."""
    cells = lambda tag, row: "".join(f"<{tag}>{html.escape(str(one))}</{tag}>" for one in row)
    lines = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    rest = f"<p>and {more} more</p>" if more > 0 else ""
    return f"<table><tr>{cells('th', titles)}</tr>{lines}</table>{rest}"
