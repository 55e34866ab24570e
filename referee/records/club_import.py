"""Bring a club's document in: into an empty club, or into the one it came from.

What is here already stays as it is, so that the same document comes in twice without doubling anything;
what is new comes in whole. Totals, results and ratings are worked out anew. Nothing commits here: it is
all one transaction of the caller's.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from referee.records.access import lock_club
from referee.records.agreements import Agreement, agreements_of, in_force, scale_of, terms_of
from referee.records.club_checks import check_document
from referee.records.club_document import ClubDocument, MatchPart, RoundPart
from referee.records.models import (
    Club,
    Key,
    KeyRole,
    Match,
    MatchEvent,
    MatchStatus,
    Player,
    Round,
    RoundScore,
    RoundVersion,
    RulebookText,
    Ruling,
    Seat,
    now,
)
from referee.records.names import fold_name
from referee.records.ratings import rate_from
from referee.records.results import settle
from referee.records.rounds import score_row
from referee.records.seating import Seating, load_seating
from referee.rules.problem import Impossible, Problem


@dataclass(frozen=True)
class Report:
    """What came in, and what was here already."""

    players: int
    players_known: int
    matches: int
    matches_known: int
    rounds: int
    rulings: int


def import_club(
    session: Session, club: Club, document: ClubDocument, *, done: Callable[[], object] = lambda: None
) -> Report:
    """Bring a document in; raises `Impossible` with what is wrong, and then nothing may be committed.

    `done` is called after each match.
    """
    check_document(document)
    lock_club(session, club.id)
    players = set(session.scalars(select(Player.id).where(Player.club_id == club.id)))
    matches = set(session.scalars(select(Match.id).where(Match.club_id == club.id)))
    empty = not players and not matches
    if not empty and document.players and players.isdisjoint(player.id for player in document.players):
        another = "This is another club's. A document comes in where it came from, or into an empty club."
        raise Impossible([Problem("players", another)])
    new = [match for match in document.matches if match.id not in matches]
    try:
        if empty:
            club.name = document.club.name
        _bring_players(session, club, document, players)
        _bring_rulebooks(session, club, document)
        _bring_writers(session, club, document)
        for place, match in enumerate(document.matches):
            if match.id not in matches:
                _bring_match(session, club, match, f"matches[{place}]")
            done()
        if new:
            rate_from(session, club.id, min(match.id for match in new))
    except IntegrityError as error:
        raise Impossible(
            [Problem("matches", "An id of this document stands for something else here: it was changed by hand.")]
        ) from error
    return Report(
        players=sum(player.id not in players for player in document.players),
        players_known=sum(player.id in players for player in document.players),
        matches=len(new),
        matches_known=len(document.matches) - len(new),
        rounds=sum(len(match.rounds) for match in new),
        rulings=sum(len(match.rulings) for match in new),
    )


def _bring_players(session: Session, club: Club, document: ClubDocument, known: set[str]) -> None:
    names = set(session.scalars(select(Player.folded_name).where(Player.club_id == club.id)))
    problems = []
    rows = []
    for place, player in enumerate(document.players):
        if player.id in known:
            continue
        if fold_name(player.name) in names:
            problems.append(Problem(f"players[{place}].name", f"“{player.name}” is the name of somebody else here."))
        row = {
            "club_id": club.id,
            "id": player.id,
            "name": player.name,
            "folded_name": fold_name(player.name),
            "active": player.active,
            "merged_into": player.merged_into,
            "created_at": player.created_at,
        }
        rows.append(row)
    if problems:
        raise Impossible(problems)
    # those who were merged lead to others, who must be there first
    for part in ([row for row in rows if not row["merged_into"]], [row for row in rows if row["merged_into"]]):
        _insert(session, Player, part)


def _bring_rulebooks(session: Session, club: Club, document: ClubDocument) -> None:
    known = set(session.scalars(select(RulebookText.digest).where(RulebookText.club_id == club.id)))
    rows = [
        {"club_id": club.id, "digest": text.digest, "document": asdict(text.document)}
        for text in document.rulebooks
        if text.digest not in known
    ]
    _insert(session, RulebookText, rows)


def _bring_writers(session: Session, club: Club, document: ClubDocument) -> None:
    """Keep the names of those who wrote, as keys that nobody holds and that open nothing."""
    known = set(session.scalars(select(Key.id).where(Key.club_id == club.id)))
    rows = [
        {
            "club_id": club.id,
            "id": writer.id,
            "role": KeyRole.SCOREKEEPER,
            "name": writer.name,
            "digest": hashlib.sha256(secrets.token_bytes(32)).hexdigest(),
            "imported": True,
            "revoked_at": now(),
        }
        for writer in document.writers
        if writer.id not in known
    ]
    _insert(session, Key, rows)


def _bring_match(session: Session, club: Club, part: MatchPart, field: str) -> None:
    own = {"club_id": club.id, "match_id": part.id}
    match = Match(
        club_id=club.id,
        id=part.id,
        status=MatchStatus.IN_PROGRESS,
        rulebook=part.agreements[0].rulebook,
        agreements=[_agreement(agreement) for agreement in part.agreements],
        dealer_seat=part.dealer_seat,
        dealer_after=part.dealer_after,
        name=part.name,
        location=part.location,
        note=part.note,
        rematch_of=part.rematch_of,
        started_at=part.started_at,
        created_by=part.created_by,
    )
    session.add(match)
    session.flush()
    seats = [
        own
        | {
            "seat": place,
            "player_id": seat.player,
            "name_then": seat.name_then,
            "opening_total": seat.opening_total,
            "stays": [list(stay) for stay in seat.stays],
        }
        for place, seat in enumerate(part.seats)
    ]
    _insert(session, Seat, seats)
    seating = load_seating(session, match)
    _bring_rounds(session, match, seating, part.rounds)
    _insert(session, MatchEvent, [own | asdict(event) for event in part.events])
    _insert(session, Ruling, [own | asdict(ruling) for ruling in part.rulings])
    if part.status == MatchStatus.FINISHED:
        settle(session, match, seating, by_hand=part.ended_by == "by-hand", rate=False)
        if (match.status, match.ended_by) != (part.status, part.ended_by):
            raise Impossible([Problem(f"{field}.status", "By its rounds and its target this match did not end so.")])
    match.status, match.ended_by, match.finished_at = part.status, part.ended_by, part.finished_at
    match.revision = 1
    session.flush()
    session.expunge(match)


def _agreement(agreement: Any) -> dict[str, Any]:
    return Agreement.from_document(asdict(agreement) | {"at": agreement.at.isoformat()}).to_document()


def _bring_rounds(session: Session, match: Match, seating: Seating, parts: Sequence[RoundPart]) -> None:
    own = {"club_id": match.club_id}
    rounds: list[dict[str, Any]] = []
    versions: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    for part in parts:
        last = part.versions[-1]
        row = own | {"id": part.id, "match_id": match.id, "place": part.place}
        rounds.append(row | {"version": len(part.versions), "struck": last.struck})
        for number, version in enumerate(part.versions, start=1):
            said = {"entry": _shallow(version.entry), "score": _shallow(version.score)}
            versions.append(own | {"round_id": part.id, "version": number} | _shallow(version) | said)
        if not last.struck:
            scores += _scores(session, match, seating, part)
    _insert(session, Round, rounds)
    _insert(session, RoundVersion, versions)
    _insert(session, RoundScore, scores)


def _scores(session: Session, match: Match, seating: Seating, part: RoundPart) -> Iterator[dict[str, Any]]:
    last = part.versions[-1]
    played = Round(club_id=match.club_id, id=part.id, match_id=match.id, place=part.place)
    version = RoundVersion(entry=_shallow(last.entry), score=_shallow(last.score))
    terms = terms_of(session, match, in_force(agreements_of(match), part.place))
    here = [seat for seat in seating.at(part.place) if seat.seat not in last.entry.sat_out]
    for seat in here:
        yield score_row(played, version, seat, len(here), scale_of(terms))


def _shallow(part: Any) -> dict[str, Any]:
    """Turn a part into a mapping, its own fields only: `asdict` would copy every card."""
    return {name: getattr(part, name) for name in part.__slots__}


def _insert(session: Session, table: type[Any], rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        session.execute(insert(table), rows)
