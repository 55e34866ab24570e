"""Word statistics, and lay out a season in pictures: a calendar of evenings, head-to-heads, a year on cards.

`referee.records.statistics.definitions` says what the figures mean. Coordinates are units of a picture's view box, as
wide as a phone; templates draw it as SVG.
"""

from bisect import bisect_left
from calendar import monthrange
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from operator import attrgetter

from referee.records.ids import first_id_of, moment_of
from referee.records.models import Scale
from referee.records.statistics import definitions
from referee.records.statistics.definitions import (
    DISPUTES,
    MATCHES,
    OPPONENTS,
    ROUNDS,
    AtTable,
    Fraction,
    PlayerLine,
    Run,
    Statistic,
    TopOpponents,
    Value,
    by_table_size,
    by_wins,
    caught_with,
    compare,
    matches_played,
    matches_won,
    present_run,
    rounds_won,
)
from referee.records.statistics.figures import DECIDED, Ending, Figures, Meeting, PlayerResult
from referee.rules.cards.decks import face_named, parse_card
from referee.rules.text.words import joined, language
from referee.web.page.charts import WIDTH, Chart, Tick, rating_chart, shortened
from referee.web.server import local_time
from referee.web.words import number, say

MONTHS = 12
"""Months in a calendar: those up to the latest match."""
WEEKS = (1, 8, 15, 22, 29)
"""The days of a month that its squares begin with."""
SQUARE, PITCH, ASIDE, ABOVE = 24, 27, 36, 36
"""Side of a square, from one to the next, and the room for what stands beside and above them."""
RIVALS, LISTED = 8, 40
"""Opponents in the picture and in its table, those met most often first; nobody reads more."""
LABEL = 15
"""Letters of a name in a bar, so that both names fit above it."""


@dataclass(frozen=True)
class Square:
    """Some days of a month, and how many matches were played on them."""

    x: int
    y: int
    matches: int
    level: int
    """0 for none, then the more the darker, up to 4"""


@dataclass(frozen=True)
class Calendar:
    """When someone played: a column a month, a square a week of it; the same months as a table."""

    title: str
    description: str
    months: Sequence[Tick]
    years: Sequence[Tick]
    weeks: Sequence[Tick]
    squares: Sequence[Square]
    rows: Sequence[tuple[str, Sequence[str]]]
    height: int = ABOVE + PITCH * len(WEEKS)


@dataclass(frozen=True)
class Duel:
    """A player against one opponent: both names as they fit a bar, and the widths of its two parts."""

    id: str
    name: str
    has_page: bool
    """False for a deleted name, which has no page to link to"""
    own_label: str
    label: str
    line: str
    beat: int
    level: int
    beaten: int
    won: float
    lost: float


@dataclass(frozen=True)
class HeadToHeads:
    """A player's head-to-head records, with the opponents met most often first."""

    title: str
    description: str
    shown: Sequence[Duel]
    rows: Sequence[tuple[Duel, Sequence[str]]]
    more: int
    """opponents beyond those of the table"""


