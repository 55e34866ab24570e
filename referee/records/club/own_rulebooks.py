"""Rulebooks that a club made itself: saved by version, shared by link, and found wherever a rulebook is named.

What a match was agreed on is frozen into it (`referee.records.match.agreements`): neither a change nor a deletion here
touches any match.
"""

import hmac
import json
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from sqlalchemy import Select, select
from sqlalchemy import delete as delete_rows
from sqlalchemy.orm import Session

from referee.records.cache import Cache
from referee.records.club.access import lock_club
from referee.records.club.links import derive_token
from referee.records.deletion.texts import Column, carry_over
from referee.records.errors import MOST_OWN_RULEBOOKS, NotFound, refuse_over
from referee.records.ids import digest_of, is_id, new_id
from referee.records.models import Club, Key, OwnRulebookRow, new_nonce, now
from referee.records.names import clean_text
from referee.records.words import say
from referee.rules.books.library import get_rulebook, rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.own.rulebook import LONGEST_FILE, OwnRulebook, read_file
from referee.rules.text.problem import Impossible, Problem

Row = OwnRulebookRow


def read_document(document: object) -> OwnRulebook:
    """Read what someone sends as a rulebook of their own; raises `Impossible` with every problem."""
    own = OwnRulebook.read(document, clean_text)
    if len(json.dumps(own.to_document(), ensure_ascii=False).encode()) > LONGEST_FILE:
        raise Impossible([Problem("clauses", say("own-rulebook.too-long", most=LONGEST_FILE // 1000))])
    return own


def read_text(text: str) -> OwnRulebook:
    """Read a rulebook from a TOML file; raises `Impossible` with every problem, each with its line."""
    return read_file(text, clean_text)


def list_rows(session: Session, club_id: str) -> Sequence[Row]:
    """List the rulebooks that a club made and did not delete, oldest first."""
    return session.scalars(_of(club_id).where(Row.deleted_at.is_(None)).order_by(Row.id)).all()


def get_row(session: Session, club_id: str, id: str, *, lock: bool = False, deleted: bool = False) -> Row:
    """Find a rulebook that the club made; raises `NotFound`, also for a deleted one unless `deleted`."""
    chosen = _of(club_id, id)
    row = session.scalar(chosen.with_for_update() if lock else chosen) if is_id(id) else None
    if row is None or (row.deleted_at is not None and not deleted):
        raise NotFound("rulebook")
    return row


def read_row(row: Row) -> OwnRulebook:
    """Read what is saved; raises `Impossible` where its base has changed so much that it no longer fits."""
    return _read(row)[0]


def rulebook_of(row: Row) -> Rulebook:
    """Return a club's rulebook as matches and hearings take it; raises `Impossible` as `read_row`."""
    return _read(row)[1]


def _read(row: Row) -> tuple[OwnRulebook, Rulebook]:
    state = _State(row.club_id, row.id, row.version, row.nonce)
    return _READ.get(state, lambda: _made_of(row.document, row.id))


def _made_of(document: object, id: str) -> tuple[OwnRulebook, Rulebook]:
    own = OwnRulebook.read(document)
    return own, own.rulebook(id)


def available(session: Session, club_id: str | None) -> Mapping[str, Rulebook]:
    """Return every rulebook that can be chosen in a club, by id: the published ones, then its own."""
    if club_id is None:
        return rulebooks()
    live = select(Row.club_id, Row.id, Row.version, Row.nonce).where(Row.club_id == club_id, Row.deleted_at.is_(None))
    own: dict[str, Rulebook] = {}
    documents: dict[str, object] = {}  # may be long: read only where one is not cached

    def read(id: str) -> tuple[OwnRulebook, Rulebook]:
        if not documents:
            documents.update((row.id, row.document) for row in list_rows(session, club_id))
        return _made_of(documents[id], id)

    for state in (_State(*row) for row in session.execute(live.order_by(Row.id))):
        try:
            own[state.id] = _READ.get(state, partial(read, state.id))[1]
        except Impossible:  # shown where it is edited, with what no longer fits
            continue
    return MappingProxyType({**rulebooks(), **own}) if own else rulebooks()


def find_rulebook(session: Session, club_id: str | None, id: str) -> Rulebook:
    """Find a published rulebook or one of the club's own; raises `Impossible` on ``rulebook`` for any other id."""
    if id not in rulebooks() and club_id is not None and is_id(id):
        row = session.scalar(_of(club_id, id).where(Row.deleted_at.is_(None)))
        if row is not None:
            return rulebook_of(row)
    return get_rulebook(id)


def titles(session: Session, club_id: str, *, deleted: bool = True) -> Mapping[str, str]:
    """Return the titles of the club's own rulebooks by id, oldest first; `deleted` ones too."""
    title = Row.document["title"].as_string()  # documents may be long
    chosen = select(Row.id, title).where(Row.club_id == club_id).order_by(Row.id)
    rows = session.execute(chosen if deleted else chosen.where(Row.deleted_at.is_(None)))
    return {id: called for id, called in rows}  # noqa: C416 # its rows are no pairs to a type checker


def create(session: Session, club: Club, own: OwnRulebook, by: Key) -> Row:
    """Save a new rulebook of the club; raises `Impossible` when it has as many as there is room for."""
    _make_room(session, club.id)
    gone = select(Row.id).where(Row.club_id == club.id, Row.deleted_at.is_not(None)).order_by(Row.deleted_at)
    if longest_ago := session.scalars(gone).all()[:-MOST_OWN_RULEBOOKS]:
        session.execute(delete_rows(Row).where(Row.club_id == club.id, Row.id.in_(longest_ago)))
    row = Row(club_id=club.id, id=new_id(), document=own.to_document(), changed_by=by.id, nonce=new_nonce())
    session.add(row)
    session.flush()
    return row


def _make_room(session: Session, club_id: str) -> None:
    """Lock the club for one more rulebook; raises `Impossible` when it is full."""
    lock_club(session, club_id)
    live = session.scalars(select(Row.id).where(Row.club_id == club_id, Row.deleted_at.is_(None))).all()
    refuse_over(len(live) + 1, MOST_OWN_RULEBOOKS, "rulebook", "own-rulebooks")


def change(session: Session, row: Row, own: OwnRulebook, by: Key) -> None:
    """Save a new version."""
    document = own.to_document()
    old, new = (Column(f"own_rulebooks/{row.id}/document", None, version) for version in (row.document, document))
    carry_over(session, row.club_id, old, new)
    row.document = document
    row.version += 1
    row.nonce = new_nonce()
    row.changed_at, row.changed_by = now(), by.id
    session.flush()


def delete(session: Session, row: Row) -> None:
    """Take a rulebook out of the list, and its link away; `restore` brings it back."""
    row.deleted_at = now()
    unshare(session, row)


def restore(session: Session, row: Row) -> None:
    """Bring a deleted rulebook back; raises `Impossible` when there is no room any more."""
    _make_room(session, row.club_id)
    row.deleted_at = None
    session.flush()


def share(session: Session, row: Row, secret: str | bytes, by: Key) -> str:
    """Return the token of the link by which anyone sees this rulebook; make the link when there is none."""
    token = share_token(session, row, secret)
    if token is None:
        row.share_id = new_id()
        token = derive_token(secret, row.share_id)
        row.share_digest, row.shared_by = digest_of(token), by.id
        session.flush()
    return token


def share_token(session: Session, row: Row, secret: str | bytes) -> str | None:
    """Return the token of the link as it stands; None when there is none, or its maker was locked out."""
    if row.share_id is None or row.share_digest is None or not _opens(session, row):
        return None
    token = derive_token(secret, row.share_id)
    return token if hmac.compare_digest(digest_of(token), row.share_digest) else None


def unshare(session: Session, row: Row) -> None:
    """Close the link at once and for good."""
    row.share_id = row.share_digest = row.shared_by = None
    session.flush()


def find_shared(session: Session, token: str) -> Row:
    """Find the rulebook that a link shows; raises `NotFound` for a link that was closed or never was."""
    row = session.scalar(select(Row).where(Row.share_digest == digest_of(token), Row.deleted_at.is_(None)))
    if row is None or not _opens(session, row):
        raise NotFound("rulebook")
    return row


def _opens(session: Session, row: Row) -> bool:
    """Return whether the key that made the link may still come in, to a club that has not ended."""
    maker = session.get(Key, (row.club_id, row.shared_by)) if row.shared_by else None
    club = session.scalar(select(Club).where(Club.id == row.club_id))
    return maker is not None and maker.revoked_at is None and club is not None and not club.has_ended


def _of(club_id: str, id: str | None = None) -> Select[Row]:
    chosen = select(Row).where(Row.club_id == club_id)
    return chosen if id is None else chosen.where(Row.id == id)


class _State(NamedTuple):
    club_id: str
    id: str
    version: int
    nonce: int


def _bytes(read: tuple[OwnRulebook, Rulebook]) -> int:
    """Count what is not the base's: the clauses that differ, and the look-ups that hearings leave behind."""
    own = read[0]
    return 30_000 + 600 * len(own.differs) + sum(sys.getsizeof(rule.text) for rule in own.clauses)


_READ: Cache[tuple[OwnRulebook, Rulebook]] = Cache("own rulebooks", 6_000_000, _bytes)
"""Rulebooks as they were read, by club, id and version."""
