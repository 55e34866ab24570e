"""Delete matches, players' names and clubs, and restore them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response
from pydantic import Field

from referee.records.deletion.of_club import list_restorable
from referee.records.deletion.waiting import Lost
from referee.records.models import Club, Player
from referee.web.api.endpoint import Answer, Moment, Resource
from referee.web.api.player_resource import PlayerDocument
from referee.web.api.shapes import MatchDocument, respond_with_match
from referee.web.deletion import saving
from referee.web.server import guards

resource = Resource("deletions")


class DeletionDocument(Answer):
    """Something that was deleted."""

    id: str
    kind: str = Field(description="match, player or club")
    deleted_at: Moment = Field(validation_alias="at")
    restorable_until: Moment | None = Field(validation_alias="until", description="null once it is gone for good")
    lost: dict[str, Any] = Field(
        validation_alias="summary", description="what went with it, as far as it can be restored"
    )


class DeletionsDocument(Answer):
    """What a club can restore."""

    deletions: list[DeletionDocument]


class RestoredClubDocument(Answer):
    """A club that is there again."""

    id: str
    name: str


@resource.endpoint("GET", "/deletions", access="scorekeeper", answer=DeletionsDocument)
def list_deletions() -> Mapping[str, Any]:
    """List the matches and players that the club can restore, the latest first."""
    club = guards.get_club(write=True)
    return {"deletions": list_restorable(guards.records(), club.id)}


@resource.endpoint("DELETE", "/matches/<match_id>", access="scorekeeper", answer=DeletionDocument)
def delete_match(match_id: str) -> Lost:
    """Delete a match; it can be restored for 30 days, and deleting it again changes nothing."""
    return saving.delete_match(match_id)


@resource.endpoint("POST", "/matches/<match_id>/restore", access="scorekeeper", answer=MatchDocument)
def restore_match(match_id: str) -> Response:
    """Restore a deleted match; one that was not deleted stays as it is."""
    match = saving.restore_match(match_id)
    return respond_with_match(match)


@resource.endpoint("DELETE", "/players/<player_id>", access="scorekeeper", answer=DeletionDocument)
def delete_player(player_id: str) -> Lost:
    """Delete a player's name in all matches, which keep their points; it can be restored for 30 days."""
    return saving.delete_player(player_id)


@resource.endpoint("POST", "/players/<player_id>/restore", access="scorekeeper", answer=PlayerDocument, problems=(422,))
def restore_player(player_id: str) -> Player:
    """Restore a player's name; one whose name was not deleted keeps it."""
    return saving.restore_player(player_id)


@resource.endpoint("DELETE", "/clubs/<club_id>", access="scorekeeper", answer=DeletionDocument, problems=(410,))
def delete_club(club_id: str) -> Lost:
    """Delete the club; all its keys answer 410 from then on, and for 30 days one that keeps score can restore it."""
    return saving.delete_club(club_id)


@resource.endpoint("POST", "/clubs/<club_id>/restore", access="restorer", answer=RestoredClubDocument, problems=(410,))
def restore_club(club_id: str) -> Club:
    """Restore a deleted club with its keys; one that was not deleted stays as it is."""
    return saving.restore_club(club_id)
