"""Tables that are read while they are taken."""

from __future__ import annotations

from functools import cached_property
from typing import get_args

import numpy as np

from ._ahead import ahead
from .types import HeaderColumn, MoveColumn

# Where a query matches is told only if asked for.
HEADERS, MATCH = get_args(HeaderColumn)[:-2], get_args(HeaderColumn)[-2:]
HEADER_NUMBERS = ("year", "month", "day", "white_elo", "black_elo", "plies")
MOVES = get_args(MoveColumn)
USUAL_MOVES = ("game", "ply", "san", "uci", "clock", "eval", "comment")
MOVE_DTYPES = {"game": np.uint32, "ply": np.int32, "clock": float, "eval": float, "mate": float}


def numbered(base, games):
    """Returns the numbers of games in their file, from 1, as int64."""
    return games.astype(np.int64) + 1 + base.before()


def named(columns, known, usual):
    """Returns the names of columns that are asked for."""
    columns = (columns,) if isinstance(columns, str) else columns
    columns = tuple(usual if columns is None else columns)
    for name in columns:
        if name not in known:
            raise ValueError(f"there is no column `{name}`; there are {', '.join(known)}")
        if columns.count(name) > 1:
            raise ValueError(f"the column `{name}` is asked for twice")
    return columns


def arrow():
    """Returns ``pyarrow``."""
    try:
        import pyarrow
    except ImportError:
        raise ImportError("tables need pyarrow: pip install pyarrow") from None
    return pyarrow


class Rows:
    """A table that is read while it is taken: pyarrow, polars, pandas and DuckDB take it as a
    stream of Arrow, in which memory does not grow with the database. It can be taken several times.

    ``pl.DataFrame(rows)``, ``pd.DataFrame.from_arrow(rows)``, ``duckdb.sql("from rows")``,
    ``rows.table()``, or ``rows.reader()`` for one batch after the other.

    Attributes:
        columns: the names of the columns.
        damaged: how many damaged games were met when it was last taken, if moves were read; their
            rows before the damage are there.
    """

    def __init__(self, matches, columns, known, usual):
        self.columns = named(columns, known, usual)
        self._matches = matches
        self.damaged = 0

    @property
    def schema(self):
        """The ``pyarrow.Schema``."""
        pa = arrow()
        return pa.schema([(name, self._kind(pa, name)) for name in self.columns])

    def reader(self):
        """Returns a ``pyarrow.RecordBatchReader``."""
        pa = arrow()
        schema = self.schema
        return pa.RecordBatchReader.from_batches(schema, self._batches(pa, schema))

    def table(self):
        """Returns all rows as a ``pyarrow.Table``, in which dictionaries are those of all rows."""
        pa = arrow()
        schema = self.schema
        return pa.Table.from_batches(self._batches(pa, schema), schema).unify_dictionaries()

    def with_columns(self, columns):
        """Returns these columns of the same rows."""
        return type(self)(self._matches, columns)

    def dataset(self):
        """Returns a ``pyarrow.dataset.Dataset``, of which DuckDB and pyarrow read the columns alone
        that a question needs: ``duckdb.sql("select eco, count(*) from headers group by eco")``."""
        arrow()
        from ._dataset import RowsDataset

        return RowsDataset(self)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.reader().__arrow_c_stream__(requested_schema)

    def _batches(self, pa, schema):
        self.damaged = 0

        def placed():
            place = 0
            for base, games in self._matches._parts(self.GAMES):
                yield base, games, place
                place += len(games)

        def batch(part):
            base, games, place = part
            made, done, damaged = self._batch(pa, schema, base, games, place)
            rest = (base, games[done:], place + done) if done < len(games) else None
            return (made, damaged), rest

        for one, damaged in ahead(batch, placed()):
            self.damaged += damaged
            yield one

    def __repr__(self):
        return f"<rows of {len(self._matches)} games: {', '.join(self.columns)}>"


class HeaderRows(Rows):
    """A row for each game."""

    GAMES = 1 << 16

    def __init__(self, matches, columns):
        super().__init__(matches, columns, HEADERS + MATCH, HEADERS)

    @cached_property
    def _plies(self):
        return self._matches.plies

    @staticmethod
    def _kind(pa, name):
        if name == "game":
            return pa.int64()
        if name in MATCH:
            return pa.int32() if name == "match_ply" else pa.string()
        return pa.int32() if name in HEADER_NUMBERS else pa.dictionary(pa.int32(), pa.string())

    def _batch(self, pa, schema, base, games, place):
        numbers = games.tobytes()
        some = slice(place, place + len(games))
        arrays = [
            _match_column(pa, base, games, self._plies[some], name) if name in MATCH
            else _header_column(pa, base, games, numbers, name)
            for name in self.columns
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=schema), len(games), 0


def _match_column(pa, base, games, plies, name):
    if name == "match_ply":
        return pa.array(plies, mask=plies < 0)
    fens = base.fens(games.tobytes(), plies.astype(np.int32).tobytes())
    return pa.array(fens, pa.string())


def _header_column(pa, base, games, numbers, name):
    if name == "game":
        return pa.array(numbered(base, games))
    if name == "db":
        return _same(pa, base.name(), len(games))
    values, texts = base.column(name, numbers)
    values = np.frombuffer(values, dtype=np.int32)
    array = pa.array(values, mask=values < 0)
    if texts is None:
        return array
    return pa.DictionaryArray.from_arrays(array, pa.array(texts, pa.string()))


class MoveRows(Rows):
    """A row for each half-move."""

    GAMES = 1024

    def __init__(self, matches, columns):
        super().__init__(matches, columns, MOVES, USUAL_MOVES)

    @staticmethod
    def _kind(pa, name):
        numbers = {"game": pa.int64(), "ply": pa.int32(), "clock": pa.float64(),
                   "eval": pa.float64(), "mate": pa.int32(),
                   "db": pa.dictionary(pa.int32(), pa.string())}
        return numbers.get(name, pa.string())

    def _batch(self, pa, schema, base, games, _):
        # The plies tell how many rows there are.
        native = {name for name in self.columns if name != "db"} | {"ply"}
        columns, done, damaged = base.moves(list(native), games.tobytes())
        rows = len(columns["ply"][0]) // 4
        arrays = [
            _same(pa, base.name(), rows) if name == "db"
            else _move_column(pa, name, *columns[name], rows)
            for name in self.columns
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=schema), done, damaged


def _move_column(pa, name, values, text, rows):
    if text is not None:
        return _texts(pa, values, text, rows, name == "comment")
    values = np.frombuffer(values, dtype=MOVE_DTYPES[name])
    mask = np.isnan(values) if values.dtype == float else None
    if name == "game":
        values = values.astype(np.int64)
    if name == "mate":
        values = np.nan_to_num(values).astype(np.int32)
    return pa.array(values, mask=mask)


def _same(pa, text, rows):
    """Returns a dictionary of one text."""
    places = pa.array(np.zeros(rows, np.int32))
    return pa.DictionaryArray.from_arrays(places, pa.array([text], pa.string()))


def _texts(pa, ends, text, rows, empty_is_null):
    """Returns texts from where each ends; the bytes are not copied."""
    known, nulls = None, 0
    if empty_is_null:
        places = np.frombuffer(ends, dtype=np.int32)
        is_known = places[1:] > places[:-1]
        nulls = rows - int(is_known.sum())
        known = pa.py_buffer(np.packbits(is_known, bitorder="little").tobytes())
    return pa.StringArray.from_buffers(
        rows, pa.py_buffer(ends), pa.py_buffer(text), known, nulls
    )
