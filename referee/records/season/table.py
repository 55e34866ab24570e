"""Count a season: its table, who met whom and how it went, and its records, from the results of finished matches.

Nothing of it is stored: a match corrected, deleted or restored changes every season it is in. The database puts what
there is of each match into texts, since reading a row for each result takes twice as long, and few of these differ.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import date, timedelta, tzinfo
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any, NamedTuple

from sqlalchemy import Connection, String, bindparam, case, cast, func, null, select, union_all
from sqlalchemy.orm import Session

from referee.records.cache import Cache
from referee.records.ids import ALPHABET, LENGTH, first_id_of, moment_of
from referee.records.models import (
    Club,
    DrawTable,
    Evening,
    Match,
    MatchResult,
    MatchStatus,
    Player,
    Ruling,
    Season,
    Seat,
    columns_of,
    now,
    of_live_match,
)
from referee.records.season.days import begin_of, day_of, zone_named
from referee.records.season.points import Count, Ended, points_of
from referee.records.season.seasons import Rules
from referee.rules.disputes import Finding
from referee.rules.disputes.ruling import Role

BEHIND_ALL = ALPHABET[-1] * LENGTH
"""Greater than any id."""


WON, LOST, LEFT = "w", "l", "-"


class PlayedEvening(NamedTuple):
    """One evening of a season: the day, and which drawn evening it was; all other matches of a day are one, too."""

    day: date
    drawn: str | None
    matches: int


class SeasonLine(NamedTuple):
    """One row of the table."""

    player_id: str
    points: float | None
    """the mean of the evenings that count, to a tenth, as it is compared; None before it takes part in the ranking"""
    rank: int | None
    """1 is best, ties share it; None for whoever has been there too seldom"""
    missing: int
    """evenings until ranked"""
    evenings: dict[int, float]
    """points of each evening that the player was there, by its number in `SeasonTable.evenings`"""
    counted: frozenset[int]
    """the evenings that count; the others were dropped as the worst"""
    matches: int
    won: int
    """shared ones too"""


class Pair(NamedTuple):
    """How often two met, and how often the one came off better, and worse."""

    together: int = 0
    beat: int = 0
    beaten: int = 0

    def plus(self, counted: Sequence[int]) -> "Pair":
        """Return both together."""
        return Pair(*map(sum, zip(self, counted, strict=True)))


class SeasonRecord(NamedTuple):
    """A record of the season: who holds it, how much it is, and on which evening it was, where it was on one."""

    player_id: str
    value: float
    evening: int | None = None


@dataclass(frozen=True)
class SeasonTable:
    """A season as it stands."""

    lines: Sequence[SeasonLine]
    """best first; whoever isn't ranked yet behind them, by evenings"""
    evenings: Sequence[PlayedEvening]
    matches: int
    guests: int
    """how many played who don't belong to it"""
    met: Mapping[tuple[str, str], Pair]
    """of every two who played, guests too, by their ids in order"""
    best_evening: SeasonRecord | None = None
    longest_run: SeasonRecord | None = None
    """of matches won one after another"""
    most_challenges: SeasonRecord | None = None

    def meeting(self, one: str, other: str) -> Pair | None:
        """Return how two met, as the one sees it; None if they never did."""
        if one < other:
            return self.met.get((one, other))
        turned = self.met.get((other, one))
        return turned and Pair(turned.together, turned.beaten, turned.beat)

    @property
    def pairs(self) -> Mapping[tuple[str, str], Pair]:
        """Return how every two of its people met, both ways round."""
        both = permutations([line.player_id for line in self.lines], 2)
        return {pair: met for pair in both if (met := self.meeting(*pair))}


@dataclass(frozen=True)
class _Sums:
    """What matches add up to, by player where not said otherwise, guests too; never changed."""

    evenings: Sequence[PlayedEvening] = ()
    points: dict[str, dict[int, float]] = field(default_factory=dict)
    """of each evening, by its number"""
    ways: dict[str, str] = field(default_factory=dict)
    """how each match ended, in order: `WON` or another letter"""
    met: dict[tuple[str, str], Pair] = field(default_factory=dict)
    """of every two, by their ids in order"""
    challenges: Counter[str] = field(default_factory=Counter)
    """won"""

    def weight(self) -> int:
        return 50 * sum(map(len, self.points.values())) + 200 * len(self.met) + 150 * len(self.evenings)


