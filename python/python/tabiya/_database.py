"""Databases and what is found in them."""

from __future__ import annotations

import os
from bisect import bisect_right

import numpy as np

from . import _native
from . import _planes
from ._ahead import ahead
from ._game import Game, table
from ._rows import USUAL, Rows

SHOWN = 20
COLUMNS = (
    "db", "game", "white", "black", "event", "site", "round", "date", "year", "month", "day",
    "result", "white_elo", "black_elo", "eco", "opening", "plies",
)
TEXTS = {"white", "black", "event", "site", "round", "date", "result", "eco", "opening"}


def teller(progress, what):
    """Returns a function for the progress of long work, and one to call when it is over."""
    if not progress:
        return None, lambda: None
    if callable(progress):
        return progress, lambda: None
    from tqdm.auto import tqdm

    bar = tqdm(desc=what)

    def tell(done, total):
        bar.total = total
        bar.update(done - bar.n)

    return tell, bar.close


def told(progress, what, work):
    """Does long work with its progress told."""
    tell, over = teller(progress, what)
    try:
        return work(tell)
    finally:
        over()


class Database:
    """One or several chess databases, as one sequence of games, in their order.

    Made by :func:`tabiya.open`. ``db[17]`` is the eighteenth game; ``game.number`` counts from 1 in
    the game's own file, as the program and queries (``number:18``) do.
    """

    def __init__(self, bases):
        self._bases = bases
        self._ends = np.cumsum([len(base) for base in bases]).tolist()

    def __len__(self):
        return self._ends[-1]

    @property
    def names_of_files(self):
        return [base.name() for base in self._bases]

    @property
    def notes(self):
        """What is odd about the files, one text each."""
        return [note for base in self._bases for note in base.notes()]

    def _place(self, index):
        at = bisect_right(self._ends, index)
        return at, index - (self._ends[at - 1] if at else 0)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"there is no game {index}; the database has {len(self)}")
        at, own = self._place(index)
        return Game(self._bases[at], own)

    def __iter__(self):
        for base in self._bases:
            for index in range(len(base)):
                yield Game(base, index)

    def search(self, query="", variations=False, limit=None, sort=None, progress=False):
        """Returns the games that match a query, in their order.

        Args:
            query: in tabiya's query language; the empty text means all games.
            variations: whether positions in variations count too.
            limit: the greatest number of games: the first ones, before they are sorted.
            sort: a column of :meth:`headers` or several, each upwards or with ``:desc`` behind it
                downwards; games without a value are last.
            progress: ``True`` for a bar of tqdm, or a function of the work done and all of it.

        Raises:
            QueryError: the query cannot be read; the message marks the place.
            Error: a file is damaged as a whole, or was changed by another program. A damaged game
                is no error: it does not match, and ``Matches.damaged`` counts it.
        """
        found = []

        def work(tell):
            left = limit
            for base in self._bases:
                if left == 0 and found:
                    break
                games, plies, report = base.search(query, variations, left, tell)
                games = np.frombuffer(games, dtype=np.uint32)
                found.append((base, games, np.frombuffer(plies, dtype=np.int32), report))
                left = None if left is None else left - len(games)

        told(progress, "search", work)
        matches = Matches(found)
        return matches if sort is None else matches.sorted(sort)

    def count(self, query="", variations=False, progress=False):
        """Returns the number of games that match; cheaper than ``len(db.search(...))``."""
        bases = self._bases
        work = lambda tell: sum(base.count(query, variations, tell) for base in bases)
        return told(progress, "count", work)

    def tree(self, fen=None, moves=None, query="", progress=False):
        """Returns the moves that were played in a position, most frequent first.

        Args:
            fen: the position; or
            moves: the moves that lead to it, ``"1.e4 c5"``.
            query: only games that match it count.
        """
        work = lambda tell: [base.tree(fen, moves, query, tell) for base in self._bases]
        return Tree(told(progress, "tree", work))

    def stats(self, query="", top=10, eco_depth=1, progress=False):
        """Returns figures of the games that match, one dict for each file: games and results in
        all, by year, by rating (in hundreds), by opening code, and the players with most games."""
        work = lambda tell: [base.stats(query, top, eco_depth, tell) for base in self._bases]
        return told(progress, "stats", work)

    def names(self, text="", kind="player"):
        """Returns the players (or ``kind``: event, site, round) whose names contain a text."""
        return [row for base in self._bases for row in base.names(kind, text)]

    def explain(self, query):
        """Returns for each clause of a query how it is answered and what the index proves."""
        return [row for base in self._bases for row in base.explain(query)]

    def positions(self, fens, query="", progress=False):
        """Returns for each FEN the number of games with that position, all in one pass."""
        work = lambda tell: [base.positions(list(fens), query, tell) for base in self._bases]
        return [sum(counts) for counts in zip(*told(progress, "positions", work))]

    def index(self, columns=False, progress=False):
        """Makes the file beside each database that makes positions immediate. The database must be
        opened again to use it."""
        work = lambda tell: [base.index(columns, tell) for base in self._bases]
        told(progress, "index", work)

    def verify(self, progress=False):
        """Decodes and checks everything; returns a dict for each file."""
        return told(progress, "verify", lambda tell: [one.verify(tell) for one in self._bases])

    def headers(self, columns=None, query=""):
        """Returns headers as a ``pyarrow.Table``, which polars, pandas and DuckDB take as it is.

        Names are dictionaries; what is unknown is null. Columns: db, game (number in its file, from
        1), white, black, event, site, round, date (as in PGN), year, month, day, result, white_elo,
        black_elo, eco, opening, plies. Those not asked for cost nothing.
        """
        return self.search(query).headers(columns)

    def moves(self, columns=USUAL, query=""):
        """Returns a row for each half-move of the main lines, as :class:`Rows`.

        Columns: db; game (number in its file, from 1); ply (from 1); san; uci; fen (after the
        move); clock (seconds left); eval (pawns for White); mate (moves to it, negative if Black
        mates); comment. What is unknown is null. Those not asked for cost nothing.
        """
        return self.search(query).moves(columns)

    def fens(self, query=""):
        """Returns the positions after each half-move: :meth:`moves` with game, ply, fen."""
        return self.moves(("game", "ply", "fen"), query)

    def planes(self, query="", dtype="uint8", batch=8192, seed=None):
        """Yields batches of the positions in which a move is made, for training: dicts of

        * ``planes``: (n, 12, 8, 8), of ``dtype``, 0 or 1: the pieces P N B R Q K of White, then of
          Black; ranks from the first, files from a. With ``dtype="bits"`` (n, 12, 8) of uint8, a
          byte a rank, its lowest bit the a-file;
        * ``move``: (n,) uint16, the move made: its first square (a1 is 0, b1 is 1), the last one
          from bit 6 on, and from bit 12 a promotion: 1 to 4 for N, B, R, Q. Castling is the king's
          move, in Chess960 to its rook;
        * ``turn``: (n,) bool, whether White is to move;
        * ``result``: (n,) int8, 1 if White won, 0 if drawn, -1 if Black won, 2 if unknown;
        * ``elo``: (n, 2) int16 of White and Black, 0 if unknown.

        All batches but the last have ``batch`` positions. In the order of the games, or with a
        ``seed`` shuffled: games among all, positions among those of some hundred games.
        """
        return self.search(query).planes(dtype, batch, seed)

    def __repr__(self):
        return f"<Database {', '.join(self.names_of_files)}: {len(self)} games>"

    def _repr_html_(self):
        return self.search(limit=SHOWN)._repr_html_(len(self))


