"""The floor of an evening of many tables, for its scorekeeper: who is here, what is drawn, how each table stands."""

from collections.abc import Callable, Sequence
from typing import Any

from flask import Blueprint, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from referee.records.cache import Cache
from referee.records.club.players import get_player, list_players
from referee.records.errors import Conflict, NotFound
from referee.records.evening import drawing, evenings
from referee.records.evening.draw import advice
from referee.records.evening.drawing import DraftedDraw, Tie
from referee.records.evening.evenings import SIZES, EveningPlan, Unfinished
from referee.records.evening.floor import load_floor, state_of_floor
from referee.records.evening.standing import load_champions, load_standings
from referee.records.match.history import list_matches
from referee.records.models import Club, DrawKind, Evening, EveningStatus, Key
from referee.rules.text.problem import Impossible, Problem
from referee.web.deletion import saving
from referee.web.evening import wording
from referee.web.evening.forms import DrawForm, EveningForm, PeopleForm, fields_of
from referee.web.page import layout
from referee.web.page.fields import attach_problems, listed
from referee.web.page.match_wording import evening_title
from referee.web.page.rulebooks import available
from referee.web.pictures.views import picture
from referee.web.server import guards, local_time
from referee.web.server.database import save
from referee.web.server.headers import etag_of, unless_cached
from referee.web.server.long_work import long_work
from referee.web.start.wording import house_rules_of_all
from referee.web.words import say

blueprint = Blueprint("evening", __name__, url_prefix="/evenings")

ADVICE: Cache[dict[int, int]] = Cache("advice", 100_000, lambda advised: 100 * len(advised))
"""How many meet again by the size of tables, by all that it follows from: some seconds of trying."""

Page = str | Response | tuple[str, int]


@blueprint.get("/")
def index() -> str:
    """List the club's evenings, newest first; 401, 403."""
    club = guards.get_club()
    found = evenings.list_evenings(guards.records(), club)
    return render_template(
        "evening/index.html",
        evenings=[(evening, evening_title(evening), evening.status == EveningStatus.OPEN) for evening in found],
        may_write=guards.may_write(),
    )


@blueprint.route("/new", methods=["GET", "POST"])
def new() -> Page:
    """Open an evening with who is here; 401, 403, 422."""
    club = guards.get_club(write=True)
    if request.method == "GET":
        return _new_page(EveningForm(formdata=None, data=fields_of(_as_last_time(club))), club)
    form = EveningForm()
    came: list[str] = []

    def write() -> Evening:
        session, club, by = guards.records(), guards.get_club(write=True), guards.get_key(write=True)
        opened = evenings.open_evening(session, club, form.plan(), by, name=form.name.data or "")
        came[:] = [row.let_in_at.isoformat() for row in evenings.arrive(session, club, opened, form.everyone())]
        return opened

    try:
        if not form.validate():
            raise Impossible([])
        opened = save(write)
    except Impossible as error:
        attach_problems(form, error.problems)
        return _new_page(form, club), 422
    if form.names.data:
        _announce_arrival(opened.id, came)
    return layout.go(url_for("evening.floor", evening_id=opened.id))


def _new_page(form: EveningForm, club: Club) -> str:
    return render_template(
        "evening/new.html",
        form=form,
        people=list_players(guards.records(), club, active_only=True),
        rulebooks=[(book.id, book.title) for book in available().values()],
        house_rules=house_rules_of_all(),
        sizes_said=[(str(size), str(size)) for size in SIZES],
        problems=listed(form),
    )


def _as_last_time(club: Club) -> EveningPlan:
    """Return the plan that a new evening begins with: the last one's, or the rules of the newest match."""
    last = evenings.list_evenings(guards.records(), club, most=1)
    if last:
        return EveningPlan.from_document(last[0].plan)
    newest = list_matches(guards.records(), club, limit=1).matches
    return EveningPlan(rulebook=newest[0].rulebook if newest else next(iter(available())))


@blueprint.get("/<evening_id>")
def floor(evening_id: str) -> str:
    """Show an evening's tables and people; 401, 403, 404."""
    return _floor_page(evening_id)


