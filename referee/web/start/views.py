"""The first page; and a new match: name the players, pick the rules, agree on the rule card, deal."""

from collections.abc import Sequence
from dataclasses import replace

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from referee.records.club import access
from referee.records.club.players import list_players
from referee.records.club.precedents import load_precedents, made_rules, newest_of_each
from referee.records.deletion.incoming import forget
from referee.records.errors import Repeated
from referee.records.evening.evenings import list_evenings
from referee.records.match.agreements import terms_at
from referee.records.match.history import list_matches
from referee.records.match.matches import get_match, start_match
from referee.records.match.plans import check_plan, opening_totals, seats_of_teams
from referee.records.match.seating import load_seating
from referee.records.match.sheets import load_summaries
from referee.records.models import Club, Match, MatchStatus, Player
from referee.records.names import clean_name, fold_name
from referee.records.statistics.definitions import by_wins, compare
from referee.records.statistics.figures import Filter, load_choices, load_figures
from referee.rules.books.rulebook import note_on_worth
from referee.rules.books.settings import DRAFTED
from referee.rules.cards.decks import deck_of
from referee.rules.scoring.terms import SUGGESTED_TARGET, Terms, agreed, rule_for_a_winner
from referee.rules.text.problem import Impossible, Problem
from referee.web.club.founding import find_founded, found_once, own_club
from referee.web.page import layout
from referee.web.page.changes import go_to_begun
from referee.web.page.fields import attach_problems
from referee.web.page.match_wording import evening_title, rule_card
from referee.web.page.rulebooks import available
from referee.web.players.views import DRAWN, Drawn
from referee.web.rules.wording import asked_most
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.start import wording
from referee.web.start.forms import FIRST_SEATS, OPENING, SEATS, WORTH, NewMatchForm
from referee.web.words import say

blueprint = Blueprint("start", __name__)

LONGEST_ADDRESS = 2_000
"""Characters of the address that a switch of the language leads back to."""


@blueprint.get("/")
def index() -> str | Response:
    """Show the club's matches; to a stranger, how to begin; lead a table's phone there; 410 for a deleted one."""
    caller = guards.holder()
    guards.refuse_deleted()
    if guards.table_key() is not None:
        return redirect(url_for("tables.mine"))
    if caller is None:
        choices = wording.choices_of(wording.first_form(), ()) if current_app.config["SIGN_UP"] else {}
        return render_template("start/welcome.html", **choices)
    club = caller[1]
    running = wording.match_rows(club, MatchStatus.IN_PROGRESS, 10)
    past = wording.match_rows(club, MatchStatus.FINISHED, 5)
    seating = next((load_seating(guards.records(), row.match) for row in [*running[:1], *past[:1]]), None)
    played = load_choices(guards.records(), club.id)
    everyone = list_players(guards.records(), club) if past else []
    names = {player.id: player.name for player in everyone}
    markers = {player.id: player.marker for player in everyone if player.marker}
    year = played.years[0] if past else None

    def draw_leaders() -> Drawn:
        lines = by_wins(compare(load_figures(guards.records(), club.id, Filter(year=year)), names).lines)
        leaders = [line for line in lines[:3] if line.won.part]
        return Drawn(render_template("start/_leaders.html", year=year, leaders=leaders, markers=markers).strip())

    state = ("home", club.id, year, played.over, *names.items(), *markers.items())
    return render_template(
        "start/home.html",
        club=club,
        running=running,
        past=past,
        again=say(f"again.{len(seating.here)}") if seating and not running and guards.may_write() else "",
        markers=seating.markers if seating else {},
        leaders=DRAWN.get(state, draw_leaders).html if past else "",
        rulings=wording.latest_rulings(club),
        evenings=list_evenings(guards.records(), club, most=4, open_only=True),  # three, and whether there are more
        evening_title=evening_title,
        asked_most=[] if running or past else asked_most(None)[:4],
        may_write=guards.may_write(),
        asks_recovery=bool(past)
        and guards.may_write()
        and club.ends_at is None
        and access.depends_on_one_phone(guards.records(), club),
    )


@blueprint.post("/theme")
def choose_theme() -> Response:
    """Store the color theme of this browser in a cookie."""
    theme = request.form.get("theme", "auto")
    response = redirect(url_for("club.index") if guards.holder() else url_for("start.index"), 303)
    if theme in layout.THEMES:
        response.set_cookie(layout.THEME_COOKIE, theme, max_age=layout.KEPT, samesite="Lax", httponly=True)
    return response


