"""SQL by the program tabiya-sql, which `.ci/sql` builds."""

import os

import pytest
import tabiya
from test_tabiya import FIXTURES

FAMOUS = FIXTURES / "famous.si4"


@pytest.fixture(autouse=True)
def program():
    if not os.environ.get("TABIYA_SQL"):
        if os.environ.get("TABIYA_REQUIRE_SQL") == "1":
            pytest.fail("TABIYA_SQL names no program")
        pytest.skip("SKIPPED SQL: TABIYA_SQL names no program")


def test_rows_of_sql_are_those_of_python():
    db = tabiya.open(FAMOUS)
    rows = tabiya.sql("select game, match_ply from games(query => 'at(mate)') order by game", FAMOUS)
    found = db.search("at(mate)")
    assert rows["game"].to_pylist() == found.numbers.tolist()
    assert rows["match_ply"].to_pylist() == found.plies.tolist()
    told = tabiya.sql("select black_elo - white_elo d from games where white_elo > 0 and "
                      "black_elo > 0 order by game", FAMOUS)
    table = db.headers(("white_elo", "black_elo")).drop_null().to_pydict()
    differences = [black - white for white, black in zip(*table.values())]
    assert told["d"].to_pylist() == differences and min(differences) < 0


def test_a_stream_of_sql_is_read_while_it_is_taken():
    reader = tabiya.sql("select game, san from moves", FAMOUS, stream=True)
    assert reader.schema.names == ["game", "san"]
    assert sum(batch.num_rows for batch in reader) == 3933
    # What is left is not waited for.
    next(iter(tabiya.sql("select a.san from moves a, moves b", FAMOUS, stream=True)))


def test_faults_of_sql_are_errors_with_the_programs_message(tmp_path):
    with pytest.raises(tabiya.Error, match="nonsense"):
        tabiya.sql("select nonsense from games", FAMOUS)
    with pytest.raises(tabiya.Error, match="none.si4"):
        tabiya.sql("select 1 from games", tmp_path / "none.si4")
    with pytest.raises(FileNotFoundError, match="TABIYA_SQL"):
        tabiya.sql("select 1", program=tmp_path / "tabiya-sql")
    assert tabiya.sql("create view some as select 1", FAMOUS).num_rows == 0


def test_damaged_games_that_sql_meets_are_a_warning(tmp_path):
    for suffix in ("si4", "sg4", "sn4"):
        data = (FIXTURES / f"famous.{suffix}").read_bytes()
        (tmp_path / f"a.{suffix}").write_bytes(data[:-200] if suffix == "sg4" else data)
    with pytest.warns(tabiya.DatabaseWarning, match="damaged games"):
        rows = tabiya.sql("select count(*) n from moves", tmp_path / "a.si4")
    assert rows["n"].to_pylist()[0] > 3000
