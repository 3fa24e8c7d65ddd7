"""Positions as a dataset of PyTorch. Needs the package ``torch``."""

from __future__ import annotations

from typing import Dict, Iterator, Optional, Sequence, Tuple

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from . import Matches
from .types import PlaneColumn


class Positions(IterableDataset):  # type: ignore[misc]
    """Batches of the positions of games, dicts of tensors: those of :meth:`tabiya.Matches.planes`,
    whose arguments it takes; unsigned numbers of 16 bits become int32.

    ``DataLoader(Positions(train, seed=1), batch_size=None, num_workers=4,
    multiprocessing_context="spawn")``: each worker reads games of its own, and every position comes
    once in an epoch. With a seed games and positions are shuffled, in each epoch in another way if
    :meth:`set_epoch` tells of it. :meth:`tabiya.Matches.split` divides games for training and
    testing.

    Args:
        shard: the number of this process, from 0, and of all processes that share the games.
    """

    def __init__(
        self,
        matches: Matches,
        dtype: str = "float32",
        batch: int = 8192,
        seed: Optional[int] = None,
        columns: Optional[Sequence[PlaneColumn]] = None,
        shard: Tuple[int, int] = (0, 1),
    ) -> None:
        self.matches, self.dtype, self.batch = matches, dtype, batch
        self.seed, self.columns, self.shard, self.epoch = seed, columns, shard, 0

    def set_epoch(self, epoch: int) -> None:
        """Says which epoch comes, before its first batch is taken."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[Dict[PlaneColumn, torch.Tensor]]:
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        process, processes = self.shard
        part = process * workers + number
        matches = self.matches[part::processes * workers]
        seed = None if self.seed is None else (self.seed, self.epoch, part)
        for batch in matches.planes(self.dtype, self.batch, seed, self.columns):
            # PyTorch computes little with unsigned numbers of 16 bits.
            wider = lambda column: column.astype(np.int32) if column.dtype == np.uint16 else column
            yield {name: torch.from_numpy(wider(column)) for name, column in batch.items()}
