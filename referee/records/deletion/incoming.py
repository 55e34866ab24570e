"""Take deleted names out of what comes later: from a file, or from a phone on which it waited."""

import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sqlalchemy import Table, select
from sqlalchemy.orm import Session

from referee.records.deletion.texts import TAKEN_OUT, Column, NameFinder, placeholder
from referee.records.match.agreements import frozen_rulebook
from referee.records.match.rulings import hear_stored, language_of
from referee.records.match.seating import load_seating
from referee.records.models import Base, Club, Match, Player, RemovedText, Ruling, Seat
from referee.records.names import fold_name
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes.ruling import Role
from referee.rules.text.problem import Impossible
from referee.rules.text.words import speaking


@dataclass(frozen=True)
class Forgotten:
    """A player whose name was deleted from the club into which something brings it."""

    called: str
    """what the player is called there"""
    names: frozenset[str]
    """those that are brought; none where a file has a stand-in, too"""
    waits: bool = True
    """whether the name can still be restored, and with it what is brought"""

    @cached_property
    def finder(self) -> NameFinder:
        """Return what finds the names in texts."""
        return NameFinder(self.names)


def load_forgotten(session: Session, club_id: str) -> dict[str, Forgotten]:
    """Load by id whose names were deleted, and can be restored."""
    gone = select(Player.id, Player.name, Player.deleted_name).where(
        Player.club_id == club_id, Player.deleted_name.is_not(None)
    )
    players = session.execute(gone).all()
    names = {player.id: {player.deleted_name} for player in players}
    seats = select(Seat.player_id, Seat.deleted_name).where(Seat.club_id == club_id, Seat.player_id.in_(names))
    for id, name in session.execute(seats.where(Seat.deleted_name.is_not(None)).distinct()) if names else ():
        names[id].add(name)
    return {player.id: Forgotten(player.name, frozenset(names[player.id])) for player in players}


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
        if isinstance(value, list):
            return [renamed(one) for one in value]
        return stand_ins.get(fold_name(value), value) if isinstance(value, str) else value

    drawn = facts.get("drawn")  # who drew which card is the only fact with names in it
    now_facts = facts if not drawn else facts | {"drawn": [one | {"player": renamed(one["player"])} for one in drawn]}
    # an earlier release may have recorded what can't be heard
    with speaking(language_of(said)), suppress(Impossible, LookupError, TypeError, ValueError):
        again = hear_stored(said, dispute_id, rulebook, facts, roles, players)
        if again and all(again[part] == said[part] for part in ("outcome", "verdict")):
            same = {name: said[name] for name in ("rulebook", "language") if name in said}
            return hear_stored(said, dispute_id, rulebook, now_facts, roles, players) | same, now_facts
    outcome = {key: renamed(value) if drawn else value for key, value in said["outcome"].items()}
    steps = [step | {"text": instead} for step in said["steps"]]
    left = {name: value for name, value in said.items() if name not in ("lead", "as_decided")}
    return left | {"summary": instead, "outcome": outcome, "steps": steps}, now_facts


def without_forgotten(
    forgotten: Mapping[str, Forgotten],
    table: Table,
    row: Mapping[str, Any],
    match_id: str | None,
    seats: Mapping[int, tuple[str, str]],
    books: Mapping[str, Rulebook],
    instead: str,
    staying: Collection[str] = (),
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a row without names that were deleted from the club, and the texts of it that stand apart.

    `seats` have the id and name of who sits there; `books` are rulebooks by digest; texts that are `staying` do.
    """
    new, apart = dict(row), list[dict[str, Any]]()
    key = ":".join(str(row[column.name]) for column in table.primary_key if column.name != "club_id")

    def set_apart(place: str, words: str, instead: str, whose: Iterable[str]) -> None:
        if waiting := " ".join(id for id in whose if forgotten[id].waits):
            rest = {"match_id": match_id, "words": words, "instead": instead, "waits_for": waiting}
            apart.append({"club_id": row["club_id"], "place": place, **rest})

    for name in (name.split(".")[1] for name in TAKEN_OUT if name.startswith(f"{table.name}.")):
        column = Column(f"{table.name}/{key}/{name}", match_id, row[name])
        for place, text, _ in column.texts:
            whose = [id for id, player in forgotten.items() if player.finder.find_in(text)]
            if whose and text not in staying:
                column = column.changed(place, instead)
                set_apart(place, text, instead, whose)
        new[name] = column.value
    if table.name == Seat.__tablename__:
        player = forgotten.get(row["player_id"])
        new |= {"deleted_name": row["name_then"] if player and player.waits else None}
        new |= {"name_then": player.called} if player else {}
    here = [id for id, _ in seats.values() if id in forgotten]
    if table.name == Ruling.__tablename__ and here:
        before = {"ruling": row["ruling"], "facts": row["facts"]}
        called = {seat: forgotten[id].called if id in forgotten else name for seat, (id, name) in seats.items()}
        roles = {Role(role): called[seat] for role, seat in row["seats"].items()}
        named = forgotten.values() if row["facts"].get("drawn") else ()
        stand_ins = {fold_name(name): player.called for player in named for name in player.names}
        book = books[row["rulebook_digest"]]
        ruling, facts = heard_again(row["dispute"], before, book, roles, len(seats), stand_ins, instead)
        if before != {"ruling": ruling, "facts": facts}:
            new |= {"ruling": ruling, "facts": facts}
            set_apart(f"rulings/{key}/ruling", json.dumps(before, ensure_ascii=False), "", here)
    return new, apart


def forget(session: Session, row: Base, match: Match, staying: Collection[str] = ()) -> list[RemovedText]:
    """Take names that were deleted out of a row of a match that waited on a phone, and return what stands apart of it.

    A name that someone else has by now is theirs. Texts that are `staying` were decided about when a name was deleted.
    """
    forgotten, table = load_forgotten(session, match.club_id), Base.metadata.tables[row.__tablename__]
    folded = {fold_name(name) for player in forgotten.values() for name in player.names}
    playing = select(Player.folded_name).where(Player.club_id == match.club_id, Player.deleted_at.is_(None))
    living = set(session.scalars(playing.where(Player.folded_name.in_(folded)))) if folded else set()
    for id, player in forgotten.items():
        names = frozenset(name for name in player.names if fold_name(name) not in living)
        forgotten[id] = replace(player, names=names)
    seats, books = dict[int, tuple[str, str]](), dict[str, Rulebook]()
    if forgotten and isinstance(row, Ruling):
        seats = {seat.seat: (seat.player_id, seat.name) for seat in load_seating(session, match).seats}
        books[row.rulebook_digest] = frozen_rulebook(session, match.club_id, row.rulebook_digest)
    old = {column.name: getattr(row, column.name) for column in table.c}
    instead = placeholder(session.get_one(Club, match.club_id)) if forgotten else ""
    new, apart = without_forgotten(forgotten, table, old, match.id, seats, books, instead, staying)
    for name in new:
        if new[name] != old[name]:
            setattr(row, name, new[name])
    return [RemovedText(**one) for one in apart]
