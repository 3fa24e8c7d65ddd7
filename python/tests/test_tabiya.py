"""What the package promises, asked of the games in fixtures/ in every format that is written."""

import io
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import chess.pgn
import chess.polyglot
import numpy as np
import pytest
import tabiya

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"
FORMATS = ("si4", "si5", "cbh", "2cbh", "dci", "pgn")


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """The same games in every format, by suffix."""
    folder = tmp_path_factory.mktemp("formats")
    made = {suffix: folder / f"famous.{suffix}" for suffix in FORMATS}
    for target in made.values():
        done = tabiya.convert(FIXTURES / "famous.si4", target)
        assert (done["games"], done["skipped"]) == (91, 0)
    return made


def damaged(folder, length=40):
    """Writes the games with some bytes of their moves overwritten; returns the database's path."""
    for suffix in ("si4", "sg4", "sn4"):
        data = bytearray((FIXTURES / f"famous.{suffix}").read_bytes())
        if suffix == "sg4":
            middle = len(data) // 2
            data[middle:middle + length] = b"\xff" * length
        (folder / f"a.{suffix}").write_bytes(data)
    return folder / "a.si4"


@pytest.fixture(params=FORMATS)
def db(request, files):
    return tabiya.open(files[request.param])


@pytest.fixture(scope="session")
def read():
    """The games as python-chess reads them."""
    games = []
    with open(FIXTURES / "famous.pgn", encoding="utf-8") as text:
        while (game := chess.pgn.read_game(text)) is not None:
            games.append(game)
    return games


def test_games_are_those_that_python_chess_reads(db, read):
    assert len(db) == len(read) == 91
    for game, other in zip(db, read):
        board = other.board()
        # ChessBase's formats have no counter of half-moves.
        start = game.start and game.start.split()[:4]
        assert start == (None if "FEN" not in other.headers else board.fen().split()[:4])
        san, fens = [], []
        for move in other.mainline_moves():
            san.append(board.san(move))
            board.push(move)
            fens.append(board.board_fen())
        assert game.moves == [move.uci() for move in other.mainline_moves()]
        assert game.san == san
        assert [fen.split()[0] for fen in game.fens] == fens
        assert game.plies == len(san)
        assert (game.white, game.black) == (other.headers["White"], other.headers["Black"])
        assert game.result == other.headers["Result"]


def test_a_game_becomes_one_of_python_chess_with_its_variations(read):
    for game, other in zip(tabiya.open(FIXTURES / "famous.si4"), read):
        same = game.to_python_chess()
        exporter = chess.pgn.StringExporter(headers=False, columns=None)
        # Where comments break into lines means nothing.
        wanted = other.accept(chess.pgn.StringExporter(headers=False, columns=None))
        assert same.accept(exporter).split() == wanted.split()
        assert chess.pgn.read_game(io.StringIO(game.pgn())).headers == same.headers


def test_a_database_is_a_sequence(db):
    assert db[17].number == 18 and db[-1].number == 91
    assert [game.number for game in db[2:8:3]] == [3, 6]
    assert [game.number for game in db] == list(range(1, 92))
    for index in (91, -92):
        with pytest.raises(IndexError):
            db[index]


def test_notes_of_opening_are_warnings_of_the_line_that_opens(tmp_path, files):
    for suffix in ("si4", "sg4", "sn4"):
        data = (FIXTURES / f"famous.{suffix}").read_bytes()
        (tmp_path / f"cut.{suffix}").write_bytes(data[:1000] if suffix == "si4" else data)
    with pytest.warns(tabiya.DatabaseWarning, match="cut.si4") as told:
        cut = tabiya.open(tmp_path / "cut.si4")
    assert len(cut) == 17 and [str(one.message) for one in told] == cut.notes
    assert told[0].filename == __file__


def test_searches_find_the_same_in_every_format(files):
    answers = set()
    for file in files.values():
        found = tabiya.open(file).search("player:morphy at(mate)")
        assert found.numbers.dtype == np.int64 and found.plies.dtype == np.int32
        assert [game.ply for game in found] == found.plies.tolist()
        assert [game.number for game in found] == found.numbers.tolist()
        answers.add((tuple(found.numbers), tuple(found.plies)))
    ((numbers, plies),) = answers
    assert len(numbers) == len(plies) == 5


