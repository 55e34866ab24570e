"""Delete a player's name, or restore it: what the player scored stays, for a stand-in.

All that this changes is found while others write; under the lock the club is compared with what was read.
"""

import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from sqlalchemy import Table, bindparam, delete, func, insert, select, update
from sqlalchemy.orm import Session

from referee.records.club.access import lock_club
from referee.records.club.players import advance_evenings
from referee.records.deletion.before_1_1 import names_put_back
from referee.records.deletion.incoming import heard_again, load_forgotten
from referee.records.deletion.texts import (
    Column,
    NameFinder,
    find_texts,
    load_apart,
    load_column,
    names_of,
    placeholder,
    row_at,
)
from referee.records.deletion.waiting import Lost, count_by, lost, refuse_nameless, until
from referee.records.errors import Moved, NotFound
from referee.records.ids import is_id
from referee.records.match.agreements import frozen_rulebook
from referee.records.match.tallies import advance_each, note_change
from referee.records.models import (
    DELETED_TOO,
    Club,
    DeletionKind,
    Evening,
    IdempotentAnswer,
    Key,
    Match,
    OwnRulebookRow,
    Player,
    RemovedText,
    Round,
    RoundScore,
    Ruling,
    Season,
    Seat,
    new_nonce,
    now,
    of_live_match,
)
from referee.records.names import clean_text, fold_name
from referee.records.words import say
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes.ruling import Role
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import speaking


@dataclass
class Changes:
    """All that deleting or restoring a player's name changes, not yet written, and the state in which it was read."""

    player_id: str
    called: Mapping[str, str]
    """new names by player: this one, and those merged into it"""
    state: Sequence[Any]
    apart: Mapping[str, RemovedText]
    """the words that stand apart so far, by place"""
    columns: dict[str, Column] = field(default_factory=dict)
    """with new values"""
    rows: dict[str, Mapping[str, Any] | None] = field(default_factory=dict)
    """words to stand apart from now on, by place; None for those that don't any more"""
    match_ids: set[str] = field(default_factory=set)
    answers: Sequence[str] = ()
    """keys of stored answers that go"""

    def put(self, column: Column, place: str, text: Any) -> None:
        """Put a text in a place; where that is the column's own, a whole value."""
        self.columns[column.place] = self.columns.get(column.place, column).changed(place, text)
        self.match_ids |= {column.match_id} if column.match_id else set()

    def set_apart(self, place: str, match_id: str | None, words: str, instead: str) -> None:
        """Let words wait for the player, too; those that others wait for already stay as they are."""
        row = self.apart.get(place)
        waiting = row.waits_for.split() if row is not None and row.words == words else []
        waits_for = " ".join(dict.fromkeys([*waiting, self.player_id]))
        self.rows[place] = {"match_id": match_id, "words": words, "instead": instead, "waits_for": waits_for}

    def release(self, row: RemovedText) -> bool:
        """Return whether nobody else waits for words, which then stand apart no longer."""
        others = " ".join(id for id in row.waits_for.split() if id != self.player_id)
        rest = {"match_id": row.match_id, "words": row.words, "instead": row.instead, "waits_for": others}
        self.rows[row.place] = rest if others else None
        return not others


def losses_of_names(session: Session, players: Sequence[Player]) -> list[Lost]:
    """Return what goes, or went, with the names of some players of one club."""
    if not players:
        return []
    club_id, ids, losses = players[0].club_id, [player.id for player in players], []
    sat = (Seat.club_id == club_id, Seat.player_id.in_(ids), of_live_match(Seat.match_id))
    at = select(Seat.match_id).where(*sat)
    scored = (RoundScore.club_id == club_id, RoundScore.match_id.in_(at), RoundScore.player_id.in_(ids))
    matches = count_by(session, Seat.player_id, *sat, club_id=club_id)
    rounds = count_by(session, RoundScore.player_id, *scored, club_id=club_id)
    for player in players:
        counted = {"matches": matches.get(player.id, 0), "rounds": rounds.get(player.id, 0), "active": player.active}
        losses.append(lost(DeletionKind.PLAYER, player, {"name": player.deleted_name or player.name} | counted))
    return losses


