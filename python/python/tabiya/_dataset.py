"""Tables as datasets of pyarrow, of which DuckDB reads the columns that it needs."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.dataset
import pyarrow.fs

from ._errors import tell_damage


class RowsDataset(pa.dataset.FileSystemDataset):
    """A table that is read anew for each question, and of it only the columns asked for."""

    def __init__(self, rows):
        # What asks the native part instead of `scanner` gets the error that there is no such file.
        files, kind = pa.fs.LocalFileSystem(), pa.dataset.IpcFileFormat()
        nothing = kind.make_fragment("rows of tabiya, which Dataset.scanner alone reads", files)
        super().__init__([nothing], rows.schema, kind, files)
        self._rows = rows

    def __reduce__(self):
        return RowsDataset, (self._rows,)

    @property
    def schema(self):
        """The ``pyarrow.Schema``."""
        return self._rows.schema

    def scanner(self, columns=None, filter=None, **_):
        """Returns what reads the rows of a condition, with some columns."""
        return RowsScanner(self._rows, columns, filter)

    @property
    def files(self):
        """None: the rows are made when they are read."""
        return []


def _table(rows):
    return pa.dataset.dataset(rows.to_table())


def _in_memory(name):
    def method(self, *args, **kwargs):
        args = [_table(one) if isinstance(one, RowsDataset) else one for one in args]
        return getattr(_table(self), name)(*args, **kwargs)

    method.__doc__ = f"As ``pyarrow.dataset.Dataset.{name}``; reads all rows into memory."
    return method


for _name in ("filter", "get_fragments", "join", "join_asof", "replace_schema", "sort_by", "take"):
    setattr(RowsDataset, _name, _in_memory(_name))


class RowsScanner:
    """Reads rows, as a ``pyarrow.dataset.Scanner`` does. One of pyarrow would read on threads of
    its own, where Ctrl-C is not heard."""

    def __init__(self, rows, columns, filter):
        self._rows, self._asked = rows, {"columns": columns, "filter": filter}

    def _parts(self):
        """Yields tables with the rows and columns asked for; the first is empty."""
        columns = self._asked["columns"]
        names = self._rows.schema.names
        needed = names if columns is None else columns
        needed = [*needed.values()] if isinstance(needed, dict) else [*needed]
        # Columns may be expressions, which name others.
        texts = [*needed, self._asked["filter"]]
        words = {word for text in texts for word in re.findall(r"\w+", str(text))}
        rows = self._rows.with_columns([name for name in names if name in words] or names[:1])
        chosen = lambda table: pa.dataset.dataset(table).to_table(**self._asked)
        yield chosen(rows.schema.empty_table())
        for batch in rows.reader():
            yield chosen(pa.Table.from_batches([batch]))
        tell_damage(rows.damaged)

    def to_reader(self):
        """Returns a ``pyarrow.RecordBatchReader``."""
        parts = self._parts()
        schema = next(parts).schema
        batches = (batch for part in parts for batch in part.to_batches())
        return pa.RecordBatchReader.from_batches(schema, batches)

    def to_table(self):
        """Returns all rows as a ``pyarrow.Table``."""
        return self.to_reader().read_all()

    def to_batches(self):
        """Returns the batches one after the other."""
        return iter(self.to_reader())

    def head(self, num_rows):
        """Returns the first rows as a ``pyarrow.Table``."""
        some, rows = [], 0
        for part in self._parts():
            some.append(part[:num_rows - rows])
            rows += len(some[-1])
            if rows == num_rows:
                break
        return pa.concat_tables(some)

    def count_rows(self):
        """Returns the number of rows."""
        return sum(map(len, self._parts()))
