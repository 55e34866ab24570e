"""Rulings written to a match: one form, heard again on the server, and the page that shows one for good."""

from __future__ import annotations

from flask import render_template, request
from werkzeug.wrappers import Response

from referee.records.agreements import frozen_rulebook
from referee.records.idempotency import recall, remember
from referee.records.rulings import Case, get_ruling, give_ruling
from referee.records.seating import load_seating
from referee.rules.problem import Problem
from referee.web import guards, layout, local_time
from referee.web.disputes import views
from referee.web.disputes.forum import find_dispute, forum_of, read_case
from referee.web.disputes.room import blueprint
from referee.web.extensions import db
from referee.web.score.sheet import answer_with_sheet

DIGEST = "ruling"
"""What the same form sent twice is known by; another form brings another key."""


@blueprint.post("/matches/<match_id>/disputes/<dispute_id>/ruling")
def write_down(match_id: str, dispute_id: str) -> Response:
    """Hear the case again and write the ruling to the match; 401, 403, 404, 422."""
    match = guards.get_match(match_id, write=True)
    dispute = find_dispute(dispute_id)
    club = guards.get_club(write=True)
    once = request.form.get("once", "")[:40]
    if not once or recall(guards.records(), club, f"page:{once}", DIGEST) is None:
        problems: list[Problem] = []
        heard = read_case(forum_of(match), dispute, request.form, problems)
        decided = request.form.get("table_decided", "").strip()
        case = Case(
            dispute=dispute.id,
            facts=heard.given,
            players={str(role): name for role, name in heard.names.items()},
            accepted=not decided,
            table_decided=decided,
            keep_hand="keep_hand" in request.form,
        )
        give_ruling(guards.records(), match, case, guards.get_key(write=True))
        if once:
            remember(guards.records(), club, f"page:{once}", DIGEST, 303, b"")
        db.session.commit()
        layout.say("The ruling is on the sheet.")
    return answer_with_sheet(match)


@blueprint.get("/matches/<match_id>/rulings/<ruling_id>")
def show_ruling(match_id: str, ruling_id: str) -> str:
    """Show a ruling on record as it was said; 401, 403, 404."""
    match = guards.get_match(match_id)
    recorded = get_ruling(guards.records(), match, ruling_id)
    seating = load_seating(guards.records(), match)
    return render_template(
        "disputes/on_record.html",
        match=match,
        ruling=views.recorded_view(match, recorded, seating),
        accepted=recorded.accepted,
        table_decided=recorded.table_decided,
        hand=recorded.facts.get("hand"),
        digest=recorded.rulebook_digest,
        source=frozen_rulebook(guards.records(), match.club_id, recorded.rulebook_digest).source,
        when=local_time.minute(recorded.given_at),
    )
