"""Read from an address or a form which dispute is heard, what has been answered, and the cards being tapped in.

Outside a match a hearing is a pure function of its address: shareable, and Back undoes an answer. A hand is private:
once one is given, every further step is posted, and no address contains it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from flask import url_for
from werkzeug.datastructures import MultiDict

from referee.records.errors import NotFound
from referee.records.match.agreements import terms_at
from referee.records.match.dealing import load_playing
from referee.records.match.rulings import PRIVATE, opening_roles, those_certain
from referee.records.match.seating import Seated, Seating
from referee.records.models import Match
from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import Card, Color, Deck, Face, UnknownCard
from referee.rules.cards.decks import parse_card
from referee.rules.disputes import DISPUTES_BY_ID, Dispute, read_facts, rule
from referee.rules.disputes.base import Facts
from referee.rules.disputes.facts import LONGEST_HAND, PLAYERS, Fact, WrongAnswer, on_sale
from referee.rules.disputes.open_points import MOST_DECISIONS, Decision, Hear, hear_again
from referee.rules.disputes.ruling import Role, Ruling
from referee.rules.text.problem import Impossible, Problem, attempt
from referee.web.page.rulebooks import find_to_read
from referee.web.server import guards
from referee.web.words import say

LONGEST_ANSWER = 2000
CAST = "as-"
"""Prefix of a role's name in an address, since a fact may have the same name."""
UNNAMED = "names"
CASTING: tuple[tuple[frozenset[Role], Role, Role | None], ...] = (
    (frozenset({Role.OFFENDER, Role.TARGET}), Role.OFFENDER, Role.TARGET),
    (frozenset({Role.RESPONDER, Role.NEXT_PLAYER}), Role.RESPONDER, Role.NEXT_PLAYER),
    (frozenset({Role.SAME_PLAYER}), Role.SAME_PLAYER, Role.NEXT_PLAYER),
    (frozenset({Role.OFFENDER, Role.NEXT_PLAYER}), Role.OFFENDER, Role.NEXT_PLAYER),
    (frozenset({Role.OFFENDER}), Role.OFFENDER, None),
    (frozenset({Role.FIRST_PLAYER}), Role.FIRST_PLAYER, None),
)
"""Whom a match asks for first when a dispute has these roles: who played, and who sits next to them."""


@dataclass(frozen=True)
class Context:
    """Where a dispute is heard: under a rulebook from the address, or at a match under the rules it agreed on."""

    rulebook: Rulebook
    deck: Deck | None = None
    match: Match | None = None
    seating: Seating | None = None
    opening: Mapping[Role, Seated] = field(default_factory=dict)
    """who deals or drafts the round in play, and who plays first"""

    @property
    def seats(self) -> tuple[Seated, ...]:
        """Return the seats at the match, clockwise; none outside one."""
        return self.seating.here if self.seating else ()


def context_of(match: Match) -> Context:
    """Return the context of a match: the rules agreed for the next round, frozen as they were then."""
    session = guards.records()
    terms = terms_at(session, match)
    seating = load_playing(session, match)
    return Context(terms.rulebook, terms.full_deck, match, seating, opening_roles(session, match, terms, seating))


