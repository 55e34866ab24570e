"""The answer to a round just recorded, and the part of it that is stored for a retry of the same request.

The rounds of that moment follow from the versions in the database. Stored are the head of the match document, and the
version of each round whose first version no longer counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from referee.records.idempotency import StoredAnswer
from referee.records.models import Key, Match, Round, RoundVersion
from referee.records.names import fold_name
from referee.records.round_views import round_view, view_of_draft
from referee.records.rounds import Draft
from referee.records.sheets import Sheet, load_rulings
from referee.web.api.documents import match_document, moment, ruling_document, standings_document
from referee.web.api.endpoint import to_json
from referee.web.api.written_rounds import WrittenRounds, round_document

STORED_AS = "recorded"
"""Key of a stored answer; the answers that 0.1.0 stored are complete and lack it."""
DRAWN_ANEW = ("rounds", "rulings")


def recorded_document(sheet: Sheet, draft: Draft, rounds: WrittenRounds | None) -> dict[str, Any]:
    """Write a round that is being recorded, and what follows from it; with the match if its `rounds` are given."""
    document: dict[str, Any] = {
        "round": round_document(view_of_draft(draft)),
        "standings": standings_document(sheet),
    }
    if rounds is not None:
        settled = draft.settlement
        ended = {"ended_by": settled.ended_by, "finished_at": moment(settled.finished_at)}
        document["match"] = match_document(sheet, rounds) | {"status": settled.status} | ended
    return document


def remembered(document: Mapping[str, Any], draft: Draft, rounds: WrittenRounds | None) -> dict[str, Any]:
    """Give what has to be stored of an answer: no more in a long match than in a new one, corrections apart."""
    match = document.get("match")
    if match is None or rounds is None:
        return {STORED_AS: None, "answer": document}
    stored = {
        "place": draft.place,
        "struck": rounds.struck,
        "versions": rounds.versions,
        "rulings": len(match["rulings"]),
        "head": match | dict.fromkeys(DRAWN_ANEW),
    }
    return {STORED_AS: stored}


def recalled(session: Session, match: Match, first: StoredAnswer) -> tuple[bytes, str]:
    """Give the first answer to a request again, and its ETag, which is empty for answers that 0.1.0 stored."""
    document = json.loads(first.body)
    if STORED_AS not in document:
        return first.body, ""
    stored, etag = document[STORED_AS], document["etag"]
    if stored is None:
        return to_json(document["answer"]), etag
    head = stored["head"]
    name_of = [seat["player"] for seat in head["seats"]].__getitem__
    rounds = _rounds_then(session, match, stored, name_of)
    rulings = [ruling_document(ruling, name_of) for ruling in load_rulings(session, match)[: stored["rulings"]]]
    whole = head | {"rounds": rounds, "rulings": rulings}
    return to_json({"round": rounds[-1], "standings": head["standings"], "match": whole}), etag


def in_one_order(document: Mapping[str, Any]) -> dict[str, Any]:
    """Normalise the order in a round: hands by name, cards within each hand, names in a list."""

    def ordered(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: ordered(value[key]) for key in sorted(value)}
        return sorted(map(ordered, value), key=repr) if isinstance(value, list) else value

    said = {key: ordered(value) for key, value in document.items()}
    for part in ("hands", "cards_left"):
        if isinstance(said.get(part), dict):
            said[part] = {fold_name(name.strip()): value for name, value in said[part].items()}
            said[part] = dict(sorted(said[part].items()))
    return dict(sorted(said.items()))


def _rounds_then(
    session: Session, match: Match, stored: Mapping[str, Any], name_of: Callable[[int], str]
) -> list[dict[str, Any]]:
    """Load the rounds that were live when an answer was given, as they counted then."""
    changed, struck = stored["versions"], frozenset(stored["struck"])
    rows = session.execute(
        select(
            *(Round.id, Round.place, RoundVersion.struck, RoundVersion.version),
            *(RoundVersion.entry, RoundVersion.score, RoundVersion.entered_at, Key.name.label("key_name")),
        )
        .join(RoundVersion, (RoundVersion.club_id == Round.club_id) & (RoundVersion.round_id == Round.id))
        .outerjoin(Key, (Key.club_id == Round.club_id) & (Key.id == RoundVersion.entered_by))
        .where(Round.club_id == match.club_id, Round.match_id == match.id, Round.place <= stored["place"])
        .where(or_(RoundVersion.version == 1, Round.id.in_(list(changed))))
        .order_by(Round.place)
    )
    counted = [row for row in rows if row.version == changed.get(row.id, 1) and row.place not in struck]
    return [round_document(round_view(row, number, name_of)) for number, row in enumerate(counted, start=1)]
