"""Matches: start, read, finish and amend them; let players join and leave."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from flask import Response, url_for
from pydantic import Field

from referee.records.club import players
from referee.records.ids import LENGTH
from referee.records.match import history, matches
from referee.records.match.history import LONGEST_SEARCH
from referee.records.match.plans import MatchPlan, check_plan
from referee.records.match.sheets import load_summaries
from referee.records.models import Match
from referee.rules.scoring.round_entry import MOST_NAMES
from referee.rules.text.problem import Impossible, Problem
from referee.web.api.endpoint import Answer, Moment, Request, Resource
from referee.web.api.shapes import (
    AgreedFields,
    CustomRules,
    FacePoints,
    HouseRules,
    Line,
    MatchDocument,
    Name,
    Note,
    Number,
    Rule,
    Teams,
    Totals,
    Word,
    as_planned,
    match_etag,
    nested_field,
    respond_saved,
    respond_with_match,
)
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.server.headers import unless_cached
from referee.web.words import say

resource = Resource("matches")
ETAG = {"If-None-Match": "the ETag of the document you have; 304 if it is still current"}


class MatchRequest(AgreedFields):
    """What a table agrees on before the first deal; players in clockwise order."""

    players: Annotated[list[Name], Field(max_length=MOST_NAMES)]
    dealer: Name | None = None
    blank_effect: Rule | None = None
    teams: Teams = None
    opening_totals: Totals = Field(default_factory=dict)
    name: Line = ""
    location: Line = ""
    note: Note = ""


class MatchChange(Request):
    """A match's new name, location or note."""

    name: Line | None = None
    location: Line | None = None
    note: Note | None = None


class MatchQuery(Request):
    """Which matches to list."""

    player: str | None = Field(None, description="a player's id or name", max_length=200)
    rulebook: str | None = Field(None, pattern="^[a-z0-9-]{1,40}$")
    status: Word | None = None
    year: Number | None = None
    search: Annotated[str | None, Field(max_length=LONGEST_SEARCH)] = None
    before: Annotated[str | None, Field(max_length=LENGTH)] = None


class StruckQuery(Request):
    """Whether to include struck rounds."""

    struck: bool = False


class JoinRequest(Request):
    """A player who joins a match in progress, with the total the table agrees on."""

    player: Name
    total: int


class AmendmentRequest(Request):
    """A rule change from the next round on; fields left out stay, and a null target or number of rounds means none."""

    house_rules: HouseRules | None = None
    target: int | None = None
    rounds_to_play: int | None = None
    face_points: FacePoints = None
    custom_rules: CustomRules | None = None
    note: Note = ""


class MatchSummaryDocument(Answer):
    """A match in a list."""

    id: str = nested_field("match", "id")
    status: str = nested_field("match", "status")
    rulebook: str = nested_field("match", "rulebook")
    players: list[str]
    totals: dict[str, int]
    winners: list[str]
    name: str = nested_field("match", "name")
    location: str = nested_field("match", "location")
    started_at: Moment = nested_field("match", "started_at")
    finished_at: Moment | None = nested_field("match", "finished_at")


class MatchesDocument(Answer):
    """A page of matches, newest first, and the link to the next page."""

    matches: list[MatchSummaryDocument]
    next: str | None


@resource.endpoint("GET", "/matches", query=MatchQuery, answer=MatchesDocument)
def list_matches(query: MatchQuery) -> Mapping[str, Any]:
    """List matches, newest first, fifty a page."""
    filters = query.model_dump(exclude_none=True)
    club = guards.get_club()
    if query.player is not None:
        player = players.find_player(guards.records(), club.id, query.player, "player")
        filters["player"] = player.id if player is not None else query.player
    page = history.list_matches(guards.records(), club, **filters)
    following = url_for("api.matches_list_matches", **(filters | {"before": page.next})) if page.next else None
    return {"matches": load_summaries(guards.records(), page.matches), "next": following}


@resource.endpoint("POST", "/matches", body=MatchRequest, answer=MatchDocument, status=201)
def start_match(body: MatchRequest) -> Response:
    """Start a match, which stores a copy of the rules that were agreed on."""
    plan = MatchPlan(**as_planned(body.model_dump()) | {"blank_effect": body.blank_effect or ""})
    checked = check_plan(guards.records(), guards.get_club(write=True), plan)

    def start() -> Match:
        return matches.start_match(guards.records(), guards.get_club(), plan, guards.get_key(), checked=checked)

    match = save(start)
    response = respond_saved(match, 201)
    response.headers["Location"] = url_for("api.matches_show_match", match_id=match.id)
    return response


