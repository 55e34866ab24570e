"""Links that pages can show again: to a match's live board, for entering hands, to an evening's tables, public pages.

Their tokens are derived from the server's secret and the id of their key, so that the database stores
only the hash, as of every key, and the sheet can still show the link. After a link is revoked, the
next one is different.
"""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, bindparam, func, select, update
from sqlalchemy.orm import Session

from referee.records.club.access import add_key, lock_for, make_key
from referee.records.errors import Gone, NotFound
from referee.records.ids import ALPHABET, TOKEN_LENGTH, digest_of, new_token, read_token
from referee.records.models import Club, Evening, Key, KeyRole, Match, Season, now
from referee.records.words import say

_PUBLIC = (
    select(Key, Club)
    .join(Club, Club.id == Key.club_id)
    .where(Key.digest == bindparam("digest"), Key.role == bindparam("role"))
)
_SHOWING = (
    select(Key)
    .where(Key.club_id == bindparam("club_id"), Key.role == KeyRole.PUBLIC, Key.revoked_at.is_(None))
    .where(Key.match_id.is_not_distinct_from(bindparam("match_id")))
    .where(Key.season_id.is_not_distinct_from(bindparam("season_id")))
    .order_by(Key.id)
)  # built once, as every page that can be shown asks it


def derive_token(secret: str | bytes, key_id: str) -> str:
    """Derive the token of a key: 130 bits of HMAC-SHA256, written as every token is."""
    plain = secret.encode() if isinstance(secret, str) else secret
    number = int.from_bytes(hmac.digest(plain, b"link of key " + key_id.encode(), "sha256"))
    return "".join(ALPHABET[number >> 5 * place & 31] for place in range(TOKEN_LENGTH))


def derive_keys(secret: str | bytes, seed: str) -> tuple[str, str]:
    """Derive the tokens of a new club's scorekeeper and spectator from what is unique to its founding."""
    return derive_token(secret, f"scorekeeper {seed}"), derive_token(secret, f"spectator {seed}")


def find_link(session: Session, of: Match | Evening, role: KeyRole, secret: str | bytes) -> str | None:
    """Return the token of the present link of either; None if there is none, or the secret has changed."""
    return _token(session.scalars(_links(of, role)).all(), secret)


def find_table(session: Session, match: Match, secret: str | bytes) -> tuple[str | None, frozenset[int]]:
    """Return the token of the link for tapping in hands, as `find_link`, and the seats whose phones came by it."""
    keys = session.scalars(_live(match, KeyRole.HAND)).all()
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


def close_link(session: Session, of: Match | Evening, role: KeyRole) -> None:
    """Revoke the link of a match or an evening at once and for good."""
    _revoke(session, session.scalars(_links(of, role)).all())


def open_screen(session: Session, club: Club, evening: Evening, secret: str | bytes, by: Key | None = None) -> str:
    """Return the token of an evening's television, and make its link where there is none."""
    lock_for(session, club, by)
    standing = find_link(session, evening, KeyRole.BOARD, secret)
    if standing is not None:
        return standing
    close_link(session, evening, KeyRole.BOARD)
    return _new_link(session, club, None, KeyRole.BOARD, secret, by, say("access.screen"), evening_id=evening.id)


@dataclass(frozen=True)
class PublicLink:
    """Whether something has a public page, and the token of its address.

    That is None while the page is off, and for an address made under an older secret of the server: it goes on working
    where it was sent, and can only be closed.
    """

    on: bool
    token: str | None


Shown = Match | Season | None
"""What a public page shows; None for the statistics of the whole club."""


def find_public(session: Session, club: Club, shown: Shown, secret: str | bytes) -> PublicLink:
    """Return whether a match, a season or the club has a public page."""
    keys = _public(session, club, shown)
    return PublicLink(bool(keys), _token(keys, secret))


def open_public(session: Session, club: Club, shown: Shown, secret: str | bytes, by: Key | None = None) -> str:
    """Return the token of a public page, and switch the page on where it is off."""
    lock_for(session, club, by)  # else two who do this at once would have two addresses, and one of them shut
    standing = find_public(session, club, shown, secret)
    if standing.token is not None:
        return standing.token
    close_public(session, club, shown)
    match, season_id = shown if isinstance(shown, Match) else None, shown.id if isinstance(shown, Season) else None
    return _new_link(session, club, match, KeyRole.PUBLIC, secret, by, season_id=season_id)


def close_public(session: Session, club: Club, shown: Shown) -> None:
    """Switch a public page off at once; its address never opens anything again."""
    _revoke(session, _public(session, club, shown))


