"""The order of games by columns of their headers and by fields of queries."""

from __future__ import annotations

import re

import numpy as np

from . import _native
from ._rows import numbered

NAMES = ("white", "black", "winner", "loser", "event", "site", "round")
RESULTS = {"*": 0, "0-1": 1, "1/2-1/2": 2, "1-0": 3}
# The program's words for the same.
SYNONYMS = {"number": "game", "whiteelo": "white_elo", "blackelo": "black_elo",
            "eventdate": "event_date"}
TEXTS = (*NAMES, "db", "date", "event_date", "result", "eco", "opening")
# Besides the columns what queries have.
NUMBERS = ("game", "year", "month", "day", "white_elo", "black_elo", "plies", *(
    field for field in _native.sort_fields() if field not in (*TEXTS, *SYNONYMS, "year", "plies")))


def order(found, keys):
    """Returns the places of games in the order of keys, equal ones in the order that they have."""
    keys = [_read(key) for key in ([keys] if isinstance(keys, str) else keys)]
    places = np.arange(sum(len(games) for _, games, *_ in found))
    for name, is_descending in reversed(keys):
        values, is_known = _values(found, name)
        if is_descending:
            values = -values
        values = np.where(is_known, values, np.iinfo(np.int64).max)
        places = places[np.argsort(values[places], kind="stable")]
    return places


def _read(key):
    name, _, way = key.partition(":")
    name = SYNONYMS.get(name.lower(), name.lower())
    if name not in NUMBERS + TEXTS:
        known = ", ".join(NUMBERS + TEXTS)
        raise ValueError(f"games are not sorted by `{key}`; there are {known}")
    if way not in ("", "asc", "desc"):
        raise ValueError(f"`{way}` is no direction; `:desc` or `:asc` may follow `{name}`")
    return name, way == "desc"


def _values(found, name):
    """Returns numbers in the order of a column, and which are known."""
    if name == "db":
        return _ranked([(np.zeros(len(games), np.int64), [base.name()])
                        for base, games, *_ in found], name)
    if name == "game":
        numbers = [numbered(base, games) for base, games, *_ in found]
        values = np.concatenate([*numbers, np.empty(0, np.int64)])
        return values, np.ones(len(values), bool)
    read = [base.column(name, games.tobytes()) for base, games, *_ in found]
    columns = [(np.frombuffer(values, np.int32).astype(np.int64), texts) for values, texts in read]
    if name in TEXTS:
        return _ranked(columns, name)
    values = np.concatenate([values for values, _ in columns])
    # Only differences go below 0, and they not so far.
    unknown = np.iinfo(np.int32).min if name == "elodiff" else -1
    return values, values > unknown


def _ranked(columns, name):
    """Returns the ranks of texts instead of their places in lists, and which are known."""
    spelled = [_spelled(texts, name) for _, texts in columns]
    ranks = {text: rank for rank, text in enumerate(sorted({t for one in spelled for t in one}))}
    parts = []
    for (places, _), texts in zip(columns, spelled):
        # What is unknown is the last place.
        by_place = np.array([*(ranks[text] for text in texts), -1], np.int64)
        parts.append(by_place[places])
    values = np.concatenate(parts)
    return values, values >= 0


def _spelled(texts, name):
    """Returns texts as they are sorted: names without capitals and accents, rounds by the value of
    their numbers, and dates with what is unknown first."""
    if name in NAMES or name == "db":
        texts = _native.folded(texts)
    if name == "round":
        return [re.sub(r"\d+", lambda number: number[0].zfill(10), text) for text in texts]
    if name in ("date", "event_date"):
        return [text.replace("?", "0") for text in texts]
    return [RESULTS[text] for text in texts] if name == "result" else texts
