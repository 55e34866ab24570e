"""The blueprint, and what both sides of the table need: how a hand is told, and answers that cost little."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, make_response, request

from referee.records.open_rounds import EnteredHand
from referee.web.words import say

blueprint = Blueprint("hands", __name__)


def cards_line(entered: EnteredHand) -> str:
    """Say how many cards a hand has; one that was typed as a total does not tell."""
    if isinstance(entered.hand, int):
        return say("hand.typed")
    return say("hand.cards", n=len(entered.hand)) if entered.hand else say("hand.no-cards")


def conditional(state: str, draw: Callable[[], str]) -> Response:
    """Answer 304 to whoever has this state already, else with what `draw` gives."""
    response = Response(status=304) if request.if_none_match.contains_weak(state) else make_response(draw())
    response.set_etag(state)
    response.headers["Cache-Control"] = "private, no-cache"
    return response
