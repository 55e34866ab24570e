"""What deleting or restoring a name writes: computed while others write, compared and written under the lock."""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Table, bindparam, delete, func, insert, select, update
from sqlalchemy.orm import Session

from referee.records.deletion.texts import TAKEN_OUT, Column, NameFinder, changed_at, names_of, row_at
from referee.records.errors import Moved
from referee.records.ids import is_id
from referee.records.match.agreements import frozen_rulebook
from referee.records.match.rulings import hear_stored, language_of
from referee.records.match.tallies import advance_each, note_change
from referee.records.models import (
    DELETED_TOO,
    Base,
    Club,
    IdempotentAnswer,
    Key,
    Match,
    OwnRulebookRow,
    Player,
    RemovedText,
    Round,
    Ruling,
    Seat,
    new_nonce,
)
from referee.records.names import fold_name
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes.ruling import Role
from referee.rules.text.problem import Impossible
from referee.rules.text.words import speaking

_TABLES = Base.metadata.tables
_REMOVED, _ANSWERS = _TABLES[RemovedText.__tablename__], _TABLES[IdempotentAnswer.__tablename__]


@dataclass
class Changes:
    """All that deleting or restoring a player's name changes, not yet written, and the state in which it was read."""

    player_id: str
    called: Mapping[str, str]
    """new names by player: this one, and those merged into it"""
    state: tuple[Any, ...]
    apart: Mapping[str, RemovedText]
    """the words that stand apart so far, by place"""
    values: dict[str, Any] = field(default_factory=dict)
    """new values of columns, by place"""
    rows: dict[str, Mapping[str, Any] | None] = field(default_factory=dict)
    """words to stand apart from now on, by place; None for those that don't any more"""
    match_ids: set[str] = field(default_factory=set)
    answers: list[str] = field(default_factory=list)
    """keys of stored answers that go"""

    def put(self, column: Column, place: str, text: Any) -> None:
        """Put a text in a place; without a path in it, the value of the whole column."""
        path = place.removeprefix(column.place).split("/")[1:]
        self.values[column.place] = changed_at(self.values.get(column.place, column.value), path, text)
        self.match_ids |= {column.match_id} if column.match_id else set()

    def set_apart(self, place: str, match_id: str | None, words: str, instead: str) -> None:
        """Let words wait for the player, too; those that others wait for already stay as they are."""
        row = self.apart.get(place)
        waiting = row.waits_for.split() if row is not None and row.words == words else []
        waits_for = " ".join(dict.fromkeys([*waiting, self.player_id]))
        rest = {"match_id": match_id, "words": words, "instead": instead, "waits_for": waits_for}
        self.rows[place] = {"place": place} | rest

    def release(self, row: RemovedText) -> bool:
        """Return whether nobody else waits for words, which then stand apart no longer."""
        others = [id for id in row.waits_for.split() if id != self.player_id]
        rest = {name: getattr(row, name) for name in ("place", "match_id", "words", "instead")}
        self.rows[row.place] = rest | {"waits_for": " ".join(others)} if others else None
        return not others


def persons(session: Session, player: Player) -> Sequence[Player]:
    """Return a player, and those merged into it."""
    own = (Player.club_id == player.club_id, (Player.id == player.id) | (Player.merged_into == player.id))
    return session.scalars(select(Player).where(*own).order_by(Player.merged_into.is_not(None), Player.id)).all()


def state_of_words(session: Session, player: Player) -> tuple[Any, ...]:
    """Return what differs as soon as a name of this player does, or any text or seat of the club."""
    someone, match, own, key, apart = (
        _TABLES[name].c for name in ("players", "matches", "own_rulebooks", "keys", "removed_texts")
    )
    names = select(someone.id, someone.name, someone.deleted_name).where(someone.club_id == player.club_id)
    asked: list[Any] = [
        names.where((someone.id == player.id) | (someone.merged_into == player.id)).order_by(someone.id)
    ]
    for columns, *sums in (
        (someone, func.count(someone.deleted_at), func.count(someone.merged_into)),
        (match, func.sum(match.revision), func.sum(match.nonce)),
        (own, func.sum(own.version), func.sum(own.nonce)),
        (key, func.sum(func.length(key.name))),
        (apart, func.sum(func.length(apart.waits_for))),
    ):
        asked.append(select(func.count(), *sums).where(columns.club_id == player.club_id))
    asked.append(select(Club.name).where(Club.id == player.club_id))
    return tuple(row for each in asked for row in map(tuple, session.connection().execute(each)))