SUMS: Cache[_Sums] = Cache("season sums", 5_600_000, _Sums.weight)
"""By the matches that they add up: those of today are added anew, and ten years only when one of them changes."""


def load_table(
    session: Session, club: Club, season: Season, turn: Callable[[], AbstractContextManager[None]] = nullcontext
) -> SeasonTable:
    """Count a season as it stands now; within `turn` where years are read."""
    rules, people = Rules.read(season.rules), _people(session, season)
    first, after = ids_of(season, club)
    zone = zone_named(club.time_zone)
    today = min(max(first, first_id_of(begin_of(day_of(now(), zone), zone))), after)
    given = {"club_id": club.id, "first": first, "after": after, "rulebooks": rules.rulebooks}
    connection = session.connection()  # no row is an object of the session
    ends = connection.execute(_LAST_DRAWN, given | {"today": today}).one()
    until_today, until = (max(bound, f"{last or ''}0") for bound, last in zip((today, after), ends, strict=True))
    before, given = given | {"after": until_today}, given | {"after": until}
    loaded: list[_Loaded] = []

    def add_up() -> _Sums:
        with turn():
            loaded.append(_load(connection, given))  # with those of today, by the same queries
        return _plus(_Sums(), loaded[0].between(first, today), rules.count, zone)

    state = connection.execute(_STATE, before).one()
    sums = SUMS.get((before, rules.count, str(zone), *state), add_up)
    later = loaded[0] if loaded else _load(connection, given | {"first": today})
    sums = _plus(sums, later.between(today, after), rules.count, zone)
    least = min(rules.least, len(sums.evenings))
    lines = [
        _line(player, sums.points.get(player, {}), sums.ways.get(player, ""), rules.best, least)
        for player in people or sums.points  # who never came stands in the table too
    ]
    run = max(((_longest_run(sums.ways.get(line.player_id, "")), line.player_id) for line in lines), default=(0, ""))
    most = max(((sums.challenges[line.player_id], line.player_id) for line in lines), default=(0, ""))
    return SeasonTable(
        _ranked(lines),
        sums.evenings,
        sum(evening.matches for evening in sums.evenings),
        len(sums.points.keys() - {line.player_id for line in lines}),
        sums.met,
        _best_evening(lines),
        SeasonRecord(run[1], run[0]) if run[0] > 1 else None,
        SeasonRecord(most[1], most[0]) if most[0] else None,
    )


class _Loaded(NamedTuple):
    """What is read of matches."""

    results: Sequence[tuple[str, str, str, str | None]]
    """as `_results` lists them"""
    drawn: Mapping[str, str]
    """the ids of evenings by those of matches"""
    challenges: Sequence[tuple[str, str]]
    """a match and who won one there"""

    def between(self, first: str, after: str) -> "_Loaded":
        """Leave out matches begun at other times, those of an evening that was drawn with the evening."""
        return self._replace(results=[row for row in self.results if first <= self.drawn.get(row[0], row[0]) < after])


def _load(connection: Connection, given: Mapping[str, Any]) -> _Loaded:
    results = connection.execute(_RESULTS[bool(given["rulebooks"])], given).all()
    beside = connection.execute(_BESIDE, given).all()
    drawn = {match_id: evening_id for match_id, evening_id, _ in beside if evening_id is not None}
    return _Loaded(results, drawn, [(match_id, player) for match_id, _, player in beside if player is not None])


