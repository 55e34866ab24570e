"""Answer in one indexed query whether a match changed: boards and sheets poll every other second."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, Select, and_, bindparam, func, or_, select
from sqlalchemy.orm import Session

from referee.records.ids import digest_of, read_token
from referee.records.models import Club, Key, KeyRole, Match, state_of


@dataclass(frozen=True)
class Watched:
    """What a board shows: a match and its state, or no match yet."""

    club_id: str
    match_id: str | None
    revision: int | None
    nonce: int | None
    language: str
    """the club's"""
    import_id: str | None = None
    """the import for which the club is closed: nothing of it is to be shown before it ends"""

    @property
    def state(self) -> int | None:
        """Return what `Match.state` would; None where there is no match."""
        return None if self.revision is None or self.nonce is None else state_of(self.revision, self.nonce)


_club, _key, _match, _newest = Club.__table__, Key.__table__, Match.__table__, Match.__table__.alias()
# the database's clock, since `Watcher` passes parameters to the driver as they are
_STAYS = and_(_club.c.deleted_at.is_(None), or_(_club.c.ends_at.is_(None), _club.c.ends_at > func.current_timestamp()))
_BOARD = (
    select(_key.c.club_id, _match.c.id, _match.c.revision, _match.c.nonce, _club.c.language, _club.c.import_id)
    .join_from(_key, _club, _club.c.id == _key.c.club_id)
    .outerjoin(
        _match,
        and_(
            _match.c.club_id == _key.c.club_id,
            _match.c.id
            == func.coalesce(
                _key.c.match_id,
                select(func.max(_newest.c.id))
                .where(_newest.c.club_id == _key.c.club_id, _newest.c.deleted_at.is_(None))
                .scalar_subquery(),
            ),
        ),
    )
    .where(
        _key.c.digest == bindparam("digest"),
        _key.c.revoked_at.is_(None),
        _key.c.evening_id.is_(None),  # else the screen of an evening would show the club's newest match
        _STAYS,
        _match.c.deleted_at.is_(None),
        or_(_key.c.role == KeyRole.BOARD, _key.c.role == KeyRole.SPECTATOR),  # IN is written anew each time
    )
)
"""What a board's link shows. Over the tables themselves, not their classes: boards ask this many times a second."""
_SHEET = (
    select(_match.c.club_id, _match.c.id, _match.c.revision, _match.c.nonce, _club.c.language, _club.c.import_id)
    .join_from(_key, _club, _club.c.id == _key.c.club_id)
    .join(_match, _match.c.club_id == _key.c.club_id)
    .where(
        _key.c.digest == bindparam("digest"),
        _key.c.revoked_at.is_(None),
        _STAYS,
        or_(
            _key.c.role == KeyRole.SCOREKEEPER,
            _key.c.role == KeyRole.SPECTATOR,
            and_(_key.c.role == KeyRole.TABLE, _key.c.match_id == _match.c.id),
        ),
        _match.c.deleted_at.is_(None),
        _match.c.id == bindparam("match_id"),
        or_(_key.c.match_id.is_(None), _key.c.match_id == _match.c.id),
    )
)
"""A match that may be read with a key."""


def watch(session: Session, token: str) -> Watched | None:
    """Find out what a board's link shows, and in which state; None for a wrong or revoked one.

    A key of the whole club shows its newest match. A scorekeeper's key opens no board: it has no
    business in an address.
    """
    plain = read_token(token)
    if plain is None:
        return None
    with session.get_bind().engine.connect() as connection:
        row = connection.execute(_BOARD, {"digest": digest_of(plain)}).one_or_none()
    return None if row is None else Watched(*row)


class Watcher:
    """Ask the driver itself, at a fifth of the price, for pages that ask and ask.

    Its methods raise the errors of SQLAlchemy's pool, and the driver's own.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._questions = {id(question): _Written(question, engine) for question in (_BOARD, _SHEET)}
        self._has_mode = engine.dialect.name != "sqlite"  # a connection to SQLite is given without a transaction

    def board(self, token: str) -> Watched | None:
        """Answer as `watch`."""
        return self._ask(_BOARD, token)

    def sheet(self, token: str, match_id: str) -> Watched | None:
        """Find the state of a match, for the key of a phone that has its sheet open; None where it may not read it."""
        return self._ask(_SHEET, token, match_id=match_id)

    def _ask(self, question: Select[Any], token: str, **given: str) -> Watched | None:
        plain = read_token(token)
        if plain is None:
            return None
        written = self._questions[id(question)]
        parameters = written.parameters(digest=digest_of(plain), **given)
        connection = self._engine.raw_connection()
        driver: Any = connection.driver_connection
        try:
            if self._has_mode:
                driver.autocommit = True  # else its driver begins, and the pool rolls back: three ways to and fro
            rows = driver.execute(written.statement, parameters).fetchall()
            if self._has_mode:
                driver.autocommit = False
        except BaseException:
            connection.invalidate()
            raise
        connection.close()
        return Watched(*rows[0]) if rows else None


class _Written:
    """A question in the words of one database."""

    def __init__(self, question: Select[Any], engine: Engine) -> None:
        compiled = question.compile(dialect=engine.dialect)
        self.statement, self._usual, self._places = str(compiled), dict(compiled.params), compiled.positiontup

    def parameters(self, **given: str) -> Any:
        """Return the parameters as the driver takes them, by name or in their order."""
        named = self._usual | given
        return named if self._places is None else tuple(named[place] for place in self._places)
