"""Return what a request asks for, if its key allows it: one getter for each kind of thing.

The key comes as ``Authorization: Bearer …`` or in the session cookie; a bearer key goes first. Another
club's thing is not found (404), never forbidden: nobody learns that it exists.
"""

import hashlib
from collections.abc import Callable
from typing import Any

from flask import Flask, g, has_request_context, request, session
from sqlalchemy import Connection, bindparam, event, inspect, select
from sqlalchemy.orm import Session, SessionTransaction
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Forbidden, Unauthorized

from referee.records.club import access, players
from referee.records.deletion import of_club, waiting
from referee.records.errors import Deleted, Gone, NotFound
from referee.records.evening import evenings
from referee.records.ids import is_id
from referee.records.match import matches, rounds
from referee.records.models import Club, DeletionKind, Evening, Key, KeyRole, Match, MatchStatus, Player, Round, Season
from referee.records.season import seasons
from referee.records.transfer.writing import reopen
from referee.rules.text.words import language, languages, speak
from referee.web.server import rate_limits
from referee.web.server.database import Once, db, is_writing
from referee.web.words import say

SESSION_KEYS = "keys"
"""The session's key for the tokens this browser holds, the one in use first."""
LATE = "late"
"""The session's key for the token of a table whose evening has ended: a match that was awaited there goes on."""
MOST_KEYS = 8
"""Clubs a browser stays a member of; a cookie has little room."""


def init_app(app: Flask) -> None:
    """Forget the key of the previous request, in a test that keeps its context."""
    app.before_request(_forget)


def _forget() -> None:
    for name in ("presented", "holder_club", "holder_ends_at", "wrong_key", "gone", "evening_over", "late"):
        g.pop(name, None)


def records() -> Session:
    """Return the database session of this request."""
    return db.session()


def presented() -> tuple[Key, Club] | None:
    """Return the key of this request, a link's too, and its club; None for a stranger. Cached; may raise 429."""
    if "presented" not in g:
        token, in_header = _token(), "Authorization" in request.headers
        g.presented = caller = access.find_key(records(), token) if token else None
        if token and caller is None and not in_header and access.was_of_table(records(), token):
            drop_token()  # the evening is over: the phone is again whose it was before
            session[LATE] = token
            caller = presented()
            g.evening_over = True
            return caller
        match_id = (request.view_args or {}).get("match_id")
        if LATE in session and match_id and not in_header:
            late = access.find_late(records(), session[LATE], match_id)
            if late and not (caller and caller[0].role == KeyRole.SCOREKEEPER and caller[1].id == late[1].id):
                g.presented = caller = late
                g.late = True
        g.gone = waiting.find_by_token(records(), token) if token and caller is None else None
        # plain, for pages drawn after a rollback too
        mine = caller[1] if caller is not None and caller[0].opens_club else None
        g.holder_club, g.holder_ends_at = ((mine.id, mine.name), mine.ends_at) if mine is not None else (None, None)
        if token and caller is None and g.gone is None:
            count_unknown(token, refuse=in_header)
    asked: tuple[Key, Club] | None = g.presented
    return asked


def holder() -> tuple[Key, Club] | None:
    """Return the key of this request and its club where it is a scorekeeper's or spectator's of the club; else None.

    A link's token, be it of a match, a board, a seat or a public page, opens its own page by a getter of its own.
    """
    caller = presented()
    return caller if caller is not None and caller[0].opens_club else None


def count_unknown(token: str, *, refuse: bool = True) -> None:
    """Count a token that opens nothing anywhere as a wrong key, as `rate_limits.count_wrong_key`; may raise 429.

    One that only came to the wrong door is no guess.
    """
    if not access.opens_anything(records(), token):
        rate_limits.count_wrong_key(refuse=refuse)


def refuse_deleted() -> None:
    """Raise `Deleted` where the key of this request was deleted with its match or club; else a stranger asks."""
    if presented() is None and g.gone is not None:
        raise g.gone


def presents_key() -> bool:
    """Return whether this request brings a key at all, right or wrong; asks no database."""
    return bool(_bearer() if "Authorization" in request.headers else session.get(SESSION_KEYS))