def test_a_match_without_a_ply_has_none_and_a_limit_is_kept(db):
    found = db.search("result:1-0", limit=4)
    assert len(found) == 4 and found[0].ply is None
    assert set(found.plies) == {-1}
    assert db.count("result:1-0") == len(db.search("result:1-0")) > 4
    none = db.search("result:1-0", limit=0)
    assert len(none) == 0 and none.headers().num_rows == 0
    assert len(db.search("elo>9000")) == 0


def test_several_files_are_one_database(files):
    both = tabiya.open(files["si4"], files["pgn"])
    assert len(both) == 182
    assert both[91].number == 1 and both[91].moves == both[0].moves
    found = both.search("player:morphy at(mate)")
    assert len(found) == 10 and found.numbers[:5].tolist() == found.numbers[5:].tolist()
    assert found[7].number == found[2].number
    assert len(both.search("player:morphy at(mate)", limit=7)) == 7
    one = tabiya.open(files["si4"]).tree(moves="1.e4")
    assert [row["games"] for row in both.tree(moves="1.e4")] == [2 * row["games"] for row in one]


def test_a_tree_counts_what_was_played(db, read):
    played = [next(iter(game.mainline_moves())).uci() for game in read if "FEN" not in game.headers]
    rows = {row["uci"]: row["games"] for row in db.tree()}
    assert rows == {uci: played.count(uci) for uci in played}
    sicilian = db.tree(moves="1.e4", query="year:1900..")
    assert any(row["move"] == "c5" and row["opening"] == "Sicilian Defense" for row in sicilian)
    fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert db.tree(fen=fen, query="year:1900..") == sicilian
    for wrong in ({"fen": "nonsense"}, {"moves": "e4 nonsense"}):
        with pytest.raises(tabiya.QueryError) as raised:
            db.tree(**wrong)
        assert raised.value.start == (3 if "moves" in wrong else 0)


def test_lines_count_as_trees_do_and_are_read_by_python_chess(db, files, tmp_path):
    lines = db.lines(moves="1.e4 e5", depth=4, min_games=3)
    assert lines[0]["of"] == sum(row["games"] for row in db.tree(moves="1.e4 e5"))
    for row in lines:
        before = "1.e4 e5 " + row["line"].rpartition(row["move"])[0]
        played = {other["uci"]: other["games"] for other in db.tree(moves=before)}
        assert played[row["uci"]] == row["games"], row
    game = chess.pgn.read_game(io.StringIO(lines.pgn()))
    moves, left = [], [game]
    while left:
        left += (node := left.pop()).variations
        moves += [node.move.uci()] if node.ply() > 2 else []
    assert sorted(moves) == sorted(row["uci"] for row in lines)
    path = tmp_path / "book.bin"
    path.write_bytes(lines.book())
    board = chess.Board()
    for san in ("e4", "e5"):
        board.push_san(san)
    with chess.polyglot.open_reader(path) as book:
        weights = {entry.move.uci(): entry.weight for entry in book.find_all(board)}
    assert weights == {
        row["uci"]: 2 * row["white"] + row["draws"]
        for row in lines if row["ply"] == 1 and 2 * row["white"] + row["draws"]
    }
    assert lines.dot().startswith("digraph") and lines.damaged == 0
    both = tabiya.open(files["si4"], files["pgn"]).lines(moves="1.e4 e5", depth=1, min_games=6)
    single = db.lines(moves="1.e4 e5", depth=1, min_games=3)
    assert [row["games"] for row in both] == [2 * row["games"] for row in single]
    assert db.lines(only="white", depth=3, query="year:1900..")[0]["games"] > 0
    with pytest.raises(ValueError):
        db.lines(only="red")
    with pytest.raises(ValueError):
        db.lines(fen="8/8/8/8/8/8/8/K1k5 w", moves="e4")