def write_changes(session: Session, player: Player, drafted: Changes) -> None:
    """Write what was drafted, and let every reader see it; raises `Moved` when something has changed since.

    The club is locked.
    """
    club_id, ids = player.club_id, sorted(drafted.match_ids)
    locked = select(Match.id).where(Match.club_id == club_id).order_by(Match.id).with_for_update(of=Match)
    for batch in _batches(ids):  # whoever writes to one of them is waited for
        session.execute(locked.where(Match.id.in_(batch)).execution_options(**DELETED_TOO))
    if state_of_words(session, player) != drafted.state:
        raise Moved
    connection = session.connection()
    columns: dict[tuple[Table, str], list[Mapping[str, Any]]] = {}
    for place, value in drafted.values.items():
        table, column, key = row_at(club_id, place)
        columns.setdefault((table, column), []).append(
            {f"its_{name}": part for name, part in key.items()} | {"new": value}
        )
    for (table, column), given in columns.items():
        chosen = update(table).where(*(one == bindparam(f"its_{one.name}") for one in table.primary_key))
        new: dict[str, Any] = {column: bindparam("new")}
        if table.name == OwnRulebookRow.__tablename__:
            new |= {"version": table.c.version + 1, "nonce": new_nonce()}
        connection.execute(chosen.values(new), given)
    for places in _batches(list(drafted.rows)):
        connection.execute(delete(_REMOVED).where(_REMOVED.c.club_id == club_id, _REMOVED.c.place.in_(places)))
    rows = [{"club_id": club_id, **row} for row in drafted.rows.values() if row is not None]
    if rows:
        connection.execute(insert(_REMOVED), rows)
    for some in _batches(drafted.answers):
        connection.execute(delete(_ANSWERS).where(_ANSWERS.c.club_id == club_id, _ANSWERS.c.key.in_(some)))
    note_change(session, club_id)
    for batch in _batches(ids):
        advance_each(session, club_id, Match.id.in_(batch))
    session.expire_all()


