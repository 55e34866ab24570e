"""What a table plans to agree on, and its validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from sqlalchemy.orm import Session

from referee.records.models import Club
from referee.records.names import LONGEST_LINE, clean_text, fold_name
from referee.records.own_rulebooks import find_rulebook
from referee.records.players import look_for_players
from referee.records.words import say
from referee.rules.problem import Impossible, Problem
from referee.rules.rulebook import Rulebook
from referee.rules.terms import Terms, agreed

T = TypeVar("T")


@dataclass(frozen=True)
class Amendment:
    """A rule change during a match; None leaves a part as it was."""

    house_rules: tuple[str, ...] | None = None
    target: int | None = None
    open_ended: bool = False
    """no target from now on"""
    custom_rules: tuple[str, ...] | None = None
    note: str = ""


@dataclass(frozen=True)
class MatchPlan:
    """What a table agrees on before the first deal; players in clockwise order."""

    players: tuple[str, ...]
    rulebook: str
    house_rules: tuple[str, ...] = ()
    target: int | None = None
    open_ended: bool = False
    """no target, even where the text sets one"""
    deck: str | None = None
    blank_effect: str = ""
    blank_points: int | None = None
    custom_rules: tuple[str, ...] = ()
    count: str = "points"
    dealer: str | None = None
    name: str = ""
    location: str = ""
    note: str = ""


def agree(rulebook: Rulebook, plan: MatchPlan) -> Terms:
    """Make the terms of a plan, with clean texts; raises `Impossible` with every problem."""
    problems: list[Problem] = []
    rules = []
    for index, rule in enumerate(plan.custom_rules):
        rules.append(attempt(problems, partial(clean_text, rule, ("custom_rules", index))) or rule)
    blank_effect = attempt(problems, lambda: clean_text(plan.blank_effect, "blank_effect")) or ""
    terms = attempt(
        problems,
        lambda: Terms.agree(
            rulebook,
            plan.house_rules,
            players=len(plan.players),
            **agreed(plan) | {"blank_effect": blank_effect, "custom_rules": rules},
        ),
    )
    if problems or terms is None:
        raise Impossible(problems)
    return replace(terms, target=None) if plan.open_ended else terms


@dataclass(frozen=True)
class CheckedPlan:
    """A valid plan: its terms and cleaned texts."""

    terms: Terms
    name: str
    location: str
    note: str
    dealer_seat: int | None


def check_plan(session: Session, club: Club, plan: MatchPlan, rulebook: Rulebook | None = None) -> CheckedPlan:
    """Check a plan without writing anything; raises `Impossible` with every problem."""
    problems: list[Problem] = []
    found = attempt(problems, lambda: look_for_players(session, club, plan.players)) or []
    terms = attempt(problems, lambda: agree(rulebook or find_rulebook(session, club.id, plan.rulebook), plan))
    name = attempt(problems, lambda: clean_text(plan.name, "name", LONGEST_LINE)) or ""
    location = attempt(problems, lambda: clean_text(plan.location, "location", LONGEST_LINE)) or ""
    note = attempt(problems, lambda: clean_text(plan.note, "note")) or ""
    dealer_seat = None
    if plan.dealer is not None:
        folded = [fold_name(player.name if player else name) for name, player in found]
        given = [fold_name(player.strip()) for player in plan.players]
        dealer = fold_name(plan.dealer.strip())
        dealer_seat = folded.index(dealer) if dealer in folded else given.index(dealer) if dealer in given else None
        if dealer_seat is None:
            problems.append(Problem("dealer", say("match.absent", name=plan.dealer[:40])))
    if problems or terms is None:
        raise Impossible(problems)
    return CheckedPlan(terms, name, location, note, dealer_seat)


def attempt(problems: list[Problem], work: Callable[[], T]) -> T | None:
    """Do something and collect its problems, so that all are reported at once."""
    try:
        return work()
    except Impossible as error:
        problems += error.problems
        return None