def test_a_repertoire_is_compared_with_all_games(db, files, tmp_path):
    path = tmp_path / "white.pgn"
    path.write_text("1. e4 e5 2. f4 exf4 (2... d5 3. exd5) 3. Nf3 *\n")
    lines = tabiya.open(path)
    found = db.repertoire(lines, "white")
    assert len(found.games) + found.outside == len(db) and found.damaged == found.damaged_lines == 0
    assert sum(place["games"] for place in found.places) == len(found.games)
    by_opponent = [row for row in found.games if row["left"] == "opponent"]
    assert by_opponent and all(row["answers"] for row in by_opponent)
    for row in found.games:
        if row["ply"] is not None:
            assert row["played"].split(".")[-1] == db[row["index"]].san[row["ply"] - 1], row
    for gap in found.gaps:
        assert 2 <= gap["games"] <= gap["of"]
    game = chess.pgn.read_game(io.StringIO(found.pgn()))
    assert [move.uci() for move in game.mainline_moves()][:3] == ["e2e4", "e7e5", "f2f4"]
    assert found.html().startswith("<!DOCTYPE html>") and "white" in found.html()
    both = tabiya.open(files["si4"], files["pgn"]).repertoire(lines, "white", query="year:1850..")
    assert {row["index"] >= len(db) for row in both.games} == {False, True}
    assert db.repertoire(lines, "black", gap=1.0, min_games=1000).gaps == []
    with pytest.raises(ValueError):
        db.repertoire(lines, "red")


def test_a_tree_counts_variations_on_request(tmp_path):
    path = tmp_path / "study.pgn"
    path.write_text("1. e4 (1. d4 d5) (1. d4 Nf6) e5 *\n")
    study = tabiya.open(path)
    assert [row["move"] for row in study.tree()] == ["e4"]
    assert {row["move"]: row["games"] for row in study.tree(variations=True)} == {"e4": 1, "d4": 1}


def test_reports_have_queries_that_find_what_they_say(db):
    for report in (db.report(player="Morphy, Paul"), db.report(moves="1.e4 e5")):
        assert report.games == report.sections[0]["rows"][0]["games"] > 0
        for section in report.sections:
            for row in section["rows"]:
                assert db.count(row["query"]) == row["games"], row
        assert report.html().startswith("<!DOCTYPE html>")
        assert report.markdown().startswith(f"# {report.title}")
    plans = [section for section in report.sections if section["maps"]]
    assert len(plans) == 1 and len(plans[0]["maps"][0]["squares"]) == 64
    assert db.report(opening="gambit").games == db.count("opening:gambit")
    assert db.report(player="Nobody").games == 0
    for wrong in ({}, {"player": "A", "moves": "e4"}):
        with pytest.raises(ValueError):
            db.report(**wrong)


def test_figures_names_and_counts_agree(db):
    figures = db.stats("player:morphy")
    assert figures["games"] == db.count("player:morphy")
    assert sum(one["games"] for one in figures["years"].values()) <= figures["games"]
    rows = db.names("morphy, paul")
    assert rows[0]["name"] == "Morphy, Paul"
    assert rows[0]["games"] == rows[0]["as_white"] + rows[0]["as_black"]
    assert rows[0]["games"] == db.count('player="Morphy, Paul"') > 0
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    [row] = db.positions([start], "player:morphy")
    assert row["games"] == db.count(f'player:morphy fen:"{start}"')
    rows = db.explain("player:morphy at(mate)")
    assert len(rows) == 2 and rows[0]["certain"] == figures["games"]
    with pytest.raises(ValueError):
        db.names("x", kind="colour")


def test_a_query_that_cannot_be_read_shows_where(db):
    with pytest.raises(tabiya.QueryError) as raised:
        db.search("white:morphy elow:2500..")
    error = raised.value
    assert (error.start, error.end, error.suggestion) == (13, 17, "elo")
    assert "^^^^" in str(error) and isinstance(error, ValueError)
    for call in (db.count, db.explain, db.stats):
        with pytest.raises(tabiya.QueryError):
            call("at(")


