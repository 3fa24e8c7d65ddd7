"""SQL by the program tabiya-sql."""

from __future__ import annotations

import os
import subprocess
import tempfile
import warnings

from ._errors import DatabaseWarning, Error
from ._rows import arrow

PREFIX = "tabiya-sql: "


def sql(statement, *databases, program=None, stream=False):
    """Runs a statement of SQL over databases, and returns its rows as a ``pyarrow.Table``.

    The program ``tabiya-sql`` does it, in a process of its own: its tables (``games``, ``moves``,
    ``tags``, ...), its functions, and conditions that become queries.

    Args:
        databases: paths of the databases that are its tables; a statement can name others.
        program: where the program is; by default what the variable ``TABIYA_SQL`` of the
            environment says, else ``tabiya-sql`` as a shell finds it.
        stream: whether to return a ``pyarrow.RecordBatchReader``, in which memory does not grow
            with the rows.

    Raises:
        Error: the statement or a database is faulty; with the message of the program.
        FileNotFoundError: the program is not there.

    Warns:
        DatabaseWarning: what the program warns of, as of damaged games.
    """
    pa = arrow()
    program = program or os.environ.get("TABIYA_SQL") or "tabiya-sql"
    paths = [os.fsdecode(path) for path in databases]
    command = [program, "--format", "arrow", "-c", statement, "--", *paths]
    told = tempfile.TemporaryFile()
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told)
    except FileNotFoundError:
        told.close()
        message = (f"{program} is not there: build it in the folder `sql` of tabiya's repository "
                   "by `cargo build --release`, and name it by program= or the variable TABIYA_SQL")
        raise FileNotFoundError(message) from None
    rows = _rows(pa, process, told)
    reader = pa.RecordBatchReader.from_batches(next(rows), rows)
    return reader if stream else reader.read_all()


def _rows(pa, process, told):
    """Yields the schema of what a process writes, and then its batches."""
    with told, process:
        try:
            try:
                batches = pa.ipc.open_stream(process.stdout)
            except pa.ArrowInvalid:
                # It has failed, or the statement has no rows.
                _finish(process, told)
                yield pa.schema([])
                return
            yield batches.schema
            yield from batches
            _finish(process, told)
        finally:
            process.kill()


def _finish(process, told):
    """Waits for the end of a process, and tells what it has told."""
    code = process.wait()
    told.seek(0)
    lines = told.read().decode(errors="replace").splitlines()
    said = [line.removeprefix(PREFIX) for line in lines if line.startswith(PREFIX)]
    if code != 0:
        faults = [line.removeprefix("error: ") for line in said if line.startswith("error: ")]
        raise Error("\n".join(faults or lines) or f"tabiya-sql ended with {code}", "Sql")
    for line in said:
        if line.startswith("warning: "):
            # Of whoever calls tabiya.sql, or takes the last rows.
            warnings.warn(line.removeprefix("warning: "), DatabaseWarning, stacklevel=4)
