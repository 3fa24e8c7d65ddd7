"""Measures the package: `python measure.py GAMES.si4 [GAMES.pgn]`. A database with a sidecar, and a
PGN file for the comparison with python-chess, of which it reads the first 300 games."""

import sys
import time

import tabiya

FEN = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6"


def timed(what, work, runs=3):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        done = work()
        times.append(time.perf_counter() - start)
    print(f"{what}: {min(times):.4f} s (of {runs}), {done}")
    return min(times)


def positions(db, seed):
    count = 0
    for batch in db.planes(query="number:1..60000", seed=seed):
        count += len(batch["move"])
    return count


def of_database(path):
    import polars as pl

    db = tabiya.open(path)
    names = ["white", "black", "result", "year", "eco", "white_elo", "black_elo"]
    timed("headers into polars, seven columns", lambda: pl.from_arrow(db.headers(names)).shape)
    timed("headers into polars, all columns", lambda: pl.from_arrow(db.headers()).shape)
    timed("a position (compare: tabiya search --count)", lambda: len(db.search(f'fen:"{FEN}"')), 50)
    for seed in (None, 1):
        count = []
        seconds = timed(f"planes, seed {seed}", lambda: count.append(positions(db, seed)))
        print(f"  {count[0] / seconds / 1e6:.2f} million positions a second")
    rows = db.moves(("game", "ply", "san", "uci"), query="number:1..200000")
    timed("half-moves", lambda: sum(batch.num_rows for batch in rows.reader()), 1)


def of_pgn(path, games=300):
    import chess
    import chess.pgn

    db = tabiya.open(path)
    wanted = chess.Board(FEN).board_fen()

    def theirs():
        read, found = [], []
        with open(path, encoding="utf-8", errors="replace") as text:
            for number in range(1, games + 1):
                board = (game := chess.pgn.read_game(text)).board()
                is_found = board.board_fen() == wanted
                for move in game.mainline_moves():
                    board.push(move)
                    is_found |= board.board_fen() == wanted
                read.append([move.uci() for move in game.mainline_moves()])
                found += [number] * is_found
        return read, found

    def theirs_headers():
        with open(path, encoding="utf-8", errors="replace") as text:
            return sum(chess.pgn.read_headers(text) is not None for _ in range(games))

    check = []
    moves = timed("python-chess: main lines and a position", lambda: check.append(theirs()), 1)
    ours = timed("tabiya: the same main lines", lambda: len([db[n].moves for n in range(games)]))
    assert [db[n].moves for n in range(games)] == check[0][0]
    found = db.search(f'number:1..{games} board:"{wanted}" ').numbers.tolist()
    assert found == check[0][1]
    search = timed("tabiya: the position", lambda: db.count(f'number:1..{games} fen:"{FEN}"'))
    print(f"  main lines {moves / ours:.0f} times, a position {moves / search:.0f} times")
    headers = timed("python-chess: headers", theirs_headers, 1)
    ours = timed("tabiya: headers", lambda: db.headers(query=f"number:1..{games}").num_rows)
    print(f"  headers {headers / ours:.0f} times")


of_database(sys.argv[1])
if len(sys.argv) > 2:
    of_pgn(sys.argv[2])
