"""Who asks, and may they: one getter a thing, which finds it and guards it.

The key comes as ``Authorization: Bearer …`` or in the session cookie; a bearer key goes first. Another
club's thing is not found (404), never forbidden: nobody learns that it exists.
"""

from __future__ import annotations

from flask import Flask, g, has_request_context, request, session
from sqlalchemy import Connection, event, inspect
from sqlalchemy.orm import Session, SessionTransaction
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Forbidden, Unauthorized

from referee.records import access, matches, players, rounds
from referee.records.deletion import of_club, waiting
from referee.records.errors import Deleted, NotFound
from referee.records.models import Club, DeletionKind, Key, KeyRole, Match, Player, Round
from referee.records.plain import attached
from referee.records.transfer.bulk import BEGIN
from referee.records.transfer.taking_back import reopen
from referee.web.server import rate_limits
from referee.web.server.database import is_looking, looking
from referee.web.server.extensions import db
from referee.web.words import say

SESSION_KEYS = "keys"
"""Name in the session of the tokens this browser holds, the one in use first."""
MOST_KEYS = 8
"""Clubs a browser stays a member of; a cookie has little room."""
SAFE = ("GET", "HEAD")
"""Methods of requests that only read."""


def init_app(app: Flask) -> None:
    """Find out who asks before any view runs."""
    app.before_request(_forget)


def _forget() -> None:
    g.pop("holder", None)
    g.pop("holder_club", None)
    g.pop("holder_ends_at", None)
    g.pop("wrong_key", None)
    g.pop("gone", None)


def records() -> Session:
    """Give the database session of this request."""
    return db.session()


def holder() -> tuple[Key, Club] | None:
    """Tell which key and club this request speaks for; None for a stranger. Looked up once a request; may raise 429.

    Both are to be read only; `get_key` and `get_club` give what can be changed.
    """
    if "holder" not in g:
        token, in_header = _token(), "Authorization" in request.headers
        with looking():
            g.holder = found = access.look_at_key(records(), token) if token else None
            deletion = waiting.find_by_token(records(), token) if token and found is None else None
            g.gone = None if deletion is None else waiting.error_of(deletion)
        # plain, for pages drawn after a rollback too
        g.holder_club, g.holder_ends_at = ((found[1].id, found[1].name), found[1].ends_at) if found else (None, None)
        if token and g.holder is None and g.gone is None:
            rate_limits.count_wrong_key(refuse=in_header)
    held: tuple[Key, Club] | None = g.holder
    return held


def refuse_deleted() -> None:
    """Raise `Deleted` where the key of this request was deleted with its match or club; else a stranger asks."""
    if holder() is None and g.gone is not None:
        raise g.gone


def presents_key() -> bool:
    """Tell whether this request brings a key at all, right or wrong; asks no database."""
    return bool(_bearer() if "Authorization" in request.headers else session.get(SESSION_KEYS))


def only_read() -> Session:
    """Let the rest of this request read and hold up nobody, though it may write by its method; give its session."""
    records().rollback()
    _forget()
    records().connection(execution_options={BEGIN: "DEFERRED"})
    return records()


def get_key(*, write: bool = False) -> Key:
    """Give the key of this request; 401 without one, 403 when it may not do this."""
    key = look_at_key(write=write)
    with looking():
        return attached(records(), key)


def look_at_key(*, write: bool = False) -> Key:
    """Give the key of this request as `get_key` does, to be read only."""
    found = holder()
    if found is None:
        refuse_deleted()
        raise Unauthorized(
            _how_to_get_in(),
            www_authenticate=WWWAuthenticate("bearer", {"realm": "club"}),
        )
    key, club = found
    if club.import_id is not None:
        records().rollback()
        _forget()
        reopen(db.engine, club.id, club.import_id)
        return look_at_key(write=write)
    if key.role not in (KeyRole.SCOREKEEPER, KeyRole.SPECTATOR) or (write and key.role != KeyRole.SCOREKEEPER):
        raise Forbidden(say("failure.view-only"))
    return key


def may_write() -> bool:
    """Tell whether the key of this request may change things."""
    found = holder()
    return found is not None and found[0].role == KeyRole.SCOREKEEPER


def get_club(*, write: bool = False) -> Club:
    """Give the club of this request; 401, 403 as `get_key`; 403 too for a key that opens one match only."""
    club = look_at_club(write=write)
    with looking():
        return attached(records(), club)


