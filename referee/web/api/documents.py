"""Matches as JSON documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from typing import Any

from flask import Response, request
from werkzeug.exceptions import PreconditionFailed, PreconditionRequired

from referee.records.agreements import Agreement
from referee.records.models import Match, Ruling
from referee.records.plans import names_of_teams
from referee.records.sheets import MatchSummary, Sheet, load_sheet
from referee.rules.standings import Standing
from referee.rules.terms import agreed
from referee.web.api.endpoint import respond
from referee.web.api.written_rounds import ROUNDS_HERE, WrittenRounds, round_document, written_rounds
from referee.web.server import guards
from referee.web.server.database import looking
from referee.web.server.extensions import db
from referee.web.words import say


def match_document(sheet: Sheet, rounds: WrittenRounds | None = None) -> dict[str, Any]:
    """Write a match as it is now; where its `rounds` are written already, `ROUNDS_HERE` stands for them."""
    match, agreement = sheet.match, sheet.agreement
    return {
        "id": match.id,
        "status": match.status,
        "rulebook": match.rulebook,
        "rulebook_title": sheet.terms.rulebook.title,
        "rulebook_digest": agreement.digest,
        "house_rules": list(agreement.house_rules),
        **agreed(agreement),
        "teams": names_of_teams(agreement.teams, sheet.seating),
        "face_points": None if agreement.face_points is None else dict(agreement.face_points),
        "players": list(sheet.players),
        "seats": [
            {
                "id": seat.player_id,
                "player": seat.name,
                "name_then": seat.name_then,
                "here": seat.here,
                "opening_total": seat.opening_total,
            }
            for seat in sheet.seating.seats
        ],
        "dealer": sheet.dealer,
        "drafter": sheet.drafter,
        "standings": standings_document(sheet),
        "winners": list(sheet.winners),
        "ended_by": match.ended_by,
        "rounds": [ROUNDS_HERE] if rounds else [round_document(view) for view in sheet.rounds],
        "rulings": [ruling_document(ruling, sheet.seating.name_of) for ruling in sheet.rulings],
        "amendments": [
            {
                "from_round": _number_at(sheet, rounds, amendment.from_place),
                "house_rules": list(amendment.house_rules),
                "target": amendment.target,
                "custom_rules": list(amendment.custom_rules),
                **_further(amendment),
                "note": amendment.note,
                "at": amendment.at,
            }
            for amendment in sheet.agreements[1:]
        ],
        "rematch_of": match.rematch_of,
        "name": match.name,
        "location": match.location,
        "note": match.note,
        "started_at": match.started_at.isoformat(),
        "finished_at": moment(match.finished_at),
    }


def _number_at(sheet: Sheet, rounds: WrittenRounds | None, place: int) -> int:
    if rounds is not None:
        return rounds.number_at(place)
    return sum(view.place < place for view in sheet.rounds if not view.struck) + 1


def _further(agreement: Agreement) -> dict[str, Any]:
    """Give what few matches agree on, and may change on the way, where this one does."""
    written = agreement.to_document()
    return {name: written[name] for name in ("rounds_to_play", "face_points") if name in written}


def summary_document(summary: MatchSummary) -> dict[str, Any]:
    """Write a match for a list."""
    match = summary.match
    return {
        "id": match.id,
        "status": match.status,
        "rulebook": match.rulebook,
        "players": list(summary.players),
        "totals": dict(summary.totals),
        "winners": list(summary.winners),
        "name": match.name,
        "location": match.location,
        "started_at": match.started_at.isoformat(),
        "finished_at": moment(match.finished_at),
    }


def match_etag(match: Match) -> str:
    """Give the ETag of a match; it changes with anything that a reader can see."""
    return f"{match.id}-{match.state}"


def respond_with_match(match: Match, status: int = 200) -> Response:
    """Answer with a match and its ETag, with struck rounds on request."""
    struck = request.args.get("struck") in ("1", "true")
    if struck:
        response = respond(match_document(load_sheet(guards.records(), match, struck=True)), status)
    else:
        sheet = load_sheet(guards.records(), match, last=0)
        rounds = written_rounds(guards.records(), sheet)
        response = respond(match_document(sheet, rounds), status)
        response.set_data(rounds.put_into(response.get_data()))
    response.set_etag(match_etag(match) + ("-struck" if struck else ""))
    return response


def answer_committed(match: Match, status: int = 200) -> Response:
    """Commit, then answer with the match as it is then; no lock is held while the answer is made."""
    db.session.commit()
    with looking():
        guards.records().refresh(match)
        return respond_with_match(match, status)


def require_newest(match: Match) -> None:
    """Refuse a change by a client that has not seen the newest state: 428 without If-Match, 412 if it is stale."""
    if not has_seen(match_etag(match), f"{match_etag(match)}-struck"):
        raise PreconditionFailed(say("request.match-changed"))


def has_seen(*etags: str) -> bool:
    """Tell whether the client has seen the newest state, which has one of these ETags; 428 without If-Match."""
    if "If-Match" not in request.headers:
        raise PreconditionRequired()
    return request.if_match.star_tag or any(request.if_match.contains_weak(etag) for etag in etags)


STANDING = tuple(field.name for field in fields(Standing))


def standings_document(sheet: Sheet) -> list[dict[str, Any]]:
    """Write the standings."""
    return [{name: getattr(standing, name) for name in STANDING} for standing in sheet.standings]


def ruling_document(ruling: Ruling, name_of: Callable[[int], str]) -> dict[str, Any]:
    """Write a ruling as it was given, with the names of the roles and what the table decided."""
    given = {key: value for key, value in ruling.ruling.items() if key != "lead"}  # part of the summary, for pages
    return given | {
        "id": ruling.id,
        "dispute": ruling.dispute,
        "facts": ruling.facts,
        "players": {role: name_of(seat) for role, seat in ruling.seats.items()},
        "rulebook_digest": ruling.rulebook_digest,
        "accepted": ruling.accepted,
        "table_decided": ruling.table_decided,
        "given_at": ruling.given_at.isoformat(),
    }


def moment(at: datetime | None) -> str | None:
    """Write a moment in ISO 8601; None if there is none."""
    return at.isoformat() if at else None