class Matches:
    """Games that match a query, in their order: a sequence of :class:`Game`.

    Attributes:
        damaged: the number of damaged games; they do not match.
        damaged_games: the first of them, one text each.
    """

    def __init__(self, found, order=None):
        self._found = found
        self._order = order
        self._ends = np.cumsum([len(games) for _, games, _, _ in found]).tolist() or [0]
        self.damaged = sum(report["damaged"] for *_, report in found)
        self.damaged_games = [one for *_, report in found for one in report["damaged_games"]]

    def __len__(self):
        return self._ends[-1]

    def _joined(self, arrays, dtype):
        arrays = list(arrays)
        joined = np.concatenate(arrays) if arrays else np.empty(0, dtype)
        return joined if self._order is None else joined[self._order]

    @property
    def numbers(self):
        """Their numbers in their files, from 1: an array of uint32, of shape (len,)."""
        return self._joined((games + np.uint32(1) for _, games, _, _ in self._found), np.uint32)

    @property
    def plies(self):
        """The half-moves after which they match, -1 without one: int32, of shape (len,)."""
        return self._joined((plies for _, _, plies, _ in self._found), np.int32)

    def sorted(self, keys):
        """Returns the same games sorted, see :meth:`Database.search`."""
        import pyarrow.compute as pc

        keys = [keys] if isinstance(keys, str) else list(keys)
        names = [key.removesuffix(":desc") for key in keys]
        table = self.headers(names)
        for place, name in enumerate(names):
            if name in TEXTS or name == "db":
                table = table.set_column(place, name, table[name].cast("string"))
        ways = ["descending" if key.endswith(":desc") else "ascending" for key in keys]
        order = pc.sort_indices(table, sort_keys=list(zip(names, ways))).to_numpy()
        return Matches(self._found, order if self._order is None else self._order[order])

    def _parts(self, size, rng=None):
        """Yields bases with the numbers of some of their games; with a generator of random numbers
        in an order of its own, that of each ``size`` games by file."""
        order = np.arange(len(self)) if self._order is None else self._order
        if rng is not None:
            order = rng.permutation(len(self))
        all_games = np.concatenate([games for _, games, *_ in self._found] or [order])
        for start in range(0, len(order), size):
            places = order[start:start + size]
            files = np.searchsorted(self._ends, places, side="right")
            if rng is not None:
                by_file = np.argsort(files, kind="stable")
                places, files = places[by_file], files[by_file]
            breaks = np.flatnonzero(np.diff(files)) + 1
            for part, file in zip(np.split(places, breaks), np.split(files, breaks)):
                yield self._found[file[0]][0], all_games[part]

    def moves(self, columns=USUAL):
        """Returns a row for each half-move, see :meth:`Database.moves`."""
        return Rows(self, columns)

    def planes(self, dtype="uint8", batch=8192, seed=None):
        """Yields batches of positions, see :meth:`Database.planes`."""
        return _planes.planes(self, dtype, batch, seed)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"there is no match {index}; there are {len(self)}")
        if self._order is not None:
            index = int(self._order[index])
        at = bisect_right(self._ends, index)
        base, games, plies, _ = self._found[at]
        own = index - (self._ends[at - 1] if at else 0)
        return self._game(base, games[own], plies[own])

    @staticmethod
    def _game(base, game, ply):
        return Game(base, int(game), None if ply < 0 else int(ply))

    def __iter__(self):
        if self._order is not None:
            yield from (self[index] for index in range(len(self)))
            return
        for base, games, plies, _ in self._found:
            for game, ply in zip(games, plies):
                yield self._game(base, game, ply)

    def headers(self, columns=None):
        """Returns their headers as a ``pyarrow.Table``, see :meth:`Database.headers`."""
        import pyarrow as pa

        names = list(COLUMNS if columns is None else columns)
        parts = [pa.table(_columns(pa, base, games, names)) for base, games, _, _ in self._found]
        table = pa.concat_tables(parts).unify_dictionaries()
        return table if self._order is None else table.take(self._order)

    def __repr__(self):
        return f"<{len(self)} games>"

    def _repr_html_(self, total=None):
        rows = [game._cells() for game in self[:SHOWN]]
        titles = ("", "White", "Black", "Result", "Date", "ECO", "Event")
        return table(titles, rows, (len(self) if total is None else total) - len(rows))


