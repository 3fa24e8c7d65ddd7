"""Progress of long work."""

from __future__ import annotations


class Teller:
    """Tells of work on several files as of one: what was done of the earlier ones counts."""

    def __init__(self, tell):
        self.tell = tell
        self.before = self.last = 0

    def next_file(self):
        """Begins with the work on a file; returns what the native part calls."""
        self.before += self.last
        self.last = 0
        return None if self.tell is None else self._told

    def _told(self, done, total):
        self.last = done if total is None else total
        self.tell(self.before + done, None if total is None else self.before + total)


def on_each(progress, what, bases, work):
    """Returns ``work(base, tell)`` of each file, with the progress of all of them told."""
    if not progress:
        teller, over = Teller(None), lambda: None
    elif callable(progress):
        teller, over = Teller(progress), lambda: None
    else:
        teller, over = _bar(what)
    try:
        return [work(base, teller.next_file()) for base in bases]
    finally:
        over()


def _bar(what):
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("progress=True shows a bar of tqdm: pip install tqdm") from None
    bar = tqdm(desc=what, unit_scale=True)

    def tell(done, total):
        bar.total = total
        bar.update(done - bar.n)

    return Teller(tell), bar.close
