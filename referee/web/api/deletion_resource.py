"""Delete matches, players' names and clubs, and restore them."""

from collections.abc import Mapping
from typing import Annotated, Any

from flask import Response, url_for
from pydantic import Field

from referee.records.deletion.of_club import list_restorable, losses_of
from referee.records.deletion.waiting import Lost
from referee.records.models import Club, Player
from referee.records.names import LONGEST_NOTE
from referee.rules.text.problem import DECOMPOSED
from referee.web.api.endpoint import MOST_PARTS, Answer, Moment, Request, Resource
from referee.web.api.player_resource import PlayerDocument
from referee.web.api.shapes import MatchDocument, respond_with_match
from referee.web.deletion import saving
from referee.web.server import guards

resource = Resource("deletions")


class DeletionDocument(Answer):
    """Something that was deleted."""

    id: str
    kind: str = Field(description="match, player, season, evening or club")
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


PAGE = 50
"""Texts listed at a time."""


class TextsQuery(Request):
    """Where a page of texts begins."""

    first: Annotated[int, Field(ge=0, le=10_000_000, description="how many texts come before")] = 0


class TextDocument(Answer):
    """A text that a player’s name is in."""

    id: str
    kind: str = Field(description="table and field, as `matches.note`")
    match: str | None = Field(validation_alias="match_id", description="the match it belongs to, if any")
    words: str
    ticked: bool = Field(description="the name stands free in it, so that it is taken out by default")
    apart: bool = Field(description="it was taken out before, with another name")


class TextsDocument(Answer):
    """The texts that a player’s name is in."""

    texts: list[TextDocument]
    count: int
    staying: list[str] = Field(description="titles of rulebooks that matches were agreed on, which keep the name")
    next: str | None


Place = Annotated[str, Field(max_length=200)]
"""A text's id."""


class RemovalRequest(Request):
    """Which texts go with a name; without `texts` those in which it stands free."""

    texts: Annotated[list[Place], Field(max_length=MOST_PARTS)] | None = Field(
        None, description="ids of the texts that are taken out"
    )
    words: dict[Place, Annotated[str, Field(max_length=DECOMPOSED * LONGEST_NOTE)]] = Field(
        default_factory=dict, max_length=MOST_PARTS, description="what stands in place of some of them, by id"
    )


@resource.endpoint("GET", "/deletions", access="scorekeeper", answer=DeletionsDocument)
def list_deletions() -> Mapping[str, Any]:
    """List the matches, players, seasons and evenings that the club can restore, the latest first."""
    return {"deletions": list_restorable(guards.records(), guards.get_club(write=True).id)}


@resource.endpoint("DELETE", "/matches/<match_id>", answer=DeletionDocument)
def delete_match(match_id: str) -> Lost:
    """Delete a match; it can be restored for 30 days, and deleting it again changes nothing."""
    return losses_of(guards.records(), [saving.turn_match(match_id, deleted=True)])[0]


@resource.endpoint("POST", "/matches/<match_id>/restore", answer=MatchDocument)
def restore_match(match_id: str) -> Response:
    """Restore a deleted match; one that was not deleted stays as it is."""
    return respond_with_match(saving.turn_match(match_id, deleted=False))


@resource.endpoint("GET", "/players/<player_id>/deletion", access="scorekeeper", query=TextsQuery, answer=TextsDocument)
def list_texts(player_id: str, query: TextsQuery) -> Mapping[str, Any]:
    """List the texts that a player’s name is in, 50 at a time: first those that deleting the name takes out."""
    texts, first = saving.list_texts(player_id), query.first
    shown, rest = texts[first : first + PAGE], texts[first + PAGE :]
    following = url_for("api.deletions_list_texts", player_id=player_id, first=first + PAGE) if rest else None
    staying = saving.list_staying(player_id)
    return {"texts": shown, "count": len(texts), "staying": staying, "next": following}


@resource.endpoint("DELETE", "/players/<player_id>", body=RemovalRequest, answer=DeletionDocument, problems=(409,))
def delete_player(player_id: str, body: RemovalRequest) -> Lost:
    """Delete a player’s name in all matches, which keep their points; it can be restored for 30 days.

    Texts with the name are taken out whole: those in which it stands free, or those that `texts` chooses. `words` has
    others to put in place of some.
    """
    texts = body.texts
    if texts is None and body.words:
        texts = [text.id for text in saving.list_texts(player_id) if text.ticked]
    chosen = None if texts is None else {id: body.words.get(id) for id in (*texts, *body.words)}
    return saving.delete_player(player_id, chosen)


@resource.endpoint("POST", "/players/<player_id>/restore", answer=PlayerDocument, problems=(422,))
def restore_player(player_id: str) -> Player:
    """Restore a player's name; one whose name was not deleted keeps it."""
    return saving.restore_player(player_id)


@resource.endpoint("DELETE", "/clubs/<club_id>", answer=DeletionDocument, problems=(410,))
def delete_club(club_id: str) -> Lost:
    """Delete the club; all its keys answer 410 from then on, and for 30 days one that keeps score can restore it."""
    return saving.delete_club(club_id)


@resource.endpoint("POST", "/clubs/<club_id>/restore", access="restorer", answer=RestoredClubDocument, problems=(410,))
def restore_club(club_id: str) -> Club:
    """Restore a deleted club with its keys; one that was not deleted stays as it is."""
    return saving.restore_club(club_id)