@resource.endpoint("GET", "/matches/<match_id>", query=StruckQuery, answer=MatchDocument, problems=(304,), headers=ETAG)
def show_match(match_id: str, query: StruckQuery) -> Response:
    """Return a match as it is now; 304 if the client has it already."""
    match = guards.get_match(match_id)
    etag = match_etag(match) + ("-struck" if query.struck else "")
    return unless_cached(etag, lambda: respond_with_match(match))


@resource.endpoint("PATCH", "/matches/<match_id>", body=MatchChange, answer=MatchDocument)
def change_match(match_id: str, body: MatchChange) -> Response:
    """Change a match's name, location or note."""
    return _change(match_id, lambda match: matches.change_details(guards.records(), match, **body.model_dump()))


@resource.endpoint("POST", "/matches/<match_id>/finish", answer=MatchDocument)
def finish(match_id: str) -> Response:
    """Finish a match by hand; the leader wins."""
    return _change(match_id, lambda match: matches.finish(guards.records(), match, guards.get_key()))


@resource.endpoint("POST", "/matches/<match_id>/abandon", answer=MatchDocument)
def abandon(match_id: str) -> Response:
    """Abandon a match; it stays in the history, without winners."""
    return _change(match_id, lambda match: matches.abandon(guards.records(), match, guards.get_key()))


@resource.endpoint("POST", "/matches/<match_id>/reopen", answer=MatchDocument)
def reopen(match_id: str) -> Response:
    """Reopen a match, for instance for one more round after a tie."""
    return _change(match_id, lambda match: matches.reopen(guards.records(), match, guards.get_key()))


@resource.endpoint("POST", "/matches/<match_id>/rematch", answer=MatchDocument, status=201, problems=(422,))
def rematch(match_id: str) -> Response:
    """Start the next match of the same players under the same rules; the deal moves on."""

    def start() -> Match:
        match = guards.get_match(match_id, write=True)
        return matches.rematch(guards.records(), guards.get_club(write=True), match, guards.get_key())

    return respond_saved(save(start), 201)


@resource.endpoint("POST", "/matches/<match_id>/players", body=JoinRequest, answer=MatchDocument, status=201)
def join(match_id: str, body: JoinRequest) -> Response:
    """Add a player to a match in progress, with the total the table agrees on."""

    def join(match: Match) -> None:
        matches.join(guards.records(), guards.get_club(), match, body.player, body.total, guards.get_key())

    return _change(match_id, join, 201)


@resource.endpoint("DELETE", "/matches/<match_id>/players/<player_id>", answer=MatchDocument, problems=(422,))
def leave(match_id: str, player_id: str) -> Response:
    """Take a player out of a match in progress; their scores stay."""
    return _change(match_id, lambda match: matches.leave(guards.records(), match, player_id, guards.get_key()))


@resource.endpoint("POST", "/matches/<match_id>/amendments", body=AmendmentRequest, answer=MatchDocument, status=201)
def amend(match_id: str, body: AmendmentRequest) -> Response:
    """Change the rules of a match from the next round on."""
    match = guards.get_match(match_id, write=True)
    if not body.model_fields_set:
        raise Impossible([Problem("body", say("request.no-change"))])
    given = as_planned(body.model_dump(exclude={"note"}, exclude_unset=True))
    changes = {name: value for name, value in given.items() if value is not None or name in matches.MAY_BE_OPEN}
    checked = matches.check_amendment(guards.records(), match, changes, body.note)

    def amend(match: Match) -> None:
        matches.amend(guards.records(), match, changes, guards.get_key(), note=body.note, checked=checked)

    return _change(match_id, amend, 201)


def _change(match_id: str, change: Callable[[Match], object], status: int = 200) -> Response:
    """Change a match, and return it as it is then; no lock is held while it is drawn."""

    def write() -> Match:
        match = guards.get_match(match_id, write=True)
        change(match)
        return match

    return respond_saved(save(write), status)
