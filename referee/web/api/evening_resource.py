"""Evenings of many tables: who is here, what is drawn, how every table and everyone stands."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from flask import Response, url_for
from pydantic import BeforeValidator, Field

from referee.records.errors import MOST_PEOPLE
from referee.records.evening import drawing, evenings
from referee.records.evening.drawing import DraftedDraw, Tie
from referee.records.evening.evenings import EveningPlan, Unfinished
from referee.records.evening.floor import load_floor, state_of_floor
from referee.records.evening.standing import load_champions, load_standings
from referee.records.models import Evening, EveningDraw, EveningStatus
from referee.web.api import shapes
from referee.web.api.endpoint import ONCE, Answer, Moment, Request, Resource, respond, save_once
from referee.web.deletion import saving
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.server.headers import etag_of, unless_cached
from referee.web.server.long_work import long_work

resource = Resource("evenings")
SEEN = {"If-None-Match": "the ETag of the evening you have; 304 when it is still right"}
MOST_TABLES = MOST_PEOPLE // evenings.SIZES[0]

Names = Annotated[list[shapes.Name], Field(max_length=MOST_PEOPLE)]
Undecided = Annotated[
    dict[shapes.Word, Literal["counted", "left-out", "awaited"]],
    Field(max_length=MOST_TABLES, description="what becomes of each table that still plays, by its number"),
]


class EveningRequest(shapes.AgreedFields):
    """How an evening is played, what each match is agreed on, and who is here."""

    name: shapes.Line = ""
    names: Names = Field(default_factory=list, description="of who is here; unknown names join the club")
    open_ended: bool = Field(False, description="no target, even where the rules set one")
    blank_effect: shapes.Rule = ""
    minutes: int | None = Field(None, description="for which the clock of a table runs")
    size: int = Field(4, description="players at a table, 2 to 5")
    draws: int = Field(3, description="how often everyone is to be drawn")


class ArrivalRequest(Request):
    """Names of who has come, or has come back."""

    names: Names
    guest: bool = Field(False, description="whether they play without a place in the standings")


class FinalRequest(Request):
    """A final of the best who are here."""

    best: int
    carried: bool = Field(False, description="whether they begin with their totals of the evening")
    tie: Literal["take-all", "play-off"] | None = Field(None, description="what is done about those who are level")


class EndRequest(Request):
    """What becomes of the tables that still play."""

    unfinished: Undecided = Field(default_factory=dict)


class DrawRequest(EndRequest):
    """The next draw; `after` is the number of the last one that the client has seen, 0 before the first."""

    after: int
    number: int | None = Field(None, description="from which it follows; by lot without it")
    size: int | None = Field(None, description="another size of tables than planned")
    final: FinalRequest | None = None


class EveningSummary(Answer):
    """An evening in a list."""

    id: str
    name: str = ""
    status: Literal["open", "ended"]
    started_at: Moment
    ended_at: Moment | None = None


class EveningsDocument(Answer):
    """The club's last evenings, newest first."""

    evenings: list[EveningSummary]


class EveningPersonDocument(Answer):
    """Someone who came; `until_draw` is the first draw without them."""

    player: str = Field(validation_alias="id")
    name: str
    guest: bool = False
    from_draw: int
    until_draw: int | None = None


class EveningDrawDocument(Answer):
    """A draw: what it follows from, as it is stored, and the match of each table that is there."""

    draw: int
    kind: Literal["round", "final", "play-off"]
    number: int
    input: dict[str, Any]
    drawn_at: Moment
    matches: dict[int, str] = Field(description="ids by the number of the table")


class EveningTableDocument(Answer):
    """A table that is drawn now, or one of an earlier draw that still plays; players are ids, the first deals."""

    draw: int
    table: int
    match: str = shapes.nested_field("match", "id")
    status: str = shapes.nested_field("match", "status")
    players: Annotated[list[str], BeforeValidator(list), Field(validation_alias="seats")]
    rounds: int = shapes.nested_field("lead", "rounds")
    clock_ends: Moment | None = None
    called_at: Moment | None = Field(None, description="since when someone there waits for a referee")


class EveningAgainDocument(Answer):
    """Two who meet again, by name, and how often they have met before."""

    one: str
    other: str
    times: int


class EveningStandingDocument(Answer):
    """A line of the evening's table; points by place of each finished match: 100 for the first, 0 for the last."""

    place: int
    player: str = Field(validation_alias="player_id")
    name: str
    points: float
    won: int
    total: int
    matches: int


class EveningDocument(EveningSummary):
    """An evening as it stands."""

    plan: dict[str, Any]
    people: list[EveningPersonDocument]
    draws: list[EveningDrawDocument]
    tables: list[EveningTableDocument]
    again: list[EveningAgainDocument]
    standings: list[EveningStandingDocument]
    champions: list[str] = Field(description="names of who won; none before the evening has ended")


@resource.endpoint("GET", "/evenings", answer=EveningsDocument)
def list_evenings() -> Mapping[str, Any]:
    """List the club's last fifty evenings, newest first."""
    return {"evenings": evenings.list_evenings(guards.records(), guards.get_club())}


@resource.endpoint("POST", "/evenings", body=EveningRequest, answer=EveningDocument, **ONCE)
def open_evening(body: EveningRequest) -> Response:
    """Open an evening with those who are here; the same request sent again opens no second one."""

    def begin() -> Evening:
        club, by = guards.get_club(write=True), guards.get_key()
        plan = EveningPlan(**shapes.as_planned(body.model_dump(exclude={"name", "names"})))
        return evenings.open_evening(guards.records(), club, plan, by, name=body.name, names=body.names)

    response = _respond(id := save_once(body, begin), 201)
    response.headers["Location"] = url_for("api.evenings_show_evening", evening_id=id)
    return response


