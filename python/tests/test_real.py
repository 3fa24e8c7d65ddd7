"""Every call over real databases of every format. They are not part of the repository."""

import atexit
import bz2
import functools
import gzip
import lzma
import os
import pathlib
import shutil
import signal
import tempfile
import threading
import time

import chess.pgn
import pytest
import tabiya

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
FILES = (
    "scid4/res/res_database.si4", "scdb/annotated.dci", "jose/lab.jose", "monty/std.binpack",
    "monty/frc.binpack", "training/sf-small.binpack", "training/viri.vf", "pgn-lichess/lichess.pgn",
    "chessbase/twic1134", "chessbase/archives/twic1134.cbv", "scid4/problems-si3/tactics.si3",
    "scid5/tcec-frc/tcec-frc.si5", "2cbh/edge2", "monty/std-value.binpack",
)


def real(name):
    path = DATA / name
    if name.startswith("2cbh/"):
        path = unpacked(name)
    if not path.exists():
        if os.environ.get("TABIYA_REQUIRE_SHARED") == "1":
            pytest.fail(f"{name} is not in the shared data")
        pytest.skip(f"SKIPPED {name}: no shared data")
    return path if path.is_file() else next(path.rglob("*cbh"))


@functools.cache
def unpacked(name):
    """A packed database, unpacked into a folder that the system empties."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tabiya-"))
    atexit.register(shutil.rmtree, folder, True)
    packed = DATA / "packed" / f"{name.replace('/', '-')}.tar.xz"
    if packed.exists():
        shutil.unpack_archive(packed, folder)
    return folder


@pytest.mark.parametrize("name", FILES)
def test_calls_over_real_databases_agree_with_each_other(name):
    db = tabiya.open(real(name), sidecar=False)
    found = db.search("number:1..300")
    assert len(found) == db.count("number:1..300") > 0
    headers = found.headers()
    assert headers["game"].to_pylist() == found.numbers.tolist()
    rows = found.moves(("game", "ply", "san", "uci", "fen", "clock", "comment"))
    table = rows.table()
    batches = list(found.planes(dtype="bits", batch=1000))
    nulls = table["uci"].to_pylist().count("0000")
    assert sum(len(one["move"]) for one in batches) == table.num_rows - nulls
    line = table.filter([number == found[0].number for number in table["game"].to_pylist()])
    assert line["san"].to_pylist() == found[0].san
    assert line["fen"].to_pylist() == found[0].fens
    assert found[0].to_python_chess() is not None and found[0].pgn()
    if not rows.damaged:
        assert table.num_rows == sum(plies or 0 for plies in headers["plies"].to_pylist())
    assert sum(row["games"] for row in db.tree(query="number:1..300")) <= len(found)
    assert db.stats("number:1..300") and db.explain("number:1..300") is not None
    later = found.sorted(["white", "game:desc"])
    assert sorted(later.numbers.tolist()) == found.numbers.tolist()


def told(node):
    """What a move and its continuations say, blanks apart."""
    words = lambda text: " ".join(text.split())
    return (node.move.uci() if node.move else None, sorted(node.nags), words(node.comment),
            words(node.starting_comment) if node.parent else "",
            [told(one) for one in node.variations])


def test_annotated_games_become_those_that_python_chess_reads():
    path = real("jose/annotated.pgn")
    db = tabiya.open(path, sidecar=False)
    with open(path, encoding="utf-8", errors="replace") as text:
        for number in range(min(1000, len(db))):
            other = chess.pgn.read_game(text)
            ours = db[number].to_python_chess()
            assert ours.headers["White"] == other.headers["White"], number
            assert told(ours) == told(other), number


@pytest.mark.parametrize("suffix, pack", [("gz", gzip), ("bz2", bz2), ("xz", lzma)])
def test_compressed_pgn_is_read_where_it_is(tmp_path, suffix, pack):
    plain = real("pgn-lichess/lichess.pgn")
    path = tmp_path / f"lichess.pgn.{suffix}"
    path.write_bytes(pack.compress(plain.read_bytes()))
    columns = ("game", "san", "clock")
    one, other = (tabiya.open(file).moves(columns).table() for file in (plain, path))
    assert one.equals(other) and one.num_rows > 0


def test_an_archive_in_cipher_is_opened_with_its_password():
    path = real("chessbase/archives/small.cbz")
    with pytest.raises(tabiya.Error) as raised:
        tabiya.open(path, password="wrong")
    assert raised.value.kind == "WrongPassword"
    opened = tabiya.open(path, password="password")
    assert len(opened) == len(tabiya.open(real("chessbase/archives/small.cbv")))


@pytest.mark.parametrize("name", ["scid5/tcec-frc/tcec-frc.si5", "monty/frc.binpack"])
def test_games_of_chess960_become_those_of_python_chess(name):
    db = tabiya.open(real(name))
    for game in db[:50]:
        other = game.to_python_chess()
        assert not other.errors
        assert [move.uci() for move in other.mainline_moves()] == game.moves


@pytest.mark.parametrize("work", [
    lambda db: db.count("at(fork:N@7 stm:black)"),
    lambda db: db.moves().table(),
    lambda db: list(db.planes(dtype="bits", seed=1)),
    lambda db: db.headers(),
])
def test_ctrl_c_ends_long_work_soon_and_the_database_answers(work):
    db = tabiya.open(real("monty/std.binpack"), sidecar=False)
    number = db.count("result:1-0")
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        while True:
            work(db)
    assert time.monotonic() - sent[0] < 5
    assert db.count("result:1-0") == number


def test_slices_and_indices_are_one_sequence_where_there_are_texts():
    db = tabiya.open(real("chessbase/hedgehog"))
    assert len(db) > len(db.search()) > 0
    numbers = [game.number for game in db]
    assert [game.number for game in db[:]] == numbers
    assert db[100:101][0] == db[100] and db[-1:][0] == db[-1]
