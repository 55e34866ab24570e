"""Delete and restore, for pages and the JSON interface: drafted while others may write, then saved."""

from __future__ import annotations

from referee.records.deletion import of_club, of_match, of_player
from referee.records.deletion.waiting import Lost
from referee.records.errors import Conflict, Deleted, NotFound
from referee.records.models import Club, Match, Player
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.words import say


def delete_match(match_id: str) -> Lost:
    """Delete a match and commit; one that is deleted already stays so, and a repeated request does no harm."""
    club, session = guards.get_club(write=True), guards.records()
    try:
        save(lambda: of_match.delete_match(session, guards.get_match(match_id, write=True)))
    except Deleted as gone:
        if gone.until is None:
            raise
    match = of_match.find_match(session, club.id, match_id)
    if match.deleted_at is None:
        raise Conflict(say("deletion.restored-meanwhile"))
    return of_match.losses_of(session, [match])[0]


def restore_match(match_id: str) -> Match:
    """Restore a match and commit; one that is there already is left alone, whoever restored it."""
    return save(lambda: of_match.restore_match(guards.records(), guards.get_club(write=True).id, match_id))


def delete_player(player_id: str) -> Lost:
    """Delete a player's name and commit; one that is deleted already stays so."""
    club, session = guards.get_club(write=True), guards.records()

    def write(drafted: of_player.DraftedRemoval) -> None:
        of_player.write_removal(session, guards.get_club(write=True), drafted)

    try:
        save(lambda: of_player.draft_removal(session, guards.get_player(player_id, write=True)), write)
    except Deleted as gone:
        if gone.until is None:
            raise
    player = session.get_one(Player, (club.id, player_id))
    if player.deleted_at is None:
        raise Conflict(say("deletion.restored-meanwhile"))
    return of_player.losses_of_names(session, [player])[0]


def restore_player(player_id: str) -> Player:
    """Restore a player's name and commit; one that has it is left alone, whoever restored it."""
    session, club_id = guards.records(), guards.get_club(write=True).id

    def draft() -> of_player.DraftedRemoval | None:
        there = session.get(Player, (club_id, player_id))
        named = there is not None and there.deleted_at is None
        return None if named else of_player.draft_name_return(session, club_id, player_id)

    def write(drafted: of_player.DraftedRemoval | None) -> None:
        if drafted is not None:
            of_player.write_name_return(session, guards.get_club(write=True), drafted)

    try:
        save(draft, write)
    except NotFound:  # another phone restored it in between
        save(draft, write)
    return session.get_one(Player, (club_id, player_id))


def delete_club(club_id: str) -> Lost:
    """Delete the club of this request's key and commit; `NotFound` for another."""
    club, session = guards.get_club(write=True), guards.records()
    if club.id != club_id:
        raise NotFound("club")
    return save(lambda: of_club.delete_club(session, club, guards.get_key(write=True)))


def restore_club(club_id: str) -> Club:
    """Restore the club of this request's key and commit; one that was not deleted is left alone."""
    key, session = guards.get_restorer(), guards.records()
    if key.club_id != club_id:
        raise NotFound("club")
    return save(lambda: of_club.restore_club(session, club_id))
