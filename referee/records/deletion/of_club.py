"""Delete and restore a match or a club: it stays where it is, and nothing finds or opens it until it is restored."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from referee.records.club.access import lock_club, lock_for
from referee.records.deletion.of_player import losses_of_names
from referee.records.deletion.waiting import RESTORABLE_FOR, Lost, count_by, lost, refuse_deleted, until
from referee.records.errors import Deleted, NotFound
from referee.records.ids import digest_of, is_id, read_token
from referee.records.match.history import note_rematches
from referee.records.match.sheets import load_summaries
from referee.records.match.tallies import advance
from referee.records.models import (
    DELETED_TOO,
    LISTED,
    Base,
    Club,
    Deletion,
    DeletionKind,
    Evening,
    Key,
    KeyRole,
    Match,
    MatchStatus,
    Player,
    Round,
    Ruling,
    Season,
    columns_of,
    now,
    of_live_match,
)
from referee.records.statistics.ratings import rate_soon

MOST_LISTED = 100
"""Of what a club deleted; whoever deleted more finds the rest at its old address."""


def losses_of(session: Session, matches: Sequence[Match]) -> list[Lost]:
    """Return what goes, or went, with some matches of one club."""
    if not matches:
        return []
    club_id, ids, losses = matches[0].club_id, [match.id for match in matches], []
    live = (Round.club_id == club_id, Round.match_id.in_(ids), Round.struck.is_(False))
    rounds = count_by(session, Round.match_id, *live)
    rulings = count_by(session, Ruling.match_id, Ruling.club_id == club_id, Ruling.match_id.in_(ids))
    for match, players in ((summary.match, summary.players) for summary in load_summaries(session, matches)):
        counted = {"rounds": rounds.get(match.id, 0), "rulings": rulings.get(match.id, 0)}
        began = {"rulebook": match.rulebook, "started_at": match.started_at.isoformat()}
        losses.append(lost(DeletionKind.MATCH, match, {"players": list(players)} | counted | began))
    return losses


def turn_match(session: Session, club_id: str, match_id: str, *, deleted: bool) -> Match:
    """Delete a match, or restore it, under the lock; one in that state already stays as it is.

    Every reader sees it, and matches after it are rated anew. Raises `NotFound`, and `Deleted` once it's gone for good.
    """
    if not is_id(match_id):
        raise NotFound("match")
    lock_club(session, club_id)
    match = session.get(Match, (club_id, match_id), with_for_update=True, execution_options=DELETED_TOO)
    if match is None:
        refuse_deleted(session, club_id, match_id)
        raise NotFound("match")
    if match.deleted_at is not None and until(match.deleted_at) is None:
        raise Deleted(DeletionKind.MATCH, match_id, match.deleted_at, None)
    if deleted != (match.deleted_at is not None):
        match.deleted_at = now() if deleted else None
        advance(session, match)
        if match.status == MatchStatus.FINISHED:
            rate_soon(session, club_id, match_id)
            note_rematches(session, match)
    return match


def count_deleted_with_club(session: Session, club: Club) -> dict[str, int]:
    """Count what goes when a club is deleted; `keys` are phones, scripts and links that open it."""
    counted: dict[str, tuple[type[Base], tuple[ColumnElement[bool], ...]]] = {
        "matches": (Match, ()),
        "rounds": (Round, (Round.struck.is_(False), of_live_match(Round.match_id))),
        "players": (Player, (Player.merged_into.is_(None), Player.deleted_at.is_(None))),
        "keys": (Key, (Key.revoked_at.is_(None), or_(Key.match_id.is_(None), of_live_match(Key.match_id)))),
    }
    found = {}
    for name, (table, only) in counted.items():
        rows = select(func.count()).select_from(table).where(columns_of(table).club_id == club.id, *only)
        found[name] = session.scalar(rows, {"club_id": club.id}) or 0
    return found


def delete_club(session: Session, club: Club, by: Key) -> Lost:
    """Delete a club; nothing else is touched. Raises `Conflict`."""
    lock_for(session, club, by)
    counted = count_deleted_with_club(session, club)
    del counted["keys"]
    club.deleted_at = now()
    session.flush()
    return lost(DeletionKind.CLUB, club, {"name": club.name} | counted)


def find_restorer(session: Session, token: str) -> Key | None:
    """Find the key of a token that may restore its club, though another phone just did; None for any other."""
    may = (Key.revoked_at.is_(None), Key.match_id.is_(None), Key.role == KeyRole.SCOREKEEPER)
    held = select(Key, Club).join(Club, Club.id == Key.club_id)
    held = held.where(Key.digest == digest_of(read_token(token) or ""), *may)
    key, club = session.execute(held, execution_options=DELETED_TOO).one_or_none() or (None, None)
    return key if club is not None and (club.deleted_at is not None or not club.has_ended) else None


def restore_club(session: Session, club_id: str) -> Club:
    """Restore a club; one that is there stays as it is. Raises `NotFound`, and `Deleted` where it is gone."""
    club = session.get(Club, club_id, with_for_update=True, execution_options=DELETED_TOO)
    if club is None:
        raise NotFound("club")
    if club.deleted_at is not None:
        last = until(club.deleted_at)
        if last is None or session.get(Deletion, (club_id, club_id)) is not None:  # a purge has begun
            raise Deleted(DeletionKind.CLUB, club_id, club.deleted_at, None)
        club.deleted_at = None
        session.flush()
    return club


def list_restorable(session: Session, club_id: str) -> Sequence[Lost]:
    """List the matches, names, seasons and evenings that a club can restore, the latest first."""
    since = now() - RESTORABLE_FOR
    gone = select(Match).where(Match.club_id == club_id, Match.deleted_at > since).options(*LISTED)
    gone = gone.order_by(Match.deleted_at.desc()).limit(MOST_LISTED)
    nameless = select(Player).where(Player.club_id == club_id, Player.deleted_at > since)
    nameless = nameless.where(Player.deleted_name.is_not(None)).order_by(Player.deleted_at.desc()).limit(MOST_LISTED)
    losses = losses_of(session, session.scalars(gone, execution_options=DELETED_TOO).all())
    losses += losses_of_names(session, session.scalars(nameless).all())
    own: tuple[tuple[DeletionKind, Any], ...] = ((DeletionKind.SEASON, Season), (DeletionKind.EVENING, Evening))
    for kind, model in own:
        chosen = select(model).where(model.club_id == club_id, model.deleted_at > since)
        for row in session.scalars(chosen.order_by(model.deleted_at.desc()).limit(MOST_LISTED)):
            began = {"started_at": row.started_at.isoformat()} if isinstance(row, Evening) else {}
            losses.append(lost(kind, row, {"name": row.name} | began))
    return sorted(losses, key=lambda loss: (loss.at, loss.id), reverse=True)[:MOST_LISTED]