def test_what_is_not_there_or_no_database_is_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        tabiya.open(tmp_path / "none.si4")
    (tmp_path / "text.si4").write_bytes(b"not a database")
    with pytest.raises(tabiya.Error) as raised:
        tabiya.open(tmp_path / "text.si4")
    assert raised.value.kind and raised.value.path == tmp_path / "text.si4"


def test_a_damaged_game_is_counted_and_the_others_are_found(tmp_path):
    for suffix in ("si4", "sg4", "sn4"):
        shutil.copy(FIXTURES / f"famous.{suffix}", tmp_path / f"cut.{suffix}")
    games = tmp_path / "cut.sg4"
    games.write_bytes(games.read_bytes()[:-200])
    db = tabiya.open(tmp_path / "cut.si4")
    found = db.search("at(mate)")
    whole = tabiya.open(FIXTURES / "famous.si4").search("at(mate)")
    assert found.damaged > 0 and len(found.damaged_games) == found.damaged
    assert 0 < len(found) and set(found.numbers) <= set(whole.numbers)
    with pytest.raises(tabiya.Error) as raised:
        db[90].moves
    assert raised.value.game == 91
    (verified,) = db.verify()
    assert (verified["games"], verified["damaged"]) == (91, found.damaged)
    done = tabiya.repair(tmp_path / "cut.si4", tmp_path / "mended.si4")
    assert done["sound"] == 91 - found.damaged


def test_an_exception_in_progress_stops_the_work(db):
    def stop(done, total):
        raise RuntimeError("enough")

    for work in (lambda: db.search("at(mate)", progress=stop), lambda: db.verify(progress=stop)):
        with pytest.raises(RuntimeError, match="enough"):
            work()


def test_ctrl_c_stops_the_work_soon(files):
    code = (
        "import sys, tabiya\n"
        f"db = tabiya.open({str(files['si4'])!r})\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    db.verify()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
        assert time.monotonic() - started < 5
    assert "KeyboardInterrupt" in errors


def test_eight_threads_ask_one_database(db):
    questions = ["player:morphy", "at(mate)", "at(Q=0 q=0)", "eco:B..", "played:O-O-O"] * 16
    alone = [db.search(one).numbers.tolist() for one in questions]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda one: db.search(one).numbers.tolist(), questions))
    assert together == alone


def test_a_sidecar_changes_no_answer(tmp_path, files):
    copy = tmp_path / "copy.si5"
    tabiya.convert(files["si4"], copy)
    db = tabiya.open(copy)
    before = db.search("at(Q=0 q=0)")
    db.index()
    after = tabiya.open(copy).search("at(Q=0 q=0)")
    assert after.numbers.tolist() == before.numbers.tolist()
    assert after.plies.tolist() == before.plies.tolist()


def test_converting_keeps_what_is_asked_for(tmp_path, files):
    target = tmp_path / "some.pgn"
    done = tabiya.convert([files["si4"], files["pgn"]], target, query="player:morphy")
    assert done["games"] == 2 * tabiya.open(files["si4"]).count("player:morphy")
    with pytest.raises(tabiya.Error):
        tabiya.convert(files["si4"], target)
    assert tabiya.convert(files["si4"], target, replace=True)["games"] == 91


def test_a_database_is_changed_where_it_lies_and_taken_back(tmp_path, files):
    base = tmp_path / "base.si5"
    tabiya.convert(files["si4"], base)
    count = lambda query: tabiya.open(base).count(query)
    morphy = count("player:morphy")
    assert tabiya.add(base, files["pgn"], query="player:morphy")["games"] == morphy
    assert count("player:morphy") == 2 * morphy
    assert tabiya.undo(base) and count("") == 91 and not tabiya.undo(base)
    changed = tabiya.edit(base, "white:morphy", set={"event": "Paris"}, flags={"user": True})
    assert changed == count("event:paris flag:user") > 0
    assert tabiya.edit(base, rename=[("event", "Paris", "Lyon")]) == changed
    with pytest.raises(ValueError, match="whiteelo"):
        tabiya.edit(base, set={"wite": "x"})
    assert tabiya.remove(base, "event:lyon") == changed == count("flag:deleted")
    assert tabiya.remove(base, "event:lyon", purge=True) == changed
    assert count("") == 91 - changed


