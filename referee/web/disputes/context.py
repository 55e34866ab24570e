"""Where a dispute is heard, and what has been answered so far: the whole state is an address or a form.

Outside a match a hearing is a pure function of its address: shareable, and Back undoes an answer. A hand
is private: once one is given, every further step is posted instead, and no address shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from flask import url_for
from werkzeug.datastructures import MultiDict

from referee.records.agreements import terms_at
from referee.records.elimination import load_playing
from referee.records.errors import NotFound
from referee.records.models import Match
from referee.records.rulings import PRIVATE, opening_roles, those_certain
from referee.records.seating import Seated, Seating
from referee.rules.cards import Deck
from referee.rules.disputes import DISPUTES_BY_ID, Dispute, read_facts, rule
from referee.rules.disputes.base import Facts
from referee.rules.disputes.box import on_sale
from referee.rules.facts import PLAYERS, Fact
from referee.rules.library import rulebooks
from referee.rules.problem import Impossible, Problem
from referee.rules.rulebook import Rulebook
from referee.rules.ruling import Role, Ruling
from referee.web.rulebooks import find_to_read
from referee.web.server import guards
from referee.web.words import say

LONGEST_ANSWER = 2000
CAST = "as-"
"""What the name of a role begins with in an address; a fact may have the same name."""
UNNAMED = "names"
CASTING: tuple[tuple[frozenset[Role], Role, Role | None], ...] = (
    (frozenset({Role.OFFENDER, Role.TARGET}), Role.OFFENDER, Role.TARGET),
    (frozenset({Role.RESPONDER, Role.NEXT_PLAYER}), Role.RESPONDER, Role.NEXT_PLAYER),
    (frozenset({Role.SAME_PLAYER}), Role.SAME_PLAYER, Role.NEXT_PLAYER),
    (frozenset({Role.OFFENDER, Role.NEXT_PLAYER}), Role.OFFENDER, Role.NEXT_PLAYER),
    (frozenset({Role.OFFENDER}), Role.OFFENDER, None),
    (frozenset({Role.FIRST_PLAYER}), Role.FIRST_PLAYER, None),
)
"""Whom a match is asked for first when a dispute speaks of these roles: one who plays, and who sits next."""


@dataclass(frozen=True)
class Context:
    """Where a dispute is heard: under a rulebook that anybody names, or at a match under its own."""

    rulebook: Rulebook
    deck: Deck | None = None
    match: Match | None = None
    seating: Seating | None = None
    opening: Mapping[Role, Seated] = field(default_factory=dict)
    """who deals or drafts the round in play, and who plays first"""

    @property
    def seats(self) -> tuple[Seated, ...]:
        """Give who sits at the match, clockwise; nobody outside one."""
        return self.seating.here if self.seating else ()


def context_of(match: Match) -> Context:
    """Hear at a match: under what was agreed for the next round, frozen as it was then."""
    session = guards.records()
    terms = terms_at(session, match)
    seating = load_playing(session, match)
    return Context(terms.rulebook, terms.box, match, seating, opening_roles(session, match, terms, seating))


@dataclass(frozen=True)
class DisputeState:
    """A dispute and what has been answered: the words given for each fact, and who has which role."""

    context: Context
    dispute: Dispute
    given: Mapping[str, str] = field(default_factory=dict)
    cast: Mapping[Role, Seated] = field(default_factory=dict)
    unnamed: bool = False

    @property
    def deck(self) -> Deck:
        """Give the deck of the match, or the first that is sold for these rules."""
        return self.context.deck or on_sale(self.context.rulebook)[0]

    @property
    def private(self) -> bool:
        """Tell whether something was answered that must stand in no address."""
        return any(key in PRIVATE for key in self.given)

    @property
    def roles(self) -> Mapping[Role, Seated]:
        """Say who has which role: those named, and who else is certain because of them."""
        if self.context.seating is None:
            return {}
        opening = self.context.opening if Role.FIRST_PLAYER in self.dispute.parts else {}
        return {**opening, **those_certain(dict(self.cast), self.context.seating, self.given)}

    @property
    def names(self) -> Mapping[Role, str]:
        """Say what each role is called."""
        return {role: seat.name for role, seat in self.roles.items()}

    @property
    def facts(self) -> dict[str, object]:
        """Give the facts to be heard: what was answered, and the number of players where it is known."""
        known: dict[str, object] = {"players": len(self.context.seats)} if self.context.match else {}
        return known | dict(self.given)

    def read(self) -> Facts:
        """Read and check the facts; raises `Impossible`."""
        return read_facts(self.dispute, self.context.rulebook, self.facts, self.context.deck)

    def needs_cast(self) -> tuple[Role, Role | None] | None:
        """Say whom the match should name first; None when nobody is needed, or they are named already."""
        if not self.context.seats or self.unnamed or self.cast:
            return None
        parts = set(self.dispute.parts)
        wanted = next(((player, upon) for spoken, player, upon in CASTING if spoken <= parts), None)
        return None if wanted is None or wanted[0] in self.roles or self._is_silent_at_once() else wanted

    def _is_silent_at_once(self) -> bool:
        """Tell whether the rulebook has no word on the whole dispute, so that it does not matter who is concerned."""
        heard = rule(self.dispute, self.context.rulebook, {PLAYERS.key: len(self.context.seats)})
        return isinstance(heard, Ruling) and heard.status == "silent" and not heard.orders

    def rule(self, facts: Facts) -> Fact[Any] | Ruling:
        """Decide from facts already read: give the next question or the ruling, by name where names are known."""
        return rule(self.dispute, self.context.rulebook, facts, names=self.names)

    def answered(self, answers: Mapping[str, str]) -> DisputeState:
        """Give the case with more answers; a role is answered by the number of a seat."""
        facts = {key: value for key, value in answers.items() if not key.startswith(CAST)}
        roles = _read_cast(answers.items(), self.context)
        return replace(self, given={**self.given, **facts}, cast={**self.cast, **roles})

    def before(self, key: str) -> DisputeState:
        """Give the case as it was before a fact was answered."""
        keys = list(self.given)
        return replace(self, given={each: self.given[each] for each in keys[: keys.index(key)]})

    @property
    def recast(self) -> DisputeState:
        """Give the case as if nobody had been named yet, what was answered kept."""
        return replace(self, cast={}, unnamed=False)

    @property
    def nameless(self) -> DisputeState:
        """Give the case with the wish to leave the names out."""
        return replace(self, cast={}, unnamed=True)

    def parameters(self) -> list[tuple[str, str]]:
        """Write the case as parameters of an address or hidden fields of a form."""
        found = [] if self.context.match else [("rulebook", self.context.rulebook.id)]
        if not self.context.match:
            found += [("house_rule", id) for id in self.context.rulebook.in_force]
        found += [(UNNAMED, "no")] if self.unnamed else []
        found += [(f"{CAST}{role}", str(seat.seat)) for role, seat in self.cast.items()]
        return found + list(self.given.items())

    @property
    def place(self) -> str:
        """Give the address of the dispute itself, nothing answered."""
        return dispute_address(self.dispute.id, self.context.match)

    @property
    def address(self) -> str:
        """Give the address that this case stands in, or that a private one would stand in."""
        return self.address_with()

    def address_with(self, **more: str) -> str:
        """Give the address of this case with more parameters, of the page itself."""
        query = urlencode([*self.parameters(), *more.items()], safe=",:")
        return f"{self.place}?{query}" if query else self.place


def dispute_address(dispute_id: str, match: Match | None = None, rulebook: str = "") -> str:
    """Give the address where a dispute begins."""
    if match is not None:
        return url_for("disputes.hear_at_match", match_id=match.id, dispute_id=dispute_id)
    return url_for("disputes.hear_anywhere", dispute_id=dispute_id, rulebook=rulebook or None)


def read_case(context: Context, dispute: Dispute, values: MultiDict[str, str], problems: list[Problem]) -> DisputeState:
    """Read a case from an address or a form; what it cannot have meant goes into `problems`."""
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
    return DisputeState(context, dispute, given, cast, unnamed=values.get(UNNAMED) == "no")


NOT_FACTS = frozenset(
    {"rulebook", "house_rule", UNNAMED, "csrf_token", "tap", "laid", "color", "add", "take", "done", "answer", "undo",
     "accepted", "table_decided", "keep_hand", "once", "draw-name", "draw-card", "direction"}
)  # fmt: skip
"""Parameters of the pages themselves."""


def find_rulebook(values: MultiDict[str, str], problems: list[Problem]) -> Rulebook | None:
    """Find the rulebook an address names, its house rules in force; None where it names none."""
    id = values.get("rulebook", "")
    if not id:
        return None
    rulebook = find_to_read(id)
    if rulebook is None:
        known = ", ".join(rulebooks())
        problems.append(Problem("rulebook", say("case.no-rulebook", id=id[:40], choices=known)))
        return None
    try:
        return rulebook.with_house_rules(values.getlist("house_rule")[:40])
    except Impossible as error:
        problems += error.problems
        return rulebook


def find_dispute(dispute_id: str) -> Dispute:
    """Find a dispute by its id; raises `NotFound`."""
    found = DISPUTES_BY_ID.get(dispute_id)
    if found is None:
        raise NotFound("dispute")
    return found


def _read_cast(items: Iterable[tuple[str, str]], context: Context) -> dict[Role, Seated]:
    """Read who has which role; seats and roles that there are not are left out: nobody is named by them."""
    seats: Mapping[str, Seated] = {str(seat.seat): seat for seat in context.seats}
    roles: Sequence[Any] = list(Role)
    return {
        Role(key.removeprefix(CAST)): seats[value]
        for key, value in items
        if key.startswith(CAST) and key.removeprefix(CAST) in roles and value in seats
    }
