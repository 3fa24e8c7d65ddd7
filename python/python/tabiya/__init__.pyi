from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Literal, Union, overload

import chess.pgn
import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.dataset

from ._native import Base
from .types import (
    Converted, ExplainRow, Gap, HeaderColumn, Hint, LeavingGame, LeavingPlace, LineRow, MoveColumn,
    NameRow, OwnLine, PlaneColumn, Repaired, Results, Section, Stats, TreeRow, Verified,
)

__version__: str

__all__ = [
    "Database", "DatabaseWarning", "Error", "Game", "Lines", "Matches", "NotFoundError",
    "QueryError", "QueryWarning", "Repertoire", "Report", "Rows", "Tree", "Variation", "add",
    "convert", "edit", "index", "open", "remove", "repair", "scan", "sql", "undo",
]

_Path = Union[str, bytes, PathLike[str], PathLike[bytes]]
_Progress = Union[bool, Callable[[int, Union[int, None]], object]]
_HeaderColumns = Union[HeaderColumn, Sequence[HeaderColumn], None]
_MoveColumns = Union[MoveColumn, Sequence[MoveColumn], None]
_PlaneColumns = Union[PlaneColumn, Sequence[PlaneColumn], None]
# Bools, and numbers of 8, 16, 32 and 64 bits.
_Column = npt.NDArray[Union[np.bool_, np.number]]
_Batches = Iterator[dict[PlaneColumn, _Column]]

class Error(Exception):
    kind: str
    path: Path | None
    offset: int | None
    game: int | None
    def __init__(
        self,
        message: str,
        kind: str = "Query",
        path: Path | None = None,
        offset: int | None = None,
        game: int | None = None,
    ) -> None: ...

class DatabaseWarning(UserWarning): ...

class QueryWarning(UserWarning): ...

class NotFoundError(Error, FileNotFoundError): ...

class QueryError(Error, ValueError):
    start: int
    end: int
    suggestion: str | None
    def __init__(
        self, message: str, start: int = 0, end: int = 0, suggestion: str | None = None
    ) -> None: ...

_Found = tuple[Base, npt.NDArray[np.uint32], npt.NDArray[np.int32], dict[str, object]]

class Game:
    __slots__ = ("_base", "_index", "ply")
    def __init__(self, base: Base, index: int, ply: int | None = None) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_svg_(self) -> str: ...
    def _repr_html_(self) -> str: ...
    ply: int | None
    @property
    def number(self) -> int: ...
    @property
    def database(self) -> str: ...
    @property
    def headers(self) -> dict[str, str]: ...
    @property
    def white(self) -> str: ...
    @property
    def black(self) -> str: ...
    @property
    def result(self) -> str: ...
    @property
    def date(self) -> str: ...
    @property
    def opening(self) -> str | None: ...
    @property
    def plies(self) -> int: ...
    @property
    def start(self) -> str | None: ...
    @property
    def moves(self) -> list[str]: ...
    @property
    def san(self) -> list[str]: ...
    @property
    def fens(self) -> list[str]: ...
    @property
    def comment(self) -> str: ...
    @property
    def comments(self) -> list[str]: ...
    @property
    def nags(self) -> list[list[int]]: ...
    @property
    def variations(self) -> list[Variation]: ...
    def pgn(self) -> str: ...
    def to_python_chess(self) -> chess.pgn.Game: ...
    def svg(self, ply: int | None = None) -> str: ...

