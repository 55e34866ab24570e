"""Matches in a line each, newest first, for the first page and for one that has led nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import url_for
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException

from referee.records.history import find_matches, list_matches
from referee.records.leads import Lead, load_leads
from referee.records.models import Club, MatchStatus
from referee.records.sheets import MatchSummary, load_summaries
from referee.web.page.elements import Link
from referee.web.score import summaries
from referee.web.score.sides import SideLine, by_sides
from referee.web.server import guards, local_time
from referee.web.writing import reading

MOST_NAMED = 6
"""Players named below the match that is resumed; of more the last are counted."""
RECENT = 4


@dataclass(frozen=True)
class MatchRow:
    """One match in a list."""

    id: str
    title: str
    line: Sequence[str]
    sides: Sequence[SideLine] = ()
    """who plays, best first, while the match goes on"""

    @property
    def shown(self) -> Sequence[SideLine]:
        """Give those named on the first page: all of a few, else the first."""
        return self.sides if len(self.sides) <= MOST_NAMED else self.sides[: MOST_NAMED - 1]


def recent_sheets() -> list[Link]:
    """List the newest matches that this browser's key may see, for a page that has led nowhere; none in any trouble."""
    try:
        with reading():
            found = guards.holder()
            if found is None or found[1].import_id is not None:
                return []
            key, club = found
            session = guards.records()
            matches = (
                find_matches(session, club, [key.match_id])
                if key.match_id
                else list_matches(session, club, limit=RECENT).matches
            )
            leads = load_leads(session, [match for match in matches if match.status == MatchStatus.IN_PROGRESS])
            found_lines = [_line(summary, leads.get(summary.match.id)) for summary in load_summaries(session, matches)]
    except (SQLAlchemyError, HTTPException):
        return []
    return [Link(line.title, url_for("score.sheet", match_id=line.id), " · ".join(line.line)) for line in found_lines]


def lines(club: Club, status: MatchStatus, limit: int) -> Sequence[MatchRow]:
    """List the newest matches of a club that are in one state."""
    matches = list_matches(guards.records(), club, status=status, limit=limit).matches
    leads = load_leads(guards.records(), matches) if status == MatchStatus.IN_PROGRESS else {}
    return [_line(summary, leads.get(summary.match.id)) for summary in load_summaries(guards.records(), matches)]


def _line(summary: MatchSummary, lead: Lead | None) -> MatchRow:
    match = summary.match
    line = [
        summaries.ended(summary.match, summary.winners) if lead is None else summaries.stands(lead),
        local_time.day(match.started_at),
    ]
    if lead is not None and match.name:
        line.insert(0, summaries.joined(summary.players))
    sides = by_sides(lead.standings) if lead else ()
    return MatchRow(match.id, summaries.title_of(match, summary.players), line, sides)
