"""The notebook runs, with the small database of the repository."""

import json
import os
import pathlib

import pytest

NOTEBOOK = pathlib.Path(__file__).resolve().parents[1] / "examples" / "studies.ipynb"


def test_every_cell_of_the_notebook_runs(monkeypatch):
    pytest.importorskip("polars")
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(NOTEBOOK.parent)
    for name in ("TABIYA_GAMES", "TABIYA_LICHESS"):
        monkeypatch.delenv(name, raising=False)
    names = {}
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 8
    for one in code:
        exec(one, names)
    assert len(names["db"]) == 91
    assert str(os.getcwd()) not in NOTEBOOK.read_text(encoding="utf-8")
