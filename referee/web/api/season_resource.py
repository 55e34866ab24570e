"""Seasons: what they say, and how they stand, counted from the club's matches."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from flask import Response, url_for
from pydantic import BeforeValidator, Field
from werkzeug.exceptions import PreconditionFailed

from referee.records.club.players import find_player
from referee.records.errors import MOST_PLAYERS
from referee.records.models import Season
from referee.records.names import LONGEST_LINE
from referee.records.season import seasons
from referee.records.season.points import Count
from referee.records.season.seasons import DAYS, MOST_EVENINGS, MOST_RULEBOOKS, Rules, SeasonDraft
from referee.rules.text.problem import Impossible, Problem
from referee.web.api.endpoint import ONCE, Answer, Moment, Request, Resource, respond, save_once
from referee.web.api.shapes import LONGEST_WORD, has_seen, nested_field
from referee.web.season.forms import read_days
from referee.web.season.views import count, state_of
from referee.web.season.views import table as spreadsheet
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.server.headers import etag_of, unless_cached
from referee.web.words import say

resource = Resource("seasons")
SEEN = {"If-None-Match": "the ETag of the season you have; 304 when it is still right"}
NEWEST = {"If-Match": "the ETag of the season you have seen"}

Day = Annotated[str, Field(min_length=10, max_length=10, description="ISO 8601, such as 2026-11-03")]
Word = Annotated[str, Field(max_length=LONGEST_WORD)]
Evenings = Annotated[int, Field(ge=1, le=MOST_EVENINGS)]


class SeasonRequest(Request):
    """What a season says: its days, how it counts, and who belongs to it."""

    name: Annotated[str, Field(max_length=LONGEST_LINE)]
    first_day: Day
    last_day: Day | None = None
    count: Annotated[str, Field(max_length=LONGEST_WORD, description="`place` or `wins`")] = "place"
    best: Evenings | None = Field(None, description="how many evenings count, the best ones; all without it")
    least: Evenings = Field(1, description="evenings to be ranked; while there were fewer, all of them")
    rulebooks: list[Word] = Field([], max_length=MOST_RULEBOOKS, description="ids; all of them where it is empty")
    people: list[Word] = Field([], max_length=MOST_PLAYERS, description="names or ids; everyone where it is empty")
    names_until: Day | None = Field(None, description="the day on which the names of its people are deleted")


class SeasonSummary(Answer):
    """A season in a list."""

    id: str
    name: str
    first_day: date
    last_day: date | None = None
    count: str = nested_field("rules", "count")
    best: int | None = nested_field("rules", "best", default=None)
    least: int = nested_field("rules", "least", default=1)
    rulebooks: list[str] = nested_field("rules", "rulebooks", default_factory=list)
    people: list[str] = Field(default_factory=list)
    names_until: date | None = None
    names_deleted_on: date | None = None
    created_at: Moment


class SeasonsDocument(Answer):
    """The club's seasons, those that end last first."""

    seasons: list[SeasonSummary]


class SeasonEvening(Answer):
    """An evening of a season; `evening` is the id of one that was drawn."""

    day: date
    evening: str | None = Field(None, validation_alias="drawn")
    matches: int


class SeasonPlace(Answer):
    """A player's line of the table; `evenings` are their points by the number of the evening, counted from 0."""

    player: str = Field(validation_alias="player_id")
    points: float | None
    place: int | None = Field(None, validation_alias="rank")
    missing: int = Field(0, description="evenings until ranked")
    evenings: dict[int, float]
    counted: Annotated[list[int], BeforeValidator(sorted)]
    matches: int
    won: int


class SeasonMeeting(Answer):
    """How often a player met another, came off better, and worse."""

    player: str
    other: str
    met: int = Field(validation_alias="together")
    better: int = Field(validation_alias="beat")
    worse: int = Field(validation_alias="beaten")


class SeasonBest(Answer):
    """A record of the season: who holds it, and on which evening it was, where it was on one."""

    player: str = Field(validation_alias="player_id")
    value: float
    evening: int | None = None


class SeasonDocument(SeasonSummary):
    """A season as it stands."""

    matches: int
    guests: int
    evenings: list[SeasonEvening]
    table: list[SeasonPlace]
    meetings: list[SeasonMeeting]
    records: dict[str, SeasonBest]


