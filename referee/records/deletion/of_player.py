"""Delete a player's name: what the player scored stays, for a stand-in, and nothing says any more who it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from sqlalchemy import Select, select, update
from sqlalchemy.orm import Session

from referee.records.access import lock_club
from referee.records.deletion.renaming import Names, Renaming, draft_renaming, write_renaming
from referee.records.deletion.waiting import Lost, count_by, refuse_nameless, until
from referee.records.errors import Moved, NotFound
from referee.records.models import Club, DeletionKind, Player, RoundScore, Seat, now, of_live_match
from referee.records.names import fold_name
from referee.records.players import get_player
from referee.records.words import say
from referee.rules.problem import Impossible, Problem


@dataclass(frozen=True)
class DraftedRemoval:
    """A player's name about to be deleted, or given back."""

    player_id: str
    name: str
    """what the player is called so far"""
    called: Mapping[str, str]
    """new names by player: this one, and those merged into it"""
    renaming: Renaming


def losses_of_names(session: Session, players: Sequence[Player]) -> list[Lost]:
    """Return what goes, or went, with the names of some players of one club."""
    if not players:
        return []
    club_id, ids = players[0].club_id, [player.id for player in players]
    sat = (Seat.club_id == club_id, Seat.player_id.in_(ids), of_live_match(Seat.match_id))
    at = select(Seat.match_id).where(*sat)
    scored = (RoundScore.club_id == club_id, RoundScore.match_id.in_(at), RoundScore.player_id.in_(ids))
    found = []
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
        found.append(Lost(DeletionKind.PLAYER, player.id, moment, until(moment), loss))
    return found


def draft_removal(session: Session, player: Player) -> DraftedRemoval:
    """Find everything in which a player is named, without writing anything."""
    club_id = player.club_id
    merged = session.scalars(_merged(player)).all()
    at = {match_id: frozenset({name}) for match_id, name in session.execute(_seated(player, Seat.name_then))}
    stand_ins = _stand_ins(session, club_id)
    called = {one.id: stand_in for one, stand_in in zip((player, *merged), stand_ins, strict=False)}
    everywhere = frozenset({player.name, *(one.name for one in merged)})
    names = Names(everywhere, at, called[player.id], {}, _shorter(called[player.id]))
    return DraftedRemoval(player.id, player.name, called, draft_renaming(session, club_id, player.id, names))


def write_removal(session: Session, club: Club, drafted: DraftedRemoval) -> None:
    """Delete a player's name; raises `Moved` when something has changed since it was read, `NotFound`, `Deleted`."""
    lock_club(session, club.id)
    player = get_player(session, club.id, drafted.player_id)
    if player.name != drafted.name:
        raise Moved
    seats = update(Seat).where(Seat.club_id == club.id, Seat.player_id == player.id)
    session.execute(seats.values(deleted_name=Seat.name_then).execution_options(synchronize_session=False))
    write_renaming(session, club.id, drafted.renaming)
    for id, name in drafted.called.items():
        one = session.get_one(Player, (club.id, id))
        one.deleted_name, one.name, one.folded_name = one.name, name, fold_name(name)
    player.deleted_at = now()
    session.flush()


def draft_name_return(session: Session, club_id: str, player_id: str) -> DraftedRemoval:
    """Find everything in which a stand-in is named; raises `NotFound`, and `Deleted` where the name is gone."""
    player = _removed(session, club_id, player_id)
    name = player.deleted_name or player.name
    called = {one.id: one.deleted_name or one.name for one in (player, *session.scalars(_merged(player)))}
    then = {match_id: old or name for match_id, old in session.execute(_seated(player, Seat.deleted_name))}
    names = Names(frozenset({player.name, _shorter(player.name)[0]}), {}, name, then)
    return DraftedRemoval(player.id, player.name, called, draft_renaming(session, club_id, player.id, names))


def write_name_return(session: Session, club: Club, drafted: DraftedRemoval) -> None:
    """Restore a player's name; raises as `draft_name_return`, `Moved`, and `Impossible` where it is taken."""
    lock_club(session, club.id)
    player = _removed(session, club.id, drafted.player_id)
    folded = [fold_name(name) for name in drafted.called.values()]
    others = (Player.club_id == club.id, Player.id.not_in(drafted.called))
    taken = session.scalar(select(Player).where(*others, Player.folded_name.in_(folded)).limit(1))
    if taken is not None:
        raise Impossible([Problem("name", say("deleted.name-taken", name=taken.name))])
    write_renaming(session, club.id, drafted.renaming)
    seats = update(Seat).where(Seat.club_id == club.id, Seat.player_id == player.id)
    session.execute(seats.values(deleted_name=None).execution_options(synchronize_session=False))
    for id, name in drafted.called.items():
        one = session.get_one(Player, (club.id, id))
        one.deleted_name, one.name, one.folded_name = None, name, fold_name(name)
    player.deleted_at = None
    session.flush()


def _removed(session: Session, club_id: str, player_id: str) -> Player:
    player = session.get(Player, (club_id, player_id))
    if player is None or player.deleted_at is None:
        raise NotFound("player")
    if player.deleted_name is None or until(player.deleted_at) is None:
        refuse_nameless(player)
    return player


def _merged(player: Player) -> Select[Player]:
    return select(Player).where(Player.club_id == player.club_id, Player.merged_into == player.id)


def _seated(player: Player, name: Any) -> Select[str, Any]:
    return select(Seat.match_id, name).where(Seat.club_id == player.club_id, Seat.player_id == player.id)


def _shorter(stand_in: str) -> Sequence[str]:
    """Return what stands for a stand-in where there is no room for it; the last fits wherever the name did."""
    number = stand_in.rpartition(" ")[2]
    return say("deleted.player-short", n=number), say("deleted.player-shortest")


def _stand_ins(session: Session, club_id: str) -> Iterator[str]:
    """Yield names that say no more than that someone played; each has a number, so that none is a part of another."""
    known = set(session.scalars(select(Player.folded_name).where(Player.club_id == club_id)))
    named = (say("deleted.player-name", n=number) for number in count(1))
    return (name for name in named if fold_name(name) not in known)
