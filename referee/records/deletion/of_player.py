"""Delete a player's name: what the player scored stays, for a stand-in, and nothing says any more who it was."""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from referee.records.club.access import lock_club
from referee.records.deletion.before_1_1 import put_names_back
from referee.records.deletion.changes import Changes, answers_of, persons, reword, state_of_words, write_changes
from referee.records.deletion.texts import at_path, find_texts, load_apart, load_column, placeholder
from referee.records.deletion.waiting import Lost, count_by, refuse_nameless, until
from referee.records.errors import Moved, NotFound
from referee.records.ids import is_id
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
    club = session.get_one(Club, player.club_id)
    changes = Changes(
        player.id, _stand_ins(session, player), state_of_words(session, player), load_apart(session, club.id)
    )
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


def draft_name_return(session: Session, player: Player) -> Changes:
    """Find everything that restoring a player's name changes, without writing anything."""
    club_id, called = player.club_id, {who.id: who.deleted_name or who.name for who in persons(session, player)}
    changes = Changes(player.id, called, state_of_words(session, player), load_apart(session, club_id))
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
        put_names_back(session, player, called[player.id], changes)
    return changes


def write_names(session: Session, club_id: str, drafted: Changes) -> None:
    """Delete or restore a player's name, as drafted; raises `Moved`, and `Impossible` where another has it by now."""
    lock_club(session, club_id)
    player = session.get_one(Player, (club_id, drafted.player_id))
    restores, called = player.deleted_at is not None, drafted.called
    write_changes(session, player, drafted)
    if not restores and _stand_ins(session, player) != called:
        raise Moved
    folded = {id: fold_name(name) for id, name in called.items()}
    others = (Player.club_id == club_id, Player.id.not_in(called), Player.folded_name.in_(folded.values()))
    taken = session.scalar(select(Player.name).where(*others).limit(1))
    if taken is not None:
        raise Impossible([Problem("name", say("deleted.name-taken", name=taken))])
    then: dict[str, Any] = {"deleted_name": Seat.name_then, "name_then": called[player.id]}
    if restores:
        then = {"name_then": func.coalesce(Seat.deleted_name, called[player.id]), "deleted_name": None}
    seats = update(Seat).where(Seat.club_id == club_id, Seat.player_id == player.id).values(then)
    session.execute(seats.execution_options(synchronize_session=False))
    for one in persons(session, player):
        one.deleted_name = None if restores else one.name
        one.name, one.folded_name = called[one.id], folded[one.id]
    player.deleted_at = None if restores else now()
    session.flush()
    session.expire_all()


def _stand_ins(session: Session, player: Player) -> dict[str, str]:
    """Return stand-ins by id, for a player and those merged into it: they say no more than that someone played."""
    club = session.get_one(Club, player.club_id)
    known = set(session.scalars(select(Player.folded_name).where(Player.club_id == club.id)))
    with speaking(club.language):
        numbered = (say("deleted.player-name", n=number) for number in count(1))
        free = (name for name in numbered if fold_name(name) not in known)
        return {who.id: next(free) for who in persons(session, player)}
