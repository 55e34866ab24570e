"""A club to try the app with: filled with the demo season, and gone after a day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from referee.records.club import access
from referee.records.demo.ending import sweep_demos
from referee.records.demo.season import SEED, play_season
from referee.records.errors import Conflict
from referee.records.ids import new_id, new_token
from referee.records.models import DELETED_TOO, Club, now
from referee.records.transfer.importing import Plan, import_planned
from referee.records.words import say

LASTS = timedelta(days=1)
MOST = 200
"""Demos at a time on one server; of each some thousand rows are kept."""


@dataclass(frozen=True)
class Demo:
    """A demo: the id of its club, the token of its scorekeeper, when it ends, and what is in it."""

    club_id: str
    token: str
    ends_at: datetime | None
    season: Plan


def found_demo(
    engine: Engine,
    *,
    seed: int = SEED,
    lasts: timedelta | None = LASTS,
    until: datetime | None = None,
    done: Callable[[], object] = lambda: None,
) -> Demo:
    """Found a club and fill it with the season that ends now, or at `until`; commits, calling `done` after each match.

    Raises `Conflict` where there are too many demos already; one that stays (`lasts` None) does not count as one.
    """
    club_id, token = new_id(), new_token()
    moment = until or now().replace(minute=0, second=0, microsecond=0)
    ends_at = now() + lasts if lasts else None
    season = play_season(moment, seed, club_id)

    def create(session: Session) -> None:
        if ends_at is not None:
            sweep_demos(session)
            open_ones = select(func.count()).where(Club.ends_at > now(), Club.import_id.is_(None))
            if (session.scalar(open_ones.execution_options(**DELETED_TOO)) or 0) >= MOST:
                raise Conflict(say("demo.full"))
        tokens = (token, new_token())
        new = access.create_club(session, say("demo.club"), tokens, id=club_id)
        new.club.ends_at = ends_at

    import_planned(engine, club_id, lambda _session, _known: season, create=create, done=done)
    return Demo(club_id, token, ends_at, season)
