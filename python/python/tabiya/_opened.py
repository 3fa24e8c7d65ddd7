"""Open bases, so that games and results can be pickled: they are found again in this process, and
opened again in another."""

from __future__ import annotations

import copyreg
import os
import weakref
from functools import lru_cache

from . import _native
from ._errors import Error

# What is not held elsewhere is forgotten.
_opened: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
_origins: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def register(bases):
    """Notes bases that have just been opened, and returns them."""
    for base in bases:
        _origins[base] = _origin(base)
        _opened[_origins[base]] = base
    return bases


def _origin(base):
    """Returns where a base comes from: the path of its database, how it was opened, which part of a
    long file it is, and the state of its files."""
    path, opening, part, files = base.origin()
    files = tuple((os.path.abspath(path), size, changed) for path, size, changed in files)
    return os.path.abspath(path), tuple(sorted(opening.items())), part, files


def origin(base):
    """Returns what two bases have in common that are the same files, opened in the same way."""
    return _origins[base]


def files_of(base):
    """Returns the paths of the files of a base."""
    return [path for path, *_ in _origins[base][3]]


def _again(origin):
    base = _opened.get(origin)
    return _open(origin) if base is None else base


# Games that are sent to a process one by one come from the same few files.
@lru_cache(maxsize=8)
def _open(origin):
    path, opening, part, _ = origin
    parts = register(_native.Base.open(path, dict(opening), None))
    for base in parts:
        if _origins[base] == origin:
            return base
    message = f"{path} was changed since what is unpickled was found in it: search again"
    raise Error(message, "Changed", path)


copyreg.pickle(_native.Base, lambda base: (_again, (_origins[base],)))
