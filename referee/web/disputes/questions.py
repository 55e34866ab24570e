"""Ask the table with as few taps as the rulebook allows.

Two questions become one where the second only asks who, and yes-or-no questions that lead to the same
end become one list. Both follow from trying each possible answer; no dispute is known here by name.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from referee.records.match.rulings import PRIVATE, neighbours
from referee.rules.cards.cards import Card
from referee.rules.disputes.base import Facts
from referee.rules.disputes.facts import Fact
from referee.rules.disputes.ruling import Role, Ruling
from referee.web.disputes.forms import CAST, DisputeState, accepts
from referee.web.words import say

COUNTS_SHOWN = range(11)
"""Numbers that get a button where a question lists none; larger ones are typed."""


@dataclass(frozen=True)
class Option:
    """One answer to tap: its label, and every fact it answers."""

    label: str
    answers: Mapping[str, str]
    color: str = ""


@dataclass(frozen=True)
class CastRow:
    """A player who may have played; an option for each player who may come next, clockwise first."""

    name: str
    options: Sequence[Option]


@dataclass(frozen=True)
class Question:
    """A question with the answers to choose from."""

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


def ask_cast(case: DisputeState, wanted: tuple[Role, Role | None]) -> Question:
    """Return the question who did it; the same tap says who comes next, by the direction of play."""
    player, upon = wanted
    seating = case.context.seating
    assert seating is not None
    rows = []
    for seat in seating.here:
        if upon is None or len(seating.here) == 2:
            options = [Option(seat.name, {f"{CAST}{player}": str(seat.seat), **case.dispute.known_by_name})]
        else:
            options = [
                Option(next_.name, {f"{CAST}{player}": str(seat.seat), f"{CAST}{upon}": str(next_.seat)})
                for next_ in neighbours(seating, seat)
            ]
        rows.append(CastRow(seat.name, options))
    return Question("", case.dispute.heading(case.context.rulebook).who, "cast", cast=rows)


def ask(case: DisputeState, fact: Fact[Any], facts: Facts) -> Question:
    """Return the question to ask about a fact."""
    hand = _hand_instead(case, fact, facts)
    if fact.kind == "choice" or (fact.choices and fact.kind != "color"):
        listed = _listed(case, fact, facts)
        if listed:
            return Question(fact.key, say("hearing.first-true"), "choice", listed, hand_instead=hand)
        options = [option for value, label in fact.choices for option in _choices(case, fact, facts, value, label)]
        # answers in words stand below each other, those to a number too
        shown = "choice" if fact.kind == "number" else fact.kind
        return Question(fact.key, fact.text, shown, options, hand_instead=hand, typed=fact.kind != "choice")
    if fact.kind == "color":
        options = [Option(label, {fact.key: str(value)}, str(value)) for value, label in fact.choices]
        return Question(fact.key, fact.text, "color", options, hand_instead=hand)
    if fact.kind == "number":
        counts = [number for number in fact.quick or COUNTS_SHOWN if accepts(fact, number)]
        options = [Option(str(number), {fact.key: str(number)}) for number in counts]
        return Question(fact.key, fact.text, "number", options, typed=accepts(fact, COUNTS_SHOWN.stop))
    return Question(fact.key, fact.text, fact.kind, typed=True, hand_instead=hand)


def _choices(case: DisputeState, fact: Fact[Any], facts: Facts, value: Any, label: str) -> Iterator[Option]:
    """Yield one answer; where a yes leads to the question who, one for each player it may be."""
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
    """Yield a role as an answer, by name where the match knows it."""
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
    """Return whether a question is about a person: it has a role's name, and roles answer it."""
    return fact.key in list(Role) and any(value in list(Role) for value, _ in fact.choices)


def _asks_who_later(case: DisputeState, facts: Facts, depth: int = 3) -> Fact[Any] | None:
    """Return the question who that follows, at once or after further yes or no; None if none does."""
    following = case.rule(facts)
    if isinstance(following, Ruling) or depth == 0:
        return None
    if _asks_who(following):
        return following
    if not _is_yes_no(following):
        return None
    ways = (_asks_who_later(case, {**facts, following.key: value}, depth - 1) for value in (True, False))
    return next((question for question in ways if question is not None), None)


def _inside(label: str, case: DisputeState) -> str:
    """Return a label for the middle of a sentence; a name stays capitalized."""
    return label if label in {seat.name for seat in case.context.seats} else label[:1].lower() + label[1:]


def _listed(case: DisputeState, fact: Fact[Any], facts: Facts) -> list[Option]:
    """Return yes-or-no questions with the same outcome as one list of options; empty where there is only one."""
    options: list[Option] = []
    ending: Mapping[str, Any] | None = None
    no: dict[str, str] = {}
    while _is_yes_no(fact):
        yes = case.rule({**facts, fact.key: True})
        if not isinstance(yes, Ruling) or (ending is not None and dict(yes.outcome) != dict(ending)):
            return []
        ending = yes.outcome
        options.append(Option(fact.statement(True), {**no, fact.key: "yes"}))
        no[fact.key] = "no"
        facts = MappingProxyType({**facts, fact.key: False})
        following = case.rule(facts)
        if isinstance(following, Ruling):
            return [*options, Option(say("hearing.none-of-these"), no)] if len(options) > 1 else []
        fact = following
    return []


def _is_yes_no(fact: Fact[Any]) -> bool:
    return fact.kind == "choice" and all(isinstance(value, bool) for value, _ in fact.choices)


def _hand_instead(case: DisputeState, fact: Fact[Any], facts: Facts) -> str:
    """Return the fact by which entering the hand would answer this question; empty if it would not."""
    for key in PRIVATE & set(case.dispute.known_facts) - set(facts) - {fact.key}:
        example = _example(case)
        known = {**facts, key: (example["card"],)}
        while isinstance(asked := case.rule(known), Fact) and asked.kind in example:
            known[asked.key] = example[asked.kind]
        if isinstance(asked, Ruling) or asked.key != fact.key:
            return key
    return ""


def _example(case: DisputeState) -> Mapping[str, Card | str]:
    """Return any card and color to try a hand against: only whether a question comes up matters."""
    deck = case.deck
    number = next((card for card in deck.cards if card.face.number == 1), next(iter(deck.cards)))
    return {"color": number.color or "", "card": number}


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