@blueprint.post("/language")
def choose_language() -> Response:
    """Store the language of this browser in a cookie, and return to the page that asked."""
    code = request.form.get("language", "")
    back = request.form.get("back", "")[:LONGEST_ADDRESS]
    here = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
    response = redirect(request.script_root + back if here else url_for("start.index"), 303)
    if layout.is_supported_language(code):
        response.set_cookie(layout.LANGUAGE_COOKIE, code, max_age=layout.KEPT, samesite="Lax", httponly=True)
    return response


@blueprint.route("/matches/new", methods=["GET", "POST"])
def new_match() -> str | Response | tuple[str, int]:
    """Plan a match, show its rule card, begin it; 403 for spectators and where sign-up is closed, 422."""
    club = own_club()
    known, rulebook = _as_last_time(club) if club else ((), "")
    if request.method == "GET":
        first = wording.first_form(seats=2 if known else FIRST_SEATS, rulebook=request.args.get("rulebook") or rulebook)
        return render_template("start/new.html", **wording.choices_of(first, known))
    form = NewMatchForm(request.form)
    step = request.form.get("step", "agree")
    if step == "more":
        form.players.append_entry("")
    if step in ("more", "change"):
        return _form_page(form, club, known)
    try:
        agreed = _agreed(form)
        return _begin(form, club) if step == "deal" else _rule_card(form, agreed)
    except Impossible as error:
        if layout.wants_fragments():
            messages = [{"message": problem.message} for problem in error.problems]
            return layout.fragments({}, problems=messages, status=422)
        wrong = {problem.path[0] for problem in error.problems}
        if step == "deal" and not form.errors and wrong and wrong <= {"face_points", "opening_totals"}:
            return _rule_card(form, _agreed(form, open_points=True), error.problems), 422
        _attach_problems(form, error.problems)
        return _form_page(form, club, known), 422


def _form_page(form: NewMatchForm, club: Club | None, known: Sequence[Player]) -> str:
    """Draw the form again where it was filled in: a stranger's stands on the first page."""
    page = "start/new.html" if club else "start/welcome.html"
    return render_template(page, **wording.choices_of(form, known))


def _as_last_time(club: Club) -> tuple[Sequence[Player], str]:
    """List the club's players, those of its newest match first and as they sat, and name that match's rulebook."""
    known = list_players(guards.records(), club, active_only=True)
    for newest in load_summaries(guards.records(), list_matches(guards.records(), club, limit=1).matches):
        seats = newest.players
        known = sorted(known, key=lambda player: seats.index(player.name) if player.name in seats else len(seats))
        return known, newest.match.rulebook
    return known, ""


def _agreed(form: NewMatchForm, *, open_points: bool = False) -> Terms:
    """Check everything that can be checked without writing; raises `Impossible` with all problems.

    With `open_points` the points that are typed on the rule card are left aside, as where they cannot be.
    """
    problems: list[Problem] = []
    if not open_points:
        problems += [
            Problem(("opening_totals", name), say("form.number", text=text[:40]))
            for name, text in form.unread_openings().items()
        ]
    readable = form.validate()
    names = form.names
    cleaned: list[str] = []
    for index, name in enumerate(names):
        try:
            clean = clean_name(name, ("players", index))
            if fold_name(clean) in map(fold_name, cleaned):
                problems.append(Problem(("players", index), say("new.twice", name=clean)))
            cleaned.append(clean)
        except Impossible as error:
            problems += error.problems
    if len(names) < 2:
        problems.append(Problem("players", say("new.two-players")))
    elif len(names) > SEATS:
        problems.append(Problem("players", say("new.too-many", most=SEATS, n=len(names))))
    plan = replace(form.plan(), face_points=None) if open_points else form.plan()
    book = available().get(plan.rulebook)
    terms = None
    if book is None:
        problems.append(Problem("rulebook", say("new.rulebook")))
    else:
        try:
            teams = seats_of_teams(book, plan)
            options = agreed(plan) | {"teams": teams}
            terms = Terms.agree(book, plan.house_rules, players=len(plan.players), **options)
            if not open_points:
                opening_totals(plan, terms)
        except Impossible as error:
            problems += [problem for problem in error.problems if len(names) >= 2 or problem.path != ("players",)]
    if problems or terms is None or not readable:
        raise Impossible(problems)  # what cannot be read stands beside its field already
    return terms


