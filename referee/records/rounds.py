"""Rounds: recorded once, corrected by a new version, struck and brought back; nothing is overwritten.

Whatever is read, checked and scored makes a draft; writing it is all that is done while others wait. A draft is
written only if its match is still of the revision it was made from, so that two phones never make the same round twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from referee.records.agreements import scale_of, terms_at
from referee.records.elimination import Outs, let_sit_out, load_outs, outs_before
from referee.records.entries import entry_by_names, score_entry, score_row
from referee.records.errors import Conflict, NotFound
from referee.records.ids import is_id, new_id
from referee.records.limits import MOST_ROUNDS, MOST_VERSIONS, refuse_over
from referee.records.models import Key, Match, Round, RoundScore, RoundVersion, now
from referee.records.results import Settlement, put_down, refuse_unless_in_progress, work_out
from referee.records.seating import Seating, load_seating
from referee.records.tallies import Tally, add_up, tally_of
from referee.records.words import say
from referee.rules.problem import Impossible, Problem
from referee.rules.round_entry import RoundEntry


@dataclass(frozen=True)
class VersionView:
    """One version of a round: what was said, when, and by the holder of which key."""

    version: int
    struck: bool
    stored: Mapping[str, Any]
    """what was entered, by seat"""
    entry: Mapping[str, Any]
    """the same by names as they are today"""
    points: Mapping[str, int]
    entered_at: datetime
    entered_by: str | None


@dataclass(frozen=True)
class Draft:
    """A version of a round, scored and not written: good as long as the match is as it was read for it."""

    match: Match
    seating: Seating
    round_id: str
    place: int
    version: int
    struck: bool
    entry: dict[str, Any]
    score: dict[str, Any]
    scores: tuple[dict[str, Any], ...]
    """rows of `RoundScore`"""
    tally: Tally
    settlement: Settlement
    entered_at: datetime
    entered_by: Key
    played: Round | None
    """the round whose version this is; None for one that is new"""
    outs: Outs
    """who is out of the match once it is written"""


def get_round(session: Session, match: Match, round_id: str) -> Round:
    """Look up a round of this match; raises `NotFound`."""
    found = session.get(Round, (match.club_id, round_id)) if is_id(round_id) else None
    if found is None or found.match_id != match.id:
        raise NotFound("round")
    return found


def draft_round(
    session: Session, match: Match, entry: RoundEntry, after: int, by: Key, *, seating: Seating | None = None
) -> Draft:
    """Work out all that recording the next round of a match writes; nothing is written.

    `after` is the number of live rounds the writer has seen; `seating` spares a look where it was loaded before.
    Raises `Conflict` when another round is there already, and `Impossible` with every problem of the entry, or when
    the match is over or full.
    """
    tally = tally_of(session, match)
    if after != tally.live:
        raise Conflict(say("match.newer-rounds", n=tally.live, seen=after))
    refuse_unless_in_progress(match)
    place = tally.last_place + 1
    refuse_over(place, MOST_ROUNDS, "match", "rounds")
    seating = seating or load_seating(session, match)
    entry = let_sit_out(entry, load_outs(session, match, seating, tally))
    entered, score = score_entry(session, match, seating, place, entry)
    return _draft(session, match, seating, place, entered, score, by, tally)


def draft_correction(
    session: Session, match: Match, played: Round, entry: RoundEntry, by: Key, *, seating: Seating | None = None
) -> Draft:
    """Work out what saying anew what a round was writes, under the agreement it was played under.

    It may end or reopen the match. Raises `Impossible` with every problem of the entry, or when the round is struck.
    """
    if played.struck:
        raise Impossible([Problem("round", say("match.struck"))])
    refuse_over(played.version + 1, MOST_VERSIONS - 1, "round", "versions")  # the last one is left to a strike
    seating = seating or load_seating(session, match)
    entry = let_sit_out(entry, outs_before(session, match, seating, played.place), but=True)
    entered, score = score_entry(session, match, seating, played.place, entry)
    return _next_version(session, match, seating, played, entered, score, by)


def draft_turn(session: Session, match: Match, played: Round, by: Key, *, struck: bool) -> Draft | None:
    """Work out what striking a round, or bringing it back, writes; None where that changes nothing."""
    if played.struck == struck:
        return None
    refuse_over(played.version + 1, MOST_VERSIONS, "round", "versions")
    old = session.get_one(RoundVersion, (played.club_id, played.id, played.version))
    seating = load_seating(session, match)
    return _next_version(session, match, seating, played, old.entry, old.score, by, struck=struck)


def write_draft(session: Session, draft: Draft) -> None:
    """Write a draft; raises `Moved`, having written nothing, when the match has changed since it was made.

    Whoever calls this need not hold the match: it is held from here to the end of the transaction.
    """
    match, played = draft.match, draft.played
    put_down(session, match, draft.tally, draft.settlement)
    if played is None:
        played = Round(club_id=match.club_id, id=draft.round_id, match_id=match.id, place=draft.place)
        session.add(played)
    else:
        scores = (RoundScore.club_id == match.club_id, RoundScore.match_id == match.id)
        session.execute(delete(RoundScore).where(*scores, RoundScore.place == draft.place))
    played.version, played.struck = draft.version, draft.struck
    session.flush()
    session.add(
        RoundVersion(
            club_id=match.club_id,
            round_id=draft.round_id,
            version=draft.version,
            struck=draft.struck,
            entry=draft.entry,
            score=draft.score,
            entered_at=draft.entered_at,
            entered_by=draft.entered_by.id,
        )
    )
    if draft.scores:
        session.execute(insert(RoundScore), draft.scores)


def round_history(session: Session, match: Match, played: Round, seating: Seating | None = None) -> list[VersionView]:
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
            stored=version.entry,
            entry=entry_by_names(version.entry, seating.name_of),
            points={seating.name_of(int(seat)): points for seat, points in version.score["points"].items()},
            entered_at=version.entered_at,
            entered_by=key_name,
        )
        for version, key_name in rows
    ]


def count_rounds(session: Session, match: Match) -> tuple[int, int]:
    """Count the live rounds of a match and give its last place, struck rounds included; 0 when there is none."""
    tally = tally_of(session, match)
    return tally.live, tally.last_place


def last_round(session: Session, match: Match) -> Round | None:
    """Find the latest live round of a match; None before the first."""
    here = (Round.club_id == match.club_id, Round.match_id == match.id, Round.struck.is_(False))
    return session.scalars(select(Round).where(*here).order_by(Round.place.desc()).limit(1)).first()


def number_of(session: Session, match: Match, played: Round) -> int | None:
    """Give the number of a round, counting live rounds from 1; None for a struck one."""
    here = (Round.club_id == match.club_id, Round.match_id == match.id, Round.place <= played.place)
    counted = select(func.count()).select_from(Round).where(*here, Round.struck.is_(False))
    return None if played.struck else session.scalar(counted)


def _next_version(
    session: Session,
    match: Match,
    seating: Seating,
    played: Round,
    entered: dict[str, Any],
    score: dict[str, Any],
    by: Key,
    *,
    struck: bool = False,
) -> Draft:
    others = add_up(session, match, but=played.place)
    return _draft(session, match, seating, played.place, entered, score, by, others, struck=struck, played=played)


def _draft(
    session: Session,
    match: Match,
    seating: Seating,
    place: int,
    entered: dict[str, Any],
    score: dict[str, Any],
    by: Key,
    others: Tally,
    *,
    struck: bool = False,
    played: Round | None = None,
) -> Draft:
    """Draft a version of a round, of a new one without `played`; `others` is the tally of all other rounds."""
    tally = others.with_struck(place) if struck else others.plus(place, score)
    gained = None if struck else {int(seat): points for seat, points in score["points"].items()}
    here = [] if struck else [seat for seat in seating.at(place) if seat.seat not in entered["sat_out"]]
    terms = terms_at(session, match, place)
    said = RoundVersion(entry=entered, score=score)
    of_match = Round(club_id=match.club_id, match_id=match.id, place=place)
    scores = tuple(score_row(of_match, said, seat, len(here), scale_of(terms)) for seat in here)
    return Draft(
        match=match,
        seating=seating,
        round_id=played.id if played else new_id(),
        place=place,
        version=played.version + 1 if played else 1,
        struck=struck,
        entry=entered,
        score=score,
        scores=scores,
        tally=tally,
        settlement=work_out(session, match, seating, tally, place=place, gained=gained, scores=scores),
        entered_at=now(),
        entered_by=by,
        played=played,
        outs=load_outs(session, match, seating, tally, terms=None if played else terms, place=place, gained=gained),
    )
