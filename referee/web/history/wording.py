"""Word matches for a list, and one match for its story."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from types import MappingProxyType
from typing import Any

from referee.records.match.history import Lead, Played
from referee.records.match.rounds import RoundView
from referee.records.match.rulings import as_read, as_told, foreign_language
from referee.records.match.seating import deal_markers
from referee.records.match.sheets import MatchSummary, Story, StoryRound
from referee.records.models import MatchEvent, MatchStatus, Ruling
from referee.rules.text.words import apart, joined, language
from referee.web.page import match_wording
from referee.web.page.match_wording import sides_of
from referee.web.server import local_time
from referee.web.words import CATALOGUE, number, say

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
        scores = scores_of(row)
        if lead := leads.get(row.match.id):
            far = match_wording.stands(lead)
            if lead.rounds:
                sides = match_wording.by_sides(lead.standings)
                scores = [Score(joined(side.names), side.total, False) for side in sides]
        dated.append((language().month(local_time.local(row.match.started_at)), (row, scores, far)))
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


def version_line(version: RoundView) -> str:
    """Return a version of a round in sentences."""
    held = ", ".join(f"{name} {worth}" for name, worth in version.worth.items() if name != version.winner)
    sentence = " ".join([match_wording.how_it_ended(version.ended, version.winner), *match_wording.what_else(version)])
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


# -- all matches of a night --------------------------------------------------------------------------------------------

MOST_ROUNDS, MOST_WINNERS = 60, 12
"""Rounds of a night that are shown, the last ones, and players named with their rounds."""


@dataclass(frozen=True)
class RoundCard:
    """A round as a small card: what it brought, and in whose color; in none where nobody went out."""

    label: str
    gain: str
    marker: str


@dataclass(frozen=True)
class NightMatch:
    """A match of a night and its rounds; `said` is who won or how far it is."""

    id: str
    title: str
    said: str
    rounds: Sequence[RoundCard]


@dataclass(frozen=True)
class Night:
    """A night of a club: its matches, who won how many rounds of them, and the one line to remember."""

    title: str
    day: date
    figures: Sequence[str]
    wins: Sequence[tuple[str, int]]
    """who won how many of the matches, most first"""
    winners: Sequence[tuple[str, str, int]]
    """name, marker and rounds won, most first"""
    matches: Sequence[NightMatch]
    hidden: int
    """rounds before those shown"""
    line: str
    """who was left with most; empty where nobody stands out"""

    def wins_said(self) -> str:
        """Say who won how many of the matches; empty before the first is won."""
        wins = ", ".join(f"{apart(name)} {n}" for name, n in self.wins)
        return say("night.wins", wins=wins) if wins else ""


def night_told(
    title: str, day: date, summaries: Sequence[MatchSummary], leads: Mapping[str, Lead], played: Sequence[Played]
) -> Night:
    """Tell the matches of a night, in the order in which they began; `leads` are those of matches in progress."""
    people = {line.name: line.marker for line in played}
    markers = dict(zip(people, deal_markers(list(people.values())), strict=True))
    rounds = [list(lines) for _, lines in groupby(played, lambda line: (line.match_id, line.place))]
    won = Counter(line.name for line in played if line.went_out)
    sides = [score.name for summary in summaries for score in scores_of(summary) if score.won]
    worst = sorted((line.hand or 0 for line in played), reverse=True)
    left = next((line for line in played if line.hand and line.hand == worst[0] > max(0, *worst[1:2])), None)
    cards: dict[str, list[RoundCard]] = {}
    for lines in rounds[-MOST_ROUNDS:]:
        cards.setdefault(lines[0].match_id, []).append(_round_card(lines, markers))
    begun = {line.match_id for line in played}
    summaries = [summary for summary in summaries if summary.match.id in begun]
    return Night(
        title,
        day,
        [say("night.matches", n=len(summaries)), say("terms.rounds-to-play", n=len(rounds))],
        Counter(sides).most_common(MOST_WINNERS),
        [(name, markers[name], n) for name, n in won.most_common(MOST_WINNERS)],
        [_night_match(summary, leads, cards.get(summary.match.id, ())) for summary in summaries],
        max(0, len(rounds) - MOST_ROUNDS),
        say("night.left-with", name=left.name, n=left.hand) if left else "",
    )


def _night_match(summary: MatchSummary, leads: Mapping[str, Lead], rounds: Sequence[RoundCard]) -> NightMatch:
    match, names = summary.match, joined(summary.winners)
    lead = leads.get(match.id)
    said = match_wording.stands(lead) if lead else ""
    if key := match_wording.result_key(match, summary.winners):
        said = say(key, name=names, names=names)
    return NightMatch(match.id, match_wording.title_of(match, summary.players), said, rounds)


def _round_card(lines: Sequence[Played], markers: Mapping[str, str]) -> RoundCard:
    out = next((line for line in lines if line.went_out), None)
    if out is None:
        return RoundCard(say("night.nobody"), "", "")
    said, gain = say("played.went-out", name=out.name), match_wording.signed(out.points) if out.points else ""
    return RoundCard(f"{said} {gain}".strip(), number(out.points), markers[out.name])
