"""Positions as arrays, for training."""

from __future__ import annotations

import numpy as np

from ._ahead import ahead
from ._errors import tell_damage
from ._rows import named

GAMES = 512
# By column: its type, and the shape of what is told of a position.
COLUMNS = {
    "planes": (np.uint8, (12, 8)), "move": (np.uint16, ()), "turn": (np.uint8, ()),
    "result": (np.int8, ()), "elo": (np.int16, (2,)), "castling": (np.uint8, ()),
    "en_passant": (np.int8, ()), "ply": (np.int32, ()), "game": (np.int64, ()),
    "clock": (np.float32, (2,)), "eval": (np.float32, ()), "score": (np.float32, ()),
    "legal": (np.uint16, (218,)), "visits": (np.uint8, (218,)),
}
USUAL = ("planes", "move", "turn", "result", "elo")


def planes(matches, dtype, batch, seed, columns):
    """See ``Database.planes``."""
    if batch < 1:
        raise ValueError("a batch has at least one position")
    columns = named(columns, COLUMNS, USUAL)
    if not columns:
        raise ValueError(f"no column is asked for; there are {', '.join(COLUMNS)}")
    dtype = None if isinstance(dtype, str) and dtype == "bits" else np.dtype(dtype)
    if dtype is not None and dtype.kind not in "biuf":
        raise ValueError(f"planes are numbers, and not of the type {dtype}")
    rng = None if seed is None else np.random.default_rng(seed)
    return _batches(matches, columns, dtype, batch, rng)


def _batches(matches, columns, dtype, batch, rng):
    """Yields batches. With ``rng`` positions are taken at random from those of some hundred games
    and what the batches before have left."""

    def read(part):
        base, games = part
        read, done, damaged = base.planes(list(columns), games.tobytes())
        rows = {}
        for name in columns:
            kind, shape = COLUMNS[name]
            rows[name] = np.frombuffer(read[name], dtype=kind).reshape(-1, *shape)
        return (rows, damaged), ((base, games[done:]) if done < len(games) else None)

    first = columns[0]
    kept, count, all_damaged = [], 0, 0
    for rows, damaged in ahead(read, matches._parts(GAMES, rng)):
        all_damaged += damaged
        kept.append(rows)
        count += len(rows[first])
        if count < batch:
            continue
        rows = _joined(kept, columns, rng)
        whole = count - count % batch
        for start in range(0, whole, batch):
            yield _expanded({n: c[start:start + batch] for n, c in rows.items()}, dtype)
        kept = [{name: column[whole:].copy() for name, column in rows.items()}]
        count -= whole
    if count:
        yield _expanded(_joined(kept, columns, rng), dtype)
    tell_damage(all_damaged)


def _joined(kept, columns, rng):
    rows = {name: np.concatenate([one[name] for one in kept]) for name in columns}
    if rng is None:
        return rows
    order = rng.permutation(len(rows[columns[0]]))
    return {name: column[order] for name, column in rows.items()}


def _expanded(rows, dtype):
    if "turn" in rows:
        rows["turn"] = rows["turn"].astype(bool)
    if "planes" in rows and dtype is not None:
        bits = rows["planes"]
        squares = np.unpackbits(bits.reshape(-1), bitorder="little").reshape(*bits.shape, 8)
        rows["planes"] = squares.astype(dtype, copy=False)
    return rows