def _plus(before: _Sums, loaded: _Loaded, count: Count, zone: tzinfo) -> _Sums:
    """Add further matches, of later days."""
    nights: dict[tuple[date, str | None], list[tuple[list[str], Sequence[float], str]]] = defaultdict(list)
    matches, met = set[str](), defaultdict[tuple[str, str], list[int]](lambda: [0, 0, 0])
    day, ends = date.min, ""
    opened = {evening: day_of(moment_of(evening), zone) for evening in set(loaded.drawn.values())}
    for match_id, ids, ended, teams in loaded.results:
        points, won = _points(ended, teams, count)
        if not points:
            continue
        if match_id >= ends:
            day = day_of(moment_of(match_id), zone)
            ends = first_id_of(begin_of(day + timedelta(days=1), zone))
        players, drawn = ids.split(), loaded.drawn.get(match_id)
        matches.add(match_id)
        nights[opened[drawn] if drawn else day, drawn].append((players, points, won))
        here = sorted(zip(players, points, strict=True))  # each two in one order
        for (one, mine), (other, theirs) in combinations(here, 2):
            counted = met[one, other]
            counted[0] += 1
            if mine != theirs:
                counted[1 if mine > theirs else 2] += 1
    evenings, ways = list(before.evenings), defaultdict[str, list[str]](list)
    of_evenings: dict[str, dict[int, float]] = defaultdict(dict)
    for at, ((day, evening), played) in enumerate(nights.items(), len(evenings)):
        evenings.append(PlayedEvening(day, evening, len(played)))
        of_night: dict[str, list[float]] = defaultdict(list)
        for players, points, won in played:
            for player, worth, way in zip(players, points, won, strict=True):
                of_night[player].append(worth)
                ways[player].append(way)
        for player, worths in of_night.items():
            of_evenings[player][at] = _mean(tuple(worths))
    return _Sums(
        evenings,
        before.points | {player: before.points.get(player, {}) | added for player, added in of_evenings.items()},
        before.ways | {player: before.ways.get(player, "") + "".join(added) for player, added in ways.items()},
        before.met | {pair: before.met.get(pair, Pair()).plus(added) for pair, added in met.items()},
        before.challenges + Counter(player for match_id, player in loaded.challenges if match_id in matches),
    )


@lru_cache(4096)
def _points(ended: str, teams: str | None, count: Count) -> tuple[Sequence[float], str]:
    """Return the points of each in a match, none where it doesn't count, and who won; from texts as of `_results`."""
    ways = ended.split()
    sides = [int(team) for team in teams.split()] if teams else [None] * len(ways)
    ranks = [None if way[:-1] == LEFT else int(way[:-1]) for way in ways]
    won = "".join(way[-1] for way in ways)
    return points_of(tuple(map(Ended, sides, ranks, (way == WON for way in won))), count), won


@lru_cache(4096)
def _mean(worths: Sequence[float]) -> float:
    return round(sum(worths) / len(worths), 1)


def _best_evening(lines: Sequence[SeasonLine]) -> SeasonRecord | None:
    """Return the first of the evenings with the most points."""
    most = max((worth for line in lines for worth in line.evenings.values()), default=None)
    held = ((at, line.player_id) for line in lines for at, worth in line.evenings.items() if worth == most)
    at, holder = min(held, default=(0, ""))
    return None if most is None else SeasonRecord(holder, most, at)


def _longest_run(ways: str) -> int:
    return max(map(len, ways.split(LOST)))


def ids_of(season: Season, club: Club) -> tuple[str, str]:
    """Return the first id of a season's matches, and the first behind them."""
    zone, last = zone_named(club.time_zone), season.last_day
    after = first_id_of(begin_of(last + timedelta(days=1), zone)) if last else BEHIND_ALL
    return first_id_of(begin_of(season.first_day, zone)), after


def _people(session: Session, season: Season) -> frozenset[str]:
    """Return who belongs to a season by the ids they have now: whoever was merged is who they became."""
    if not season.people:
        return frozenset()
    merged = select(Player.id, Player.merged_into).where(
        Player.club_id == season.club_id, Player.merged_into.is_not(None)
    )
    became = {id: into for id, into in session.execute(merged)}  # noqa: C416 - rows are typed only when unpacked
    return frozenset(became.get(id, id) for id in season.people)


def _of(match_id: Any) -> tuple[Any, ...]:
    return match_id >= bindparam("first"), match_id < bindparam("after")