@resource.endpoint("GET", "/evenings/<evening_id>", answer=EveningDocument, problems=(304,), headers=SEEN)
def show_evening(evening_id: str) -> Response:
    """Return an evening as it stands; 304 if the client has it already."""
    evening = guards.get_evening(evening_id)
    return unless_cached(_tag(evening), lambda: _document(evening))


@resource.endpoint("POST", "/evenings/<evening_id>/people", body=ArrivalRequest, answer=EveningDocument, **ONCE)
def arrive(evening_id: str, body: ArrivalRequest) -> Response:
    """Let people in, or back in: the next draw has a seat for them."""

    def let_in() -> Evening:
        evening, club = guards.get_evening(evening_id, write=True), guards.get_club()
        evenings.arrive(guards.records(), club, evening, body.names, guest=body.guest)
        return evening

    return _respond(save_once(body, let_in), 201)


@resource.endpoint("DELETE", "/evenings/<evening_id>/people/<player_id>", answer=EveningDocument, problems=(422,))
def depart(evening_id: str, player_id: str) -> Response:
    """Let someone leave: the next draw has no seat for them."""
    return _change(evening_id, lambda evening: evenings.depart(guards.records(), evening, player_id))


@resource.endpoint("POST", "/evenings/<evening_id>/draws", body=DrawRequest, answer=EveningDocument, **ONCE)
def draw(evening_id: str, body: DrawRequest) -> Response:
    """Draw the next tables, or a final: each table begins a match of its own."""

    def draft() -> DraftedDraw:
        session, club, evening = guards.records(), guards.get_club(write=True), guards.get_evening(evening_id)
        if body.final is None:
            left = _decided(body.unfinished)
            return drawing.draft_draw(session, club, evening, body.after, body.number, size=body.size, unfinished=left)
        best, carried, tie = body.final.best, body.final.carried, Tie(body.final.tie) if body.final.tie else None
        return drawing.draft_final(session, club, evening, body.after, body.number, best=best, carried=carried, tie=tie)

    def write(drafted: DraftedDraw) -> None:
        drawing.write_draw(guards.records(), guards.get_club(write=True), drafted, guards.get_key())

    with long_work():
        id = save_once(body, draft, write, "evening_id")
    return _respond(id, 201)


@resource.endpoint("DELETE", "/evenings/<evening_id>/draws/<int:draw>", answer=EveningDocument, problems=(409, 422))
def undo(evening_id: str, draw: int) -> Response:
    """Undo the last draw, while none of its tables has recorded; its matches are deleted."""
    return _change(evening_id, lambda evening: drawing.undo_draw(guards.records(), evening, draw))


@resource.endpoint("POST", "/evenings/<evening_id>/end", body=EndRequest, answer=EveningDocument)
def end(evening_id: str, body: EndRequest) -> Response:
    """End an evening, and lock out the phones of its tables; one that has ended stays as it is."""
    decided, by = _decided(body.unfinished), guards.get_key()
    return _change(evening_id, lambda evening: evenings.end_evening(guards.records(), evening, by, decided))


@resource.endpoint("DELETE", "/evenings/<evening_id>", status=204)
def delete_evening(evening_id: str) -> None:
    """Delete an evening; its matches stay, and for thirty days it can be restored, without the links to its tables."""
    saving.turn_evening(evening_id, deleted=True)


@resource.endpoint("POST", "/evenings/<evening_id>/restore", answer=EveningDocument)
def restore_evening(evening_id: str) -> Response:
    """Restore a deleted evening; one that is there stays as it is."""
    return _respond(saving.turn_evening(evening_id, deleted=False).id)


def _change(evening_id: str, act: Callable[[Evening], object]) -> Response:
    """Change an evening, and return it as it is then."""
    save(lambda: act(guards.get_evening(evening_id, write=True)))
    return _respond(evening_id)


def _decided(unfinished: Mapping[str, str]) -> dict[int, Unfinished]:
    """Return what becomes of tables by their numbers; a number that is none decides nothing."""
    return {int(table): Unfinished(what) for table, what in unfinished.items() if table.isdecimal()}


def _tag(evening: Evening) -> str:
    return etag_of("evening", state_of_floor(guards.records(), evening))


def _respond(evening_id: str, status: int = 200) -> Response:
    """Return an evening that was changed, as it is by now; no lock is held while it is drawn."""
    evening = guards.get_evening(evening_id)
    guards.records().refresh(evening)
    response = _document(evening, status)
    response.set_etag(_tag(evening))
    return response


def _document(evening: Evening, status: int = 200) -> Response:
    session = guards.records()
    floor = load_floor(session, evening)
    lines = load_standings(session, evening, floor.people)
    matches: dict[int, dict[int, str]] = {}
    for table, match in evenings.load_tables(session, evening):
        matches.setdefault(table.draw, {})[table.table] = match.id
    document = {
        **_columns(evening, EveningSummary),
        "plan": evening.plan,
        "people": floor.people,
        "draws": [{**_columns(one, EveningDrawDocument), "matches": matches.get(one.draw, {})} for one in floor.draws],
        "tables": [*floor.tables, *floor.awaited],
        "again": floor.again,
        "standings": lines,
        "champions": load_champions(session, evening, lines) if evening.status == EveningStatus.ENDED else [],
    }
    return respond(EveningDocument.model_validate(document), status)


def _columns(row: Evening | EveningDraw, model: type[Answer]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in model.model_fields if hasattr(row, name)}
