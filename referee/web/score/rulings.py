"""What happened at a match besides its rounds: the rulings that were given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import url_for

from referee.records.sheets import Sheet
from referee.rules.disputes import DISPUTES_BY_ID
from referee.web.words import say


@dataclass(frozen=True)
class StoryLine:
    """A ruling in the story of a match."""

    title: str
    said: str
    decided: str
    when: str
    address: str


def rulings_told(sheet: Sheet) -> Sequence[StoryLine]:
    """Tell the rulings of a match, newest first, each with the round it was given in where that is on the sheet."""
    lines = []
    for recorded in reversed(sheet.rulings):
        dispute = DISPUTES_BY_ID.get(recorded.dispute)
        before = [view.number for view in sheet.rounds if view.number and view.place <= recorded.after_place]
        when = say("played.in-round", round=max(before, default=0) + 1)
        lines.append(
            StoryLine(
                title=dispute.heading(sheet.terms.rulebook).title if dispute else recorded.dispute,
                said=recorded.ruling["summary"],
                decided=recorded.table_decided or "",
                when=when if before or not recorded.after_place else "",
                address=url_for("disputes.show_ruling", match_id=sheet.match.id, ruling_id=recorded.id),
            )
        )
    return lines
