"""How a question is put to the table: as few taps as the rulebook allows.

Two questions become one where the second only asks who, and yes-or-no questions that lead to the same
end become one list. Both follow from hearing each possible answer; no dispute is known here by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from referee.records.rulings import PRIVATE, neighbours
from referee.rules.cards import Card
from referee.rules.disputes.base import Facts
from referee.rules.facts import Fact, WrongAnswer
from referee.rules.ruling import Role, Ruling
from referee.web.disputes.context import CAST, DisputeState
from referee.web.words import say

COUNTS_SHOWN = range(11)
"""Numbers that have a button of their own where a question names none; larger ones are typed."""


@dataclass(frozen=True)
class Option:
    """One answer to tap: its label, and all that it answers."""

    label: str
    answers: Mapping[str, str]
    color: str = ""


@dataclass(frozen=True)
class CastRow:
    """A player who may have played, and upon whom, clockwise first; one option where nobody else is concerned."""

    name: str
    options: Sequence[Option]


@dataclass(frozen=True)
class Question:
    """A question as the page shows it."""

    key: str
    text: str
    kind: str
    options: Sequence[Option] = ()
    hint: str = ""
    cast: Sequence[CastRow] = ()
    hand_instead: str = ""
    """the fact by which a hand may be tapped in instead of answering"""
    typed: bool = False
    """whether other answers than the options may be given, by typing a number or tapping cards"""

    @property
    def typed_as_cards(self) -> bool:
        """Tell whether cards are to be tapped."""
        return self.typed and self.kind in ("card", "cards")


def ask_cast(case: DisputeState, wanted: tuple[Role, Role | None]) -> Question:
    """Ask at a match who did it; who came next is named with the same tap, by the direction of play."""
    player, upon = wanted
    seating = case.context.seating
    assert seating is not None
    rows = []
    for seat in seating.here:
        if upon is None or len(seating.here) == 2:
            options = [Option(seat.name, {f"{CAST}{player}": str(seat.seat)})]
        else:
            options = [
                Option(next_.name, {f"{CAST}{player}": str(seat.seat), f"{CAST}{upon}": str(next_.seat)})
                for next_ in neighbours(seating, seat)
            ]
        rows.append(CastRow(seat.name, options))
    return Question("", case.dispute.heading(case.context.rulebook).who, "cast", cast=rows)


def ask(case: DisputeState, fact: Fact[Any], facts: Facts) -> Question:
    """Put a question of the hearing to the table."""
    hand = _hand_instead(case, fact, facts)
    if fact.kind == "choice" or (fact.choices and fact.kind != "color"):
        listed = _listed(case, fact, facts)
        if listed:
            return Question(fact.key, say("hearing.first-true"), "choice", listed, hand_instead=hand)
        options = [option for value, label in fact.choices for option in _choices(case, fact, facts, value, label)]
        return Question(fact.key, fact.text, fact.kind, options, hand_instead=hand, typed=fact.kind != "choice")
    if fact.kind == "color":
        options = [Option(label, {fact.key: str(value)}, str(value)) for value, label in fact.choices]
        return Question(fact.key, fact.text, "color", options, hand_instead=hand)
    if fact.kind == "number":
        counts = [number for number in fact.quick or COUNTS_SHOWN if _takes(fact, number)]
        options = [Option(str(number), {fact.key: str(number)}) for number in counts]
        return Question(fact.key, fact.text, "number", options, typed=_takes(fact, COUNTS_SHOWN.stop))
    return Question(fact.key, fact.text, fact.kind, typed=True, hand_instead=hand)


def _choices(case: DisputeState, fact: Fact[Any], facts: Facts, value: Any, label: str) -> Iterator[Option]:
    """Offer one answer; where a yes leads to the question who, offer one for each who may be meant."""
    answers = {fact.key: _word(value)}
    who = _asks_who_later(case, {**facts, fact.key: True}) if value is True else None
    if who is not None:
        for value_, label_ in who.choices:
            for option in _who(case, who, value_, label_):
                yield Option(f"{label}, {_inside(option.label, case)}", {**answers, **option.answers})
        return
    if _asks_who(fact):
        yield from _who(case, fact, value, label)
    else:
        yield Option(label, answers)


def _who(case: DisputeState, fact: Fact[Any], value: Any, label: str) -> Iterator[Option]:
    """Offer a role as an answer: by name where the match knows it."""
    answers = {fact.key: _word(value)}
    names = case.names
    if value in names:
        yield Option(names[value], answers)
    elif value == "other" and names:
        cast = [seat.seat for role, seat in case.roles.items() if role in case.dispute.parts and role in _CONCERNED]
        for seat in case.context.seats:
            if seat.seat not in cast:
                yield Option(seat.name, {**answers, f"{CAST}{fact.key}": str(seat.seat)})
    else:
        yield Option(label, answers)


_CONCERNED = (Role.OFFENDER, Role.TARGET, Role.STACKER, Role.RESPONDER)


def _asks_who(fact: Fact[Any]) -> bool:
    """Tell whether a question is about a person: it is called like a role, and roles answer it."""
    return fact.key in list(Role) and any(value in list(Role) for value, _ in fact.choices)


def _asks_who_later(case: DisputeState, facts: Facts, depth: int = 3) -> Fact[Any] | None:
    """Find the question who that a hearing comes to, at once or after further yes or no; None if to none."""
    following = case.rule(facts)
    if isinstance(following, Ruling) or depth == 0:
        return None
    if _asks_who(following):
        return following
    if not _is_yes_no(following):
        return None
    ways = (_asks_who_later(case, {**facts, following.key: value}, depth - 1) for value in (True, False))
    return next((found for found in ways if found is not None), None)


def _inside(label: str, case: DisputeState) -> str:
    """Write a label inside a sentence; a name keeps its capital."""
    return label if label in {seat.name for seat in case.context.seats} else label[:1].lower() + label[1:]


def _listed(case: DisputeState, fact: Fact[Any], facts: Facts) -> list[Option]:
    """Put yes-or-no questions that each end the hearing in the same way into one list; empty where there is one."""
    found: list[Option] = []
    ending: Mapping[str, Any] | None = None
    no: dict[str, str] = {}
    while _is_yes_no(fact):
        yes = case.rule({**facts, fact.key: True})
        if not isinstance(yes, Ruling) or (ending is not None and dict(yes.outcome) != dict(ending)):
            return []
        ending = yes.outcome
        found.append(Option(fact.statement(True), {**no, fact.key: "yes"}))
        no[fact.key] = "no"
        facts = MappingProxyType({**facts, fact.key: False})
        following = case.rule(facts)
        if isinstance(following, Ruling):
            return [*found, Option("None of these.", no)] if len(found) > 1 else []
        fact = following
    return []


def _is_yes_no(fact: Fact[Any]) -> bool:
    return fact.kind == "choice" and all(isinstance(value, bool) for value, _ in fact.choices)


def _hand_instead(case: DisputeState, fact: Fact[Any], facts: Facts) -> str:
    """Name the fact by which the hand itself would answer this question; empty where it would not."""
    for key in PRIVATE & set(case.dispute.known_facts) - set(facts) - {fact.key}:
        told = _told(case)
        known = {**facts, key: (told["card"],)}
        while isinstance(asked := case.rule(known), Fact) and asked.kind in told:
            known[asked.key] = told[asked.kind]
        if isinstance(asked, Ruling) or asked.key != fact.key:
            return key
    return ""


def _told(case: DisputeState) -> Mapping[str, Card | str]:
    """Say what a hand is held against, whatever it may be: only whether a question comes up is of interest."""
    deck = case.deck
    number = next((card for card in deck.cards if card.face.number == 1), next(iter(deck.cards)))
    return {"color": number.color or "", "card": number}


def _takes(fact: Fact[Any], value: object) -> bool:
    try:
        fact.parse(value)
    except WrongAnswer:
        return False
    return True


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
