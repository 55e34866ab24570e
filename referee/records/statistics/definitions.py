"""The statistics of a player: each one function over figures, and one name in the list that pages show.

What is counted stands in `referee.records.statistics.figures`. Points are counted for each scale apart, since points of
matches that the highest total wins, those that the lowest wins, and rounds won cannot be averaged together.

At the end: the players of a club side by side: places, the club's records, and who beat whom; and as rows for
spreadsheets. A row has a column for each figure: two for a share of matches or rounds, its part and its whole; points
have one for each scale they are meant by.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.records.models import Scale
from referee.records.statistics.figures import DECIDED, Ending, Figures, Meeting, RoundSum
from referee.records.words import say
from referee.rules.cards.decks import parse_card
from referee.rules.disputes import Finding
from referee.rules.disputes.ruling import Role

NEMESIS_WINS = 3
"""Times that an opponent must have beaten a player to be a nemesis."""
LAST_CARDS = 5
"""Most frequent last cards shown."""


@dataclass(frozen=True, slots=True)
class Fraction:
    """A share: `part` of `whole`."""

    part: int
    whole: int

    @property
    def percent(self) -> float | None:
        """Return the share in percent; None where the whole is 0."""
        return 100 * self.part / self.whole if self.whole else None


@dataclass(frozen=True, slots=True)
class Run:
    """Matches in a row that ended alike: `won` or not."""

    won: bool
    matches: int


@dataclass(frozen=True, slots=True)
class TopOpponents:
    """The opponents, by id, with the highest share; several when nothing parts them."""

    ids: tuple[str, ...]
    share: Fraction


PerScale = Mapping[Scale, float]
Value = int | Fraction | Run | TopOpponents | PerScale | Mapping[str, int] | None


def to_json(value: Value) -> Any:
    """Return a statistic's value as JSON: shares as `{"part", "whole"}`, points by scale."""
    if isinstance(value, Fraction):
        return {"part": value.part, "whole": value.whole}
    if isinstance(value, Run):
        return {"won": value.won, "matches": value.matches}
    if isinstance(value, TopOpponents):
        return {"players": list(value.ids), "share": to_json(value.share)}
    return dict(value) if isinstance(value, Mapping) else value


@dataclass(frozen=True)
class Statistic:
    """One statistic: its id in JSON, and the function of that name that counts it."""

    id: str
    of: Callable[[Figures], Value]

    @property
    def title(self) -> str:
        """Return how it is called."""
        return say(f"statistic.{self.id}")

    @property
    def means(self) -> str:
        """Return what it means."""
        return say(f"statistic-means.{self.id}")


def matches_played(figures: Figures) -> int:
    """Count the finished matches."""
    return len(figures.endings)


def matches_won(figures: Figures) -> Fraction:
    """Return the matches won alone, of those that had a winner and were played to the end."""
    count = figures.endings.count
    return Fraction(count(Ending.WON), sum(map(count, DECIDED)))


def matches_shared(figures: Figures) -> int:
    """Count the matches won together with others."""
    return figures.endings.count(Ending.SHARED)


def matches_undecided(figures: Figures) -> int:
    """Count the matches in which nobody was named the winner."""
    return figures.endings.count(Ending.UNDECIDED)


def matches_left(figures: Figures) -> int:
    """Count the decided matches that the player left before their end."""
    return figures.endings.count(Ending.LEFT)


def longest_winning_run(figures: Figures) -> int:
    """Count the most matches won alone in a row."""
    return max((matches for ending, matches in figures.runs if ending is Ending.WON), default=0)


def longest_losing_run(figures: Figures) -> int:
    """Count the most matches in a row that others won."""
    return max((matches for ending, matches in figures.runs if ending is Ending.LOST), default=0)


def present_run(figures: Figures) -> Run | None:
    """Return the run that the latest decided match belongs to; None when it was shared, or there is none."""
    latest = next((ending for ending in reversed(figures.endings) if ending in DECIDED), None)
    return None if latest in (None, Ending.SHARED) else Run(latest == Ending.WON, figures.runs[-1][1])


def biggest_rescue(figures: Figures) -> PerScale:
    """Return the most points that the player trailed by in a match and still won it."""
    return figures.rescues


def rounds_played(figures: Figures) -> int:
    """Count the rounds the player took part in."""
    return sum(sums.rounds for sums in figures.rounds)