_drawn, _match, _evening = columns_of(DrawTable), columns_of(Match), columns_of(Evening)
_DELETED = select(_evening.id).where(_evening.club_id == bindparam("club_id"), _evening.deleted_at.is_not(None))
_DRAWN = select(_drawn.match_id, _drawn.evening_id, null().label("player_id")).where(
    _drawn.club_id == bindparam("club_id"), *_of(_drawn.match_id), _drawn.evening_id.not_in(_DELETED)
)
_LAST_DRAWN = select(
    *(func.max(_drawn.match_id).filter(_drawn.evening_id < bindparam(bound)) for bound in ("today", "after"))
).where(_drawn.club_id == bindparam("club_id"), _drawn.evening_id >= bindparam("first"))
"""The last matches of the evenings opened before today and before the end: they count then, whenever they began."""
_STATE = select(
    *(func.count(), func.sum(_match.revision), func.sum(_match.nonce)),
    _DRAWN.with_only_columns(func.count()).scalar_subquery(),
    _DELETED.with_only_columns(func.max(_evening.deleted_at)).scalar_subquery(),
).where(
    _match.club_id == bindparam("club_id"),
    *_of(_match.id),
    _match.status == MatchStatus.FINISHED,
    _match.deleted_at.is_(None),
)
"""Never twice the same while any of these matches has changed, what was drawn of them, or an evening was deleted."""


def _results(narrowed: bool) -> Any:
    """List the finished matches: each with its players, how it ended for each, such as “1w” and “-l”, and teams."""
    result = columns_of(MatchResult)
    way = func.coalesce(cast(result.rank, String), LEFT).concat(case((result.won, WON), else_=LOST))
    texts = [func.aggregate_strings(one, " ") for one in (result.player_id, way, cast(result.team, String))]
    chosen = select(result.match_id, *texts).where(
        result.club_id == bindparam("club_id"), *_of(result.match_id), of_live_match(result.match_id)
    )
    if narrowed:
        of_rulebooks = Match.rulebook.in_(bindparam("rulebooks", expanding=True))
        chosen = chosen.where(
            result.match_id.in_(select(Match.id).where(Match.club_id == bindparam("club_id"), of_rulebooks))
        )
    return chosen.group_by(result.match_id).order_by(result.match_id)


_RESULTS = {narrowed: _results(narrowed) for narrowed in (False, True)}


def _line(player: str, evenings: dict[int, float], ways: str, most: int | None, least: int) -> SeasonLine:
    best = sorted(evenings, key=evenings.__getitem__, reverse=True)[:most]  # of those alike the earlier ones
    points = round(sum(map(evenings.__getitem__, best)) / len(best), 1) if best else None
    missing = max(0, least - len(evenings))
    return SeasonLine(player, points, None, missing, evenings, frozenset(best), len(ways), ways.count(WON))


def _ranked(lines: Sequence[SeasonLine]) -> list[SeasonLine]:
    """Put lines in order and rank those who have been there often enough; equal points share a place."""
    there = [line for line in lines if not line.missing and line.points is not None]
    there.sort(key=lambda line: (-(line.points or 0), -len(line.evenings), line.player_id))
    others = [line for line in lines if line.missing or line.points is None]
    others.sort(key=lambda line: (-len(line.evenings), line.player_id))
    first_with: dict[float | None, int] = {}
    for place, line in enumerate(there, 1):
        first_with.setdefault(line.points, place)
    return [*(line._replace(rank=first_with[line.points]) for line in there), *others]


_seats = Ruling.seats[Role.TARGET].as_integer()
_challenger = func.coalesce(
    Ruling.seats[Role.CHALLENGER].as_integer(),
    case((Ruling.facts["challenger"].as_string().is_distinct_from("other"), _seats)),
)
_CHALLENGES = (
    select(Ruling.match_id, null(), Seat.player_id)
    .join(Seat, (Seat.club_id == Ruling.club_id) & (Seat.match_id == Ruling.match_id) & (Seat.seat == _challenger))
    .where(
        Ruling.club_id == bindparam("club_id"),
        Ruling.finding == Finding.CHALLENGE_WON,
        Ruling.accepted.is_distinct_from(False),
        *_of(Ruling.match_id),
    )
)
"""Who won a challenge at which match: the target challenges unless the facts name someone else, as in `parts_of`."""
_BESIDE = union_all(_DRAWN, _CHALLENGES)
