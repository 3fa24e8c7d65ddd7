"""Reads an export with DuckDB and polars, which know nothing of tabiya."""

import pathlib
import subprocess
import sys
import tempfile

import duckdb
import polars

program, database = sys.argv[1:]
expected = subprocess.run(
    [program, database, "-c", "select count(*), sum(plies), count(distinct white) from games"],
    check=True, capture_output=True, text=True,
).stdout.splitlines()[1]
games, plies, players = map(int, expected.split(","))

with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder) / "out"
    subprocess.run([program, "export", database, out], check=True)

    files = f"'{out}/games/*.parquet'"
    row = duckdb.sql(f"select count(*), sum(plies), count(distinct white) from {files}").fetchall()[0]
    assert row == (games, plies, players), row
    kinds = dict(duckdb.sql(f"select column_name, column_type from (describe from {files})").fetchall())
    assert kinds["date"] == "DATE" and kinds["white"] == "VARCHAR", kinds
    blooms = duckdb.sql(
        f"select count(*) from parquet_metadata({files}) where bloom_filter_offset is not null"
    ).fetchall()[0]
    assert blooms[0] > 0
    row = duckdb.sql(f"select count(*), count(distinct game) from '{out}/moves/*.parquet'").fetchall()[0]
    assert row[0] == plies, row

    unsigned = [name for name, kind in kinds.items() if kind.startswith("U")]
    assert not unsigned, unsigned

    frame = polars.read_parquet(f"{out}/games/*.parquet")
    assert frame.height == games and frame["plies"].sum() == plies
    assert frame["game"].is_sorted() and frame["date"].dtype == polars.Date
    assert polars.scan_parquet(f"{out}/moves/*.parquet").select(polars.len()).collect().item() == plies
print("DuckDB and polars read the export")
