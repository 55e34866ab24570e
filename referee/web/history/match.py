"""The story of one match: how it was agreed, played, corrected, argued over and won."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flask import render_template, request

from referee.records.story import Story, ToldRound, load_story
from referee.rules.settings import TIME_LIMIT_WINNER
from referee.web.history.matches import matches_beside
from referee.web.history.room import blueprint
from referee.web.history.story_presenter import (
    Moment,
    StoryHand,
    StoryRound,
    StoryView,
    tell_amendment,
    tell_event,
    tell_how_it_ended,
    tell_ruling,
    tell_time,
    tell_version,
)
from referee.web.page.charts import Chart, course_chart
from referee.web.page.elements import card_view
from referee.web.score import summaries
from referee.web.score.rule_card import rule_card
from referee.web.score.sides import by_sides
from referee.web.server import guards, local_time
from referee.web.words import say

ROUNDS_SHOWN = 30
"""Rounds told at once; the rest on demand."""


@blueprint.get("/matches/<match_id>")
def match(match_id: str) -> str:
    """Tell a match; 401, 403, 404."""
    found = guards.get_match(match_id)
    told = load_story(guards.records(), found)
    everything = request.args.get("rounds") == "all"
    return render_template("history/match.html", story=_view(told, everything=everything), others=matches_beside(found))


def _view(story: Story, *, everything: bool) -> StoryView:
    match = story.match
    players = [seat.name for seat in story.seating.here]
    shown = story.rounds if everything else story.rounds[-ROUNDS_SHOWN:]
    ranked = [
        (
            side.rank if story.terms.wins else None,
            summaries.joined(side.names),
            side.total,
            side.names[0] in story.winners,
        )
        for side in by_sides(story.standings)
    ]
    return StoryView(
        id=match.id,
        title=summaries.title_of(match, players),
        when=match.started_at,
        day=local_time.day(match.started_at),
        facts=list(_facts(story)),
        result=summaries.result(match, story.winners) or say("result.in-progress"),
        note=match.note,
        highlights=list(_highlights(story)),
        standings=ranked,
        chart=_chart(story) if len(story.live) > 1 else None,
        moments=list(_moments(story, shown)),
        hidden=len(story.rounds) - len(shown),
        card=rule_card(story.terms),
        amendments=[tell_amendment(story, place) for place in range(1, len(story.agreements))],
    )


def _facts(story: Story) -> Iterator[tuple[str, str]]:
    match = story.match
    if match.location:
        yield say("story.fact-where"), match.location
    if story.opener:
        yield say("story.fact-drafted" if story.terms.drafted else "story.fact-dealt"), story.opener
    count = len(story.live)
    yield say("story.fact-rounds"), summaries.round_number(count, story.terms.rounds_to_play)
    if story.duration is not None and count:
        yield say("story.fact-time"), tell_time(story.duration)
    left = [seat.name for seat in story.seating.seats if not seat.here]
    if left:
        yield say("story.fact-left"), summaries.joined(left)


def _highlights(story: Story) -> Iterator[tuple[str, str]]:
    catch = story.biggest_catch
    if catch is not None:
        name = catch.now.entry["went_out"]
        told = say("story.catch-told", name=name, points=catch.catch, round=catch.number)
        yield say("story.catch"), told
    turned = story.turning_point
    if turned is not None and story.winning_side:
        winner = summaries.joined(story.winning_side)
        led = "story.led-throughout" if turned == 1 else "story.took-lead"
        yield say("story.turning-point"), say(led, name=winner, round=turned)
        if story.furthest_behind:
            yield say("story.comeback"), say("story.was-behind", name=winner, points=story.furthest_behind)


def _chart(story: Story) -> Chart:
    turned = story.turning_point
    leader = by_sides(story.standings)[0]
    winners = summaries.joined(story.winning_side) if story.winning_side else ""
    way = "story.chart-lowest" if story.terms.leads == "lowest" else "story.chart-highest"
    timed = story.terms.rulebook.find(TIME_LIMIT_WINNER) is not None
    return course_chart(
        say("story.chart"),
        say(way, n=len(story.live), name=summaries.joined(leader.names), total=leader.total),
        [{summaries.joined(side): total for side, total in table.items()} for table in story.course],
        strong=[winners] if winners else story.winners,
        target=None if timed else story.terms.target,
        mark=(winners, turned) if turned else None,
    )


def _moments(story: Story, shown: Sequence[ToldRound]) -> Iterator[Moment]:
    """Put rounds, rulings and what else happened in the order of time; before the first round shown nothing."""
    first = shown[0].place if shown and shown[0] is not story.rounds[0] else 0
    asides: dict[int, list[Moment]] = {}
    for ruling in story.rulings:
        asides.setdefault(ruling.after_place, []).append(Moment(ruling=tell_ruling(ruling, story.terms.rulebook)))
    for event in story.events:
        asides.setdefault(event.after_place, []).append(Moment(event=tell_event(story, event)))
    if not first:
        yield from asides.get(0, ())
    for one in shown:
        yield Moment(round=_round(story, one))
        yield from asides.get(one.place, ())


def _round(story: Story, told: ToldRound) -> StoryRound:
    now = told.now
    marks = []
    if told.number is None:
        marks.append(say("story.mark-struck"))
    elif len(told.versions) > 1:
        marks.append(say("story.mark-corrected"))
    if told.number is not None and told.number == story.turning_point and told.number > 1:
        marks.append(say("story.mark-turning-point"))
    catch = story.biggest_catch
    if catch is not None and catch.id == told.id:
        marks.append(say("story.mark-catch"))
    last = now.entry["last_card"]
    pairs = zip((None, *told.versions), told.versions, strict=False)
    gains = [summaries.signed(points) for name, points in now.points.items() if name in now.credited_to and points]
    return StoryRound(
        number=told.number,
        line=tell_how_it_ended(now),
        gain=gains[0] if told.number and len(gains) == 1 and now.winner in now.credited_to else "",
        last_card=None if last is None else card_view(last),
        hands=[
            StoryHand(
                name, [card_view(card) for card in hand] if isinstance(hand, list) else (), now.worth.get(name, 0)
            )
            for name, hand in now.entry["hands"].items()
            if name != now.winner
        ],
        also=summaries.what_else(now.entry),
        sat_out=summaries.joined(now.entry["sat_out"]),
        versions=[tell_version(one, before) for before, one in pairs] if len(told.versions) > 1 else (),
        at=told.versions[0].entered_at,
        marks=marks,
    )
