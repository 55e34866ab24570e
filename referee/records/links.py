"""Links of a match that its sheet can show again: to the live board, and for entering hands.

Their tokens are derived from the server's secret and the id of their key, so that the database stores
only the hash, as of every key, and the sheet can still show the link. After a link is revoked, the
next one is different.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence

from sqlalchemy import Select, select, update
from sqlalchemy.orm import Session

from referee.records.access import make_key
from referee.records.ids import ALPHABET
from referee.records.models import Club, Key, KeyRole, Match, now
from referee.records.tokens import TOKEN_LENGTH, digest_of

NAMES = {KeyRole.BOARD: "Live board", KeyRole.HAND: "Hands at the table"}
"""Names of these keys in the list of keys."""


def derive_token(secret: str | bytes, key_id: str) -> str:
    """Derive the token of a key: 130 bits of HMAC-SHA256, written as every token is."""
    plain = secret.encode() if isinstance(secret, str) else secret
    number = int.from_bytes(hmac.digest(plain, b"link of key " + key_id.encode(), "sha256"))
    return "".join(ALPHABET[number >> 5 * place & 31] for place in range(TOKEN_LENGTH))


def find_link(session: Session, match: Match, role: KeyRole, secret: str | bytes) -> str | None:
    """Give the token of a match's present link; None if there is none, or the secret has changed."""
    return _token(_live_links(session, match, role), secret)


def find_table(session: Session, match: Match, secret: str | bytes) -> tuple[str | None, frozenset[int]]:
    """Give the token of the link for tapping in hands, as `find_link`, and the seats whose phones came by it."""
    keys = session.scalars(_live(match, KeyRole.HAND)).all()
    link = _token([key for key in keys if key.seat is None], secret)
    return link, frozenset(key.seat for key in keys if key.seat is not None)


def open_link(
    session: Session, club: Club, match: Match, role: KeyRole, secret: str | bytes, by: Key | None = None
) -> str:
    """Give the token of a match's link, and make the link when there is none; `by` is the key that opens it."""
    standing = find_link(session, match, role, secret)
    if standing is not None:
        return standing
    key, _ = make_key(session, club, role, NAMES[role], match, by)
    token = derive_token(secret, key.id)
    key.digest = digest_of(token)
    session.flush()
    return token


def close_link(session: Session, match: Match, role: KeyRole) -> None:
    """Revoke a match's link at once and for good."""
    for key in _live_links(session, match, role):
        key.revoked_at = now()
    session.flush()


def move_links(session: Session, match: Match, to: Match, seats: Mapping[int, int]) -> None:
    """Move the links of a match, and the phones that joined by them, to its rematch.

    `seats` maps the seats of the one to those of the other; a phone whose player left stays behind.
    """
    moving = select(Key).where(
        Key.club_id == match.club_id,
        Key.match_id == match.id,
        Key.role.in_((KeyRole.BOARD, KeyRole.HAND)),
        Key.revoked_at.is_(None),
    )
    for key in session.scalars(moving):
        if key.seat is not None and key.seat not in seats:
            continue
        key.match_id, key.seat = to.id, None if key.seat is None else seats[key.seat]
    session.flush()


def take_seat(session: Session, club: Club, match: Match, seat: int, name: str, by: Key | None = None) -> str:
    """Make the key of a phone that enters the hand of one seat; an older phone of that seat is locked out.

    `by` is the key of the table's link that the phone came by.
    """
    session.execute(
        update(Key)
        .where(
            Key.club_id == match.club_id,
            Key.match_id == match.id,
            Key.role == KeyRole.HAND,
            Key.seat == seat,
            Key.revoked_at.is_(None),
        )
        .values(revoked_at=now())
    )
    key, token = make_key(session, club, KeyRole.HAND, name, match, by)
    key.seat = seat
    session.flush()
    return token


def _live_links(session: Session, match: Match, role: KeyRole) -> Sequence[Key]:
    return session.scalars(_live(match, role).where(Key.seat.is_(None))).all()


def _live(match: Match, role: KeyRole) -> Select[Key]:
    own = (Key.club_id == match.club_id, Key.match_id == match.id, Key.role == role, Key.revoked_at.is_(None))
    return select(Key).where(*own).order_by(Key.id)


def _token(links: Sequence[Key], secret: str | bytes) -> str | None:
    for key in links:
        token = derive_token(secret, key.id)
        if hmac.compare_digest(digest_of(token), key.digest):
            return token
    return None