def _columns(pa, base, games, names):
    """Returns columns of some games of one file as arrays of Arrow."""
    numbers = games.tobytes()

    def column(name):
        if name == "game":
            return pa.array(games + np.uint32(1))
        if name == "db":
            places = pa.array(np.zeros(len(games), np.int32))
            return pa.DictionaryArray.from_arrays(places, pa.array([base.name()], pa.string()))
        read = base.column(name, numbers)
        values = np.frombuffer(read["values"], dtype=np.int32)
        array = pa.array(values, mask=values < 0)
        if name in TEXTS:
            array = pa.DictionaryArray.from_arrays(array, pa.array(read["texts"], pa.string()))
        return array

    return dict(zip(names, ahead(column, names)))


class Tree(list):
    """The moves played in a position: dicts with ``move`` (SAN, ``[end]`` where games end),
    ``uci``, ``games``, ``white``, ``draws``, ``black``, ``average_rating`` and ``performance`` of
    the side to move, ``average_year``, ``eco``, ``opening``. With several files their counts are
    added, and means weighted by games."""

    MEANS = ("average_rating", "performance", "average_year")

    def __init__(self, trees):
        rows = {}
        for row in (row for tree in trees for row in tree):
            rows.setdefault(row["move"], []).append(row)
        joined = [same[0] if len(same) == 1 else self._sum(same) for same in rows.values()]
        super().__init__(sorted(joined, key=lambda row: -row["games"]))

    @classmethod
    def _sum(cls, rows):
        most = max(rows, key=lambda row: row["games"])
        total = {**most, **{k: sum(r[k] for r in rows) for k in ("games", "white", "draws", "black")}}
        for name in cls.MEANS:
            known = [row for row in rows if row[name] is not None]
            games = sum(row["games"] for row in known)
            total[name] = sum(row[name] * row["games"] for row in known) / games if games else None
        return total

    def _repr_html_(self):
        titles = ("move", "games", "white", "draws", "black", "eco", "opening")
        rows = [["" if row[name] is None else row[name] for name in titles] for row in self]
        return table(titles, rows)


