"""Delete a player's name: what the player scored stays, for a stand-in, and nothing says any more who it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from referee.records.access import lock_club
from referee.records.deletion import waiting
from referee.records.deletion.renaming import Names, Renaming, draft_renaming, write_renaming
from referee.records.errors import Moved, NotFound
from referee.records.models import Club, Deletion, DeletionKind, Key, Player, RoundScore, Seat
from referee.records.names import fold_name
from referee.records.players import get_player
from referee.records.words import say
from referee.rules.problem import Impossible, Problem

NAMES_THEN, MERGED = "names_then", "merged"
"""Keys of what is noted for giving the name back: what the player was called at each match, and merged names by id."""


@dataclass(frozen=True)
class DraftedRemoval:
    """A player's name about to be deleted, or given back."""

    player_id: str
    name: str
    """what the player is called so far"""
    called: Mapping[str, str]
    """new names by player: this one, and those merged into it"""
    summary: Mapping[str, Any]
    """what is noted of the name, and in how many matches and rounds it stands"""
    renaming: Renaming


def draft_removal(session: Session, player: Player) -> DraftedRemoval:
    """Find everything in which a player is named, without writing anything."""
    club_id = player.club_id
    merged = session.scalars(select(Player).where(Player.club_id == club_id, Player.merged_into == player.id)).all()
    seated = (Seat.club_id == club_id, Seat.player_id == player.id)
    then = dict(session.execute(select(Seat.match_id, Seat.name_then).where(*seated)).all())
    matches = select(Seat.match_id).where(*seated)
    scored = (RoundScore.club_id == club_id, RoundScore.match_id.in_(matches), RoundScore.player_id == player.id)
    stand_ins = _stand_ins(session, club_id)
    called = {one.id: stand_in for one, stand_in in zip((player, *merged), stand_ins, strict=False)}
    everywhere = frozenset({player.name, *(one.name for one in merged)})
    at = {match_id: frozenset({name}) for match_id, name in then.items()}
    names = Names(everywhere, at, called[player.id], {}, _shorter(called[player.id]))
    summary = {
        "name": player.name,
        "matches": len(then),
        "rounds": session.scalar(select(func.count()).where(*scored)),
        "active": player.active,
        NAMES_THEN: then,
        MERGED: {one.id: one.name for one in merged},
    }
    return DraftedRemoval(player.id, player.name, called, summary, draft_renaming(session, club_id, player.id, names))


def write_removal(session: Session, club: Club, drafted: DraftedRemoval, by: Key | None) -> Deletion:
    """Delete a player's name; raises `Moved` when something has changed since it was read, `NotFound`, `Deleted`."""
    lock_club(session, club.id)
    player = get_player(session, club.id, drafted.player_id)
    if player.name != drafted.name:
        raise Moved
    write_renaming(session, club.id, drafted.renaming)
    deletion = waiting.note_deletion(session, club.id, player.id, DeletionKind.PLAYER, by, dict(drafted.summary))
    _call(session, club.id, drafted.called)
    player.removed_at, player.active = deletion.at, False
    session.flush()
    return deletion


def draft_name_return(session: Session, club_id: str, player_id: str) -> DraftedRemoval:
    """Find everything in which a stand-in is named; raises `NotFound`, and `Deleted` where the name is gone."""
    player, deletion = _removed(session, club_id, player_id)
    summary = waiting.summary_of(session, deletion)
    stand_ins = frozenset({player.name, _shorter(player.name)[0]})
    names = Names(stand_ins, {}, summary["name"], summary[NAMES_THEN])
    called = {player.id: summary["name"], **summary[MERGED]}
    return DraftedRemoval(player.id, player.name, called, summary, draft_renaming(session, club_id, player.id, names))


def write_name_return(session: Session, club: Club, drafted: DraftedRemoval) -> Player:
    """Restore a player's name; raises as `draft_name_return`, `Moved`, and `Impossible` where it is taken."""
    lock_club(session, club.id)
    player, deletion = _removed(session, club.id, drafted.player_id)
    folded = [fold_name(name) for name in drafted.called.values()]
    taken = session.scalar(select(Player).where(Player.club_id == club.id, Player.folded_name.in_(folded)).limit(1))
    if taken is not None:
        raise Impossible([Problem("name", say("deleted.name-taken", name=taken.name))])
    write_renaming(session, club.id, drafted.renaming)
    waiting.forget(session, deletion)
    _call(session, club.id, drafted.called)
    player.removed_at, player.active = None, drafted.summary["active"]
    session.flush()
    return player


def _call(session: Session, club_id: str, called: Mapping[str, str]) -> None:
    for id, name in called.items():
        one = session.get_one(Player, (club_id, id))
        one.name, one.folded_name = name, fold_name(name)
    session.flush()


def _removed(session: Session, club_id: str, player_id: str) -> tuple[Player, Deletion]:
    player, deletion = session.get(Player, (club_id, player_id)), session.get(Deletion, (club_id, player_id))
    if player is None or deletion is None or deletion.kind != DeletionKind.PLAYER:
        raise NotFound("player")
    if not waiting.is_restorable(deletion):
        raise waiting.error_of(deletion)
    return player, deletion


def _shorter(stand_in: str) -> Sequence[str]:
    """Return what stands for a stand-in where there is no room for it; the last fits wherever the name did."""
    number = stand_in.rpartition(" ")[2]
    return say("deleted.player-short", n=number), say("deleted.player-shortest")


def _stand_ins(session: Session, club_id: str) -> Iterator[str]:
    """Yield names that say no more than that somebody played; each has a number, so that none is a part of another."""
    known = set(session.scalars(select(Player.folded_name).where(Player.club_id == club_id)))
    named = (say("deleted.player-name", n=number) for number in count(1))
    return (name for name in named if fold_name(name) not in known)
