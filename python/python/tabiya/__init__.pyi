from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Union, overload

import numpy as np
import numpy.typing as npt

__all__ = [
    "Database", "DatabaseWarning", "Error", "Game", "Matches", "NotFoundError", "QueryError",
    "QueryWarning", "Rows", "Tree", "add", "convert", "edit", "index", "open", "remove", "repair", "undo",
]

_Path = Union[str, bytes, PathLike[str], PathLike[bytes]]
_Progress = Union[bool, Callable[[int, Union[int, None]], Any]]

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

class Game:
    __slots__ = ("_base", "_index", "ply")
    def __init__(self, base: Any, index: int, ply: int | None = None) -> None: ...
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
    def pgn(self) -> str: ...
    def to_python_chess(self) -> Any: ...
    def svg(self, ply: int | None = None) -> str: ...

class Matches:
    harmed: int
    damaged: int
    damaged_games: list[str]
    def __init__(self, found: list[Any], order: Any = None) -> None: ...
    @property
    def numbers(self) -> npt.NDArray[np.int64]: ...
    @property
    def plies(self) -> npt.NDArray[np.int32]: ...
    def sorted(self, keys: str | Sequence[str]) -> Matches: ...
    @overload
    def headers(
        self, columns: Sequence[str] | None = None, stream: Literal[False] = False
    ) -> Any: ...
    @overload
    def headers(
        self, columns: Sequence[str] | None = None, *, stream: Literal[True]
    ) -> Rows: ...
    def moves(self, columns: Sequence[str] | None = None) -> Rows: ...
    def fens(self) -> Rows: ...
    def planes(
        self, dtype: npt.DTypeLike = "uint8", batch: int = 8192, seed: int | None = None
    ) -> Iterator[dict[str, npt.NDArray[Any]]]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Game]: ...
    @overload
    def __getitem__(self, index: int) -> Game: ...
    @overload
    def __getitem__(self, index: slice) -> Matches: ...
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
    def schema(self) -> Any: ...
    def reader(self) -> Any: ...
    def table(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class Tree(list[dict[str, Any]]):
    def _repr_html_(self) -> str: ...

class Lines(list[dict[str, Any]]):
    damaged: int
    damaged_games: list[str]
    def __init__(self, native: Any) -> None: ...
    def pgn(self, games: bool = False) -> str: ...
    def book(self) -> bytes: ...
    def dot(self) -> str: ...
    def _repr_html_(self) -> str: ...

class Report:
    title: str
    games: int
    sections: list[dict[str, Any]]
    damaged: int
    damaged_games: list[str]
    def __init__(self, native: Any) -> None: ...
    def html(self) -> str: ...
    def markdown(self) -> str: ...

class Repertoire:
    games: list[dict[str, Any]]
    places: list[dict[str, Any]]
    gaps: list[dict[str, Any]]
    lines: list[dict[str, Any]]
    unplayed: list[dict[str, Any]]
    outside: int
    damaged: int
    damaged_games: list[str]
    damaged_lines: int
    def __init__(self, native: Any, db: Database, lines: Database, query: str) -> None: ...
    def pgn(self) -> str: ...
    def html(self) -> str: ...

class Database:
    def __init__(
        self, paths: list[str], opening: dict[str, Any], progress: _Progress = False
    ) -> None: ...
    @property
    def names_of_files(self) -> list[str]: ...
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
        only: str | None = None,
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
        color: str,
        query: str = "",
        gap: float = 0.05,
        min_games: int = 2,
        progress: _Progress = False,
    ) -> Repertoire: ...
    def stats(
        self, query: str = "", top: int = 10, eco_depth: int = 1, progress: _Progress = False
    ) -> dict[str, Any]: ...
    def names(self, text: str = "", kind: str = "player") -> list[dict[str, Any]]: ...
    def explain(self, query: str) -> list[dict[str, Any]]: ...
    def hints(self, query: str) -> list[dict[str, str | None]]: ...
    def positions(
        self, fens: Iterable[str], query: str = "", progress: _Progress = False
    ) -> list[dict[str, int]]: ...
    def index(self, columns: bool = False, progress: _Progress = False) -> None: ...
    def verify(self, progress: _Progress = False) -> list[dict[str, Any]]: ...
    @overload
    def headers(
        self,
        columns: Sequence[str] | None = None,
        query: str = "",
        stream: Literal[False] = False,
    ) -> Any: ...
    @overload
    def headers(
        self, columns: Sequence[str] | None = None, query: str = "", *, stream: Literal[True]
    ) -> Rows: ...
    def moves(self, columns: Sequence[str] | None = None, query: str = "") -> Rows: ...
    def fens(self, query: str = "") -> Rows: ...
    def planes(
        self,
        query: str = "",
        dtype: npt.DTypeLike = "uint8",
        batch: int = 8192,
        seed: int | None = None,
    ) -> Iterator[dict[str, npt.NDArray[Any]]]: ...

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
) -> dict[str, Any]: ...
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
) -> dict[str, Any]: ...
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
) -> dict[str, Any]: ...
