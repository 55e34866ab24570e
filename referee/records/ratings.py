"""How strong each player is, as far as results can tell: the rating by Weng and Lin.

Weng and Lin, “A Bayesian Approximation Method for Online Ranking” (Journal of Machine Learning
Research 12, 2011), in its Plackett–Luce form, as the library openskill computes it: a player is a
strength *mu* with an uncertainty *sigma*. Everybody begins at 25 ± 25/3; a match moves each player by
how surprising their place among all others was, and makes the uncertainty smaller.

Ratings stand beside the results of each match, in the order in which the matches began, so that
a page reads them and computes nothing. Whatever changes an old result rates all later matches anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session, aliased

from referee.records.models import MatchResult, Player

START_MU = 25.0
START_SIGMA = START_MU / 3


class Placing(NamedTuple):
    """How one player came off at one match, and the rating on record after it."""

    match_id: str
    seat: int
    player_id: str
    rank: int | None
    won: bool
    mu: float | None
    sigma: float | None


def rate_from(session: Session, club_id: str, match_id: str) -> None:
    """Rate the players of a finished match, and of every finished match that began after it.

    Two queries for the newest match; a correction of an old one walks through all later ones.
    """
    session.flush()
    known = _ratings_before(session, club_id, match_id)
    columns = [getattr(MatchResult, name) for name in Placing._fields]
    placings = (
        Placing(*row)
        for row in session.execute(
            select(*columns)
            .where(MatchResult.club_id == club_id, MatchResult.match_id >= match_id)
            .order_by(MatchResult.match_id, MatchResult.seat)
        )
    )
    table = MatchResult.__table__
    changed = [
        {"at_match": old.match_id, "at_seat": old.seat, "mu": mu, "sigma": sigma}
        for old, mu, sigma in rate(placings, known)
        if (old.mu, old.sigma) != (mu, sigma)
    ]
    if changed:
        session.connection().execute(
            update(MatchResult.__table__)  # type: ignore[arg-type]
            .where(
                table.c.club_id == club_id,
                table.c.match_id == bindparam("at_match"),
                table.c.seat == bindparam("at_seat"),
            )
            .values(mu=bindparam("mu"), sigma=bindparam("sigma")),
            changed,
        )
        for one in list(session.identity_map.values()):
            if isinstance(one, MatchResult):
                session.expire(one)


def rate(
    placings: Iterable[Placing], known: dict[str, tuple[float, float]]
) -> Iterable[tuple[Placing, float | None, float | None]]:
    """Walk through placings in the order of matches and give each the rating after it.

    `known` holds mu and sigma by player and is brought up to date on the way. A match rates those who
    sat to its end, if they are two or more and somebody won; the others get None. Winners stand before
    all others (also where the cards left decided, not the totals), then ranks count; ties share a place.
    """
    from openskill.models import PlackettLuce  # here, since most requests never rate anybody

    model = PlackettLuce()
    for _, group in groupby(placings, key=lambda placing: placing.match_id):
        seated = list(group)
        rated = [placing for placing in seated if placing.rank is not None]
        if len(rated) < 2 or not any(placing.won for placing in rated):
            rated = []
        else:
            teams = [
                [model.create_rating(list(known.get(placing.player_id, (START_MU, START_SIGMA))))] for placing in rated
            ]
            after = model.rate(teams, ranks=_places(rated))
            known |= {placing.player_id: (one.mu, one.sigma) for placing, (one,) in zip(rated, after, strict=True)}
        counted = {placing.seat for placing in rated}
        for placing in seated:
            mu, sigma = known[placing.player_id] if placing.seat in counted else (None, None)
            yield placing, mu, sigma


def _places(rated: Sequence[Placing]) -> list[float]:
    keys = [(not placing.won, placing.rank or 0) for placing in rated]
    in_order = sorted(keys)
    return [float(in_order.index(key)) for key in keys]


def _ratings_before(session: Session, club_id: str, match_id: str) -> dict[str, tuple[float, float]]:
    """Look up the rating of every player as it was before a match; those never rated are left out."""
    latest = aliased(MatchResult)
    last_match = (
        select(latest.match_id)
        .where(
            latest.club_id == club_id,
            latest.player_id == Player.id,
            latest.match_id < match_id,
            latest.mu.is_not(None),
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
        .where(MatchResult.club_id == club_id)
    )
    return {player_id: (mu, sigma) for player_id, mu, sigma in rows if mu is not None and sigma is not None}
