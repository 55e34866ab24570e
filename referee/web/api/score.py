"""Score a round outside any match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.rules.library import get_rulebook
from referee.rules.problem import Impossible
from referee.rules.round_entry import RoundEntry
from referee.rules.scoring import score_round
from referee.rules.terms import Terms
from referee.web.api.endpoint import Resource
from referee.web.api.schemas import ScoreDocument, ScoreRequest
from referee.web.server import limits

resource = Resource("score")


@resource.endpoint("POST", "/score", access="anyone", body=ScoreRequest, answer=ScoreDocument)
def score(body: ScoreRequest) -> Mapping[str, Any]:
    """Score a round: what each hand is worth, what each total grows by, and why."""
    limits.count_hearing()
    entry = RoundEntry.read(body.model_dump())
    try:
        terms = Terms.agree(
            get_rulebook(body.rulebook),
            body.house_rules,
            deck=body.deck,
            blank_points=body.blank_points,
            count=body.count,
        )
    except Impossible as error:  # unreadable fields are wrong under any rules
        raise Impossible([*error.problems, *entry.unread]) from None
    scored = score_round(terms, entry)
    return {
        "hands": dict(scored.hands),
        "points": dict(scored.points),
        "credited_to": list(scored.credited_to),
        "steps": [step.to_json() for step in scored.steps],
    }