@dataclass(frozen=True)
class DisputeState:
    """A dispute and what has been answered so far: the text for each fact, and who has which role."""

    context: Context
    dispute: Dispute
    given: Mapping[str, str] = field(default_factory=dict)
    cast: Mapping[Role, Seated] = field(default_factory=dict)
    unnamed: bool = False
    decided: tuple[Decision, ...] = ()
    """what the table fills in where the rules are silent"""

    @property
    def deck(self) -> Deck:
        """Return the deck of the match, or the first that is sold for these rules."""
        return self.context.deck or on_sale(self.context.rulebook)[0]

    @property
    def private(self) -> bool:
        """Return whether an answer was given that no address may contain."""
        return any(key in PRIVATE for key in self.given)

    @property
    def roles(self) -> Mapping[Role, Seated]:
        """Return who has which role: those chosen, and those who follow from them."""
        if self.context.seating is None:
            return {}
        opening = self.context.opening if Role.FIRST_PLAYER in self.dispute.parts else {}
        return {**opening, **those_certain(dict(self.cast), self.context.seating, self.given)}

    @property
    def names(self) -> Mapping[Role, str]:
        """Return the player's name for each role."""
        return {role: seat.name for role, seat in self.roles.items()}

    @property
    def facts(self) -> dict[str, object]:
        """Return the facts to decide by: the answers, and the number of players where a match knows it."""
        known: dict[str, object] = {"players": len(self.context.seats)} if self.context.match else {}
        return known | dict(self.given)

    def read(self) -> Facts:
        """Parse and check the facts. Raises `Impossible`."""
        return read_facts(self.dispute, self.context.rulebook, self.facts, self.context.deck)

    def needs_cast(self) -> tuple[Role, Role | None] | None:
        """Return the roles a match should fill before the questions; None if there are none, or all are filled."""
        if not self.context.seats or self.unnamed or self.cast:
            return None
        parts = set(self.dispute.parts)
        wanted = next(((player, upon) for spoken, player, upon in CASTING if spoken <= parts), None)
        return None if wanted is None or wanted[0] in self.roles or self._is_silent_at_once() else wanted

    def _is_silent_at_once(self) -> bool:
        """Return whether the rulebook is silent on the whole dispute, so that it doesn't matter who is involved."""
        heard = rule(self.dispute, self.context.rulebook, {PLAYERS.key: len(self.context.seats)})
        return isinstance(heard, Ruling) and heard.status == "silent" and not heard.orders

    def rule(self, facts: Facts) -> Fact[Any] | Ruling:
        """Return the next question or the ruling for facts already read, with names where they are known.

        Raises `Impossible` where what the table decided isn't open.
        """
        hear, rulebook = self.hearing(facts), self.context.rulebook
        return hear_again(hear, rulebook, hear(rulebook=rulebook), self.decided)

    def hearing(self, facts: Facts) -> Hear:
        """Return a function that hears this case under a rulebook."""
        return partial(rule, self.dispute, facts=facts, names=self.names, asking=True)

    def answered(self, answers: Mapping[str, str]) -> DisputeState:
        """Return the case with more answers; a role is answered by the number of a seat."""
        facts = {key: value for key, value in answers.items() if not key.startswith(CAST)}
        roles = _read_cast(answers.items(), self.context)
        return replace(self, given={**self.given, **facts}, cast={**self.cast, **roles})

    def before(self, key: str) -> DisputeState:
        """Return the case as it was before a fact was answered."""
        keys = list(self.given)
        return replace(self, given={each: self.given[each] for each in keys[: keys.index(key)]}, decided=())

    @property
    def nameless(self) -> DisputeState:
        """Return the case with the question of who skipped."""
        return replace(self, cast={}, unnamed=True)

    def parameters(self) -> list[tuple[str, str]]:
        """Return the case as parameters of an address or hidden fields of a form."""
        parameters = [] if self.context.match else [("rulebook", self.context.rulebook.id)]
        if not self.context.match:
            parameters += [("house_rule", id) for id in self.context.rulebook.in_force]
        parameters += [(UNNAMED, "no")] if self.unnamed else []
        parameters += [(f"{CAST}{role}", str(seat.seat)) for role, seat in self.cast.items()]
        return parameters + list(self.given.items()) + [("decided", write_decision(one)) for one in self.decided]

    @property
    def start_address(self) -> str:
        """Return the address of the dispute with nothing answered."""
        return dispute_address(self.dispute.id, self.context.match)

    @property
    def address(self) -> str:
        """Return the address of this case; for a private one, the link that shows the hand."""
        return self.address_with()

    @property
    def picture(self) -> str:
        """Return the address of the ruling as a picture; empty for a private case."""
        return "" if self.private else f"{self.start_address}/ruling.png?{urlencode(self.parameters(), safe=',:')}"

    def address_with(self, **more: str) -> str:
        """Return the address of this case with further parameters, which the page itself reads."""
        query = urlencode([*self.parameters(), *more.items()], safe=",:")
        return f"{self.start_address}?{query}" if query else self.start_address


def dispute_address(dispute_id: str, match: Match | None = None, rulebook: str = "") -> str:
    """Return the address where a dispute begins."""
    if match is not None:
        return url_for("disputes.hear_at_match", match_id=match.id, dispute_id=dispute_id)
    return url_for("disputes.hear_anywhere", dispute_id=dispute_id, rulebook=rulebook or None)


def read_case(context: Context, dispute: Dispute, values: MultiDict[str, str], problems: list[Problem]) -> DisputeState:
    """Read a case from an address or a form; what makes no sense is appended to `problems`."""
    known = dispute.known_facts
    given: dict[str, str] = {}
    for key in values:
        if key in known:
            if len(values.getlist(key)) > 1:
                problems.append(Problem(("facts", key), say("case.twice", fact=key)))
            given[key] = values[key][:LONGEST_ANSWER]
        elif key not in NOT_FACTS and not key.startswith(CAST):
            possible = ", ".join(known)
            problems.append(Problem(("facts", key[:40]), say("case.no-fact", fact=key[:40], choices=possible)))
    cast = _read_cast(values.items(), context)
    decided = tuple(map(read_decision, values.getlist("decided")[:MOST_DECISIONS]))
    if None in decided:
        problems.append(Problem("decided", say("case.decided")))
    known_decisions = tuple(one for one in decided if one)
    return DisputeState(context, dispute, given, cast, values.get(UNNAMED) == "no", known_decisions)


def write_decision(decision: Decision) -> str:
    """Write a decision as a parameter of an address, or a field of a form."""
    said = decision.text or dict(decision.settings)
    return f"{decision.clause}:{json.dumps(said, ensure_ascii=False, separators=(',', ':'))}"


def read_decision(text: str) -> Decision | None:
    """Read what `write_decision` wrote; None for anything else."""
    clause, _, said = text.partition(":")
    try:
        value = json.loads(said) if len(text) <= LONGEST_ANSWER else None
    except (ValueError, RecursionError):
        return None
    if isinstance(value, str):
        return Decision(clause, text=value)
    return Decision(clause, value) if isinstance(value, dict) else None


