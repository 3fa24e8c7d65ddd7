"""Query the chess databases you own, where they lie.

>>> import tabiya
>>> db = tabiya.open("games.si4")
>>> db.search("white:morphy at(mate)")[0].san
"""

from importlib.metadata import version as _version

from ._database import Database, Tree, open
from ._errors import DatabaseWarning, Error, NotFoundError, QueryError, QueryWarning
from ._files import add, convert, edit, index, remove, repair, undo
from ._game import Game, Variation
from ._matches import Matches
from ._reports import Lines, Repertoire, Report
from ._rows import Rows
from ._scan import scan
from ._sql import sql

__version__ = _version("tabiya")

__all__ = [
    "Database", "DatabaseWarning", "Error", "Game", "Lines", "Matches", "NotFoundError",
    "QueryError", "QueryWarning", "Repertoire", "Report", "Rows", "Tree", "Variation", "add",
    "convert", "edit", "index", "open", "remove", "repair", "scan", "sql", "undo",
]
