"""Replace a player's name in all that was written down, in deleted matches too.

Only columns that hold sentences are changed, and of JSON only the fields listed in `TEXTS`: a player may be called
`note`, or `\\1`. A name is replaced wherever it is not part of a longer word, upper and lower case as it is.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Select, Table, Text, bindparam, cast, select, update
from sqlalchemy.orm import Session

from referee.records.errors import Moved
from referee.records.models import DELETED_TOO, DETAILS, Base, Key, Match, Seat, new_nonce
from referee.records.tallies import note_change
from referee.rules.words import ENGLISH

EACH = "*"
"""In a path: every item of a list."""
Path = tuple[str, ...]
WHOLE: Sequence[Path] = ((),)
"""The column itself is a text."""
TEXTS: Mapping[str, Mapping[str, Sequence[Path]]] = {
    "seats": {"name_then": WHOLE},
    "matches": {
        **dict.fromkeys(DETAILS, WHOLE),
        "agreements": ((EACH, "note"), (EACH, "blank_effect"), (EACH, "custom_rules", EACH)),
    },
    "match_events": {"details": (("note",),)},
    "rulings": {"ruling": (("summary",), ("lead",), ("steps", EACH, "text")), "table_decided": WHOLE},
    "round_versions": {"entry": (("adjustments", EACH, "reason"),)},
    "keys": {"name": WHOLE},
}
"""Where a player may be named: the texts of each column, by table."""
_TABLES = Base.metadata.tables
_REASON = '%"reason"%'
"""What is entered for a round names nobody but in the reason of a correction."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
)
"""Letters of scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""


def without_names(text: str, names: Collection[str], stand_in: str) -> str:
    """Return a text in which `stand_in` stands for each of the names."""
    longest_first = sorted(names, key=len, reverse=True)
    return re.sub("|".join(map(_as_word, longest_first)), lambda _found: stand_in, text) if names else text


def _as_word(name: str) -> str:
    """Return a pattern for a name that is not part of a longer word; without blanks between words it may be."""
    letter = f"(?:(?![{_UNSPACED}])[\\w{_marks()}])"
    before, after = (re.match(letter, edge) is not None for edge in (name[0], name[-1]))
    return (f"(?<!{letter})" if before else "") + re.escape(name) + (f"(?!{letter})" if after else "")


@cache
def _marks() -> str:
    """Return all combining marks, as ranges of a character class: they continue a word."""
    marks = (code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)).startswith("M"))
    ranges = []
    for _, run in groupby(enumerate(marks), lambda pair: pair[1] - pair[0]):
        codes = [code for _, code in run]
        ranges.append(f"{chr(codes[0])}-{chr(codes[-1])}")
    return "".join(ranges)


def _changed(value: Any, path: Path, change: Callable[[str], str]) -> Any:
    """Return a value with the text at a path changed; what is not there stays as it is."""
    if not path:
        return change(value) if isinstance(value, str) else value
    if path[0] == EACH:
        return [_changed(item, path[1:], change) for item in value] if isinstance(value, list) else value
    if isinstance(value, dict) and path[0] in value:
        return value | {path[0]: _changed(value[path[0]], path[1:], change)}
    return value


@dataclass(frozen=True)
class Names:
    """A player's old names, overall and by match, and what replaces them."""

    everywhere: frozenset[str]
    at: Mapping[str, frozenset[str]]
    new: str
    names_then: Mapping[str, str]
    """what the player is to be called at some of the matches where they sat, in place of `new`"""
    shorter: Sequence[str] = ()
    """what stands for `new` where a text would outgrow its column"""

    def changed(
        self,
        table: Table,
        row: Mapping[str, Any],
        match_id: str | None,
        player_id: str,
        texts: dict[str, tuple[str, str]] | None = None,
    ) -> dict[str, Any]:
        """Return the values of a row that change; each text that does is added to `texts`, as `Renaming`'s."""
        if table.name == Seat.__tablename__:
            name = self.names_then.get(row["match_id"], self.new)
            return {"name_then": name} if row["player_id"] == player_id and row["name_then"] != name else {}
        if table.name == Key.__tablename__ and row["recovers"]:
            return {}  # its name is ours, not a player's
        names = self.everywhere | self.at.get(match_id or "", frozenset())
        found = {}
        for column, paths in TEXTS.get(table.name, {}).items():
            language = row[column].get("language", ENGLISH) if column == "ruling" else ""
            longest = getattr(table.c[column].type, "length", None) or sys.maxsize

            def change(text: str, longest: int = longest, language: str = language) -> str:
                ways = (without_names(text, names, stand_in) for stand_in in (self.new, *self.shorter))
                new = next((way for way in ways if len(way) <= longest), text)
                if texts is not None and new != text:
                    texts[text] = new, language
                return new

            new = row[column]
            for path in paths:
                new = _changed(new, path, change)
            if new != row[column]:
                found[column] = new
        return found


