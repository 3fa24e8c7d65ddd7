"""Games chosen by numbers, masks and sets, and databases that are closed."""

import importlib.metadata
import pathlib
import pickle

import numpy as np
import pytest
import tabiya

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"
PATHS = (FIXTURES / "famous.si4", FIXTURES / "famous.pgn")


def names(games):
    return [(game.database, game.number, game.ply) for game in games]


@pytest.fixture(params=[1, 2])
def db(request):
    return tabiya.open(*PATHS[:request.param])


def test_games_are_taken_by_number_in_the_order_of_the_numbers(db):
    numbers = [17, 3, 3, len(db), 1]
    taken = db.take(numbers)
    assert names(taken) == names(db[number - 1] for number in numbers)
    assert taken.headers(("game",)).column("game").to_pylist() == taken.numbers.tolist()
    assert [game.white for game in taken] == taken.headers(("white",)).column(0).to_pylist()
    assert names(db.take(np.array([2], np.uint8))) == names([db[1]])
    assert len(db.take([])) == 0
    for wrong in ([0], [len(db) + 1], [-1]):
        with pytest.raises(IndexError):
            db.take(wrong)
    with pytest.raises(TypeError):
        db.take([1.5])


def test_matches_are_chosen_by_lists_and_masks(db):
    found = db.search("at(check)", sort="white")
    assert names(found[[2, 0, -1]]) == names([found[2], found[0], found[-1]])
    mask = found.plies > 20
    assert 0 < mask.sum() < len(found)
    assert names(found[mask]) == [one for one, is_chosen in zip(names(found), mask) if is_chosen]
    assert len(found[[]]) == 0
    with pytest.raises(IndexError):
        found[[len(found)]]
    with pytest.raises(IndexError):
        found[np.ones(3, bool)]
    with pytest.raises(TypeError):
        found[[0.5]]


def test_matches_are_sets_that_keep_the_order_of_the_first(db):
    one = db.search("at(check)", sort="date:desc")
    other = db.search("result:1-0")
    games = lambda found: [(game.database, game.number) for game in found]
    first, second = games(one), games(other)
    assert games(one & other) == [game for game in first if game in second]
    assert games(one - other) == [game for game in first if game not in second]
    assert games(one | other) == first + [game for game in second if game not in first]
    assert names((one | other)[: len(one)]) == names(one)
    assert games((one | other) & other | one) == games(
        [game for game in one | other if (game.database, game.number) in second]
    ) + [game for game in first if game not in second]
    with pytest.raises(ValueError):
        one & tabiya.open(*PATHS[::-1]).search()
    with pytest.raises(TypeError):
        one & 3


def test_indices_are_those_that_the_database_takes(db):
    found = db.search("at(check)", sort="white:desc")
    assert names(db[index] for index in found.indices.tolist()) == [
        (name, number, None) for name, number, _ in names(found)]
    assert db.take(found.indices + 1).numbers.tolist() == found.numbers.tolist()
    assert names(db[3:9:2]) == names(db[index] for index in range(3, 9, 2))


def test_games_are_chosen_by_whatever_is_like_an_array(db):
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    found = db.search("at(check)")
    for index in ([2, 0], (2, 0), np.array([2, 0], np.uint64), pl.Series([2, 0]), pa.array([2, 0])):
        assert names(found[index]) == names([found[2], found[0]])
    assert names(found[range(2)]) == names(found[:2])
    assert names(found[pl.Series(found.plies > 20)]) == names(found[found.plies > 20])
    for wrong in (2**63, 2**64 - 1):
        with pytest.raises(IndexError, match=str(wrong)):
            db.take([wrong])
        with pytest.raises(IndexError, match=str(wrong)):
            found[np.array([wrong], np.uint64)]


def test_two_openings_of_the_same_files_have_the_same_games(db):
    again = tabiya.open(*PATHS[:len(db.names_of_files)])
    one, other = db.search("at(check)"), again.search("at(check)")
    assert len(one & other) == len(one) and one[0] == other[0]
    assert pickle.loads(pickle.dumps(one[0])) == one[0]
    assert len(pickle.loads(pickle.dumps(one)) & one) == len(one)


def test_found_games_do_not_replace_the_files_they_are_read_from(tmp_path):
    path = tmp_path / "a.pgn"
    path.write_bytes(PATHS[1].read_bytes())
    with pytest.raises(ValueError, match="is read"):
        tabiya.open(path)[:3].write(path, replace=True)
    assert path.read_bytes() == PATHS[1].read_bytes()


def test_headers_tell_where_a_query_matches(db):
    found = db.search("at(check)", sort="white:desc")
    table = found.headers(("game", "match_ply", "match_fen"))
    assert table.column("match_ply").to_pylist() == found.plies.tolist()
    for game, fen in zip(found, table.column("match_fen").to_pylist()):
        assert fen == game.fens[game.ply - 1]
    start = db.search("at(stm:white)").headers(("match_ply", "match_fen"))
    games = zip(db.search("at(stm:white)"), start.to_pylist())
    for game, row in games:
        assert row["match_ply"] == game.ply
        if game.ply == 0 and game.start is not None:
            assert row["match_fen"] == game.start
    none = db.search("result:1-0").headers(("match_ply", "match_fen"))
    assert none.column(0).null_count == none.column(1).null_count == none.num_rows > 0
    assert "match_ply" not in db.headers().column_names


def test_a_closed_database_says_so_and_its_games_stay():
    with tabiya.open(PATHS[0]) as db:
        game, found = db[0], db.search("at(mate)")
    assert game.white and len(found[0].moves) > 0
    for ask in (lambda: db[0], lambda: len(db), lambda: db.search(), lambda: db.notes):
        with pytest.raises(ValueError, match="closed"):
            ask()


def test_the_version_is_that_of_the_package():
    assert tabiya.__version__ == importlib.metadata.version("tabiya")
