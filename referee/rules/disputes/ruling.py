"""Rulings: the result of a hearing, as sentences to read aloud and as values for programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

from referee.rules.disputes.hearing import Step
from referee.rules.text.words import CATALOGUE, Line, in_presses, line, template


class Role(StrEnum):
    """The part someone plays in a dispute."""

    DEALER = "dealer"
    FIRST_PLAYER = "first-player"
    PLAYER_AFTER_FIRST = "player-after-first"
    OTHER_PLAYER = "other-player"
    DRAFTER = "drafter"
    OFFENDER = "offender"
    CHALLENGER = "challenger"
    TARGET = "target"
    NEXT_PLAYER = "next-player"
    SAME_PLAYER = "same-player"
    PREVIOUS_PLAYER = "previous-player"
    PLAYER_AFTER_NEXT = "player-after-next"
    PLAYER_AFTER_TWO = "player-after-two"
    PLAYER_BEFORE_PREVIOUS = "player-before-previous"
    STACKER = "stacker"
    RESPONDER = "responder"
    EVERYONE_ELSE = "everyone-else"
    TURN_HOLDER = "turn-holder"
    WINNER = "winner"
    LOSER = "loser"
    NOBODY = "nobody"


Action = Literal[
    "draw", "draw-until-color", "press", "press-until-fired", "lose-turn", "play-next", "show-hand", "take-back",
    "name-color", "score-cards",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Order:
    """What someone has to do: draw cards, press the launcher some times, lose a turn, play next."""

    role: Role
    action: Action
    cards: int | None = None
    times: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the order as the JSON interface has it; only a press has ``times``."""
        document = {"role": str(self.role), "action": self.action, "cards": self.cards}
        return document if self.times is None else document | {"times": self.times}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Order:
        """Read an order back; `to_json` writes it."""
        return cls(Role(document["role"]), document["action"], document["cards"], document.get("times"))


SEATS_AWAY: Mapping[Role, tuple[tuple[Role, str], ...]] = MappingProxyType(
    {
        Role.TARGET: ((Role.OFFENDER, "after"),),
        Role.RESPONDER: ((Role.STACKER, "after"),),
        Role.NEXT_PLAYER: tuple((role, "after") for role in (Role.RESPONDER, Role.SAME_PLAYER, Role.OFFENDER)),
        Role.PREVIOUS_PLAYER: ((Role.SAME_PLAYER, "before"),),
        Role.PLAYER_AFTER_NEXT: (
            (Role.TARGET, "after"),
            (Role.NEXT_PLAYER, "after"),
            (Role.SAME_PLAYER, "second-after"),
        ),
        Role.PLAYER_AFTER_FIRST: ((Role.FIRST_PLAYER, "after"),),
    }
)
"""Whose neighbor a role is, so that it can be called by the neighbor's name while its own is unknown."""
BETWEEN_TWO = frozenset({Role.TARGET, Role.NEXT_PLAYER, Role.PREVIOUS_PLAYER, Role.PLAYER_AFTER_FIRST})
"""Roles that between two players are the only other one, whichever way play goes."""
STARTING = frozenset({Role.FIRST_PLAYER, Role.PLAYER_AFTER_FIRST, Role.OTHER_PLAYER, Role.DEALER, Role.DRAFTER})
"""Roles whose turn is the first of a round."""
PLAIN = ("legal", "illegal", "allowed", "not-allowed", "yes", "no")
"""Keys of verdicts and sentences that say no more than the sign above a ruling."""
ROLE, ROLE_END = "\u2068", "\u2069"
"""Stand around what a role is called, where that is to be marked: isolates, which no text of a person has."""
_PLACE = re.compile(r"\{([a-z-]+)(?::([A-Za-z]+))?(?:\|([^}]*))?\}")


@dataclass(frozen=True, slots=True)
class Voice:
    """What roles are called: a name where the match knows it, a neighbor's, else the part they play.

    Between `two` players, whoever comes next is the other player, and the player after next is the one who played.
    `table` has the parts that a dispute calls by words of its own; without names, `marks` puts parts into marks.
    """

    parts: frozenset[Role] = frozenset()
    names: Mapping[Role, str] = field(default_factory=lambda: MappingProxyType({}))
    two: bool = False
    table: str = "roles"
    marks: bool = False

    def __call__(self, role: Role | str) -> str:
        """Return a role's name inside a sentence: ``Ada``, ``the player after Ada``, ``the challenger``."""
        role = Role(role)
        if role is Role.SAME_PLAYER and Role.OFFENDER in self.parts:
            role = Role.OFFENDER
        called = self.names.get(role) or (self._between_two(role) if self.two else "") or self._by_name(role)
        own = CATALOGUE.sentences.get(f"{self.table}.part-{role}")
        called = called or own or CATALOGUE.text(f"roles.{role}")
        return f"{ROLE}{called.strip(ROLE + ROLE_END)}{ROLE_END}" if self.marks and not self.names else called

    def fill(self, text: str, places: Mapping[str, object] = MappingProxyType({})) -> str:
        """Fill a text's places for roles with names, and begin it with a capital.

        ``{offender}`` is called like any role; ``{offender|the hand}`` by what follows the bar where no
        name is known. Places with a value of their own, as ``{n}``, take that value as it is.
        """
        if "{" not in text:
            return text

        def in_place(match: re.Match[str]) -> str:
            role, form, otherwise = match.groups()
            if role in places:
                return format(places[role], form or "")
            return self(role) if otherwise is None else self._by_name(Role(role)) or str(otherwise)

        filled = _PLACE.sub(in_place, text)
        begins = 1 + filled.startswith(ROLE)
        return filled[:begins].upper() + filled[begins:]

    def line(self, sentence: Line | Order, table: str) -> str:
        """Return a sentence of the catalogue, or an order's; `table` is where to find a key without a table."""
        if isinstance(sentence, Order):
            sentence = order_line(sentence, self)
        return self.fill(template(sentence, table), dict(sentence.places))

    def _between_two(self, role: Role) -> str:
        if role is Role.PLAYER_AFTER_NEXT:
            return self(Role.OFFENDER if Role.OFFENDER in self.parts else Role.SAME_PLAYER)
        key = "other-player" if role in BETWEEN_TWO else f"{role}-of-two"
        return CATALOGUE.sentences.get(f"roles.{key}", "")

    def _by_name(self, role: Role) -> str:
        if role in self.names or not self.names:
            return self.names.get(role, "")
        beside = ((self.names.get(other), where) for other, where in SEATS_AWAY.get(role, ()))
        return next((CATALOGUE.say(f"roles.{where}", name=name) for name, where in beside if name), "")


