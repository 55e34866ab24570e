"""Evenings of many tables, drawn and played by what the app itself uses."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from referee.records.evening.drawing import draft_draw, write_draw
from referee.records.evening.evenings import EveningPlan, count_draws, open_evening
from referee.records.evening.floor import load_floor
from referee.records.models import Club, Evening, Key
from tests.ground.rounds import record


def begin_evening(session: Session, club: Club, by: Key, names: Sequence[str], **plan: Any) -> Evening:
    """Open an evening of some people; each match is one round unless told otherwise."""
    given: dict[str, Any] = {"rulebook": "classic-500", "rounds_to_play": 1, "size": 3}
    return open_evening(session, club, EveningPlan(**given | plan), by, name="Autumn cup", names=names)


def draw_tables(session: Session, evening: Evening, by: Key, number: int = 7) -> list[str]:
    """Draw the next tables; return the ids of their matches."""
    club, seen = session.get_one(Club, evening.club_id), count_draws(session, evening)
    write_draw(session, club, draft_draw(session, club, evening, seen=seen, number=number, unfinished={}), by)
    return [table.match.id for table in load_floor(session, evening).tables]


def play_tables(session: Session, evening: Evening, by: Key) -> None:
    """Play a round at each table that plays, which the first by name wins."""
    for table in load_floor(session, evening).waits_for:
        first, *others = sorted(table.seats.values())
        record(session, table.match, {"went_out": first, "hands": {name: ["1"] for name in others}}, 0, by)
