"""The matches of a club, newest first, to be filtered and searched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from flask import Response, render_template, url_for

from referee.records.history import list_matches
from referee.records.models import Match, MatchStatus
from referee.records.players import list_players
from referee.records.plays import load_plays
from referee.records.sheets import MatchSummary, load_summaries, load_summaries_around
from referee.records.statistics.figures import load_choices
from referee.rules.problem import Impossible, Problem
from referee.web.club.demo import may_demo
from referee.web.history.room import (
    FilterView,
    blueprint,
    choices_of,
    filled,
    given,
    invitation,
    number,
    rulebook_title,
)
from referee.web.page.elements import Link
from referee.web.score import summaries
from referee.web.score.sides import sides_of
from referee.web.server import guards, local_time
from referee.web.server.files import stream
from referee.web.sharing import bg_stats
from referee.web.words import say

STATES = (("", say("filter.any-state")), *((str(status), say(f"filter.{status}")) for status in MatchStatus))


@dataclass(frozen=True)
class Score:
    """A player's name and total in a list."""

    name: str
    total: int | None
    won: bool


@dataclass(frozen=True)
class ListedMatch:
    """One match in the list."""

    id: str
    title: str
    day: int
    weekday: str
    date: str
    rulebook: str
    location: str
    state: str
    scores: Sequence[Score]

    def anywhere(self) -> ListedMatch:
        """Leave out where it was played."""
        return replace(self, location="")


@dataclass(frozen=True)
class Month:
    """The matches of one month."""

    title: str
    matches: Sequence[ListedMatch]


@blueprint.get("/")
def index() -> str | tuple[str, int]:
    """List matches, fifty a page, and invite a stranger; 401, 403, 422 with the page for a filter that cannot be."""
    if not guards.presents_key():
        return invitation("History", "matches")
    club = guards.get_club()
    asked = given("search", "player", "rulebook", "year", "status", "before")
    problems: Sequence[Problem] = ()
    filters: dict[str, Any] = {name: value or None for name, value in asked.items()} | {"year": number(asked["year"])}
    matches: Sequence[Match] = ()
    following = None
    try:
        page = list_matches(guards.records(), club, **filters)
        matches, following = page.matches, page.next
    except Impossible as error:
        problems = error.problems
    people = [("", say("filter.anyone")), *((one.id, one.name) for one in list_players(guards.records(), club))]
    books, years = choices_of(load_choices(guards.records(), club.id))
    errors: dict[str, list[str]] = {}
    for problem in problems:
        errors.setdefault(problem.field, []).append(problem.message)
    before = asked.pop("before")
    further = filled(asked) | {"before": following}
    html = render_template(
        "history/matches.html",
        months=months_of(load_summaries(guards.records(), matches)),
        filters=FilterView(asked, books, years, errors),
        people=people,
        states=STATES,
        later=bool(before),
        may_start=guards.may_write(),
        may_demo=not matches and may_demo(),
        next=url_for("history.index", **further) if following else "",
        plays=url_for("history.plays", **filled(asked)) if any(match.finished_at for match in matches) else "",
    )
    return (html, 422) if problems else html


@blueprint.get("/plays.bgsplay")
def plays() -> Response:
    """Give the finished matches of the same filter as a file for BG Stats, the newest ones; 401, 403, 422."""
    club = guards.get_club()
    asked = given("search", "player", "rulebook", "year")
    filters: dict[str, Any] = {name: value or None for name, value in asked.items()} | {"year": number(asked["year"])}
    found = list_matches(guards.records(), club, **filters, status=MatchStatus.FINISHED, limit=bg_stats.MOST_PLAYS)
    document = bg_stats.file(load_plays(guards.records(), found.matches))
    written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).iterencode(document)
    return stream(written, "application/json", "uno-matches.bgsplay")


def matches_beside(match: Match) -> list[Link]:
    """List a match and those played before and after it, by name or players, the winner first, and day.

    A key that opens one match only sees no others.
    """
    if guards.get_key().match_id is not None:
        return []
    lines = [_line(summary) for summary in load_summaries_around(guards.records(), match)]
    return [
        Link(
            line.title or ", ".join(score.name for score in line.scores),
            url_for("history.match", match_id=line.id),
            line.date,
        )
        for line in lines
    ]


def months_of(summaries: Sequence[MatchSummary]) -> list[Month]:
    """Put matches under their months, newest first."""
    lines = [(f"{local_time.local(summary.match.started_at):%B %Y}", _line(summary)) for summary in summaries]
    return [Month(title, [line for _, line in group]) for title, group in groupby(lines, key=lambda dated: dated[0])]


def _line(summary: MatchSummary) -> ListedMatch:
    match = summary.match
    begun = local_time.local(match.started_at)
    scores = [_score(summary, names) for names in sides_of(match, summary.players)]
    line = ListedMatch(
        id=match.id,
        title=summaries.title_of(match, summary.players),
        day=begun.day,
        weekday=f"{begun:%a}",
        date=local_time.day(match.started_at),
        rulebook=rulebook_title(match.rulebook),
        location=match.location,
        state="" if match.status == MatchStatus.FINISHED else say(f"filter.{match.status}"),
        scores=_best_first(scores),
    )
    return line if match.name else replace(line, title="")


def _score(summary: MatchSummary, names: Sequence[str]) -> Score:
    totals = [summary.totals[name] for name in names if name in summary.totals]
    return Score(summaries.joined(names), sum(totals) if totals else None, names[0] in summary.winners)


def _best_first(scores: Sequence[Score]) -> list[Score]:
    """Put winners first and the others behind them, the nearest total first; unfinished matches as they sat."""
    best = next((score.total for score in scores if score.won), None)
    return sorted(scores, key=lambda score: (not score.won, abs((score.total or 0) - (best or 0)) if best else 0))
