"""Word the sheet: its standings, and the winner's scene, which people look at together when a match is over.

The scene is one for the sheet, the board and the picture. Which card was laid last is only entered where it counts;
elsewhere it shows the biggest hand that was left.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from flask import url_for

from referee.records.evening.evenings import Place, find_place
from referee.records.match.history import NIGHT, load_wins_of_night
from referee.records.match.matches import clock_ends
from referee.records.match.rounds import RoundView
from referee.records.match.sheets import Sheet
from referee.records.models import Match, MatchStatus, now
from referee.records.statistics.decided import Decided, NameCourse, load_decided
from referee.rules.books.settings import TIME_LIMIT_WINNER
from referee.rules.cards.cards import Card
from referee.rules.cards.decks import parse_card
from referee.rules.scoring.scoring import Standing, furthest_behind, turning_point
from referee.rules.text.words import apart, joined, language
from referee.web.page import match_wording
from referee.web.page.charts import Chart, course_chart
from referee.web.page.match_wording import NEAR, SideLine, by_sides, out_since
from referee.web.server import guards, local_time
from referee.web.words import say

MINUTES = 15
"""Minutes the clock of a timed match starts with; the text says that the table agrees on them."""


@dataclass(frozen=True)
class StandingLine:
    """One line of the standings in words: who leads, opens and starts, what is missing, and with whom."""

    player_id: str
    name: str
    marker: str
    """color and shape"""
    seat: int
    """the place at the table, clockwise from 0"""
    total: int
    gain: str
    """what the last round brought, with its sign; empty for nothing"""
    along: int | None
    """percent of the way to the target; None where nobody counts it"""
    rank: int | None
    needs: str
    """names the sentence for the points still `missing`; empty where nobody counts them"""
    missing: int | None
    near: bool
    """little enough is missing to be said"""
    leads: bool
    opens: str
    starts: bool
    """plays first in the next round, as far as the text says who does"""
    team: str
    """with whom the player plays, and the own part of their total; empty for one who plays alone"""
    side: str
    """the ids of those whose total it is, in one text"""
    out: str
    """that the player is out of the match, and since when; empty for one who plays"""


def shown_on(sheet: Sheet, *, writable: bool, by_seat: bool = False) -> dict[str, Any]:
    """Return what ``score/_sheet.html`` shows: the sheet and its words, the standings by rank or `by_seat`."""
    match = sheet.match
    playing = match.status == MatchStatus.IN_PROGRESS
    tie, undecided = match_wording.is_tie(match, sheet.winners), not sheet.winners
    rounds_to_play = sheet.terms.rounds_to_play or 0
    at_table, moved_on = guards.table_key() is not None, guards.table_moved_on(match)
    place = find_place(guards.records(), match)
    return {
        "sheet": sheet,
        "title": match_wording.title_of(match, sheet.players),
        "terms": match_wording.terms_parts(sheet.terms),
        "tonight": tonight(sheet),
        "night": match.rematch_of and guards.get_key().match_id is None and local_time.night_of(match.started_at),
        "open": playing and writable,
        "finished": not playing,
        # what going on is called where a match that ended may not be decided
        "play_on": say("result.one-more") if tie else say("result.play-on") if undecided else "",
        "writable": writable and not at_table,
        "at_table": at_table,
        "moved_on": moved_on,
        "place": table_said(match, place) if place else "",
        "is_now": place and place.is_now,
        "floor": place and guards.get_key().match_id is None and url_for("evening.floor", evening_id=place.evening_id),
        "scene": winner_of(sheet),
        "notice": "" if writable else say("match.watching"),
        "head_to_head": match_wording.head_to_head(sheet),
        "by_seat": by_seat,
        "deal": deal(sheet) if playing and not sheet.round_count else "",
        "draw": say("match.draw-drafter" if sheet.terms.drafted else "match.draw-dealer"),
        "standings": standing_lines(sheet, by_seat=by_seat and playing),
        "more_rounds": len([round for round in sheet.rounds if not round.struck]) < sheet.round_count,
        "record": "sheet.record-of" if sheet.round_count < rounds_to_play else "sheet.record",
        "rounds_to_play": rounds_to_play,
        "timer": _timer(sheet) if playing and sheet.terms.rulebook.find(TIME_LIMIT_WINNER) else None,
        "says": {**match_wording.sentences_for_phones(), "data-near": str(NEAR)},
        "address": url_for("score.sheet", match_id=match.id),
        "story": match_wording.rulings_told(sheet),
    }


def table_said(match: Match, place: Place) -> str:
    """Return at which table of which evening a match is played; its title may name the evening already."""
    if match.name:
        return say("evening-table.number", table=place.table)
    return say("evening-table.place", table=place.table, evening=match_wording.evening_title(place))


def _timer(sheet: Sheet) -> dict[str, object]:
    """Return the minutes of the clock, and when it ends: for scripts in milliseconds, for people by the clock."""
    ends = clock_ends(guards.records(), sheet.match)
    if ends is None:
        return {"minutes": MINUTES, "ends": "", "until": ""}
    until = f"{language().time(ends.astimezone(UTC))} UTC"
    return {"minutes": MINUTES, "ends": f"{ends.timestamp() * 1000:.0f}", "until": until}


def deal(sheet: Sheet) -> str:
    """Word who deals, or drafts first, in the next round and who plays first, as far as that is known."""
    way = "drafts" if sheet.terms.drafted else "deals"
    if sheet.opener is None:
        return say(f"match.{way}-nobody")
    if sheet.starter is None:
        return say(f"match.{way}-first", name=sheet.opener.name)
    return say(f"match.{way}-and-starts", name=sheet.opener.name, first=sheet.starter)


def tonight(sheet: Sheet) -> str:
    """Word who at this table won how many matches of the night; empty before one of its rematches."""
    if sheet.match.rematch_of is None:
        return ""
    names = {seat.player_id: seat.name for seat in sheet.seating.seats}
    sides = [[names[id] for id in names if id in side] for side in load_wins_of_night(guards.records(), sheet.match)]
    wins = Counter(joined(side) for side in sides if side).most_common()
    tally = ", ".join(f"{apart(side)} {n}" for side, n in wins)
    if not tally:
        return ""
    return say("match.tonight" if now() - sheet.match.started_at < NIGHT else "match.that-night", wins=tally)


def standing_lines(sheet: Sheet, *, by_seat: bool = False) -> list[StandingLine]:
    """Word the standings, by rank or by seat."""
    finished = sheet.match.status != MatchStatus.IN_PROGRESS
    seats = {seat.name: seat for seat in sheet.seating.seats}
    opens = {sheet.drafter: say("match.drafts"), sheet.dealer: say("match.deals")}
    played = sheet.last_round
    points = played.points if played else {}
    lines = [
        StandingLine(
            player_id=seats[standing.player].player_id,
            name=standing.player,
            marker=seats[standing.player].marker,
            seat=seats[standing.player].seat,
            total=_total(standing),
            gain=match_wording.signed(gain) if gain and not finished else "",
            along=_along(sheet, standing),
            team=_team(sheet, standing),
            side=" ".join(seats[name].player_id for name in (standing.player, *_mates(sheet, standing))),
            rank=standing.rank if sheet.round_count else None,
            needs="" if finished else match_wording.needs(sheet.terms, standing),
            missing=standing.needs,
            near=standing.needs is not None and standing.needs <= NEAR,
            leads=standing.rank == 1 and sheet.round_count > 0 and not finished,
            opens="" if finished else opens.get(standing.player, ""),
            starts=not finished and sheet.starter == standing.player,
            out=out_since(standing),
        )
        for standing in sheet.standings
        for gain in (sum(points.get(name, 0) for name in (standing.player, *_mates(sheet, standing))),)
    ]
    return sorted(lines, key=lambda line: line.seat if by_seat else line.rank or len(lines))


def _total(standing: Standing) -> int:
    return standing.total if standing.team_total is None else standing.team_total


def _along(sheet: Sheet, standing: Standing) -> int | None:
    """Return the percent of the way to the target, whole ones only, as the phone's ``along`` does."""
    target = sheet.terms.target
    if target is None or standing.needs is None or sheet.match.status != MatchStatus.IN_PROGRESS:
        return None
    return max(0, min(100, 100 * _total(standing) // target))


def _mates(sheet: Sheet, standing: Standing) -> list[str]:
    if standing.team is None:
        return []
    return [other.player for other in sheet.standings if other.team == standing.team and other is not standing]


def _team(sheet: Sheet, standing: Standing) -> str:
    if standing.team is None:
        return ""
    names = joined(_mates(sheet, standing))
    return (
        say("standing.with-own", names=names, own=standing.total)
        if standing.total
        else say("standing.with", names=names)
    )


WIDTHS = (
    4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 36, 40, 44, 50, 60,
)  # fmt: skip
"""Widths of text, in letters, that a style sheet has a size of type for."""

SPECIAL = {
    "W": 2.1, "w": 1.65, "&": 1.45, **dict.fromkeys("Mm@—%", 1.85),
    **dict.fromkeys("ilI.,:;!'’|", 0.65), **dict.fromkeys("jftr-() ", 0.8),
}  # fmt: skip
"""Letters wider or narrower in the display face than most, in which one is under 0.62 of the size of type."""


@dataclass(frozen=True)
class DecidingRound:
    """The round that ended the match."""

    title: str
    text: str
    cards: Sequence[Card]
    more: int
    """cards beyond those shown"""
    whose: str
    """says whose cards they are; empty without any"""


MOST_FLYING = 12
"""Cards that fly into totals when a match ends."""


@dataclass(frozen=True)
class CountUp:
    """A total as the last round let it grow, with the cards; `seat` is that of whoever has it, None the winner's."""

    seat: int | None
    before: int
    total: int
    cards: Sequence[tuple[int, Card]]
    """each with the seat of whoever held it"""


@dataclass(frozen=True)
class WinnerView:
    """The winner's scene: who won, by what, and how large their name can be."""

    key: str
    """names the sentence that says who won"""
    names: str
    """with soft hyphens in long words; empty where nobody did"""
    letters: int
    """how wide the names are, one of `WIDTHS`"""
    note: str
    story: str
    """how it was won, in a sentence; empty where nobody won alone"""
    total: int
    total_key: str
    """names the sentence for the total; empty where there is none to be shown"""
    round: DecidingRound | None
    decided: Sequence[str]
    chart: Chart | None
    count_ups: Sequence[CountUp]


def winner_of(sheet: Sheet) -> WinnerView | None:
    """Return the winner's scene of a match; None while it is played."""
    match = sheet.match
    if match.status == MatchStatus.IN_PROGRESS:
        return None
    names = hyphened(joined(sheet.winners))
    first = next((side for side in by_sides(sheet.standings) if side.names[0] in sheet.winners), None)
    decided = _decided(sheet)
    return WinnerView(
        key=match_wording.result_key(match, sheet.winners),
        names=names,
        letters=letters_of(names.replace(HYPHEN, " "), lines=3 if HYPHEN in names else 2),
        note=match_wording.result_note(match, sheet.terms, sheet.winners),
        story=story_of(sheet, decided.course, decided.record_rescue),
        total=first.total if first else 0,
        total_key=("ending.rounds" if sheet.terms.count == "rounds" else "ending.points") if first else "",
        round=deciding_round(sheet),
        decided=list(_said(sheet, decided))[:3],
        chart=course_chart(sheet, decided.course) if len(decided.course) > 2 else None,
        count_ups=_count_ups(sheet, first) if first and sheet.terms.count == "points" else (),
    )


def _count_ups(sheet: Sheet, won: SideLine) -> list[CountUp]:
    """Return the totals that the last round changed: the winner's, or each loser's own.

    Cards fly where they were tapped and each player has a total of their own; not in a round with a knock-out.
    """
    last = sheet.last_round
    if last is None:
        return []
    seats = {seat.name: seat.seat for seat in sheet.seating.seats}
    fly = not (sheet.terms.teams or last.knocked_out)
    hands = {name: hand for name, hand in last.hands.items() if fly and isinstance(hand, list) and name != last.winner}
    held = [(seats[name], parse_card(card)) for name, hand in hands.items() for card in hand]
    if gained := sum(last.points.get(name, 0) for name in won.names):
        return [CountUp(None, won.total - gained, won.total, held[:MOST_FLYING])]
    changed = [line for line in by_sides(sheet.standings) if last.points.get(line.names[0]) and line.names[0] in hands]
    each = MOST_FLYING // max(1, len(changed))
    return [
        CountUp(seat, line.total - last.points[name], line.total, [pair for pair in held if pair[0] == seat][:each])
        for line in changed
        for name, seat in ((line.names[0], seats[line.names[0]]),)
    ]


def letters_of(text: str, *, lines: int = 2) -> int:
    """Estimate the width of a text, in average letters, when it may wrap to that many lines; rounded up."""
    longest = max(map(_width, text.split()), default=0.0)
    wanted = _width(text) if lines == 1 else max(longest, _width(text) * 1.12 / lines)
    return next((width for width in WIDTHS if width >= wanted), WIDTHS[-1])


HYPHEN = "\u00ad"
SYLLABLE = re.compile(
    "(?<=[^\\W\\d_]{3})((?:sch[lmnrw]?|[cpt]h|qu|s[pt]r?|[bfgkp]l|[bdfgkpt]r|[b-df-hj-np-tv-xzß])[aeiouyäöü])(?=\\w{2})"
)
"""Where a word may be broken in the languages we speak, nearly always: before what a syllable begins with."""


def hyphened(text: str) -> str:
    """Put soft hyphens into words too long for a line in large type."""
    return " ".join(SYLLABLE.sub(f"{HYPHEN}\\1", word) if _width(word) > 20 else word for word in text.split(" "))


def _width(text: str) -> float:
    return sum(_width_of(letter) for letter in text)


def _width_of(letter: str) -> float:
    if unicodedata.category(letter)[0] in "MC":
        return 0
    if unicodedata.east_asian_width(letter) in "WF":
        return 2
    return SPECIAL.get(letter, 1.25 if letter.isupper() else 1)


def story_of(sheet: Sheet, course: NameCourse, record: int | None = None) -> str:
    """Word how a match was won, in a sentence; empty where no player or team won alone, or it goes on.

    `record` is how far behind the winner was, where no winner of the club had ever been further.
    """
    side = (
        next((side for side in course[-1] if sheet.winners and {*sheet.winners} <= {*side}), None) if course else None
    )
    if side is None or len(course) < 2:
        return ""
    name, behind = joined(side), furthest_behind(course, sheet.terms.leads, side)
    turned = turning_point(course, sheet.terms.leads, side)
    if record:
        return say("ending.record-rescue", name=name, points=record)
    if len(course) == 2:
        return say("ending.one-round", name=name)
    if turned == 1:
        return say("story.led-throughout", name=name)
    # a fifth of what lies between first and last
    if 5 * behind >= abs(max(course[-1].values()) - min(course[-1].values())):
        far = "ending.from-behind-rounds" if sheet.terms.count == "rounds" else "ending.from-behind"
        return say(far if turned else f"{far}-at-last", name=name, n=behind)
    return say("story.took-lead", name=name, round=turned) if turned else say("ending.at-last", name=name)


def told(last: RoundView) -> str:
    """Return a round in a sentence, with the points it brought."""
    happened = " ".join([match_wording.how_it_ended(last.ended, last.winner), *match_wording.what_else(last)])
    gains = joined([f"{name} {match_wording.signed(points)}" for name, points in last.points.items() if points])
    return f"{happened} {say('played.gained', gains=gains)}" if gains else happened


def deciding_round(sheet: Sheet) -> DecidingRound | None:
    """Word the last round that counts, with its last card or the one biggest hand left; None without a round."""
    last = sheet.last_round
    if last is None:
        return None
    title, text = match_wording.round_title(sheet.round_count, sheet.terms), told(last)
    if last.last_card is not None:
        whose = say("ending.last-card", name=last.went_out)
        return DecidingRound(title, text, [parse_card(last.last_card)], 0, whose)
    hands = {name: hand for name, hand in last.hands.items() if isinstance(hand, list) and hand and name != last.winner}
    if not hands:
        return DecidingRound(title, text, (), 0, "")
    most = max(last.worth.get(name, 0) for name in hands)
    name, *level = [name for name in hands if last.worth.get(name, 0) == most]
    if level:  # no hand stands out
        return DecidingRound(title, text, (), 0, "")
    cards = [parse_card(card) for card in hands[name][:9]]
    whose = say("ending.left-with", name=name, n=most)
    return DecidingRound(title, text, cards, len(hands[name]) - len(cards), whose)


def _decided(sheet: Sheet) -> Decided:
    if sheet.match.status != MatchStatus.FINISHED:
        return Decided()
    lines = by_sides(sheet.standings)
    second = [line for line in lines if line.names[0] not in sheet.winners]
    rivals = [line.names for line in second if line.rank == second[0].rank]
    rival = rivals[0][0] if len(rivals) == 1 and len(rivals[0]) == 1 else None
    return load_decided(guards.records(), sheet.match, sheet.terms, sheet.seating, sheet.winners, rival)


def _said(sheet: Sheet, decided: Decided) -> Iterator[str]:
    """Word what the match decided, what is rarest first."""
    name = sheet.winners[0] if sheet.winners else ""
    if decided.record_catch:
        caught = decided.record_catch
        yield say("ending.record-catch", name=caught.name, points=caught.points, round=caught.round)
    if decided.first_of > 1:
        yield say("ending.first-win", name=name, n=decided.first_of)
    if decided.run > 1:
        yield say("ending.longest-run" if decided.longest_run else "ending.run", name=name, n=decided.run)
    if decided.rival and decided.beat + decided.beaten >= 3:
        way = "leads" if decided.beat > decided.beaten else "level" if decided.beat == decided.beaten else "trails"
        yield say(f"ending.{way}", name=name, other=decided.rival, won=decided.beat, lost=decided.beaten)
