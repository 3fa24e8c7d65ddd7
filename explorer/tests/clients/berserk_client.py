"""Asks the explorer with berserk, the Python client of Lichess, as it is.

Usage: berserk_client.py ADDRESS, of an explorer that serves fixtures/famous.si4.
"""

import sys

import berserk

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
OPEN = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
ALL_SPEEDS = ["ultraBullet", "bullet", "blitz", "rapid", "classical", "correspondence"]


def results(row):
    return row["white"], row["draws"], row["black"]


def moves(answer):
    return [(row["san"], *results(row)) for row in answer["moves"]]


def expect(found, wanted):
    assert found == wanted, f"{found!r} is not {wanted!r}"


def masters(explorer):
    start = explorer.get_masters_games()
    expect(results(start), (47, 2, 35))
    expect(moves(start)[:3], [("e4", 34, 1, 12), ("d4", 8, 0, 16), ("c4", 2, 0, 2)])
    expect(len(start["topGames"]), 15)
    expect(start, explorer.get_masters_games(position=START))

    line = ["e2e4", "e7e5"]
    bounded = explorer.get_masters_games(play=line, since=1900, until=1999, moves=2, top_games=1)
    expect(results(bounded), (6, 0, 1))
    expect(moves(bounded), [("Nf3", 4, 0, 1), ("Nc3", 1, 0, 0)])
    (game,) = bounded["topGames"]
    expect((game["uci"], game["winner"], game["year"]), ("g1f3", "white", 1988))
    expect((game["white"]["name"], game["black"]["name"]), ("Zapata, Alonso", "Anand, Viswanathan"))

    # A single game is told with its move, and castling is the king's way to its rook.
    vienna = bounded["moves"][1]["game"]
    expect(vienna["white"]["name"], "Pillsbury, Harry Nelson")
    expect(bounded["moves"][1]["opening"], None)
    evans = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 b2b4 c5b4 c2c3 b4a5 d2d4 e5d4".split()
    after = {row["san"]: row["uci"] for row in explorer.get_masters_games(play=evans)["moves"]}
    expect(after["O-O"], "e1h1")
    assert explorer.get_masters_games(play=[*evans, "e1h1"])["white"] > 0


def lichess(explorer):
    everything = explorer.get_lichess_games(position=OPEN, speeds=ALL_SPEEDS)
    expect(results(everything), results(explorer.get_masters_games(position=OPEN)))
    rated = explorer.get_lichess_games(
        variant="standard",
        position=START,
        play=["e2e4"],
        speeds=["blitz", "rapid", "classical"],
        ratings=["2200", "2500"],
        since="1950-01",
        until="2020-12",
        moves=3,
        top_games=2,
        recent_games=1,
        history=True,
    )
    expect(results(rated), (5, 0, 1))
    expect(len(rated["topGames"]), 2)
    (recent,) = rated["recentGames"]
    expect((recent["white"]["name"], recent["month"]), ("Carlsen, Magnus", "2016-11"))
    months = [(month["month"], *results(month)) for month in rated["history"]]
    expect(months[:2], [("1974-09", 1, 0, 0), ("1985-10", 0, 0, 1)])
    expect(sum(sum(month[1:]) for month in months), 6)
    assert "history" not in explorer.get_lichess_games(history=False)
    expect(explorer.get_lichess_games(since="2030-01")["moves"], [])


def player(explorer):
    lines = list(explorer.stream_player_games("Carlsen, Magnus", "white", history=True))
    expect(len(lines), 1)
    (answer,) = lines
    expect(results(answer), (2, 0, 0))
    expect(answer["queuePosition"], 0)
    (e4,) = answer["moves"]
    expect((e4["uci"], e4["averageOpponentRating"], e4["performance"]), ("e2e4", 2623, 3423))
    expect([game["month"] for game in answer["recentGames"]], ["2016-11", "2004-01"])

    black = explorer.get_player_games(
        "Morphy, Paul",
        "black",
        variant="standard",
        play=["e2e4"],
        speeds=["blitz"],
        ratings=["2500"],
        moves=1,
        recent_games=1,
        wait_for_indexing=True,
    )
    expect(results(black), (0, 0, 4))
    expect(moves(black), [("e5", 0, 0, 4)])
    expect([game["white"]["name"] for game in black["recentGames"]], ["Bird, Henry Edward"])
    # Nobody knows the ratings of these games, but clients count on numbers.
    expect(black["recentGames"][0]["black"]["rating"], 0)


def pgn(explorer):
    (game,) = explorer.get_masters_games(top_games=1)["topGames"]
    expect((game["white"]["rating"], game["black"]["rating"]), (2853, 2772))
    text = explorer.get_otb_master_game(game["id"])
    assert '[White "Carlsen, Magnus"]' in text and '[Date "2016.11.30"]' in text, text
    assert text.strip().endswith("1-0"), text


def faults(explorer):
    for ask, status in [
        (lambda: explorer.get_masters_games(play=["e2e5"]), 400),
        (lambda: explorer.get_masters_games(position="nonsense"), 400),
        (lambda: explorer.get_lichess_games(variant="antichess"), 400),
        (lambda: explorer.get_otb_master_game("nothing!"), 404),
    ]:
        try:
            ask()
        except berserk.exceptions.ResponseError as error:
            expect(error.status_code, status)
        else:
            raise AssertionError("no fault")


def main():
    explorer = berserk.Client(explorer_url=sys.argv[1]).opening_explorer
    for check in (masters, lichess, player, pgn, faults):
        check(explorer)
        print("ok", check.__name__)


if __name__ == "__main__":
    main()
