"""Tables of half-moves, positions as arrays, games in an order."""

import chess
import numpy as np
import pytest
import tabiya
from test_tabiya import FIXTURES, FORMATS, damaged, db, files, read  # noqa: F401

COMMENTED = """[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 {[%clk 0:01:30] [%eval 0.25]} e5 {good} (1... c5 {[%clk 0:00:01]}) 2. Nf3 {[%eval #-3]} 1-0
"""


def test_each_half_move_is_a_row(db, read):
    rows = db.moves(("game", "ply", "san", "uci", "fen", "db")).table().to_pylist()
    expected = []
    for number, game in enumerate(read, 1):
        board = game.board()
        for ply, move in enumerate(game.mainline_moves(), 1):
            san = board.san(move)
            board.push(move)
            expected.append((number, ply, san, move.uci(), board.board_fen()))
    found = [(r["game"], r["ply"], r["san"], r["uci"], r["fen"].split()[0]) for r in rows]
    assert found == expected
    assert {row["db"] for row in rows} == {"famous"}


def test_comments_tell_of_clocks_and_evaluations_and_what_is_unknown_is_null(tmp_path):
    path = tmp_path / "a.pgn"
    path.write_text(COMMENTED)
    columns = ("san", "clock", "eval", "mate", "comment")
    rows = tabiya.open(path).moves(columns).table().to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        ("e4", 90.0, 0.25, None, "[%clk 0:01:30] [%eval 0.25]"),
        ("e5", None, None, None, "good"),
        ("Nf3", None, None, -3, "[%eval #-3]"),
    ]


def test_numbers_are_signed_so_that_differences_can_be_below_zero(db):
    import pyarrow as pa

    schemas = [db.headers(stream=True).schema, db.moves().schema, db.fens().schema]
    numbers = [field for schema in schemas for field in schema if pa.types.is_integer(field.type)]
    assert len(numbers) > 4
    assert all(pa.types.is_signed_integer(field.type) for field in numbers), numbers
    assert (np.diff(db.search("result:1-0").numbers[::-1]) < 0).all()


def test_rows_stream_into_every_table_library_and_can_be_taken_again(files):
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    duckdb, pd = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    rows = tabiya.open(files["si4"], files["pgn"]).moves(("db", "game", "ply", "san", "clock"))
    table = rows.table()
    assert isinstance(table, pa.Table) and table.num_rows == 2 * 3933
    assert pl.DataFrame(rows).height == table.num_rows
    assert pd.DataFrame(table.to_pandas()).shape == (table.num_rows, 5)
    reader = rows.reader()  # noqa: F841, DuckDB finds it by name
    counted = duckdb.sql("select count(*), count(clock), count(distinct san) from reader")
    assert counted.fetchall() == [(table.num_rows, 0, len(set(table["san"].to_pylist())))]


def test_fens_are_the_positions_after_each_half_move(files):
    rows = tabiya.open(files["si4"]).fens("number:1").table()
    assert rows.column_names == ["game", "ply", "fen"]
    assert rows["fen"].to_pylist() == tabiya.open(files["si4"])[0].fens


def test_an_unknown_column_is_named(files):
    with pytest.raises(ValueError, match="`colour`"):
        tabiya.open(files["si4"]).moves(("san", "colour"))


def board_of(planes, turn):
    board = chess.Board(None)
    for piece in range(12):
        for rank in range(8):
            for file in range(8):
                if planes[piece, rank, file]:
                    kind = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN,
                            chess.KING)[piece % 6]
                    board.set_piece_at(chess.square(file, rank), chess.Piece(kind, piece < 6))
    board.turn = bool(turn)
    return board


