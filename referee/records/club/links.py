"""Links that pages can show again: of a match to its live board and for entering hands, and those of public pages.

Their tokens are derived from the server's secret and the id of their key, so that the database stores
only the hash, as of every key, and the sheet can still show the link. After a link is revoked, the
next one is different.
"""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Select, bindparam, select, update
from sqlalchemy.orm import Session

from referee.records.club.access import add_key, lock_for, make_key
from referee.records.errors import Gone, NotFound
from referee.records.ids import ALPHABET, TOKEN_LENGTH, digest_of, new_token, read_token
from referee.records.models import Club, Key, KeyRole, Match, now
from referee.records.words import say

_PUBLIC = (
    select(Key, Club)
    .join(Club, Club.id == Key.club_id)
    .where(Key.digest == bindparam("digest"), Key.role == bindparam("role"))
)


def derive_token(secret: str | bytes, key_id: str) -> str:
    """Derive the token of a key: 130 bits of HMAC-SHA256, written as every token is."""
    plain = secret.encode() if isinstance(secret, str) else secret
    number = int.from_bytes(hmac.digest(plain, b"link of key " + key_id.encode(), "sha256"))
    return "".join(ALPHABET[number >> 5 * place & 31] for place in range(TOKEN_LENGTH))


def derive_keys(secret: str | bytes, seed: str) -> tuple[str, str]:
    """Derive the tokens of a new club's scorekeeper and spectator from what is unique to its founding."""
    return derive_token(secret, f"scorekeeper {seed}"), derive_token(secret, f"spectator {seed}")


def find_link(session: Session, match: Match, role: KeyRole, secret: str | bytes) -> str | None:
    """Return the token of a match's present link; None if there is none, or the secret has changed."""
    return _token(session.scalars(_links(match.club_id, match.id, role)).all(), secret)


def find_table(session: Session, match: Match, secret: str | bytes) -> tuple[str | None, frozenset[int]]:
    """Return the token of the link for tapping in hands, as `find_link`, and the seats whose phones came by it."""
    keys = session.scalars(_live(match.club_id, match.id, KeyRole.HAND)).all()
    link = _token([key for key in keys if key.seat is None], secret)
    return link, frozenset(key.seat for key in keys if key.seat is not None)


def open_link(
    session: Session, club: Club, match: Match, role: KeyRole, secret: str | bytes, by: Key | None = None
) -> str:
    """Return the token of a match's link, and make the link when there is none; `by` is the key that opens it."""
    standing = find_link(session, match, role, secret)
    if standing is not None:
        return standing
    return _new_link(session, club, match, role, secret, by)


def close_link(session: Session, match: Match, role: KeyRole) -> None:
    """Revoke a match's link at once and for good."""
    _revoke(session, session.scalars(_links(match.club_id, match.id, role)).all())


@dataclass(frozen=True)
class PublicLink:
    """Whether something has a public page, and the token of its address.

    That is None while the page is off, and for an address made under an older secret of the server: it goes on working
    where it was sent, and can only be closed.
    """

    on: bool
    token: str | None


def find_public(session: Session, club: Club, match: Match | None, secret: str | bytes) -> PublicLink:
    """Return whether a match has a public page, or the club without one."""
    keys = session.scalars(_links(club.id, match.id if match else None, KeyRole.PUBLIC)).all()
    return PublicLink(bool(keys), _token(keys, secret))


def open_public(session: Session, club: Club, match: Match | None, secret: str | bytes, by: Key | None = None) -> str:
    """Return the token of the public page of a match, or of the club, and switch the page on where it is off."""
    lock_for(session, club, by)  # else two who do this at once would have two addresses, and one of them shut
    standing = find_public(session, club, match, secret)
    if standing.token is not None:
        return standing.token
    close_public(session, club, match)
    return _new_link(session, club, match, KeyRole.PUBLIC, secret, by)


def close_public(session: Session, club: Club, match: Match | None) -> None:
    """Switch a public page off at once; its address never opens anything again."""
    _revoke(session, session.scalars(_links(club.id, match.id if match else None, KeyRole.PUBLIC)).all())


@dataclass(frozen=True)
class PublicPage:
    """What a public address shows: a match, or the statistics of a whole club."""

    club: Club
    match_id: str | None


def open_page(session: Session, token: str) -> PublicPage:
    """Find what a public address shows; raises `NotFound`, and `Gone` for a page that was switched off."""
    plain = read_token(token)
    row = plain and session.execute(_PUBLIC, {"digest": digest_of(plain), "role": KeyRole.PUBLIC}).one_or_none()
    if not row:
        raise NotFound("public page")
    key, club = row
    if key.revoked_at is not None or club.has_ended:
        raise Gone(say("link.public-off"))
    return PublicPage(club, key.match_id)


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


def _new_link(
    session: Session, club: Club, match: Match | None, role: KeyRole, secret: str | bytes, by: Key | None
) -> str:
    """Make a key whose token follows from the secret, and give that."""
    lock_for(session, club, by)
    key = add_key(session, club.id, role, say(f"access.{role}"), new_token(), match, by.id if by else None)
    token = derive_token(secret, key.id)
    key.digest = digest_of(token)
    session.flush()
    return token


def _revoke(session: Session, keys: Sequence[Key]) -> None:
    for key in keys:
        key.revoked_at = now()
    session.flush()


def _links(club_id: str, match_id: str | None, *roles: KeyRole) -> Select[Key]:
    return _live(club_id, match_id, *roles).where(Key.seat.is_(None))


def _live(club_id: str, match_id: str | None, *roles: KeyRole) -> Select[Key]:
    own = (Key.club_id == club_id, Key.match_id == match_id, Key.role.in_(roles), Key.revoked_at.is_(None))
    return select(Key).where(*own).order_by(Key.id)


def _token(links: Sequence[Key], secret: str | bytes) -> str | None:
    for key in links:
        token = derive_token(secret, key.id)
        if hmac.compare_digest(digest_of(token), key.digest):
            return token
    return None
