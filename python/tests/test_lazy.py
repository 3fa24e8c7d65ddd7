"""Lazy tables of polars and DuckDB, and how Ctrl-C ends what they drive.

polars promises nothing of how it writes conditions down, and DuckDB nothing of how it asks a
dataset of pyarrow: what these tests were last passed with is in the README."""

import random
import subprocess
import sys

import pytest
import tabiya
from tabiya._scan import pushed
from test_tabiya import FIXTURES, FORMATS, damaged, db, files  # noqa: F401

pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.dataset")

CONDITIONS = (
    (pl.col("white") == "Morphy, Paul", 'white="Morphy, Paul"'),
    ("Morphy, Paul" == pl.col("black"), 'black="Morphy, Paul"'),
    (pl.col("white") == 'a"b*\\', 'white="a\\"b\\*\\\\"'),
    (pl.col("white") == "?", ""),
    (pl.col("white") != "Morphy, Paul", ""),
    ((pl.col("year") >= 1850) & (pl.col("year") < 1900), "year>=1850 year<1900"),
    (pl.lit(1850) < pl.col("year"), "year>1850"),
    (pl.col("year").is_between(1850, 1900), "year>=1850 year<=1900"),
    (pl.col("year") > -3, ""),
    (pl.col("year") > 1850.5, ""),
    ((pl.col("year") > 1850) | (pl.col("result") == "1-0"), "year>1850 or result:1-0"),
    ((pl.col("year") > 1850) | (pl.col("month") == 3), ""),
    ((pl.col("year") > 1850) & (pl.col("month") == 3), "year>1850"),
    (~(pl.col("year") > 1850), ""),
    (pl.col("eco") == "C33", "eco:C33"),
    (pl.col("eco").str.starts_with("C3"), "eco:C3"),
    (pl.col("eco").str.starts_with("x"), ""),
    (pl.col("result").is_in(["1-0", "*"]), "result:1-0 or result:*"),
    (pl.col("result").is_in(["1-0", "draw"]), ""),
    (pl.col("game") <= 7, "number<=7"),
    (pl.col("plies") <= 40, "plies<=40"),
    (pl.col("opening") == "King's Gambit", ""),
)


@pytest.mark.parametrize("condition, query", CONDITIONS, ids=[q or "none" for _, q in CONDITIONS])
def test_conditions_of_polars_become_queries_that_lose_nothing(db, condition, query):
    assert pushed(condition) == query
    eager = framed(db).filter(condition)["game"].to_list()
    lazy = tabiya.scan(db).filter(condition).select("game").collect()["game"].to_list()
    assert lazy == eager


def framed(db):
    """All rows, with texts as scans have them."""
    frame = pl.from_arrow(db.headers())
    texts = [name for name, kind in frame.schema.items() if kind == pl.Categorical]
    return frame.cast({name: pl.String for name in texts})


def test_random_conditions_of_polars_give_the_games_of_all_rows(files):
    dice = random.Random(49)
    for file in files.values():
        db = tabiya.open(file)
        rows = framed(db)
        values = {name: rows[name].drop_nulls().unique().to_list() for name in rows.columns}
        values = {name: some for name, some in values.items() if some}

        def condition(depth=2):
            if depth and dice.random() < 0.6:
                one, other = condition(depth - 1), condition(depth - 1)
                return dice.choice((one & other, one | other, ~one))
            name = dice.choice(list(values))
            column, value = pl.col(name), dice.choice(values[name])
            is_number = not isinstance(value, str)
            some = [column == value, column != value, column.is_null(),
                    column.is_in([value, dice.choice(values[name])])]
            if is_number:
                some += [column < value, column >= value, column.is_between(value, value + 9)]
            return dice.choice(some)

        was_pushed = 0
        for _ in range(40):
            asked = condition()
            was_pushed += pushed(asked) != ""
            lazy = tabiya.scan(db).filter(asked).select("game", "white").collect()
            assert lazy.equals(rows.filter(asked).select("game", "white")), str(asked)
        assert was_pushed > 5


