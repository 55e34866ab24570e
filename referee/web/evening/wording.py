"""Word an evening: its tables, who meets again, who waits for a table, and how everyone stands."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from referee.records.evening.floor import Floor, FloorTable
from referee.records.models import DrawKind, MatchStatus
from referee.rules.text.words import joined, language
from referee.web.page import match_wording
from referee.web.server import local_time
from referee.web.words import number, say

MOST_AGAIN = 12
"""Pairs that are named where they meet again; of more, how many."""


def people_at(table: FloorTable) -> list[tuple[str, int | None, bool]]:
    """Return who sits at a table: name, total once there is one, and whether they lead; best first."""
    if not table.lead.rounds:
        return [(name, None, False) for name in table.seats.values()]
    leaders = {name for side in table.lead.leaders for name in side}
    return [(one.player, one.total, one.player in leaders) for one in table.lead.standings]


def round_of(table: FloorTable) -> str:
    """Word how far a table is: its round, or how it ended."""
    return say("evening-page.in-round", n=table.lead.rounds + 1) if table.playing else ended(table)


def ended(table: FloorTable) -> str:
    """Word how a table ended; of a match that is over, whoever leads it has won."""
    if table.match.status == MatchStatus.ABANDONED:
        return say("evening-screen.left-out")
    return match_wording.ended(table.match, sorted(name for side in table.lead.leaders for name in side))


def stands(table: FloorTable) -> str:
    """Word how a table stands, as everyone in the hall sees it: its round, and who leads with what."""
    return match_wording.stands(table.lead) if table.playing else ended(table)


def time_of(moment: datetime) -> str:
    """Return the time of day here."""
    return language().time(local_time.local(moment))


def figures_of(floor: Floor) -> list[str]:
    """Return in short how many are here, and how far the evening is."""
    here = say("evening-page.here", n=len(floor.here))
    rounds = sum(draw.kind == DrawKind.ROUND for draw in floor.draws)
    if not floor.draws:
        return [here]
    if floor.draws[-1].kind == DrawKind.FINAL:
        return [here, say("evening-page.final")]
    if floor.draws[-1].kind == DrawKind.PLAY_OFF:
        return [here, say("evening-page.play-off")]
    return [here, say("evening-page.draw-of", draw=rounds, draws=max(rounds, floor.plan.draws))]


def again_of(floor: Floor) -> str:
    """Say who meets again in the last draw, and why."""
    people = len({id for table in floor.tables for id in table.seats})
    pairs = [say("evening-page.pair", one=pair.one, other=pair.other) for pair in floor.again]
    if len(pairs) == 1:
        return say("evening-page.again-one", pair=pairs[0], people=people, draws=len(floor.draws))
    named = joined(pairs) if len(pairs) <= MOST_AGAIN else say("evening-page.pairs", n=len(pairs))
    return say("evening-page.again", pairs=named, people=people, draws=len(floor.draws))


def advice_of(repeats: Mapping[int, int], people: int, draws: int) -> str:
    """Say which size of tables spares meetings, as in “12 at tables of 4: 9 meet again; at tables of 3: none”."""
    if not any(repeats.values()):
        return ""
    sizes = [
        say("evening-page.by-size", size=size, n=again) if again else say("evening-page.by-size-none", size=size)
        for size, again in repeats.items()
    ]
    return say("evening-page.advice", people=people, n=draws, sizes="; ".join(sizes))


def points_of(points: float) -> str:
    """Return points by place, with one decimal where they need it."""
    return number(round(points, 1), ",.0f" if abs(points - round(points)) < 0.05 else ",.1f")


def champions_said(names: Sequence[str]) -> str:
    """Say who won the evening; empty where no match counts."""
    return say("evening-page.won", names=joined(names), n=len(names)) if names else ""