@resource.endpoint("GET", "/seasons", answer=SeasonsDocument)
def list_seasons() -> Mapping[str, Any]:
    """List the club's seasons, those that end last first."""
    return {"seasons": seasons.list_seasons(guards.records(), guards.get_club().id)}


@resource.endpoint("POST", "/seasons", body=SeasonRequest, answer=SeasonDocument, **ONCE)
def make_season(body: SeasonRequest) -> Response:
    """Make a season, of matches already played too; the same request sent again is answered with the same season."""

    def make() -> Season:
        return seasons.create(guards.records(), guards.get_club(write=True), _draft(body), guards.get_key())

    season = guards.get_season(save_once(body, make))
    response = _respond(season, 201)
    response.headers["Location"] = url_for("api.seasons_show_season", season_id=season.id)
    return response


@resource.endpoint("GET", "/seasons/<season_id>", answer=SeasonDocument, problems=(304,), headers=SEEN)
def show_season(season_id: str) -> Response:
    """Return a season as it stands; 304 if the client has it already."""
    season = guards.get_season(season_id)
    return unless_cached(_tag(season), lambda: _respond(season))


@resource.endpoint("GET", "/seasons/<season_id>.csv", file="text/csv")
def season_table(season_id: str) -> Response:
    """Return the table for a spreadsheet, points of every evening beside it."""
    return spreadsheet(season_id)


@resource.endpoint(
    "PUT", "/seasons/<season_id>", body=SeasonRequest, answer=SeasonDocument, problems=(412, 428), headers=NEWEST
)
def change_season(season_id: str, body: SeasonRequest) -> Response:
    """Say anew what a season counts; nothing of what was played changes."""

    def change() -> Season:
        season = _seen(season_id)
        seasons.change(guards.records(), season, _draft(body), season.state)
        return season

    return _respond(save(change))


@resource.endpoint("DELETE", "/seasons/<season_id>", status=204, problems=(412, 428), headers=NEWEST)
def delete_season(season_id: str) -> None:
    """Delete a season; its matches stay, and for thirty days it can be restored."""
    save(lambda: seasons.delete(guards.records(), _seen(season_id)))


@resource.endpoint("POST", "/seasons/<season_id>/restore", answer=SeasonDocument)
def restore_season(season_id: str) -> Response:
    """Restore a deleted season; one that is there stays as it is."""

    def restore() -> Season:
        return seasons.restore(guards.records(), guards.get_season(season_id, write=True, deleted=True))

    return _respond(save(restore))


def _seen(season_id: str) -> Season:
    season = guards.get_season(season_id, write=True)
    if not has_seen(_tag(season)):
        raise PreconditionFailed(say("season-page.changed"))
    return season


def _tag(season: Season) -> str:
    return etag_of(*state_of(guards.get_club(), season))


def _draft(body: SeasonRequest) -> SeasonDraft:
    problems: list[Problem] = []
    days = read_days(body.model_dump(include={*DAYS}), problems)
    if body.count not in set(Count):
        problems.append(Problem("count", say("season-page.no-count")))
    if problems:
        raise Impossible(problems)
    rules = Rules(Count(body.count), body.best, body.least, tuple(body.rulebooks))
    found = [find_player(guards.records(), guards.get_club().id, each, "people") or each for each in body.people]
    people = tuple(each if isinstance(each, str) else each.id for each in found)
    return SeasonDraft(body.name, days["first_day"] or date.min, days["last_day"], rules, people, days["names_until"])


def _respond(season: Season, status: int = 200) -> Response:
    table = count(guards.get_club(), season)
    best = {name: getattr(table, name) for name in ("best_evening", "longest_run", "most_challenges")}
    document = SeasonSummary.model_validate(season).model_dump() | {
        "matches": table.matches,
        "guests": table.guests,
        "evenings": table.evenings,
        "table": table.lines,
        "meetings": [
            {"player": one, "other": other, **pair._asdict()} for (one, other), pair in sorted(table.pairs.items())
        ],
        "records": {name: record for name, record in best.items() if record},
    }
    response = respond(SeasonDocument.model_validate(document), status)
    response.set_etag(_tag(season))
    return response