def get_key(*, write: bool = False, at_table: bool = False) -> Key:
    """Return the key of this request, of its club or of one match; 401 without one, 403 when it may not do this.

    With `at_table` the phone of an evening's table may `write` too. No view that doesn't say so lets it.
    """
    caller = presented()
    if caller is None:
        refuse_deleted()
        if g.get("evening_over") and not write:  # what waits on a phone goes on waiting
            raise Gone(say("evening-table.over"))
        raise _unauthorized()
    key, club = caller
    if key.role not in (KeyRole.SCOREKEEPER, KeyRole.SPECTATOR, KeyRole.TABLE):
        raise Forbidden(say("failure.other-door"))
    if key.role == KeyRole.TABLE and (key.match_id is None or (write and not at_table)):
        raise Forbidden(say("failure.one-table", table=key.table))
    if reopened(club.id, club.import_id):
        return get_key(write=write, at_table=at_table)
    if write and key.role not in (KeyRole.SCOREKEEPER, KeyRole.TABLE):
        raise Forbidden(say("failure.view-only"))
    return key


def reopened(club_id: str, import_id: str | None) -> bool:
    """Return whether a club was closed by an import that died, and is open again: what was read of it is to be anew."""
    if import_id is None:
        return False
    records().rollback()
    reopen(db.engine, club_id, import_id)
    return True


def may_write() -> bool:
    """Return whether the key of this request may change things."""
    caller = presented()
    return caller is not None and caller[0].role == KeyRole.SCOREKEEPER


def table_key() -> Key | None:
    """Return the key of this request if it is that of an evening's table; else None."""
    caller = presented()
    return caller[0] if caller is not None and caller[0].role == KeyRole.TABLE else None


def may_record() -> bool:
    """Return whether the key of this request may record rounds and rulings in a match that it opens."""
    return may_write() or table_key() is not None


def table_moved_on(match: Match) -> bool:
    """Return whether this is the phone of a table at which another match than this one is played by now."""
    key = table_key()
    return key is not None and "late" not in g and key.match_id != match.id


def get_club(*, write: bool = False) -> Club:
    """Return the club of this request; 401, 403 as `get_key`; 403 too for a key that opens one match only."""
    if get_key(write=write).match_id is not None:
        raise Forbidden(say("failure.one-match"))
    caller = presented()
    assert caller is not None
    return caller[1]


def speak_for_club() -> None:
    """Speak the language of this request's club: what is passed on is read by others."""
    caller = presented()
    assert caller is not None
    speak(caller[1].language)


def picture_language() -> str:
    """Say which language pictures of this request's club are in, where the reader speaks another."""
    caller = presented()
    spoken = languages().get(caller[1].language) if caller else None
    return say("share.picture-in", language=spoken.name) if spoken and spoken.code != language().code else ""


def get_match(match_id: str, *, write: bool = False, at_table: bool = False) -> Match:
    """Return a match of this club; 401, 403, 404.

    With `write` the key must allow writing, and where `save` writes the match is locked against other writers. With
    `at_table` the phone of an evening's table may write too: in the match that is there now, and late in earlier ones.
    """
    key = get_key(write=write, at_table=at_table)
    if key.match_id not in (None, match_id) and not (
        key.role == KeyRole.TABLE and is_id(match_id) and evenings.was_at_table(records(), key, match_id)
    ):
        raise NotFound("match")
    match = matches.get_match(records(), key.club_id, match_id, lock=write and is_writing())
    if write and "late" in g and match.status != MatchStatus.IN_PROGRESS:
        raise Forbidden(say("failure.evening-over"))
    return match


def get_evening(evening_id: str, *, write: bool = False) -> Evening:
    """Return an evening of this club, locked against other writers as by `get_match`; 401, 403, 404."""
    lock = write and is_writing()
    return evenings.get_evening(records(), get_club(write=write).id, evening_id, lock=lock)


def get_season(season_id: str, *, write: bool = False, deleted: bool = False) -> Season:
    """Return a season of this club, a deleted one too if so asked; 401, 403, 404."""
    return seasons.get_season(records(), get_club(write=write).id, season_id, deleted=deleted)


def get_round(match: Match, round_id: str) -> Round:
    """Return a round of this match; 404."""
    return rounds.get_round(records(), match, round_id)


def get_key_for_ruling(*, keep: bool) -> Key:
    """Return the key of this request, which may save a ruling; 401, 403.

    What is to be `keep`t counts for the whole club from now on, which is not for the phone of one table to say.
    """
    return get_key(write=True, at_table=not keep)


def get_round_to_change(match: Match, round_id: str) -> Round:
    """Return a round of this match that this key may change; 401, 403, 404.

    The phone of an evening's table may change the last one alone, if what counts there came from it.
    """
    key, played = get_key(write=True, at_table=True), get_round(match, round_id)
    if key.role == KeyRole.TABLE:
        goes_on = match.id == key.match_id or match.status == MatchStatus.IN_PROGRESS
        if not goes_on or not rounds.is_own_last(records(), match, played, key):
            raise Forbidden(say("failure.own-last"))
    return played


