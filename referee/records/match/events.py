"""What happens to a match besides its rounds: finished, reopened, joined, amended, the clock started.

The clock of a match with a time limit is saved here, so that every phone shows the same time.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from referee.records.errors import MOST_EVENTS, refuse_over
from referee.records.ids import id_after
from referee.records.match.results import refuse_unless_in_progress
from referee.records.match.rounds import count_rounds
from referee.records.match.tallies import advance
from referee.records.models import Key, Match, MatchEvent
from referee.records.words import say
from referee.rules.text.problem import Impossible, Problem

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


STARTED, STOPPED = "clock-started", "clock-stopped"
LONGEST = 600
"""Minutes; no table plays longer in one go."""


def start_clock(session: Session, match: Match, minutes: int, by: Key) -> None:
    """Start the clock unless it is running; raises `Impossible`."""
    refuse_unless_in_progress(match)
    if not 1 <= minutes <= LONGEST:
        raise Impossible([Problem("minutes", say("match.minutes", most=LONGEST))])
    if clock_ends(session, match) is None:
        note_event(session, match, STARTED, by, minutes=minutes)


def stop_clock(session: Session, match: Match, by: Key) -> None:
    """Stop the clock, if it runs; raises `Impossible` for a match that is over."""
    refuse_unless_in_progress(match)
    if clock_ends(session, match) is not None:
        note_event(session, match, STOPPED, by)


def clock_ends(session: Session, match: Match) -> datetime | None:
    """Return when the time is up, or was; None while no clock runs."""
    own = (MatchEvent.club_id == match.club_id, MatchEvent.match_id == match.id)
    last = session.scalar(
        select(MatchEvent).where(*own, MatchEvent.kind.in_((STARTED, STOPPED))).order_by(MatchEvent.id.desc()).limit(1)
    )
    minutes = last.details.get("minutes") if last is not None and last.kind == STARTED else None
    if last is None or not isinstance(minutes, int) or not 1 <= minutes <= LONGEST:
        return None  # stopped, or imported from a file with odd values
    return last.at + timedelta(minutes=minutes)
