"""The rounds of a match: recorded once, corrected, struck, brought back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Response, request

from referee.records import idempotency, rounds
from referee.records.agreements import terms_at
from referee.records.errors import Conflict
from referee.records.models import Match, Round
from referee.records.round_views import write_next
from referee.records.seating import load_seating, table_of
from referee.records.sheets import load_sheet, sheet_after
from referee.rules.round_document import read_round
from referee.rules.round_entry import FURTHER
from referee.web.api.documents import answer_committed, match_document, match_etag, require_newest
from referee.web.api.endpoint import Resource, idempotency_key, to_json
from referee.web.api.recordings import in_one_order, recalled, recorded_document, remembered
from referee.web.api.schemas import HistoryDocument, MatchDocument, RecordedDocument, RoundFields, RoundRequest
from referee.web.api.written_rounds import WrittenRounds, keep, written_rounds
from referee.web.server import errors, guards
from referee.web.server.database import looking
from referee.web.writing import once, written

resource = Resource("rounds")
ONCE = {"Idempotency-Key": "any text, a new one for each round; a repeated request records nothing twice"}
BRIEFLY = {"Prefer": "“return=minimal” leaves the match out of the answer"}
NEWEST = {"If-Match": "the ETag of the match document you have seen"}


class CorrectionRequest(RoundFields):
    """A corrected round; `after` is optional, since If-Match says what the client has seen."""

    after: int | None = None


@resource.endpoint(
    "POST",
    "/matches/<match_id>/rounds",
    access="scorekeeper",
    body=RoundRequest,
    answer=RecordedDocument,
    status=201,
    problems=(409,),
    headers=ONCE | BRIEFLY,
    drafts=True,
)
def record_round(match_id: str, body: RoundRequest) -> Response:
    """Record the next round, once.

    The answer to the same request sent again is as the first was, with names as they were then.
    """
    given = body.model_dump()
    said = {name: value for name, value in given.items() if value or name not in FURTHER}  # digests stay as they were
    key, digest, brief = idempotency_key(), _digest(in_one_order(said)), _wants_little()
    club, by = guards.look_at_club(write=True), guards.look_at_key()

    def before(match: Match) -> Recording | None:
        first = idempotency.recall(guards.records(), club, key, digest, partial(_digest, said)) if key else None
        return Recording(first.status, *recalled(guards.records(), match, first)) if first else None

    def draft(lock: bool) -> Recording:
        match = guards.get_match(match_id, write=True) if lock else guards.look_at_match(match_id, write=True)
        return once(partial(before, match), partial(work, match))

    def work(match: Match) -> Recording:
        sheet = load_sheet(guards.records(), match, last=0, rulings=not brief)
        entry = read_round(said, table_of(sheet.seating.here), sheet.terms.box)
        drafted = rounds.draft_round(guards.records(), match, entry, body.after, by, seating=sheet.seating)
        after = sheet_after(sheet, drafted)
        listed = None if brief else written_rounds(guards.records(), sheet).after(drafted)
        document = recorded_document(after, drafted, listed)
        text = to_json(document) if listed is None else listed.put_into(to_json(document))
        kept = remembered(document, drafted, listed) if key else None
        return Recording(201, text, "", drafted, kept, listed)

    def write(recording: Recording) -> None:
        assert recording.draft is not None
        write_next(guards.records(), recording.draft)
        recording.etag = match_etag(recording.draft.match)
        if recording.rounds is not None:
            keep(recording.draft.match, recording.rounds)
        if key and recording.kept is not None:
            kept = to_json(recording.kept | {"etag": recording.etag})
            idempotency.remember(guards.records(), club, key, digest, 201, kept)

    try:
        recording = written(draft, write, empty=lambda recording: recording.draft is None)
    except Conflict as conflict:
        with looking():
            sheet = load_sheet(guards.records(), guards.look_at_match(match_id))
            return errors.answer(409, str(conflict), match=match_document(sheet))
    response = Response(recording.body, recording.status, mimetype="application/json")
    response.headers["Cache-Control"] = "private, no-cache"
    if recording.etag:
        response.set_etag(recording.etag)
    if brief:
        response.headers["Preference-Applied"] = "return=minimal"
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

    def draft(match: Match, played: Round) -> rounds.Draft:
        seating = load_seating(guards.records(), match)
        deck = terms_at(guards.records(), match, played.place).box
        entry = read_round(body.model_dump(), table_of(seating.at(played.place)), deck)
        return rounds.draft_correction(guards.records(), match, played, entry, guards.get_key(), seating=seating)

    return _change(match_id, round_id, draft)


@resource.endpoint(
    "DELETE",
    "/matches/<match_id>/rounds/<round_id>",
    access="scorekeeper",
    answer=MatchDocument,
    problems=(412, 422, 428),
    headers=NEWEST,
)
def strike_round(match_id: str, round_id: str) -> Response:
    """Take a round out of the count; it stays on record."""
    return _turn(match_id, round_id, struck=True)


@resource.endpoint(
    "POST",
    "/matches/<match_id>/rounds/<round_id>/restore",
    access="scorekeeper",
    answer=MatchDocument,
    problems=(412, 422, 428),
    headers=NEWEST,
)
def restore_round(match_id: str, round_id: str) -> Response:
    """Bring a struck round back, in its old place."""
    return _turn(match_id, round_id, struck=False)


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


@dataclass
class Recording:
    """What recording a round answers, and what it writes: nothing where the same request came before."""

    status: int
    body: bytes
    etag: str
    """empty until the round is written, and for answers of a time when none was kept"""
    draft: rounds.Draft | None = None
    kept: dict[str, Any] | None = None
    """what is remembered of the answer under an idempotency key"""
    rounds: WrittenRounds | None = None
    """the rounds of the match in the answer"""


def _turn(match_id: str, round_id: str, *, struck: bool) -> Response:
    def draft(match: Match, played: Round) -> rounds.Draft | None:
        return rounds.draft_turn(guards.records(), match, played, guards.get_key(), struck=struck)

    return _change(match_id, round_id, draft)


def _change(match_id: str, round_id: str, draft: Callable[[Match, Round], rounds.Draft | None]) -> Response:
    """Draft and write a new version of a round for who has seen the newest state, and answer with the match."""

    def drafted(lock: bool) -> tuple[Match, rounds.Draft | None]:
        match = guards.get_match(match_id, write=True, lock=lock)
        played = guards.get_round(match, round_id)
        require_newest(match)
        return match, draft(match, played)

    def write(found: tuple[Match, rounds.Draft | None]) -> None:
        assert found[1] is not None
        rounds.write_draft(guards.records(), found[1])

    match, _ = written(drafted, write, empty=lambda found: found[1] is None)
    return answer_committed(match)


def _wants_little() -> bool:
    """Tell whether the client asked for a short answer (RFC 7240)."""
    given = request.headers.get("Prefer", "").lower().replace(" ", "").replace('"', "")
    return "return=minimal" in given.replace(";", ",").split(",")


def _digest(said: Mapping[str, Any]) -> str:
    """Digest a request by what it says, put in one order; releases before 0.2.0 did as it came, and are asked still."""
    return hashlib.sha256(request.path.encode() + b"\n" + to_json(said)).hexdigest()
