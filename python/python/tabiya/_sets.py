"""Games chosen by numbers, by masks, and as sets."""

from __future__ import annotations

import numpy as np

from ._opened import origin

NO_DAMAGE = {"harmed": 0, "damaged": 0, "damaged_games": []}


def chosen(index, length):
    """Returns places from a list of them, which may count from the end, or from a mask."""
    places = np.asarray(index)
    if places.dtype == bool:
        if places.shape != (length,):
            raise IndexError(f"a mask of {places.size} does not fit {length} games")
        return np.flatnonzero(places)
    if places.ndim != 1 or places.size and places.dtype.kind not in "iu":
        raise TypeError("games are chosen by an integer, a slice, a list of integers or a mask")
    _within(places, -length, length - 1, "index")
    places = places.astype(np.int64)
    return np.where(places < 0, places + length, places)


def taken(bases, numbers):
    """Returns the games with these numbers, from 1, in their order, as what was found."""
    places = np.atleast_1d(np.asarray(numbers))
    if places.ndim != 1 or places.size and places.dtype.kind not in "iu":
        raise TypeError("numbers of games are integers")
    _within(places, 1, sum(map(len, bases)), "game")
    places = places.astype(np.int64) - 1
    return _found(bases, places, np.full(len(places), -1, np.int32), {})


def _within(values, first, last, what):
    wrong = values[(values < first) | (values > last)]
    if wrong.size:
        raise IndexError(f"there is no {what} {wrong[0]}; there are {first} to {last}")


def _bases(matches):
    """Returns the bases, each once."""
    return list({origin(base): base for base, *_ in matches._found}.values())


def _places(matches, bases):
    """Returns where the games are among all of the bases."""
    starts = np.cumsum([0, *map(len, bases)])
    start = {origin(base): start for base, start in zip(bases, starts)}
    parts = (games.astype(np.int64) + start[origin(base)] for base, games, *_ in matches._found)
    return matches._joined(parts)


def places(matches):
    """Returns where the games are in their database, from 0."""
    return _places(matches, _bases(matches))


def chance(matches, seed):
    """Returns a number from 0 to 1 for each game, always the same for a game and a seed."""
    mixed = places(matches).astype(np.uint64)
    # The finalizer of splitmix64, in arithmetic that wraps.
    with np.errstate(over="ignore"):
        mixed = mixed + np.uint64(seed % 2**64) * np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) / 2**53


def both(one, other):
    """Returns the bases of results, and where the games of each are among all of them."""
    bases = _bases(one)
    if list(map(origin, bases)) != list(map(origin, _bases(other))):
        raise ValueError("the games are not of the same database")
    return bases, _places(one, bases), _places(other, bases)


def union(one, other):
    """Returns the games of the first, then those that only the second has, as what was found."""
    bases, first, second = both(one, other)
    is_new = ~np.isin(second, first)
    reports = {}
    for base, *_, report in one._found + other._found:
        count = lambda report: report["harmed"] + report["damaged"]
        known = reports.get(origin(base), NO_DAMAGE)
        # Both may have met the same damage.
        reports[origin(base)] = report if count(report) > count(known) else known
    plies = np.concatenate([one.plies, other.plies[is_new]])
    return _found(bases, np.concatenate([first, second[is_new]]), plies, reports)


def _found(bases, places, plies, reports):
    """Returns what was found, by base, and the order of it."""
    by_base = np.argsort(places, kind="stable")
    order = np.empty(len(places), np.int64)
    order[by_base] = np.arange(len(places))
    starts = np.cumsum([0, *map(len, bases)])
    ends = np.searchsorted(places[by_base], starts)
    found = []
    for base, start, begin, end in zip(bases, starts, ends, ends[1:]):
        some = by_base[begin:end]
        games = (places[some] - start).astype(np.uint32)
        found.append((base, games, plies[some], reports.get(origin(base), NO_DAMAGE)))
    return found, order
