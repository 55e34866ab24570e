"""Delete and restore, for pages and the JSON interface: drafted while others may write, then saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from referee.records.deletion import of_club, of_match, of_player, waiting
from referee.records.errors import Conflict, Deleted, NotFound
from referee.records.models import Club, Deletion, DeletionKind, Match, Player
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.words import say

T = TypeVar("T")


@dataclass(frozen=True)
class Lost:
    """What was deleted, when, until when it can be restored (None if it can't), and what was deleted with it."""

    kind: DeletionKind
    id: str
    at: datetime
    until: datetime | None
    summary: Mapping[str, Any]


def lost_of(deletion: Deletion, summary: Mapping[str, Any]) -> Lost:
    """Return a deletion as the interface shows it."""
    until = waiting.until(deletion) if waiting.is_restorable(deletion) else None
    return Lost(DeletionKind(deletion.kind), deletion.id, deletion.at, until, summary)


def delete_match(match_id: str) -> Lost:
    """Delete a match and commit; one that is deleted already stays so, and a repeated request does no harm."""
    session = guards.records()

    def draft() -> of_match.DraftedDeletion:
        return of_match.draft_deletion(session, guards.get_match(match_id, write=True))

    def write(drafted: of_match.DraftedDeletion) -> None:
        key = guards.get_key(write=True)
        of_match.write_deletion(session, key.club_id, drafted, key)

    try:
        save(draft, write)
    except Deleted as gone:
        if gone.until is None:
            raise
    return _lost_now(match_id)


def _lost_now(id: str) -> Lost:
    """Return what was just deleted; raises `Conflict` where another phone has restored it meanwhile."""
    club, session = guards.get_club(write=True), guards.records()
    deletion = session.get(Deletion, (club.id, id))
    if deletion is None:
        raise Conflict(say("deletion.restored-meanwhile"))
    return lost_of(deletion, waiting.summary_of(session, deletion))


def restore_match(match_id: str) -> Match:
    """Restore a match and commit; one that is there already is left alone, whoever restored it."""
    session, club_id = guards.records(), guards.get_club(write=True).id

    def draft() -> of_match.DraftedReturn | None:
        there = session.get(Match, (club_id, match_id))
        return None if there is not None else of_match.draft_return(session, club_id, match_id)

    def write(drafted: of_match.DraftedReturn | None) -> None:
        if drafted is not None:
            of_match.write_return(session, club_id, drafted)

    _saved_once(draft, write)
    return session.get_one(Match, (club_id, match_id))


def _saved_once(draft: Callable[[], T], write: Callable[[T], object]) -> None:
    """Draft and write; where another phone restored the same in between, draft anew and find it there."""
    try:
        save(draft, write)
    except NotFound:
        save(draft, write)


def delete_player(player_id: str) -> Lost:
    """Delete a player's name and commit; one that is deleted already stays so."""
    session = guards.records()

    def write(drafted: of_player.DraftedRemoval) -> None:
        of_player.write_removal(session, guards.get_club(write=True), drafted, guards.get_key(write=True))

    try:
        save(lambda: of_player.draft_removal(session, guards.get_player(player_id, write=True)), write)
    except Deleted as gone:
        if gone.until is None:
            raise
    return _lost_now(player_id)


def restore_player(player_id: str) -> Player:
    """Restore a player's name and commit; one that has it is left alone, whoever restored it."""
    session, club_id = guards.records(), guards.get_club(write=True).id

    def draft() -> of_player.DraftedRemoval | None:
        there = session.get(Player, (club_id, player_id))
        named = there is not None and there.removed_at is None
        return None if named else of_player.draft_name_return(session, club_id, player_id)

    def write(drafted: of_player.DraftedRemoval | None) -> None:
        if drafted is not None:
            of_player.write_name_return(session, guards.get_club(write=True), drafted)

    _saved_once(draft, write)
    return session.get_one(Player, (club_id, player_id))


def delete_club(club_id: str) -> Lost:
    """Delete the club of this request's key and commit; `NotFound` for another."""
    club, session = guards.get_club(write=True), guards.records()
    if club.id != club_id:
        raise NotFound("club")
    of_club.delete_club(session, club, guards.get_key(write=True))
    deletion = session.get_one(Deletion, (club_id, club_id))
    found = lost_of(deletion, waiting.summary_of(session, deletion))
    session.commit()
    return found


def restore_club(club_id: str) -> Club:
    """Restore the club of this request's key and commit; one that was not deleted is left alone."""
    key, session = guards.get_restorer(), guards.records()
    if key.club_id != club_id:
        raise NotFound("club")
    if key.revoked_at is not None:
        try:
            of_club.restore_club(session, club_id)
        except NotFound:  # another phone has just restored it
            session.rollback()
            guards.get_key(write=True)
        session.commit()
    return session.get_one(Club, club_id)
