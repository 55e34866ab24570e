"""What a table plans to agree on, and its validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from sqlalchemy.orm import Session

from referee.records.club.own_rulebooks import find_rulebook
from referee.records.club.players import look_for_players
from referee.records.models import DETAILS, Club
from referee.records.names import clean_text, fold_name
from referee.records.words import say
from referee.rules.books.agreeing import Agreed
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import OPENING_TOTAL, PARTNERS
from referee.rules.cards.cards import HIGHEST_TOTAL
from referee.rules.cards.decks import CLASSIC, decks
from referee.rules.scoring.terms import Terms, agreed
from referee.rules.text.problem import Impossible, Problem, attempt


@dataclass(frozen=True)
class MatchPlan(Agreed):
    """What a table agrees on before the first deal; players in clockwise order."""

    players: tuple[str, ...]
    rulebook: str
    house_rules: tuple[str, ...] = ()
    deck: str | None = None
    open_ended: bool = False
    """no target, even where the text sets one"""
    opening_totals: Mapping[str, int] = field(default_factory=dict)
    """what players start with, by name, where that is not 0"""
    dealer: str | None = None
    name: str = ""
    location: str = ""
    note: str = ""
    former: bool = False
    """players whose names were deleted may sit there, under either name: they play again, or the plan is older"""


def agree(rulebook: Rulebook, plan: MatchPlan) -> Terms:
    """Make the terms of a plan, with clean texts; raises `Impossible` with every problem."""
    problems: list[Problem] = []
    rules = []
    for index, rule in enumerate(plan.custom_rules):
        rules.append(attempt(problems, partial(clean_text, rule, ("custom_rules", index))) or rule)
    blank_effect = attempt(problems, lambda: clean_text(plan.blank_effect, "blank_effect")) or ""
    teams = attempt(problems, lambda: seats_of_teams(rulebook, plan))
    terms = attempt(
        problems,
        lambda: Terms.agree(
            rulebook,
            plan.house_rules,
            players=len(plan.players),
            **agreed(plan) | {"blank_effect": blank_effect, "custom_rules": rules, "teams": teams},
        ),
    )
    if terms is not None and terms.count == "points" and terms.full_deck.box != decks()[CLASSIC].box:
        problems += [Problem(("face_points", face), say("match.face-open", card=face.label)) for face in terms.unpriced]
    if problems or terms is None:
        raise Impossible(problems)
    return replace(terms, target=None) if plan.open_ended else terms


def seats_of_teams(rulebook: Rulebook, plan: MatchPlan) -> tuple[tuple[int, ...], ...] | None:
    """Return the seats of a plan's teams; where none are named, those who sit opposite play together if anyone does.

    Raises `Impossible` for names that are not at the table.
    """
    if plan.teams is None:
        half = len(plan.players) // 2
        opposite = rulebook.value(PARTNERS, False) and half > 1 and 2 * half == len(plan.players)
        return tuple((seat, seat + half) for seat in range(half)) if opposite else None
    problems, teams = [], []
    seats = {fold_name(name.strip()): seat for seat, name in enumerate(plan.players)}
    for place, team in enumerate(plan.teams):
        teams.append(tuple(seats.get(fold_name(name.strip()), -1) for name in team))
        for at, name in enumerate(team):
            if teams[-1][at] < 0:
                problems.append(Problem(("teams", place, at), say("match.absent", name=name[:40])))
    if problems:
        raise Impossible(problems)
    return tuple(teams)


def opening_totals(plan: MatchPlan, terms: Terms) -> dict[int, int]:
    """Return by seat what players start with; raises `Impossible` with every problem."""
    problems, totals = [], {}
    seats = {fold_name(name.strip()): seat for seat, name in enumerate(plan.players)}
    most = HIGHEST_TOTAL
    if terms.target is not None:
        most = min(most, terms.target - terms.rulebook.value(OPENING_TOTAL, 0) - 1)
    for name, total in plan.opening_totals.items():
        seat = seats.get(fold_name(name.strip()))
        if seat is None:
            problems.append(Problem(("opening_totals", name[:40]), say("match.absent", name=name[:40])))
        elif not -HIGHEST_TOTAL <= total <= most:
            path = ("opening_totals", name[:40])
            problems.append(Problem(path, say("match.opening-total", least=-HIGHEST_TOTAL, most=most)))
        else:
            totals[seat] = total
    if problems:
        raise Impossible(problems)
    return totals


@dataclass(frozen=True)
class CheckedPlan:
    """A valid plan: its terms and cleaned texts."""

    terms: Terms
    details: Mapping[str, str]
    """what is written about the match, by the names in `DETAILS`"""
    dealer_seat: int | None
    opening_totals: Mapping[int, int]
    """by seat"""


def check_plan(session: Session, club: Club, plan: MatchPlan, rulebook: Rulebook | None = None) -> CheckedPlan:
    """Check a plan without writing anything; raises `Impossible` with every problem."""
    problems: list[Problem] = []
    players = attempt(problems, lambda: look_for_players(session, club, plan.players, former=plan.former)) or []
    terms = attempt(problems, lambda: agree(rulebook or find_rulebook(session, club.id, plan.rulebook), plan))
    totals = attempt(problems, lambda: opening_totals(plan, terms)) if terms else None
    details = {
        name: attempt(problems, partial(clean_text, getattr(plan, name), name, longest)) or ""
        for name, longest in DETAILS.items()
    }
    dealer_seat = None
    if plan.dealer is not None:
        folded = [fold_name(player.name if player else name) for name, player in players]
        given = [fold_name(player.strip()) for player in plan.players]
        dealer = fold_name(plan.dealer.strip())
        dealer_seat = folded.index(dealer) if dealer in folded else given.index(dealer) if dealer in given else None
        if dealer_seat is None:
            problems.append(Problem("dealer", say("match.absent", name=plan.dealer[:40])))
    if problems or terms is None:
        raise Impossible(problems)
    return CheckedPlan(terms, details, dealer_seat, totals or {})
