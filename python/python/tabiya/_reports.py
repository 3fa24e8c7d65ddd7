"""Lines, and reports that people read."""

from __future__ import annotations

from ._game import table


class Lines(list):
    """The moves that games play from a position, move after move: dicts with ``line`` (the moves
    up to this one), ``ply`` (from 1), ``move``, ``uci``, ``games``, ``of`` (those that have the
    position before the move), ``white``, ``draws``, ``black``, ``average_rating``,
    ``performance``, ``average_year``, ``opening``, and ``same_as``: the line that leads to the
    same position and has what follows, or ``None``.

    ``damaged`` is the number of games that could not be read, ``damaged_games`` says which, at most
    100."""

    def __init__(self, native):
        super().__init__(native.rows())
        self._native = native
        damage = native.damage()
        self.damaged, self.damaged_games = damage["damaged"], damage["damaged_games"]

    def pgn(self, games=False):
        """Returns one game with variations; with ``games`` a game for each line."""
        return self._native.pgn(games)

    def book(self):
        """Returns an opening book in PolyGlot's format, as bytes."""
        return self._native.book()

    def dot(self):
        """Returns the graph in the language DOT, which Graphviz draws."""
        return self._native.dot()

    def _repr_html_(self):
        titles = ("line", "games", "white", "draws", "black", "opening")
        rows = [["" if row[name] is None else row[name] for name in titles] for row in self]
        return table(titles, rows)


class Repertoire:
    """Games beside lines of your own. All figures are dicts with ``games``, ``white``, ``draws``
    and ``black``, the games of each result.

    ``games``: dicts with ``index`` (``db[index]`` is the game), ``left`` (who
    leaves the lines: ``"me"``, ``"opponent"``, ``"file ends"``, ``"game ends"``), ``ply`` (``None``
    if the game ends there), ``played``, ``answers`` (what the lines have there), ``line`` and
    ``fen``. ``places``: the same for all games that leave at one place, with the moves played as
    pairs of move and games. ``gaps``: replies that the lines do not answer, with ``of`` (games that
    have the position before) and ``in_file``. ``lines`` that are played to their end, ``unplayed``
    that never come. ``outside``: how many games have no position of the lines.

    ``damaged`` is the number of games that could not be read, ``damaged_games`` says which, at most
    100. ``damaged_lines``: games of your own that are damaged; what is sound of them counts."""

    def __init__(self, native, db, lines, query):
        self._native, self._query = native, query
        self._names, self._files = db.names_of_files, lines.names_of_files
        starts = [0, *db._ends]
        self.games = [{**row, "index": starts[row.pop("db")] + row["index"]}
                      for row in native.games()]
        self.places, self.gaps = native.places(), native.gaps()
        self.lines, self.unplayed = native.lines(), native.unplayed()
        self.outside = native.outside()
        damage = native.damage()
        self.damaged, self.damaged_games = damage["damaged"], damage["damaged_games"]
        self.damaged_lines = damage["damaged_lines"]

    def pgn(self):
        """Returns the lines with the gaps as variations; comments have games and score."""
        return self._native.pgn()

    def html(self):
        """Returns one page of HTML without scripts, with diagrams of the gaps."""
        games = ", ".join(self._names) + (f" that match {self._query}" if self._query else "")
        return self._native.html(games, ", ".join(self._files))

    def __repr__(self):
        return f"<Repertoire: {len(self.games)} games, {len(self.gaps)} gaps>"


class Report:
    """A report about a player or an opening. ``title``; ``games``, of how many it is;
    ``sections``: dicts with ``title``, ``note`` and ``rows``, each with ``label``, ``depth`` (in a
    tree of moves), ``query`` (which finds its games), ``games``, ``of``, ``won``, ``drawn``,
    ``lost`` (of the player; of White in an opening), ``lately``, ``fen``; and ``maps``, which
    say for a ``man`` how many games have it on each of the ``squares``, from a1, b1 to h8.

    ``damaged`` is the number of games that could not be read, ``damaged_games`` says which, at most
    100."""

    def __init__(self, native):
        self._native = native
        self.title, self.sections = native.title(), native.sections()
        damage = native.damage()
        self.games = damage["games"]
        self.damaged, self.damaged_games = damage["damaged"], damage["damaged_games"]

    def html(self):
        """Returns one page of HTML without scripts, in which each figure leads to its query."""
        return self._native.html()

    def markdown(self):
        """Returns the tables as Markdown."""
        return self._native.markdown()

    def __repr__(self):
        return f"<Report: {self.title}, {self.games} games, {len(self.sections)} tables>"
