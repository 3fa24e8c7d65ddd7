"""Labels of positions for training, and the moves of all lines of a game."""

import io
import json
import lzma
import pickle
import subprocess
import sys

import chess
import chess.pgn
import numpy as np
import pytest
import tabiya
from tabiya.types import PlaneColumn
from test_real import DATA, real
from test_tabiya import FIXTURES, FORMATS, db, files, read  # noqa: F401
from typing import get_args

CLOCKS = """[White "A"]
[Result "1-0"]

{[%eval 0.5]} 1. e4 {[%clk 0:01:30] [%eval 0.25]} e5 {[%clk 0:01:20]} 2. Nf3 {[%clk 0:01:25] [%eval #-3]} Nc6 1-0

[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"]
[SetUp "1"]

1... Kd7 {[%clk 0:00:09] [%eval #2]} 2. e4 {[%clk 0:00:08]} Kc6 *

"""


def labels(found, columns, **how):
    batches = list(found.planes(columns=columns, **how))
    return {name: np.concatenate([one[name] for one in batches]) for name in batches[0]}


def number(move):
    promotion = [None, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN].index(move.promotion)
    return move.from_square | move.to_square << 6 | promotion << 12


def test_labels_are_those_of_python_chess(db, read):
    told = labels(db.search(), ("move", "castling", "en_passant", "ply", "game", "legal"), batch=500)
    at = 0
    for place, game in enumerate(read, 1):
        board = game.board()
        for ply, move in enumerate(game.mainline_moves()):
            rights = sum(has << bit for bit, has in enumerate((
                board.has_kingside_castling_rights(chess.WHITE),
                board.has_queenside_castling_rights(chess.WHITE),
                board.has_kingside_castling_rights(chess.BLACK),
                board.has_queenside_castling_rights(chess.BLACK),
            )))
            square = board.ep_square if board.has_legal_en_passant() else -1
            row = (place, ply, number(move), rights, square)
            names = ("game", "ply", "move", "castling", "en_passant")
            assert tuple(int(told[name][at]) for name in names) == row
            legal = told["legal"][at]
            wanted = sorted(map(number, board.legal_moves))
            assert legal[:len(wanted)].tolist() == wanted and (legal[len(wanted):] == 65535).all()
            board.push(move)
            at += 1
    assert at == len(told["ply"])


def test_clocks_and_evaluations_are_those_of_the_position(tmp_path):
    path = tmp_path / "a.pgn"
    path.write_text(CLOCKS)
    told = labels(tabiya.open(path).search(), ("game", "ply", "clock", "eval", "score", "visits"))
    none = float("nan")
    expected = [
        (1, 0, none, none, 0.5), (1, 1, 90, none, 0.25), (1, 2, 90, 80, none),
        (1, 3, 85, 80, -np.inf), (2, 0, none, none, none), (2, 1, none, 9, np.inf),
        (2, 2, 8, 9, none),
    ]
    found = zip(told["game"], told["ply"], *told["clock"].T, told["eval"])
    np.testing.assert_array_equal(list(found), expected)
    assert np.isnan(told["score"]).all() and not told["visits"].any()


def test_columns_of_planes_are_those_asked_for(files):
    db = tabiya.open(files["si4"])
    everything = labels(db.search("number:1"), get_args(PlaneColumn))
    assert tuple(everything) == get_args(PlaneColumn)
    assert list(labels(db.search("number:1"), "turn")) == ["turn"]
    for wrong in ("colour", ("turn", "turn"), ()):
        with pytest.raises(ValueError):
            list(db.planes(columns=wrong))
    with pytest.raises(ValueError, match="numbers"):
        db.planes(dtype="U1")
    plain = labels(db.search("number:1"), None)
    assert set(plain) == {"planes", "move", "turn", "result", "elo"}
    assert all((plain[name] == everything[name]).all() for name in plain)


def test_the_move_of_chess960_is_among_the_legal_ones(tmp_path):
    # After the moves only castlings are left that standard chess has too.
    path = tmp_path / "a.pgn"
    path.write_text("""[FEN "1r2k2r/pppppppp/8/8/8/8/PPPPPPPP/1R2K2R w HBhb - 0 1"]
[SetUp "1"]
[Variant "Chess960"]

1. Rg1 Rg8 2. Rh1 Rh8 3. Ra1 O-O-O 4. a3 *

""")
    files = [path] if not DATA.exists() else [path, DATA / "jose" / "frc.pgn"]
    for file in files:
        told = labels(tabiya.open(file).search(), ("move", "legal"), batch=1 << 16)
        assert len(told["move"]) > 6
        assert (told["legal"] == told["move"][:, None]).any(axis=1).all()


