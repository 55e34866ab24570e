"""Cards tapped in key by key: each tap works as a form without script, and without a reload with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from werkzeug.datastructures import MultiDict

from referee.records.rulings import PRIVATE
from referee.rules.cards import Card, Color, Deck, Face, UnknownCard
from referee.rules.decks import parse_card
from referee.rules.facts import LONGEST_HAND, Fact, WrongAnswer
from referee.rules.problem import Impossible, Problem
from referee.web.disputes.context import LONGEST_ANSWER, DisputeState
from referee.web.words import say


@dataclass(frozen=True)
class FaceKey:
    """A face to tap."""

    face: Face
    label: str
    colored: bool


@dataclass(frozen=True)
class Tap:
    """Cards being tapped in as the answer to one question."""

    key: str = ""
    title: str = ""
    laid: Sequence[Card] = ()
    color: str = ""
    colors: Sequence[Color] = ()
    keys: Sequence[FaceKey] = ()
    several: bool = False
    private: bool = False
    draws: Sequence[str] = ()
    """who draws a card each, where the question is about that; the names that are known"""
    open: bool = False
    text: str = ""
    """the answer, once it is finished"""
    optional: bool = False

    @property
    def finished(self) -> bool:
        """Tell whether the answer is complete."""
        return bool(self.key) and not self.open


NOTHING = Tap()


def opened(case: DisputeState, fact: Fact[object], *, color: str = "", laid: Sequence[Card] = ()) -> Tap:
    """Open the keys for a question about cards; who draws a card each has a form of its own."""
    plain = _takes(fact, ["red-1"]) or fact.kind == "card"
    deck = case.deck
    bare = _takes_bare(fact)
    return Tap(
        key=fact.key,
        title=fact.text,
        laid=tuple(laid),
        colors=deck.colors,
        color=color or ("" if bare else _color_before(case)),
        keys=[
            FaceKey(face, face.label, not face.is_wild and not bare)
            for face in deck.faces
            if fact.kind == "cards" or _may_be(case, deck, fact, face, bare=bare)
        ],
        several=fact.kind == "cards",
        private=fact.key in PRIVATE,
        draws=() if plain else _who_draws(case),
        open=True,
        optional=fact.key in {each.key for each in case.dispute.volunteered},
    )


def read(case: DisputeState, values: MultiDict[str, str], problems: list[Problem]) -> Tap:
    """Read what was tapped: one more card, one less, or done."""
    fact = case.dispute.known_facts.get(values.get("tap", ""))
    if fact is None or fact.kind not in ("card", "cards"):
        return NOTHING
    fact = case.dispute.worded(fact.key, case.names)
    if cards := values.getlist("draw-card"):
        names = values.getlist("draw-name")
        drawn = [f"{name.replace(',', ' ').strip()}:{card}" for name, card in zip(names, cards, strict=False) if card]
        return Tap(fact.key, text=",".join(drawn)[:LONGEST_ANSWER])
    deck = case.deck
    laid = _read_cards(values.get("laid", ""), deck, problems)
    color = values.get("color", "")
    if face := values.get("add", ""):
        added = _read_card(face, color, deck, needs_color=not _takes_bare(fact), problems=problems)
        if added is not None and fact.kind == "card":
            return Tap(fact.key, text=str(added))
        laid += [added] if added is not None and len(laid) < LONGEST_HAND else []
    if (take := values.get("take", "")).isdecimal() and int(take[:4]) < len(laid):
        del laid[int(take[:4])]
    if "done" in values and not problems:
        return Tap(fact.key, text=",".join(map(str, laid)))
    return opened(case, fact, color=color, laid=laid)


def _read_cards(text: str, deck: Deck, problems: list[Problem]) -> list[Card]:
    try:
        return [parse_card(word, deck) for word in text[:LONGEST_ANSWER].replace(",", " ").split()]
    except UnknownCard as error:
        problems.append(Problem("laid", str(error)))
        return []


def _read_card(face: str, color: str, deck: Deck, *, needs_color: bool, problems: list[Problem]) -> Card | None:
    try:
        card = parse_card(face, deck)
        if card.is_bare and needs_color:
            if color not in [each.id for each in deck.colors]:
                problems.append(Problem("color", say("case.color-first", card=card.label)))
                return None
            return Card(card.face, color)
    except UnknownCard as error:
        problems.append(Problem("add", str(error)))
        return None
    return card


def _color_before(case: DisputeState) -> str:
    """Begin with the color in play where it is known."""
    return case.given.get("color_in_play", "")


def _who_draws(case: DisputeState) -> list[str]:
    names = [seat.name for seat in case.context.seats]
    return names or [f"Player {number}" for number in range(1, max(case.context.rulebook.players) + 1)]


def _takes_bare(fact: Fact[object]) -> bool:
    """Tell whether a card's color does not matter to a question."""
    return not fact.colored and _takes(fact, "7" if fact.kind == "card" else ["7"])


def _may_be(case: DisputeState, deck: Deck, fact: Fact[object], face: Face, *, bare: bool) -> bool:
    """Tell whether a card of this face, in any color, can be the answer; what cannot be is not offered."""
    cards = [Card(face)] if bare or face.is_wild else [Card(face, color.id) for color in deck.colors]
    return any(_fits(case, fact, str(card)) for card in cards)


def _fits(case: DisputeState, fact: Fact[object], answer: str) -> bool:
    try:
        case.answered({fact.key: answer}).read()
    except Impossible as error:
        return not any(problem.path[:2] == ("facts", fact.key) for problem in error.problems)
    return True


def _takes(fact: Fact[object], value: object) -> bool:
    try:
        fact.parse(value)
    except WrongAnswer:
        return False
    return True
