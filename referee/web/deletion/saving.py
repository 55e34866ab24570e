"""Delete and restore, for pages and the JSON interface: drafted while others may write, then saved."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count

from werkzeug.exceptions import ServiceUnavailable

from referee.records.deletion import of_club, of_player
from referee.records.deletion.of_player import Changes
from referee.records.deletion.texts import Text, find_staying, find_texts
from referee.records.deletion.waiting import Lost, refuse_nameless
from referee.records.errors import NotFound
from referee.records.evening import evenings
from referee.records.models import Club, Evening, Match, Player
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.server.long_work import reading_all_of
from referee.web.transfer.forms import Pauses
from referee.web.words import say

LOOKS = 3
"""Times that the texts of a club are looked through while others go on writing."""


def turn_match(match_id: str, *, deleted: bool) -> Match:
    """Delete a match or restore it, and commit; one in that state stays so. 401, 403, 404, 410 once it is gone."""
    club = guards.get_club(write=True)
    return save(lambda: of_club.turn_match(guards.records(), club.id, match_id, deleted=deleted))


def turn_evening(evening_id: str, *, deleted: bool) -> Evening:
    """Delete an evening or restore it, and commit; one in that state stays so. 401, 403, 404."""
    club = guards.get_club(write=True)
    return save(lambda: evenings.turn_evening(guards.records(), club.id, evening_id, deleted=deleted))


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
    looks = count(1)

    def draft(player: Player) -> Changes:
        if next(looks) > LOOKS:
            raise ServiceUnavailable(say("deletion.busy"), retry_after=60)
        return of_player.draft_removal(guards.records(), player, chosen, Pauses())

    with reading_all_of(guards.get_club(write=True).id):
        player = _turn_name(player_id, draft, deleted=True)
    return of_player.losses_of_names(guards.records(), [player])[0]


def restore_player(player_id: str) -> Player:
    """Restore a player's name and commit; one that has it is left alone. 401, 403, 404, 410, 422."""
    return _turn_name(player_id, lambda player: of_player.draft_name_return(guards.records(), player), deleted=False)


def _turn_name(player_id: str, draft: Callable[[Player], Changes], *, deleted: bool) -> Player:
    session, club_id = guards.records(), guards.get_club(write=True).id
    find = partial(of_player.find_player, session, club_id, player_id)

    def write(changes: Changes | None) -> None:
        if changes is not None:
            of_player.write_names(session, club_id, changes)

    save(lambda: draft(player) if deleted == ((player := find()).deleted_at is None) else None, write)
    return find()


def whose(player_id: str) -> Player:
    """Return the player to whom a name belongs, perhaps one that it was merged into; 401, 403, 404, 410."""
    player = of_player.find_player(guards.records(), guards.get_club(write=True).id, player_id)
    refuse_nameless(player)
    return player


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
