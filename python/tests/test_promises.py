"""Files that are hostile, damaged or changed; memory; progress; orders; types."""

import os
import pathlib
import pickle
import signal

import numpy as np
import pytest
import tabiya
from test_tabiya import FIXTURES, FORMATS, damaged, db, files  # noqa: F401

MOVES = ["game", "ply", "san"]


def pgn(path, *games):
    path.write_text("".join(f'[White "{white}"]\n{tags}\n{moves} *\n\n'
                            for white, tags, moves in games), encoding="utf-8")
    return path


def test_files_that_changed_after_a_search_are_an_error_in_every_call(tmp_path, files):
    path = tmp_path / "a.pgn"
    path.write_bytes(files["pgn"].read_bytes())
    db = tabiya.open(path)
    found, lines = db.search(), tabiya.open(files["pgn"])
    path.write_bytes(path.read_bytes() + b'[White "new"]\n\n1. e4 *\n')
    calls = (
        lambda: db.search("at(check)"), lambda: db.count("mate"), lambda: db.tree(),
        lambda: db.stats(), lambda: db.names("morphy"), lambda: db.headers(),
        lambda: found.headers(), lambda: found.moves().table(), lambda: list(found.planes()),
        lambda: found.sorted("white"), lambda: found[0].pgn(), lambda: found[0].san,
        lambda: found[0].headers, lambda: found[0].white, lambda: found[0].svg(),
        lambda: db.lines(), lambda: db.report(player="Morphy, Paul"),
        lambda: db.repertoire(lines, "white"),
        lambda: db.verify(), lambda: db.positions(["8/8/8/8/8/8/8/K1k5 w - - 0 1"]),
    )
    for number, call in enumerate(calls):
        with pytest.raises(tabiya.Error) as raised:
            call()
        assert (raised.value.kind, raised.value.path) == ("Changed", path), number


def test_a_file_in_memory_may_be_shortened_and_removed(tmp_path, files):
    path = tmp_path / "a.pgn"
    path.write_bytes(files["pgn"].read_bytes())
    db = tabiya.open(path, in_memory=True)
    path.write_bytes(b"")
    path.unlink()
    assert db.count("mate") == tabiya.open(files["pgn"]).count("mate")
    assert len(db[0].san) > 10


def test_a_file_that_is_not_there_is_an_error_of_the_package_too(tmp_path):
    with pytest.raises(tabiya.Error) as raised:
        tabiya.open(tmp_path / "none.si4")
    assert isinstance(raised.value, FileNotFoundError)
    assert raised.value.kind == "Io" and raised.value.path == tmp_path / "none.si4"
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.kind, again.path) == (str(raised.value), "Io", raised.value.path)


def test_names_of_files_may_be_any_bytes(tmp_path, files):
    name = os.path.join(os.fsencode(tmp_path), b"caf\xe9 <b>.pgn")
    with open(name, "wb") as file:
        file.write(files["pgn"].read_bytes())
    for path in (name, os.fsdecode(name), pathlib.Path(os.fsdecode(name))):
        db = tabiya.open(path)
        assert len(db) == 91 and "<b>" not in db._repr_html_()
        assert db.headers(["db"]).num_rows == 91 and repr(db)


def test_what_a_notebook_shows_of_a_game_is_text(tmp_path):
    evil = "<img src=x onerror=alert(1)>"
    path = pgn(tmp_path / "a.pgn", (evil, f'[Event "{evil}"]\n', "1. e4 {<b>} e5"))
    game = tabiya.open(path)[0]
    shown = game._repr_html_()
    assert "<img" not in shown and "&lt;img" in shown and "<svg" in shown
    assert "<img" not in game._repr_svg_() and game.headers["Event"] == evil


def test_headers_of_a_game_are_all_its_tags(tmp_path):
    path = pgn(tmp_path / "a.pgn", ("A", '[TimeControl "60+1"]\n[WhiteTitle "GM"]\n', "1. e4"))
    tags = tabiya.open(path)[0].headers
    assert (tags["White"], tags["TimeControl"], tags["WhiteTitle"]) == ("A", "60+1", "GM")
    assert tags["Date"] == "????.??.??" and list(tags)[0] == "Event"


def test_batches_have_a_bound_in_bytes(tmp_path):
    comment = "x" * (2 << 20)
    games = [("A", "", f"1. e4 {{{comment}{number}}} e5") for number in range(40)]
    rows = tabiya.open(pgn(tmp_path / "a.pgn", *games)).moves(["game", "ply", "comment"])
    batches = list(rows.reader())
    assert len(batches) > 1 and max(batch.nbytes for batch in batches) < 40 << 20
    table = rows.table()
    assert table["game"].to_pylist() == [n for n in range(1, 41) for _ in range(2)]
    ends = [text and text[-4:] for text in table["comment"].to_pylist()]
    assert ends == [end for n in range(40) for end in (f"xxxx{n}"[-4:], None)]