def rounds_won(figures: Figures) -> Fraction:
    """Return the rounds in which the player went out, of all rounds."""
    return Fraction(sum(sums.went_out for sums in figures.rounds), rounds_played(figures))


def caught_with(figures: Figures) -> PerScale:
    """Return the average worth of the hand that the player was caught with when someone else went out."""
    return _average(figures.rounds, lambda sums: sums.hand_sum, lambda sums: sums.hands)


def biggest_hand(figures: Figures) -> PerScale:
    """Return the worth of the biggest hand that the player was ever caught with."""
    return _most(figures.rounds, lambda sums: sums.hand_max)


def handed_over(figures: Figures) -> PerScale:
    """Return what a round costs the player on average, the rounds that went well counted as 0."""
    return _average(figures.rounds, lambda sums: sums.hand_sum, lambda sums: sums.hands + sums.went_out)


def collected(figures: Figures) -> PerScale:
    """Return the average worth of what the others held when the player went out."""
    return _average(figures.rounds, lambda sums: sums.catch_sum, lambda sums: sums.catches)


def biggest_catch(figures: Figures) -> PerScale:
    """Return the most that the others ever held together when the player went out."""
    return _most(figures.rounds, lambda sums: sums.catch_max)


def last_cards(figures: Figures) -> Mapping[str, int]:
    """Count the faces of the cards the player went out on most often, colors aside."""
    counts: Counter[str] = Counter()
    for sums in figures.rounds:
        for card, times in sums.last_cards.items():
            counts[parse_card(card).face] += times
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:LAST_CARDS])


def challenges_won(figures: Figures) -> Fraction:
    """Return the challenges of a Wild Draw Four that the player won, of those made."""
    return _challenges(figures, Role.CHALLENGER, won_by=Finding.CHALLENGE_WON)


def draw_fours_caught(figures: Figures) -> Fraction:
    """Return how often the player was caught with a Wild Draw Four played wrongly, of the times it was challenged."""
    return _challenges(figures, Role.OFFENDER, won_by=Finding.CHALLENGE_WON)


def missed_calls(figures: Figures) -> int:
    """Count the rulings that made the player draw for a missed call."""
    return figures.findings[Role.OFFENDER, Finding.MISSED_CALL]


def nemesis(figures: Figures) -> TopOpponents | None:
    """Return who beat the player three times or more, in over half of their matches, by the highest share."""
    return _hardest(figures.meetings, lambda meeting: meeting.beaten)


def favorite_opponent(figures: Figures) -> TopOpponents | None:
    """Return whom the player beat three times or more, in over half of their matches, by the highest share."""
    return _hardest(figures.meetings, lambda meeting: meeting.beat)


def _listed(*counted: Callable[[Figures], Value]) -> tuple[Statistic, ...]:
    return tuple(Statistic(count.__name__, count) for count in counted)


MATCHES = _listed(
    matches_played, matches_won, matches_shared, matches_undecided, matches_left, longest_winning_run,
    longest_losing_run, present_run, biggest_rescue,
)  # fmt: skip
ROUNDS = _listed(
    rounds_played, rounds_won, caught_with, biggest_hand, handed_over, collected, biggest_catch, last_cards
)
DISPUTES = _listed(challenges_won, draw_fours_caught, missed_calls)
OPPONENTS = _listed(nemesis, favorite_opponent)
STATISTICS = (*MATCHES, *ROUNDS, *DISPUTES, *OPPONENTS)
"""Every statistic of a player, in the order shown; a new one is a function, named above."""


@dataclass(frozen=True)
class AtTable:
    """How a player does at tables of one size."""

    players: int
    matches: int
    won: Fraction
    shared: int
    rounds_won: Fraction


def by_table_size(figures: Figures) -> list[AtTable]:
    """Split matches and rounds by the number of players."""
    rounds: dict[int, list[RoundSum]] = defaultdict(list)
    for sums in figures.rounds:
        rounds[sums.players].append(sums)
    tables = []
    for size in sorted(rounds.keys() | figures.endings_at.keys()):
        part = Figures(figures.player_id, rounds[size], figures.endings_at.get(size, ""))
        tables.append(AtTable(size, matches_played(part), matches_won(part), matches_shared(part), rounds_won(part)))
    return tables


