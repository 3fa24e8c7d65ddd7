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
    dtype = None if isinstance(dtype, str) and dtype == "bits" else np.dtype(dtype)
    return _batches(matches, dtype, batch, None if seed is None else np.random.default_rng(seed))


def _batches(matches, dtype, batch, rng):
    """Yields batches. With ``rng`` positions are taken at random from those of some hundred games
    and what the batches before have left."""

    def read(part):
        base, games = part
        columns, done, _ = base.planes(games.tobytes())
        rows = {
            name: np.frombuffer(column, dtype=kind).reshape(-1, *shape)
            for column, (name, (kind, shape)) in zip(columns, SHAPES.items())
        }
        return rows, ((base, games[done:]) if done < len(games) else None)

    kept, count = [], 0
    for rows in ahead(read, matches._parts(GAMES, rng)):
        kept.append(rows)
        count += len(rows["move"])
        if count < batch:
            continue
        rows = _joined(kept, rng)
        whole = count - count % batch
        for start in range(0, whole, batch):
            yield _expanded({n: c[start:start + batch] for n, c in rows.items()}, dtype)
        kept = [{name: column[whole:].copy() for name, column in rows.items()}]
        count -= whole
    if count:
        yield _expanded(_joined(kept, rng), dtype)


def _joined(kept, rng):
    rows = {name: np.concatenate([one[name] for one in kept]) for name in SHAPES}
    if rng is None:
        return rows
    order = rng.permutation(len(rows["move"]))
    return {name: column[order] for name, column in rows.items()}


def _expanded(rows, dtype):
    turn = rows["turn"].astype(bool)
    if dtype is None:
        return {**rows, "turn": turn}
    bits = rows["planes"]
    squares = np.unpackbits(bits.reshape(-1), bitorder="little").reshape(*bits.shape, 8)
    return {**rows, "turn": turn, "planes": squares.astype(dtype, copy=False)}
