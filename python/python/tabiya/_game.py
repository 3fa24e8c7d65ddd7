"""One game."""

from __future__ import annotations

import html
import warnings

from ._errors import DatabaseWarning, Error


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

    def to_python_chess(self):
        """Returns the game as a ``chess.pgn.Game``. Needs the package ``chess``."""
        import io

        import chess.pgn

        return chess.pgn.read_game(io.StringIO(self.pgn()))

    def svg(self, ply=None):
        """Returns a position of the main line as SVG.

        Args:
            ply: half-moves from the start; by default where a query matched, else the last one.

        Raises:
            IndexError: the game has fewer half-moves.
        """
        if ply is None:
            ply = self.plies if self.ply is None else self.ply
        drawn = self._base.svg(self._index, ply)
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
        same = isinstance(other, Game)
        return same and (self._base, self._index) == (other._base, other._index)

    def __hash__(self):
        return hash((id(self._base), self._index))


def table(titles, rows, more=0):
    """Returns a table for notebooks. Everything in it is text."""
    cells = lambda tag, row: "".join(f"<{tag}>{html.escape(str(one))}</{tag}>" for one in row)
    lines = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    rest = f"<p>and {more} more</p>" if more > 0 else ""
    return f"<table><tr>{cells('th', titles)}</tr>{lines}</table>{rest}"
