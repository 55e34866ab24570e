"""Rulings written to a match: one form, heard again on the server, and the page that shows one for good."""

from __future__ import annotations

import hashlib

from flask import render_template, request
from werkzeug.wrappers import Response

from referee.records.agreements import frozen_rulebook
from referee.records.idempotency import recall, remember
from referee.records.models import Match, Ruling
from referee.records.rulings import Case, draft_ruling, get_ruling, write_ruling
from referee.records.seating import load_seating
from referee.rules.problem import Problem
from referee.web.disputes import presenter
from referee.web.disputes.context import context_of, find_dispute, read_case
from referee.web.disputes.room import blueprint
from referee.web.page import layout
from referee.web.score.sheet import answer_with_sheet
from referee.web.server import guards, local_time
from referee.web.words import say
from referee.web.writing import reading, save

OLD_DIGEST = "ruling"
"""What releases before 0.2.0 kept of every form; the same key brought the same form then."""


@blueprint.post("/matches/<match_id>/disputes/<dispute_id>/ruling")
def write_down(match_id: str, dispute_id: str) -> Response:
    """Hear the case again and write the ruling to the match; 401, 403, 404, 422."""
    session, dispute = guards.records(), find_dispute(dispute_id)
    club, by = guards.get_club(write=True), guards.get_key(write=True)
    once = request.form.get("once", "")[:40]
    decided = request.form.get("table_decided", "").strip()

    def draft() -> tuple[Match, Ruling | None]:
        match = guards.get_match(match_id, write=True)
        if once and recall(session, club, f"page:{once}", _digest(), OLD_DIGEST) is not None:
            return match, None
        problems: list[Problem] = []
        heard = read_case(context_of(match), dispute, request.form, problems)
        case = Case(
            dispute=dispute.id,
            facts=heard.given,
            players={str(role): name for role, name in heard.names.items()},
            accepted=not decided,
            table_decided=decided,
            keep_hand="keep_hand" in request.form,
        )
        return match, draft_ruling(session, match, case, by)

    def write(found: tuple[Match, Ruling | None]) -> None:
        match, given = found
        if given is not None:
            write_ruling(session, match, given)
            if once:
                remember(session, club, f"page:{once}", _digest(), 303, b"")

    match, given = save(draft, write)
    if given is not None:
        layout.say(say("hearing.ruling-saved"))
    with reading():
        return answer_with_sheet(match)


def _digest() -> str:
    """Digest what a form says, so that the same one sent twice is known, and another under its key is not it."""
    said = sorted((name, value) for name, value in request.form.items(multi=True) if name != "csrf_token")
    return hashlib.sha256(repr((request.path, said)).encode()).hexdigest()


@blueprint.get("/matches/<match_id>/rulings/<ruling_id>")
def show_ruling(match_id: str, ruling_id: str) -> str:
    """Show a ruling on record as it was said; 401, 403, 404."""
    match = guards.get_match(match_id)
    recorded = get_ruling(guards.records(), match, ruling_id)
    seating = load_seating(guards.records(), match)
    return render_template(
        "disputes/on_record.html",
        match=match,
        ruling=presenter.recorded_view(match, recorded, seating),
        accepted=recorded.accepted,
        table_decided=recorded.table_decided,
        hand=recorded.facts.get("hand"),
        digest=recorded.rulebook_digest,
        source=frozen_rulebook(guards.records(), match.club_id, recorded.rulebook_digest).source,
        when=local_time.minute(recorded.given_at),
    )