def get_player(player_id: str, *, write: bool = False) -> Player:
    """Return a player of this club; 401, 403, 404."""
    return players.get_player(records(), get_club(write=write).id, player_id)


_STILL_VALID = (
    select(Key.id)
    .join(Club, Club.id == Key.club_id)
    .where(Key.club_id == bindparam("club_id"), Key.id == bindparam("key_id"))
    .where(Key.revoked_at.is_(None), Club.deleted_at.is_(None))
)


@event.listens_for(db.session, "after_begin")
def _check_key_again(_session: Session, _transaction: SessionTransaction, connection: Connection) -> None:
    """Raise 401 if the key was revoked between its look-up and the transaction that writes."""
    caller = g.get("presented") if is_writing() and "late" not in g else None
    if caller is None:
        return
    # the session can't load anything at this moment, so neither an attribute of the key nor a query by the session
    club_id, key_id = inspect(caller[0]).identity
    if connection.scalar(_STILL_VALID, {"club_id": club_id, "key_id": key_id}) is None:
        g.pop("presented")
        raise _unauthorized()


@event.listens_for(db.session, "after_rollback")
def _forget_holder(_session: Session) -> None:
    """Look up the key anew after a rollback, which expires it: its row may be gone."""
    if has_request_context():
        g.pop("presented", None)
        g.pop("gone", None)


LONGEST_KEY = 100
"""Characters of the key under which a form counts once."""


def once_of_form(
    field: str = "idempotency_key", made: Callable[[Any], str] = lambda _saved: "", club: Club | None = None
) -> Once | None:
    """Return by what this form counts once though it may arrive twice; None where it brings no key. 401, 403.

    In its digest cards may stand in any order: what was tapped is the same hand. `made` is that of `Once`; a
    stranger's `club` is the one that the same form founded before.
    """
    key = request.form.get(field, "")[:LONGEST_KEY]
    if not key:
        return None
    fields = sorted(
        (name, " ".join(sorted(value.split())) if name.startswith("hand-") else value)
        for name, value in request.form.items(multi=True)
        if name not in ("csrf_token", "revision") and value  # anew each time it is drawn
    )
    club_id = club.id if club else get_key(write=True, at_table=True).club_id if presented() else ""
    return Once(club_id, f"page:{key}", hashlib.sha256(repr(fields).encode()).hexdigest(), made)


def keep_token(token: str) -> None:
    """Store a key in this browser, in an HttpOnly cookie; keys of other clubs stay behind it."""
    held = [token, *(other for other in session.get(SESSION_KEYS, ()) if other != token)]
    session[SESSION_KEYS] = held[:MOST_KEYS]
    session.permanent = True
    _forget()


def drop_token() -> None:
    """Remove the key that this browser uses; that of the club before takes its place."""
    session[SESSION_KEYS] = list(session.get(SESSION_KEYS, ()))[1:]
    _forget()


def may_restore(gone: Deleted) -> bool:
    """Return whether the key of this request may restore something deleted."""
    if gone.until is None:
        return False
    if gone.kind == DeletionKind.CLUB:
        return of_club.find_restorer(records(), _token() or "") is not None
    return may_write()


def get_restorer() -> Key:
    """Return the key of this request that may restore its deleted club; 401, 403, 410 where it is gone for good."""
    key = of_club.find_restorer(records(), _token() or "")
    if key is not None:
        return key
    if presented() is None and g.gone is not None and g.gone.until is not None:
        raise Forbidden(say("failure.view-only"))
    return get_key(write=True)


def _token() -> str | None:
    return _bearer() if "Authorization" in request.headers else next(iter(session.get(SESSION_KEYS, ())), None)


def _unauthorized() -> Unauthorized:
    """Return the error that says for a program what to send, and for people what to do."""
    if _bearer():
        key = "wrong-key"
    elif request.path.startswith("/api/"):
        key = "no-key"
    elif LATE in session and request.method == "POST":
        key = "evening-over"
    else:
        key = "locked-out" if session.get(SESSION_KEYS) else "401"
    return Unauthorized(say(f"failure.{key}"), www_authenticate=WWWAuthenticate("bearer", {"realm": "club"}))


def _bearer() -> str | None:
    given = request.authorization
    return given.token if given is not None and given.type == "bearer" else None
