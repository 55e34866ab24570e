"""Texts that people wrote: where they stand, which of them name a player, and how they are taken out whole.

A name is never replaced inside a text, since no program can tell who is meant: the text is taken out as a whole, and
its words stand apart (`RemovedText`) until the last who waits for them is restored, or the first is purged.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Table, cast, null, select
from sqlalchemy import Text as TextType
from sqlalchemy.orm import Session

from referee.records.models import DETAILS, Base, Club, KeyRole, Player, RemovedText, RulebookText, Seat
from referee.records.names import LONGEST_DECISION, LONGEST_LINE, LONGEST_NAME, LONGEST_NOTE
from referee.records.words import say
from referee.rules.books.agreeing import LONGEST_TEXT
from referee.rules.own.rulebook import LONGEST_RULE, LONGEST_TITLE
from referee.rules.scoring.round_entry import LONGEST_REASON
from referee.rules.text.words import ENGLISH, languages, speaking

TAKEN_OUT: Mapping[str, Mapping[str, int]] = {
    "clubs.name": {"": LONGEST_NAME},
    "keys.name": {"": LONGEST_NAME},
    "seasons.name": {"": LONGEST_LINE},
    "evenings.name": {"": LONGEST_LINE},
    "evenings.plan": {"/blank_effect": LONGEST_TEXT, "/custom_rules/*": LONGEST_TEXT},
    "own_rulebooks.document": {
        "/title": LONGEST_TITLE,
        "/clauses/*": LONGEST_RULE,
        "/clauses/*/title": LONGEST_TITLE,
        "/clauses/*/text": LONGEST_RULE,
    },
    **{f"matches.{name}": {"": longest} for name, longest in DETAILS.items()},
    "matches.agreements": {
        "/*/note": LONGEST_NOTE,
        "/*/blank_effect": LONGEST_TEXT,
        "/*/custom_rules/*": LONGEST_TEXT,
    },
    "match_events.details": {"/note": LONGEST_NOTE},
    "rulings.table_decided": {"": LONGEST_DECISION},
    "round_versions.entry": {"/adjustments/*/reason": LONGEST_REASON},
}
"""What people write about a table, in columns and at paths of their JSON, with the most characters that each takes.

A text with a deleted name is taken out of its place as a whole. `tests/web/test_deleted_texts.py` says of every other
column of texts what a deletion does with it.
"""
_TABLES = Base.metadata.tables
_SAME = str.maketrans({"ı": "i"} | dict.fromkeys("\N{COMBINING DOT ABOVE}\xad\u200b\u200c\u200d\u2060"))
"""What lowercase leaves of a Turkish i, and joiners that nobody sees: a name may be written with them or without."""
NAMED_BY_PEOPLE = (KeyRole.SCOREKEEPER, KeyRole.SPECTATOR)
"""Roles of keys whose names people choose; links, boards and hands are named by us."""
FEW = 2
"""Letters of a name that is too short to take a text out by itself: it may be any word."""


# -- names in texts ----------------------------------------------------------------------------------------------------


def fold_text(text: str) -> str:
    """Return the form in which names are looked for: whatever case or width the letters have, and without joiners."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_SAME)


class NameFinder:
    """Finds any of some names in texts, in a time that grows with the text and not with the number of names."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, bool] = {}
        """folded names, and whether each is long enough to take a text out"""
        for name in names:
            if folded := fold_text(name):
                self._names[folded] = len(name) > FEW or self._names.get(folded, False)
        self._lengths = sorted({len(name) for name in self._names})

    def spans(self, folded: str) -> Iterator[tuple[int, int, bool]]:
        """Yield where each name in a folded text begins and ends, and whether it stands free there."""
        for length in self._lengths:
            for start in range(len(folded) - length + 1):
                end = start + length
                if folded[start:end] in self._names:
                    yield start, end, not (_goes_on(folded[start - 1 : start]) or _goes_on(folded[end : end + 1]))

    def find_in(self, text: str) -> bool | None:
        """Return None where no name is in a text, else whether one that is long enough stands free there."""
        folded, found = fold_text(text), None
        for start, end, free in self.spans(folded):
            found = free and self._names[folded[start:end]]
            if found:
                break
        return found


def _goes_on(letter: str) -> bool:
    """Return whether a character beside a name makes it a part of a longer word."""
    return letter.isalnum() or unicodedata.category(letter or " ").startswith("M")


def names_of(session: Session, player: Player) -> frozenset[str]:
    """Return every name of a player: the present one, those of old matches, and those merged into it."""
    seats = select(Seat.name_then).where(Seat.club_id == player.club_id, Seat.player_id == player.id)
    merged = select(Player.name).where(Player.club_id == player.club_id, Player.merged_into == player.id)
    return frozenset({player.name, *session.scalars(seats), *session.scalars(merged)})


# -- what stands in a place --------------------------------------------------------------------------------------------


def placeholder(club: Club) -> str:
    """Return what stands in the place of a text that was taken out, in the club's language."""
    return _placeholder_in(club.language if club.language in languages() else ENGLISH)


