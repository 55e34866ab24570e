"""The matches of a club, newest first, to be filtered and searched; and one match as a story."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from flask import Blueprint, current_app, render_template, request, url_for

from referee.records.club.players import list_players
from referee.records.club.precedents import law_of_match
from referee.records.match.history import last_begun, list_matches, load_leads, load_matches_of_day, load_played
from referee.records.match.sheets import load_story, load_summaries, load_summaries_around
from referee.records.models import Club, Match, MatchStatus, now
from referee.records.statistics.figures import load_choices
from referee.rules.text.problem import Impossible, Problem
from referee.web.history import wording
from referee.web.history.wording import Night, months_of, night_told, scores_of
from referee.web.page import match_wording
from referee.web.page.charts import course_chart
from referee.web.page.filters import FilterForm, by_field, number, read_fields
from referee.web.page.layout import Link
from referee.web.page.match_wording import by_sides, rule_card
from referee.web.rounds.wording import version_title
from referee.web.server import guards, local_time
from referee.web.words import say

blueprint = Blueprint("history", __name__, url_prefix="/history")

ROUNDS_SHOWN = 30
"""Rounds of a story shown at once; the rest on demand."""


@blueprint.get("/")
def index() -> str | tuple[str, int]:
    """List matches, fifty a page, and invite a stranger; 401, 403, 422 with the page for a filter that cannot be."""
    if not guards.presents_key():
        return invitation(say("tab.history"), "matches")
    club = guards.get_club()
    asked = read_fields("search", "player", "rulebook", "year", "status", "before")
    problems: Sequence[Problem] = ()
    matches: Sequence[Match] = ()
    following = None
    try:
        chosen: dict[str, Any] = {name: value or None for name, value in asked.items()}
        page = list_matches(guards.records(), club, **chosen | {"year": number(asked["year"])})
        matches, following = page.matches, page.next
    except Impossible as error:
        problems = error.problems
    running = [match for match in matches if match.status == MatchStatus.IN_PROGRESS]
    before = asked.pop("before")
    form = FilterForm(asked, load_choices(guards.records(), club.id), by_field(problems))
    html = render_template(
        "history/matches.html",
        months=months_of(load_summaries(guards.records(), matches), load_leads(guards.records(), running)),
        form=form,
        people=[("", say("filter.anyone")), *((who.id, who.name) for who in list_players(guards.records(), club))],
        states=[("", say("filter.any-state")), *((str(status), say(f"filter.{status}")) for status in MatchStatus)],
        later=bool(before),
        may_start=guards.may_write(),
        next=url_for("history.index", **form.address | {"before": following}) if following else "",
    )
    return (html, 422) if problems else html


@blueprint.get("/matches/<match_id>")
def match(match_id: str) -> str:
    """Show a match as a story; 401, 403, 404."""
    chosen = guards.get_match(match_id)
    story = load_story(guards.records(), chosen)
    side, turned = story.winning_side, story.turning_point
    ring = (side, turned) if side and turned and turned > 1 else None
    shown = story.rounds if request.args.get("rounds") == "all" else story.rounds[-ROUNDS_SHOWN:]
    return render_template(
        "history/match.html",
        match=chosen,
        story=story,
        title=match_wording.title_of(chosen, [seat.name for seat in story.seating.here]),
        sides=by_sides(story.standings),
        moments=story.moments(shown),
        hidden=len(story.rounds) - len(shown),
        card=rule_card(story.terms),
        law=law_of_match(guards.records(), chosen),
        wording=wording,
        match_wording=match_wording,
        version_title=version_title,
        chart=course_chart(story, story.course, ring) if len(story.live) > 1 else None,
        changes=match_wording.amendments(story),
        others=_beside(chosen),
    )


@blueprint.get("/night")
def night() -> str:
    """Show all that was played on one day, which ends at five in the morning; 401, 403."""
    club = guards.get_club()
    shown = night_in_address(club)
    earlier = last_begun(guards.records(), club, local_time.bounds_of(shown.day)[0])
    return render_template("history/night.html", night=shown, earlier=local_time.night_of(earlier) if earlier else None)


def night_in_address(club: Club) -> Night:
    """Return the club's day of play in the address; the last one with a match where none was played on it."""
    try:
        asked = date.fromisoformat(request.args.get("day", "")[:10])
        _, ends = local_time.bounds_of(asked)
    except (ValueError, OverflowError):
        _, ends = local_time.bounds_of(local_time.night_of(now()))
    day = local_time.night_of(last_begun(guards.records(), club, ends) or now())
    title = say("night.tonight") if day == local_time.night_of(now()) else local_time.written(day)
    matches = load_matches_of_day(guards.records(), club, *local_time.bounds_of(day))
    running = [match for match in matches if match.status == MatchStatus.IN_PROGRESS]
    summaries, leads = load_summaries(guards.records(), matches), load_leads(guards.records(), running)
    return night_told(title, day, summaries, leads, load_played(guards.records(), matches))


def invitation(title: str, room: str) -> str:
    """Draw the page for a stranger, who has no matches here yet."""
    may_start = current_app.config["SIGN_UP"]
    return render_template("history/invitation.html", title=title, room=room, may_start=may_start)


def _beside(match: Match) -> list[Link]:
    """Link to a match and those before and after it; none for a key that opens one match only."""
    if guards.get_key().match_id is not None:
        return []
    return [
        Link(
            summary.match.name or ", ".join(score.name for score in scores_of(summary)),
            url_for("history.match", match_id=summary.match.id),
            local_time.day(summary.match.started_at),
        )
        for summary in load_summaries_around(guards.records(), match)
    ]
