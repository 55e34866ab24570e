"""What statistics are made of: sums and results of each player, loaded in four queries whatever the club's age.

Rounds count as soon as they are recorded, whatever became of their match; struck rounds do not.
Matches count once they are finished. A round belongs to a table size by how many took part in it, a
match by how many sat there to the end; a year begins and ends in UTC, by when the match began.

What each player's rounds of a match add up to is stored when it is over, as is who came off better in it: statistics
then add matches and not rounds. That is good for one revision of the match (`Match.summed`), which `referee check`
holds; only what goes on is counted from its rounds. The database adds up or puts into
one text what there is of each player, since reading a row for each match takes ten times as long. The statements are
put together once for each set of things that narrow them (a year, a player, …): that takes longer than finding a small
club's figures.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    String,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    null,
    select,
    type_coerce,
    union_all,
)
from sqlalchemy.orm import Session, aliased
from sqlalchemy.types import NullType

from referee.records.ids import first_id_of, moment_of
from referee.records.models import (
    Base,
    Club,
    Match,
    MatchResult,
    MatchStatus,
    MatchSum,
    Player,
    RoundScore,
    Ruling,
    Scale,
    Seat,
    columns_of,
    of_live_match,
    state_of,
)
from referee.records.words import say
from referee.rules.books.rulebook import TABLE_SIZES
from referee.rules.disputes import Finding
from referee.rules.disputes.ruling import Role
from referee.rules.text.problem import Impossible, Problem

AHEAD, LEVEL, BEHIND = "+", "=", "-"
"""How a player came off beside another, in `MatchResult.met`."""
_score, _sum = columns_of(RoundScore), columns_of(MatchSum)
_TABLE = Base.metadata.tables[MatchSum.__tablename__]
_ADD = insert(_TABLE)
_DROP = delete(_TABLE).where(_sum.club_id == bindparam("club_id"), _sum.match_id == bindparam("match_id"))


class RoundSum(NamedTuple):
    """Rounds of one player that are alike in scale and table size, added up."""

    scale: Scale
    players: int
    rounds: int
    went_out: int
    hands: int
    """rounds in which someone else went out and this player's hand is known"""
    hand_sum: int
    hand_max: int
    catches: int
    """rounds in which this player went out and the others' hands are known"""
    catch_sum: int
    catch_max: int
    last_cards: Mapping[str, int]
    """how often each card was gone out on"""

    def plus(self, other: RoundSum) -> RoundSum:
        """Add rounds of the same kind."""
        return RoundSum(
            self.scale,
            self.players,
            self.rounds + other.rounds,
            self.went_out + other.went_out,
            self.hands + other.hands,
            self.hand_sum + other.hand_sum,
            max(self.hand_max, other.hand_max),
            self.catches + other.catches,
            self.catch_sum + other.catch_sum,
            max(self.catch_max, other.catch_max),
            Counter(self.last_cards) + Counter(other.last_cards),
        )


def sums_of_rounds() -> list[ColumnElement[Any]]:
    """Return the columns that add up `RoundScore` rows, from `RoundSum.rounds` to `RoundSum.catch_max`."""
    caught = _score.went_out.is_(False)
    return [
        func.count(),
        func.count().filter(_score.went_out),
        func.count(_score.hand).filter(caught),
        func.coalesce(func.sum(_score.hand).filter(caught), 0),
        func.coalesce(func.max(_score.hand).filter(caught), 0),
        func.count(_score.catch),
        func.coalesce(func.sum(_score.catch), 0),
        func.coalesce(func.max(_score.catch), 0),
    ]


def _of_match() -> Select[Any]:
    alike = (_score.player_id, _score.scale, _score.players)
    here = (_score.club_id == bindparam("club_id"), _score.match_id == bindparam("match_id"))
    return (
        select(*alike, *sums_of_rounds(), _score.last_card)
        .where(*here, _score.place != bindparam("but"))
        .group_by(*alike, _score.last_card)
    )


_OF_MATCH = _of_match()


