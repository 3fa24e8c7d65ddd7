"""Games chosen by numbers, masks and sets, and databases that are closed."""

import importlib.metadata
import pathlib

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
        one & tabiya.open(*PATHS).search()
    with pytest.raises(TypeError):
        one & 3


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
