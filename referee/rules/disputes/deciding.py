"""How a dispute is decided: the result is either the one fact that is still to be asked, or a ruling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from types import MappingProxyType
from typing import Any, Literal, ParamSpec, TypeVar

from referee.rules.books.library import every_question
from referee.rules.books.rulebook import TABLE_SIZES, Clause, Rulebook
from referee.rules.cards.cards import Deck
from referee.rules.disputes.base import SILENT, Dispute, Facts, read_facts
from referee.rules.disputes.facts import PLAYERS, Fact, number_of_players, on_sale
from referee.rules.disputes.hearing import Glance, Hearing, Silent, Unanswered, Uncolored, Unseen
from referee.rules.disputes.ruling import PLAIN, OpenPoint, Order, Role, Ruling, order_lines
from referee.rules.disputes.wording import say_open, say_under
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import Line

P = ParamSpec("P")
T = TypeVar("T")


def hear(
    dispute: Dispute,
    rulebook: Rulebook,
    given: Mapping[str, object],
    *,
    names: Mapping[Role, str] | None = None,
    deck: Deck | None = None,
) -> Fact[Any] | Ruling:
    """Return the ruling on a dispute, or the one fact still to be asked.

    `given` maps keys of facts to JSON values; `names` says who plays which role. Raises `Impossible`.
    """
    return rule(dispute, rulebook, read_facts(dispute, rulebook, given, deck), names=names)


def _colors_told(decide: Callable[P, T]) -> Callable[P, T]:
    """Raise `Impossible`, naming the fact, where a card was told without its color and the color decides."""

    @wraps(decide)
    def told(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return decide(*args, **kwargs)
        except Uncolored as bare:
            raise Impossible([Problem.said(("facts", bare.fact.key), "color-decides")]) from bare

    return told


@_colors_told
def rule(
    dispute: Dispute,
    rulebook: Rulebook,
    facts: Facts,
    *,
    names: Mapping[Role, str] | None = None,
    asking: bool = False,
    brief: bool = False,
    decided: Mapping[str, Any] = MappingProxyType({}),
) -> Fact[Any] | Ruling:
    """Decide a dispute from facts already read; like `hear` otherwise.

    What the dispute assumes is taken to be so where no fact says otherwise, but asked where `asking`. A `brief` ruling
    has no reasons and no lead. `decided` are keys of the outcome that are known, and stay as they are.
    Raises `Impossible` where a card was told without its color and the color decides.
    """
    two = dispute.is_between_two(facts, rulebook)
    facts, say = facts if asking else {**dispute.assumed, **facts}, dispute.speaker(names, two)
    hearing = (Glance if brief else Hearing)(rulebook, facts, dispute.decided, say, decided)
    found = _decide(dispute, hearing, names, two)
    if isinstance(found, Fact):
        return found
    if found.open is not None and not brief and not any(step.clause for step in hearing.steps):
        for id in nearest(rulebook, found.open.question):
            hearing.cite(id)
    spoken, orders = _said(dispute, hearing, found, say)
    lead = ""
    if not brief:
        ordered = order_lines(orders, dispute.voice(names, two), found.outcome.get("hand_shown_to"))
        told = {f"{spoken.verdict}.", *map(say, ordered)}
        further = [each for each in spoken.sentences if each not in told]
        more = [each for each in further if each not in spoken.plain]
        lead = " ".join(more if more or orders or found.open else further)
    return Ruling(
        dispute=dispute.id,
        rulebook=rulebook.id,
        status=found.status,
        verdict=spoken.verdict,
        summary=spoken.summary,
        lead=lead,
        outcome=MappingProxyType(found.outcome),
        orders=orders,
        steps=tuple(hearing.steps),
        silent_on=tuple(found.silent_on),
        unseen=tuple(found.unseen),
        missing=tuple(dict.fromkeys(found.missing)),
        open=_open_points(found),
    )


def _open_points(decided: _Decision) -> tuple[OpenPoint, ...]:
    found: dict[str, dict[str, str]] = {}
    for key, silent in decided.silences.items():
        found.setdefault(silent.question, {})[key] = silent.part
    first = decided.open.question if decided.open else ""
    return tuple(
        OpenPoint(clause, tuple(parts), tuple(dict.fromkeys(parts.values())))
        for clause, parts in sorted(found.items(), key=lambda one: one[0] != first)
    )


def nearest(rulebook: Rulebook, question: str) -> list[str]:
    """Return the id of the clause nearest to a question that no clause answers; empty if none comes near.

    It shares a word of its id on the same topic, or two words on any.
    """
    asked = every_question().get(question)
    words = set(question.split("-"))
    shared = {clause.id: len(words & set(clause.id.split("-"))) for clause in rulebook.clauses.values()}
    near = (id for id, count in shared.items() if count > (asked is None or rulebook.clauses[id].topic != asked.topic))
    return sorted(near, key=lambda id: -shared[id])[:1]


@dataclass(slots=True)
class _Decision:
    """What was decided of a dispute, before anything is put into words."""

    status: Literal["ruled", "silent"]
    outcome: dict[str, Any]
    known: Mapping[str, Any]
    """the outcome, and what orders and words need besides"""
    silent_on: list[str]
    unseen: list[str]
    missing: list[str]
    open: Silent | None
    """why the main point stays open, where the text is silent on it"""
    silences: Mapping[str, Silent] = field(default_factory=dict)
    """by key of the outcome, why it stays open"""


@dataclass(slots=True)
class _Spoken:
    verdict: str
    sentences: list[str]
    plain: list[str]
    """those that say no more than the sign above a ruling"""

    @property
    def summary(self) -> str:
        return " ".join(self.sentences)


def _decide(dispute: Dispute, hearing: Hearing, names: Mapping[Role, str] | None, two: bool) -> Fact[Any] | _Decision:
    outcome: dict[str, Any] = {}
    silent_on: list[str] = []
    unseen: list[str] = []
    missing: list[str] = []
    main = dispute.main(hearing.facts)
    silences: dict[str, Silent] = {}
    main_open: Silent | None = None
    try:
        if not hearing.heard:
            dispute.arises(hearing)
    except Silent as silent:
        nothing = dict.fromkeys(dispute.outcome)
        known = dict.fromkeys(dispute.decided)
        return _Decision("silent", nothing, known, list(nothing), [], [silent.question], silent)
    for key in dispute.outcome:
        outcome[key] = None
        try:
            outcome[key] = hearing.decide(key)
        except Silent as silent:
            silent_on.append(key)
            missing.append(silent.question)
            silences[key] = silent
            main_open = silent if key == main else main_open
        except Unseen:
            unseen.append(key)
        except Unanswered as unanswered:
            if unanswered.fact.key == PLAYERS.key and not dispute.any_players:
                return number_of_players(hearing.rulebook.players or TABLE_SIZES)
            return dispute.worded(unanswered.fact.key, names, two).against(on_sale(hearing.rulebook)[0])
    if main_open is not None:
        missing.insert(0, main_open.question)
    known = {**outcome, **hearing.besides(dispute.further)}
    status: Literal["ruled", "silent"] = "silent" if outcome[main] is None else "ruled"
    return _Decision(status, outcome, known, silent_on, unseen, missing, main_open, silences)


def _said(
    dispute: Dispute, hearing: Hearing, decided: _Decision, say: Callable[[Line | Order], str]
) -> tuple[_Spoken, tuple[Order, ...]]:
    rulebook, known, facts = hearing.rulebook, decided.known, hearing.facts
    badge = dispute.verdict(known, facts) if decided.open is None else SILENT
    lines = (badge, *dispute.summary(known, facts))
    (verdict, *below), orders = say_under(rulebook, lines, dispute.orders(known, facts), dispute.id)
    sentences = [say(each) for each in below]
    alone = len(below) == 1 and not orders  # then an open line says no more than the question and its sign
    plain = [
        say(each)
        for each in below
        if isinstance(each, Line) and (each.key in PLAIN or (alone and each.key.startswith("open-")))
    ]
    if decided.open is not None and not any(isinstance(each, Line) and each.key.startswith("open") for each in below):
        sentences.append(say_open(decided.open, rulebook))
        plain += [] if orders or decided.open.part.startswith("no_") else sentences[-1:]
    return _Spoken(say(verdict), sentences, plain), orders


def read_on(dispute: Dispute, rulebook: Rulebook, facts: Facts) -> tuple[list[Clause], Fact[Any] | None]:
    """Return the clauses read on these facts, and the question where the reading stops; None if it comes to an end."""
    two = dispute.is_between_two(facts, rulebook)
    hearing = Hearing(rulebook, facts, dispute.decided, dispute.speaker(None, two))
    asked = None
    with suppress(Uncolored):
        decided = _decide(dispute, hearing, None, two)
        asked = decided if isinstance(decided, Fact) else None
    return [step.clause for step in hearing.steps if step.clause], asked


def beside_the_point(
    dispute: Dispute, rulebook: Rulebook, players: int | None = None
) -> Literal["silent", "not-agreed"] | None:
    """Return why this dispute can't arise under these rules; None if it can.

    They are silent on all of it, or rule it out before anything is asked, as by a house rule that is not in force.
    """
    if dispute.stays_in_sight:
        return None
    known = {} if players is None else {PLAYERS.key: players}
    ruling = rule(dispute, rulebook, known)
    if isinstance(ruling, Ruling) and all(value is None for value in ruling.outcome.values()):
        return "silent"
    try:
        decided = Hearing(rulebook, known, dispute.decided).decide(dispute.main({}))
    except (Silent, Unseen, Unanswered):
        return None
    return "not-agreed" if dispute.facts and decided in (False, "stay") else None