@blueprint.get("/<evening_id>/now")
def floor_now(evening_id: str) -> Response:
    """Return the floor as it is now, or 304; 401, 403, 404."""
    evening = guards.get_evening(evening_id)
    return unless_cached(_state(evening), lambda: render_template("evening/_floor.html", **_shown(evening)))


def _state(evening: Evening) -> str:
    return etag_of("floor", state_of_floor(guards.records(), evening), guards.may_write())


def _floor_page(evening_id: str, problems: Sequence[Problem] = (), form: DrawForm | None = None) -> str:
    """Draw the floor; `problems` stand above it, and `form` is the draw that was asked for."""
    evening = guards.get_evening(evening_id)
    state = _state(evening)  # before the rest, so that a change meanwhile is seen by the first poll
    shown = _shown(evening)
    if form is not None:
        shown["form"] = form
    if request.endpoint == "evening.arrive":
        shown["people_form"] = PeopleForm()
    shown["tie"] = next((problem.message for problem in problems if problem.path[0] == "tie"), "")
    shown["wrong"] = {problem.path[1] for problem in problems if problem.path[0] == "unfinished"}
    messages = [{"message": problem.message} for problem in problems if problem.path[0] != "tie"]
    return render_template("evening/floor.html", problems=messages, state=state, **shown)


def _shown(evening: Evening) -> dict[str, Any]:
    """Return what the floor shows of an evening."""
    session = guards.records()
    floor = load_floor(session, evening)
    lines = load_standings(session, evening, floor.people)
    over = evening.status == EveningStatus.ENDED
    may_write, came = guards.may_write() and not over, {person.id for person in floor.people}
    members = list_players(session, guards.get_club(), active_only=True) if may_write else ()
    final = bool(floor.draws) and floor.draws[-1].kind == DrawKind.FINAL
    decided = over or (final and not floor.waits_for)
    return {
        "floor": floor,
        "evening": evening,
        "title": evening_title(evening),
        "wording": wording,
        "seats": [(id, name, table.table) for table in floor.tables for id, name in table.seats.items()],
        "fresh": {id for table in floor.waits_for if not table.lead.rounds for id in table.seats},
        "roomy": [one for one in floor.waits_for if not one.lead.rounds and len(one.seats) < SIZES[-1]],
        "advises": not over and not final and len(floor.draws) < floor.plan.draws and len(floor.here) >= drawing.FEWEST,
        "standings": lines,
        "champions": wording.champions_said(load_champions(session, evening, lines)) if decided else "",
        "over": over,
        "may_write": may_write,
        "may_delete": guards.may_write() and (over or not floor.draws),
        "known": [player.name for player in members if player.id not in came],
        "sizes": SIZES,
        "unfinished": [one.value for one in Unfinished],
        "form": DrawForm(formdata=None),
        "people_form": PeopleForm(formdata=None),
    }


@blueprint.get("/<evening_id>/evening.png")
def card(evening_id: str) -> Response:
    """Return the picture of an evening that is decided: who won it, and the table; 304, 401, 403, 404."""
    evening, club = guards.get_evening(evening_id), guards.get_club()
    guards.speak_for_club()
    shown = _shown(evening)
    if not shown["champions"]:
        raise NotFound("evening")
    lines, title = shown["standings"], evening_title(evening)
    markers = {player.id: player.marker for player in list_players(guards.records(), club)}

    def draw_card() -> bytes:
        from referee.web.season.card import draw_standings  # with Pillow, which few starts need

        rows = [(one.place, one.name, markers.get(one.player_id, ""), wording.points_of(one.points)) for one in lines]
        return draw_standings(title, shown["champions"], rows, [local_time.day(evening.started_at)], club.name)

    state = ("evening", club.id, club.name, title, shown["champions"], *lines, *sorted(markers.items()))
    return picture(state, draw_card, public=False)


