"""A long file that is indexed in parts, and many files as one, answer as the same games whole."""

import pathlib
import pickle

import numpy as np
import pytest
import tabiya
from tabiya import _native
from tabiya._files import opening_of

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"
BLOCK_BYTES = 1 << 17
FRAME_BYTES = 800_000
DAMAGED = b'[White "last"]\n\n1. e4 Ke7 *\n\n[White "none"]\n\n1. Ke3 *\n'


def frame(text):
    """Returns a text as a frame of zstd, which says how long it is, in blocks that are not packed."""
    blocks = [text[at:at + BLOCK_BYTES] for at in range(0, len(text), BLOCK_BYTES)]
    packed = b"\x28\xb5\x2f\xfd\xa0" + len(text).to_bytes(4, "little")
    for number, block in enumerate(blocks, 1):
        head = len(block) << 3 | (number == len(blocks))
        packed += head.to_bytes(3, "little") + block
    return packed


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """The same games as text, and packed and indexed in parts; and how the latter are opened."""
    folder = tmp_path_factory.mktemp("parts")
    text = (FIXTURES / "famous.pgn").read_bytes() * 200 + DAMAGED
    (folder / "big.pgn").write_bytes(text)
    packed = folder / "packed" / "big.pgn.zst"
    packed.parent.mkdir()
    frames = range(0, len(text), FRAME_BYTES)
    packed.write_bytes(b"".join(frame(text[at:at + FRAME_BYTES]) for at in frames))
    opening = {**opening_of(), "unpacked_bytes_max": 100_000}
    with pytest.raises(tabiya.Error, match="`tabiya index`") as error:
        tabiya.Database([str(packed)], opening)
    assert error.value.kind == "LimitExceeded"
    _native.index(str(packed), False, opening, None)
    assert len(list(packed.parent.glob("big.pgn.tabiya-parts/*.tabiya"))) == 3
    return folder / "big.pgn", packed, opening


@pytest.fixture(scope="module")
def both(paths):
    whole, packed, opening = paths
    return tabiya.open(whole), tabiya.Database([str(packed)], opening)


def test_games_of_parts_are_those_of_the_whole(both):
    whole, parts = both
    assert len(parts) == len(whole) == 18_202
    assert parts.names_of_files == whole.names_of_files == ["big"]
    assert repr(parts) == repr(whole)
    for index in (0, 90, 9_000, 18_199, -3):
        game, same = parts[index], whole[index]
        assert game.number == same.number == index % 18_202 + 1
        assert (game.pgn(), game.san, game.headers) == (same.pgn(), same.san, same.headers)
        assert repr(game) == repr(same)
    assert [game.number for game in parts[9_000:9_003]] == [9_001, 9_002, 9_003]
    again = pickle.loads(pickle.dumps(parts))
    assert again[9_000].pgn() == whole[9_000].pgn()


def test_searches_of_parts_find_the_same_numbers(both):
    whole, parts = both
    for query in ("mate", "number:9000..9003", "number>18195", "white:morphy result:1-0", "plies>1"):
        found, same = parts.search(query), whole.search(query)
        assert np.array_equal(found.numbers, same.numbers) and len(same) > 0
        assert np.array_equal(found.plies, same.plies)
        assert (found.harmed, found.damaged) == (same.harmed, same.damaged)
        strip = lambda texts: [text.split("game ", 1)[1] for text in texts]
        assert strip(found.damaged_games) == strip(same.damaged_games)
        assert parts.count(query) == whole.count(query) == len(same)
    for key in ("game:desc", "date", "white", "elo:desc"):
        found, same = parts.search("mate", sort=key), whole.search("mate", sort=key)
        assert np.array_equal(found.numbers, same.numbers)
    assert [game.number for game in parts.search("mate", limit=3)] == list(
        whole.search("mate", limit=3).numbers)


def test_figures_of_parts_are_those_of_the_whole(both):
    whole, parts = both
    by_name = lambda rows: sorted(rows, key=lambda row: row["name"])
    assert list(parts.tree(moves="e4 e5")) == list(whole.tree(moves="e4 e5"))
    assert parts.stats("result:1-0", top=100) == whole.stats("result:1-0", top=100)
    assert by_name(parts.names()) == by_name(whole.names())
    assert list(parts.lines(moves="e4", depth=4)) == list(whole.lines(moves="e4", depth=4))
    fens = ["rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"]
    assert parts.positions(fens) == whole.positions(fens)
    [explained], [same] = parts.explain("white:morphy"), whole.explain("white:morphy")
    assert {**explained, "served_by": None} == {**same, "served_by": None}
    [verified], [same] = parts.verify(), whole.verify()
    assert (verified["games"], verified["plies"]) == (same["games"], same["plies"])
    assert verified["damaged"] == same["damaged"] == len(verified["damaged_games"]) == 2
    opening = lambda db: db.report(opening="Sicilian").sections
    assert opening(parts) == opening(whole)


def test_tables_of_parts_are_those_of_the_whole(both):
    pytest.importorskip("pyarrow")
    whole, parts = both
    assert parts.headers().equals(whole.headers())
    rows, same = parts.moves(("db", "game", "ply", "san"), "plies<10"), whole.moves(
        ("db", "game", "ply", "san"), "plies<10")
    assert rows.table().equals(same.table())
    assert rows.damaged == same.damaged


def test_the_index_of_parts_is_renewed_where_it_is_open(paths):
    _, packed, opening = paths
    db = tabiya.Database([str(packed)], opening)
    db.index()
    assert len(db) == 18_202 and db[9_000].number == 9_001


def test_a_list_is_one_database_of_all_that_it_names(tmp_path, paths):
    whole, packed, opening = paths
    for name in ("a.pgn", "b.pgn"):
        (tmp_path / name).write_bytes((FIXTURES / "famous.pgn").read_bytes())
    listed = tmp_path / "all.tabiyaset"
    listed.write_text(f"# months\n{packed}\n?.pgn\na.pgn\n")
    db = tabiya.Database([str(listed)], opening)
    assert db.names_of_files == ["big", "a", "b"] and len(db) == 18_202 + 2 * 91
    assert (db[-1].number, db[-1].database, db[18_202].number) == (91, "b", 1)
    assert len(db.verify()) == 3
    few = tmp_path / "few.tabiyaset"
    few.write_text("?.pgn\n")
    assert len(tabiya.open(few)) == len(tabiya.open(tmp_path / "?.pgn")) == 182
    tabiya.index(few)
    assert (tmp_path / "b.tabiya").exists()
    assert tabiya.convert(few, tmp_path / "new.si5")["games"] == 182
    few.write_text("\nc.pgn\n")
    with pytest.raises(tabiya.Error, match="line 2: the list needs the file c.pgn"):
        tabiya.open(few)
