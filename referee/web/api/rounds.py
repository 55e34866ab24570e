"""The rounds of a match: recorded once, corrected, struck, brought back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from flask import Response, request

from referee.records import idempotency, rounds
from referee.records.errors import Conflict
from referee.records.models import Match
from referee.records.seating import load_seating
from referee.records.sheets import load_sheet
from referee.rules.round_entry import RoundEntry
from referee.web import errors, guards
from referee.web.api.documents import (
    match_document,
    match_etag,
    recorded_document,
    require_newest,
    respond_with_match,
)
from referee.web.api.endpoint import Resource, idempotency_key, respond, to_json
from referee.web.api.schemas import HistoryDocument, MatchDocument, RecordedDocument, RoundFields, RoundRequest
from referee.web.extensions import db

resource = Resource("rounds")
ONCE = {"Idempotency-Key": "any text of your own, one a round: the same request sent again records nothing twice"}
NEWEST = {"If-Match": "the ETag of the match document you have seen"}


class CorrectionRequest(RoundFields):
    """A round said anew; `after` may come along as it did at first, and If-Match says what was seen since."""

    after: int | None = None


@resource.endpoint(
    "POST",
    "/matches/<match_id>/rounds",
    access="scorekeeper",
    body=RoundRequest,
    answer=RecordedDocument,
    status=201,
    problems=(409,),
    headers=ONCE,
)
def record_round(match_id: str, body: RoundRequest) -> Response:
    """Record the next round, once."""
    match = guards.get_match(match_id, write=True)
    key, digest = idempotency_key(), _request_digest(body)
    club = guards.get_club(write=True)
    try:
        if key and (first := idempotency.recall(guards.records(), club, key, digest)):
            return Response(first.body, first.status, mimetype="application/json")
        entry = RoundEntry.read(body.model_dump(exclude={"after"}))
        seating = load_seating(guards.records(), match)
        played = rounds.record_round(guards.records(), match, entry, body.after, guards.get_key(), seating=seating)
    except Conflict as conflict:
        return errors.answer(409, str(conflict), match=match_document(load_sheet(guards.records(), match)))
    document = recorded_document(load_sheet(guards.records(), match, seating=seating), played.id)
    response = respond(document, 201)
    response.set_etag(match_etag(match))
    if key:
        idempotency.remember(guards.records(), club, key, digest, 201, response.get_data())
    db.session.commit()
    return response


@resource.endpoint(
    "PUT",
    "/matches/<match_id>/rounds/<round_id>",
    access="scorekeeper",
    body=CorrectionRequest,
    answer=MatchDocument,
    problems=(412, 428),
    headers=NEWEST,
)
def correct_round(match_id: str, round_id: str, body: CorrectionRequest) -> Response:
    """Say anew what a round was; may end or reopen the match."""
    match = guards.get_match(match_id, write=True)
    played = guards.get_round(match, round_id)
    require_newest(match)
    entry = RoundEntry.read(body.model_dump(exclude={"after"}))
    rounds.correct_round(guards.records(), match, played, entry, guards.get_key())
    return _changed(match)


@resource.endpoint(
    "DELETE",
    "/matches/<match_id>/rounds/<round_id>",
    access="scorekeeper",
    answer=MatchDocument,
    problems=(412, 428),
    headers=NEWEST,
)
def strike_round(match_id: str, round_id: str) -> Response:
    """Take a round out of the count; it stays on record."""
    match = guards.get_match(match_id, write=True)
    played = guards.get_round(match, round_id)
    require_newest(match)
    rounds.strike_round(guards.records(), match, played, guards.get_key())
    return _changed(match)


@resource.endpoint(
    "POST",
    "/matches/<match_id>/rounds/<round_id>/restore",
    access="scorekeeper",
    answer=MatchDocument,
    problems=(412, 428),
    headers=NEWEST,
)
def restore_round(match_id: str, round_id: str) -> Response:
    """Bring a struck round back, in its old place."""
    match = guards.get_match(match_id, write=True)
    played = guards.get_round(match, round_id)
    require_newest(match)
    rounds.restore_round(guards.records(), match, played, guards.get_key())
    return _changed(match)


@resource.endpoint("GET", "/matches/<match_id>/rounds/<round_id>/history", access="reader", answer=HistoryDocument)
def round_history(match_id: str, round_id: str) -> Mapping[str, Any]:
    """Give every version of a round: what was said, when, and by the holder of which key."""
    match = guards.get_match(match_id)
    versions = rounds.round_history(guards.records(), match, guards.get_round(match, round_id))
    return {
        "versions": [
            {
                "version": version.version,
                "struck": version.struck,
                **version.entry,
                "points": dict(version.points),
                "entered_at": version.entered_at.isoformat(),
                "entered_by": version.entered_by,
            }
            for version in versions
        ]
    }


def _changed(match: Match) -> Response:
    response = respond_with_match(match)
    db.session.commit()
    return response


def _request_digest(body: RoundRequest) -> str:
    return hashlib.sha256(request.path.encode() + b"\n" + to_json(body.model_dump())).hexdigest()
