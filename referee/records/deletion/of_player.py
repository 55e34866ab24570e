"""Delete a player's name: what the player scored stays, for a stand-in, and nothing says any more who it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from referee.records.club.access import lock_club
from referee.records.club.players import get_player
from referee.records.deletion.before_1_1 import put_names_back
from referee.records.deletion.changes import Changes, answers_of, reword, state_of_words, write_changes
from referee.records.deletion.texts import at_path, find_texts, load_apart, load_column, placeholder
from referee.records.deletion.waiting import Lost, count_by, refuse_nameless, until
from referee.records.errors import Moved, NotFound
from referee.records.models import Club, DeletionKind, Player, RoundScore, Seat, now, of_live_match
from referee.records.names import clean_text, fold_name
from referee.records.words import say
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import speaking


def losses_of_names(session: Session, players: Sequence[Player]) -> list[Lost]:
    """Return what goes, or went, with the names of some players of one club."""
    if not players:
        return []
    club_id, ids = players[0].club_id, [player.id for player in players]
    sat = (Seat.club_id == club_id, Seat.player_id.in_(ids), of_live_match(Seat.match_id))
    at = select(Seat.match_id).where(*sat)
    scored = (RoundScore.club_id == club_id, RoundScore.match_id.in_(at), RoundScore.player_id.in_(ids))
    losses = []
    matches = count_by(session, Seat.player_id, *sat, club_id=club_id)
    rounds = count_by(session, RoundScore.player_id, *scored, club_id=club_id)
    for player in players:
        name, moment = player.deleted_name or player.name, player.deleted_at or now()
        loss = {
            "name": name,
            "matches": matches.get(player.id, 0),
            "rounds": rounds.get(player.id, 0),
            "active": player.active,
        }
        losses.append(Lost(DeletionKind.PLAYER, player.id, moment, until(moment), loss))
    return losses


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
    club = session.get_one(Club, player.club_id)
    changes = _begin(session, player, _called(session, club, player))
    instead, problems = placeholder(club), list[Problem]()
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
    reword(session, player, changes, instead)
    # only a name deleted since 1.1 has a row of its own
    changes.set_apart(f"players/{player.id}/name", None, player.name, changes.called[player.id])
    changes.answers = answers_of(session, club.id, changes.match_ids)
    return changes


def write_removal(session: Session, club: Club, drafted: Changes) -> None:
    """Delete a player's name; raises `Moved` when something has changed since it was read, `NotFound`, `Deleted`."""
    lock_club(session, club.id)
    player = get_player(session, club.id, drafted.player_id)
    if player.name != drafted.name or _called(session, club, player) != drafted.called:
        raise Moved
    _rename(session, player, drafted, now())


def draft_name_return(session: Session, club_id: str, player_id: str) -> Changes:
    """Find everything in which a stand-in is named; raises `NotFound`, and `Deleted` where the name is gone."""
    player = _removed(session, club_id, player_id)
    changes = _begin(session, player, {who.id: who.deleted_name or who.name for who in _persons(session, player)})
    for row in changes.apart.values():
        ours = row.place.startswith("players/") or row.place.endswith("/ruling")
        if ours or player.id not in row.waits_for.split() or not changes.release(row):
            continue
        column = load_column(session, club_id, row)
        if column is not None and at_path(column.value, row.place) == row.instead:
            changes.put(column, row.place, row.words)
    reword(session, player, changes, placeholder(session.get_one(Club, club_id)))
    mark = changes.apart.get(f"players/{player.id}/name")
    if mark is not None:
        changes.release(mark)
    else:
        put_names_back(session, player, changes.called[player.id], changes)
    return changes


def write_name_return(session: Session, club: Club, drafted: Changes) -> None:
    """Restore a player's name; raises as `draft_name_return`, `Moved`, and `Impossible` where it is taken."""
    lock_club(session, club.id)
    player = _removed(session, club.id, drafted.player_id)
    folded = [fold_name(name) for name in drafted.called.values()]
    others = (Player.club_id == club.id, Player.id.not_in(drafted.called))
    taken = session.scalar(select(Player).where(*others, Player.folded_name.in_(folded)).limit(1))
    if taken is not None:
        raise Impossible([Problem("name", say("deleted.name-taken", name=taken.name))])
    _rename(session, player, drafted, None)


def _begin(session: Session, player: Player, called: Mapping[str, str]) -> Changes:
    """Begin to draft, with the club's words as they are now."""
    club_id = player.club_id
    return Changes(player.id, player.name, called, state_of_words(session, club_id), load_apart(session, club_id))


def _rename(session: Session, player: Player, drafted: Changes, deleted_at: datetime | None) -> None:
    """Write what was drafted, and call the player and those merged into them so; raises `Moved`."""
    write_changes(session, player.club_id, drafted)
    called = drafted.called[player.id]
    then: dict[str, Any] = {"deleted_name": Seat.name_then, "name_then": called}
    if deleted_at is None:
        then = {"name_then": func.coalesce(Seat.deleted_name, called), "deleted_name": None}
    seats = update(Seat).where(Seat.club_id == player.club_id, Seat.player_id == player.id).values(then)
    session.execute(seats.execution_options(synchronize_session=False))
    for one in _persons(session, player):
        one.deleted_name = None if deleted_at is None else one.name
        one.name, one.folded_name = drafted.called[one.id], fold_name(drafted.called[one.id])
    player.deleted_at = deleted_at
    session.flush()
    session.expire_all()


def _removed(session: Session, club_id: str, player_id: str) -> Player:
    player = session.get(Player, (club_id, player_id))
    if player is None or player.deleted_at is None:
        raise NotFound("player")
    if player.deleted_name is None or until(player.deleted_at) is None:
        refuse_nameless(player)
    return player


def _persons(session: Session, player: Player) -> list[Player]:
    """Return a player, and those merged into them."""
    merged = select(Player).where(Player.club_id == player.club_id, Player.merged_into == player.id)
    return [player, *session.scalars(merged.order_by(Player.id))]


def _called(session: Session, club: Club, player: Player) -> dict[str, str]:
    """Return stand-ins by id, for a player and those merged into it: they say no more than that someone played."""
    known = set(session.scalars(select(Player.folded_name).where(Player.club_id == club.id)))
    with speaking(club.language):
        numbered = (say("deleted.player-name", n=number) for number in count(1))
        free = (name for name in numbered if fold_name(name) not in known)
        return {who.id: next(free) for who in _persons(session, player)}