def find_player(session: Session, club_id: str, player_id: str) -> Player:
    """Look up whose a name is, deleted or not: that of a merged player belongs to whom it was merged into.

    Raises `NotFound`, and `Deleted` once the name is gone for good.
    """
    player = session.get(Player, (club_id, player_id)) if is_id(player_id) else None
    if player is None:
        raise NotFound("player")
    player = session.get_one(Player, (club_id, player.merged_into or player.id))
    if player.deleted_at is not None and (player.deleted_name is None or until(player.deleted_at) is None):
        refuse_nameless(player)
    return player


def draft_removal(
    session: Session,
    player: Player,
    chosen: Mapping[str, str | None] | None = None,
    pause: Callable[[], object] = lambda: None,
) -> Changes:
    """Find everything that deleting a player's name changes, without writing anything.

    `chosen` are the texts to be taken out, by the ids of `find_texts`: with None as a whole, else with other words in
    their place. Without it they are those in which the name stands free. Raises `Impossible`, naming ``texts[i]``, for
    an id that is none of them and for words that don't fit; `pause` is called between texts.
    """
    changes = _begin(session, player, _stand_ins(session, player))
    instead, problems = placeholder(session.get_one(Club, player.club_id)), list[Problem]()
    given = {} if chosen is None else {id: (place, words) for place, (id, words) in enumerate(chosen.items())}
    for text in find_texts(session, player, pause, changes.apart):
        place, words = given.pop(text.id, (0, None))
        if not (text.ticked if chosen is None else text.id in chosen):
            continue
        try:
            other = clean_text(words or "", ("texts", place, "words"), text.most) or instead
        except Impossible as error:
            problems += error.problems
            continue
        changes.set_apart(text.id, text.match_id, text.words, other)
        changes.put(text.column, text.id, other)
    problems += [Problem(("texts", place), say("deleted.no-text", id=id[:80])) for id, (place, _) in given.items()]
    if problems:
        raise Impossible(problems)
    same_seat = (Seat.club_id == Key.club_id) & (Seat.match_id == Key.match_id) & (Seat.seat == Key.seat)
    of_hands = select(Key).join(Seat, same_seat).where(Seat.club_id == player.club_id, Seat.player_id == player.id)
    for key in session.scalars(of_hands):
        column = Column(f"keys/{key.id}/name", key.match_id, key.name)
        changes.put(column, column.place, changes.called[player.id])
        changes.set_apart(column.place, key.match_id, key.name, changes.called[player.id])
    _reword(session, player, changes, instead)
    # only a name deleted since 1.1 has a row of its own
    changes.set_apart(f"players/{player.id}/name", None, player.name, changes.called[player.id])
    changes.answers = _answers_of(session, player.club_id, changes.match_ids)
    return changes


def draft_name_return(session: Session, player: Player) -> Changes:
    """Find everything that restoring a player's name changes, without writing anything."""
    changes = _begin(session, player, {who.id: who.deleted_name or who.name for who in _persons(session, player)})
    for row in changes.apart.values():
        ours = row.place.startswith("players/") or row.place.endswith("/ruling")
        if ours or player.id not in row.waits_for.split() or not changes.release(row):
            continue
        column = load_column(session, player.club_id, row)
        if column is not None and column.at(row.place) == row.instead:
            changes.put(column, row.place, row.words)
    _reword(session, player, changes, placeholder(session.get_one(Club, player.club_id)))
    mark = changes.apart.get(f"players/{player.id}/name")
    if mark is not None:
        changes.release(mark)
    else:
        for column, value in names_put_back(session, player, changes.called[player.id], changes.columns):
            changes.put(column, column.place, value)
    return changes


def _begin(session: Session, player: Player, called: Mapping[str, str]) -> Changes:
    return Changes(player.id, called, _state(session, player.club_id), load_apart(session, player.club_id))


def _persons(session: Session, player: Player) -> Sequence[Player]:
    """Return a player, and those merged into it."""
    own = (Player.club_id == player.club_id, (Player.id == player.id) | (Player.merged_into == player.id))
    return session.scalars(select(Player).where(*own).order_by(Player.merged_into.is_not(None), Player.id)).all()


def _stand_ins(session: Session, player: Player) -> dict[str, str]:
    """Return stand-ins by id, for a player and those merged into it: they say no more than that someone played."""
    club = session.get_one(Club, player.club_id)
    known = set(session.scalars(select(Player.folded_name).where(Player.club_id == club.id)))
    with speaking(club.language):
        numbered = (say("deleted.player-name", n=number) for number in count(1))
        free = (name for name in numbered if fold_name(name) not in known)
        return {who.id: next(free) for who in _persons(session, player)}