def calendar(name: str, results: Sequence[PlayerResult]) -> Calendar:
    """Count a player's matches by week, in the twelve months up to the latest one."""
    (latest,) = _days([results[-1].match_id])
    count = latest.year * 12 + latest.month - 1
    months = [(max((count - back) // 12, 1), (count - back) % 12 + 1) for back in reversed(range(MONTHS))]
    # a zone is at most a day ahead of UTC, in which ids count
    first = first_id_of(datetime(*months[0], 1, tzinfo=UTC) - timedelta(days=1)) if months[0] > (1970, 1) else ""
    late = results[bisect_left(results, first, key=attrgetter("match_id")) :]
    days = _days([result.match_id for result in late])
    inside = [(day, result) for day, result in zip(days, late, strict=True) if (day.year, day.month) >= months[0]]
    matches = Counter((day.year, day.month, (day.day - 1) // 7) for day, _ in inside)
    by_month: dict[tuple[int, int], list[tuple[date, PlayerResult]]] = defaultdict(list)
    for day, result in inside:
        by_month[day.year, day.month].append((day, result))
    squares = [
        Square(ASIDE + PITCH * column, ABOVE + PITCH * row, count, sum(count >= level for level in (1, 2, 4, 7)))
        for column, (year, month) in enumerate(months)
        for row, first in enumerate(WEEKS)
        if first <= monthrange(year, month)[1]
        for count in (matches[year, month, row],)
    ]
    middles = [ASIDE + PITCH * column + SQUARE / 2 for column in range(MONTHS)]
    starts = [column for column, (_, month) in enumerate(months) if month == 1]
    first_of_year = starts if 1 in starts else sorted({0, *starts})  # two years side by side would overlap
    evenings = {day for day, _ in inside}
    return Calendar(
        title=say("statistics.calendar"),
        description=say(
            "statistics.calendar-told",
            name=name,
            matches=len(inside),
            evenings=len(evenings),
            first=_title(*months[0]),
            last=_title(*months[-1]),
        ),
        months=[Tick(x, language().short_months[of[1] - 1][0].upper()) for x, of in zip(middles, months, strict=True)],
        years=[Tick(ASIDE + PITCH * column, str(months[column][0])) for column in first_of_year],
        weeks=[Tick(ABOVE + PITCH * row + SQUARE / 2, say("statistics.week", n=row + 1)) for row in range(len(WEEKS))],
        squares=squares,
        rows=[(_title(*of), _month_row(by_month[of])) for of in months if of in by_month],
    )


def _month_row(here: Sequence[tuple[date, PlayerResult]]) -> list[str]:
    """Return a month's evenings, its matches, and those won of the decided ones, as text."""
    decided = [result.ending for _, result in here if result.ending in DECIDED]
    won = say("statistics.of", part=decided.count(Ending.WON), whole=len(decided)) if decided else "–"
    return [number(len({day for day, _ in here})), number(len(here)), won]


def _days(match_ids: Sequence[str]) -> list[date]:
    return local_time.days(map(moment_of, match_ids))


def _title(year: int, month: int) -> str:
    return language().month(date(year, month, 1))


def duels(name: str, meetings: Sequence[Meeting], names: Mapping[str, str], stand_ins: Collection[str]) -> HeadToHeads:
    """Draw a player against each opponent; `stand_ins` are the ids of those whose name was deleted."""
    known = [(names.get(meeting.opponent, say("names.unknown")), meeting) for meeting in meetings]
    known.sort(key=lambda pair: (-pair[1].together, pair[0]))
    made = [_duel(name, rival, meeting, meeting.opponent not in stand_ins) for rival, meeting in known[:LISTED]]
    return HeadToHeads(
        title=say("statistics.duels"),
        description=say("statistics.duels-told", lines=" ".join(duel.line for duel in made[:RIVALS])),
        shown=made[:RIVALS],
        rows=[(duel, [number(duel.beat), number(duel.level), number(duel.beaten)]) for duel in made],
        more=len(known) - len(made),
    )


def _duel(name: str, rival: str, meeting: Meeting, has_page: bool) -> Duel:
    counts = {"better": meeting.beat, "level": meeting.level, "worse": meeting.beaten}
    told = ", ".join(say(f"statistics.{how}", n=count) for how, count in counts.items() if count or how != "level")
    return Duel(
        id=meeting.opponent,
        name=rival,
        has_page=has_page,
        own_label=shortened(name, LABEL),
        label=shortened(rival, LABEL),
        line=say("statistics.duel", name=rival, told=told),
        beat=meeting.beat,
        level=meeting.level,
        beaten=meeting.beaten,
        won=round(WIDTH * meeting.beat / meeting.together, 1),
        lost=round(WIDTH * meeting.beaten / meeting.together, 1),
    )


@dataclass(frozen=True)
class YearCard:
    """One picture of a year: what it is about, whose, the figure in large type, and what else is to be said."""

    title: str
    name: str
    figure: str
    unit: str
    note: str


RUN = 2
"""Matches won in a row that are worth telling."""
CARDS_OF_YEAR = 5


def year_of_player(name: str, year: int, figures: Figures, names: Mapping[str, str]) -> list[YearCard]:
    """Return a player's year on up to five cards; `names` are the opponents', by id."""
    won, run = definitions.matches_won(figures), definitions.longest_winning_run(figures)
    cards = [_played(name, year, [result.match_id for result in figures.results])]
    if won.whole:
        row = say("year.in-a-row", n=run) if run >= RUN else ""
        cards.append(YearCard(say("year.won"), "", number(won.part), say("year.of-matches", n=won.whole), row))
    if catch := _most(definitions.biggest_catch(figures)):
        cards.append(_caught(name, catch))
    cards += _rivals((name, names.get(meeting.opponent, say("names.unknown")), meeting) for meeting in figures.meetings)
    cards += _went_out(figures)
    if behind := _most(definitions.biggest_rescue(figures)):
        cards.append(_comeback(name, behind))
    return cards[:CARDS_OF_YEAR]


def year_of_club(club: str, year: int, figures: Mapping[str, Figures], names: Mapping[str, str]) -> list[YearCard]:
    """Return a club's year on up to five cards; `names` are its players', by id."""
    played = {result.match_id for own in figures.values() for result in own.results}
    known = {id: own for id, own in figures.items() if id in names}
    cards = [_played(club, year, sorted(played)), *_leading(by_wins(compare(known, names).lines))]
    caught = _best({id: _most(definitions.biggest_catch(own)) for id, own in known.items()}, names)
    cards += [_caught(name, most) for name, most in caught]
    cards += _rivals(
        (names[id], names[meeting.opponent], meeting)
        for id, own in known.items()
        for meeting in own.meetings
        if meeting.opponent in names
    )
    rescues = _best({id: _most(definitions.biggest_rescue(own)) for id, own in known.items()}, names)
    cards += [_comeback(name, behind) for name, behind in rescues]
    for name, run in _best({id: definitions.longest_winning_run(own) for id, own in known.items()}, names):
        if run >= RUN:
            cards.append(YearCard(say("year.streak"), name, number(run), say("year.matches-in-a-row"), ""))
    return cards[:CARDS_OF_YEAR]


def _played(name: str, year: int, match_ids: Sequence[str]) -> YearCard:
    note = say("year.evenings", n=len(set(_days(match_ids)))) if match_ids else ""
    matches = say("statistics.matches", n=len(match_ids))
    return YearCard(say("year.played", year=year), name, number(len(match_ids)), matches, note)


def _leading(ranked: Sequence[PlayerLine]) -> Iterator[YearCard]:
    """Yield the card of who won the most matches, of all who are level."""
    first = [line for line in ranked if line.won.part == ranked[0].won.part] if ranked else []
    if not first or not first[0].won.part:
        return
    most, whole = first[0].won.part, first[0].won.whole
    behind = next((line for line in ranked if line.won.part < most), None)
    note = say("year.ahead-of", name=behind.name, n=behind.won.part) if behind and len(first) == 1 else ""
    unit = say("year.of-matches", n=whole) if len(first) == 1 else say("year.matches-each", n=most)
    yield YearCard(say("year.most-wins"), joined([line.name for line in first]), number(most), unit, note)


def _caught(name: str, points: int) -> YearCard:
    return YearCard(say("story.catch"), name, number(points), say("year.in-one-round"), say("year.others-held"))


def _rivals(meetings: Iterable[tuple[str, str, Meeting]]) -> Iterator[YearCard]:
    """Yield the card of the two who met most often, of equal ones the closest; none where nobody was ever ahead."""

    def rank(pair: tuple[str, str, Meeting]) -> tuple[int, int, int]:
        _, _, meeting = pair
        return meeting.together, -abs(meeting.beat - meeting.beaten), meeting.beat

    most = max((pair for pair in meetings if pair[2].beat or pair[2].beaten), key=rank, default=None)
    if most is not None:
        name, rival, meeting = most
        score = say("year.score", beat=meeting.beat, beaten=meeting.beaten)
        together = say("year.together", n=meeting.together)
        yield YearCard(say("year.rivals"), joined([name, rival]), score, say("year.who-was-ahead"), together)


def _comeback(name: str, behind: int) -> YearCard:
    return YearCard(say("story.comeback"), name, number(behind), say("year.behind"), say("year.still-won"))


def _went_out(figures: Figures) -> Iterator[YearCard]:
    """Yield the card of the favorite last card; of how often the player went out, where nobody wrote cards down."""
    favorite = next(iter(definitions.last_cards(figures).items()), None)
    went_out = definitions.rounds_won(figures)
    if favorite:
        face, times = favorite
        yield YearCard(say("year.last-card"), face_named(face).label, number(times), say("year.times", n=times), "")
    elif went_out.whole:
        yield YearCard(say("year.went-out"), "", number(went_out.part), say("year.of-rounds", n=went_out.whole), "")


def _most(points: definitions.PerScale) -> int:
    """Return the most of points that are counted by several scales; 0 without any."""
    return int(max(points.values(), default=0))


def _best(values: Mapping[str, int], names: Mapping[str, str]) -> list[tuple[str, int]]:
    """Return who has the most of something, and how much; nobody where that is nothing."""
    most = max(values.values(), default=0)
    holders = [names[id] for id, value in values.items() if value == most]
    return [(joined(holders), most)] if most else []


GROUPS = (("matches", MATCHES), ("rounds", ROUNDS), ("disputes", DISPUTES), ("opponents", OPPONENTS))
FORM = 16
"""Latest matches shown at a glance."""
MARKS = {Ending.WON: "won", Ending.SHARED: "shared", Ending.LOST: "lost", Ending.LEFT: "lost", Ending.UNDECIDED: "none"}
"""How the form shows each ending."""
Part = tuple[str, str]
"""A value as text, and what it belongs to where there are several."""


@dataclass(frozen=True)
class PlayerPage:
    """One player's figures as sentences and charts; what says nothing about the player is left out."""

    headline: Sequence[tuple[str, Part]]
    """the figures that people look for first, each with its title"""
    form: Sequence[str]
    """how the latest matches ended, oldest first: values of `MARKS`"""
    form_in_words: str
    groups: Sequence[tuple[str, Sequence[tuple[Statistic, Sequence[Part], Sequence[tuple[str, str, int]]]]]]
    """by title; of each statistic its parts, and counted cards: each face, its name, and how many"""
    tables: Sequence[AtTable]
    rating: Chart | None
    calendar: Calendar | None
    duels: HeadToHeads | None


def player_page(figures: Figures, names: Mapping[str, str], stand_ins: Collection[str]) -> PlayerPage:
    """Word a player's figures; `names` are those of the club's players, `stand_ins` the ids of deleted ones."""
    name = names[figures.player_id]
    form, form_in_words = form_of([result.ending for result in figures.results[-FORM:]])
    groups = [(say(f"statistics.group-{group}"), _worded(each, figures, names)) for group, each in GROUPS]
    return PlayerPage(
        headline=list(_headline(figures)),
        form=form,
        form_in_words=form_in_words,
        groups=[(title, worded) for title, worded in groups if worded],
        tables=by_table_size(figures),
        rating=rating_chart(name, figures.ratings) if len(figures.ratings) > 1 else None,
        calendar=calendar(name, figures.results) if figures.results else None,
        duels=duels(name, figures.meetings, names, stand_ins) if figures.meetings else None,
    )


def form_of(endings: Sequence[Ending]) -> tuple[Sequence[str], str]:
    """Return the marks of the latest matches, oldest first, and the same in words."""
    form = [MARKS[ending] for ending in endings]
    results = ", ".join(say(f"statistics.{mark}") for mark in form)
    return form, say("statistics.form", n=len(form), results=results)


def scales_of(figures: Figures) -> list[Part]:
    """Return the scorings to choose among, each by its value in the address; none where there is only one."""
    played = [scale for scale in Scale if scale in figures.scales]
    every = [("", say("statistics.every-scale")), *((str(scale), say(f"statistics.{scale}-wins")) for scale in played)]
    return every if len(played) > 1 else []


def _headline(figures: Figures) -> Iterator[tuple[str, Part]]:
    matches, won, run = matches_played(figures), matches_won(figures), present_run(figures)
    if matches:
        yield say("statistics.headline-played"), (number(matches), say("statistics.matches", n=matches))
    if won.whole:
        yield say("statistics.headline-won"), _part(won, {})
    if points := caught_with(figures):
        hands = {scale: sum(sums.hands for sums in figures.rounds if sums.scale == scale) for scale in points}
        most = max(points, key=lambda scale: hands[scale])
        told = say(f"statistics.{most}") if len(points) > 1 else say("statistics.headline-points")
        yield say("statistics.headline-caught"), (figure(points[most]), told)
    if run:
        yield say("statistics.headline-streak"), _part(run, {})
    if (out := rounds_won(figures)).whole:
        yield say("statistics.headline-went-out"), _part(out, {})
    if figures.ratings:
        last = figures.ratings[-1]
        margin = say("statistics.margin", points=number(2 * last.sigma, ".1f"))
        yield say("statistics.headline-rating"), (number(last.mu, ".1f"), margin)


def _worded(
    statistics: Sequence[Statistic], figures: Figures, names: Mapping[str, str]
) -> list[tuple[Statistic, list[Part], list[tuple[str, str, int]]]]:
    """Word the statistics that have something to say."""
    values = [(statistic, statistic.of(figures)) for statistic in statistics]
    return [
        (statistic, [] if _cards(value) else _parts(value, names), _cards(value))
        for statistic, value in values
        if value not in (None, 0, {}) and not (isinstance(value, Fraction) and not value.whole)
    ]


def _cards(value: Value) -> list[tuple[str, str, int]]:
    """Return counted cards; none where the value is something else."""
    if not isinstance(value, Mapping):
        return []
    return [
        (str(face), parse_card(str(face)).label, int(n)) for face, n in value.items() if not isinstance(face, Scale)
    ]


def _parts(value: Value, names: Mapping[str, str]) -> list[Part]:
    if isinstance(value, Mapping):
        return [(figure(points), say(f"statistics.{scale}")) for scale, points in value.items()]
    return [_part(value, names)]


def _part(value: int | Fraction | Run | TopOpponents | None, names: Mapping[str, str]) -> Part:
    if isinstance(value, Fraction):
        return percent(value), say("statistics.of", part=value.part, whole=value.whole)
    if isinstance(value, Run):
        return str(value.matches), say("statistics.won-in-a-row" if value.won else "statistics.lost-in-a-row")
    if isinstance(value, TopOpponents):
        who = joined([names.get(id, say("names.unknown")) for id in value.ids])
        return who, say("statistics.of-matches", part=value.share.part, whole=value.share.whole)
    return "–" if value is None else number(value), ""


def percent(share: Fraction) -> str:
    """Write a share in percent: ``69%``; a dash for a share of nothing."""
    percent = share.percent
    return "–" if percent is None else language().percent.format(n=f"{percent:.0f}")


def figure(value: float) -> str:
    """Write a number of points: whole ones as they are, averages with one decimal."""
    return number(value) if isinstance(value, int) else number(value, ".1f")
