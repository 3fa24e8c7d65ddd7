"""Walks games along the explorer's moves with python-chess, and counts again what it counts.

Usage: chess_walk.py ADDRESS PGN, of an explorer that serves a database with the games of the
PGN file. python-chess reads that file itself: it must find as many games in every position, and
every move and every game that the explorer names.
"""

import collections
import json
import sys
import urllib.parse
import urllib.request

import chess
import chess.pgn

PLIES = 30


def ask(address, path, **parameters):
    query = urllib.parse.urlencode(parameters)
    with urllib.request.urlopen(f"{address}{path}?{query}") as answer:
        return answer.read().decode()


def key(board):
    return board.board_fen(), board.turn


def count(path):
    """Returns the results of the games in each position, and after each of its moves."""
    positions = collections.defaultdict(collections.Counter)
    moves = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    starts = []
    with open(path, encoding="utf-8") as file:
        while game := chess.pgn.read_game(file):
            result = game.headers["Result"]
            board = game.board()
            if board.fen() == chess.STARTING_FEN:
                starts.append(list(game.mainline_moves()))
            seen = set()
            for move in game.mainline_moves():
                if key(board) not in seen:
                    positions[key(board)][result] += 1
                    moves[key(board)][board.san(move)][result] += 1
                seen.add(key(board))
                board.push(move)
            if key(board) not in seen:
                positions[key(board)][result] += 1
    return positions, moves, starts


def results(row):
    return row["white"], row["draws"], row["black"]


def counted(counter):
    return counter["1-0"], counter["1/2-1/2"], counter["0-1"]


def walk(address, board, choose, known):
    """Follows the explorer's moves from a position."""
    positions, moves = known
    for _ in range(PLIES):
        answer = json.loads(ask(address, "/masters", fen=board.fen(), moves=100, topGames=0))
        assert results(answer) == counted(positions[key(board)]), (board.fen(), answer)
        found = {}
        for row in answer["moves"]:
            move = board.parse_uci(row["uci"])
            assert move in board.legal_moves, (board.fen(), row)
            assert board.san(move) == row["san"], (board.fen(), row)
            found[row["san"]] = results(row)
        wanted = {san: counted(counter) for san, counter in moves[key(board)].items()}
        assert found == wanted, (board.fen(), found, wanted)
        if not found:
            return
        line = choose(answer["moves"])
        tree = json.loads(ask(address, "/api/tree", fen=board.fen(), play=line["uci"]))
        board.push_uci(line["uci"])
        assert key(chess.Board(tree["fen"])) == key(board), (tree["fen"], board.fen())
        assert chess.Board(tree["fen"]).legal_moves.count() == board.legal_moves.count()


def main():
    address, path = sys.argv[1:]
    positions, moves, starts = count(path)
    known = positions, moves
    walk(address, chess.Board(), lambda rows: rows[0], known)
    walk(address, chess.Board(), lambda rows: rows[-1], known)
    for game in starts[::7]:
        board = chess.Board()
        for move in game[:PLIES]:
            answer = json.loads(ask(address, "/lichess", fen=board.fen(), moves=100))
            assert results(answer) == counted(positions[key(board)]), board.fen()
            san = board.san(move)
            assert san in [row["san"] for row in answer["moves"]], (board.fen(), san)
            board.push(move)
        walk(address, board, lambda rows: rows[0], known)
    print("ok", len(positions), "positions known,", len(starts), "games")


if __name__ == "__main__":
    main()