def open(path, *more, sidecar=True, progress=False):
    """Opens databases, several as one.

    Args:
        path, more: files of any format that tabiya reads.
        sidecar: whether to use the file that :meth:`Database.index` made.

    Raises:
        FileNotFoundError: there is no such file.
        Error: the file is not a database, or is damaged as a whole.
    """
    paths = [os.fspath(one) for one in (path, *more)]
    work = lambda tell: [_native.Base.open(one, sidecar, tell) for one in paths]
    return Database(told(progress, "open", work))


def convert(sources, target, query="", replace=False, comments=True, variations=True,
            progress=False):
    """Writes databases into a new one, in the format that the target's suffix names.

    Args:
        sources: a path, or a list of them.
        query: only games that match are written.
        replace: whether a database that is there is replaced.

    Returns:
        A dict: ``games`` written, and ``skipped`` ones, which could not be read.
    """
    single = isinstance(sources, (str, os.PathLike))
    paths = [os.fspath(one) for one in ([sources] if single else sources)]
    options = (os.fspath(target), query, replace, comments, variations)
    return told(progress, "convert", lambda tell: _native.convert(paths, *options, tell))


def repair(source, target, replace=False, progress=False):
    """Writes what can be read of a damaged database into a new one.

    Returns:
        A dict: games that were ``sound``, ``harmed`` (something of them is lost) and ``lost``.
    """
    paths = (os.fspath(source), os.fspath(target))
    return told(progress, "repair", lambda tell: _native.repair(*paths, replace, tell))
