"""Write many rows into one club, all or nothing, while other clubs go on writing.

Few rows are one transaction. Many are written in portions with pauses, since a writer on SQLite locks the whole
database; meanwhile the club is closed (`Club.import_id`), so that nobody sees half of it, and a `ClubImport` lists what
is made. If the process dies, the next request for the club deletes what is listed and opens the club (`reopen`).
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import chain
from typing import Any

from sqlalchemy import Engine, Table, delete, insert, select, update
from sqlalchemy.orm import Session

from referee.records.deletion.purging import delete_rows_of_match
from referee.records.errors import Busy
from referee.records.evening.evenings import drop_evenings
from referee.records.ids import new_id
from referee.records.models import (
    DELETED_TOO,
    Base,
    Club,
    ClubImport,
    Key,
    OwnRulebookRow,
    Player,
    RulebookText,
    Ruling,
    Season,
    now,
)
from referee.records.statistics.ratings import rate_later, rate_pending
from referee.records.transactions import PAUSE, reading, writing
from referee.records.words import say

ROWS_AT_ONCE = 3_000
"""Rows of one transaction: some 50 ms, and more than a demo has."""
LONGEST_HOLD = 0.03
"""Seconds after which a transaction that deletes ends, about."""
CUT_OFF = timedelta(seconds=30)
"""How long after its last portion an import counts as interrupted; portions are at most a few seconds apart."""

Rows = tuple[Table, Sequence[Mapping[str, Any]]]
Made = Mapping[str, Sequence[str]]
"""What an import makes, by table: the ids of players, keys, matches and own rulebooks, the digests of rulebooks."""
_IN_ORDER = {table: place for place, table in enumerate(Base.metadata.sorted_tables)}
"""Tables in an order in which none refers to a later one."""


def write_rows(
    engine: Engine, club_id: str, rows: Iterable[Rows], made: Made, begin: Callable[[Session], object]
) -> None:
    """Insert rows into a club and commit; later rows may refer to earlier ones, whatever the tables.

    `begin` is called first, under the lock: it founds the club, or raises when the club has changed since the rows were
    computed. Raises what it raises, and `Busy` while another import goes on; then nothing was written.
    """
    batches = _batches(rows)
    first, second = next(batches, {}), next(batches, None)
    if second is None:
        with writing(engine) as session:
            begin(session)
            _refuse_closed(session, club_id)
            _insert(session, first)
            _rate_later(session, club_id, made)
        return
    import_id = _close_club(engine, club_id, made, begin)
    try:
        for batch in chain((first, second), batches):
            with _portion(engine, club_id, import_id) as session:
                _insert(session, batch)
        with _portion(engine, club_id, import_id) as session:
            _open_club(session, club_id)
            _rate_later(session, club_id, made)
    except BaseException:
        take_back(engine, club_id, import_id)
        raise


def _batches(rows: Iterable[Rows]) -> Iterator[Mapping[Table, Sequence[Mapping[str, Any]]]]:
    """Gather rows by table, `ROWS_AT_ONCE` together, in an order in which none refers to a later one."""
    batch: dict[Table, list[Mapping[str, Any]]] = {}
    room = ROWS_AT_ONCE
    for table, some in rows:
        for row in some:
            batch.setdefault(table, []).append(row)
            room -= 1
            if not room:
                yield {table: batch[table] for table in sorted(batch, key=_IN_ORDER.__getitem__)}
                batch, room = {}, ROWS_AT_ONCE
    if batch:
        yield {table: batch[table] for table in sorted(batch, key=_IN_ORDER.__getitem__)}


def _insert(session: Session, batch: Mapping[Table, Sequence[Mapping[str, Any]]]) -> None:
    for table, rows in batch.items():
        session.connection().execute(insert(table), rows)


def _rate_later(session: Session, club_id: str, made: Made) -> None:
    """Mark the ratings from the first new match on as pending; they are computed when the lock is free again."""
    if made["matches"]:
        rate_later(session, club_id, min(made["matches"]))


def _refuse_closed(session: Session, club_id: str) -> None:
    closed = select(Club.import_id).where(Club.id == club_id).with_for_update(key_share=True)
    if session.scalar(closed) is not None:
        raise Busy(say("import.busy"))


def _close_club(engine: Engine, club_id: str, made: Made, begin: Callable[[Session], object]) -> str:
    """Close the club to everybody else, and list what will be made; return the id of this import."""
    import_id = new_id()
    with writing(engine) as session:
        founded = session.get(Club, club_id, execution_options=DELETED_TOO) is None
        begin(session)
        _refuse_closed(session, club_id)
        note = {"club_id": club_id, "id": import_id, "at": now(), "made": dict(made), "founded": founded}
        session.execute(insert(ClubImport).values(**note))
        session.execute(update(Club).where(Club.id == club_id).values(import_id=import_id))
    return import_id


def _open_club(session: Session, club_id: str) -> None:
    session.execute(update(Club).where(Club.id == club_id).values(import_id=None))
    session.execute(delete(ClubImport).where(ClubImport.club_id == club_id))


@contextmanager
def _portion(engine: Engine, club_id: str, import_id: str) -> Iterator[Session]:
    """Open one transaction of an import and pause after it; raises `Busy` if the import was taken back meanwhile."""
    with writing(engine) as session:
        began = time.monotonic()
        own = (ClubImport.club_id == club_id, ClubImport.id == import_id)
        if session.execute(update(ClubImport).where(*own).values(at=now())).rowcount != 1:  # type: ignore[attr-defined]
            raise Busy(say("import.busy"))
        yield session
    time.sleep(max(PAUSE, time.monotonic() - began))


# -- an import that failed or was interrupted --------------------------------------------------------------------------


def reopen(engine: Engine, club_id: str, import_id: str) -> None:
    """Open a club that an interrupted import has closed; raises `Busy` while the import is running."""
    with reading(engine) as session:
        at = session.scalar(select(ClubImport.at).where(ClubImport.club_id == club_id, ClubImport.id == import_id))
    if at is not None and now() - at < CUT_OFF:
        raise Busy(say("import.busy"))
    if at is not None:  # else it has just ended
        take_back(engine, club_id, import_id)


def finish_interrupted(engine: Engine) -> None:
    """Take back interrupted imports into clubs that nobody has opened since, and compute ratings left pending."""
    with reading(engine) as session:
        left = session.execute(select(ClubImport.club_id, ClubImport.id).where(ClubImport.at < now() - CUT_OFF)).all()
        unrated = session.scalars(select(Club.id).where(Club.unrated_from.is_not(None), Club.import_id.is_(None))).all()
    for club_id, import_id in left:
        with suppress(Busy):  # another process was faster
            take_back(engine, club_id, import_id)
    for club_id in unrated:
        rate_pending(engine, club_id)


def take_back(engine: Engine, club_id: str, import_id: str) -> None:
    """Delete all that an import made, and open the club, or delete it too if the import founded it.

    Raises `Busy` if another process does so already.
    """
    mine = new_id()
    with writing(engine) as session:
        own = (ClubImport.club_id == club_id, ClubImport.id == import_id)
        if session.execute(update(ClubImport).where(*own).values(id=mine, at=now())).rowcount != 1:  # type: ignore[attr-defined]
            raise Busy(say("import.busy"))
        note = session.get_one(ClubImport, club_id)
        made, founded = note.made, note.founded
        session.execute(update(Club).where(Club.id == club_id).values(import_id=mine))
    matches = list(made.get("matches", ()))
    while matches:
        with _portion(engine, club_id, mine) as session:
            until = time.monotonic() + LONGEST_HOLD
            while matches and time.monotonic() < until:
                match_id = matches.pop()
                delete_rows_of_match(session, club_id, match_id)
    with _portion(engine, club_id, mine) as session:
        drop_evenings(session, club_id, made.get("evenings", ()))
        here = (Player.club_id == club_id, Player.id.in_(made.get("players", ())))
        session.execute(delete(Player).where(*here, Player.merged_into.is_not(None)))
        session.execute(delete(Player).where(*here))
        for column, ids in (
            (Key.id, made.get("keys", ())),
            (RulebookText.digest, made.get("rulebooks", ())),
            (OwnRulebookRow.id, made.get("own_rulebooks", ())),
            (Ruling.id, made.get("precedents", ())),
            (Season.id, made.get("seasons", ())),
        ):
            model = column.class_
            session.execute(delete(model).where(model.club_id == club_id, column.in_(ids)))
        _open_club(session, club_id)
        if late := (*made.get("unrated", ()), *made.get("matches", ())):  # release 1.0.0 rated while it imported
            rate_later(session, club_id, min(late))
        if founded:
            session.execute(delete(Key).where(Key.club_id == club_id))
            session.execute(delete(Club).where(Club.id == club_id))
