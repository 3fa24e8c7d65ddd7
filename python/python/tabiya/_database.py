"""Databases and what is found in them."""

from __future__ import annotations

import os
import warnings
from bisect import bisect_right

import numpy as np

from . import _native
from . import _sets
from ._errors import DatabaseWarning, QueryWarning
from ._files import named, opening_of
from ._game import Game, table
from ._matches import SHOWN, Matches, place
from ._opened import register
from ._progress import on_each
from ._reports import Lines, Repertoire, Report


class Database:
    """One or several chess databases, as one sequence of games, in their order.

    Made by :func:`tabiya.open`. ``db[17]`` is the eighteenth game; ``game.number`` counts from 1 in
    the game's own file, as the program and queries (``number:18``) do. Texts among the games of
    ChessBase count, as they have numbers; searches find no texts. A database can be pickled:
    it is opened again from its path.
    """

    def __init__(self, paths, opening, progress=False):
        self._paths, self._opening = paths, opening
        self._open(progress)
        for note in self.notes:
            # Of whoever calls tabiya.open.
            warnings.warn(note, DatabaseWarning, stacklevel=3)

    def _open(self, progress):
        # A long file is several bases, which know how many games of it are before them.
        work = lambda path, tell: _native.Base.open(path, self._opening, tell)
        parts = on_each(progress, "open", named(self._paths), work)
        self._held = register([base for bases in parts for base in bases])
        self._ends = np.cumsum([len(base) for base in self._bases]).tolist()

    def _by_file(self, values):
        """Returns lists of the values of bases, one for each file."""
        files = []
        for base, value in zip(self._bases, values):
            files.append([value]) if base.is_first() else files[-1].append(value)
        return files

    def __reduce__(self):
        return Database, (self._paths, self._opening)

    def close(self):
        """Lets the files go, as the end of a ``with`` block does; nothing can be asked then. Games
        and results that are still held keep them."""
        self._held = None

    @property
    def _bases(self):
        if self._held is None:
            raise ValueError("the database is closed")
        return self._held

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __len__(self):
        return self._ends[-1] if self._bases else 0

    @property
    def names_of_files(self):
        """The names of the files, without folders and suffixes."""
        return [base.name() for base in self._bases if base.is_first()]

    @property
    def notes(self):
        """What is odd about the files, one text each: also the warnings of opening them."""
        return [note for base in self._bases for note in base.notes()]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index] + 1)
        index = place(index, len(self), "game")
        at = bisect_right(self._ends, index)
        return Game(self._bases[at], index - (self._ends[at - 1] if at else 0))

    def __iter__(self):
        for base in self._bases:
            for index in range(len(base)):
                yield Game(base, index)

    def take(self, numbers):
        """Returns the games with these numbers, from 1, in their order, as :class:`Matches`. Of one
        file they are those of ``game.number`` and ``Matches.numbers``. Of several files as one, games
        count on from file to file, as :attr:`Matches.indices` do: ``db.take(found.indices + 1)``.

        Raises:
            IndexError: there is no game with such a number.
        """
        return Matches(*_sets.taken(self._bases, numbers))

    def search(self, query="", variations=False, limit=None, sort=None, progress=False):
        """Returns the games that match a query, in their order.

        Args:
            query: in tabiya's query language; the empty text means all games.
            variations: whether positions in variations count too.
            limit: the greatest number of games; the first ones of the order.
            sort: a column of :meth:`headers` or a field of queries that has one value for each
                game, as ``avgelo``, ``elodiff``, ``winner`` or ``elo`` (the lower of both), or
                several, each upwards or with ``:desc`` behind it downwards; games without a value
                are last, equal ones stay in their order. Capitals and accents do not count.
            progress: ``True`` for a bar of tqdm, or a function of the work done and all of it
                (games; ``None`` if unknown).

        Raises:
            QueryError: the query cannot be read; the message marks the place.
            Error: a file is damaged as a whole, or was changed by another program. A damaged game
                is no error: it does not match, and ``Matches.damaged`` counts it.

        Warns:
            QueryWarning: words that are looked for in names probably mean something else.
        """
        _warn(query)
        if limit is not None and limit < 0:
            raise ValueError("a limit is not negative")
        left = limit if sort is None else None

        def work(base, tell):
            nonlocal left
            games, plies, report = base.search(query, variations, left, tell)
            games = np.frombuffer(games, dtype=np.uint32)
            left = None if left is None else left - len(games)
            return base, games, np.frombuffer(plies, dtype=np.int32), report

        matches = Matches(on_each(progress, "search", self._bases, work))
        return matches if sort is None else matches.sorted(sort)[:limit]

    def count(self, query="", variations=False, progress=False):
        """Returns the number of games that match; cheaper than ``len(db.search(...))``."""
        _warn(query)
        work = lambda base, tell: base.count(query, variations, tell)
        return sum(on_each(progress, "count", self._bases, work))

    def tree(self, fen=None, moves=None, query="", variations=False, progress=False):
        """Returns the moves that were played in a position, most frequent first.

        Args:
            fen: the position; or
            moves: the moves that lead to it, ``"1.e4 c5"``.
            query: only games that match it count.
            variations: whether what variations play counts too: a game once for each move.
        """
        total = _native.TreeSum(fen, moves)
        work = lambda base, tell: total.add(base, query, variations, tell)
        on_each(progress, "tree", self._bases, work)
        return Tree(total.rows())

    def lines(self, fen=None, moves=None, query="", depth=8, min_games=None, min_share=0.0,
              only=None, variations=False, progress=False):
        """Returns the moves that games play from a position, move after move, transpositions
        joined: :class:`Lines`.

        Args:
            fen, moves, query: as of :meth:`tree`.
            depth: half-moves of a line at most.
            min_games: leaves out moves that fewer games play; one in a hundred of those that have
                the position, and at least 2, unless given.
            min_share: leaves out moves that a smaller part, from 0 to 1, of the games play that
                have the position before the move.
            only: ``"white"`` or ``"black"``: lets lines end with a move of this side.
            variations: whether variations count too.
        """
        kept = {"depth": depth, "min_games": min_games, "min_share": min_share, "only": only,
                "variations": variations}
        work = lambda bases, tell: _native.LineSum(bases, (fen, moves), query, kept, tell)
        return Lines(on_each(progress, "lines", [self._bases], work)[0])

    def report(self, player=None, opening=None, fen=None, moves=None, query="", progress=False):
        """Returns what games tell about a player or an opening: :class:`Report`.

        Args:
            player: the name as the files have it; or
            opening: a part of the names of the opening, ``"najdorf"``; or
            fen, moves: a position.
            query: only games that match it count.
        """
        about = (player, opening), (fen, moves)
        work = lambda bases, tell: _native.Written(bases, *about, query, tell)
        return Report(on_each(progress, "report", [self._bases], work)[0])

    def repertoire(self, lines, color, query="", gap=0.05, min_games=2, progress=False):
        """Compares the games with lines of your own: :class:`Repertoire`.

        Args:
            lines: a database with them, its variations included: ``tabiya.open("white.pgn")``.
            color: ``"white"`` or ``"black"``: whose lines they are.
            query: only games that match it count.
            gap: what part, from 0 to 1, of the games that have a position must play a reply that
                counts as a gap;
            min_games: and how many games must.
        """
        work = lambda bases, tell: _native.Compared(bases, lines._bases, color, query,
                                                    (gap, min_games), tell)
        native = on_each(progress, "repertoire", [self._bases], work)[0]
        return Repertoire(native, self, lines, query)

    def stats(self, query="", top=10, eco_depth=1, progress=False):
        """Returns figures of the games that match: ``games``, ``white``, ``draws``, ``black``; the
        same by ``years``, by ``ratings`` (the mean of both, in hundreds) and by ``openings`` (the
        first ``eco_depth`` characters of codes); ``players`` and ``events`` with most games, at
        most ``top``, each a name and a number; ``mean_plies``, ``median_plies``,
        ``mean_rating``."""
        total = _native.StatsSum()
        on_each(progress, "stats", self._bases, lambda base, tell: total.add(base, query, tell))
        return total.finish(top, eco_depth)

    def names(self, text="", kind="player"):
        """Returns the players (or ``kind``: event, site, round) whose names contain a text, those
        with most games first: dicts with ``name``, ``games``, ``as_white``, ``as_black``,
        ``first_year``, ``last_year``, ``peak`` (the highest rating)."""
        rows = {}
        for row in (row for base in self._bases for row in base.names(kind, text)):
            same = rows.setdefault(row["name"], row)
            if same is not row:
                _add_name(same, row)
        if len(self._bases) == 1:
            return list(rows.values())
        return sorted(rows.values(), key=lambda row: (-row["games"], row["name"]))

    def explain(self, query):
        """Returns for each clause of a query how it is answered and what the index proves: dicts
        with ``db``, ``clause``, ``served_by``, and the number of games that are ``possible`` and
        ``certain``; those of each file."""
        explained = self._by_file([base.explain(query) for base in self._bases])
        told = [{"db": name, **_sum(rows, ("possible", "certain"))}
                for name, parts in zip(self.names_of_files, explained) for rows in zip(*parts)]
        return told

    def hints(self, query):
        """Returns what was probably meant by a query that finds nothing, or not what was wanted:
        dicts with ``condition``, words or a condition of it; ``instead``, what would ask for what
        was meant, or ``None``; and ``text``, a sentence of both. First what is also a
        ``QueryWarning`` of :meth:`search`, then conditions that no name satisfies in any file."""
        advice = _native.advice(query)
        first, *others = [base.hints(query) for base in self._bases]
        known = [{hint["condition"] for hint in hints} for hints in others]
        return advice + [hint for hint in first if all(hint["condition"] in one for one in known)]

    def positions(self, fens, query="", progress=False):
        """Returns for each FEN the games with that position, all in one pass: dicts with ``games``,
        ``white``, ``draws`` and ``black``."""
        fens = list(fens)
        work = lambda base, tell: base.positions(fens, query, tell)
        counts = on_each(progress, "positions", self._bases, work)
        return [{name: sum(row[name] for row in rows) for name in rows[0]} for rows in zip(*counts)]

    def index(self, columns=False, progress=False):
        """Makes the file beside each database that makes positions immediate, and uses it from now
        on. With ``columns`` names and headers are in it too.

        Raises:
            Error: the file cannot be written, or the format needs none.
        """
        on_each(progress, "index", self._bases, lambda base, tell: base.index(columns, tell))
        if self._opening["sidecar"]:
            self._open(False)

    def verify(self, progress=False):
        """Decodes and checks everything; returns a dict for each file: ``games``, ``plies``,
        ``damaged``, ``damaged_games`` and ``notes`` (a text each)."""
        done = on_each(progress, "verify", self._bases, lambda base, tell: base.verify(tell))
        return [_sum(parts, parts[0]) for parts in self._by_file(done)]

    def headers(self, columns=None, query="", stream=False):
        """Returns headers as a ``pyarrow.Table``, which polars, pandas and DuckDB take as it is;
        with ``stream`` as :class:`Rows`, in which memory does not grow with the database.

        Columns: db, game (number in its file, from 1), white, black, event, site, round, date (as
        in PGN), year, month, day, result, white_elo, black_elo, eco, opening, plies, event_date.
        Texts are dictionaries; what is unknown is null. Those not asked for cost nothing. Asked for
        by name there are also match_ply and match_fen: where the query matches, and the position.
        """
        return self.search(query).headers(columns, stream)

    def moves(self, columns=None, query=""):
        """Returns a row for each half-move of the main lines, as :class:`Rows`.

        Columns: db; game (number in its file, from 1); ply (from 1); san; uci; fen (after the
        move); clock (seconds left); eval (pawns for White); mate (moves to it, negative if Black
        mates); comment. What is unknown is null. Those not asked for cost nothing; usual are game,
        ply, san, uci, clock, eval, comment.
        """
        return self.search(query).moves(columns)

    def fens(self, query=""):
        """Returns the positions after each half-move: :meth:`moves` with game, ply, fen."""
        return self.search(query).fens()

    def planes(self, query="", dtype="uint8", batch=8192, seed=None, columns=None):
        """Yields batches of the positions in which a move is made, for training: dicts of columns.
        Usual are

        * ``planes``: (n, 12, 8, 8), of ``dtype``, 0 or 1: the pieces P N B R Q K of White, then of
          Black; ranks from the first, files from a. With ``dtype="bits"`` (n, 12, 8) of uint8, a
          byte a rank, its lowest bit the a-file;
        * ``move``: (n,) uint16, the move made: its first square (a1 is 0, b1 is 1), the last one
          from bit 6 on, and from bit 12 a promotion: 1 to 4 for N, B, R, Q. Castling is the king's
          move, in Chess960 to its rook;
        * ``turn``: (n,) bool, whether White is to move;
        * ``result``: (n,) int8, 1 if White won, 0 if drawn, -1 if Black won, 2 if unknown;
        * ``elo``: (n, 2) int16 of White and Black, 0 if unknown.

        Asked for by name there are also

        * ``castling``: (n,) uint8, bits: 1 and 2 for White's short and long castling, 4 and 8 for
          Black's;
        * ``en_passant``: (n,) int8, the square behind the pawn, if a capture there is legal, else -1;
        * ``ply``: (n,) int32, half-moves before the position; ``game``: (n,) int64, the game's
          number in its file, from 1;
        * ``clock``: (n, 2) float32, seconds left to White and Black in the position, as the comments
          after the last move of each say;
        * ``eval``: (n,) float32, the evaluation of the position in pawns for White, infinite for
          mates: what the comment after the last move says, or before the first one, and in training
          data what is stored with the position;
        * ``score``: (n,) float32, of training data the expected result of the side to move, 0 for a
          loss and 1 for a win, as the word ``score`` of queries;
        * ``legal``: (n, 218) uint16, the legal moves, numbered as ``move``, 65535 behind the last;
        * ``visits``: (n, 218) uint8, for each of ``legal`` how often the search visited it, 255 for
          the most; zeros where that is not stored.

        A number that is unknown is NaN. Positions of a game are all on one side of
        :meth:`Matches.split`.

        All batches but the last have ``batch`` positions; the last one has the rest. In the order
        of the games, or with a ``seed`` shuffled, for a seed always in the same way: games among
        all, positions among those of some hundred games. Null moves are left out, and so is a
        damaged game from the damage on, with a :class:`DatabaseWarning` at the end.
        """
        return self.search(query).planes(dtype, batch, seed, columns)

    def __repr__(self):
        return f"<Database {', '.join(self.names_of_files)}: {len(self)} games>"

    def _repr_html_(self):
        return self.search(limit=SHOWN)._repr_html_(len(self))


