"""Texts that people wrote: where they stand, which of them name a player, and how they are taken out whole.

A name is never replaced inside a text, since no program can tell who is meant: the text is taken out as a whole, and
its words stand apart (`RemovedText`) until the last who waits for them is restored, or the first is purged.
"""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from sqlalchemy import Integer, Select, Table, cast, func, null, select
from sqlalchemy import Text as TextType
from sqlalchemy.orm import Session

from referee.records.models import Base, Club, KeyRole, Player, RemovedText, RulebookText, Seat
from referee.records.names import LONGEST_DECISION, LONGEST_LINE, LONGEST_NAME, LONGEST_NOTE, fold_name
from referee.records.words import CATALOGUE
from referee.rules.books.agreeing import LONGEST_TEXT
from referee.rules.own.rulebook import LONGEST_RULE, LONGEST_TITLE
from referee.rules.scoring.round_entry import LONGEST_REASON
from referee.rules.text.words import languages, speaking

TAKEN_OUT: Mapping[str, Mapping[str, int]] = {
    "clubs.name": {"": LONGEST_NAME},
    "keys.name": {"": LONGEST_NAME},
    "own_rulebooks.document": {
        "/title": LONGEST_TITLE,
        "/clauses/*": LONGEST_RULE,
        "/clauses/*/title": LONGEST_TITLE,
        "/clauses/*/text": LONGEST_RULE,
    },
    "matches.name": {"": LONGEST_LINE},
    "matches.location": {"": LONGEST_LINE},
    "matches.note": {"": LONGEST_NOTE},
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

A text with a deleted name is taken out of its place as a whole.
"""
RENAMED: Mapping[str, str] = {
    "players.name": "the name itself, which becomes a stand-in",
    "players.folded_name": "follows the name",
    "players.deleted_name": "the name while it can be restored",
    "seats.name_then": "the name as it was then, which becomes the same stand-in",
    "seats.deleted_name": "that name while it can be restored",
    "rulings.ruling": "our sentences: heard again with the stand-in",
    "rulings.facts": "names as values of their own, as of who drew which card",
}
"""Names that are known by key, with what happens to them."""
UNTOUCHED: Mapping[str, str] = {
    "rulebook_texts.document": "known by its digest and played by: listed as what stays",
    "removed_texts.words": "texts that stand apart already; a deletion looks through them",
    "removed_texts.instead": "what stands in the place of such a text, and is looked through there",
    "idempotent_answers.body": "ids, in 0.1.0 whole answers: deleted with a name",
}
"""Columns in which no deletion changes anything though words are in them, with the reason."""
OURS: Mapping[str, str] = {
    "club_imports": "club_id id made",
    "clubs": "id unrated_from import_id language",
    "deletions": "club_id id kind with_id",
    "idempotent_answers": "club_id key request_digest",
    "invitations": "club_id id role digest created_by used_by revoked_with",
    "keys": "club_id id role digest match_id opened_by revoked_with",
    "match_events": "club_id id match_id kind by",
    "match_results": "club_id match_id player_id scale met",
    "match_sums": "club_id player_id scale match_id last_cards",
    "matches": "club_id id status ended_by rulebook tally rematch_of created_by",
    "open_hands": "club_id match_id cards entered_by",
    "open_rounds": "club_id match_id opened_by",
    "own_rulebooks": "club_id id changed_by share_id share_digest shared_by",
    "players": "club_id id merged_into marker",
    "removed_texts": "club_id place match_id waits_for",
    "round_scores": "club_id match_id player_id last_card scale",
    "round_versions": "club_id round_id entered_by score",
    "rounds": "club_id id match_id",
    "rulebook_texts": "club_id digest",
    "rulings": "club_id id match_id dispute rulebook_digest seats finding given_by",
    "seats": "club_id match_id player_id stays",
}
"""Columns of ids, codes, cards and numbers, by table; with the three above these are all columns of texts and JSON."""

_TABLES = Base.metadata.tables
_BY_TABLE: Mapping[Table, Sequence[str]] = {
    _TABLES[table]: [name.split(".")[1] for name in names]
    for table, names in groupby(TAKEN_OUT, key=lambda name: name.split(".")[0])
}
_SAME = str.maketrans({"ı": "i"} | dict.fromkeys("\N{COMBINING DOT ABOVE}\xad\u200b\u200c\u200d\u2060"))
"""What lowercase leaves of a Turkish i, and joiners that nobody sees: a name may be written with them or without."""
NAMED_BY_PEOPLE = (KeyRole.SCOREKEEPER, KeyRole.SPECTATOR)
"""Roles of keys whose names people choose; links, boards and hands are named by us."""
FEW = 2
"""Letters of a name that is too short to take a text out by itself: it may be any word."""


@dataclass(frozen=True)
class Text:
    """A text that a player's name is in, or may be in."""

    id: str
    """its place, as `RemovedText.place`"""
    match_id: str | None
    """the match it belongs to, deleted or not; None for one of the club"""
    words: str
    """what people wrote"""
    ticked: bool
    """whether the name stands free in it, so that it is taken out unless somebody decides otherwise"""
    apart: bool
    """whether it was taken out before, with another name; its words are shown nowhere"""
    most: int
    """characters that its place takes"""

    @property
    def kind(self) -> str:
        """Return what kind of text it is: table and field, as ``matches.custom_rules`` or ``keys.name``."""
        table, _, column, *path = self.id.split("/")
        return f"{table}.{next((part for part in reversed(path) if not part.isdigit()), column)}"


# -- names in texts ----------------------------------------------------------------------------------------------------


def fold_text(text: str) -> str:
    """Return the form in which names are looked for: whatever case or width the letters have, and without joiners."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_SAME)


class NameFinder:
    """Finds any of some names in texts, in a time that grows with the text alone (Aho and Corasick, 1975)."""

    def __init__(self, names: Iterable[str]) -> None:
        self._next: list[dict[str, int]] = [{}]
        """what a letter leads to, by state: each state is the beginning of a name"""
        self._named: dict[int, tuple[int, bool]] = {}
        """the length of the name that a state is, and whether it is long enough to take a text out"""
        self._shorter = [0]
        """the longest other beginning of a name that a state ends with"""
        for name in names:
            state, folded = 0, fold_text(name)
            for letter in folded:
                state = self._next[state].setdefault(letter, len(self._next))
                if state == len(self._next):
                    self._next.append({})
                    self._shorter.append(0)
            if folded:
                self._named[state] = len(folded), len(name) > FEW or self._named.get(state, (0, False))[1]
        self._ends = list(range(len(self._next)))
        """the longest name that a state ends with, as a state; 0 for none"""
        reached = deque([0])
        while reached:
            state = reached.popleft()
            self._ends[state] = state if state in self._named else self._ends[self._shorter[state]] if state else 0
            for letter, following in self._next[state].items():
                self._shorter[following] = self._step(self._shorter[state], letter) if state else 0
                reached.append(following)

    def _step(self, state: int, letter: str) -> int:
        while state and letter not in self._next[state]:
            state = self._shorter[state]
        return self._next[state].get(letter, 0)

    def find_in(self, text: str) -> bool | None:
        """Return None where no name is in a text, else whether one that is long enough stands free there."""
        folded, found, state = fold_text(text), None, 0
        for end, letter in enumerate(folded, 1):
            while state and letter not in self._next[state]:
                state = self._shorter[state]
            state = self._next[state].get(letter, 0)
            name = self._ends[state]
            if not name or (found is not None and _goes_on(folded[end : end + 1])):
                continue
            found = False
            while name:
                length, long = self._named[name]
                before = folded[end - length - 1 : end - length] if end > length else ""
                if long and not _goes_on(before) and not _goes_on(folded[end : end + 1]):
                    return True
                name = self._ends[self._shorter[name]]
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
    with speaking(club.language if club.language in languages() else "en"):
        return CATALOGUE.say("deleted.text")


def is_removed(text: str | None) -> bool:
    """Return whether a text stands for one that was taken out, in any language; forms show it empty."""
    return text is not None and text in _placeholders()


@cache
def _placeholders() -> frozenset[str]:
    found = set()
    for code in languages():
        with speaking(code):
            found.add(CATALOGUE.say("deleted.text"))
    return frozenset(found)


def texts_at(value: Any, pattern: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of a column's value at a path, each with its own path; `*` is every item of a list."""
    if not pattern:
        if isinstance(value, str):
            yield "", value
        return
    part, _, rest = pattern[1:].partition("/")
    rest = f"/{rest}" if rest else ""
    if part == "*":
        items: Iterable[tuple[Any, Any]] = enumerate(value) if isinstance(value, list | tuple) else ()
    else:
        items = [(part, value[part])] if isinstance(value, dict) and part in value else ()
    for key, item in items:
        yield from ((f"/{key}{path}", text) for path, text in texts_at(item, rest))


def changed_at(value: Any, path: Sequence[str], text: str) -> Any:
    """Return a copy of a column's value with another text at a path."""
    if not path:
        return text
    if isinstance(value, list):
        at = int(path[0])
        return [*value[:at], changed_at(value[at], path[1:], text), *value[at + 1 :]]
    return value | {path[0]: changed_at(value[path[0]], path[1:], text)}


def at_path(value: Any, place: str) -> Any:
    """Return what stands at a place, in the value of its column; None where there is nothing."""
    for part in place.split("/")[3:]:
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (LookupError, TypeError, ValueError):
            return None
    return value


@dataclass(frozen=True)
class Column:
    """One value of a club in which people's words stand."""

    name: str
    """table and column"""
    key: tuple[Any, ...]
    """the primary key, without the club's id"""
    match_id: str | None
    value: Any

    @property
    def place(self) -> str:
        """Return the beginning of the places in it."""
        table, column = self.name.split(".")
        return f"{table}/{':'.join(map(str, self.key))}/{column}"

    @property
    def texts(self) -> Iterator[tuple[str, str, int]]:
        """Yield each text, with its place and the most characters that this takes."""
        for pattern, most in TAKEN_OUT[self.name].items():
            yield from ((self.place + path, text, most) for path, text in texts_at(self.value, pattern))


def columns_of(session: Session, club_id: str) -> Iterator[Column]:
    """Yield everything of a club in which people's words stand, that of deleted matches too."""
    for table, names in _BY_TABLE.items():
        key = [each for each in table.primary_key if each.name != "club_id"]
        match_id = table.c.id if table.name == "matches" else table.c.get("match_id", cast(null(), TextType))
        match_id = _TABLES["rounds"].c.match_id if table.name == "round_versions" else match_id
        wanted = (*(table.c[name] for name in names), *key, match_id)
        for row in session.connection().execute(_of_words(table, club_id).with_only_columns(*wanted)):
            values, own = row[: len(names)], tuple(row[len(names) : -1])
            yield from (
                Column(f"{table.name}.{name}", own, row[-1], value) for name, value in zip(names, values, strict=True)
            )


def measure_texts(session: Session, club_id: str) -> int:
    """Return about how many characters there are to be looked through."""
    lengths = [
        _of_words(table, club_id)
        .with_only_columns(func.sum(func.length(cast(table.c[name], TextType))))
        .scalar_subquery()
        for table, names in _BY_TABLE.items()
        for name in names
    ]
    return sum(length or 0 for length in session.connection().execute(select(*lengths)).one())


def _of_words(table: Table, club_id: str) -> Select[Any]:
    """Return the query of all rows of a club in which people's words stand."""
    chosen = select(table).where((table.c.id if table.name == Club.__tablename__ else table.c.club_id) == club_id)
    if table.name == "keys":
        return chosen.where(table.c.role.in_(NAMED_BY_PEOPLE), table.c.recovers.is_(False))  # else its name is ours
    if table.name != "round_versions":
        return chosen
    rounds = _TABLES["rounds"]
    same = (rounds.c.club_id == table.c.club_id) & (rounds.c.id == table.c.round_id)
    return chosen.join(rounds, same).where(cast(table.c.entry, TextType).like('%"reason"%'))


def load_column(session: Session, club_id: str, row: RemovedText) -> Column | None:
    """Load the column in which a text stood that was taken out; None where its row is gone."""
    name, key, column, *_ = row.place.split("/")
    table, parts = _TABLES[name], key.split(":")
    own = [one for one in table.primary_key if one.name != "club_id"]
    typed = tuple(int(part) if isinstance(one.type, Integer) else part for one, part in zip(own, parts, strict=True))
    whose = [*(() if name == Club.__tablename__ else (table.c.club_id == club_id,))]
    chosen = select(table.c[column]).where(*whose, *(one == part for one, part in zip(own, typed, strict=True)))
    found = session.connection().execute(chosen).one_or_none()
    return None if found is None else Column(f"{name}.{column}", typed, row.match_id, found[0])


def find_texts(session: Session, player: Player, pause: Callable[[], object] = lambda: None) -> Sequence[Text]:
    """List the texts that a player's name is in: first those in which it stands free, which are ticked.

    `pause` is called between texts. Nothing is written.
    """
    found = [text for text, _ in search(session, player, load_apart(session, player.club_id), pause)]
    return sorted(found, key=lambda one: not one.ticked)


def search(
    session: Session, player: Player, apart: Mapping[str, RemovedText], pause: Callable[[], object]
) -> Iterator[tuple[Text, Column]]:
    """Yield each text that a player's name is in, with the column it stands in; `apart` are those taken out before."""
    names = NameFinder(names_of(session, player))
    for column in columns_of(session, player.club_id):
        for place, text, most in column.texts:
            pause()
            row = apart.get(place)
            row = row if row is not None and row.instead == text else None
            found = [names.find_in(each) for each in ({text, row.words} if row else {text})]
            if found != [None] * len(found):
                words = row.words if row else text
                yield Text(place, column.match_id, words, any(found), row is not None, most), column


def load_apart(session: Session, club_id: str) -> Mapping[str, RemovedText]:
    """Load the texts of a club that stand apart, by place."""
    rows = session.scalars(select(RemovedText).where(RemovedText.club_id == club_id))
    return {row.place: row for row in rows}


def carry_over(
    session: Session, name: str, old: tuple[str, Any], new: tuple[str, Any], *, club_id: str, match_id: str | None
) -> None:
    """Let what was copied in place of removed texts return with them: a column's value, from its place to another.

    Of several such texts the first is taken for the first, and so on.
    """
    pairs = dict[str, str]()
    for pattern in TAKEN_OUT[name]:
        before, after = (
            [place + path for path, text in texts_at(value, pattern) if is_removed(text)] for place, value in (old, new)
        )
        pairs |= {one: other for one, other in zip(before, after, strict=False) if one != other}
    if not pairs:
        return
    chosen = select(RemovedText).where(RemovedText.club_id == club_id, RemovedText.place.in_(pairs))
    for row in session.scalars(chosen).all():
        same = {"words": row.words, "instead": row.instead, "waits_for": row.waits_for}
        session.merge(RemovedText(club_id=club_id, place=pairs[row.place], match_id=match_id, **same))
    session.flush()


def without_waiting(session: Session, club_id: str, text: str) -> str:
    """Return what to store of a text that may be older than a deletion: a placeholder where such a name stands free.

    That is the name of someone who waits to be restored, and of nobody who plays.
    """
    gone = (Player.club_id == club_id, Player.deleted_name.is_not(None))
    asked = session.scalars(select(Player.deleted_name).where(*gone)) if text.strip() else ()
    names = {name or "" for name in asked}
    if not names:
        return text
    sat = (Seat.club_id == club_id, Seat.player_id.in_(select(Player.id).where(*gone)), Seat.deleted_name.is_not(None))
    names |= {name or "" for name in session.scalars(select(Seat.deleted_name).where(*sat).distinct())}
    playing = select(Player.folded_name).where(Player.club_id == club_id, Player.deleted_at.is_(None))
    playing = playing.where(Player.folded_name.in_({fold_name(name) for name in names}))
    living = {*session.scalars(playing)}
    found = NameFinder(name for name in names if fold_name(name) not in living).find_in(text)
    return placeholder(session.get_one(Club, club_id)) if found else text


def find_staying(session: Session, player: Player, pause: Callable[[], object] = lambda: None) -> Sequence[str]:
    """List by title the rulebooks that matches froze with a player's name in them: they stay as they were agreed on."""
    names = NameFinder(names_of(session, player))
    chosen = select(RulebookText.document).where(
        RulebookText.club_id == player.club_id, cast(RulebookText.document, TextType).like('%"base"%')
    )
    found = []
    for document in session.scalars(chosen.order_by(RulebookText.digest)):
        pause()
        own = [one for one in document["clauses"] if one["id"].startswith("own-")]
        texts = [document["title"], *(text for one in own for text in (one.get("title", ""), one["text"]))]
        if document.get("base") and any(names.find_in(text) is not None for text in texts):
            found.append(document["title"])
    return list(dict.fromkeys(found))