def test_scores_and_visits_of_monty_are_those_of_its_crate():
    db = tabiya.open(real("monty/std.binpack"))
    with lzma.open(DATA.parent / "truth" / "monty-std.json.xz") as file:
        truth = json.load(file)
    told = labels(db.search(), ("game", "ply", "score", "legal", "visits"), batch=1 << 20)
    starts = np.searchsorted(told["game"], np.arange(1, len(db) + 2))
    for game, start, end in zip(truth, starts, starts[1:]):
        scores = np.array(game["score_u16"]) / 65535
        np.testing.assert_allclose(told["score"][start:end], scores, atol=1e-6)
        assert told["visits"][start:end].sum(axis=1).tolist() == game["visit_sum"]
        assert (told["legal"][start:end] != 65535).sum(axis=1).tolist() == game["num_moves"]
        # FNV-1a over all visits of the game in the order of the file.
        hashed = 0xCBF29CE484222325
        for count, visits in zip(game["num_moves"], told["visits"][start:end]):
            for one in visits[:count].tolist():
                hashed = (hashed ^ one) * 0x100000001B3 % 2**64
        assert f"{hashed:016x}" == game["visit_fnv1a64"]


def test_scores_of_viriformat_are_those_of_its_crate():
    db = tabiya.open(real("training/viri.vf"))
    told = labels(db.search("number:1..100"), ("turn", "eval", "score", "game"), batch=1 << 20)
    at = 0
    with lzma.open(DATA / "training" / "viri.txt.xz", "rt") as lines:
        for line in lines:
            if len(line.split()) != 8:
                continue
            if at == len(told["eval"]):
                break
            score = int(line.split()[-1])
            assert told["eval"][at] == pytest.approx(score / 100)
            own = score if told["turn"][at] else -score
            assert told["score"][at] == pytest.approx(1 / (1 + np.exp(-own / 400)), abs=1e-6)
            at += 1
    assert at == len(told["eval"]) > 1000


def test_games_are_split_by_number_whatever_is_asked(files):
    db = tabiya.open(files["si4"], files["pgn"])
    one, other = db.search().split(0.7, seed=3)
    assert 90 < len(one) < 165 and len(one) + len(other) == 182 and len(one & other) == 0
    mine, _ = db.search("at(check)").split(0.7, seed=3)
    assert len(mine - one) == 0 and len(mine) > 10
    assert [len(part) for part in db.search().split(0)] == [0, 182]
    assert [len(part) for part in db.search().split(1)] == [182, 0]
    assert db.search().split(0.7, seed=4)[0].numbers.tolist() != one.numbers.tolist()
    with pytest.raises(ValueError):
        db.search().split(70)


STUB = """
import sys, types
import numpy as np
torch, data = types.ModuleType("torch"), types.ModuleType("torch.utils.data")
torch.from_numpy = lambda array: array
torch.Tensor = np.ndarray
class Worker: id, num_workers = 0, 1
data.IterableDataset, data.get_worker_info = object, lambda: Worker
sys.modules.update({"torch": torch, "torch.utils": types.ModuleType("torch.utils"),
                    "torch.utils.data": data})
"""


def test_workers_of_a_dataset_share_the_positions(files):
    # PyTorch itself is too large for every run; what is used of it stands here.
    code = STUB + f"""
import pickle, tabiya
from tabiya.torch import Positions
found = tabiya.open({str(files["si4"])!r}).search()
def epoch(number, workers, shards=1):
    seen = []
    for shard in range(shards):
        for Worker.id in range(workers):
            Worker.num_workers = workers
            dataset = Positions(found, batch=300, seed=1, columns=("game", "ply", "move"),
                                shard=(shard, shards))
            dataset = pickle.loads(pickle.dumps(dataset))
            dataset.set_epoch(number)
            for batch in dataset:
                assert batch["move"].dtype == np.int32
                seen += zip(batch["game"].tolist(), batch["ply"].tolist())
    return seen
first, again, second, four = epoch(0, 1), epoch(0, 1), epoch(1, 1), epoch(0, 2, 2)
assert first == again and first != second
assert len(first) == 3933 and sorted(first) == sorted(second) == sorted(four)
assert len(set(first)) == 3933
print("done")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr


def test_lines_of_a_game_are_those_of_python_chess(read):
    def same(line, node, ply):
        """Compares a line with that of python-chess from the node of its first move on."""
        assert (line.ply, line.comment.split()) == (ply, node.starting_comment.split())
        variations = []
        for place, uci in enumerate(line.moves):
            assert node.move.uci() == uci and node.san() == line.san[place]
            assert set(line.nags[place]) == node.nags
            assert line.comments[place].split() == node.comment.split()
            if place or node.parent.variations[0] is node:
                variations += [(other, ply + place) for other in node.parent.variations[1:]]
            node = node.variations[0] if node.variations else None
        assert node is None
        assert len(variations) == len(line.variations)
        for (other, at), variation in zip(variations, line.variations):
            same(variation, other, at)

    count = 0
    for game, other in zip(tabiya.open(FIXTURES / "famous.si4"), read):
        main = tabiya.Variation(1, game.moves, game.san, "", game.comments, game.nags,
                                game.variations)
        assert game.comment.split() == other.comment.split()
        if game.moves:
            same(main, other.variations[0], 1)
        count += len(game.variations)
    assert count > 0


def test_a_game_of_python_chess_is_that_which_its_own_reader_makes(tmp_path):
    path = tmp_path / "a.pgn"
    path.write_text("""[White "A"]