def load_sums(
    session: Session, match: Match, *, but: int = 0, scores: Iterable[Mapping[str, Any]] = ()
) -> tuple[dict[str, Any], ...]:
    """Add up the live rounds of a match, as rows of `MatchSum`.

    `but` is the place of a round which is not written as it will be, and `scores` are its rows of `RoundScore`.
    """
    given = {"club_id": match.club_id, "match_id": match.id, "but": but}
    rows = session.execute(_OF_MATCH, given)
    counted = ((player, RoundSum._make((*sums, _cards(card, sums[3])))) for player, *sums, card in rows)
    return tuple(_rows(match.club_id, match.id, [*counted, *map(_one, scores)]))


def sum_up(club_id: str, match_id: str, scores: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Add up the live rounds of a match from their rows of `RoundScore`, as rows of `MatchSum`."""
    return tuple(_rows(club_id, match_id, map(_one, scores)))


def _one(score: Mapping[str, Any]) -> tuple[str, RoundSum]:
    """Make the sum of one round."""
    out, catch = bool(score["went_out"]), score["catch"]
    hand = None if out else score["hand"]
    worth = (hand is not None, hand or 0, hand or 0, catch is not None, catch or 0, catch or 0)
    sums = (score["scale"], score["players"], 1, int(out), *map(int, worth))
    return score["player_id"], RoundSum._make((*sums, _cards(score["last_card"], 1)))


def _cards(card: str | None, times: int) -> dict[str, int]:
    return {} if card is None else {card.strip().lower(): times}  # as `parse_card` reads what an import brought


def _rows(club_id: str, match_id: str, parts: Iterable[tuple[str, RoundSum]]) -> Iterator[dict[str, Any]]:
    sums: dict[tuple[str, str, int], RoundSum] = {}
    for player, part in parts:
        key = (player, part.scale, part.players)
        sums[key] = sums[key].plus(part) if key in sums else part
    for (player, *_), each in sorted(sums.items(), key=lambda item: item[0]):
        row = {"club_id": club_id, "player_id": player, "match_id": match_id} | each._asdict()
        yield row | {"last_cards": write_cards(each.last_cards)}


def write_cards(counts: Mapping[str, int]) -> str | None:
    """Write how often a player went out on each card, as `MatchSum.last_cards` stores it."""
    return " ".join(f"{card}:{times}" for card, times in sorted(counts.items())) or None


def read_cards(text: str | None) -> Mapping[str, int]:
    """Read what `write_cards` wrote, of one match or of several after one another."""
    counts: Counter[str] = Counter()
    for word, often in Counter(text.split() if text else ()).items():
        card, _, times = word.rpartition(":")
        counts[card] += int(times) * often
    return counts


def put_sums(session: Session, match: Match, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the sums of a match in place of those there; the caller says by `Match.summed` what they are good for."""
    session.connection().execute(_DROP, {"club_id": match.club_id, "match_id": match.id})
    if rows := list(rows):
        session.connection().execute(_ADD, rows)


def keep_sums(session: Session, match: Match) -> None:
    """Store the sums of a match that is over now, or drop those of one that goes on."""
    session.flush()
    over = match.status != MatchStatus.IN_PROGRESS
    if over or match.summed is not None:
        put_sums(session, match, load_sums(session, match) if over else ())
    match.summed = match.revision if over else None


def add_meetings(lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one match's results with `MatchResult.met` added: each opponent, and whether the player beat them.

    Winners beat all others, and a better rank a worse one; also where the cards left decided and not the totals.
    """
    results = list(lines)
    staying = [line for line in results if line["winners"] and line["rank"] is not None]
    order = {line["seat"]: (not line["won"], line["rank"]) for line in staying}

    def met(line: Mapping[str, Any]) -> str | None:
        mine = order.get(line["seat"])
        if mine is None:
            return None
        others = ((other["player_id"], order[other["seat"]]) for other in staying if other is not line)
        return " ".join(
            f"{player}{AHEAD if mine < theirs else BEHIND if mine > theirs else LEVEL}"
            for player, theirs in sorted(others)
        )

    return [line | {"met": met(line) or None} for line in results]


YEARS = range(1970, 9999)


@dataclass(frozen=True)
class Filter:
    """Which rounds and matches to count; None filters nothing. Raises `Impossible` for values no match can have."""

    rulebook: str | None = None
    year: int | None = None
    players: int | None = None
    scale: str | None = None

    def __post_init__(self) -> None:
        problems = []
        if self.year is not None and self.year not in YEARS:
            problems.append(Problem("year", say("filter.year", first=YEARS[0])))
        if self.players is not None and self.players not in TABLE_SIZES:
            problems.append(Problem("players", say("filter.players", least=TABLE_SIZES[0], most=TABLE_SIZES[-1])))
        if self.scale is not None and self.scale not in set(Scale):
            problems.append(Problem("scale", say("filter.scale", choices=", ".join(Scale))))
        if problems:
            raise Impossible(problems)

    def values(self, club_id: str, player_id: str | None) -> dict[str, str | int]:
        """Return the parameters of the statements: the club, and whatever else narrows them."""
        given: dict[str, str | int | None] = {
            "club_id": club_id, "player_id": player_id, "rulebook": self.rulebook, "players": self.players,
            "scale": self.scale,
        }  # fmt: skip
        if self.year is not None:
            given["first"], given["after"] = ids_of_year(self.year)
        return {name: value for name, value in given.items() if value is not None}


def ids_of_year(year: int) -> tuple[str, str]:
    """Return the first id of matches begun in a year, and of those in the year after; ValueError outside."""
    return first_id_of(datetime(year, 1, 1, tzinfo=UTC)), first_id_of(datetime(year + 1, 1, 1, tzinfo=UTC))


class Ending(StrEnum):
    """How a finished match ended for one player, in one letter: the database puts those of all matches into a text."""

    WON = "w"
    SHARED = "s"
    """won together with others"""
    LOST = "l"
    LEFT = "g"
    """gone before someone won"""
    UNDECIDED = "u"
    """nobody was named the winner"""


DECIDED = (Ending.WON, Ending.SHARED, Ending.LOST)
"""Endings of those who stayed until someone won."""


class PlayerResult(NamedTuple):
    """How one finished match ended for one player."""

    match_id: str
    ending: Ending
    mu: float | None
    sigma: float | None


class Rating(NamedTuple):
    """The rating of a player after one match; the true strength is within two sigma of mu in 95 of 100 cases."""

    match_id: str
    mu: float
    sigma: float


class Meeting(NamedTuple):
    """All decided matches of two players together, as one of them sees it."""

    opponent: str
    """the other's id"""
    together: int
    beat: int
    beaten: int

    @property
    def level(self) -> int:
        """Return the matches in which they finished level."""
        return self.together - self.beat - self.beaten


@dataclass
class Figures:
    """Everything that is counted of one player; endings and results in the order in which the matches began."""

    player_id: str
    rounds: list[RoundSum] = field(default_factory=list)
    endings: str = ""
    """how each match ended: letters of `Ending`"""
    endings_at: Mapping[int, str] = field(default_factory=dict)
    """the same by how many played, those alike together"""
    rescues: Mapping[Scale, int] = field(default_factory=dict)
    """the most that the player ever trailed by in a match and still won it"""
    meetings: list[Meeting] = field(default_factory=list)
    findings: Counter[tuple[Role, Finding]] = field(default_factory=Counter)
    results: list[PlayerResult] = field(default_factory=list)
    """all matches of one player; the latest of each, where everybody's figures are loaded"""
    scales: set[Scale] = field(default_factory=set)
    """every scale of the rounds and matches, whichever is chosen"""

    @cached_property
    def ratings(self) -> list[Rating]:
        """Return the rating after each match that gave one, oldest first."""
        return [
            Rating(result.match_id, result.mu, result.sigma)
            for result in self.results
            if result.mu is not None and result.sigma is not None
        ]

    @cached_property
    def runs(self) -> list[tuple[Ending, int]]:
        """Return the runs of decided matches, oldest first, each with its length; a shared match is in none."""
        decided = self.endings.replace(Ending.LEFT, "").replace(Ending.UNDECIDED, "")
        runs = re.findall(f"{Ending.WON}+|{Ending.LOST}+", decided)
        return [(Ending(run[0]), len(run)) for run in runs]


@dataclass(frozen=True)
class Choices:
    """What a club's statistics and history can be filtered by: rulebooks by id, years newest first."""

    rulebooks: tuple[str, ...]
    years: tuple[int, ...]
    state: tuple[int, int]
    """changes of matches that are over, and the sum of the states of the others: never twice the same while anything
    that figures count has changed"""

    @property
    def over(self) -> int:
        """Return the part of the state that changes with matches that are over, and with no round of the others."""
        return self.state[0]


def load_choices(session: Session, club_id: str) -> Choices:
    """Load the rulebooks and years in which a club has played."""
    rows = session.execute(_CHOICES, {"club_id": club_id}).all()
    if not rows:
        return Choices((), (), (0, 0))
    span = rows[0]
    years = range(moment_of(span.last).year, moment_of(span.first).year - 1, -1)
    state = (span.turn, state_of(int(span.revisions), 0) + int(span.nonces))
    return Choices(tuple(row.rulebook for row in rows), tuple(years), state)


def _choices() -> Select[Any]:
    """Build the statement for `Choices`, a row for each rulebook, which walks through no matches but those at play."""
    of_club = Match.club_id == bindparam("club_id")
    rulebooks = select(func.min(Match.rulebook).label("rulebook")).where(of_club).cte("rulebooks", recursive=True)
    following = select(func.min(Match.rulebook)).where(of_club, Match.rulebook > rulebooks.c.rulebook)
    rulebooks = rulebooks.union_all(
        select(following.scalar_subquery()).select_from(rulebooks).where(rulebooks.c.rulebook.is_not(None))
    )
    running = (of_club, Match.status == MatchStatus.IN_PROGRESS)
    alike = {
        "first": select(func.min(Match.id)).where(of_club),
        "last": select(func.max(Match.id)).where(of_club),
        "turn": select(Club.unrated_turn).where(Club.id == bindparam("club_id")),
        "revisions": select(func.coalesce(func.sum(Match.revision), 0)).where(*running),
        "nonces": select(func.coalesce(func.sum(Match.nonce), 0)).where(*running),
    }
    columns = [query.scalar_subquery().label(name) for name, query in alike.items()]
    return select(rulebooks.c.rulebook, *columns).where(rulebooks.c.rulebook.is_not(None))


_CHOICES = _choices()


Q = TypeVar("Q", bound=Select[Any])
Counted = type[RoundScore] | type[MatchResult] | type[MatchSum]
_SCALES = {str(scale): scale for scale in Scale}
_ENDINGS = {str(ending): ending for ending in Ending}
_GOING_ON = (
    Match.club_id == bindparam("club_id"),
    Match.summed.is_distinct_from(Match.revision),
    Match.deleted_at.is_(None),
)
LATEST = 1_000
"""Matches of each player that are listed one by one where everybody's are counted."""


def load_figures(session: Session, club_id: str, chosen: Filter, player_id: str | None = None) -> dict[str, Figures]:
    """Load the figures of one player, or of all the club's players, by id; those who never played are left out."""
    by_player: dict[str, Figures] = {}

    def of(player: str) -> Figures:
        if player not in by_player:
            by_player[player] = Figures(player)
        return by_player[player]

    values = chosen.values(club_id, player_id)
    given = frozenset(values)
    # rounds of every scale are added up, so that a page can offer the others without asking once more
    of_any_scale = given - {"scale"}
    connection = session.connection()  # no row below is an object of the session
    for player, scale, *sums, cards, card in connection.execute(_round_sums(of_any_scale), values).all():
        of(player).scales.add(_SCALES[scale])
        if chosen.scale in (None, scale):
            last_cards = read_cards(cards) if card is None else {card: sums[2]}
            of(player).rounds.append(RoundSum._make((_SCALES[scale], *map(int, sums), last_cards)))
    for player, text, met, *rescues in connection.execute(_match_sums(given), values).all():
        figures, endings = of(player), text.split()
        figures.endings = "".join([ending[0] for ending in endings])
        figures.endings_at = _at_tables(Counter(endings))
        figures.meetings = _met(Counter(met.split() if met else ()))
        figures.rescues = {scale: most for scale, most in zip(Scale, rescues, strict=True) if most}
    for player, match_id, ending, mu, sigma in connection.execute(_latest(given), values).all():
        of(player).results.append(PlayerResult(match_id, _ENDINGS[ending], mu, sigma))
    for finding, seats, facts, seat, player in connection.execute(_findings(given), values).all():
        for role, sat in parts_of(Finding(finding), seats, facts).items():
            if sat == seat:
                of(player).findings[Role(role), Finding(finding)] += 1
    return by_player


def _at_tables(endings: Mapping[str, int]) -> dict[int, str]:
    """Return the endings at each number of players, from how often each ending is there with its number."""
    endings_at: dict[int, str] = defaultdict(str)
    for ending, times in endings.items():
        endings_at[int(ending[1:])] += ending[0] * times
    return endings_at


def _met(counted: Mapping[str, int]) -> list[Meeting]:
    """Return a player's meetings with each opponent, in the order of the opponents' ids."""
    opponents = sorted({each[:-1] for each in counted})
    beat, level, beaten = ([counted.get(each + how, 0) for each in opponents] for how in (AHEAD, LEVEL, BEHIND))
    together = map(sum, zip(beat, level, beaten, strict=True))
    return list(map(Meeting, opponents, together, beat, beaten))


def _narrowed(query: Q, table: Counted, given: frozenset[str]) -> Q:
    """Narrow a query over rounds or results to what counts."""
    if table is not RoundScore:
        query = query.where(table.club_id == bindparam("club_id"), of_live_match(table.match_id))
    if "rulebook" in given:
        under = select(Match.id).where(Match.club_id == bindparam("club_id"), Match.rulebook == bindparam("rulebook"))
        query = query.where(table.match_id.in_(under))
    if "first" in given:
        # as with the player below: SQLite would go through all rounds of the year, which took 13 s of a million
        match_id = func.coalesce(table.match_id, "") if table is RoundScore else table.match_id
        query = query.where(match_id >= bindparam("first"), match_id < bindparam("after"))
    if "players" in given:
        query = query.where(table.players == bindparam("players"))
    if "scale" in given:
        query = query.where(table.scale == bindparam("scale"))
    return _of_player(query, table, given)


def _of_player(query: Q, table: Counted | type[Seat], given: frozenset[str]) -> Q:
    if "player_id" not in given:
        return query
    # the few rounds that are asked for are found by their match, not by the player, who has many
    player = func.coalesce(table.player_id, "") if table is RoundScore else table.player_id
    return query.where(player == bindparam("player_id"))


def ended(result: type[MatchResult]) -> ColumnElement[str]:
    """Return the column that says how a match ended for a player, an `Ending`."""
    return case(
        (result.won & (result.winners == 1), Ending.WON.value),
        (result.won, Ending.SHARED.value),
        (result.winners == 0, Ending.UNDECIDED.value),
        (result.rank.is_not(None), Ending.LOST.value),
        else_=Ending.LEFT.value,
    )


@cache
def _round_sums(given: frozenset[str]) -> CompoundSelect[Any]:
    """Add up the sums of matches that are over, and the rounds of those that go on."""
    alike = (MatchSum.player_id, MatchSum.scale, MatchSum.players)
    stored = select(
        *alike,
        *(func.sum(getattr(MatchSum, name)) for name in ("rounds", "went_out", "hands", "hand_sum")),
        func.max(MatchSum.hand_max),
        *(func.sum(getattr(MatchSum, name)) for name in ("catches", "catch_sum")),
        func.max(MatchSum.catch_max),
        func.aggregate_strings(MatchSum.last_cards, " "),
        null(),
    ).group_by(*alike)
    kinds = (RoundScore.player_id, RoundScore.scale, RoundScore.players)
    played = select(*kinds, *sums_of_rounds(), null(), RoundScore.last_card).group_by(*kinds, RoundScore.last_card)
    # listed first: SQLite would go through all rounds of the club, had it another way to these few matches' rounds
    few = select(Match.club_id, Match.id).where(*_GOING_ON).cte("few").prefix_with("MATERIALIZED")
    of_match = (RoundScore.club_id == few.c.club_id) & (RoundScore.match_id == few.c.id)
    played = _narrowed(played.select_from(few).join(RoundScore, of_match), RoundScore, given)
    return union_all(_narrowed(stored, MatchSum, given), played)


@cache
def _match_sums(given: frozenset[str]) -> Select[Any]:
    """Put together how each player's matches ended, in the order in which they began, and whom each met.

    An ending is its letter and how many played, as ``w4``. They are put in order beforehand, since SQLite before 3.44
    knows no order in an aggregate. The columns after these say from how far behind each ever won, by scale.
    """
    result, own = MatchResult, aliased(MatchResult)
    ending = ended(own).concat(cast(own.players, String)).label("ending")
    in_order = _narrowed(select(ending).where(own.player_id == result.player_id), own, given - {"player_id"})
    listed = in_order.order_by(own.match_id).correlate(result).subquery()
    endings = select(func.aggregate_strings(listed.c.ending, " ")).scalar_subquery()
    columns: list[Any] = [result.player_id, endings, func.aggregate_strings(result.met, " ")]
    columns += [func.max(result.behind).filter(result.won, result.scale == scale.value) for scale in Scale]
    return _narrowed(select(*columns), result, given).group_by(result.player_id)


@cache
def _latest(given: frozenset[str]) -> Select[Any]:
    """List results, in the order in which the matches began: of whom, and `PlayerResult`."""
    result, earlier = MatchResult, aliased(MatchResult)
    columns: list[Any] = [result.player_id, result.match_id, ended(result)]
    columns += [type_coerce(rating, NullType()) for rating in (result.mu, result.sigma)]  # as every driver gives them
    listed = _narrowed(select(*columns), result, given)
    if "player_id" not in given:
        own = _narrowed(select(earlier.match_id), earlier, given).where(earlier.player_id == Player.id)
        first = own.order_by(earlier.match_id.desc()).offset(LATEST - 1).limit(1).scalar_subquery()
        of_each = select(Player.id, func.coalesce(first, "").label("first")).where(
            Player.club_id == bindparam("club_id")
        )
        since = of_each.cte("since").prefix_with("MATERIALIZED")  # SQLite would look again at every row
        listed = listed.join(since, (since.c.id == result.player_id) & (since.c.first <= result.match_id))
    return listed.order_by(result.match_id)


@cache
def _findings(given: frozenset[str]) -> Select[Any]:
    """List the rulings that count with everybody's seat; those the table did not accept do not."""
    query = (
        select(Ruling.finding, Ruling.seats, Ruling.facts, Seat.seat, Seat.player_id)
        .join(Seat, (Seat.club_id == Ruling.club_id) & (Seat.match_id == Ruling.match_id))
        .where(
            Ruling.club_id == bindparam("club_id"),
            of_live_match(Ruling.match_id),
            Ruling.finding.is_not(None),
            Ruling.accepted.is_distinct_from(False),
        )
    )
    narrowing = given - {"club_id", "player_id"}
    if narrowing:
        query = query.where(Ruling.match_id.in_(_narrowed(select(MatchResult.match_id), MatchResult, narrowing)))
    return _of_player(query, Seat, given)


def parts_of(finding: Finding, seats: Mapping[str, int], facts: Mapping[str, Any]) -> Mapping[str, int]:
    """Return the seat of each role; the target challenged unless the facts name someone else."""
    challenged = finding in (Finding.CHALLENGE_WON, Finding.CHALLENGE_LOST)
    if challenged and Role.TARGET in seats and facts.get("challenger") != "other":
        return {Role.CHALLENGER: seats[Role.TARGET], **seats}
    return seats