@blueprint.get("/<evening_id>/advice/now")
def advise(evening_id: str) -> str:
    """Say which size of tables spares meetings in the draws left, empty where none does; 401, 403, 404, 503."""
    session, evening = guards.records(), guards.get_evening(evening_id)
    plan = EveningPlan.from_document(evening.plan)
    left = drawing.rounds_ahead(plan, evenings.count_draws(session, evening))
    people = sorted(person.id for person in evenings.load_people(session, evening) if person.here)
    if left < 1 or len(people) < drawing.FEWEST:
        return ""
    met = drawing.load_meetings(session, evening, set(people))
    state = (tuple(people), plan.size, left, sorted((*sorted(pair), times) for pair, times in met.items()))

    def advised() -> dict[int, int]:
        with long_work():
            return advice(people, plan.size, left, drawing.NUMBERS[0], met)

    return wording.advice_of(ADVICE.get(state, advised), len(people), left)


# -- what the scorekeeper does ----------------------------------------------------------------------------------------

Act = Callable[[Session, Club, Evening, Key], object]


@blueprint.post("/<evening_id>/people")
def arrive(evening_id: str) -> Page:
    """Let people in; 401, 403, 404, 422."""
    form = PeopleForm()
    if not form.validate():
        return _floor_page(evening_id, _unreadable(form)), 422
    names, came = form.everyone(), list[str]()

    def let_in(session: Session, club: Club, evening: Evening, _by: Key) -> None:
        came[:] = [row.let_in_at.isoformat() for row in evenings.arrive(session, club, evening, names)]

    answer = _act(evening_id, let_in)
    _announce_arrival(evening_id, came)
    return answer


def _announce_arrival(evening_id: str, came: Sequence[str]) -> None:
    """Say how many were let in, each at the same moment, with Undo."""
    if came:
        undo = url_for("evening.undo_arrival", evening_id=evening_id)
        layout.announce(say("evening-page.let-in", n=len(came)), undo=undo, revision=came[0])


@blueprint.post("/<evening_id>/people/undo")
def undo_arrival(evening_id: str) -> Page:
    """Take out again whoever was let in just now and has had no seat; 401, 403, 404, 422."""
    at, said = request.form.get("revision", ""), say("evening-page.taken-out")
    return _act(evening_id, lambda session, club, evening, by: evenings.undo_arrival(session, evening, at), said)


@blueprint.post("/<evening_id>/people/<player_id>")
def person(evening_id: str, player_id: str) -> Page:
    """Let someone leave, come back, sit down or be a guest, or take out who didn't come; 401, 403, 404, 422."""
    act, table = request.form.get("act", ""), request.form.get("table", "")

    def change(session: Session, club: Club, evening: Evening, by: Key) -> None:
        match act:
            case "leave":
                evenings.depart(session, evening, player_id)
            case "take-out":
                drawing.take_out(session, club, evening, player_id, by)
            case "back":
                evenings.arrive(session, club, evening, [get_player(session, club.id, player_id).name])
            case "guest" | "member":
                evenings.count_as_guest(session, evening, player_id, guest=act == "guest")
            case "sit" if table.isdecimal() and len(table) < 4:
                drawing.sit_down(session, club, evening, player_id, int(table), by)
            case _:
                raise Impossible([Problem("act", say("evening-page.no-act"))])

    return _act(evening_id, change)


@blueprint.post("/<evening_id>/draw")
def draw(evening_id: str) -> Page:
    """Draw the next tables, a final, or those who play off for it; 401, 403, 404, 409, 422."""
    form = DrawForm()
    final = request.form.get("what") == "final"
    readable = form.validate()

    def draft() -> DraftedDraw:
        session, club = guards.records(), guards.get_club(write=True)
        evening = guards.get_evening(evening_id, write=True)
        if not readable:
            raise Impossible(_unreadable(form))
        seen, number = form.seen.number or 0, form.number.number
        if final:
            best, carried = form.best.number or 0, form.totals.data == "carried"
            tie = Tie(form.tie.data) if form.tie.data in set(Tie) else None
            return drawing.draft_final(session, club, evening, seen, number, best=best, carried=carried, tie=tie)
        size, left = form.size.number, _unfinished(evening)
        return drawing.draft_draw(session, club, evening, seen, number, size=size, unfinished=left)

    def write(drafted: DraftedDraw) -> None:
        drawing.write_draw(guards.records(), guards.get_club(write=True), drafted, guards.get_key(write=True))

    try:
        with long_work():
            drawn = save(draft, write)
    except Impossible as error:
        return _floor_page(evening_id, error.problems, form), 422
    except Conflict as error:
        return _floor_page(evening_id, [Problem("evening", str(error))]), 409
    undo = url_for("evening.undo", evening_id=evening_id)
    layout.announce(say("evening-page.drawn", draw=drawn.draw, number=drawn.number), undo=undo, revision=drawn.draw)
    return layout.go(url_for("evening.floor", evening_id=evening_id))


