"""How far matches in a list are, and who leads in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from referee.records.match.agreements import terms_at
from referee.records.match.tallies import tally_of
from referee.records.models import Match, Player, Seat
from referee.rules.scoring.standings import Standing, leading, standings


@dataclass(frozen=True)
class Lead:
    """How far a match is: live rounds played and agreed on, who leads by sides, and everybody, best first.

    Nobody leads before the first round. `leads` is the total that leads, `ids` are the players by name.
    """

    rounds: int
    leaders: tuple[tuple[str, ...], ...]
    rounds_to_play: int | None = None
    standings: tuple[Standing, ...] = ()
    leads: Literal["highest", "lowest"] = "highest"
    ids: Mapping[str, str] = field(default_factory=dict)


def load_leads(session: Session, matches: Sequence[Match]) -> dict[str, Lead]:
    """Load how far some matches of one club are and who leads, by match id, in one query.

    Each whose stored tally is out of date takes three more.
    """
    if not matches:
        return {}
    club_id, ids = matches[0].club_id, [match.id for match in matches]
    rows = session.execute(
        select(Seat.match_id, Seat.seat, Player.id, Player.name, Seat.opening_total, Seat.stays)
        .join(Player, (Player.club_id == Seat.club_id) & (Player.id == Seat.player_id))
        .where(Seat.club_id == club_id, Seat.match_id.in_(ids))
        .order_by(Seat.match_id, Seat.seat)
    )
    tallies = {match.id: tally_of(session, match) for match in matches}
    names: dict[tuple[str, int], str] = {}
    players: dict[str, str] = {}
    totals: dict[str, dict[int, int]] = {id: {} for id in ids}
    for match_id, seat, player_id, name, opening, stays in rows:
        names[match_id, seat] = name
        players[name] = player_id
        if stays[-1][1] is None:  # who left leads nothing
            totals[match_id][seat] = opening + tallies[match_id].points.get(seat, 0)
    leads = {}
    for match in matches:
        terms, here, rounds = terms_at(session, match), totals[match.id], tallies[match.id].live
        first = leading(terms, here) if rounds else []
        leaders = tuple(tuple(names[match.id, seat] for seat in side) for side in first)
        there = standings(terms, here, {seat: names[match.id, seat] for seat in here})
        seated = {line.player: players[line.player] for line in there}
        leads[match.id] = Lead(rounds, leaders, terms.rounds_to_play, there, terms.leads, seated)
    return leads
