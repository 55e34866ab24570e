"""Delete a match: it stays where it is, and no list, sum, link or export comes upon it until it is restored."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from referee.records.club.access import lock_club
from referee.records.deletion.waiting import Lost, count_by, refuse_deleted, until
from referee.records.errors import Deleted, NotFound
from referee.records.ids import is_id
from referee.records.match.history import note_rematches
from referee.records.match.sheets import load_summaries
from referee.records.match.tallies import advance
from referee.records.models import DELETED_TOO, DeletionKind, Match, MatchStatus, Round, Ruling, now
from referee.records.statistics.ratings import rate_soon


def losses_of(session: Session, matches: Sequence[Match]) -> list[Lost]:
    """Return what goes, or went, with some matches of one club."""
    if not matches:
        return []
    club_id, ids = matches[0].club_id, [match.id for match in matches]
    losses = []
    live = (Round.club_id == club_id, Round.match_id.in_(ids), Round.struck.is_(False))
    rounds = count_by(session, Round.match_id, *live)
    rulings = count_by(session, Ruling.match_id, Ruling.club_id == club_id, Ruling.match_id.in_(ids))
    for summary in load_summaries(session, matches):
        match = summary.match
        loss = {
            "players": list(summary.players),
            "rounds": rounds.get(match.id, 0),
            "rulings": rulings.get(match.id, 0),
            "rulebook": match.rulebook,
            "started_at": match.started_at.isoformat(),
        }
        at = match.deleted_at or now()
        losses.append(Lost(DeletionKind.MATCH, match.id, at, until(at), loss))
    return losses


def delete_match(session: Session, match: Match) -> None:
    """Delete a match that is locked."""
    match.deleted_at = now()
    _turn(session, match)


def find_match(session: Session, club_id: str, match_id: str, *, lock: bool = False) -> Match:
    """Look up a match, deleted or not; raises `NotFound`, and `Deleted` where it is gone for good."""
    if not is_id(match_id):
        raise NotFound("match")
    if lock:
        lock_club(session, club_id)
    key = (club_id, match_id)
    match = session.get(Match, key, with_for_update=lock or None, execution_options=DELETED_TOO)
    if match is None:
        refuse_deleted(session, club_id, match_id)
        raise NotFound("match")
    return match


def restore_match(session: Session, club_id: str, match_id: str) -> Match:
    """Restore a match; one that is there stays as it is. Raises as `find_match`."""
    match = find_match(session, club_id, match_id, lock=True)
    if match.deleted_at is not None:
        if until(match.deleted_at) is None:
            raise Deleted(DeletionKind.MATCH, match_id, match.deleted_at, None)
        match.deleted_at = None
        _turn(session, match)
    return match


def _turn(session: Session, match: Match) -> None:
    """Let every reader see that the match changed, and rate those after it anew."""
    advance(session, match)
    if match.status == MatchStatus.FINISHED:
        rate_soon(session, match.club_id, match.id)
        note_rematches(session, match)
