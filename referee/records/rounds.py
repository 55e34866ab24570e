"""Rounds: recorded once, corrected by a new version, struck and brought back; nothing is overwritten.

Whoever writes holds the lock of the match (`referee.records.matches.get_match` with ``lock=True``), so
that two phones never make the same round twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, select
from sqlalchemy.orm import Session

from referee.records.agreements import agreements_of, in_force, scale_of, terms_of
from referee.records.errors import Conflict, NotFound
from referee.records.ids import is_id, new_id
from referee.records.limits import MOST_ROUNDS, MOST_VERSIONS, ROUNDS_FULL, VERSIONS_FULL, refuse_over
from referee.records.models import Base, Key, Match, MatchStatus, Round, RoundScore, RoundVersion, Scale
from referee.records.results import settle
from referee.records.seating import Seated, Seating, load_seating
from referee.rules.problem import Impossible, Problem
from referee.rules.round_entry import Hand, RoundEntry
from referee.rules.scoring import score_round

_COUNTED = select(func.count().filter(Round.struck.is_(False)), func.coalesce(func.max(Round.place), 0)).where(
    Round.club_id == bindparam("club_id"), Round.match_id == bindparam("match_id")
)
_ADD_SCORES = insert(Base.metadata.tables[RoundScore.__tablename__])


@dataclass(frozen=True)
class VersionView:
    """One version of a round: what was said, when, and by the holder of which key."""

    version: int
    struck: bool
    entry: Mapping[str, Any]
    points: Mapping[str, int]
    entered_at: datetime
    entered_by: str | None


def get_round(session: Session, match: Match, round_id: str) -> Round:
    """Look up a round of this match; raises `NotFound`."""
    found = session.get(Round, (match.club_id, round_id)) if is_id(round_id) else None
    if found is None or found.match_id != match.id:
        raise NotFound("round")
    return found


def record_round(
    session: Session, match: Match, entry: RoundEntry, after: int, by: Key, *, seating: Seating | None = None
) -> Round:
    """Record the next round of a match.

    `after` is the number of live rounds the writer has seen; `seating` spares a look where it was loaded before.
    Raises `Conflict` when another round is there already, and `Impossible` with every problem of the entry, or when
    the match is over.
    """
    live, last_place = count_rounds(session, match)
    if after != live:
        raise Conflict(f"{_rounds_are(live)} on record, and you have seen {after}. Look at the sheet as it stands now.")
    if match.status != MatchStatus.IN_PROGRESS:
        raise Impossible([Problem("match", f"This match is {match.status}; play on (reopen it) before another round.")])
    refuse_over(last_place + 1, MOST_ROUNDS, "match", ROUNDS_FULL)
    played = Round(club_id=match.club_id, id=new_id(), match_id=match.id, place=last_place + 1)
    seating = seating or load_seating(session, match)
    version = score_entry(session, match, seating, played, entry, by)
    session.add(played)
    _write(session, match, seating, played, version)
    return played


def correct_round(session: Session, match: Match, played: Round, entry: RoundEntry, by: Key) -> None:
    """Say anew what a round was, under the agreement it was played under; may end or reopen the match.

    Raises `Impossible` with every problem of the entry, or when the round is struck.
    """
    if played.struck:
        raise Impossible([Problem("round", "This round is struck; bring it back before you correct it.")])
    refuse_over(played.version + 1, MOST_VERSIONS - 1, "round", VERSIONS_FULL)  # the last one is left to a strike
    seating = load_seating(session, match)
    version = score_entry(session, match, seating, played, entry, by)
    version.version = played.version = played.version + 1
    _write(session, match, seating, played, version)


def strike_round(session: Session, match: Match, played: Round, by: Key) -> None:
    """Take a round out of the count; it stays on record. Striking it again changes nothing."""
    _turn(session, match, played, by, struck=True)


def restore_round(session: Session, match: Match, played: Round, by: Key) -> None:
    """Bring a struck round back, in its old place. Bringing back a live round changes nothing."""
    _turn(session, match, played, by, struck=False)


def round_history(
    session: Session, match: Match, played: Round, seating: Seating | None = None
) -> list[VersionView]:
    """Give every version of a round, oldest first, by names as they are today.

    `seating` spares a look where it was loaded before.
    """
    seating = seating or load_seating(session, match)
    rows = session.execute(
        select(RoundVersion, Key.name)
        .outerjoin(Key, (Key.club_id == RoundVersion.club_id) & (Key.id == RoundVersion.entered_by))
        .where(RoundVersion.club_id == played.club_id, RoundVersion.round_id == played.id)
        .order_by(RoundVersion.version)
    )
    return [
        VersionView(
            version=version.version,
            struck=version.struck,
            entry=entry_by_names(version.entry, seating),
            points={seating.name_of(int(seat)): points for seat, points in version.score["points"].items()},
            entered_at=version.entered_at,
            entered_by=key_name,
        )
        for version, key_name in rows
    ]


def count_rounds(session: Session, match: Match) -> tuple[int, int]:
    """Count the live rounds of a match and give its last place, struck rounds included; 0 when there is none."""
    live, last_place = session.execute(_COUNTED, {"club_id": match.club_id, "match_id": match.id}).one()
    return live, last_place


def number_of(session: Session, match: Match, played: Round) -> int | None:
    """Give the number of a round, counting live rounds from 1; None for a struck one."""
    here = (Round.club_id == match.club_id, Round.match_id == match.id, Round.place <= played.place)
    counted = select(func.count()).select_from(Round).where(*here, Round.struck.is_(False))
    return None if played.struck else session.scalar(counted)


def entry_by_names(entry: Mapping[str, Any], seating: Seating) -> dict[str, Any]:
    """Turn a stored entry, which is kept by seat, into one by names as they are today."""

    def name(seat: int | None) -> str | None:
        return None if seat is None else seating.name_of(seat)

    credited = entry["credited_to"]
    return {
        "ended": entry["ended"],
        "went_out": name(entry["went_out"]),
        "hands": {seating.name_of(int(seat)): hand for seat, hand in entry["hands"].items()},
        "cards_left": {seating.name_of(int(seat)): count for seat, count in entry["cards_left"].items()},
        "last_card": entry["last_card"],
        "credited_to": None if credited is None else [seating.name_of(seat) for seat in credited],
        "sat_out": [seating.name_of(seat) for seat in entry["sat_out"]],
    }


def score_entry(
    session: Session, match: Match, seating: Seating, played: Round, entry: RoundEntry, by: Key
) -> RoundVersion:
    """Work out what a round is worth, under the agreement in force at its place; raises `Impossible`."""
    present = seating.at(played.place)
    entry = _exact_names(entry, seating)
    terms = terms_of(session, match, in_force(agreements_of(match), played.place))
    score = score_round(terms, entry, [seat.name for seat in present])
    seat_of = {seat.name: seat.seat for seat in present}
    key_of = {seat.name: str(seat.seat) for seat in present}  # JSON knows only texts as keys
    return RoundVersion(
        club_id=match.club_id,
        round_id=played.id,
        version=played.version or 1,
        entry={
            "ended": entry.ended,
            "went_out": None if entry.went_out is None else seat_of[entry.went_out],
            "hands": {
                key_of[name]: hand if isinstance(hand, int) else [str(card) for card in hand]
                for name, hand in entry.hands.items()
            },
            "cards_left": {key_of[name]: count for name, count in entry.cards_left.items()},
            "last_card": None if entry.last_card is None else str(entry.last_card),
            "credited_to": None if entry.credited_to is None else [seat_of[name] for name in entry.credited_to],
            "sat_out": [seat_of[name] for name in entry.sat_out],
        },
        score={
            "hands": {key_of[name]: worth for name, worth in score.hands.items()},
            "points": {key_of[name]: points for name, points in score.points.items()},
            "credited_to": [seat_of[name] for name in score.credited_to],
            "winners": [seat_of[name] for name in score.winners],
        },
        entered_by=by.id,
    )


def _exact_names(entry: RoundEntry, seating: Seating) -> RoundEntry:
    """Put names as the sheet has them; refuse a player who stands there twice, as `bo` and `Bo`."""
    hands: dict[str, Hand] = {}
    problems = list(entry.unread)
    for name, hand in entry.hands.items():
        exact = seating.exact(name)
        if exact in hands:
            problems.append(Problem(f"hands.{name}", f"{exact} stands here twice; give each player one hand."))
        elif exact != name:
            problems = [_renamed(problem, f"hands.{name}", f"hands.{exact}") for problem in problems]
        hands[exact] = hand
    return replace(
        entry,
        went_out=None if entry.went_out is None else seating.exact(entry.went_out),
        hands=hands,
        cards_left={seating.exact(name): count for name, count in entry.cards_left.items()},
        credited_to=None if entry.credited_to is None else tuple(map(seating.exact, entry.credited_to)),
        sat_out=tuple(map(seating.exact, entry.sat_out)),
        unread=tuple(problems),
    )


def _renamed(problem: Problem, given: str, exact: str) -> Problem:
    if problem.field == given or problem.field.startswith(f"{given}["):
        return replace(problem, field=exact + problem.field.removeprefix(given))
    return problem


def _turn(session: Session, match: Match, played: Round, by: Key, *, struck: bool) -> None:
    if played.struck == struck:
        return
    refuse_over(played.version + 1, MOST_VERSIONS, "round", VERSIONS_FULL)
    old = session.get_one(RoundVersion, (played.club_id, played.id, played.version))
    played.struck = struck
    played.version += 1
    version = RoundVersion(
        club_id=played.club_id,
        round_id=played.id,
        version=played.version,
        struck=struck,
        entry=old.entry,
        score=old.score,
        entered_by=by.id,
    )
    _write(session, match, load_seating(session, match), played, version)


def _write(session: Session, match: Match, seating: Seating, played: Round, version: RoundVersion) -> None:
    """Write a version and the scores that follow from it, and see whether the match is over."""
    session.add(version)
    if version.version > 1:
        session.execute(
            delete(RoundScore).where(
                RoundScore.club_id == match.club_id,
                RoundScore.match_id == match.id,
                RoundScore.place == played.place,
            )
        )
    if not played.struck:
        terms = terms_of(session, match, in_force(agreements_of(match), played.place))
        taking_part = [seat for seat in seating.at(played.place) if seat.seat not in version.entry["sat_out"]]
        if taking_part:
            rows = [score_row(played, version, seat, len(taking_part), scale_of(terms)) for seat in taking_part]
            with session.no_autoflush:  # no query here needs the round itself, which goes out with the match
                session.execute(_ADD_SCORES, rows)
    just_recorded = version.version == 1
    settle(session, match, seating, last_score=version.score if just_recorded else None)


def score_row(played: Round, version: RoundVersion, seat: Seated, players: int, scale: Scale) -> dict[str, Any]:
    """Make the row that totals and statistics add up."""
    entry, score, key = version.entry, version.score, str(seat.seat)
    hand = entry["hands"].get(key)
    went_out = entry["went_out"] == seat.seat
    counted = 0 if went_out else len(hand) if isinstance(hand, list) else entry["cards_left"].get(key)
    others = [worth for other, worth in score["hands"].items() if other != key]
    return {
        "club_id": played.club_id,
        "match_id": played.match_id,
        "place": played.place,
        "seat": seat.seat,
        "player_id": seat.player_id,
        "points": score["points"].get(key, 0),
        "hand": score["hands"].get(key),
        "cards_left": counted,
        "went_out": went_out,
        "last_card": entry["last_card"] if went_out else None,
        "catch": sum(others) if went_out and others else None,
        "players": players,
        "scale": scale,
    }


def _rounds_are(count: int) -> str:
    return "1 round is" if count == 1 else f"{count} rounds are"
