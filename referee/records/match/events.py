"""What happens to a match besides its rounds: finished, reopened, joined, amended, the clock started …"""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from referee.records.ids import id_after
from referee.records.limits import MOST_EVENTS, refuse_over
from referee.records.match.rounds import count_rounds
from referee.records.match.tallies import advance
from referee.records.models import Key, Match, MatchEvent

ENDS = ("finished", "abandoned")
LEFT_FOR_ENDS = 10
"""Events that only the end of a match may be, so that it can always be ended."""


def note_event(session: Session, match: Match, kind: str, by: Key, **details: Any) -> None:
    """Store an event, and mark the match as changed; raises `Impossible`."""
    here = (MatchEvent.club_id == match.club_id, MatchEvent.match_id == match.id)
    count, latest = session.execute(select(func.count(), func.max(MatchEvent.id)).where(*here)).one()
    most = MOST_EVENTS if kind in ENDS else MOST_EVENTS - LEFT_FOR_ENDS
    refuse_over(count + 1, most, "match", "events")
    _, last_place = count_rounds(session, match)
    session.add(
        MatchEvent(
            club_id=match.club_id,
            id=id_after(latest),
            match_id=match.id,
            kind=kind,
            after_place=last_place,
            details=details,
            by=by.id,
        )
    )
    advance(session, match)
    session.flush()