NOT_FACTS = frozenset(
    {"rulebook", "house_rule", UNNAMED, "csrf_token", "tap", "laid", "color", "add", "take", "done", "answer", "undo",
     "accepted", "table_decided", "keep_hand", "once", "draw-name", "draw-card", "direction", "decided", "keep",
     "standing", "words_for"}
)  # fmt: skip
"""Parameters of the pages themselves."""


def find_rulebook(values: MultiDict[str, str], problems: list[Problem]) -> Rulebook | None:
    """Return the rulebook an address names, with its house rules switched on; None where it names none."""
    id = values.get("rulebook", "")
    if not id:
        return None
    rulebook = find_to_read(id)
    if rulebook is None:
        problems.append(Problem("rulebook", say("case.unknown-rulebook", id=id[:40])))
        return None
    return attempt(problems, lambda: rulebook.with_house_rules(values.getlist("house_rule")[:40])) or rulebook


def find_dispute(dispute_id: str) -> Dispute:
    """Return a dispute by its id. Raises `NotFound`."""
    dispute = DISPUTES_BY_ID.get(dispute_id)
    if dispute is None:
        raise NotFound("dispute")
    return dispute


def _read_cast(items: Iterable[tuple[str, str]], context: Context) -> dict[Role, Seated]:
    """Read who has which role; seats and roles that don't exist are ignored."""
    seats: Mapping[str, Seated] = {str(seat.seat): seat for seat in context.seats}
    roles: Sequence[Any] = list(Role)
    return {
        Role(key.removeprefix(CAST)): seats[value]
        for key, value in items
        if key.startswith(CAST) and key.removeprefix(CAST) in roles and value in seats
    }


@dataclass(frozen=True)
class FaceKey:
    """A face to tap."""

    face: Face
    label: str
    colored: bool


@dataclass(frozen=True)
class Tap:
    """The cards tapped so far, in answer to one question."""

    key: str = ""
    title: str = ""
    laid: Sequence[Card] = ()
    color: str = ""
    colors: Sequence[Color] = ()
    keys: Sequence[FaceKey] = ()
    several: bool = False
    private: bool = False
    draws: Sequence[str] = ()
    """names of those who draw a card each, where that is the question"""
    open: bool = False
    text: str = ""
    """the answer, once it is finished"""
    optional: bool = False

    @property
    def finished(self) -> bool:
        """Return whether the answer is complete."""
        return bool(self.key) and not self.open


NO_TAP = Tap()


def open_keys(case: DisputeState, fact: Fact[object], *, color: str = "", laid: Sequence[Card] = ()) -> Tap:
    """Return the keys for a question about cards; who draws a card each has a form of its own."""
    plain = accepts(fact, ["red-1"]) or fact.kind == "card"
    deck = case.deck
    bare = _takes_bare(fact)
    unnamed = [say("names.unnamed", n=number) for number in range(1, max(case.context.rulebook.players) + 1)]
    return Tap(
        key=fact.key,
        title=fact.text,
        laid=tuple(laid),
        colors=deck.colors,
        color=color or ("" if bare else case.given.get("color_in_play", "")),
        keys=[
            FaceKey(face, face.label, not face.is_wild and not bare)
            for face in deck.faces
            if fact.kind == "cards" or _may_be(case, deck, fact, face, bare=bare)
        ],
        several=fact.kind == "cards",
        private=fact.key in PRIVATE,
        draws=() if plain else [seat.name for seat in case.context.seats] or unnamed,
        open=True,
        optional=fact.key in {each.key for each in case.dispute.volunteered},
    )


def read_tap(case: DisputeState, values: MultiDict[str, str], problems: list[Problem]) -> Tap:
    """Read what was tapped: one more card, one less, or done."""
    fact = case.dispute.known_facts.get(values.get("tap", ""))
    if fact is None or fact.kind not in ("card", "cards"):
        return NO_TAP
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
    return open_keys(case, fact, color=color, laid=laid)


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


def _takes_bare(fact: Fact[object]) -> bool:
    """Return whether a card's color doesn't matter to a question."""
    return not fact.colored and accepts(fact, "7" if fact.kind == "card" else ["7"])


def _may_be(case: DisputeState, deck: Deck, fact: Fact[object], face: Face, *, bare: bool) -> bool:
    """Return whether a card of this face, in any color, can be the answer; only those get a key."""
    cards = [Card(face)] if bare or face.is_wild else [Card(face, color.id) for color in deck.colors]
    return any(_fits(case, fact, str(card)) for card in cards)


def _fits(case: DisputeState, fact: Fact[object], answer: str) -> bool:
    try:
        case.answered({fact.key: answer}).read()
    except Impossible as error:
        return not any(problem.path[:2] == ("facts", fact.key) for problem in error.problems)
    return True


def accepts(fact: Fact[Any], value: object) -> bool:
    """Return whether a fact can have this value."""
    try:
        fact.parse(value)
    except WrongAnswer:
        return False
    return True