class Variation:
    ply: int
    moves: list[str] = ...
    san: list[str] = ...
    comment: str = ""
    comments: list[str] = ...
    nags: list[list[int]] = ...
    variations: list[Variation] = ...
    def __init__(
        self,
        ply: int,
        moves: list[str] = ...,
        san: list[str] = ...,
        comment: str = "",
        comments: list[str] = ...,
        nags: list[list[int]] = ...,
        variations: list[Variation] = ...,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class Matches:
    harmed: int
    damaged: int
    damaged_games: list[str]
    def __init__(
        self, found: list[_Found], order: npt.NDArray[np.int64] | None = None
    ) -> None: ...
    @property
    def numbers(self) -> npt.NDArray[np.int64]: ...
    @property
    def indices(self) -> npt.NDArray[np.int64]: ...
    @property
    def plies(self) -> npt.NDArray[np.int32]: ...
    def sorted(self, keys: str | Sequence[str]) -> Matches: ...
    @overload
    def headers(
        self, columns: _HeaderColumns = None, stream: Literal[False] = False
    ) -> pa.Table: ...
    @overload
    def headers(
        self, columns: _HeaderColumns = None, *, stream: Literal[True]
    ) -> Rows: ...
    def moves(self, columns: _MoveColumns = None) -> Rows: ...
    def fens(self) -> Rows: ...
    def planes(
        self,
        dtype: npt.DTypeLike = "uint8",
        batch: int = 8192,
        seed: int | Sequence[int] | None = None,
        columns: _PlaneColumns = None,
    ) -> _Batches: ...
    def split(self, share: float, seed: int = 0) -> tuple[Matches, Matches]: ...
    def write(
        self,
        target: _Path,
        replace: bool = False,
        comments: bool = True,
        variations: bool = True,
        strict: bool = False,
        layout: str | None = None,
        progress: _Progress = False,
    ) -> Converted: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Game]: ...
    @overload
    def __getitem__(self, index: int) -> Game: ...
    @overload
    def __getitem__(
        self, index: slice | Sequence[int] | Sequence[bool] | npt.ArrayLike
    ) -> Matches: ...
    def __and__(self, other: Matches) -> Matches: ...
    def __sub__(self, other: Matches) -> Matches: ...
    def __or__(self, other: Matches) -> Matches: ...
    def _repr_html_(self, total: int | None = None) -> str: ...

class Rows:
    columns: tuple[str, ...]
    damaged: int
    def __init__(
        self,
        matches: Matches,
        columns: Sequence[str] | None,
        known: Sequence[str],
        usual: Sequence[str],
    ) -> None: ...
    @property
    def schema(self) -> pa.Schema: ...
    def reader(self) -> pa.RecordBatchReader: ...
    def table(self) -> pa.Table: ...
    def with_columns(self, columns: Sequence[str] | None) -> Rows: ...
    def dataset(self) -> pyarrow.dataset.Dataset: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class Tree(list[TreeRow]):
    def _repr_html_(self) -> str: ...

class Lines(list[LineRow]):
    damaged: int
    damaged_games: list[str]
    def __init__(self, native: object) -> None: ...
    def pgn(self, games: bool = False) -> str: ...
    def book(self) -> bytes: ...
    def dot(self) -> str: ...
    def _repr_html_(self) -> str: ...

class Report:
    title: str
    games: int
    sections: list[Section]
    damaged: int
    damaged_games: list[str]
    def __init__(self, native: object) -> None: ...
    def html(self) -> str: ...
    def markdown(self) -> str: ...

class Repertoire:
    games: list[LeavingGame]
    places: list[LeavingPlace]
    gaps: list[Gap]
    lines: list[OwnLine]
    unplayed: list[OwnLine]
    outside: int
    damaged: int
    damaged_games: list[str]
    damaged_lines: int
    def __init__(self, native: object, db: Database, lines: Database, query: str) -> None: ...
    def pgn(self) -> str: ...
    def html(self) -> str: ...