def _unreadable(form: PeopleForm | DrawForm) -> list[Problem]:
    return [Problem(str(name), text) for name, texts in form.errors.items() for text in texts]


def _unfinished(evening: Evening) -> dict[int, Unfinished]:
    """Return what this request says of tables that still play, by their numbers."""
    last = evenings.count_draws(guards.records(), evening)
    tables = [table.table for table, _ in evenings.load_tables(guards.records(), evening, last)]
    said = {table: request.form.get(f"unfinished-{table}") for table in tables}
    return {table: Unfinished(what) for table, what in said.items() if what in set(Unfinished)}


@blueprint.post("/<evening_id>/undo")
def undo(evening_id: str) -> Page:
    """Undo the last draw, while no table has recorded; 401, 403, 404, 409, 422."""
    seen = request.form.get("revision", "")
    number = int(seen) if seen.isdecimal() and len(seen) < 4 else 0

    def change(session: Session, _club: Club, evening: Evening, _by: Key) -> None:
        if evenings.count_draws(session, evening):  # else it was undone a moment ago, by the same finger
            drawing.undo_draw(session, evening, number)

    return _act(evening_id, change, say("evening-page.undone"))


@blueprint.post("/<evening_id>/swap")
def swap(evening_id: str) -> Page:
    """Let two people change their seats, before their tables' first rounds; 401, 403, 404, 422."""
    one, other = request.form.get("one", ""), request.form.get("other", "")
    said = say("evening-page.swapped")
    return _act(evening_id, lambda session, club, evening, by: drawing.swap(session, evening, one, other), said)


@blueprint.post("/<evening_id>/clocks")
def clocks(evening_id: str) -> Page:
    """Start the clock at every table that plays; 401, 403, 404, 422."""
    return _act(evening_id, lambda session, club, evening, by: evenings.start_clocks(session, evening, by))


@blueprint.post("/<evening_id>/end")
def end(evening_id: str) -> Page:
    """End the evening; 401, 403, 404, 422."""
    return _act(
        evening_id, lambda session, club, evening, by: evenings.end_evening(session, evening, by, _unfinished(evening))
    )


@blueprint.post("/<evening_id>/delete")
def delete(evening_id: str) -> Response:
    """Delete an evening, with Undo: its matches stay; 401, 403, 404."""
    title = evening_title(saving.turn_evening(evening_id, deleted=True))
    undo = url_for("evening.restore", evening_id=evening_id)
    layout.announce(say("evening-page.deleted", name=title), undo=undo)
    return layout.go(url_for("evening.index"))


@blueprint.post("/<evening_id>/restore")
def restore(evening_id: str) -> Response:
    """Restore a deleted evening; 401, 403, 404."""
    saving.turn_evening(evening_id, deleted=False)
    layout.announce(say("evening-page.restored"))
    return layout.go(url_for("evening.floor", evening_id=evening_id))


def _act(evening_id: str, change: Act, said: str = "") -> Page:
    """Change an evening, and show its floor; what can't be stands above it."""

    def write() -> None:
        evening = guards.get_evening(evening_id, write=True)
        change(guards.records(), guards.get_club(), evening, guards.get_key())

    try:
        save(write)
    except Impossible as error:
        return _floor_page(evening_id, error.problems), 422
    except Conflict as error:
        return _floor_page(evening_id, [Problem("evening", str(error))]), 409
    if said:
        layout.announce(said)
    return layout.go(url_for("evening.floor", evening_id=evening_id))
