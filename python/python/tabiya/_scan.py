"""Databases as lazy tables of polars."""

from __future__ import annotations

import io
import json
import re

from . import _native
from ._database import Database, open
from ._errors import tell_damage
from ._matches import Matches
from ._rows import HEADERS, MATCH, MOVES

NUMBERS = {
    "game": "number", "year": "year", "white_elo": "whiteelo", "black_elo": "blackelo",
    "plies": "plies",
}
NAMES = ("white", "black", "event", "site", "round")
SIGNS = {"Eq": "=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
SWAPPED = {"Eq": "Eq", "Lt": "Gt", "LtEq": "GtEq", "Gt": "Lt", "GtEq": "LtEq"}
LISTED = 1000
TEXT = 1 << 15


def scan(source, query="", table="headers"):
    """Returns a ``polars.LazyFrame`` of the games of a query, or of their half-moves. With a query
    the games have the columns ``match_ply`` and ``match_fen``.

    Only the columns that are used are read. Conditions on ``game``, names, ``result``, ``year``,
    ``plies``, ratings and ``eco`` become part of the query, so that no other game is read;
    ``head`` ends reading. The frame can be collected several times. Its texts are of the type
    ``String``, those of :meth:`Database.headers` are categories.

    Args:
        source: a path or a list of them, or an open :class:`Database` or :class:`Matches`.
        query: only these games, for what polars has no words for: ``"at(check)"``.
        table: ``"headers"``, the columns of :meth:`Database.headers`, or ``"moves"``, those of
            :meth:`Database.moves`.

    Warns:
        DatabaseWarning: damaged games were met; their rows before the damage are there.
    """
    import polars as pl
    from polars.io.plugins import register_io_source

    if table not in ("headers", "moves"):
        raise ValueError(f"there is no table `{table}`; there are headers and moves")
    if isinstance(source, Matches):
        if query:
            raise ValueError("games that are found already are not searched: give the database")
        found = lambda _, limit: source[:limit]
    else:
        _native.advice(query)
        is_list = isinstance(source, (list, tuple))
        db = source if isinstance(source, Database) else open(*(source if is_list else [source]))
        found = lambda pushed, limit: db.search(
            f"({query}) ({pushed})" if query and pushed else query or pushed, limit=limit)

    def rows(matches, columns):
        is_moves = table == "moves"
        return matches.moves(columns) if is_moves else matches.headers(columns, stream=True)

    def framed(batch):
        frame = pl.from_arrow(batch)
        # Of categories polars knows no beginnings, and few orders.
        texts = [name for name, kind in frame.schema.items() if kind == pl.Categorical]
        return frame.cast({name: pl.String for name in texts})

    none = source[:0] if isinstance(source, Matches) else db.search(limit=0)
    names = MOVES if table == "moves" else HEADERS + MATCH if query else HEADERS
    schema = framed(rows(none, names).schema.empty_table()).schema

    def read(with_columns, predicate, n_rows, _):
        # With both, polars means the condition on the first rows.
        limit = n_rows if table == "headers" else None
        matches = found(pushed(predicate, table) if n_rows is None else "", limit)
        columns = schema.names() if with_columns is None else with_columns
        taken = rows(matches, columns)
        for batch in taken.reader():
            frame = framed(batch)
            if n_rows is not None:
                frame = frame.head(n_rows)
                n_rows -= len(frame)
            yield frame if predicate is None else frame.filter(predicate)
            if n_rows == 0:
                break
        tell_damage(taken.damaged)

    return register_io_source(read, schema=schema)


def pushed(predicate, table="headers"):
    """Returns a query that all games satisfy of which a row satisfies a condition of polars; empty
    if nothing is known of them. The condition is tested again on the rows."""
    if predicate is None:
        return ""
    try:
        # polars promises no form of this; what is not known is not pushed.
        node = json.loads(predicate.meta.serialize(format="json"))
        text = " or ".join(_any(node, table))
        _native.advice(text)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return ""
    return text if len(text) <= TEXT else ""


def _any(node, table):
    """Returns queries of which each row that satisfies a condition satisfies one; none if nothing
    is known. In one list, since nested brackets of queries have a limit."""
    (kind, inner), = node.items()
    if kind == "BinaryExpr":
        op, left, right = inner["op"], inner["left"], inner["right"]
        if op in ("And", "LogicalAnd"):
            known = [any_of for any_of in (_any(left, table), _any(right, table)) if any_of]
            texts = [one[0] if len(one) == 1 else f"({' or '.join(one)})" for one in known]
            return [" ".join(texts)] if texts else []
        if op in ("Or", "LogicalOr"):
            one, other = _any(left, table), _any(right, table)
            return one + other if one and other else []
        if "Column" in right:
            op, left, right = SWAPPED[op], right, left
        return _known(_compared(left["Column"], op, _value(right), table))
    if kind != "Function" or "Column" not in inner["input"][0]:
        return []
    column, function = inner["input"][0]["Column"], inner["function"]
    if function == {"StringExpr": "StartsWith"} and column == "eco":
        prefix = _value(inner["input"][1])[:3]
        return [f"eco:{prefix}"] if re.fullmatch("[A-E][0-9]{0,2}", prefix) else []
    boolean = function["Boolean"]
    if "IsBetween" in boolean:
        low, high = (_value(one) for one in inner["input"][1:])
        low, high = _compared(column, "GtEq", low, table), _compared(column, "LtEq", high, table)
        return _known(" ".join(text for text in (low, high) if text))
    if "IsIn" in boolean and not boolean["IsIn"].get("nulls_equal"):
        values = _listed(inner["input"][1])
        texts = [_compared(column, "Eq", value, table) for value in values]
        return texts if len(texts) <= LISTED and all(texts) else []
    return []


def _known(text):
    return [text] if text else []


def _compared(column, op, value, table):
    if table != "headers" and column != "game":
        return ""
    if column in NUMBERS:
        # Below 1, a query would mean what is unknown.
        is_fine = type(value) is int and 1 <= value < 2**31 and op in SIGNS
        return f"{NUMBERS[column]}{SIGNS[op]}{value}" if is_fine else ""
    if op != "Eq" or not isinstance(value, str):
        return ""
    if column in NAMES and value not in ("", "?") and value.isprintable():
        quoted = re.sub(r'([\\"*])', r"\\\1", value)
        return f'{column}="{quoted}"'
    if column == "result" and value in ("1-0", "0-1", "1/2-1/2", "*"):
        return f"result:{value}"
    if column == "eco" and re.match("[A-E][0-9]{2}", value):
        return f"eco:{value[:3]}"
    return ""


def _value(node):
    """Returns a number or a text."""
    (kind, value), = node["Literal"].items()
    return next(iter(value.values())) if kind in ("Scalar", "Dyn") else None


def _listed(node):
    """Returns the values of a list, which is written as a stream of Arrow."""
    import pyarrow as pa

    values = node["Literal"]["Scalar"]["List"]
    column = pa.ipc.open_stream(io.BytesIO(bytes(values))).read_all().column(0)
    return column.to_pylist()