class Database:
    def __init__(
        self, paths: list[str], opening: dict[str, object], progress: _Progress = False
    ) -> None: ...
    @property
    def names_of_files(self) -> list[str]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Database: ...
    def __exit__(self, *_: object) -> None: ...
    def take(self, numbers: int | Sequence[int] | npt.NDArray[np.integer]) -> Matches: ...
    @property
    def notes(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Game]: ...
    @overload
    def __getitem__(self, index: int) -> Game: ...
    @overload
    def __getitem__(self, index: slice) -> Matches: ...
    def search(
        self,
        query: str = "",
        variations: bool = False,
        limit: int | None = None,
        sort: str | Sequence[str] | None = None,
        progress: _Progress = False,
    ) -> Matches: ...
    def count(
        self, query: str = "", variations: bool = False, progress: _Progress = False
    ) -> int: ...
    def tree(
        self,
        fen: str | None = None,
        moves: str | None = None,
        query: str = "",
        variations: bool = False,
        progress: _Progress = False,
    ) -> Tree: ...
    def lines(
        self,
        fen: str | None = None,
        moves: str | None = None,
        query: str = "",
        depth: int = 8,
        min_games: int | None = None,
        min_share: float = 0.0,
        only: Literal["white", "black"] | None = None,
        variations: bool = False,
        progress: _Progress = False,
    ) -> Lines: ...
    def report(
        self,
        player: str | None = None,
        opening: str | None = None,
        fen: str | None = None,
        moves: str | None = None,
        query: str = "",
        progress: _Progress = False,
    ) -> Report: ...
    def repertoire(
        self,
        lines: Database,
        color: Literal["white", "black"],
        query: str = "",
        gap: float = 0.05,
        min_games: int = 2,
        progress: _Progress = False,
    ) -> Repertoire: ...
    def stats(
        self, query: str = "", top: int = 10, eco_depth: int = 1, progress: _Progress = False
    ) -> Stats: ...
    def names(
        self, text: str = "", kind: Literal["player", "event", "site", "round"] = "player"
    ) -> list[NameRow]: ...
    def explain(self, query: str) -> list[ExplainRow]: ...
    def hints(self, query: str) -> list[Hint]: ...
    def positions(
        self, fens: Iterable[str], query: str = "", progress: _Progress = False
    ) -> list[Results]: ...
    def index(self, columns: bool = False, progress: _Progress = False) -> None: ...
    def verify(self, progress: _Progress = False) -> list[Verified]: ...
    @overload
    def headers(
        self,
        columns: _HeaderColumns = None,
        query: str = "",
        stream: Literal[False] = False,
    ) -> pa.Table: ...
    @overload
    def headers(
        self, columns: _HeaderColumns = None, query: str = "", *, stream: Literal[True]
    ) -> Rows: ...
    def moves(self, columns: _MoveColumns = None, query: str = "") -> Rows: ...
    def fens(self, query: str = "") -> Rows: ...
    def planes(
        self,
        query: str = "",
        dtype: npt.DTypeLike = "uint8",
        batch: int = 8192,
        seed: int | Sequence[int] | None = None,
        columns: _PlaneColumns = None,
    ) -> _Batches: ...

def open(
    path: _Path,
    *more: _Path,
    sidecar: bool = True,
    in_memory: bool = False,
    password: str | None = None,
    language: str = "all",
    encoding: str | None = None,
    progress: _Progress = False,
) -> Database: ...
def index(path: _Path, columns: bool = False, progress: _Progress = False) -> None: ...
def convert(
    sources: _Path | Iterable[_Path],
    target: _Path,
    query: str = "",
    replace: bool = False,
    comments: bool = True,
    variations: bool = True,
    limit: int | None = None,
    strict: bool = False,
    layout: str | None = None,
    password: str | None = None,
    language: str = "all",
    encoding: str | None = None,
    progress: _Progress = False,
) -> Converted: ...
def add(
    base: _Path,
    sources: _Path | Iterable[_Path],
    query: str = "",
    strict: bool = False,
    limit: int | None = None,
    password: str | None = None,
    language: str = "all",
    encoding: str | None = None,
    progress: _Progress = False,
) -> Converted: ...
def edit(
    base: _Path,
    query: str = "",
    set: Mapping[str, str] | None = None,
    flags: Mapping[str, bool] | None = None,
    rename: Iterable[tuple[str, str, str]] = (),
    progress: _Progress = False,
) -> int: ...
def remove(base: _Path, query: str, purge: bool = False, progress: _Progress = False) -> int: ...
def undo(base: _Path, progress: _Progress = False) -> bool: ...
def repair(
    source: _Path,
    target: _Path,
    replace: bool = False,
    password: str | None = None,
    encoding: str | None = None,
    progress: _Progress = False,
) -> Repaired: ...
def scan(
    source: _Path | Sequence[_Path] | Database | Matches,
    query: str = "",
    table: Literal["headers", "moves"] = "headers",
) -> pl.LazyFrame: ...
@overload
def sql(
    statement: str, *databases: _Path, program: str | None = None, stream: Literal[False] = False
) -> pa.Table: ...
@overload
def sql(
    statement: str, *databases: _Path, program: str | None = None, stream: Literal[True]
) -> pa.RecordBatchReader: ...
