"""Positions as arrays, for training."""

from __future__ import annotations

import numpy as np

from ._ahead import ahead

GAMES = 512
SHAPES = {"planes": (np.uint8, (12, 8)), "move": (np.uint16, ()), "turn": (np.uint8, ()),
          "result": (np.int8, ()), "elo": (np.int16, (2,))}


def planes(matches, dtype, batch, seed):
    """See ``Database.planes``."""
    if batch < 1:
        raise ValueError("a batch has at least one position")
    dtype = None if dtype == "bits" else np.dtype(dtype)
    return _batches(matches, dtype, batch, None if seed is None else np.random.default_rng(seed))


def _batches(matches, dtype, batch, rng):
    def read(part):
        base, games = part
        columns, _ = base.planes(games.tobytes())
        return {
            name: np.frombuffer(column, dtype=kind).reshape(-1, *shape)
            for column, (name, (kind, shape)) in zip(columns, SHAPES.items())
        }

    kept = None
    for rows in ahead(read, matches._parts(GAMES, rng)):
        if kept is not None:
            rows = {name: np.concatenate([kept[name], rows[name]]) for name in rows}
        count = len(rows["move"])
        if rng is not None:
            order = rng.permutation(count)
            rows = {name: column[order] for name, column in rows.items()}
        whole = count - count % batch
        for start in range(0, whole, batch):
            yield _expanded({n: c[start:start + batch] for n, c in rows.items()}, dtype)
        kept = {name: column[whole:] for name, column in rows.items()}
    if kept is not None and len(kept["move"]):
        yield _expanded(kept, dtype)


def _expanded(rows, dtype):
    turn = rows["turn"].astype(bool)
    if dtype is None:
        return {**rows, "turn": turn}
    bits = rows["planes"]
    squares = np.unpackbits(bits.reshape(-1), bitorder="little").reshape(*bits.shape, 8)
    return {**rows, "turn": turn, "planes": squares.astype(dtype, copy=False)}
