"""Every call over real databases of every format. They are not part of the repository."""

import os
import pathlib

import chess.pgn
import pytest
import tabiya

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
FILES = (
    "scid4/res/res_database.si4", "scdb/annotated.dci", "jose/lab.jose", "monty/std.binpack",
    "monty/frc.binpack", "training/sf-small.binpack", "training/viri.vf", "pgn-lichess/lichess.pgn",
    "chessbase/twic1134",
)


def real(name):
    path = DATA / name
    if not path.exists():
        if os.environ.get("TABIYA_REQUIRE_SHARED"):
            pytest.fail(f"{name} is not in the shared data")
        pytest.skip(f"SKIPPED {name}: no shared data")
    return path if path.is_file() else next(path.rglob("*.cbh"))


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