def test_a_damaged_game_has_headers_without_what_must_be_decoded(tmp_path):
    for suffix in ("si4", "sg4", "sn4"):
        data = (FIXTURES / f"famous.{suffix}").read_bytes()
        (tmp_path / f"a.{suffix}").write_bytes(data[:-200] if suffix == "sg4" else data)
    db = tabiya.open(tmp_path / "a.si4")
    table = db.headers()
    assert table.num_rows == 91 and table["opening"].to_pylist()[-1] is None
    assert db[90].headers["White"] == table["white"].to_pylist()[-1]
    assert "game 91" in db[90]._repr_html_()


def test_a_damaged_game_is_drawn_as_far_as_it_is_sound(tmp_path):
    shorter = 0
    for game in tabiya.open(damaged(tmp_path, 400)):
        shown = game._repr_html_()
        try:
            shorter += game.plies > len(game.moves)
            assert "<svg" in shown
        except tabiya.Error:
            assert f"game {game.number}" in shown
    assert shorter > 0


def test_progress_of_several_files_is_that_of_all(files):
    both = tabiya.open(files["si4"], files["pgn"])
    seen = []
    both.verify(progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert all(total is None or done <= total <= 182 for done, total in seen)


def test_a_bar_shows_progress(files, capsys):
    pytest.importorskip("tqdm")
    assert len(tabiya.open(files["si4"]).search("mate", progress=True)) > 0
    assert "search" in capsys.readouterr().err


def test_a_signal_stops_a_search_and_the_database_answers_afterwards(files):
    db = tabiya.open(files["si4"])

    def interrupt(done, total):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        while True:
            db.verify(progress=interrupt)
    assert db.count("player:morphy") == len(db.search("player:morphy")) > 0


def test_a_limit_takes_the_first_of_the_order(files):
    db = tabiya.open(files["si4"], files["dci"])
    whole = db.search(sort="date:desc")
    assert db.search(sort="date:desc", limit=5).numbers.tolist() == whole.numbers[:5].tolist()
    assert len(db.search("player:morphy", limit=1000)) == len(db.search("player:morphy"))
    with pytest.raises(ValueError):
        db.search(limit=-1)


def test_the_order_is_the_programs(tmp_path):
    path = pgn(
        tmp_path / "a.pgn",
        ("zoe", '[Round "10"]\n[Date "2010.??.??"]\n[Result "1-0"]\n[WhiteElo "2000"]\n', "1. e4"),
        ("Émil", '[Round "2"]\n[Date "2010.02.01"]\n[Result "0-1"]\n[BlackElo "2100"]\n', "1. e4"),
        ("Adam", '[Round "9"]\n[Date "????.??.??"]\n[WhiteElo "2500"]\n[BlackElo "2400"]\n', ""),
        ("emil", "", "1. d4 d5"),
    )
    db = tabiya.open(path)
    order = lambda *keys: db.search(sort=keys).numbers.tolist()
    assert order("white") == [3, 2, 4, 1] and order("white:desc") == [1, 2, 4, 3]
    assert order("round") == [2, 3, 1, 4] and order("date") == [1, 2, 3, 4]
    assert order("date:desc") == [2, 1, 3, 4]
    assert order("plies:desc", "game:desc") == [4, 2, 1, 3]
    assert order("elo:desc") == [3, 1, 2, 4] and order("whiteelo") == [1, 3, 2, 4]
    assert order("number:desc") == [4, 3, 2, 1]
    assert order("avgelo") == order("elodiff") == [3, 1, 2, 4]
    assert order("winner") == [1, 2, 3, 4] and order("loser") == [2, 1, 3, 4]
    assert order("comments", "moves:desc") == [1, 2, 4, 3]
    for key in ("colour", "white:up"):
        with pytest.raises(ValueError):
            db.search(sort=key)


def test_slices_are_games_like_any_that_match(files):
    db = tabiya.open(files["si4"], files["pgn"])
    part = db[80:100]
    assert len(part) == 20 and part.headers(["game"])["game"].to_pylist() == part.numbers.tolist()
    assert [game.number for game in part[::-3]] == part.numbers[::-3].tolist()
    games = db.search("player:morphy", sort="year:desc")[2:6].moves(MOVES).table()["game"]
    assert set(games.to_pylist()) == set(db.search("player:morphy", sort="year:desc").numbers[2:6])
    assert len(db[500:]) == 0 and db[500:].headers().num_rows == 0
    assert len(db[500:].sorted("white")) == 0 and list(db[500:].planes()) == []
    assert db[np.int64(3)] == db[3]
    with pytest.raises(TypeError):
        db[1.5]


def test_figures_of_several_files_are_those_of_all(files):
    one, both = tabiya.open(files["si4"]), tabiya.open(files["si4"], files["pgn"])
    alone, all_ = one.stats("morphy"), both.stats("morphy")
    assert all_["games"] == 2 * alone["games"]
    assert all_["players"][0] == ("Morphy, Paul", 2 * alone["players"][0][1])
    assert all_["mean_plies"] == alone["mean_plies"]
    [name], [twice] = one.names("morphy, p"), both.names("morphy, p")
    assert twice == {**name, **{k: 2 * name[k] for k in ("games", "as_white", "as_black")}}
    tree, trees = one.tree(), both.tree()
    assert [row["average_year"] for row in trees] == [row["average_year"] for row in tree]
    with pytest.raises(ValueError):
        one.tree(fen="8/8/8/8/8/8/8/K1k5 w - - 0 1", moves="e4")


def test_headers_stream_and_say_what_the_table_says(files):
    db = tabiya.open(files["si4"], files["dci"])
    rows = db.headers(stream=True)
    assert rows.table().equals(db.headers()) and rows.reader().read_all().num_rows == 182
    pl = pytest.importorskip("polars")
    streamed = pl.DataFrame(rows).with_columns(pl.col(pl.Categorical).cast(pl.String))
    assert streamed.rows() == [tuple(row.values()) for row in db.headers().to_pylist()]


def test_every_stream_goes_into_pandas_and_duckdb_as_it_is(files):
    duckdb, pd = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    db = tabiya.open(files["si4"])
    for rows in (db.moves(), db.fens(), db.headers(stream=True), db.headers()):
        height = len(pd.DataFrame.from_arrow(rows))
        assert duckdb.sql("select count(*) from rows").fetchall() == [(height,)]


def test_planes_deliver_the_last_batch_and_refuse_nonsense(files):
    db = tabiya.open(files["si4"])
    for seed in (None, 7):
        sizes = [len(one["move"]) for one in db.planes(batch=1000, seed=seed)]
        assert sizes == [1000, 1000, 1000, 933]
        [one] = db.planes(batch=10_000, seed=seed)
        assert one["planes"].shape == (3933, 12, 8, 8) and one["elo"].shape == (3933, 2)
        assert one["turn"].dtype == bool and one["elo"].dtype == np.int16
        assert one["result"].dtype == np.int8 and one["move"].dtype == np.uint16
        assert (one["planes"].sum(axis=(1, 2, 3)) >= 2).all()
    for arguments in ({"batch": 0}, {"dtype": "colour"}):
        with pytest.raises((TypeError, ValueError)):
            db.planes(**arguments)


def test_an_index_is_used_at_once_and_a_database_can_be_pickled(tmp_path, files):
    path = tmp_path / "a.si5"
    tabiya.convert(files["si4"], path)
    db = tabiya.open(path)
    before = db.search("at(Q=0 q=0)").numbers.tolist()
    db.index()
    assert (tmp_path / "a.tabiya").exists() and not db.notes
    assert db.search("at(Q=0 q=0)").numbers.tolist() == before
    again = pickle.loads(pickle.dumps(db))
    assert again.search("at(Q=0 q=0)").numbers.tolist() == before


def test_a_fork_is_told_to_be_none_instead_of_waiting_forever(files):
    db = tabiya.open(files["si4"])
    db.count("mate")
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            db.count("mate")
        except RuntimeError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert b"spawn" in os.read(reading, 1000)


def test_a_conversion_tells_what_is_lost(tmp_path):
    tags = '[Mood "fine"]\n[Result "1-0"]\n'
    path = pgn(tmp_path / "a.pgn", ("A", tags, "1. e4 {good} e5 (1... c5) 2. Nf3"))
    done = tabiya.convert(path, tmp_path / "a.vf")
    assert done["games"] == 1 and done["losses"]
    assert {"what", "count", "first_game"} == set(done["losses"][0])
    with pytest.raises(tabiya.Error) as raised:
        tabiya.convert(path, tmp_path / "b.vf", strict=True)
    assert raised.value.kind == "WouldLose" and not (tmp_path / "b.vf").exists()
    assert tabiya.convert(path, tmp_path / "c.si5", strict=True)["losses"] == []
    with pytest.raises(ValueError, match="layout"):
        tabiya.convert(path, tmp_path / "d.dci", layout="2.0")
    with pytest.raises(tabiya.Error):
        tabiya.convert(path, tmp_path / "d.xyz")
