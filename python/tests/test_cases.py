"""The files that people really have, ``tests/cases``, give the games that the library gives."""

import pathlib

import pytest
import tabiya

CASES = pathlib.Path(__file__).resolve().parents[2] / "tests/cases"


def cases():
    lines = (CASES / "answers.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if not line.startswith("#"):
            file, query, games, lacking = (field.strip() for field in line.split("|"))
            yield file, query, [int(game) for game in games.split()], lacking.split()


@pytest.mark.parametrize("suffix", ["pgn", "si4", "si5", "cbh", "2cbh", "dci"])
def test_peoples_files_give_the_right_games(suffix, tmp_path):
    bases = {}
    for file, query, games, lacking in cases():
        if file not in bases:
            path = CASES / file
            if suffix != "pgn":
                path = (tmp_path / file).with_suffix(f".{suffix}")
                tabiya.convert(CASES / file, path)
            bases[file] = tabiya.open(path)
        if suffix not in lacking:
            assert bases[file].search(query).numbers.tolist() == games, (file, query)
