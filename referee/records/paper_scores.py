"""Bring in scores that were kept on paper. Only points come in, since paper kept no cards.

The ids of matches are made from their content, so that the same lines twice come in once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from referee.records.access import lock_club
from referee.records.agreements import new_agreement, scale_of
from referee.records.ids import id_of, new_id
from referee.records.models import Club, Key, Match, Round, RoundScore, RoundVersion, Seat, now
from referee.records.paper_table import MOST_PROBLEMS, Paper, PaperMatch
from referee.records.players import seat_players
from referee.records.ratings import rate_from
from referee.records.results import settle
from referee.records.rounds import score_row
from referee.records.seating import Seated, load_seating
from referee.rules.library import rulebooks
from referee.rules.problem import Impossible, Problem
from referee.rules.round_entry import WENT_OUT
from referee.rules.terms import Terms


def import_paper(session: Session, club: Club, paper: Paper, rulebook: str, by: Key) -> tuple[int, int]:
    """Bring the matches in; give how many came and how many were here. After `Impossible` nothing may be kept."""
    problems = list(paper.problems)
    book = rulebooks().get(rulebook)
    if book is None:
        problems.append(Problem("rulebook", f"Choose one of {', '.join(rulebooks())}."))
    if problems or book is None:
        raise Impossible(problems)
    lock_club(session, club.id)
    moments = _moments(paper.matches)
    ids = [id_of(moment, _content(match, rulebook)) for match, moment in zip(paper.matches, moments, strict=True)]
    known = set(session.scalars(select(Match.id).where(Match.club_id == club.id)))
    fresh: list[str] = []
    for match, moment, id in zip(paper.matches, moments, ids, strict=True):
        if id in known:
            continue
        try:
            terms = Terms.agree(book, players=len(match.players))
            _write(session, club, match, terms, id, moment, by)
        except Impossible as error:
            problems += [Problem(f"line {match.line}", problem.message) for problem in error.problems]
            if len(problems) >= MOST_PROBLEMS:
                break
        fresh.append(id)
        known.add(id)
    if problems:
        raise Impossible(problems)
    if fresh:
        rate_from(session, club.id, min(fresh))
    return len(fresh), len(ids) - len(fresh)


def _moments(matches: Sequence[PaperMatch]) -> list[datetime]:
    """Give each match a moment of its day: noon, and a minute later for each further one."""
    seen: dict[date, int] = {}
    moments = []
    for match in matches:
        seen[match.day] = seen.get(match.day, -1) + 1
        noon = datetime(match.day.year, match.day.month, match.day.day, 12, tzinfo=UTC)
        moments.append(min(noon, now()) + timedelta(minutes=seen[match.day]))
    return moments


def _content(match: PaperMatch, rulebook: str) -> bytes:
    said = [match.day.isoformat(), match.name, rulebook, match.players, [dict(round) for round in match.rounds]]
    return json.dumps(said, ensure_ascii=False).encode()


def _write(
    session: Session, club: Club, paper: PaperMatch, terms: Terms, id: str, moment: datetime, by: Key
) -> None:
    players = seat_players(session, club, paper.players)
    agreement = new_agreement(session, club.id, terms, 1, "", by)
    match = Match(
        club_id=club.id,
        id=id,
        rulebook=terms.rulebook.id,
        agreements=[agreement],
        name=paper.name,
        started_at=moment,
        created_by=by.id,
    )
    session.add(match)
    session.flush()
    own = {"club_id": club.id, "match_id": id}
    seats = [
        own | {"seat": seat, "player_id": player.id, "name_then": player.name, "stays": [[1, None]]}
        for seat, player in enumerate(players)
    ]
    session.execute(insert(Seat), seats)
    seating = load_seating(session, match)
    by_name = dict(zip(paper.players, seating.seats, strict=True))
    rounds, versions, scores = [], [], []
    for place, points in enumerate(paper.rounds, start=1):
        round_id = new_id(moment)
        here = {by_name[name]: worth for name, worth in points.items() if worth is not None}
        version = _version(terms, here, [by_name[name].seat for name, worth in points.items() if worth is None])
        rounds.append(own | {"id": round_id, "place": place})
        row = {"club_id": club.id, "round_id": round_id, "version": 1, "entered_at": moment, "entered_by": by.id}
        versions.append(row | version)
        played, said = Round(**rounds[-1]), RoundVersion(entry=version["entry"], score=version["score"])
        scores += [score_row(played, said, seat, len(here), scale_of(terms)) for seat in here]
    session.execute(insert(Round), rounds)
    session.execute(insert(RoundVersion), versions)
    if scores:
        session.execute(insert(RoundScore), scores)
    settle(session, match, seating, by_hand=True, rate=False)
    match.finished_at = moment
    session.flush()
    session.expunge(match)


def _version(terms: Terms, points: Mapping[Seated, int], sat_out: Sequence[int]) -> dict[str, Any]:
    """Write a round of which only the points are known; who went out is said where the points tell it."""
    takes = terms.awards == "winner-takes"
    telling = [seat.seat for seat, worth in points.items() if (worth > 0) == takes]
    out = telling[0] if len(telling) == 1 else None
    return {
        "entry": {
            "ended": WENT_OUT,
            "went_out": out,
            "hands": {},
            "cards_left": {},
            "last_card": None,
            "credited_to": None,
            "sat_out": list(sat_out),
        },
        "score": {
            "hands": {},
            "points": {str(seat.seat): worth for seat, worth in points.items()},
            "credited_to": [seat.seat for seat, worth in points.items() if worth > 0] if takes else [],
            "winners": [],
        },
    }