def _public(session: Session, club: Club, shown: Shown) -> Sequence[Key]:
    match_id = shown.id if isinstance(shown, Match) else None
    season_id = shown.id if isinstance(shown, Season) else None
    return session.scalars(_SHOWING, {"club_id": club.id, "match_id": match_id, "season_id": season_id}).all()


@dataclass(frozen=True)
class PublicPage:
    """What a public address shows: a match, a season, or the statistics of a whole club."""

    club: Club
    match_id: str | None
    season_id: str | None


def open_page(session: Session, token: str) -> PublicPage:
    """Find what a public address shows; raises `NotFound`, and `Gone` for a page that was switched off."""
    plain = read_token(token)
    row = plain and session.execute(_PUBLIC, {"digest": digest_of(plain), "role": KeyRole.PUBLIC}).one_or_none()
    if not row:
        raise NotFound("public page")
    key, club = row
    if key.revoked_at is not None or club.has_ended:
        raise Gone(say("link.public-off"))
    return PublicPage(club, key.match_id, key.season_id)


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
    close_seat(session, match.club_id, match.id, seat)
    key, token = make_key(session, club, KeyRole.HAND, name, match, by)
    key.seat = seat
    session.flush()
    return token


def close_seat(session: Session, club_id: str, match_id: str, seat: int) -> None:
    """Lock out the phone that enters the hand of one seat."""
    own = (Key.club_id == club_id, Key.match_id == match_id, Key.role == KeyRole.HAND, Key.seat == seat)
    session.execute(update(Key).where(*own, Key.revoked_at.is_(None)).values(revoked_at=now()))


def find_tables(session: Session, evening: Evening, secret: str | bytes) -> dict[int, str]:
    """Return the tokens of the links to an evening's tables, by the number of the table."""
    found = {key.table: _token([key], secret) for key in session.scalars(_live(evening, KeyRole.TABLE))}
    return {table: token for table, token in found.items() if table is not None and token is not None}


def open_tables(
    session: Session, club: Club, evening: Evening, tables: Iterable[int], secret: str | bytes, by: Key | None = None
) -> None:
    """Make the links to those of these tables that have none."""
    lock_for(session, club, by)
    there = find_tables(session, evening, secret)
    for table in sorted({*tables} - there.keys()):
        name, of = say("access.table", table=table), {"evening_id": evening.id, "table": table}
        _new_link(session, club, None, KeyRole.TABLE, secret, by, name, **of)


def close_tables(session: Session, evening: Evening) -> None:
    """Lock out the phones of an evening's tables for good, and revoke the links by which they came."""
    of_evening = (Key.club_id == evening.club_id, Key.evening_id == evening.id, Key.role == KeyRole.TABLE)
    revoked = func.coalesce(Key.revoked_at, now())
    # one that was locked out with another doesn't come back with it
    session.execute(update(Key).where(*of_evening).values(revoked_at=revoked, revoked_with=None))


def lead_tables(session: Session, evening: Evening, matches: Mapping[int, str]) -> None:
    """Lead the phones of an evening's tables to the match that is at each of them now; elsewhere they wait."""
    for key in session.scalars(_live(evening, KeyRole.TABLE)):
        key.match_id = matches.get(key.table or 0)
    session.flush()


def _new_link(
    session: Session,
    club: Club,
    match: Match | None,
    role: KeyRole,
    secret: str | bytes,
    by: Key | None,
    name: str = "",
    **of: Any,
) -> str:
    """Make a key whose token follows from the secret, with what it is `of` besides a match, and return the token."""
    lock_for(session, club, by)
    named = name or say(f"access.{role}")
    key = add_key(session, club.id, role, named, new_token(), match, by.id if by else None)
    token = derive_token(secret, key.id)
    key.digest = digest_of(token)
    for column, value in of.items():
        setattr(key, column, value)
    session.flush()
    return token


def _revoke(session: Session, keys: Sequence[Key]) -> None:
    for key in keys:
        key.revoked_at = now()
    session.flush()


def _links(of: Match | Evening, role: KeyRole) -> Select[Key]:
    return _live(of, role).where(Key.seat.is_(None))


def _live(of: Match | Evening, role: KeyRole) -> Select[Key]:
    own = (Key.match_id if isinstance(of, Match) else Key.evening_id) == of.id
    chosen = select(Key).where(Key.club_id == of.club_id, own, Key.role == role, Key.revoked_at.is_(None))
    return chosen.order_by(Key.id)


def _token(links: Sequence[Key], secret: str | bytes) -> str | None:
    for key in links:
        token = derive_token(secret, key.id)
        if hmac.compare_digest(digest_of(token), key.digest):
            return token
    return None
