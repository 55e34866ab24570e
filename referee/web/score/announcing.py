"""What a saved round is announced with: who gained how much, and who leads now.

A phone says the same before the server has answered (``announced`` in ``static/js/waiting-state.js``); the sheet
gives it the sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from referee.records.models import MatchStatus
from referee.records.seating import Seated
from referee.records.sheets import Sheet
from referee.rules.standings import Standing
from referee.web.score.summaries import joined, signed
from referee.web.words import say

MOST_GAINS, MOST_LEADERS = 4, 3
"""Names that one sentence bears."""


def announced(sheet: Sheet, newcomers: Sequence[Seated] = ()) -> str:
    """Say who gained how much in the last round, who leads or that the match is over, and which newcomers sat out."""
    over = sheet.match.status != MatchStatus.IN_PROGRESS
    return " ".join(
        [
            _gains(sheet),
            say("played.match-over") if over else _leaders([line for line in sheet.standings if line.rank == 1]),
            *(say("played.sat-out", name=seat.name) for seat in newcomers),
        ]
    )


def _gains(sheet: Sheet) -> str:
    played = sheet.last_round
    points = played.points if played else {}
    gains = [(seat.name, points[seat.name]) for seat in sheet.seating.seats if points.get(seat.name)]
    if not 0 < len(gains) <= MOST_GAINS:
        return say("played.saved", round=sheet.round_count)
    return say("played.gained", gains=joined([f"{name} {signed(gain)}" for name, gain in gains]))


def _leaders(first: Sequence[Standing]) -> str:
    names = [standing.player for standing in first]
    total = first[0].total if first[0].team_total is None else first[0].team_total
    if len(names) == 1:
        return say("announcement.leads", name=names[0], total=total)
    if len(names) <= MOST_LEADERS:
        return say("announcement.lead", names=joined(names), total=total)
    sides = len({standing.player if standing.team is None else standing.team for standing in first})
    return say("announcement.tie", n=sides, total=total)


@cache
def sentences_for_phones() -> Mapping[str, str]:
    """Give the sentences by which a phone announces a round, with places for what it adds up itself."""
    said = {
        "gained": say("played.gained", gains="{gains}"),
        "saved": say("played.saved", round="{n}"),
        "leads": say("announcement.leads", name="{name}", total="{total}"),
        "lead": say("announcement.lead", names="{names}", total="{total}"),
        "tie": say("announcement.tie", n="{n}", total="{total}"),
        "over": say("played.match-over"),
        "and": say("names.and", names="{names}", last="{last}"),
    }
    return {f"data-says-{name}": sentence for name, sentence in said.items()}