def _state(session: Session, club_id: str) -> Sequence[Any]:
    """Return what differs as soon as any name, text or seat of the club does."""
    people = select(Player.id, Player.name, Player.deleted_name, Player.merged_into).where(Player.club_id == club_id)
    state = [session.scalar(select(Club.name).where(Club.id == club_id)), *session.execute(people.order_by(Player.id))]
    for table, *columns in (
        (Match, Match.revision, Match.nonce),
        (OwnRulebookRow, OwnRulebookRow.version, OwnRulebookRow.nonce),
        (Season, Season.version, Season.nonce),
        (Evening, Evening.revision, Evening.nonce),
        (Key, func.length(Key.name)),
        (RemovedText, func.length(RemovedText.waits_for)),
    ):
        counted = select(func.count(), *map(func.sum, columns)).where(table.club_id == club_id)
        state += session.execute(counted, execution_options=DELETED_TOO)
    return [row if isinstance(row, str) else tuple(row) for row in state]


def _batches(items: Sequence[str], size: int = 500) -> Iterator[Sequence[str]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _answers_of(session: Session, club_id: str, match_ids: set[str]) -> Sequence[str]:
    """Return the keys of stored answers to requests that recorded a round of one of these matches.

    Their digests are of requests with names in them. That of a match's start stays, so that a phone that sends it again
    begins no other; it goes before the name is purged. An answer that is no id is one of 0.1.0, with names itself.
    """
    stored = select(IdempotentAnswer.key, IdempotentAnswer.body).where(IdempotentAnswer.club_id == club_id)
    made = {key: zlib.decompress(body).decode() for key, body in session.execute(stored)}
    rounds, touched = select(Round.id, Round.match_id).where(Round.club_id == club_id), set[str]()
    for ids in _batches([id for id in made.values() if is_id(id)]):
        found = session.execute(rounds.where(Round.id.in_(ids)))
        touched |= {id for id, match_id in found if match_id in match_ids}
    return [key for key, id in made.items() if id in touched or (id and not is_id(id))]


def _reword(session: Session, player: Player, changes: Changes, instead: str) -> None:
    """Change the rulings at a player's matches, whose name is deleted or restored, and note those matches.

    They are heard again by the names of those who sit there now; where that rules on something else, or a hand was not
    kept, their sentences are taken out, and `instead` stands there.
    """
    club_id, called, restored = player.club_id, changes.called, player.deleted_at is not None
    at = select(Seat.match_id).where(Seat.club_id == club_id, Seat.player_id == player.id)
    changes.match_ids |= set(session.scalars(at))
    after = select(Match.id, Match.rematch_of).where(Match.club_id == club_id, Match.rematch_of.is_not(None))
    for id, before in session.execute(after.order_by(Match.id).execution_options(**DELETED_TOO)):
        if before in changes.match_ids:  # it says who won the night so far
            changes.match_ids.add(id)
    seated = select(Seat.match_id, Seat.seat, Seat.player_id, Player.name, Seat.stays).where(
        Seat.club_id == club_id, Seat.match_id.in_(at), Player.club_id == club_id, Player.id == Seat.player_id
    )
    seats: dict[str | None, dict[int, tuple[str, bool]]] = {}
    for match_id, seat, id, name, stays in session.execute(seated):
        seats.setdefault(match_id, {})[seat] = called.get(id, name), stays[-1][1] is None
    others = load_forgotten(session, club_id).items()
    stand_ins = {fold_name(name): gone.called for id, gone in others if id not in called for name in gone.names}
    stand_ins |= {fold_name(name): called[player.id] for name in names_of(session, player)}
    names, books = NameFinder(names_of(session, player)), dict[str, Rulebook]()
    for ruling in session.scalars(select(Ruling).where(Ruling.club_id == club_id, Ruling.match_id.in_(at))):
        said, facts = (
            Column(f"rulings/{ruling.id}/{name}", ruling.match_id, getattr(ruling, name))
            for name in ("ruling", "facts")
        )
        words = json.dumps({"ruling": said.value, "facts": facts.value}, ensure_ascii=False)
        row = changes.apart.get(said.place)
        if (row is None and names.find_in(words) is None) or (
            row and restored and player.id not in row.waits_for.split()
        ):
            continue
        before = json.loads(words if row is None else row.words)
        if row and restored and changes.release(row):
            now_said, now_facts = before["ruling"], before["facts"]
        else:
            digest = ruling.rulebook_digest
            if digest not in books:
                books[digest] = frozen_rulebook(session, club_id, digest)
            roles = {Role(role): seats[ruling.match_id][seat][0] for role, seat in ruling.seats.items()}
            here = sum(stays for _, stays in seats[ruling.match_id].values())
            now_said, now_facts = heard_again(ruling.dispute, before, books[digest], roles, here, stand_ins, instead)
            same = before == {"ruling": now_said, "facts": now_facts}
            # one that was given since by the stand-in, and can't be heard, stays as it is
            if row is None and (same or (restored and now_said["summary"] == instead)):
                continue
            if not restored:
                changes.set_apart(said.place, ruling.match_id, words if row is None else row.words, "")
        changes.put(said, said.place, now_said)
        changes.put(facts, facts.place, now_facts)


def write_names(session: Session, club_id: str, drafted: Changes) -> None:
    """Delete or restore a player's name, as drafted, and let every reader see it.

    Raises `Moved` when something has changed since, and `Impossible` where another has the name by now.
    """
    lock_club(session, club_id)
    player, called = session.get_one(Player, (club_id, drafted.player_id)), drafted.called
    restores, batches = player.deleted_at is not None, list(_batches(sorted(drafted.match_ids)))
    for ids in batches:  # whoever writes to one of them is waited for
        locked = select(Match.id).where(Match.club_id == club_id, Match.id.in_(ids)).order_by(Match.id)
        session.execute(locked.with_for_update(of=Match), execution_options=DELETED_TOO)
    if _state(session, club_id) != drafted.state:
        raise Moved
    folded = {id: fold_name(name) for id, name in called.items()}
    others = (Player.club_id == club_id, Player.id.not_in(called), Player.folded_name.in_(folded.values()))
    taken = session.scalar(select(Player.name).where(*others).limit(1))
    if taken is not None:
        raise Impossible([Problem("name", say("deleted.name-taken", name=taken))])
    changed: dict[tuple[Table, str], list[dict[str, Any]]] = {}
    for column in drafted.columns.values():
        table, name, key = row_at(club_id, column.place)
        its_key = {f"its_{part}": value for part, value in key.items()}
        changed.setdefault((table, name), []).append(its_key | {"new": column.value})
    connection = session.connection()
    for (table, name), values in changed.items():
        same = (part == bindparam(f"its_{part.name}") for part in table.primary_key)
        connection.execute(update(table).where(*same).values({name: bindparam("new")}), values)
    for model, grows in ((OwnRulebookRow, "version"), (Season, "version"), (Evening, "revision")):
        ids = [place.split("/")[1] for place in drafted.columns if place.startswith(f"{model.__tablename__}/")]
        if ids:
            own = update(model).where(model.club_id == club_id, model.id.in_(ids))
            connection.execute(own.values({grows: getattr(model, grows) + 1, "nonce": new_nonce()}))
    for places in _batches(list(drafted.rows)):
        there = delete(RemovedText).where(RemovedText.club_id == club_id, RemovedText.place.in_(places))
        connection.execute(there)
    if rows := [{"club_id": club_id, "place": place, **row} for place, row in drafted.rows.items() if row]:
        connection.execute(insert(RemovedText), rows)
    for keys in _batches(drafted.answers):
        old = delete(IdempotentAnswer).where(IdempotentAnswer.club_id == club_id, IdempotentAnswer.key.in_(keys))
        connection.execute(old)
    note_change(session, club_id)
    for ids in batches:
        advance_each(session, club_id, Match.id.in_(ids))
    advance_evenings(session, player)
    then: dict[str, Any] = {"deleted_name": Seat.name_then, "name_then": called[player.id]}
    if restores:
        then = {"name_then": func.coalesce(Seat.deleted_name, called[player.id]), "deleted_name": None}
    connection.execute(update(Seat).where(Seat.club_id == club_id, Seat.player_id == player.id).values(then))
    for one in _persons(session, player):
        one.deleted_name = None if restores else one.name
        one.name, one.folded_name = called[one.id], folded[one.id]
    player.deleted_at = None if restores else now()
    session.flush()
    session.expire_all()
