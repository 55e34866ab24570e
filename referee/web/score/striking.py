"""Striking a round, and bringing it back or an older version of it, on the page and from a phone that was offline."""

from __future__ import annotations

from collections.abc import Callable

from flask import url_for
from werkzeug.wrappers import Response

from referee.records.errors import NotFound
from referee.records.models import Match, Round
from referee.records.round_views import round_history
from referee.records.rounds import Draft, draft_correction, draft_turn, write_draft
from referee.rules.round_entry import RoundEntry
from referee.web.page import layout
from referee.web.score.room import blueprint
from referee.web.score.sheet import answer_change
from referee.web.score.versions import bring_back_address
from referee.web.score.waited import came_before, check_round_seen, note_it_came
from referee.web.server import guards
from referee.web.words import say
from referee.web.writing import reading, save


@blueprint.post("/matches/<match_id>/rounds/<round_id>/strike")
def strike(match_id: str, round_id: str) -> Response:
    """Take a round out of the count; 401, 403, 404, 412."""
    return _turn(match_id, round_id, struck=True)


@blueprint.post("/matches/<match_id>/rounds/<round_id>/restore")
def restore(match_id: str, round_id: str) -> Response:
    """Bring a struck round back; 401, 403, 404, 412."""
    return _turn(match_id, round_id, struck=False)


def _turn(match_id: str, round_id: str, *, struck: bool) -> Response:
    def draft(match: Match, played: Round) -> Draft | None:
        return draft_turn(guards.records(), match, played, guards.get_key(write=True), struck=struck)

    match, played = _change(match_id, round_id, draft, struck=struck)
    undo = url_for("score.restore" if struck else "score.strike", match_id=match.id, round_id=played.id)
    layout.say(say("round.was-struck" if struck else "round.was-restored"), undo=undo, revision=match.state)
    with reading():
        return answer_change(match)


@blueprint.post("/matches/<match_id>/rounds/<round_id>/versions/<int:number>")
def bring_back(match_id: str, round_id: str, number: int) -> Response:
    """Make an older version of a round count again, as a new version; 401, 403, 404, 412, 422."""

    def draft(match: Match, played: Round) -> Draft:
        versions = round_history(guards.records(), match, played)
        if not 1 <= number <= len(versions):
            raise NotFound("version")
        entry = RoundEntry.from_document(versions[number - 1].stored)
        return draft_correction(guards.records(), match, played, entry, guards.get_key(write=True))

    match, played = _change(match_id, round_id, draft)
    undo = bring_back_address(match, played, played.version - 1)
    layout.say(say("round.change-undone"), undo=undo, revision=match.state)
    with reading():
        return answer_change(match)


def _change(
    match_id: str, round_id: str, draft: Callable[[Match, Round], Draft | None], *, struck: bool | None = None
) -> tuple[Match, Round]:
    """Draft and write a new version of a round, once, for who has seen its newest.

    Nothing is written where the round is `struck`, or counts, already as it should.
    """

    def drafted() -> tuple[Match, Round, Draft | None]:
        match = guards.get_match(match_id, write=True)
        played = guards.get_round(match, round_id)
        if came_before() or played.struck is struck:
            return match, played, None  # the same tap, or another phone's that did the same
        check_round_seen(match, played)
        return match, played, draft(match, played)

    def write(found: tuple[Match, Round, Draft | None]) -> None:
        if found[2] is not None:
            write_draft(guards.records(), found[2])
            note_it_came()

    match, played, _ = save(drafted, write)
    return match, played