def look_at_club(*, write: bool = False) -> Club:
    """Give the club of this request as `get_club` does, to be read only."""
    if look_at_key(write=write).match_id is not None:
        raise Forbidden(say("failure.one-match"))
    found = holder()
    assert found is not None
    return found[1]


def get_match(match_id: str, *, write: bool = False, lock: bool = True) -> Match:
    """Give a match of this club, when `write` to who may write only; 401, 403, 404.

    A request that changes something holds it against other writers, without `lock` not yet; looking at a form to
    write in locks nobody out.
    """
    club_id = _club_of(match_id, write=write)
    return matches.get_match(records(), club_id, match_id, lock=lock and write and request.method not in SAFE)


def look_at_match(match_id: str, *, write: bool = False) -> Match:
    """Give a match of this club as `get_match` does without `lock`, to be read only."""
    return matches.look_at_match(records(), _club_of(match_id, write=write), match_id)


def _club_of(match_id: str, *, write: bool) -> str:
    key = look_at_key(write=write)
    if key.match_id not in (None, match_id):
        raise NotFound("match")
    return key.club_id


def get_round(match: Match, round_id: str) -> Round:
    """Give a round of this match; 404."""
    return rounds.get_round(records(), match, round_id)


def get_player(player_id: str, *, write: bool = False) -> Player:
    """Give a player of this club; 401, 403, 404."""
    return players.get_player(records(), get_club(write=write).id, player_id)


@event.listens_for(db.session, "after_begin")
def _look_at_the_key_again(_session: Session, _transaction: SessionTransaction, connection: Connection) -> None:
    """Make sure, now that nobody else writes, that the key was not locked out since it was looked up."""
    found = g.get("holder") if has_request_context() and request.method not in SAFE and not is_looking() else None
    if found is None or connection.dialect.name != "sqlite":
        return
    driver = connection.connection.driver_connection
    assert driver is not None
    key = inspect(found[0]).identity  # an attribute may have to be loaded again, and nothing can be at this moment
    valid = driver.execute(_STILL_VALID, key or (found[0].club_id, found[0].id)).fetchone()  # this way it costs a tenth
    if valid is None:
        g.pop("holder")
        raise Unauthorized(_how_to_get_in(), www_authenticate=WWWAuthenticate("bearer", {"realm": "club"}))


_STILL_VALID = "SELECT 1 FROM keys WHERE club_id = ? AND id = ? AND revoked_at IS NULL"


def keep_token(token: str) -> None:
    """Make this browser hold a key, in an HttpOnly cookie; keys of other clubs stay behind it."""
    held = [token, *(other for other in session.get(SESSION_KEYS, ()) if other != token)]
    session[SESSION_KEYS] = held[:MOST_KEYS]
    session.permanent = True
    _forget()


def drop_token() -> None:
    """Make this browser forget the key it uses; that of the club before takes its place."""
    session[SESSION_KEYS] = list(session.get(SESSION_KEYS, ()))[1:]
    _forget()


def may_restore(gone: Deleted) -> bool:
    """Tell whether the key of this request may restore something deleted."""
    if gone.until is None:
        return False
    if gone.kind == DeletionKind.CLUB:
        return of_club.find_restorer(records(), _token() or "") is not None
    found = holder()
    return found is not None and found[0].role == KeyRole.SCOREKEEPER


def get_restorer() -> Key:
    """Give the key of this request that may restore its deleted club; 401, 403, 410 where it is gone for good."""
    found = of_club.find_restorer(records(), _token() or "")
    if found is not None:
        return found
    if holder() is None and g.gone is not None and g.gone.until is not None:
        raise Forbidden(say("failure.view-only"))
    return get_key(write=True)


def _token() -> str | None:
    return _bearer() if "Authorization" in request.headers else next(iter(session.get(SESSION_KEYS, ())), None)


def _how_to_get_in() -> str:
    """Say to a program what it should send, and to people what they should do."""
    if _bearer():
        return say("failure.wrong-key")
    if request.path.startswith("/api/"):
        return say("failure.no-key")
    if session.get(SESSION_KEYS):
        return say("failure.locked-out")
    return say("failure.401")


def _bearer() -> str | None:
    given = request.authorization
    return given.token if given is not None and given.type == "bearer" else None