def _sum(rows, names):
    """Returns the sums, lists joined, of these fields of the rows of a file's parts, and what else
    the first has."""
    first, *others = rows
    return {name: sum((row[name] for row in others), value) if name in names else value
            for name, value in first.items()}


def _warn(query):
    """Warns whoever calls the caller of words that probably mean something else."""
    for hint in _native.advice(query):
        warnings.warn(hint["text"], QueryWarning, stacklevel=3)


def _add_name(row, more):
    """Adds the figures of the same name in another file."""
    for name in ("games", "as_white", "as_black"):
        row[name] += more[name]
    for name, choose in (("first_year", min), ("last_year", max), ("peak", max)):
        known = [one[name] for one in (row, more) if one[name] is not None]
        row[name] = choose(known, default=None)


class Tree(list):
    """The moves played in a position: dicts with ``move`` (SAN, ``[end]`` where games end),
    ``uci``, ``games``, ``white``, ``draws``, ``black``, ``average_rating`` and ``performance`` of
    the side to move, ``average_year``, ``eco``, ``opening``; ``None`` for what is unknown."""

    def _repr_html_(self):
        titles = ("move", "games", "white", "draws", "black", "eco", "opening")
        rows = [["" if row[name] is None else row[name] for name in titles] for row in self]
        return table(titles, rows)