def say_orders(orders: Iterable[Order], say: Voice, shown_to: object = None) -> list[str]:
    """Return orders as sentences to read aloud; `shown_to` is who sees a hand that is shown."""
    orders = tuple(orders)
    drawing = {order.role for order in orders if order.action == "draw-until-color"}  # the rest is so many cards more
    return [say.line(order_line(each, say, shown_to, more=each.role in drawing), "orders") for each in orders]


def order_line(order: Order, say: Voice, shown_to: object = None, *, skipped: bool = False, more: bool = False) -> Line:
    """Return an order's sentence; one to draw may say that who draws is `skipped` too, or draws that many `more`."""
    key = f"orders.{order.action}"
    if order.action == "show-hand" and shown_to in ("challenger", "everyone"):
        key += f"-to-{shown_to}"
    if order.action == "play-next":
        key = _turn(order.role, say)
    elif order.action == "take-back" and f"{say.table}.take-back" in CATALOGUE.sentences:
        key = f"{say.table}.take-back"  # of several cards
    elif order.action == "press":
        return in_presses(line(f"{key}-skipped" if skipped else key, n=order.times or 0, who=say(order.role)))
    elif order.action == "draw" and order.cards is None:
        key = "orders.draw-on"
    elif order.action == "draw":
        key += "-skipped" if skipped else "-more" if more else ""
        return line(key, n=order.cards or 0, who=say(order.role))
    return line(key, who=say(order.role))


def _turn(role: Role, say: Voice) -> str:
    """Return the key of what is said of whose turn follows."""
    if role in STARTING:
        return "orders.start"
    if role is Role.SAME_PLAYER:
        return "orders.play-again"
    called_by_neighbor = say.names and role not in say.names
    # nobody says that the next player plays next, nor that it's the player after Ada's turn
    in_turn = role in (Role.NEXT_PLAYER, Role.TARGET, Role.RESPONDER) and not called_by_neighbor
    return "orders.play-in-turn" if in_turn else "orders.play-next"


def order_lines(orders: Iterable[Order], say: Voice, shown_to: object = None) -> Iterator[Line]:
    """Return the sentences on what is ordered: each order's own, or one that joins two."""
    orders = tuple(orders)
    skipped = {order.role for order in orders if order.action == "lose-turn"}
    for order in orders:
        yield order_line(order, say, shown_to)
        if (order.cards or order.times) and order.role in skipped:
            yield order_line(order, say, shown_to, skipped=True)
        if order.action == "name-color" and Order(order.role, "play-next") in orders and order.role in STARTING:
            yield line("orders.name-color-start", who=say(order.role))
        if order.action == "draw-until-color" and order.role in skipped:
            yield line("orders.draw-until-color-skipped", who=say(order.role))
            for more in (each.cards for each in orders if each.role is order.role and each.cards):
                yield line("orders.draw-until-color-more-skipped", n=more, who=say(order.role))


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """A question that no clause answers, with what it leaves undecided: keys of the outcome, `parts` of the clause."""

    clause: str
    keys: tuple[str, ...]
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ruling:
    """The end of a hearing.

    `summary` is read aloud; `lead` is what it says besides the orders, which stand right below it on a page.
    `outcome` holds a value for every key; None is *not decided*: because the text is silent (the key
    stands in `silent_on`) or because nobody saw the hand (`unseen`). `missing` are the ids of the
    questions that the text leaves open. `status` is silent when the main key is None.
    """

    dispute: str
    rulebook: str
    status: Literal["ruled", "silent"]
    verdict: str
    summary: str
    lead: str
    outcome: Mapping[str, Any]
    orders: tuple[Order, ...]
    steps: tuple[Step, ...]
    silent_on: tuple[str, ...]
    unseen: tuple[str, ...]
    missing: tuple[str, ...]
    open: tuple[OpenPoint, ...] = ()
    """what a table may decide itself, the main point first; nothing where the dispute can't arise"""

    @property
    def settled(self) -> dict[str, Any]:
        """Return what is decided of the outcome."""
        return {key: value for key, value in self.outcome.items() if value is not None}

    def to_json(self) -> dict[str, Any]:
        """Return the ruling as the JSON interface has it, without the other rulebooks."""
        return {
            "status": self.status,
            "verdict": self.verdict,
            "summary": self.summary,
            "lead": self.lead,
            "outcome": dict(self.outcome),
            "orders": [order.to_json() for order in self.orders],
            "steps": [step.to_json() for step in self.steps],
            "silent_on": list(self.silent_on),
            "unseen": list(self.unseen),
            "missing": list(self.missing),
        }
