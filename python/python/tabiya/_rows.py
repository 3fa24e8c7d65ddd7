"""Tables with a row for each half-move."""

from __future__ import annotations

import numpy as np

from ._ahead import ahead

GAMES = 1024
COLUMNS = ("db", "game", "ply", "san", "uci", "fen", "clock", "eval", "mate", "comment")
USUAL = ("game", "ply", "san", "uci", "clock", "eval", "comment")
DTYPES = {"game": np.uint32, "ply": np.uint32, "clock": float, "eval": float, "mate": float}


class Rows:
    """A table that is read while it is taken: pyarrow, polars, pandas and DuckDB take it as a stream
    of Arrow, in which memory does not grow with the database. It can be taken several times.

    ``pl.DataFrame(rows)``, ``duckdb.sql("select ... from rows")``, ``rows.table()``,
    ``rows.reader()`` for one batch after the other.

    Attributes:
        columns: the names of the columns.
        damaged: how many damaged games were met when it was last taken; their rows before the
            damage are there.
    """

    def __init__(self, matches, columns):
        unknown = [name for name in columns if name not in COLUMNS]
        if unknown:
            raise ValueError(f"there is no column `{unknown[0]}`; there are {', '.join(COLUMNS)}")
        self._matches = matches
        self.columns = tuple(columns)
        self.damaged = 0

    @property
    def schema(self):
        """The ``pyarrow.Schema``."""
        import pyarrow as pa

        numbers = {"game": pa.uint32(), "ply": pa.uint32(), "clock": pa.float64(),
                   "eval": pa.float64(), "mate": pa.int32(),
                   "db": pa.dictionary(pa.int32(), pa.string())}
        return pa.schema([(name, numbers.get(name, pa.string())) for name in self.columns])

    def reader(self):
        """Returns a ``pyarrow.RecordBatchReader``."""
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.schema, self._batches())

    def table(self):
        """Returns all rows as a ``pyarrow.Table``."""
        return self.reader().read_all()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.reader().__arrow_c_stream__(requested_schema)

    def _batches(self):
        self.damaged = 0
        native = [name for name in self.columns if name != "db"]
        read = native if {"game", "ply"} & set(native) else ["game", *native]

        schema = self.schema

        def batch(part):
            base, games = part
            columns, damaged = base.moves(read, games.tobytes())
            return _batch(schema, base, columns), damaged

        for one, damaged in ahead(batch, self._matches._parts(GAMES)):
            self.damaged += damaged
            yield one

    def __repr__(self):
        return f"<rows of {len(self._matches)} games: {', '.join(self.columns)}>"


def _batch(schema, base, columns):
    """Returns columns of the native part as a batch."""
    import pyarrow as pa

    counted = "game" if "game" in columns else "ply"
    rows = len(columns[counted][0]) // 4
    arrays = []
    for field in schema:
        if field.name == "db":
            places = pa.array(np.zeros(rows, np.int32))
            names = pa.array([base.name()], pa.string())
            arrays.append(pa.DictionaryArray.from_arrays(places, names))
            continue
        values, text = columns[field.name]
        if text is not None:
            arrays.append(_texts(pa, values, text, rows, field.name == "comment"))
            continue
        values = np.frombuffer(values, dtype=DTYPES[field.name])
        mask = np.isnan(values) if values.dtype == float else None
        if field.name == "mate":
            values = np.nan_to_num(values).astype(np.int32)
        arrays.append(pa.array(values, mask=mask))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


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
