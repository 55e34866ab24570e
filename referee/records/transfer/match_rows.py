"""Turn a match of a document into rows: of the match, its seats and rounds, and what totals and statistics add up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Table

from referee.records.agreements import Agreement, scale_of
from referee.records.models import (
    Base,
    Match,
    MatchEvent,
    MatchResult,
    MatchStatus,
    MatchSum,
    Round,
    RoundScore,
    RoundVersion,
    Ruling,
    Seat,
)
from referee.records.rounds import score_rows
from referee.records.statistics.sums import add_meetings, sum_up
from referee.records.transfer.bulk import Rows
from referee.records.transfer.document import MatchPart, RulingPart
from referee.records.transfer.match_checks import agreement_of, entry_of, seats_of, shallow
from referee.records.transfer.reckoning import AgreedTerms, InForce, Result, Sitting
from referee.rules.disputes import DISPUTES_BY_ID

Rating = tuple[float | None, float | None]
"""Mu and sigma."""
Ratings = Mapping[tuple[str, int], Rating]
"""Ratings after matches, by match and seat."""


def rows_of(
    club_id: str,
    match: MatchPart,
    result: Result | None,
    names: Mapping[str, str],
    terms: AgreedTerms,
    ratings: Ratings,
) -> Iterator[Rows]:
    """Give all rows of a match, in an order in which none refers to a later one."""
    of_match = {"club_id": club_id, "match_id": match.id}
    agreements = [agreement_of(part) for part in match.agreements]
    head = {name: value for name, value in shallow(match).items() if name not in _LISTS}
    head |= {"rulebook": agreements[0].rulebook, "agreements": [one.to_document() for one in agreements]}
    over = match.status != MatchStatus.IN_PROGRESS
    yield table_of(Match), [own(club_id, head | {"revision": 1, "summed": 1 if over else None})]
    seats = [
        of_match
        | {"seat": place, "player_id": seat.player, "name_then": seat.name_then}
        | {"opening_total": seat.opening_total, "stays": [list(stay) for stay in seat.stays]}
        for place, seat in enumerate(match.seats)
    ]
    yield table_of(Seat), seats
    for table, rows in _rounds(club_id, match, agreements, names, terms):
        yield table, rows
        if over and table is table_of(RoundScore):
            yield table_of(MatchSum), list(sum_up(club_id, match.id, rows))
    yield table_of(MatchEvent), [of_match | shallow(event) for event in match.events]
    yield table_of(Ruling), [of_match | shallow(ruling) | {"finding": _finding(ruling)} for ruling in match.rulings]
    lines = []
    for line in add_meetings(result.lines) if result else ():
        mu, sigma = ratings[match.id, line["seat"]]
        lines.append(of_match | line | {"mu": mu, "sigma": sigma})
    yield table_of(MatchResult), lines


_LISTS = ("seats", "rounds", "events", "rulings")


def _rounds(
    club_id: str,
    match: MatchPart,
    agreements: list[Agreement],
    names: Mapping[str, str],
    terms: AgreedTerms,
) -> Iterator[Rows]:
    rounds: list[dict[str, Any]] = []
    versions: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    sitting, in_force = Sitting(seats_of(match, names)), InForce(agreements)
    for part in match.rounds:
        last = part.versions[-1]
        head = {"id": part.id, "match_id": match.id, "place": part.place}
        rounds.append(own(club_id, head | {"version": len(part.versions), "struck": last.struck}))
        for number, version in enumerate(part.versions, start=1):
            said = {"entry": entry_of(version.entry), "score": shallow(version.score)}
            versions.append(own(club_id, {"round_id": part.id, "version": number} | shallow(version) | said))
        present, scale = sitting.at(part.place), scale_of(terms.of(in_force.at(part.place)))
        if not last.struck:
            of_round = {"club_id": club_id, "match_id": match.id, "place": part.place}
            scores += score_rows(of_round, said["entry"], said["score"], present, scale)
    yield table_of(Round), rounds
    yield table_of(RoundVersion), versions
    yield table_of(RoundScore), scores


def _finding(ruling: RulingPart) -> str | None:
    """Say what statistics count a ruling as; it is read out of what was said, as no file tells it."""
    dispute = DISPUTES_BY_ID.get(ruling.dispute)
    return dispute.finds(ruling.facts, ruling.ruling.get("outcome", {})) if dispute else None


def own(club_id: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Make a row the club's."""
    return {"club_id": club_id, **row}


def table_of(model: type[Base]) -> Table:
    """Give the table of a model; inserting into it takes a third of the time that models take."""
    return Base.metadata.tables[model.__tablename__]
