"""Links of a match that its sheet shows as often as it is asked: to the live board, and for tapping in hands.

Their tokens are derived from the server's secret and the id of their key, so that the database keeps
only the hash, as of every key, and the sheet can still draw the link again. Whoever revokes a link
makes the next one another.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, Select, and_, bindparam, func, or_, select, update
from sqlalchemy.orm import Session

from referee.records.access import TOKEN_LENGTH, make_key, read_token
from referee.records.ids import ALPHABET
from referee.records.models import Club, Key, KeyRole, Match, now

NAMES = {KeyRole.BOARD: "Live board", KeyRole.HAND: "Hands at the table"}
"""How these keys are called in the list of keys."""


@dataclass(frozen=True)
class Watched:
    """What a board shows: a match and its revision, or no match yet."""

    club_id: str
    match_id: str | None
    revision: int | None


def derive_token(secret: str | bytes, key_id: str) -> str:
    """Derive the token of a key: 130 bits of HMAC-SHA256, written as every token is."""
    plain = secret.encode() if isinstance(secret, str) else secret
    number = int.from_bytes(hmac.digest(plain, b"link of key " + key_id.encode(), "sha256"))
    return "".join(ALPHABET[number >> 5 * place & 31] for place in range(TOKEN_LENGTH))


def find_link(session: Session, match: Match, role: KeyRole, secret: str | bytes) -> str | None:
    """Give the token of a match's link as it stands; None when there is none, or the secret has changed."""
    return _token(_live_links(session, match, role), secret)


def find_table(session: Session, match: Match, secret: str | bytes) -> tuple[str | None, frozenset[int]]:
    """Give the token of the link for tapping in hands, as `find_link`, and the seats whose phones came by it."""
    keys = session.scalars(_live(match, KeyRole.HAND)).all()
    link = _token([key for key in keys if key.seat is None], secret)
    return link, frozenset(key.seat for key in keys if key.seat is not None)


def open_link(session: Session, club: Club, match: Match, role: KeyRole, secret: str | bytes) -> str:
    """Give the token of a match's link, and make the link when there is none."""
    standing = find_link(session, match, role, secret)
    if standing is not None:
        return standing
    key, _ = make_key(session, club, role, NAMES[role], match)
    token = derive_token(secret, key.id)
    key.digest = _digest(token)
    session.flush()
    return token


def close_link(session: Session, match: Match, role: KeyRole) -> None:
    """Revoke a match's link at once and for good."""
    for key in _live_links(session, match, role):
        key.revoked_at = now()
    session.flush()


def move_links(session: Session, match: Match, to: Match, seats: Mapping[int, int]) -> None:
    """Let the links of a match, and the phones that came by them, go on with its rematch.

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


_key, _match, _newest = Key.__table__, Match.__table__, Match.__table__.alias()
_WATCHED = (
    select(_key.c.club_id, _match.c.id, _match.c.revision)
    .outerjoin_from(
        _key,
        _match,
        and_(
            _match.c.club_id == _key.c.club_id,
            _match.c.id
            == func.coalesce(
                _key.c.match_id,
                select(func.max(_newest.c.id)).where(_newest.c.club_id == _key.c.club_id).scalar_subquery(),
            ),
        ),
    )
    .where(
        _key.c.digest == bindparam("digest"),
        _key.c.revoked_at.is_(None),
        or_(_key.c.role == KeyRole.BOARD, _key.c.role == KeyRole.SPECTATOR),  # IN is written anew each time
    )
)
"""Over the tables themselves, not their classes: boards ask this many times a second."""


def watch(session: Session, token: str) -> Watched | None:
    """Find out by one indexed query what a board's link shows, and in which state; None for a wrong or revoked one.

    A key of the whole club shows its newest match. A scorekeeper's key opens no board: it has no
    business in an address.
    """
    plain = read_token(token)
    if plain is None:
        return None
    with session.get_bind().engine.connect() as connection:
        found = connection.execute(_WATCHED, {"digest": _digest(plain)}).one_or_none()
    return None if found is None else Watched(*found)


class Watcher:
    """Ask what `watch` asks of the driver itself: a fifth of the price, for boards that ask and ask."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        said = _WATCHED.compile(dialect=engine.dialect)
        self._statement, self._given, self._places = str(said), dict(said.params), said.positiontup
        self._has_mode = engine.dialect.name != "sqlite"  # a connection to SQLite is given without a transaction

    def __call__(self, token: str) -> Watched | None:
        """Answer as `watch`; raise the errors of SQLAlchemy's pool, and the driver's own."""
        plain = read_token(token)
        if plain is None:
            return None
        given = self._given | {"digest": _digest(plain)}
        parameters = given if self._places is None else tuple(given[place] for place in self._places)
        connection = self._engine.raw_connection()
        driver: Any = connection.driver_connection
        try:
            if self._has_mode:
                driver.autocommit = True  # else its driver begins, and the pool rolls back: three ways to and fro
            found = driver.execute(self._statement, parameters).fetchall()
            if self._has_mode:
                driver.autocommit = False
        except BaseException:
            connection.invalidate()
            raise
        connection.close()
        return Watched(*found[0]) if found else None


def take_seat(session: Session, club: Club, match: Match, seat: int, name: str) -> str:
    """Make the key of a phone that taps in the hand of one seat; an older phone of that seat is locked out."""
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
    key, token = make_key(session, club, KeyRole.HAND, name, match)
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
        if hmac.compare_digest(_digest(token), key.digest):
            return token
    return None


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
