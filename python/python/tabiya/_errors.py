"""The exceptions of the package."""

from __future__ import annotations

import warnings


class Error(Exception):
    """Something is wrong with a database or with what is asked of it.

    Attributes:
        kind: what went wrong, in one word: ``"Corrupt"``, ``"UnknownFormat"``, ...
        path: the file, or ``None``.
        offset: the byte of the file where it is wrong, from 0, or ``None``.
        game: the number of the game in its database, from 1, or ``None``.
    """

    def __init__(self, message, kind="Query", path=None, offset=None, game=None):
        super().__init__(message)
        self.kind, self.path, self.offset, self.game = kind, path, offset, game


class DatabaseWarning(UserWarning):
    """Something is odd about the files of a database, which was opened all the same: one is missing
    or ends too early, and there may be fewer games than it should have."""


def tell_damage(damaged):
    """Warns of damaged games whose rows were taken by somebody who sees no count of them."""
    if damaged:
        games = "1 damaged game was" if damaged == 1 else f"{damaged} damaged games were"
        told = f"{games} met: rows from the damage on are missing; Database.verify lists them"
        warnings.warn(told, DatabaseWarning, stacklevel=2)


class QueryWarning(UserWarning):
    """A query looks for words in names that probably mean something else. The message says what
    would ask for that; :meth:`Database.hints` gives it too."""


class NotFoundError(Error, FileNotFoundError):
    """A file is not there."""


class QueryError(Error, ValueError):
    """A query, a position or moves cannot be read. The message marks the place.

    Attributes:
        start, end: the faulty bytes of the text in UTF-8, from 0, the end excluded.
        suggestion: what was probably meant instead of them, or ``None``.
    """

    def __init__(self, message, start=0, end=0, suggestion=None):
        super().__init__(message)
        self.start, self.end, self.suggestion = start, end, suggestion
