"""Ending a match, abandoning it, playing on, and the rematch."""

from __future__ import annotations

from collections.abc import Callable

from flask import url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from referee.records import matches
from referee.records.access import lock_club
from referee.records.errors import NotFound
from referee.records.history import find_running_rematch
from referee.records.models import Key, Match, MatchStatus
from referee.records.tallies import advance
from referee.web.page import layout
from referee.web.score.menu import say_done
from referee.web.score.room import blueprint
from referee.web.score.sheet import check_revision, go_to_begun
from referee.web.score.waited import came_before, check_rounds_seen, note_it_came
from referee.web.server import guards
from referee.web.server.extensions import db
from referee.web.words import say


@blueprint.post("/matches/<match_id>/finish")
def finish(match_id: str) -> Response:
    """End a match by hand; 401, 403, 404, 412."""
    match = _turn(match_id, MatchStatus.FINISHED, matches.finish)
    return say_done(match, say("match.ended"), undo=url_for("score.reopen", match_id=match.id))


@blueprint.post("/matches/<match_id>/abandon")
def abandon(match_id: str) -> Response:
    """Give a match up; 401, 403, 404, 412."""
    match = _turn(match_id, MatchStatus.ABANDONED, matches.abandon)
    return say_done(match, say("match.abandoned"), undo=url_for("score.reopen", match_id=match.id))


@blueprint.post("/matches/<match_id>/reopen")
def reopen(match_id: str) -> Response:
    """Play on, as for one more round after a tie; 401, 403, 404, 412."""
    match = _turn(match_id, MatchStatus.IN_PROGRESS, matches.reopen)
    return say_done(match, say("match.goes-on"))


def _turn(match_id: str, status: str, turn: Callable[[Session, Match, Key], None]) -> Match:
    """Change how a match stands, once, for who has seen its rounds; nothing where it stands so already."""
    lock_club(guards.records(), guards.get_club(write=True).id)
    match = guards.get_match(match_id, write=True)
    if not came_before() and match.status != status:
        check_rounds_seen(match)
        turn(guards.records(), match, guards.get_key(write=True))
        note_it_came()
    return match


@blueprint.post("/matches/<match_id>/rematch")
def rematch(match_id: str) -> Response:
    """Begin the next match of the same players, or go to it when somebody has begun it; 401, 403, 404, 412."""
    match = guards.get_match(match_id, write=True)
    before = came_before()
    running = find_match(match, before) if before else find_running_rematch(guards.records(), match)
    if running is not None:
        layout.say(say("match.already-started"))
        return go_to_begun(running)
    check_revision(match)
    following = matches.rematch(guards.records(), guards.get_club(write=True), match, guards.get_key(write=True))
    advance(guards.records(), match)  # a second tap finds the sheet changed
    note_it_came(following.id)
    db.session.commit()
    layout.say(say("match.rematch"))
    return go_to_begun(following)


def find_match(like: Match, id: str) -> Match | None:
    """Find a match of the same club; None where it is gone."""
    try:
        return matches.get_match(guards.records(), like.club_id, id)
    except NotFound:
        return None
