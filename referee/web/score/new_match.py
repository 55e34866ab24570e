"""A new match: name the players, pick the rules, agree on the rule card, deal."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from flask import abort, current_app, render_template, request
from werkzeug.wrappers import Response

from referee.records import access
from referee.records.errors import Conflict
from referee.records.idempotency import recall, remember
from referee.records.matches import MatchPlan, start_match
from referee.records.models import Club, Key, Match, Player
from referee.records.names import clean_name
from referee.records.players import list_players
from referee.rules.cards import DECKS
from referee.rules.library import rulebooks
from referee.rules.problem import Impossible, Problem
from referee.rules.rulebook import Rulebook
from referee.rules.settings import DECK, TARGET
from referee.rules.terms import SUGGESTED_TARGET, Terms, text_target
from referee.web import guards, layout
from referee.web.extensions import db, limiter
from referee.web.forms.new_match import FIRST_SEATS, SEATS, NewMatchForm
from referee.web.forms.problems import Placed, listed, own_errors, place
from referee.web.score import blueprint, words
from referee.web.score.sheet import address_of

NEW_CLUB = "Our table"
SIGN_UPS = "30 per hour"
MOST_SHOWN = 30
"""Seats that are drawn again when far too many were sent."""


@dataclass(frozen=True)
class SeatView:
    """One seat of the form."""

    name: str
    errors: Sequence[str] = ()


@dataclass(frozen=True)
class BookView:
    """One rulebook to pick."""

    id: str
    title: str
    sentence: str
    least: int
    most: int
    range: str
    target: str
    decks: Sequence[str]


@dataclass(frozen=True)
class RuleView:
    """One house rule to tick, and the rulebooks under which it may be."""

    id: str
    title: str
    text: str
    books: Sequence[str]
    excludes: Sequence[str]


@dataclass(frozen=True)
class NewMatchView:
    """Everything the template of the form shows."""

    token: str
    seats: Sequence[SeatView]
    known: Sequence[Player]
    rulebooks: Sequence[BookView]
    rulebook: str
    house_rules: Sequence[RuleView]
    chosen: Sequence[str]
    target: str
    count: str
    decks: Sequence[tuple[str, str]]
    deck: str
    blank_effect: str
    blank_points: str
    custom_rules: str
    dealers: Sequence[tuple[str, str]]
    dealer: str
    name: str
    extras_open: bool
    problems: Sequence[Placed]
    errors: dict[str, Sequence[str]]


@blueprint.route("/matches/new", methods=["GET", "POST"])
@limiter.limit(SIGN_UPS, methods=["POST"], exempt_when=lambda: guards.holder() is not None)
def new_match() -> str | Response | tuple[str, int]:
    """Plan a match, show its rule card, begin it; 403 for spectators and where sign-up is closed, 422."""
    club = _club()
    known = list_players(guards.records(), club, active_only=True) if club else ()
    if request.method == "GET":
        return render_template("score/new.html", view=first_view(known))
    form = NewMatchForm(request.form)
    step = request.form.get("step", "agree")
    if step == "more":
        form.players.append_entry("")
    if step in ("more", "change"):
        return render_template("score/new.html", view=_view(form, known))
    try:
        agreed = _agreed(form)
        return _begin(form, club) if step == "deal" else _rule_card(form, agreed)
    except Impossible as error:
        db.session.rollback()
        _place(form, error.problems)
        return render_template("score/new.html", view=_view(form, known)), 422


def first_view(known: Sequence[Player]) -> NewMatchView:
    """Give the empty form."""
    form = NewMatchForm(None, players=[""] * FIRST_SEATS, rulebook=next(iter(rulebooks())), token=secrets.token_urlsafe(12))
    return _view(form, known)


def _club() -> Club | None:
    if guards.holder() is not None:
        return guards.get_club(write=True)
    if not current_app.config["SIGN_UP"]:
        abort(403, "This server takes no new clubs. Ask a scorekeeper of yours to invite you.")
    return None


def _agreed(form: NewMatchForm) -> Terms:
    """Check everything that can be checked without writing; raises `Impossible` with all problems."""
    problems: list[Problem] = []
    readable = form.validate()
    names = form.names
    cleaned: list[str] = []
    for index, name in enumerate(names):
        try:
            clean = clean_name(name, f"players[{index}]")
            if clean.casefold() in (other.casefold() for other in cleaned):
                problems.append(Problem(f"players[{index}]", f"{clean} sits here twice. Give one of them another name."))
            cleaned.append(clean)
        except Impossible as error:
            problems += error.problems
    if len(names) < 2:
        problems.append(Problem("players", "A match needs at least two players. Write their names."))
    elif len(names) > SEATS:
        problems.append(Problem("players", f"At most {SEATS} can play; here are {len(names)}."))
    plan = form.plan()
    book = rulebooks().get(plan.rulebook)
    terms = None
    if book is None:
        problems.append(Problem("rulebook", "Pick one of the rulebooks."))
    else:
        try:
            terms = _terms(book, plan)
        except Impossible as error:
            problems += [problem for problem in error.problems if len(names) >= 2 or problem.field != "players"]
    if problems or terms is None or not readable:
        raise Impossible(problems)  # what cannot be read stands beside its field already
    return terms


def _terms(book: Rulebook, plan: MatchPlan) -> Terms:
    return Terms.agree(
        book,
        plan.house_rules,
        players=len(plan.players),
        deck=plan.deck,
        target=plan.target,
        count=plan.count,
        blank_effect=plan.blank_effect,
        blank_points=plan.blank_points,
        custom_rules=plan.custom_rules,
    )


def _rule_card(form: NewMatchForm, terms: Terms) -> str:
    return render_template(
        "score/agree.html",
        names=form.names,
        dealer=form.dealer_name,
        card=words.rule_card(terms),
        fields=form.values(),
        problems=(),
    )


def _begin(form: NewMatchForm, club: Club | None) -> Response:
    session = guards.records()
    founded = None
    if club is None:
        founded = access.create_club(session, NEW_CLUB)
        club, key = founded.club, founded.scorekeeper
    else:
        key = guards.get_key(write=True)
    match = _start_once(form, club, key)
    db.session.commit()
    if founded is not None:
        guards.keep_token(founded.scorekeeper_token)
    return layout.go(address_of(match))


def _start_once(form: NewMatchForm, club: Club, key: Key) -> Match:
    """Begin the match, or find the one that the same tap has begun already."""
    session = guards.records()
    access.lock_club(session, club)
    name = f"match:{(form.token.data or secrets.token_urlsafe(12))[:100]}"
    digest = hashlib.sha256(repr(form.values()).encode()).hexdigest()
    try:
        before = recall(session, club, name, digest)
    except Conflict:
        name, before = f"match:{secrets.token_urlsafe(12)}", None
    if before is not None:
        return guards.get_match(before.body.decode())
    match = start_match(session, club, form.plan(), key)
    remember(session, club, name, digest, 303, match.id.encode())
    return match


# -- the view of the form ----------------------------------------------------------------------------------------------


def _place(form: NewMatchForm, problems: Sequence[Problem]) -> None:
    """Put problems to their fields; a problem of player 2 goes to the seat on which that name was typed."""
    moved = []
    for problem in problems:
        head, _, rest = problem.field.partition("[")
        if head == "players" and rest.rstrip("]").isdecimal():
            problem = Problem(f"players[{form.seat_of_name(int(rest.rstrip(']')))}]", problem.message)
        moved.append(problem)
    place(form, dict.fromkeys(moved))


def _view(form: NewMatchForm, known: Sequence[Player]) -> NewMatchView:
    problems = listed(form)
    extras = ("house_rules", "target", "count", "deck", "blank_effect", "blank_points", "custom_rules", "dealer", "name")
    touched = any(form[name].data not in (None, "", [], "points", "1") or form[name].errors for name in extras)
    seats = form.players.entries
    return NewMatchView(
        token=form.token.data or secrets.token_urlsafe(12),
        seats=[SeatView(str(entry.data or ""), [str(error) for error in entry.errors]) for entry in seats[:MOST_SHOWN]],
        known=known,
        rulebooks=[_book_view(book) for book in rulebooks().values()],
        rulebook=form.rulebook.data or "",
        house_rules=_rule_views(),
        chosen=form.house_rules.data or (),
        target=form.target.data or "",
        count=form["count"].data or "points",
        decks=[("", "As the rules say"), *((deck.id, deck.title) for deck in DECKS.values())],
        deck=form.deck.data or "",
        blank_effect=form.blank_effect.data or "",
        blank_points=form.blank_points.data or "",
        custom_rules=form.custom_rules.data or "",
        dealers=[(str(seat), str(_typed(form, seat) or f"Seat {seat}")) for seat in range(1, SEATS + 1)],
        dealer=form.dealer.data or "1",
        name=form.name.data or "",
        extras_open=touched,
        problems=problems,
        errors={field.name: own_errors(field) for field in form},
    )


def _typed(form: NewMatchForm, seat: int) -> str:
    entries = form.players.entries
    return (entries[seat - 1].data or "").strip() if seat <= len(entries) else ""


def _book_view(book: Rulebook) -> BookView:
    least, most = book.players[0], book.players[-1]
    deck = book.value(DECK, "108")
    return BookView(
        id=book.id,
        title=book.title,
        sentence=book.sentence,
        least=least,
        most=most,
        range=f"{least} players" if least == most else f"{least} to {most} players",
        target=_target_hint(book),
        decks=[deck],
    )


def _target_hint(book: Rulebook) -> str:
    target = text_target(book, None)
    if target is not None:
        return str(target)
    return "" if book.find(TARGET) else f"No target; {SUGGESTED_TARGET} is usual"


def _rule_views() -> list[RuleView]:
    found: dict[str, RuleView] = {}
    for book in rulebooks().values():
        for rule in book.house_rules.values():
            old = found.get(rule.id)
            books = [*(old.books if old else ()), book.id]
            found[rule.id] = RuleView(rule.id, rule.title, rule.text, books, rule.excludes)
    return list(found.values())