[Event "x"]

{ before } 1. e4 $1 $14 {one} {two} e5 (1... c5 {a} (1... e6 2. d4 {b}) 2. Nf3) ({lead} 1... c6)
{after} 2. Nf3 -- 3. O-O-O {illegal from here} 1-0

[White "B"]
[FEN "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1"]
[SetUp "1"]
[Variant "Chess960"]

1. Nd3 Nd6 2. O-O {c} *

[White "C"]
[FEN "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1"]
[SetUp "1"]

1. O-O Ke7 (1... Kd7) 2. e4 *

""")
    for file in (path, DATA / "pgn-lichess" / "lichess.pgn"):
        if not file.exists():
            continue
        for game in tabiya.open(file)[:100]:
            text = game.pgn()
            ours, theirs = game.to_python_chess(), chess.pgn.read_game(io.StringIO(text))
            assert ours.headers == theirs.headers
            assert str(ours).split() == str(theirs).split()


def test_games_and_matches_can_be_pickled(files, tmp_path):
    path = tmp_path / "a.pgn"
    path.write_bytes(files["pgn"].read_bytes())
    db = tabiya.open(path, files["si4"])
    found = db.search("at(mate)", sort="white:desc")
    again = pickle.loads(pickle.dumps(found))
    assert again.numbers.tolist() == found.numbers.tolist()
    assert again.plies.tolist() == found.plies.tolist()
    assert list(again) == list(found) and len(again & found) == len(found)
    game = pickle.loads(pickle.dumps(found[2]))
    assert (game, game.ply, game.san) == (found[2], found[2].ply, found[2].san)
    code = f"""
import pickle, sys, warnings
import tabiya
games = pickle.load(sys.stdin.buffer)
print([(game.number, game.white, game.ply) for game in games], games[0]._base is games[1]._base)
"""
    games = [found[0], found[0], found[1]]
    told = [(game.number, game.white, game.ply) for game in games]
    run = lambda pickled: subprocess.run([sys.executable, "-c", code], input=pickled,
                                         capture_output=True)
    pickled = pickle.dumps(games)
    assert run(pickled).stdout.decode().strip() == f"{told} True", run(pickled).stderr.decode()
    path.write_bytes(path.read_bytes() + b'[White "new"]\n\n1. e4 *\n')
    if any(game.database == "a" for game in games):
        assert b"changed" in run(pickled).stderr


def test_found_games_are_written_in_their_order(files, tmp_path):
    db = tabiya.open(files["si4"], files["pgn"])
    found = db.search("at(check)", sort="white:desc")[::3]
    names = [game.white for game in found]
    for name in ("a.pgn", "a.pgn.gz", "a.pgn.zst", "a.si5", "a.cbh"):
        target = tmp_path / name
        done = found.write(target)
        assert done["games"] == len(found) > 10
        assert [game.white for game in tabiya.open(target)] == names, name
        with pytest.raises(tabiya.Error, match="replace=True"):
            found.write(target)
        found[:2].write(target, replace=True)
        assert len(tabiya.open(target)) == 2
    assert "(" not in tabiya.open(files["si4"]).search().write(
        tmp_path / "plain.pgn", comments=False, variations=False)["losses"]
    assert all(not game.variations for game in tabiya.open(tmp_path / "plain.pgn"))


def test_types_of_dicts_have_the_keys_that_are_told(files, tmp_path):
    from tabiya import types

    db = tabiya.open(files["si4"])
    report = db.report(opening="king's gambit")
    lines = db.repertoire(tabiya.open(files["pgn"]), "white")
    some = {
        types.TreeRow: db.tree()[0], types.LineRow: db.lines()[0], types.Stats: db.stats(),
        types.NameRow: db.names("morphy")[0], types.ExplainRow: db.explain("at(check)")[0],
        types.Hint: db.hints("player:morfy")[0], types.Verified: db.verify()[0],
        types.Results: db.positions([chess.STARTING_FEN])[0],
        types.Converted: db.search().write(tmp_path / "a.pgn"),
        types.Repaired: tabiya.repair(files["si4"], tmp_path / "b.pgn"),
        types.Section: report.sections[0], types.ReportRow: report.sections[0]["rows"][0],
        types.LeavingGame: lines.games[0], types.LeavingPlace: lines.places[0],
        types.OwnLine: lines.lines[0],
    }
    for kind, told in some.items():
        assert set(kind.__annotations__) | set(getattr(kind, "__required_keys__", ())) == set(told), kind