def test_planes_are_the_positions_in_which_moves_are_made(db, read):
    batches = list(db.planes("number:1..5", batch=100))
    assert all(len(one["move"]) == 100 for one in batches[:-1])
    rows = {name: np.concatenate([one[name] for one in batches]) for name in batches[0]}
    at = 0
    for game in read[:5]:
        board = game.board()
        for move in game.mainline_moves():
            found = board_of(rows["planes"][at], rows["turn"][at])
            assert (found.board_fen(), found.turn) == (board.board_fen(), board.turn)
            number = int(rows["move"][at])
            promotion = [None, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN][number >> 12]
            assert chess.Move(number & 63, number >> 6 & 63, promotion) == move
            results = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
            assert rows["result"][at] == results.get(game.headers["Result"], 2)
            board.push(move)
            at += 1
    assert at == len(rows["move"])
    assert rows["planes"].dtype == np.uint8 and rows["planes"].shape[1:] == (12, 8, 8)


def test_planes_have_the_type_asked_for_and_bits_are_the_same_squares(files):
    db = tabiya.open(files["si4"])
    [floats] = db.planes("number:1", dtype="float32")
    [bits] = db.planes("number:1", dtype="bits")
    assert floats["planes"].dtype == np.float32
    squares = np.unpackbits(bits["planes"], axis=-1, bitorder="little").reshape(-1, 12, 8, 8)
    assert (squares == floats["planes"]).all()


def test_a_seed_shuffles_in_its_own_order_and_loses_nothing(files):
    db = tabiya.open(files["si4"], files["pgn"])

    def rows(seed):
        batches = list(db.planes(dtype="bits", batch=1000, seed=seed))
        return [p.tobytes() + m.tobytes() for one in batches
                for p, m in zip(one["planes"], one["move"])]

    plain, first, again, other = rows(None), rows(1), rows(1), rows(2)
    assert len(plain) == 2 * 3933
    assert first == again != other != plain
    assert sorted(first) == sorted(other) == sorted(plain)


def test_matches_come_in_the_order_of_columns_with_unknown_values_last(files):
    db = tabiya.open(files["si4"], files["dci"])
    matches = db.search(sort=["year:desc", "white"])
    years = [None if game.date[:4] == "????" else int(game.date[:4]) for game in matches]
    known = [year for year in years if year is not None]
    assert known == sorted(known, reverse=True) and set(years[len(known):]) <= {None}
    assert len(matches) == 182 and len(matches.numbers) == 182
    table = matches.headers(["game", "white", "year"])
    assert table["game"].to_pylist() == matches.numbers.tolist()
    assert table["year"].to_pylist() == years
    games = matches.moves(("game",)).table()["game"].to_pylist()
    order = [number for at, number in enumerate(games) if at == 0 or games[at - 1] != number]
    assert set(order) == set(matches.numbers.tolist()) and order[0] == matches[0].number


def test_positions_are_counted_in_one_pass(db):
    start = chess.Board().fen()
    after = chess.Board()
    after.push_san("e4")
    counts = db.positions([start, after.fen()])
    assert counts[1]["games"] == db.count(f'fen:"{after.fen()}"') == 47
    won = {"games": 34, "white": 34, "draws": 0, "black": 0}
    assert db.positions([after.fen()], "result:1-0") == [won]
    with pytest.raises(ValueError, match="nonsense"):
        db.positions(["nonsense"])


def test_damaged_games_give_their_rows_before_the_damage_and_are_counted(tmp_path):
    path = damaged(tmp_path)
    rows = tabiya.open(path).moves(("game", "san"))
    table = rows.table()
    assert rows.damaged > 0
    assert 3000 < table.num_rows < 3933
    assert sum(len(one["move"]) for one in tabiya.open(path).planes()) > 3000


def test_a_file_that_was_changed_underneath_is_an_error(tmp_path, files):
    path = tmp_path / "a.pgn"
    path.write_bytes(files["pgn"].read_bytes())
    db = tabiya.open(path)
    with open(path, "ab") as file:
        file.write(b'\n[White "new"]\n\n1. e4 *\n')
    with pytest.raises(tabiya.Error) as raised:
        db.search("at(check)")
        db.moves().table()
    assert raised.value.path is not None
