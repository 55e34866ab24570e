"""Load the figures of players, in four queries whatever the club's age.

What the rounds of a match that is over brought, and who came off better in it, was added up when it ended
(`referee.records.statistics.sums`); only what goes on is counted from its rounds. The database adds up or puts into
one text what there is of each player, since reading a row for each match takes ten times as long. The statements are
put together once for each set of things that narrow them (a year, a player, …): that takes longer than finding a small
club's figures.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    String,
    bindparam,
    case,
    cast,
    func,
    null,
    select,
    type_coerce,
    union_all,
)
from sqlalchemy.orm import Session, aliased
from sqlalchemy.types import NullType

from referee.records.models import (
    Match,
    MatchResult,
    MatchSum,
    Player,
    RoundScore,
    Ruling,
    Scale,
    Seat,
    of_live_match,
)
from referee.records.statistics.figures import Ending, Figures, Filter, Meeting, PlayerResult
from referee.records.statistics.sums import AHEAD, BEHIND, LEVEL, RoundSum, read_cards, sums_of_rounds
from referee.rules.disputes import Finding
from referee.rules.disputes.ruling import Role

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
        for role, sat in _parts(Finding(finding), seats, facts).items():
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


def _parts(finding: Finding, seats: Mapping[str, int], facts: Mapping[str, Any]) -> Mapping[str, int]:
    """Return the seat of each role; the target challenged unless the facts name someone else."""
    challenged = finding in (Finding.CHALLENGE_WON, Finding.CHALLENGE_LOST)
    if challenged and Role.TARGET in seats and facts.get("challenger") != "other":
        return {Role.CHALLENGER: seats[Role.TARGET], **seats}
    return seats
