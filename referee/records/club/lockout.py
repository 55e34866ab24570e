"""Lock keys out with all that they opened, and let them in again.

A lost phone can let in another before anyone notices: by an invitation, a recovery sheet, or a link at the table. So
locking out a key locks out all that it opened, directly or not, unless some of it is spared. Those keys name it in
`revoked_with`, and come back with it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from referee.records.club.access import lock_for
from referee.records.models import Club, Invitation, Key, KeyRole, now
from referee.records.words import say
from referee.rules.text.problem import Impossible, Problem

Openings = Mapping[str, Sequence[Key]]


@dataclass(frozen=True)
class Voided:
    """The keys and invitations that were locked out with a key, or came back with it."""

    keys: Sequence[Key] = ()
    invitations: int = 0


def is_working(key: Key) -> bool:
    """Return whether this key can keep the club's score: it is live, and someone holds its token."""
    whole_club = key.role == KeyRole.SCOREKEEPER and key.match_id is None
    return whole_club and key.revoked_at is None and not key.imported


def is_last(keys: Sequence[Key], key: Key) -> bool:
    """Return whether this is the last of a club's keys that can keep score."""
    return is_working(key) and not any(is_working(other) for other in keys if other is not key)


def openings(keys: Sequence[Key]) -> Openings:
    """Sort a club's keys by the id of the key that opened them."""
    sorted_: dict[str, list[Key]] = {}
    for key in keys:
        if key.opened_by is not None:
            sorted_.setdefault(key.opened_by, []).append(key)
    return sorted_


def opened_by(openings: Openings, key: Key, spared: Collection[str] = (), most: int | None = None) -> list[Key]:
    """List the live keys that a key opened, itself or through others, but none through the ids in `spared`.

    Looks at no more than `most` keys, if given.
    """
    met, waiting, opened = {key.id, *spared}, [key.id], []
    last = len(met) + most if most is not None else None
    while waiting and (last is None or len(met) < last):
        for child in openings.get(waiting.pop(), ()):
            if child.id not in met:
                met.add(child.id)
                waiting.append(child.id)
                if child.revoked_at is None:
                    opened.append(child)
    return sorted(opened, key=lambda opened_key: opened_key.id)


def lock_out(
    session: Session,
    club: Club,
    key: Key,
    by: Key | None = None,
    spared: Collection[str] = (),
    chosen: Collection[str] = (),
) -> Voided:
    """Lock a key out at once, with the invitations, links, sheets and keys that it opened.

    `by` stays, and so do the `spared` ids with what those opened, except for the `chosen`. Locking out one's own
    key means leaving: only its open invitations go with it. Raises `Impossible` for the last key that can keep score,
    and `Conflict` where `by` was just locked out, so that of two who lock each other out one stays.
    """
    keys = _lock_and_list(session, club, by)
    if key.revoked_at is not None:
        return Voided()
    if is_last(keys, key):
        raise Impossible([Problem("id", say("access.last"))])
    leaves = by is not None and by.id == key.id
    tree, stays = openings(keys), {by.id} if by is not None else set()
    going = {*chosen, *(other.id for other in opened_by(tree, key, {*spared, *stays}))}
    gone = [] if leaves else [other for other in opened_by(tree, key, stays) if other.id in going]
    moment = now()
    key.revoked_at = moment
    for other in gone:
        other.revoked_at, other.revoked_with = moment, key.id
    session.flush()
    voided = session.execute(
        update(Invitation)
        .where(
            Invitation.club_id == club.id,
            Invitation.created_by.in_([key.id, *(other.id for other in gone if other.match_id is None)]),
            Invitation.used_at.is_(None),
            Invitation.revoked_at.is_(None),
            Invitation.expires_at > moment,
        )
        .values(revoked_at=moment, revoked_with=key.id)
    )
    return Voided(gone, voided.rowcount)  # type: ignore[attr-defined]


def let_in_again(session: Session, club: Club, key: Key, by: Key | None = None) -> Voided:
    """Let a key in again that was locked out by mistake, with exactly what went with it.

    Not let in: a recovery sheet that a newer one replaced, and a phone whose seat another phone has taken. Raises
    `Impossible` for a recovery sheet itself, and for a name that came with an import; `Conflict` where `by` was just
    locked out.
    """
    keys = _lock_and_list(session, club, by)
    if key.imported:
        raise Impossible([Problem("id", say("access.imported"))])
    if key.recovers:
        raise Impossible([Problem("id", say("access.old-sheet"))])
    seats = {(other.match_id, other.seat) for other in keys if other.seat is not None and other.revoked_at is None}
    sheets = [other.id for other in keys if other.recovers]
    back = [
        other
        for other in keys
        if other.revoked_with == key.id
        and (other.seat is None or (other.match_id, other.seat) not in seats)
        and (not other.recovers or other.id == sheets[-1])
    ]
    for other in (key, *back):
        other.revoked_at = other.revoked_with = None
    session.flush()
    invited = session.execute(
        update(Invitation)
        .where(Invitation.club_id == club.id, Invitation.revoked_with == key.id)
        .values(revoked_at=None, revoked_with=None)
    )
    return Voided(back, invited.rowcount)  # type: ignore[attr-defined]


def _lock_and_list(session: Session, club: Club, by: Key | None) -> Sequence[Key]:
    """Lock the club and list its keys, oldest first.

    Phones replaced by another at their seat are left out: they opened nothing, and don't come back.
    """
    lock_for(session, club, by)
    matters = or_(Key.seat.is_(None), Key.revoked_at.is_(None), Key.revoked_with.is_not(None))
    keys = select(Key).where(Key.club_id == club.id, matters).order_by(Key.id)
    return session.scalars(keys.execution_options(populate_existing=True)).all()