def _average(
    rounds: Iterable[RoundSum], total: Callable[[RoundSum], int], count: Callable[[RoundSum], int]
) -> PerScale:
    sums: Counter[Scale] = Counter()
    counts: Counter[Scale] = Counter()
    for part in rounds:
        sums[part.scale] += total(part)
        counts[part.scale] += count(part)
    return {scale: sums[scale] / counts[scale] for scale in Scale if counts[scale]}


def _most(rounds: Iterable[RoundSum], value: Callable[[RoundSum], int]) -> PerScale:
    most: dict[Scale, int] = {}
    for part in rounds:
        most[part.scale] = max(most.get(part.scale, 0), value(part))
    return {scale: most[scale] for scale in Scale if most.get(scale)}


def _challenges(figures: Figures, role: Role, won_by: Finding) -> Fraction:
    made = figures.findings[role, Finding.CHALLENGE_WON] + figures.findings[role, Finding.CHALLENGE_LOST]
    return Fraction(figures.findings[role, won_by], made)


def _hardest(meetings: Iterable[Meeting], wins: Callable[[Meeting], int]) -> TopOpponents | None:
    rivals = [meeting for meeting in meetings if wins(meeting) >= NEMESIS_WINS and 2 * wins(meeting) > meeting.together]
    if not rivals:
        return None
    # equal shares: more matches prove more
    key = {meeting: (wins(meeting) / meeting.together, meeting.together) for meeting in rivals}
    best = max(key.values())
    first = [meeting for meeting in rivals if key[meeting] == best]
    return TopOpponents(tuple(meeting.opponent for meeting in first), Fraction(wins(first[0]), first[0].together))


GRID = 8
"""Players in the table of who beat whom, at most; more do not fit a phone."""
ENOUGH = 5
"""Decided matches that always suffice for a place; in a young club half of what its busiest player has."""
LATEST = 8
"""Matches of each whose endings stand beside the name."""
RECORDS = ("biggest_catch", "biggest_hand", "biggest_rescue", "longest_winning_run")
"""Statistics whose best holder is named."""


@dataclass(frozen=True)
class PlayerLine:
    """One player in the comparison of a club."""

    id: str
    name: str
    matches: int
    won: Fraction
    tied: int
    rounds_won: Fraction
    rating: float | None
    latest: Sequence[Ending]
    """how the latest matches ended, oldest first"""
    rank: int = 0
    """by the share of matches won; equal shares of as many matches share a place, 0 for too few matches"""


@dataclass(frozen=True)
class Best:
    """The highest value of a statistic, on one scale where it is in points, and all who reached it."""

    points: float
    scale: Scale | None
    holders: Sequence[tuple[str, str]]
    """id and name of each"""


@dataclass(frozen=True)
class PlayerComparison:
    """The comparison of a club's players, with the best in each statistic."""

    lines: Sequence[PlayerLine]
    """those with a place first"""
    least: int
    """decided matches that a place takes; 0 where everyone has one"""
    records: Sequence[tuple[Statistic, Sequence[Best]]]
    grid: Sequence[tuple[PlayerLine, Sequence[int | None]]]
    """how often each beat each other, None for two who never met; in the order of `lines`"""