def is_removed(text: str | None) -> bool:
    """Return whether a text stands for one that was taken out, in any language; forms show it empty."""
    return any(text == _placeholder_in(code) for code in languages())


@cache
def _placeholder_in(code: str) -> str:
    with speaking(code):
        return say("deleted.text")


def texts_at(value: Any, pattern: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of a column's value at a path, each with its own path; `*` is every item of a list."""
    if not pattern:
        if isinstance(value, str):
            yield "", value
        return
    part, slash, rest = pattern[1:].partition("/")
    if part == "*":
        items: Iterable[tuple[Any, Any]] = enumerate(value) if isinstance(value, list | tuple) else ()
    else:
        items = [(part, value[part])] if isinstance(value, dict) and part in value else ()
    for key, item in items:
        yield from ((f"/{key}{path}", text) for path, text in texts_at(item, slash + rest))


class Column(NamedTuple):
    """One value of a club in which people's words stand."""

    place: str
    """table, primary key without the club's id, and column: so the places in it begin"""
    match_id: str | None
    value: Any

    @property
    def texts(self) -> Iterator[tuple[str, str, int]]:
        """Yield each text, with its place and the most characters that this takes."""
        table, _, column = self.place.split("/")
        for pattern, most in TAKEN_OUT[f"{table}.{column}"].items():
            yield from ((self.place + path, text, most) for path, text in texts_at(self.value, pattern))

    def at(self, place: str) -> Any:
        """Return what stands at a place; None where there is nothing."""
        value = self.value
        for part in place.split("/")[3:]:
            try:
                value = value[int(part)] if isinstance(value, list) else value[part]
            except (LookupError, TypeError, ValueError):
                return None
        return value

    def changed(self, place: str, text: Any) -> Column:
        """Return the column with another text at a place."""

        def change(value: Any, path: Sequence[str]) -> Any:
            if not path:
                return text
            if isinstance(value, list | tuple):
                at = int(path[0])
                return [*value[:at], change(value[at], path[1:]), *value[at + 1 :]]
            return value | {path[0]: change(value[path[0]], path[1:])}

        return self._replace(value=change(self.value, place.split("/")[3:]))


def columns_of(session: Session, club_id: str) -> Iterator[Column]:
    """Yield everything of a club in which people's words stand, that of deleted matches too."""
    versions, rounds = _TABLES["round_versions"], _TABLES["rounds"]
    for name in TAKEN_OUT:
        table, column = _TABLES[name.split(".")[0]], name.split(".")[1]
        key = [each for each in table.primary_key if each.name != "club_id"]
        match_id = table.c.id if table.name == "matches" else table.c.get("match_id", cast(null(), TextType))
        match_id = rounds.c.match_id if table is versions else match_id
        chosen = select(table.c[column], match_id, *key).select_from(table)
        chosen = chosen.where((table.c.id if table.name == "clubs" else table.c.club_id) == club_id)
        if table.name == "keys":  # else its name is ours
            chosen = chosen.where(table.c.role.in_(NAMED_BY_PEOPLE), table.c.recovers.is_(False))
        if table is versions:
            same = (rounds.c.club_id == table.c.club_id) & (rounds.c.id == table.c.round_id)
            chosen = chosen.join(rounds, same).where(cast(table.c.entry, TextType).like('%"reason"%'))
        for value, match, *own in session.connection().execute(chosen):
            yield Column(f"{table.name}/{':'.join(map(str, own))}/{column}", match, value)


def row_at(club_id: str, place: str) -> tuple[Table, str, Mapping[str, Any]]:
    """Return the table and the column of a place, and the primary key of its row."""
    name, key, column, *_ = place.split("/")
    own = [each for each in _TABLES[name].primary_key if each.name != "club_id"]
    parts = {one.name: one.type.python_type(part) for one, part in zip(own, key.split(":"), strict=True)}
    return _TABLES[name], column, parts | ({} if name == "clubs" else {"club_id": club_id})


def load_column(session: Session, club_id: str, row: RemovedText) -> Column | None:
    """Load the column in which a text stood that was taken out; None where its row is gone."""
    table, name, key = row_at(club_id, row.place)
    found = session.connection().execute(select(table.c[name]).filter_by(**key)).one_or_none()
    return None if found is None else Column("/".join(row.place.split("/")[:3]), row.match_id, found[0])


@dataclass(frozen=True)
class Text:
    """A text that a player's name is in, or may be in."""

    id: str
    """its place, as `RemovedText.place`"""
    column: Column
    words: str
    """what people wrote"""
    ticked: bool
    """whether the name stands free in it, so that it is taken out unless somebody decides otherwise"""
    apart: bool
    """whether it was taken out before, with another name; its words are shown nowhere"""
    most: int
    """characters that its place takes"""

    @property
    def match_id(self) -> str | None:
        """Return the match it belongs to, deleted or not; None for a text of the club."""
        return self.column.match_id

    @property
    def kind(self) -> str:
        """Return what kind of text it is: table and field, as ``matches.custom_rules`` or ``keys.name``."""
        table, _, column, *path = self.id.split("/")
        return f"{table}.{next((part for part in reversed(path) if not part.isdigit()), column)}"


def find_texts(
    session: Session,
    player: Player,
    pause: Callable[[], object] = lambda: None,
    apart: Mapping[str, RemovedText] | None = None,
) -> Sequence[Text]:
    """List the texts that a player's name is in: first those in which it stands free, which are ticked.

    `pause` is called between texts; pass `apart` where it was loaded. Nothing is written.
    """
    names, texts = NameFinder(names_of(session, player)), []
    apart = load_apart(session, player.club_id) if apart is None else apart
    for column in columns_of(session, player.club_id):
        for place, text, most in column.texts:
            pause()
            row = apart.get(place)
            row = row if row is not None and row.instead == text else None
            named = {names.find_in(each) for each in ((text, row.words) if row else (text,))}
            if named != {None}:
                words = row.words if row else text
                texts.append(Text(place, column, words, True in named, row is not None, most))
    return sorted(texts, key=lambda listed: not listed.ticked)


def load_apart(session: Session, club_id: str) -> Mapping[str, RemovedText]:
    """Load the texts of a club that stand apart, by place."""
    rows = session.scalars(select(RemovedText).where(RemovedText.club_id == club_id))
    return {row.place: row for row in rows}


def carry_over(session: Session, club_id: str, old: Column, new: Column) -> None:
    """Let what was copied in place of removed texts return with them: from a column's value into another's.

    Of several such texts the first is taken for the first, and so on.
    """
    pairs = dict[str, str]()
    table, _, name = old.place.split("/")
    for pattern in TAKEN_OUT[f"{table}.{name}"]:
        before, after = (
            [column.place + path for path, text in texts_at(column.value, pattern) if is_removed(text)]
            for column in (old, new)
        )
        pairs |= {earlier: other for earlier, other in zip(before, after, strict=False) if earlier != other}
    if not pairs:
        return
    chosen = select(RemovedText).where(RemovedText.club_id == club_id, RemovedText.place.in_(pairs))
    for row in session.scalars(chosen).all():
        same = {"words": row.words, "instead": row.instead, "waits_for": row.waits_for}
        session.merge(RemovedText(club_id=club_id, place=pairs[row.place], match_id=new.match_id, **same))
    session.flush()


def find_staying(session: Session, player: Player, pause: Callable[[], object] = lambda: None) -> Sequence[str]:
    """List by title the rulebooks that matches froze with a player's name in them: they stay as they were agreed on."""
    names, titles = NameFinder(names_of(session, player)), dict[str, None]()
    documents = select(RulebookText.document).where(RulebookText.club_id == player.club_id)
    frozen = documents.where(cast(RulebookText.document, TextType).like('%"base"%')).order_by(RulebookText.digest)
    for document in session.scalars(frozen):
        pause()
        own = [clause for clause in document["clauses"] if clause["id"].startswith("own-")]
        texts = [document["title"], *(text for clause in own for text in (clause.get("title", ""), clause["text"]))]
        if document.get("base") and any(names.find_in(text) is not None for text in texts):
            titles[document["title"]] = None
    return list(titles)
