"""Delete and restore, for pages and the JSON interface: drafted while others may write, then saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from werkzeug.exceptions import ServiceUnavailable

from referee.records.deletion import of_club, of_match, of_player
from referee.records.deletion.changes import Changes
from referee.records.deletion.texts import Text, find_staying, find_texts
from referee.records.deletion.waiting import Lost
from referee.records.errors import Conflict, Deleted, NotFound
from referee.records.models import Club, Match, Player
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.server.long_work import reading_all_of
from referee.web.transfer.forms import Pauses
from referee.web.words import say

LOOKS = 3
"""Times that the texts of a club are looked through while others go on writing."""


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


def list_texts(player_id: str) -> Sequence[Text]:
    """List the texts that a player's name is in, those first that deleting it takes out; 401, 403, 404, 410, 503."""
    with reading_all_of(guards.get_club(write=True).id):
        return find_texts(guards.records(), whose(player_id), Pauses())


def list_staying(player_id: str) -> Sequence[str]:
    """List by title the rulebooks that keep a player's name; 401, 403, 404, 410."""
    return find_staying(guards.records(), whose(player_id), Pauses())


def delete_player(player_id: str, chosen: Mapping[str, str | None] | None = None) -> Lost:
    """Delete a player's name and commit; one that is deleted already stays so. `chosen` as in `draft_removal`.

    The texts are looked through while others save; whoever saves meanwhile has them looked through again, up to three
    times, and then nothing is deleted: 503.
    """
    club, session, looks = guards.get_club(write=True), guards.records(), count(1)

    def draft() -> Changes:
        if next(looks) > LOOKS:
            raise ServiceUnavailable(say("deletion.busy"), retry_after=60)
        return of_player.draft_removal(session, whose(player_id), chosen, Pauses())

    def write(drafted: Changes) -> None:
        of_player.write_removal(session, guards.get_club(write=True), drafted)

    try:
        with reading_all_of(club.id):
            save(draft, write)
    except Deleted as gone:
        if gone.until is None:
            raise
    player = session.get_one(Player, (club.id, player_id))
    player = session.get_one(Player, (club.id, player.merged_into or player.id))
    if player.deleted_at is None:
        raise Conflict(say("deletion.restored-meanwhile"))
    return of_player.losses_of_names(session, [player])[0]


def whose(player_id: str) -> Player:
    """Return a player, or the one that it was merged into, to whom its name belongs; 401, 403, 404, 410."""
    player = guards.get_player(player_id, write=True)
    return guards.get_player(player.merged_into, write=True) if player.merged_into else player


def restore_player(player_id: str) -> Player:
    """Restore a player's name and commit; one that has it is left alone, whoever restored it."""
    session, club_id = guards.records(), guards.get_club(write=True).id
    merged = session.get(Player, (club_id, player_id))
    player_id = merged.merged_into or player_id if merged is not None else player_id

    def draft() -> Changes | None:
        there = session.get(Player, (club_id, player_id))
        named = there is not None and there.deleted_at is None
        return None if named else of_player.draft_name_return(session, club_id, player_id)

    def write(drafted: Changes | None) -> None:
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
