"""Work that is done ahead of who takes it."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor


def ahead(function, items):
    """Yields ``function(item)`` for each item, in their order. As many are worked at as there are
    processors: the native part releases the interpreter's lock.

    The function returns what it made of an item and what it left of it, which is worked at before
    the next one is given, or ``None``."""
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        waiting = deque()

        def first():
            made, rest = waiting.popleft().result()
            yield made
            while rest is not None:
                made, rest = function(rest)
                yield made

        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > workers:
                    yield from first()
            while waiting:
                yield from first()
        finally:
            for one in waiting:
                one.cancel()
