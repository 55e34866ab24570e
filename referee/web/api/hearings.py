"""Hearings outside any match: a dispute under a rulebook, as far as the facts go."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from flask import Response
from pydantic import Field, RootModel

from referee.records.cache import Cache
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID
from referee.rules.disputes.answering import document, read_hearing
from referee.rules.library import IDS
from referee.web.api.endpoint import Answer, Request, Resource, to_json
from referee.web.api.rulings import OrderDocument, typed
from referee.web.api.schemas import Facts, HouseRules, StepDocument, Word
from referee.web.rulebooks import find_rulebook
from referee.web.server import rate_limits

resource = Resource("hearings")


class HearingRequest(Request):
    """A case to hear, with the facts known so far."""

    dispute: Annotated[Word, Field(description=f"one of {', '.join(dispute.id for dispute in DISPUTES)}")]
    rulebook: Annotated[Word, Field(description=f"one of {', '.join(IDS)}, or a club's own")]
    house_rules: HouseRules = Field(default_factory=list)
    facts: Facts = Field(default_factory=dict)


class ChoiceDocument(Answer):
    """One answer to tap."""

    value: bool | str
    label: str


class QuestionDocument(Answer):
    """The fact to ask for next."""

    key: str
    text: str
    kind: Literal["choice", "number", "card", "cards", "color"]
    choices: list[ChoiceDocument]


class QuestionAnswer(Answer):
    """The next question: one more fact is needed."""

    status: Literal["question"]
    question: QuestionDocument
    answered: dict[str, Any]


class OtherRulebookDocument(Answer):
    """How another rulebook decides the same case."""

    rulebook: str
    status: Literal["ruled", "silent", "question"]
    verdict: str
    summary: str


class RulingAnswer(Answer):
    """The ruling; a null in the outcome means undecided, `until-color` drawing until the color named comes."""

    status: Literal["ruled", "silent"]
    verdict: str
    summary: str
    outcome: dict[str, Any]
    orders: list[OrderDocument]
    steps: list[StepDocument]
    silent_on: list[str]
    unseen: list[str]
    other_rulebooks: list[OtherRulebookDocument]


class HearingDocument(RootModel[QuestionAnswer | RulingAnswer]):
    """The next question, or the ruling."""


@resource.endpoint("POST", "/hearings", access="anyone", body=HearingRequest, answer=HearingDocument)
def hear(body: HearingRequest) -> Response:
    """Hear a dispute: ask for the next fact, or rule."""
    rate_limits.count_hearing()
    given = typed(body.dispute, body.facts)
    dispute, rulebook, facts = read_hearing(
        DISPUTES_BY_ID, body.dispute, body.rulebook, body.house_rules, given, find_rulebook
    )
    # the facts as they were understood, not as they were written: blanks and letter case make no other hearing
    text = rulebook.digest if rulebook.base else rulebook.id  # a club's own changes with its versions
    state = (dispute.id, text, rulebook.in_force, frozenset(facts.items()))
    said = HEARINGS.get(state, lambda: to_json(document(dispute, rulebook, facts)))
    return Response(said, mimetype="application/json")


def _bytes(state: tuple[str, str, tuple[str, ...], frozenset[tuple[str, Any]]], said: bytes) -> int:
    """Count a hearing generously: 100 bytes for each fact, 350 for each card or player in a list of them."""
    return 500 + len(said) + sum(350 * len(value) if isinstance(value, tuple) else 100 for _, value in state[-1])


HEARINGS: Cache[bytes] = Cache("hearings", 2_000_000, size=_bytes)
"""What tables ask over and over: outside a match the answer depends on the dispute, the rules and the facts alone."""