@dataclass(frozen=True)
class Renaming:
    """All that is to change, and the state in which it was read."""

    values: Sequence[tuple[str, str, tuple[Any, ...], Any]]
    """table, column, primary key and new value"""
    states: Mapping[str, tuple[int, int]]
    """revision and nonce of each match that is touched"""
    texts: Mapping[str, tuple[str, str]]
    """each text that changes, with its new wording and the language it was said in; what people wrote has none

    Those of deleted matches are left out.
    """


def draft_renaming(session: Session, club_id: str, player_id: str, names: Names) -> Renaming:
    """Find everything in which a player is named, without writing anything."""
    values: list[tuple[str, str, tuple[Any, ...], Any]] = []
    texts: dict[str, tuple[str, str]] = {}
    touched = set()
    states = select(Match.id, Match.revision, Match.nonce, Match.deleted_at).where(Match.club_id == club_id)
    matches = {row.id: row for row in session.execute(states.execution_options(**DELETED_TOO))}
    for table, row, match_id in _rows(session, club_id):
        shown = match_id is None or matches[match_id].deleted_at is None
        changed = names.changed(table, row, match_id, player_id, texts if shown else None)
        values += [(table.name, column, _key(table, row), new) for column, new in changed.items()]
        if match_id is not None and (changed or row.get("player_id") == player_id):
            touched.add(match_id)
    return Renaming(
        sorted(values, key=itemgetter(0, 1)),
        {id: (matches[id].revision, matches[id].nonce) for id in touched},
        texts,
    )


def write_renaming(session: Session, club_id: str, drafted: Renaming) -> None:
    """Change what was drafted; raises `Moved` when something has changed since. The club is locked."""
    states = select(Match.id, Match.revision, Match.nonce).where(Match.club_id == club_id)
    ordered = states.order_by(Match.id).with_for_update().execution_options(**DELETED_TOO)
    locked = session.execute(ordered) if drafted.states else ()
    found = {id: (revision, nonce) for id, revision, nonce in locked if id in drafted.states}
    if found != drafted.states:
        raise Moved
    connection = session.connection()
    for (name, column), some in groupby(drafted.values, key=itemgetter(0, 1)):
        table = _TABLES[name]
        own = [one == bindparam(f"key_{at}") for at, one in enumerate(table.primary_key)]
        given = [{f"key_{at}": part for at, part in enumerate(key)} | {"new": new} for _, _, key, new in some]
        connection.execute(update(table).where(*own).values({column: bindparam("new")}), given)
    _touch(session, club_id, drafted.states)
    session.expire_all()


def _touch(session: Session, club_id: str, match_ids: Iterable[str]) -> None:
    """Make every reader of these matches see that they changed."""
    table = _TABLES[Match.__tablename__]
    own = update(table).where(table.c.club_id == club_id, table.c.id == bindparam("match"))
    given = [{"match": id, "drawn": new_nonce()} for id in match_ids]
    if given:
        note_change(session, club_id)
        values = {"revision": table.c.revision + 1, "nonce": bindparam("drawn"), "summed": table.c.summed + 1}
        session.connection().execute(own.values(values), given)


def _rows(session: Session, club_id: str) -> Iterator[tuple[Table, Mapping[str, Any], str | None]]:
    """Yield the rows of a club that may name someone, each with its match."""
    for name, columns in TEXTS.items():
        table = _TABLES[name]
        wanted = {*table.primary_key, *(table.c[column] for column in columns)}
        wanted |= {table.c[column] for column in ("match_id", "player_id", "recovers") if column in table.c}
        chosen: Select[Any] = select(*sorted(wanted, key=lambda column: column.name)).where(table.c.club_id == club_id)
        if name == "round_versions":
            rounds = _TABLES["rounds"]
            same = (rounds.c.club_id == table.c.club_id) & (rounds.c.id == table.c.round_id)
            chosen = chosen.join(rounds, same).add_columns(rounds.c.match_id)
            chosen = chosen.where(cast(table.c.entry, Text).like(_REASON))
        for row in session.connection().execute(chosen).mappings():
            yield table, dict(row), row["id"] if name == "matches" else row["match_id"]


def _key(table: Table, row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[column.name] for column in table.primary_key)
