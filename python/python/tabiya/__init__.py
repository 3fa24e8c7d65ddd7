"""Query the chess databases you own, where they lie.

>>> import tabiya
>>> db = tabiya.open("games.si4")
>>> db.search("white:morphy at(mate)")[0].san
"""

from ._database import Database, Matches, Tree, convert, open, repair
from ._errors import Error, QueryError
from ._game import Game

__all__ = [
    "Database", "Error", "Game", "Matches", "QueryError", "Tree", "convert", "open", "repair",
]