def _batches(items: Sequence[str], size: int = 500) -> Iterator[Sequence[str]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def answers_of(session: Session, club_id: str, match_ids: Iterable[str]) -> list[str]:
    """Return the keys of stored answers to requests that recorded a round of one of these matches.

    Their digests are of requests with names in them. That of a match's start stays, so that a phone that sends it again
    begins no other; it goes before the name is purged. An answer that is no id is one of 0.1.0, with names itself.
    """
    stored = session.connection().execute(select(_ANSWERS.c.key, _ANSWERS.c.body).where(_ANSWERS.c.club_id == club_id))
    made = {key: zlib.decompress(body).decode() for key, body in stored}
    touched, rounds = set(match_ids), select(Round.id, Round.match_id).where(Round.club_id == club_id)
    there = {
        id
        for ids in _batches([id for id in made.values() if is_id(id)])
        for id, match_id in session.execute(rounds.where(Round.id.in_(ids)))
        if match_id in touched
    }
    return [key for key, id in made.items() if id in there or (id and not is_id(id))]


# -- what we word ------------------------------------------------------------------------------------------------------


def reword(session: Session, player: Player, changes: Changes, instead: str) -> None:
    """Change all that we word of a player whose name is deleted, or restored: hands' phones, rulings and their facts.

    Rulings are heard again by the names of those who sit there now; where that rules on something else, or a hand was
    not kept, their sentences are taken out, and `instead` stands there.
    """
    club_id, called, restored = player.club_id, changes.called, player.deleted_at is not None
    sat = (Seat.club_id == club_id, Seat.player_id == player.id)
    at = select(Seat.match_id).where(*sat)
    changes.match_ids |= set(session.scalars(at))
    after = select(Match.id, Match.rematch_of).where(Match.club_id == club_id, Match.rematch_of.is_not(None))
    for id, before in session.execute(after.order_by(Match.id).execution_options(**DELETED_TOO)):
        if before in changes.match_ids:  # it says who won the night so far
            changes.match_ids.add(id)
    if not restored:
        same_seat = (Seat.club_id == Key.club_id) & (Seat.match_id == Key.match_id) & (Seat.seat == Key.seat)
        for key in session.scalars(select(Key).join(Seat, same_seat).where(*sat)):
            column = Column(f"keys/{key.id}/name", key.match_id, key.name)
            changes.put(column, column.place, called[player.id])
            changes.set_apart(column.place, key.match_id, key.name, called[player.id])
    seated = select(Seat.match_id, Seat.seat, Seat.player_id, Player.name, Seat.stays).where(
        Seat.club_id == club_id, Seat.match_id.in_(at), Player.club_id == club_id, Player.id == Seat.player_id
    )
    seats: dict[str, dict[int, tuple[str, bool]]] = {}
    for match_id, seat, id, name, stays in session.execute(seated):
        seats.setdefault(match_id, {})[seat] = called.get(id, name), stays[-1][1] is None
    gone = (Player.club_id == club_id, Player.deleted_name.is_not(None), Player.id.not_in(called))
    stand_ins = {
        fold_name(old or ""): new for old, new in session.execute(select(Player.deleted_name, Player.name).where(*gone))
    }
    stand_ins |= {fold_name(name): called[player.id] for name in names_of(session, player)}
    names, books = NameFinder(names_of(session, player)), dict[str, Rulebook]()
    for ruling in session.scalars(select(Ruling).where(Ruling.club_id == club_id, Ruling.match_id.in_(at))):
        match_id = ruling.match_id
        said = Column(f"rulings/{ruling.id}/ruling", match_id, ruling.ruling)
        facts = Column(f"rulings/{ruling.id}/facts", match_id, ruling.facts)
        words = json.dumps({"ruling": said.value, "facts": facts.value}, ensure_ascii=False)
        row = changes.apart.get(said.place)
        if row is None and names.find_in(words) is None:
            continue
        before = json.loads(words if row is None else row.words)
        if restored and row is not None:
            if player.id not in row.waits_for.split():
                continue
            if changes.release(row):
                changes.put(said, said.place, before["ruling"])
                changes.put(facts, facts.place, before["facts"])
                continue
        digest, there = ruling.rulebook_digest, seats[match_id or ""]
        if digest not in books:
            books[digest] = frozen_rulebook(session, club_id, digest)
        roles = {Role(role): there[seat][0] for role, seat in ruling.seats.items()}
        here = sum(stays for _, stays in there.values())
        now_said, now_facts = heard_again(ruling.dispute, before, books[digest], roles, here, stand_ins, instead)
        if row is None and before == {"ruling": now_said, "facts": now_facts}:
            continue
        if row is None and restored and now_said["summary"] == instead:  # given since, by the stand-in
            continue
        if not restored:
            changes.set_apart(said.place, match_id, words if row is None else row.words, "")
        changes.put(said, said.place, now_said)
        changes.put(facts, facts.place, now_facts)


def heard_again(
    dispute_id: str,
    before: Mapping[str, Any],
    rulebook: Rulebook,
    roles: Mapping[Role, str],
    players: int,
    stand_ins: Mapping[str, str],
    instead: str,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a ruling says and its facts, by the names of `roles` and by the `stand_ins` of folded names.

    Where the same facts would be ruled on differently its sentences are taken out; verdict, outcome and clauses stay.
    """
    said, facts = before["ruling"], before["facts"]

    def renamed(value: Any) -> Any:
        return stand_ins.get(fold_name(value), value) if isinstance(value, str) else value

    drawn = facts.get("drawn")  # who drew which card is the only fact with names in it
    now_facts = facts if not drawn else facts | {"drawn": [one | {"player": renamed(one["player"])} for one in drawn]}
    # an earlier release may have recorded what can't be heard
    with speaking(language_of(said)), suppress(Impossible, LookupError, TypeError, ValueError):
        again = hear_stored(said, dispute_id, rulebook, facts, roles, players)
        if again and all(again[part] == said[part] for part in ("outcome", "verdict")):
            same = {name: said[name] for name in ("rulebook", "language") if name in said}
            return hear_stored(said, dispute_id, rulebook, now_facts, roles, players) | same, now_facts
    outcome = said["outcome"]
    if drawn:
        outcome = {
            key: [renamed(one) for one in value] if isinstance(value, list) else renamed(value)
            for key, value in outcome.items()
        }
    steps = [step | {"text": instead} for step in said["steps"]]
    return {name: value for name, value in said.items() if name not in ("lead", "as_decided")} | {
        "summary": instead, "outcome": outcome, "steps": steps
    }, now_facts  # fmt: skip


# -- what a file brings ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Forgotten:
    """A player whose name was deleted from the club into which a file brings it."""

    called: str
    """what the player is called there"""
    names: frozenset[str]
    """those of the file; none where it has a stand-in, too"""
    waits: bool
    """whether the name can still be restored, and with it what the file brings"""


def without_forgotten(
    forgotten: Mapping[str, Forgotten],
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    match_id: str | None,
    seats: Mapping[int, tuple[str, str]],
    books: Mapping[str, Rulebook],
    instead: str,
) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """Return the rows of a file without names that were deleted from the club, and the texts that stand apart of them.

    `seats` have the id and name of who sits there; `books` are rulebooks by digest.
    """
    changed, apart = list[Mapping[str, Any]](), list[Mapping[str, Any]]()
    finders = {id: NameFinder(player.names) for id, player in forgotten.items()}
    called = {seat: forgotten[id].called if id in forgotten else name for seat, (id, name) in seats.items()}
    stand_ins = {fold_name(name): player.called for player in forgotten.values() for name in player.names}
    here = {id for id, _ in seats.values()}

    def set_apart(place: str, words: str, instead: str, whose: Iterable[str]) -> None:
        if waiting := [id for id in whose if forgotten[id].waits]:
            rest = {"match_id": match_id, "words": words, "instead": instead, "waits_for": " ".join(waiting)}
            apart.append({"club_id": rows[0]["club_id"], "place": place, **rest})

    for row in rows:
        new = dict(row)
        key = ":".join(str(row[column.name]) for column in table.primary_key if column.name != "club_id")
        for name in (name.split(".")[1] for name in TAKEN_OUT if name.startswith(f"{table.name}.")):
            column = Column(f"{table.name}/{key}/{name}", match_id, row[name])
            for place, text, _ in column.texts:
                if whose := [id for id, finder in finders.items() if finder.find_in(text)]:
                    new[name] = changed_at(new[name], place.removeprefix(column.place).split("/")[1:], instead)
                    set_apart(place, text, instead, whose)
        if table.name == Seat.__tablename__:
            player = forgotten.get(row["player_id"])
            new |= {"deleted_name": row["name_then"] if player and player.waits else None}
            new |= {"name_then": player.called} if player else {}
        if table.name == Ruling.__tablename__ and not here.isdisjoint(forgotten):
            before = {"ruling": row["ruling"], "facts": row["facts"]}
            roles = {Role(role): called[seat] for role, seat in row["seats"].items()}
            book = books[row["rulebook_digest"]]
            ruling, facts = heard_again(row["dispute"], before, book, roles, len(seats), stand_ins, instead)
            if ruling != row["ruling"]:
                new |= {"ruling": ruling, "facts": facts}
                set_apart(f"rulings/{key}/ruling", json.dumps(before, ensure_ascii=False), "", here & set(forgotten))
        changed.append(new)
    return changed, apart