def open(path, *more, sidecar=True, in_memory=False, password=None, language="all",
         encoding=None, progress=False):
    """Opens databases, several as one.

    Args:
        path, more: files of any format that tabiya reads; patterns (``"2024-*.pgn.zst"``) and lists
            (``"months.tabiyaset"``, a path or a pattern a line) stand for all that they name. PGN
            that unpacks to more than 2 GiB must be indexed first, see :func:`index`.
        sidecar: whether to use the file that :meth:`Database.index` made.
        in_memory: whether files are read into memory instead of being mapped. For files that
            another program may shorten: the system ends a process that reads a mapped file behind
            its new end.
        password: that of an archive in cipher (``.cbz``).
        language: which comments are told of a move with some in several languages: ``"en"``,
            ``"German"``, ``"all"``.
        encoding: that of names and other texts, whatever their bytes suggest:
            ``"windows-1251"``, ``"koi8-r"``, ``"cp437"``.
        progress: as in :meth:`Database.search`; counts bytes.

    Raises:
        NotFoundError: there is no such file. It is a ``FileNotFoundError`` too.
        Error: the file is not a database, or is damaged as a whole.
    """
    paths = [os.fsdecode(one) for one in (path, *more)]
    return Database(paths, opening_of(sidecar, in_memory, password, language, encoding), progress)
