"""Rulings saved with a match: each is heard again on the server, then stored as given."""

from __future__ import annotations

from typing import Annotated, Any

from flask import Response
from pydantic import Field

from referee.records.models import Match, Ruling
from referee.records.rulings import LONGEST_DECISION, Case, draft_ruling, write_ruling
from referee.records.seating import load_seating
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID
from referee.rules.round_document import MOST_NAMES
from referee.rules.texts import DECOMPOSED
from referee.web.api.documents import match_etag, ruling_document
from referee.web.api.endpoint import Answer, Request, Resource, respond
from referee.web.api.schemas import Facts, Name, StepDocument, Word
from referee.web.server import guards
from referee.web.writing import written

resource = Resource("rulings")


class RulingRequest(Request):
    """A case to hear and save; `players` maps roles to names."""

    dispute: Annotated[Word, Field(description=f"one of {', '.join(dispute.id for dispute in DISPUTES)}")]
    facts: Facts = Field(default_factory=dict)
    players: Annotated[dict[Word, Name], Field(max_length=MOST_NAMES)] = Field(default_factory=dict)
    accepted: bool | None = None
    table_decided: Annotated[str | None, Field(max_length=DECOMPOSED * LONGEST_DECISION)] = None
    keep_hand: bool = False


class OrderDocument(Answer):
    """What somebody has to do; `times` is how often to press, in a box with a launcher.

    Without a number of cards, `draw` goes on until a card fits, `draw-until-color` until the color named comes.
    """

    role: str
    action: str
    cards: int | None
    times: int | None = None


class RulingDocument(Answer):
    """A saved ruling; `facts` leave out the hand unless the table chose to save it."""

    id: str
    dispute: str
    facts: dict[str, Any]
    players: dict[str, str]
    status: str
    verdict: str
    summary: str
    outcome: dict[str, Any]
    orders: list[OrderDocument]
    steps: list[StepDocument]
    silent_on: list[str]
    unseen: list[str]
    missing: list[str]
    rulebook: str
    rulebook_digest: str
    accepted: bool | None
    table_decided: str | None
    given_at: str


@resource.endpoint(
    "POST", "/matches/<match_id>/rulings", access="scorekeeper", body=RulingRequest, answer=RulingDocument, status=201
)
def give(match_id: str, body: RulingRequest) -> Response:
    """Hear a case under the rules of the match, and save the ruling."""
    case = Case(
        dispute=body.dispute,
        facts=typed(body.dispute, body.facts),
        players=body.players,
        accepted=body.accepted,
        table_decided=body.table_decided or "",
        keep_hand=body.keep_hand,
    )

    def draft(lock: bool) -> tuple[Match, Ruling, dict[str, Any]]:
        session, match = guards.records(), guards.get_match(match_id, write=True, lock=lock)
        given = draft_ruling(session, match, case, guards.get_key())
        return match, given, ruling_document(given, load_seating(session, match).name_of)

    match, _, document = written(draft, lambda found: write_ruling(guards.records(), found[0], found[1]))
    response = respond(document, 201)
    response.set_etag(match_etag(match))
    return response


def typed(dispute: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Refuse the texts "4" and "yes", which addresses need but JSON doesn't, by replacing them with null."""
    known = DISPUTES_BY_ID[dispute].known_facts if dispute in DISPUTES_BY_ID else {}
    wordless = {key for key, fact in known.items() if fact.kind == "number" or True in dict(fact.choices)}
    return {key: None if key in wordless and isinstance(value, str) else value for key, value in facts.items()}
