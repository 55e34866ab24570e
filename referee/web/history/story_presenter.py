"""What the story of a match shows, and how it is told; nothing is decided here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from referee.records.models import MatchEvent, Ruling
from referee.records.story import Story, ToldVersion
from referee.rules.decks import parse_card
from referee.rules.disputes import DISPUTES_BY_ID
from referee.rules.round_entry import DRAW_PILE_EMPTY, TIME_LIMIT
from referee.web.charts import Chart
from referee.web.score import words
from referee.web.server import local_time


@dataclass(frozen=True)
class CardView:
    """A card in running text."""

    color: str
    face: str
    label: str


@dataclass(frozen=True)
class HandView:
    """What one player held; `cards` is empty where only points were typed."""

    name: str
    cards: Sequence[CardView]
    worth: int


@dataclass(frozen=True)
class VersionView:
    """What a round was said to be before it was corrected."""

    what: str
    line: str
    when: str
    by: str


@dataclass(frozen=True)
class RoundView:
    """One round of the story."""

    number: int | None
    line: str
    gain: str
    last_card: CardView | None
    hands: Sequence[HandView]
    sat_out: str
    versions: Sequence[VersionView]
    at: datetime
    marks: Sequence[str]


@dataclass(frozen=True)
class RulingView:
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

    round: RoundView | None = None
    ruling: RulingView | None = None
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
    card: words.RuleCard
    amendments: Sequence[str]


def tell_version(version: ToldVersion, before: ToldVersion | None) -> VersionView:
    held = ", ".join(
        f"{name} {worth}" for name, worth in version.worth.items() if name != version.entry["went_out"]
    )
    if before is None:
        what = "Recorded"
    elif version.struck:
        what = "Struck"
    else:
        what = "Restored" if before.struck else "Corrected"
    line = tell_how_it_ended(version) + (f" Held: {held}." if held else "")
    return VersionView(what, line, local_time.minute(version.entered_at), version.entered_by or "")


def tell_how_it_ended(version: ToldVersion) -> str:
    ended = version.entry["ended"]
    if ended == TIME_LIMIT:
        return "Time ran out."
    if ended == DRAW_PILE_EMPTY:
        return "The draw pile ran out."
    return f"{version.entry['went_out']} went out."


def tell_ruling(ruling: Ruling) -> RulingView:
    said = ruling.ruling
    dispute = DISPUTES_BY_ID.get(ruling.dispute)
    if ruling.table_decided:
        afterwards = f"The table decided: {ruling.table_decided}"
    elif ruling.accepted is None:
        afterwards = ""
    else:
        afterwards = "Accepted." if ruling.accepted else "The table decided differently."
    return RulingView(
        title=dispute.title if dispute else ruling.dispute,
        verdict=said["verdict"],
        summary=said["summary"],
        steps=said["steps"],
        afterwards=afterwards,
        at=ruling.given_at,
    )


def tell_event(story: Story, event: MatchEvent) -> str:
    named = {seat.player_id: seat.name for seat in story.seating.seats}
    name = named.get(event.details.get("player", ""), "A player")
    note = event.details.get("note", "")
    worded = {
        "joined": f"{name} joined with {event.details.get('total', 0)} points.",
        "left": f"{name} left.",
        "amended": "The rules changed from here." + (f" {note}" if note else ""),
        "finished": "The table ended the match.",
        "abandoned": "The match was abandoned.",
        "reopened": "The match was reopened.",
        "clock-started": f"Clock started: {event.details.get('minutes', 'some')} minutes.",
        "clock-stopped": "Clock stopped.",
    }
    return worded.get(event.kind, event.kind.replace("-", " ").capitalize())


def tell_amendment(story: Story, place: int) -> str:
    return words.amendment(story.agreements[place - 1], story.agreements[place], story.terms.rulebook)


def tell_card(text: str) -> CardView:
    card = parse_card(text)
    return CardView(card.color or "", card.face, card.label)


def tell_time(time: timedelta) -> str:
    """Say how long something took: ``1 h 20 min``, ``45 min``, ``3 days``."""
    minutes = max(1, round(time.total_seconds() / 60))
    if minutes >= 36 * 60:
        return f"{round(minutes / 60 / 24)} days"
    hours, rest = divmod(minutes, 60)
    return " ".join(filter(None, (f"{hours} h" if hours else "", f"{rest} min" if rest else "")))
