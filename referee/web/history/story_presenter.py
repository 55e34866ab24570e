"""What the story of a match shows, and how it is told; nothing is decided here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from referee.records.models import MatchEvent, Ruling
from referee.records.story import Story, ToldVersion
from referee.rules.disputes import DISPUTES_BY_ID
from referee.rules.rulebook import Rulebook
from referee.web.page.charts import Chart
from referee.web.page.elements import CardView
from referee.web.score import summaries
from referee.web.score.rule_card import RuleCard
from referee.web.server import local_time
from referee.web.words import CATALOGUE, say


@dataclass(frozen=True)
class StoryHand:
    """What one player held; `cards` is empty where only points were typed."""

    name: str
    cards: Sequence[CardView]
    worth: int


@dataclass(frozen=True)
class StoryVersion:
    """What a round was said to be before it was corrected."""

    what: str
    line: str
    when: str
    by: str


@dataclass(frozen=True)
class StoryRound:
    """One round of the story."""

    number: int | None
    line: str
    gain: str
    last_card: CardView | None
    hands: Sequence[StoryHand]
    also: Sequence[str]
    """what few rounds have, each in a sentence"""
    sat_out: str
    versions: Sequence[StoryVersion]
    at: datetime
    marks: Sequence[str]


@dataclass(frozen=True)
class StoryRuling:
    """A ruling as it was said."""

    title: str
    verdict: str
    summary: str
    steps: Sequence[Mapping[str, Any]]
    afterwards: str
    at: datetime


@dataclass(frozen=True)
class Moment:
    """One entry of the story: exactly one of its parts is there."""

    round: StoryRound | None = None
    ruling: StoryRuling | None = None
    event: str = ""


@dataclass(frozen=True)
class StoryView:
    """Everything the template of the story shows."""

    id: str
    title: str
    when: datetime
    day: str
    facts: Sequence[tuple[str, str]]
    result: str
    note: str
    highlights: Sequence[tuple[str, str]]
    standings: Sequence[tuple[int | None, str, int, bool]]
    chart: Chart | None
    moments: Sequence[Moment]
    hidden: int
    card: RuleCard
    amendments: Sequence[str]


def tell_version(version: ToldVersion, before: ToldVersion | None) -> StoryVersion:
    held = ", ".join(f"{name} {worth}" for name, worth in version.worth.items() if name != version.winner)
    said = " ".join([tell_how_it_ended(version), *summaries.what_else(version.entry)])
    return StoryVersion(
        summaries.version_title(version.struck, before.struck if before else None),
        f"{said} {say('played.hands', hands=held)}" if held else said,
        local_time.minute(version.entered_at),
        version.entered_by or "",
    )


def tell_how_it_ended(version: ToldVersion) -> str:
    return summaries.how_it_ended(version.entry["ended"], version.winner)


def tell_ruling(ruling: Ruling, rulebook: Rulebook) -> StoryRuling:
    said = ruling.ruling
    dispute = DISPUTES_BY_ID.get(ruling.dispute)
    if ruling.table_decided:
        afterwards = say("story.table-decided", decision=ruling.table_decided)
    elif ruling.accepted is None:
        afterwards = ""
    else:
        afterwards = say("story.accepted" if ruling.accepted else "story.not-accepted")
    return StoryRuling(
        title=dispute.heading(rulebook).title if dispute else ruling.dispute,
        verdict=said["verdict"],
        summary=said["summary"],
        steps=said["steps"],
        afterwards=afterwards,
        at=ruling.given_at,
    )


def tell_event(story: Story, event: MatchEvent) -> str:
    named = {seat.player_id: seat.name for seat in story.seating.seats}
    name = named.get(event.details.get("player", ""), say("names.unknown"))
    total, minutes = (event.details.get(detail, "–") for detail in ("total", "minutes"))
    key = f"event.{event.kind}"
    said = say(key, name=name, total=total, minutes=minutes) if key in CATALOGUE.sentences else event.kind
    return f"{said} {event.details.get('note', '')}".strip()


def tell_amendment(story: Story, place: int) -> str:
    return summaries.amendment(story.agreements[place - 1], story.agreements[place], story.terms.rulebook)


def tell_time(time: timedelta) -> str:
    """Say how long something took: ``1 h 20 min``, ``45 min``, ``3 days``."""
    minutes = max(1, round(time.total_seconds() / 60))
    if minutes >= 36 * 60:
        return say("story.days", n=round(minutes / 60 / 24))
    hours, rest = divmod(minutes, 60)
    if not hours:
        return say("story.minutes", minutes=rest)
    return say("story.hours-and-minutes" if rest else "story.hours", hours=hours, minutes=rest)
