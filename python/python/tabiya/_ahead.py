"""Work that is done ahead of who takes it."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor


def ahead(function, items):
    """Yields ``function(item)`` for each item, in their order. As many are worked at as there are
    processors: the native part releases the interpreter's lock."""
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        waiting = deque()
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for one in waiting:
                one.cancel()