def compare(figures: Mapping[str, Figures], names: Mapping[str, str]) -> PlayerComparison:
    """Set the players of `names`, by id, side by side; those without figures are left out."""
    compared = [_line(figures[id], name) for id, name in names.items() if id in figures]
    least = min(ENOUGH, (max((line.won.whole for line in compared), default=0) + 1) // 2)
    compared.sort(key=lambda line: (line.won.whole < least, -(line.won.percent or 0), -line.won.whole, line.name))
    places = [(line.won.percent, line.won.whole) for line in compared]
    lines = [
        replace(line, rank=places.index(place) + 1) if line.won.whole >= least else line
        for place, line in zip(places, compared, strict=True)
    ]
    if all(line.rank for line in lines):
        least = 0
    by_id = {statistic.id: statistic for statistic in STATISTICS}
    records = [(by_id[id], _bests(by_id[id], figures, names)) for id in RECORDS]
    told = [(statistic, bests) for statistic, bests in records if bests]
    return PlayerComparison(lines, least, told, _grid(figures, lines))


def by_wins(lines: Sequence[PlayerLine]) -> list[PlayerLine]:
    """Sort players by how many matches they won, then by their share of them."""
    return sorted(lines, key=lambda line: (-line.won.part, -(line.won.percent or 0), -line.matches))


def _line(figures: Figures, name: str) -> PlayerLine:
    ratings = figures.ratings
    latest = figures.results[-LATEST:]
    return PlayerLine(
        id=figures.player_id,
        name=name,
        matches=matches_played(figures),
        won=matches_won(figures),
        tied=matches_shared(figures),
        rounds_won=rounds_won(figures),
        rating=ratings[-1].mu if ratings else None,
        latest=[result.ending for result in latest],
    )


def _bests(statistic: Statistic, figures: Mapping[str, Figures], names: Mapping[str, str]) -> list[Best]:
    """Find who holds the most of a statistic, on each scale where it is in points; all who are equal."""
    counted = {id: statistic.of(own) for id, own in figures.items() if id in names}
    values = {id: _by_scale(value) for id, value in counted.items()}
    most: dict[Scale | None, float] = {}
    for value in values.values():
        for scale, points in value.items():
            most[scale] = max(most.get(scale, 0), points)
    return [
        Best(points, scale, [(id, names[id]) for id, value in values.items() if value.get(scale) == points])
        for scale, points in most.items()
        if points
    ]


def _by_scale(value: Value) -> dict[Scale | None, float]:
    """Return the numbers of a statistic by scale; by None where it is not in points."""
    if isinstance(value, Mapping):
        return {scale: points for scale, points in value.items() if isinstance(scale, Scale)}
    return {None: value} if isinstance(value, int) else {}


def _grid(figures: Mapping[str, Figures], lines: Sequence[PlayerLine]) -> list[tuple[PlayerLine, list[int | None]]]:
    most = sorted(lines, key=lambda line: -line.matches)[:GRID]
    shown = [line for line in lines if line in most]
    beat = {(id, meeting.opponent): meeting.beat for id, own in figures.items() for meeting in own.meetings}
    return [(line, [beat.get((line.id, other.id)) for other in shown]) for line in shown]


Row = Sequence[object]
PER_SCALE = frozenset({"biggest_rescue", "caught_with", "biggest_hand", "handed_over", "collected", "biggest_catch"})
"""Statistics in points."""
SHARES = frozenset({"matches_won", "rounds_won", "challenges_won", "draw_fours_caught"})


def statistics_rows(figures: Mapping[str, Figures], names: Mapping[str, str], titled: bool = False) -> Iterator[Row]:
    """Yield a header, `titled` as pages are, then a row for each player who ever played, in the order of `names`."""
    player, *rating = say("table.statistics").split(", ")
    yield (player, *_heads(titled), *rating)
    for id, name in names.items():
        if id in figures:
            yield (name, *_cells(figures[id], names), *_rating(figures[id]))


def _heads(titled: bool) -> Iterator[str]:
    for statistic in STATISTICS:
        title = statistic.title if titled else statistic.id.replace("_", " ")
        if statistic.id in PER_SCALE:
            yield from (say(f"table.{scale}", title=title) for scale in Scale)
        elif statistic.id in SHARES:
            yield from (title, say("table.of", title=title))
        else:
            yield title


def _cells(figures: Figures, names: Mapping[str, str]) -> Iterator[object]:
    for statistic in STATISTICS:
        value = statistic.of(figures)
        if statistic.id in PER_SCALE:
            points = value if isinstance(value, Mapping) else {}
            yield from (round(points[scale], 2) if scale in points else None for scale in Scale)
        elif isinstance(value, Fraction):
            yield from (value.part, value.whole)
        else:
            yield _cell(value, names)


def _cell(value: Value, names: Mapping[str, str]) -> object:
    """Write a figure into one cell; matches lost in a row count below zero."""
    if isinstance(value, Run):
        return value.matches if value.won else -value.matches
    if isinstance(value, TopOpponents):
        return ", ".join(names.get(id, "") for id in value.ids)
    if isinstance(value, Mapping):
        return ", ".join(f"{face} {count}" for face, count in value.items())
    return value


def _rating(figures: Figures) -> Row:
    if not figures.ratings:
        return (None, None)
    last = figures.ratings[-1]
    return (round(last.mu, 2), round(last.sigma, 2))
