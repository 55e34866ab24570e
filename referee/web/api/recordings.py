"""The answer to a round just recorded, and the little of it that is kept for when the same request comes again.

What a match had at that moment follows from its rounds, whose versions are all on record: kept are the head of the
match document, and which version of which round counted where it was not the first.
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
from referee.records.rounds import Draft
from referee.records.sheets import Sheet, load_rulings, round_view, view_of_draft
from referee.web.api.documents import match_document, moment, round_document, ruling_document, standings_document
from referee.web.api.endpoint import to_json

KEPT_AS = "recorded"
"""Name of what is kept of an answer; the answers that 0.1.0 kept are whole, and have no such name."""
DRAWN_ANEW = ("rounds", "rulings")


def recorded_document(sheet: Sheet, draft: Draft, *, brief: bool) -> dict[str, Any]:
    """Write a round that is being recorded, and what follows from it; when `brief` without the match."""
    document: dict[str, Any] = {
        "round": round_document(view_of_draft(draft)),
        "standings": standings_document(sheet),
    }
    if not brief:
        settled = draft.settlement
        ended = {"ended_by": settled.ended_by, "finished_at": moment(settled.finished_at)}
        document["match"] = match_document(sheet) | {"status": settled.status} | ended
    return document


def remembered(sheet: Sheet, document: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
    """Give what has to be kept of an answer: no more in a long match than in a new one, corrections apart."""
    match = document.get("match")
    if match is None:
        return {KEPT_AS: None, "answer": document}
    live = {view.place for view in sheet.rounds}
    kept = {
        "place": draft.place,
        "struck": [place for place in range(1, draft.place) if place not in live],
        "versions": {view.id: view.version for view in sheet.rounds if view.version != 1},
        "rulings": len(match["rulings"]),
        "head": match | dict.fromkeys(DRAWN_ANEW),
    }
    return {KEPT_AS: kept}


def recalled(session: Session, match: Match, first: StoredAnswer) -> tuple[bytes, str]:
    """Give the first answer to a request again, and its ETag, which is empty for what 0.1.0 kept."""
    document = json.loads(first.body)
    if KEPT_AS not in document:
        return first.body, ""
    kept, etag = document[KEPT_AS], document["etag"]
    if kept is None:
        return to_json(document["answer"]), etag
    head = kept["head"]
    name_of = [seat["player"] for seat in head["seats"]].__getitem__
    rounds = _rounds_then(session, match, kept, name_of)
    rulings = [ruling_document(ruling, name_of) for ruling in load_rulings(session, match)[: kept["rulings"]]]
    whole = head | {"rounds": rounds, "rulings": rulings}
    return to_json({"round": rounds[-1], "standings": head["standings"], "match": whole}), etag


def in_one_order(document: Mapping[str, Any]) -> dict[str, Any]:
    """Put what a round says into one order: hands by name, cards within each hand, names in a list."""

    def ordered(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: ordered(value[key]) for key in sorted(value)}
        return sorted(value, key=repr) if isinstance(value, list) else value

    said = {key: ordered(value) for key, value in document.items()}
    for part in ("hands", "cards_left"):
        if isinstance(said.get(part), dict):
            said[part] = {fold_name(name.strip()): value for name, value in said[part].items()}
            said[part] = dict(sorted(said[part].items()))
    return dict(sorted(said.items()))


def _rounds_then(
    session: Session, match: Match, kept: Mapping[str, Any], name_of: Callable[[int], str]
) -> list[dict[str, Any]]:
    """Load the rounds that were live when an answer was given, as they counted then."""
    changed, struck = kept["versions"], frozenset(kept["struck"])
    rows = session.execute(
        select(
            *(Round.id, Round.place, RoundVersion.struck, RoundVersion.version),
            *(RoundVersion.entry, RoundVersion.score, RoundVersion.entered_at, Key.name.label("key_name")),
        )
        .join(RoundVersion, (RoundVersion.club_id == Round.club_id) & (RoundVersion.round_id == Round.id))
        .outerjoin(Key, (Key.club_id == Round.club_id) & (Key.id == RoundVersion.entered_by))
        .where(Round.club_id == match.club_id, Round.match_id == match.id, Round.place <= kept["place"])
        .where(or_(RoundVersion.version == 1, Round.id.in_(list(changed))))
        .order_by(Round.place)
    )
    counted = [row for row in rows if row.version == changed.get(row.id, 1) and row.place not in struck]
    return [round_document(round_view(row, number, name_of)) for number, row in enumerate(counted, start=1)]
