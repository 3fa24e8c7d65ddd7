"""Reads an export with DuckDB, polars and pandas, which know nothing of tabiya, and the other way
round."""

import datetime
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import pandas
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

    rated = "where white_elo > 0 and black_elo > 0 order by game"
    rows = duckdb.sql(f"select white_elo, black_elo from {files} {rated}").fetchall()
    differences = [black - white for white, black in rows]
    assert min(differences) < 0, differences
    asked = duckdb.sql(f"select black_elo - white_elo from {files} {rated}").fetchall()
    assert [one for one, in asked] == differences
    both = [polars.read_parquet(f"{out}/games/*.parquet"), pandas.read_parquet(f"{out}/games")]
    for frame in both:
        told = frame["black_elo"] - frame["white_elo"]
        assert [int(one) for one in told if one == one and one is not None] == differences

    frame = both[0]
    assert frame.height == games and frame["plies"].sum() == plies
    assert frame["game"].is_sorted() and frame["date"].dtype == polars.Date
    assert polars.scan_parquet(f"{out}/moves/*.parquet").select(polars.len()).collect().item() == plies
print("DuckDB, polars and pandas read the export")

# The columns and types of Lichess and of aix, by programs that write them so.
with tempfile.TemporaryDirectory() as folder:
    lichess, aix = f"{folder}/lichess.parquet", f"{folder}/aix.parquet"
    polars.DataFrame({
        "Event": ["Rated Blitz game"] * 2,
        "White": ["first", None],
        "WhiteElo": polars.Series([1500, None], dtype=polars.Int16),
        "UTCDate": [datetime.date(2024, 2, 29)] * 2,
        "UTCTime": [datetime.time(1, 2, 3)] * 2,
        "movetext": ["1. e4 { [%eval 0.17] [%clk 0:03:00] } 1... e5 1-0", "1. d4 *"],
    }).write_parquet(lichess)
    # 1. e4 e5 2. Nf3 at aix's lowest level: origin and destination of each move, and an end.
    moves = "".join(f"\\x{byte:02X}" for byte in [12, 28, 52, 36, 6, 21, 0])
    duckdb.sql(f"""copy (select 'abcd' as lichess_id, '{moves}'::blob as movedata,
        [180, 179]::usmallint[] as clocks_white, [180]::usmallint[] as clocks_black,
        [17, -5, 32767]::smallint[] as evals, 3::usmallint as ply_count, 'first' as white,
        1500::smallint as white_rating, 180::usmallint as time_initial,
        2::utinyint as time_increment, timestamp '2024-02-29 01:02:03' as utc_timestamp)
        to '{aix}' (format parquet, compression zstd)""")
    for path in [lichess, aix]:
        told = subprocess.run(
            [program, path, "-c", "select white, white_elo, date from games where game = 1; "
             "select count(*), max(clock), max(eval), max(mate) from moves"],
            check=True, capture_output=True, text=True,
        ).stdout.splitlines()
        assert told[1] == "first,1500,2024-02-29", told
        rest = {lichess: "3,180.0,0.17,", aix: "3,180.0,0.17,1"}[path]
        assert told[-1] == rest, told
print("Parquet by DuckDB and polars is read")
