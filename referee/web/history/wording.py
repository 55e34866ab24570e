"""Word matches for a list, and one match for its story."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from types import MappingProxyType
from typing import Any

from referee.records.match.history import Lead
from referee.records.match.rounds import VersionView
from referee.records.match.rulings import as_read, as_told, foreign_language
from referee.records.match.sheets import MatchSummary, Story, StoryRound
from referee.records.models import MatchEvent, MatchStatus, Ruling
from referee.rules.text.words import joined, language
from referee.web.page import match_wording
from referee.web.page.match_wording import sides_of
from referee.web.server import local_time
from referee.web.words import CATALOGUE, say

# -- a list of matches -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Score:
    """A side's names and total in a list; no total before the end."""

    name: str
    total: int | None
    won: bool


Month = tuple[str, Sequence[tuple[MatchSummary, Sequence[Score], str]]]
"""A month's name and its matches, each with how far it is unless it is finished."""


def months_of(summaries: Sequence[MatchSummary], leads: Mapping[str, Lead] = MappingProxyType({})) -> list[Month]:
    """Group matches, newest first, by the month in which they began; `leads` are those of matches in progress."""
    dated = []
    for row in summaries:
        far = "" if row.match.status == MatchStatus.FINISHED else say(f"filter.{row.match.status}")
        far = match_wording.stands(leads[row.match.id]) if row.match.id in leads else far
        dated.append((language().month(local_time.local(row.match.started_at)), (row, scores_of(row), far)))
    return [(title, [row for _, row in group]) for title, group in groupby(dated, key=lambda row: row[0])]


def scores_of(summary: MatchSummary) -> list[Score]:
    """Return a match's sides, winners first, then by how near they came; as they sat while it is played."""
    scores = []
    for names in sides_of(summary.match, summary.players):
        totals = [summary.totals[name] for name in names if name in summary.totals]
        total = sum(totals) if totals else None
        scores.append(Score(joined(names), total, names[0] in summary.winners))
    best = next((score.total for score in scores if score.won), None)
    return sorted(scores, key=lambda score: (not score.won, abs((score.total or 0) - (best or 0)) if best else 0))


# -- the story of a match ----------------------------------------------------------------------------------------------


def time_taken(time: timedelta) -> str:
    """Write how long something took: ``1 h 20 min``, ``45 min``, ``3 days``."""
    minutes = max(1, round(time.total_seconds() / 60))
    if minutes >= 36 * 60:
        return say("story.days", n=round(minutes / 60 / 24))
    hours, rest = divmod(minutes, 60)
    if not hours:
        return say("story.minutes", minutes=rest)
    return say("story.hours-and-minutes" if rest else "story.hours", hours=hours, minutes=rest)


def gain(round: StoryRound) -> str:
    """Return what a round brought its winner, with its sign; empty where others were credited too, or nobody."""
    now = round.now
    gains = [points for name, points in now.points.items() if name in now.credited_to and points]
    return match_wording.signed(gains[0]) if round.number and len(gains) == 1 and now.winner in now.credited_to else ""


def version_line(version: VersionView) -> str:
    """Return a version of a round in sentences."""
    held = ", ".join(f"{name} {worth}" for name, worth in version.worth.items() if name != version.winner)
    sentence = " ".join(
        [match_wording.how_it_ended(version.entry["ended"], version.winner), *match_wording.what_else(version.entry)]
    )
    return f"{sentence} {say('played.hands', hands=held)}" if held else sentence


def ruling_read(ruling: Ruling, story: Story) -> Mapping[str, Any]:
    """Return a ruling in the reader's language where it can be; `foreign` is the code of the one it stayed in."""
    read = as_told(as_read(ruling, story.terms.rulebook, story.seating.names, len(story.seating.here)))
    return {**read, "foreign": foreign_language(read)}


def event_line(story: Story, event: MatchEvent) -> str:
    """Return an event in a sentence; its kind where a later version of the app has dropped it."""
    named = {seat.player_id: seat.name for seat in story.seating.seats}
    name = named.get(event.details.get("player", ""), say("names.unknown"))
    total, minutes = (event.details.get(detail, "–") for detail in ("total", "minutes"))
    key = f"event.{event.kind}"
    sentence = say(key, name=name, total=total, n=minutes) if key in CATALOGUE.sentences else event.kind
    return f"{sentence} {event.details.get('note', '')}".strip()