def _rule_card(form: NewMatchForm, terms: Terms, problems: Sequence[Problem] = ()) -> str:
    drafted = terms.rulebook.find(DRAFTED)
    session, club = guards.records(), held[1] if (held := guards.holder()) else None
    club_id = club.id if club else ""
    law = newest_of_each(load_precedents(session, club_id)) if club else []
    newest = list_matches(session, club, limit=1).matches if club else ()
    open_ended = terms.target is None and terms.count == "points" and not terms.rounds_to_play
    return render_template(
        "start/agree.html",
        names=form.names,
        opens="match.drafts-first" if drafted and drafted[0] else "match.deals-first",
        dealer=form.dealer_name,
        card=rule_card(terms),
        last_time=rule_card(terms_at(session, newest[0])) if newest else None,
        law=law,
        made_rules=made_rules(session, club_id, terms.rulebook, law),
        fields=[pair for pair in form.values() if not pair[0].startswith((WORTH, OPENING))],
        usual_target=SUGGESTED_TARGET if open_ended else None,
        winner_rule=rule_for_a_winner(terms),
        worths=_open_worths(form, terms, problems),
        editions=deck_of(terms.deck).editions,
        pairings=_pairings(form.names, terms),
        openings=_openings(form, terms, problems),
    )


def _openings(form: NewMatchForm, terms: Terms, problems: Sequence[Problem]) -> list[wording.PointsView]:
    """List the players for the table to say with how many points each starts."""
    if terms.count != "points":
        return []
    wrong = {problem.path[1]: problem.message for problem in problems if problem.path[0] == "opening_totals"}
    return [
        wording.PointsView(
            f"{OPENING}{place}", name, form.openings.get(str(place), ""), [wrong[name]] if name in wrong else []
        )
        for place, name in enumerate(form.names)
    ]


def _open_worths(form: NewMatchForm, terms: Terms, problems: Sequence[Problem]) -> list[wording.PointsView]:
    """List the faces whose worth the rules don't give, or give for another deck than theirs: the table says it."""
    if terms.count != "points":
        return []
    wrong = {problem.path[1]: problem.message for problem in problems if len(problem.path) > 1}
    known, agreed_on, own = terms.card_points, dict(terms.face_points or ()), terms.rulebook.deck.faces
    return [
        wording.PointsView(
            f"{WORTH}{face}",
            face.label,
            form.worths.get(face, str(known.get(face, ""))),
            [wrong[face]] if face in wrong else [],
            note_on_worth(terms.rulebook, face) if face in own else "",
        )
        for face in terms.full_deck.faces
        if face not in known or face in agreed_on or face not in own
    ]


def _pairings(names: Sequence[str], terms: Terms) -> list[tuple[str, str, bool]]:
    """Return each way that four can form two teams, in words, and whether it is the one agreed."""
    if not terms.teams or len(names) != 4:
        return []
    ways = [((0, mate), tuple(seat for seat in (1, 2, 3) if seat != mate)) for mate in (2, 1, 3)]
    return [
        (
            " ".join("-".join(map(str, team)) for team in way),
            say("new.pairing", **{f"{'abcd'[at]}": names[seat] for at, seat in enumerate((*way[0], *way[1]))}),
            set(map(frozenset, way)) == set(map(frozenset, terms.teams)),
        )
        for way in ways
    ]


def _begin(form: NewMatchForm, club: Club | None) -> Response:
    """Start the match; the same tap again opens the one that it started, and founds no second club."""
    session, form_token = guards.records(), form.token.data or ""
    plan, mine = form.plan(), club or find_founded(form_token)
    if layout.wants_fragments() and mine is not None:  # a script sends what waited on its phone
        plan = replace(plan, former=True)
    checked = check_plan(session, mine, plan) if mine is not None else None
    once = guards.once_of_form("token", lambda saved: saved[0].id, mine)

    if once is not None:
        once.key += once.digest[:16]  # the form of a match that was begun, filled in anew, begins another

    def start() -> tuple[Match, str]:
        if club is None:
            key, here, token = found_once(form_token, say("new.starting"))
        else:
            key, here, token = guards.get_key(write=True), club, ""
        if once is not None:
            once.club_id = here.id
        access.lock_club(session, here.id)
        match = start_match(session, here, plan, key, checked=checked)
        if plan.former and (plan.name or plan.blank_effect or plan.custom_rules):
            session.add_all(forget(session, match, match))
        return match, token

    try:
        match, token = save(start, once=once)
    except Repeated as before:
        key, _, token = found_once(form_token, "") if club is None else (guards.get_key(), club, "")
        match = get_match(session, key.club_id, before.made)
    if token:
        guards.keep_token(token)
    return go_to_begun(match)


def _attach_problems(form: NewMatchForm, problems: Sequence[Problem]) -> None:
    """Assign problems to their fields; one of player 2 goes to the seat where that name was typed."""
    moved = []
    for problem in problems:
        match problem.path:
            case ("players", int(number)):
                problem = Problem(("players", form.seat_of_name(number)), problem.message)
        moved.append(problem)
    attach_problems(form, dict.fromkeys(moved))