def test_a_scan_reads_what_is_used_and_ends_with_its_head(files, monkeypatch):
    db = tabiya.open(files["si4"], files["pgn"])
    lazy = tabiya.scan(db)
    assert dict(lazy.collect_schema()) == dict(framed(db).schema)
    assert lazy.select(pl.len()).collect().item() == 182
    assert lazy.collect().equals(framed(db))
    asked = []
    search = tabiya.Database.search
    monkeypatch.setattr(tabiya.Database, "search", lambda self, query="", **how: (
        asked.append((query, how.get("limit"))), search(self, query, **how))[1])
    assert lazy.head(3).collect()["game"].to_list() == [1, 2, 3]
    assert lazy.filter(pl.col("year") > 1900).head(2).collect().height == 2
    assert asked == [("", 3), ("year>1900", None)]


def test_a_limit_before_a_condition_counts_before_it(files):
    db = tabiya.open(files["si4"], files["pgn"])
    rows = framed(db)
    for asked in (
        lambda frame: frame.head(5).filter(pl.col("game") > 2),
        lambda frame: frame.head(120).filter(pl.col("year") > 1900),
        lambda frame: frame.filter(pl.col("year") > 1900).head(3),
        lambda frame: frame.slice(3, 9).filter(pl.col("result") == "1-0"),
        lambda frame: frame.filter(pl.col("year") > 1800).tail(4),
    ):
        for engine in ("in-memory", "streaming"):
            lazy = asked(tabiya.scan(db)).select("game", "white").collect(engine=engine)
            assert lazy.equals(asked(rows).select("game", "white"))


def test_conditions_beyond_the_limits_of_queries_are_tested_on_the_rows(files):
    db = tabiya.open(files["si4"])
    rows = framed(db)
    for count in (210, 2000):
        asked = pl.lit(False)
        for year in range(1850, 1850 + count):
            asked = asked | (pl.col("year") == year)
        for one in (asked, asked & (pl.col("game") > 3)):
            assert tabiya.scan(db).filter(one).collect().equals(rows.filter(one))
    wide = pl.any_horizontal(pl.col("year") == year for year in range(1850, 1950))
    assert tabiya.scan(db).filter(wide).collect().equals(rows.filter(wide))


def test_a_faulty_query_is_told_before_anything_is_read(files):
    with pytest.raises(tabiya.QueryError):
        tabiya.scan(files["si4"], "at(")
    both = tabiya.scan([files["si4"], files["pgn"]])
    assert both.select(pl.len()).collect().item() == 182


def test_damaged_games_of_lazy_tables_and_planes_are_a_warning(tmp_path):
    db = tabiya.open(damaged(tmp_path))
    dataset = db.moves(("game", "san")).dataset()

    def by_duckdb(dataset):
        duckdb.sql("select count(san) from dataset").fetchall()

    for take in (
        lambda: tabiya.scan(db, table="moves").select("san").collect(),
        lambda: dataset.to_table(), lambda: list(db.planes()), lambda: by_duckdb(dataset),
    ):
        with pytest.warns(tabiya.DatabaseWarning, match="damaged game"):
            take()


def test_a_scan_of_a_query_has_where_it_matches(files):
    lazy = tabiya.scan(files["si4"], "player:morphy or at(mate)")
    found = tabiya.open(files["si4"]).search("player:morphy or at(mate)")
    rows = lazy.filter(pl.col("result") == "1-0").select("game", "match_ply").collect()
    expected = [(game.number, game.ply) for game in found if game.result == "1-0"]
    assert rows.rows() == expected
    again = tabiya.scan(found).select("game").collect()["game"].to_list()
    assert again == found.numbers.tolist()
    with pytest.raises(ValueError):
        tabiya.scan(found, "at(mate)")
    with pytest.raises(ValueError, match="`tags`"):
        tabiya.scan(files["si4"], table="tags")


def test_a_scan_of_moves_has_those_of_the_games_asked_for(files):
    db = tabiya.open(files["si4"])
    lazy = tabiya.scan(db, "result:1-0", "moves")
    rows = lazy.filter((pl.col("game") < 20) & (pl.col("san") == "O-O")).select("game", "ply")
    expected = [(game.number, ply) for game in db.search("result:1-0 number:..19")
                for ply, san in enumerate(game.san, 1) if san == "O-O"]
    assert rows.collect().rows() == expected and expected
    assert rows.head(2).collect().rows() == expected[:2]


