"""Files that are written and changed."""

from __future__ import annotations

import os
import warnings

from . import _native
from ._progress import on_each


def named(paths):
    """Returns the databases that paths name, those of lists and patterns one by one. Warns of those
    in ChessBase's window that are left out."""
    for entry in (entry for path in paths for entry in _native.left_out(path)):
        warnings.warn(entry, stacklevel=3)
    return [os.fsdecode(one) for path in paths for one in _native.databases_named(path)]


def opening_of(sidecar=True, in_memory=False, password=None, language="all", encoding=None):
    return {"sidecar": sidecar, "in_memory": in_memory, "password": password, "language": language,
            "encoding": encoding}


def written(**chosen):
    """Returns how games are written."""
    return {"replace": False, "append": False, "comments": True, "variations": True, "limit": None,
            "strict": False, "layout": None, "opening": opening_of(), **chosen}


def index(path, columns=False, progress=False):
    """Makes or renews the file beside a database that makes positions immediate, without opening
    the database for anything else: see :meth:`Database.index`. PGN that unpacks to more than 2 GiB
    and is packed by zstd in frames, as the months of Lichess, is indexed in parts, and can then be
    opened.

    Args:
        path: the database; of patterns and lists all that they name.

    Raises:
        Error: the file cannot be written, or the format needs none.
    """
    work = lambda path, tell: _native.index(path, columns, opening_of(), tell)
    on_each(progress, "index", named([os.fsdecode(path)]), work)


def convert(sources, target, query="", replace=False, comments=True, variations=True, limit=None,
            strict=False, layout=None, password=None, language="all", encoding=None, progress=False):
    """Writes databases into a new one, in the format that the target's suffix names.

    Args:
        sources: a path, or a list of them.
        query: only games that match are written.
        replace: whether a database that is there is replaced.
        comments, variations: whether these are written.
        limit: the greatest number of games.
        strict: whether nothing may be lost: the first loss is an ``Error``, and nothing is written.
        layout: ``"1.0"`` or ``"1.1"`` of ``.dci``; ``"policy"``, ``"value"`` or ``"old-value"`` of
            ``.binpack``.
        encoding: as in :func:`open`, that of the sources.

    Returns:
        A dict: ``games`` written, ``unmatched`` by the query, ``skipped`` ones, which could not be
        read, with the first ``skipped_games`` (a text each), and ``losses``: what the new format
        cannot hold, dicts with ``what``, ``count`` and ``first_game``.

    Raises:
        Error: the target is there and not to be replaced, or is of no format that is written; a
            source cannot be read as a whole.
    """
    single = isinstance(sources, (str, bytes, os.PathLike))
    paths = named([os.fsdecode(one) for one in ([sources] if single else sources)])
    opening = opening_of(password=password, language=language, encoding=encoding)
    options = written(replace=replace, comments=comments, variations=variations, limit=limit,
                      strict=strict, layout=layout, opening=opening)
    work = lambda target, tell: _native.convert(paths, target, query, options, tell)
    return on_each(progress, "convert", [os.fsdecode(target)], work)[0]


def add(base, sources, query="", strict=False, limit=None, password=None, language="all",
        encoding=None, progress=False):
    """Adds the games of databases to the end of one, where it lies: all of them or none.

    Args:
        base: the database, ``.si4``, ``.si5``, ``.cbh``, ``.2cbh``, ``.dci`` or ``.pgn``. A sidecar
            beside it is refreshed; a ``Database`` of it that is open must be opened again.
        sources: a path, or a list of them. The rest is as for :func:`convert`.

    Returns:
        A dict, as :func:`convert` gives it.
    """
    single = isinstance(sources, (str, bytes, os.PathLike))
    paths = named([os.fsdecode(one) for one in ([sources] if single else sources)])
    opening = opening_of(password=password, language=language, encoding=encoding)
    options = written(append=True, limit=limit, strict=strict, opening=opening)
    work = lambda base, tell: _native.convert(paths, base, query, options, tell)
    return on_each(progress, "add", [os.fsdecode(base)], work)[0]


def edit(base, query="", set=None, flags=None, rename=(), progress=False):
    """Changes headers of games where they lie: of those that match, or of all.

    Args:
        set: new values by PGN tag, ``{"white": "Carlsen, Magnus", "tag.Source": "mine"}``; an empty
            text takes a field away.
        flags: flags by name, ``{"deleted": True}``.
        rename: ``("player", "from", "to")`` for each name; also of ``event``, ``site``, ``round``.

    Returns:
        The number of games that changed. :func:`undo` takes it back.

    Raises:
        ValueError: there is no such field, or the value is none for it.
        Error: a game could not be kept whole, or the database is damaged; nothing is changed.
    """
    change = {"set": list((set or {}).items()), "flags": list((flags or {}).items()),
              "rename": list(rename)}
    work = lambda base, tell: _native.edit(base, query, change, tell)
    return on_each(progress, "edit", [os.fsdecode(base)], work)[0]


def remove(base, query, purge=False, progress=False):
    """Marks the games that match as deleted, or leaves them out of the database with ``purge``.

    Returns:
        The number of games. :func:`undo` takes it back.
    """
    if not purge:
        return edit(base, query, flags={"deleted": True}, progress=progress)
    work = lambda base, tell: _native.purge(base, query, tell)
    return on_each(progress, "remove", [os.fsdecode(base)], work)[0]


def undo(base, progress=False):
    """Takes the last change of a database back. Returns whether there was one."""
    return on_each(progress, "undo", [os.fsdecode(base)], _native.undo)[0]


def repair(source, target, replace=False, password=None, encoding=None, progress=False):
    """Writes what can be read of a damaged database into a new one. The source is not changed.

    Returns:
        A dict: the ``games`` of the source, those that were ``sound``, ``harmed`` (something of
        them is lost) and ``lost``; ``texts`` that the new format cannot hold; ``notes`` on whole
        files, a text each; ``losses`` as :func:`convert` gives them.
    """
    work = lambda path, tell: _native.repair(
        path, os.fsdecode(target), replace, opening_of(password=password, encoding=encoding), tell
    )
    return on_each(progress, "repair", [os.fsdecode(source)], work)[0]
