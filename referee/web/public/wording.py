"""What the public page of a match says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from referee.records.sheets import Sheet
from referee.records.statistics.decided import load_course
from referee.web.page.charts import Chart
from referee.web.page.rule_card import RuleCard, rule_card
from referee.web.score import wording as score_wording
from referee.web.score.winner import chart_of, winner_of
from referee.web.score.wording import SideLine, by_sides
from referee.web.server import guards, local_time
from referee.web.words import say


@dataclass(frozen=True)
class MatchView:
    """What a sheet says in public."""

    title: str
    day: str
    result: str
    note: str
    sides: Sequence[SideLine]
    ranked: bool
    """whether places are shown: not where the rules name no winner, nor before the first round"""
    decided: Sequence[str]
    chart: Chart | None
    card: RuleCard
    changes: Sequence[str]
    """what was agreed anew, without the note of who changed it"""


def match_view(sheet: Sheet) -> MatchView:
    """Word a sheet for everybody."""
    scene = winner_of(sheet)
    course = () if scene else load_course(guards.records(), sheet.match, sheet.terms, sheet.seating)
    agreed = [replace(one, note="") for one in sheet.agreements]
    return MatchView(
        title=score_wording.title_of(sheet.match, sheet.players),
        day=local_time.day(sheet.match.started_at),
        result=score_wording.result(sheet.match, sheet.winners) or say("result.in-progress"),
        note=scene.note if scene else "",
        sides=by_sides(sheet.standings),
        ranked=bool(sheet.terms.wins and sheet.round_count),
        decided=scene.decided if scene else (),
        chart=scene.chart if scene else chart_of(sheet, course) if len(course) > 2 else None,
        card=rule_card(sheet.terms),
        changes=[
            score_wording.amendment(agreed[place - 1], agreed[place], sheet.terms.rulebook)
            for place in range(1, len(agreed))
        ],
    )
