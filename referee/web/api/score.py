"""Score a round outside any match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.rules.problem import Impossible
from referee.rules.round_document import company, read_round, read_teams
from referee.rules.scoring import score_round
from referee.rules.terms import Terms
from referee.web.api.endpoint import Resource
from referee.web.api.schemas import ScoreDocument, ScoreRequest
from referee.web.rulebooks import find_rulebook
from referee.web.server import rate_limits

resource = Resource("score")


@resource.endpoint("POST", "/score", access="anyone", body=ScoreRequest, answer=ScoreDocument)
def score(body: ScoreRequest) -> Mapping[str, Any]:
    """Score a round: what each hand is worth, what each total grows by, and why."""
    rate_limits.count_hearing()
    document = body.model_dump()
    table = company(document)
    entry = read_round(document, table)
    try:
        rulebook = find_rulebook(body.rulebook)
        entry = read_round(document, table, rulebook.deck)
        terms = Terms.agree(
            rulebook,
            body.house_rules,
            deck=body.deck,
            blank_points=body.blank_points,
            count=body.count,
            players=len(table) if body.teams else None,
            teams=read_teams(body.teams, rulebook, table),
            face_points=(body.face_points or {}).items(),
        )
    except Impossible as error:  # unreadable fields are wrong under any rules
        raise Impossible([*error.problems, *entry.unread]) from None
    scored = score_round(terms, entry, table, company=True)
    return {
        "hands": {table[seat]: worth for seat, worth in scored.hands.items()},
        "points": {table[seat]: points for seat, points in scored.points.items()},
        "credited_to": [table[seat] for seat in scored.credited_to],
        "steps": [step.to_json() for step in scored.steps],
    }