def test_headers_are_a_table_that_says_what_the_games_say(db):
    table = db.headers()
    assert table.num_rows == 91 and table.column_names[:3] == ["db", "game", "white"]
    rows = table.to_pylist()
    for game, row in zip(db, rows):
        tags = game.headers
        known = lambda text: None if text == "?" else text
        assert row["game"] == game.number and row["plies"] == game.plies
        assert (row["white"], row["black"]) == (known(tags["White"]), known(tags["Black"]))
        assert row["result"] == tags["Result"] and row["opening"] == game.opening
        assert row["date"] == (None if tags["Date"] == "????.??.??" else tags["Date"])
        year = tags["Date"][:4]
        assert row["year"] == (None if "?" in year else int(year))
        elo = tags.get("WhiteElo")
        assert row["white_elo"] == (elo and int(elo)) and row["eco"] == tags.get("ECO")
    some = db.search("player:morphy")
    assert some.headers(["game"]).column("game").to_pylist() == some.numbers.tolist()
    assert db.headers(["game"], "elo>9000").num_rows == 0
    with pytest.raises(ValueError):
        db.headers(["colour"])


def test_polars_pandas_and_duckdb_take_the_table(db):
    duckdb, pl = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    pytest.importorskip("pandas")
    table = db.headers(["white", "result", "year", "plies"])
    wins = sum(row["result"] == "1-0" for row in table.to_pylist())
    assert pl.from_arrow(table).filter(pl.col("result") == "1-0").height == wins
    frame = table.to_pandas()
    assert (frame["result"] == "1-0").sum() == wins
    games = table  # noqa: F841 (found by its name)
    asked = duckdb.sql("select count(*) from games where result = '1-0'").fetchall()
    assert asked == [(wins,)]


def test_a_query_that_means_something_else_says_so(files):
    db = tabiya.open(files["si4"], files["pgn"])
    instead = lambda query: [(hint["condition"], hint["instead"]) for hint in db.hints(query)]
    assert instead("player:morphy year:1858") == []
    assert instead("player:morfy") == [("player:morfy", 'player:"Morphy, Paul"')]
    assert ("threefold", "repetition:3") in instead("Threefold year>1")
    for ask in (db.search, db.count):
        with pytest.warns(tabiya.QueryWarning, match="`can:mate`") as told:
            ask("mate in one")
        assert [one.filename for one in told] == [__file__]
    with pytest.raises(tabiya.QueryError):
        db.hints("elow>1")


def test_notebooks_show_boards_and_tables_as_text(db, tmp_path):
    assert db[0].svg(0).startswith("<svg") and db[0]._repr_svg_().startswith("<svg")
    with pytest.raises(IndexError):
        db[0].svg(10_000)
    assert "Anderssen" in db.search("number:1")._repr_html_()
    assert "<td>e5</td>" in db.tree(moves="1.e4")._repr_html_()
    pgn = tmp_path / "hostile.pgn"
    pgn.write_text('[White "<script>x</script>"]\n[Result "*"]\n\n1. e4 *\n')
    shown = tabiya.open(pgn).search()._repr_html_()
    assert "<script" not in shown and "&lt;script&gt;" in shown


def test_an_encoding_is_said(tmp_path):
    path = tmp_path / "old.pgn"
    path.write_bytes('[White "Müller, Jörg"]\n\n1. e4 *\n'.encode("cp437"))
    assert tabiya.open(path, encoding="cp437")[0].white == "Müller, Jörg"
    done = tabiya.convert(path, tmp_path / "new.si4", encoding="cp437")
    assert done["games"] == 1
    assert tabiya.open(tmp_path / "new.si4")[0].white == "Müller, Jörg"
    with pytest.raises(ValueError, match="no encoding of this name"):
        tabiya.open(path, encoding="cp9999")
