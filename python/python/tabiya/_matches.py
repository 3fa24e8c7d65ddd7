"""What is found in databases."""

from __future__ import annotations

import operator
import os
from bisect import bisect_right

import numpy as np

from . import _native
from . import _planes
from . import _sets
from ._files import written
from ._game import Game, table
from ._opened import files_of
from ._progress import on_each
from ._rows import HeaderRows, MoveRows, numbered
from ._sort import order

SHOWN = 20


def place(index, length, what):
    """Returns a place in a sequence from an index, which may count from the end."""
    index = operator.index(index)
    place = index + length if index < 0 else index
    if not 0 <= place < length:
        raise IndexError(f"there is no {what} {index}; there are {length}")
    return place


class Matches:
    """Games that match a query, in their order: a sequence of :class:`Game`. Slices are such too,
    and what a list of indices or a mask of bools chooses: ``found[[3, 0]]``, ``found[plies > 40]``.
    ``a & b``, ``a - b`` and ``a | b`` are those of both, of one, and of either, in the order of ``a``
    and then of ``b``; ``ply`` is that of ``a`` if it has the game.

    Attributes:
        harmed: the number of damaged games of which what is sound was searched.
        damaged: the number of those of which no half-move can be read; they do not match.
        damaged_games: the first of them, one text each.
    """

    def __init__(self, found, order=None):
        self._found = found
        # Places among all that was found; all of them, in their order, without it.
        self._order = order
        self._ends = np.cumsum([len(games) for _, games, *_ in found]).tolist()
        self.harmed = sum(report["harmed"] for *_, report in found)
        self.damaged = sum(report["damaged"] for *_, report in found)
        self.damaged_games = [one for *_, report in found for one in report["damaged_games"]]

    def __len__(self):
        return self._ends[-1] if self._order is None else len(self._order)

    def _joined(self, arrays):
        joined = np.concatenate(list(arrays))
        return joined if self._order is None else joined[self._order]

    @property
    def numbers(self):
        """Their numbers in their files, from 1: an array of int64, of shape (len,)."""
        return self._joined(numbered(base, games) for base, games, *_ in self._found)

    @property
    def indices(self):
        """Their places in the database, from 0: ``db[index]`` is the game. An array of int64."""
        return _sets.places(self)

    @property
    def plies(self):
        """The half-moves after which they match, 0 being the start, -1 without one: int32, of shape
        (len,)."""
        return self._joined(plies for _, _, plies, _ in self._found)

    def sorted(self, keys):
        """Returns the same games sorted, see :meth:`Database.search`."""
        return self._ordered(order(self._parts_in_order(), keys))

    def _ordered(self, places):
        """Returns those at these places of the present order."""
        return Matches(self._found, places if self._order is None else self._order[places])

    def _parts_in_order(self):
        """Returns bases with the numbers of games; joined they are the games in their order."""
        if self._order is None:
            return [(base, games) for base, games, *_ in self._found]
        return list(self._parts(max(len(self), 1))) or [(self._found[0][0], self.numbers)]

    def _parts(self, size, rng=None):
        """Yields bases with the numbers of some of their games, at most ``size``. With a generator
        of random numbers in an order of its own, and that of each ``size`` games by file."""
        if self._order is None and rng is None:
            for base, games, *_ in self._found:
                for start in range(0, len(games), size):
                    yield base, games[start:start + size]
            return
        order = np.arange(len(self)) if self._order is None else self._order
        if rng is not None:
            order = rng.permutation(order)
        all_games = np.concatenate([games for _, games, *_ in self._found])
        for start in range(0, len(order), size):
            places = order[start:start + size]
            files = np.searchsorted(self._ends, places, side="right")
            if rng is not None:
                by_file = np.argsort(files, kind="stable")
                places, files = places[by_file], files[by_file]
            breaks = np.flatnonzero(np.diff(files)) + 1
            for part, file in zip(np.split(places, breaks), np.split(files, breaks)):
                yield self._found[file[0]][0], all_games[part]

    def split(self, share, seed=0):
        """Returns the games in two parts, of which the first has about this share, from 0 to 1: for
        training and for testing. Whether a game is in it depends on its number in the database and
        the seed alone, and not on the others, so that two queries divide it in the same way."""
        if not 0 <= share <= 1:
            raise ValueError("a share is a number from 0 to 1")
        is_first = _sets.chance(self, seed) < share
        return self[is_first], self[~is_first]

    def write(self, target, replace=False, comments=True, variations=True, strict=False,
              layout=None, progress=False):
        """Writes the games, in this order, to a new database in the format that the target's suffix
        names; packed PGN (``.pgn.gz``, ``.pgn.zst``) too. All else is as for
        :func:`tabiya.convert`.

        Raises:
            ValueError: the target is one of the files that the games are read from.
        """
        files = {file for base, *_ in self._found for file in files_of(base)}
        if os.path.abspath(os.fsdecode(target)) in files:
            raise ValueError(f"{os.fsdecode(target)} is read and cannot be written to")
        options = written(replace=replace, comments=comments, variations=variations,
                          strict=strict, layout=layout)
        parts = [(base, games.tobytes()) for base, games in self._parts_in_order()]
        work = lambda target, tell: _native.write(parts, target, options, tell)
        return on_each(progress, "write", [os.fsdecode(target)], work)[0]

    def headers(self, columns=None, stream=False):
        """Returns their headers, see :meth:`Database.headers`."""
        rows = HeaderRows(self, columns)
        return rows if stream else rows.table()

    def moves(self, columns=None):
        """Returns a row for each half-move, see :meth:`Database.moves`."""
        return MoveRows(self, columns)

    def fens(self):
        """Returns the position after each half-move, see :meth:`Database.fens`."""
        return self.moves(("game", "ply", "fen"))

    def planes(self, dtype="uint8", batch=8192, seed=None, columns=None):
        """Yields batches of positions, see :meth:`Database.planes`."""
        return _planes.planes(self, dtype, batch, seed, columns)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._ordered(np.arange(len(self))[index])
        is_list = isinstance(index, (list, tuple, range))
        if is_list or hasattr(index, "__array__") and np.ndim(index) > 0:
            return self._ordered(_sets.chosen(index, len(self)))
        index = place(index, len(self), "match")
        if self._order is not None:
            index = int(self._order[index])
        at = bisect_right(self._ends, index)
        base, games, plies, _ = self._found[at]
        own = index - (self._ends[at - 1] if at else 0)
        return _game(base, games[own], plies[own])

    def _those(self, other, are_in):
        if not isinstance(other, Matches):
            return NotImplemented
        _, own, others = _sets.both(self, other)
        return self._ordered(np.flatnonzero(np.isin(own, others, invert=not are_in)))

    def __and__(self, other):
        return self._those(other, True)

    def __sub__(self, other):
        return self._those(other, False)

    def __or__(self, other):
        return Matches(*_sets.union(self, other)) if isinstance(other, Matches) else NotImplemented

    def __iter__(self):
        if self._order is not None:
            yield from (self[index] for index in range(len(self)))
            return
        for base, games, plies, _ in self._found:
            for game, ply in zip(games, plies):
                yield _game(base, game, ply)

    def __repr__(self):
        return f"<{len(self)} games>"

    def _repr_html_(self, total=None):
        rows = [game._cells() for game in self[:SHOWN]]
        titles = ("", "White", "Black", "Result", "Date", "ECO", "Event")
        return table(titles, rows, (len(self) if total is None else total) - len(rows))


def _game(base, game, ply):
    return Game(base, int(game), None if ply < 0 else int(ply))