def test_duckdb_reads_of_a_dataset_the_columns_that_it_needs(db, monkeypatch):
    headers, read = db.headers(stream=True).dataset(), []
    plain = type(headers._rows)._batch
    monkeypatch.setattr(type(headers._rows), "_batch",
                        lambda self, *rest: (read.append(self.columns), plain(self, *rest))[1])
    assert isinstance(headers, pa.dataset.Dataset)
    table = db.headers()  # noqa: F841, DuckDB finds it by name
    read.clear()
    asked = ("select eco, count(*) n from {} where year > 1850 and white is not null "
             "group by eco order by n desc, eco limit 3")
    counted = duckdb.sql(asked.format("headers")).fetchall()
    assert set(read) == {("white", "year", "eco")}
    assert counted == duckdb.sql(asked.format('"table"')).fetchall()
    assert duckdb.sql("select count(*) from headers").fetchall() == [(91,)]
    assert headers.count_rows() == 91 and headers.head(3)["game"].to_pylist() == [1, 2, 3]
    assert headers.to_table(columns=["white"]).column_names == ["white"]


def test_a_dataset_has_the_methods_of_pyarrow_and_never_crashes(files):
    dataset = tabiya.open(files["si4"]).headers(("game", "year", "white"), stream=True).dataset()
    table, year = dataset.to_table(), pa.dataset.field("year")
    assert dataset.sort_by("year").to_table() == table.sort_by("year")
    assert dataset.filter(year > 1900).count_rows() == table.filter(year > 1900).num_rows
    assert dataset.take([3, 1]).equals(table.take([3, 1]))
    assert dataset.join(dataset, "game", right_suffix="_2").count_rows() == 91
    assert dataset.replace_schema(dataset.schema).count_rows() == 91
    assert sum(one.count_rows() for one in dataset.get_fragments()) == 91
    assert dataset.partition_expression is not None and dataset.files == []
    assert dataset.scanner(columns={"next": year + 1}).to_table().column_names == ["next"]
    assert pa.dataset.dataset([dataset, dataset]).to_table().num_rows == 182
    # What reads natively cannot, and says so.
    with pytest.raises(OSError, match="Dataset.scanner"):
        pa.dataset.Scanner.from_dataset(dataset).to_table()


def test_differences_of_ratings_are_those_of_python_in_every_engine(tmp_path):
    games = [f'[WhiteElo "{white}"]\n[BlackElo "{black}"]\n\n1. e4 *\n\n'
             for white, black in ((2500, 2700), (2700, 2500), (100, 3200))]
    path = tmp_path / "a.pgn"
    path.write_text("".join(games))
    db = tabiya.open(path)
    table = db.headers(("white_elo", "black_elo"))
    differences = [white - black for white, black in zip(*table.to_pydict().values())]
    assert differences == [-200, 200, -3100]
    pd = pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert (frame["white_elo"] - frame["black_elo"]).tolist() == differences
    told = pl.from_arrow(table).select(pl.col("white_elo") - pl.col("black_elo"))
    assert told.to_series().to_list() == differences
    told = tabiya.scan(db).select(pl.col("white_elo") - pl.col("black_elo")).collect()
    assert told.to_series().to_list() == differences
    rows = duckdb.sql("select white_elo - black_elo from \"table\"").fetchall()
    assert [one for one, in rows] == differences


DRIVEN = {
    "duckdb": 'r = rows.reader(); duckdb.sql("select max(san) from r").fetchall()',
    "duckdb dataset": 'r = rows.dataset(); duckdb.sql("select max(san) from r").fetchall()',
    "polars": "pl.DataFrame(rows)",
    "polars scan": "tabiya.scan(found, table='moves').select(pl.col('san').max()).collect()",
    "pyarrow": "rows.table()",
    "pandas": "rows.reader().read_pandas()",
}


@pytest.mark.parametrize("driver", DRIVEN)
def test_ctrl_c_ends_what_other_libraries_drive(driver):
    code = f"""
import signal, numpy as np, duckdb, polars as pl, tabiya
signal.signal(signal.SIGINT, signal.default_int_handler)
db = tabiya.open({str(FIXTURES / "famous.si4")!r})
found = db.take(np.tile(np.arange(1, 92), 4000))
rows = found.moves(("game", "san"))
batch, count = type(rows)._batch, [0]
def interrupting(*rest):
    count[0] += 1
    if count[0] == 5:
        signal.raise_signal(signal.SIGINT)
    return batch(*rest)
type(rows)._batch = interrupting
{DRIVEN[driver]}
print("not interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert "KeyboardInterrupt" in done.stderr, done.stderr
    assert done.returncode != 0 and done.stdout == ""
