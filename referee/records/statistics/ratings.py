"""How strong each player is, as far as results can tell: the rating by Weng and Lin.

Weng and Lin, “A Bayesian Approximation Method for Online Ranking” (Journal of Machine Learning
Research 12, 2011), in its Plackett–Luce form, as the library openskill computes it: a player is a
strength *mu* with an uncertainty *sigma*. Everybody begins at 25 ± 25/3; a match moves each player by
how surprising their place among all others was, and makes the uncertainty smaller.

Ratings stand beside the results of each match, in the order in which the matches began, so that
a page reads them and computes nothing. Whatever changes an old result rates all later matches anew: the
newest ones at once, the others a few at a time after it was written, so that nobody waits for it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from openskill.models import PlackettLuce
from sqlalchemy import Engine, Update, bindparam, select, update
from sqlalchemy.orm import Session, aliased

from referee.records.errors import Moved
from referee.records.models import DELETED_TOO, Base, Club, Match, MatchResult, MatchStatus, Player, of_live_match
from referee.records.transactions import reading, writing

START_MU = 25.0
START_SIGMA = START_MU / 3
AT_ONCE = 10
"""Matches that are rated in the transaction that changed the first of them; with more, others would wait too long."""
PORTION = 50
"""Matches that are rated in one transaction afterwards."""
UNRATED = "unrated"
"""Where a session notes the club whose ratings are to be worked out after it has committed."""
_UNRATED = select(Club.unrated_from, Club.unrated_turn).where(Club.id == bindparam("club_id"))
_UNRATED = _UNRATED.execution_options(**DELETED_TOO)


class Placing(NamedTuple):
    """How one player came off at one match, and the stored rating after it."""

    match_id: str
    seat: int
    player_id: str
    rank: int | None
    won: bool
    mu: float | None
    sigma: float | None
    team: int | None = None


@dataclass(frozen=True)
class Batch:
    """Ratings of some matches in a row, worked out and not written."""

    club_id: str
    first: str
    turn: int
    changed: Sequence[Mapping[str, Any]]
    following: str | None
    """the next match to be rated; None where these are the last"""


def rate_soon(session: Session, club_id: str, match_id: str) -> None:
    """Rate a finished match and those after it: now where they are few, else leave it to `draft_ratings`.

    Whoever calls this holds the lock of the club.
    """
    session.flush()
    waiting = session.execute(_UNRATED, {"club_id": club_id}).one()
    if waiting.unrated_from is None and len(_finished(session, club_id, match_id, AT_ONCE + 1)) <= AT_ONCE:
        rate_from(session, club_id, match_id)
        return
    rate_later(session, club_id, match_id)
    session.info[UNRATED] = club_id


def rate_later(session: Session, club_id: str, match_id: str) -> None:
    """Mark the ratings after a match and all later ones as pending; the caller holds the lock of the club."""
    waiting = session.execute(_UNRATED, {"club_id": club_id}).one()
    first = min(match_id, waiting.unrated_from or match_id)
    marked = update(Club).where(Club.id == club_id).values(unrated_from=first, unrated_turn=Club.unrated_turn + 1)
    session.execute(marked.execution_options(synchronize_session=False))


def rate_pending(engine: Engine, club_id: str) -> None:
    """Compute the pending ratings of a club, each portion in a transaction of its own."""
    while True:
        with reading(engine) as session:
            batch = draft_ratings(session, club_id)
        if batch is None:
            return
        with suppress(Moved), writing(engine) as session:
            write_ratings(session, batch)


def draft_ratings(session: Session, club_id: str) -> Batch | None:
    """Compute the next pending ratings without writing; None if there are none."""
    waiting = session.execute(_UNRATED, {"club_id": club_id}).one()
    if waiting.unrated_from is None:
        return None
    ids = _finished(session, club_id, waiting.unrated_from, PORTION + 1)
    following = ids[PORTION] if len(ids) > PORTION else None
    changed = _changed_from(session, club_id, waiting.unrated_from, following)
    return Batch(club_id, waiting.unrated_from, waiting.unrated_turn, changed, following)


def write_ratings(session: Session, batch: Batch | None) -> None:
    """Write ratings that were drafted; raises `Moved` when a result has changed since."""
    if batch is None:
        return
    same = (Club.id == batch.club_id, Club.unrated_from == batch.first, Club.unrated_turn == batch.turn)
    moved = update(Club).where(*same).values(unrated_from=batch.following, unrated_turn=Club.unrated_turn + 1)
    if session.execute(moved.execution_options(synchronize_session=False)).rowcount != 1:  # type: ignore[attr-defined]
        raise Moved
    _write(session, batch.club_id, batch.changed)


def rate_from(session: Session, club_id: str, match_id: str) -> None:
    """Rate the players of a finished match, and of every finished match that began after it.

    Two queries for the newest match; a correction of an old one walks through all later ones.
    """
    session.flush()
    _write(session, club_id, _changed_from(session, club_id, match_id, None))


def _finished(session: Session, club_id: str, first: str, most: int) -> Sequence[str]:
    """List the finished matches from one on, at most so many."""
    finished = (Match.club_id == club_id, Match.status == MatchStatus.FINISHED, Match.id >= first)
    return session.scalars(select(Match.id).where(*finished).order_by(Match.id).limit(most)).all()


def _changed_from(session: Session, club_id: str, first: str, before: str | None) -> list[Mapping[str, Any]]:
    """Compute the ratings from a match on, up to another, and give those that differ, as `keep_ratings` takes them."""
    return [
        {"at_match": old.match_id, "at_seat": old.seat, "mu": mu, "sigma": sigma}
        for old, mu, sigma in rate(*load_placings(session, club_id, first, before))
        if (old.mu, old.sigma) != (mu, sigma)
    ]


def load_placings(
    session: Session, club_id: str, first: str, before: str | None = None, players: Collection[str] = ()
) -> tuple[Sequence[Placing], dict[str, tuple[float, float]]]:
    """Return how everyone came off from a match on, up to another, and their ratings before it.

    `players` are those whose ratings are wanted besides.
    """
    columns = [getattr(MatchResult, name) for name in Placing._fields]
    live = (MatchResult.club_id == club_id, of_live_match(MatchResult.match_id))
    chosen = select(*columns).where(*live, MatchResult.match_id >= first)
    if before is not None:
        chosen = chosen.where(MatchResult.match_id < before)
    rows = session.execute(chosen.order_by(MatchResult.match_id, MatchResult.seat), {"club_id": club_id})
    placings = [Placing(*row) for row in rows]
    return placings, _ratings_before(session, club_id, first, {*players, *(placing.player_id for placing in placings)})


def keep_ratings(club_id: str) -> Update:
    """Return the statement that stores ratings with results."""
    table = Base.metadata.tables[MatchResult.__tablename__]
    own = update(table).where(table.c.club_id == club_id, table.c.match_id == bindparam("at_match"))
    return own.where(table.c.seat == bindparam("at_seat")).values(mu=bindparam("mu"), sigma=bindparam("sigma"))


def _write(session: Session, club_id: str, changed: Sequence[Mapping[str, Any]]) -> None:
    if changed:
        session.connection().execute(keep_ratings(club_id), changed)
        for loaded in list(session.identity_map.values()):
            if isinstance(loaded, MatchResult):
                session.expire(loaded)


def rate(
    placings: Iterable[Placing], known: dict[str, tuple[float, float]]
) -> Iterable[tuple[Placing, float | None, float | None]]:
    """Walk through placings in the order of matches and give each the rating after it.

    `known` holds mu and sigma by player and is brought up to date on the way. A match rates those who
    sat to its end, if they are two or more and someone won; the others get None. Winners stand before
    all others (also where the cards left decided, not the totals), then ranks count; ties share a place. Those of one
    team are rated together.
    """
    model = _model()
    for _, group in groupby(placings, key=lambda placing: placing.match_id):
        seated = list(group)
        rated = [placing for placing in seated if placing.rank is not None]
        if len(rated) < 2 or not any(placing.won for placing in rated):
            rated = []
        else:
            sides = _sides(rated)
            teams = [
                [model.create_rating(list(known.get(placing.player_id, (START_MU, START_SIGMA)))) for placing in side]
                for side in sides
            ]
            after = model.rate(teams, ranks=_places([side[0] for side in sides]))
            for side, ratings in zip(sides, after, strict=True):
                known |= {member.player_id: (new.mu, new.sigma) for member, new in zip(side, ratings, strict=True)}
        counted = {placing.seat for placing in rated}
        for placing in seated:
            mu, sigma = known[placing.player_id] if placing.seat in counted else (None, None)
            yield placing, mu, sigma


@cache
def _model() -> PlackettLuce:
    return PlackettLuce()


def _sides(rated: Sequence[Placing]) -> list[list[Placing]]:
    """Part those rated into teams, each alone where there are none."""
    sides: dict[tuple[str, int], list[Placing]] = {}
    for placing in rated:
        key = ("seat", placing.seat) if placing.team is None else ("team", placing.team)
        sides.setdefault(key, []).append(placing)
    return list(sides.values())


def _places(rated: Sequence[Placing]) -> list[float]:
    keys = [(not placing.won, placing.rank or 0) for placing in rated]
    in_order = sorted(keys)
    return [float(in_order.index(key)) for key in keys]


def _ratings_before(
    session: Session, club_id: str, match_id: str, players: Collection[str]
) -> dict[str, tuple[float, float]]:
    """Look up the ratings of some players as they were before a match; those never rated are left out."""
    latest = aliased(MatchResult)
    last_match = (
        select(latest.match_id)
        .where(
            latest.club_id == club_id,
            latest.player_id == Player.id,
            latest.match_id < match_id,
            latest.mu.is_not(None),
            of_live_match(latest.match_id),
        )
        .order_by(latest.match_id.desc())
        .limit(1)
        .scalar_subquery()
    )
    rows = session.execute(
        select(MatchResult.player_id, MatchResult.mu, MatchResult.sigma)
        .join(
            Player,
            (Player.club_id == MatchResult.club_id)
            & (Player.id == MatchResult.player_id)
            & (MatchResult.match_id == last_match.correlate(Player)),
        )
        .where(MatchResult.club_id == club_id, Player.club_id == club_id, Player.id.in_(players)),
        {"club_id": club_id},
    )
    return {player_id: (mu, sigma) for player_id, mu, sigma in rows if mu is not None and sigma is not None}
