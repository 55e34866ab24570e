"""Purge what can no longer be restored: its rows go, and one stays that says when it was deleted."""

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Engine, Table, delete, exists, func, or_, select, true, tuple_, union, update
from sqlalchemy.orm import Session

from referee.records.club.access import lock_club
from referee.records.club.precedents import keep_without_match
from referee.records.deletion.of_player import draft_removal, write_names
from referee.records.deletion.waiting import RESTORABLE_FOR, note_gone
from referee.records.errors import Moved
from referee.records.evening.evenings import drop_evenings
from referee.records.models import (
    DELETED_TOO,
    Base,
    Club,
    Deletion,
    DeletionKind,
    Evening,
    EveningPlayer,
    IdempotentAnswer,
    Key,
    KeyRole,
    Match,
    OwnRulebookRow,
    Player,
    RemovedText,
    Round,
    RoundVersion,
    Season,
    Seat,
    columns_of,
    new_nonce,
    now,
)
from referee.records.season.days import day_of, zone_named
from referee.records.season.seasons import drop
from referee.records.season.table import ids_of
from referee.records.transactions import PAUSE, reading, writing

ANSWERS_AT_ONCE = 500
TRIES = 5
"""Of a name that is to be deleted while others save."""
OF_MATCH: tuple[Table, ...] = tuple(
    table
    for table in Base.metadata.sorted_tables
    if table.name in ("matches", "round_versions") or "match_id" in table.c
)
"""Every table with rows that belong to a match, in an order in which none refers to a later one."""


class Purged(NamedTuple):
    """How much is gone for good."""

    matches: int = 0
    players: int = 0
    clubs: int = 0
    rulebooks: int = 0
    """that clubs made themselves, and deleted"""
    seasons: int = 0
    evenings: int = 0
    names: int = 0
    """of people whose season had a day for that: deleted only now, they can be restored as ever"""
    answers: int = 0
    """answers to requests that were stored for phones that ask twice"""

    def __bool__(self) -> bool:
        return any(tuple(self))


class Due(NamedTuple):
    """Something that is to be purged."""

    model: Any
    """that of its row: a match, a player whose name goes, a club's own rulebook, a season, an evening or a club"""
    club_id: str
    id: str
    at: datetime | None


def find_due(engine: Engine, *, at_once: bool = False) -> Purged:
    """Count what a purge would take, writing nothing; with `at_once` also what could still be restored."""
    with reading(engine) as session:
        due = _due(session, _limit(at_once))
        answers = select(func.count()).select_from(IdempotentAnswer).where(_old(due, at_once=at_once))
        people = {(season.club_id, id) for season, whose, _ in _seasons_of_today(session) for id in whose}
        names = {player.id for player in (_named(session, *one) for one in people) if player}
        return _count(due, session.scalar(answers) or 0)._replace(names=len(names))


def purge(engine: Engine, *, at_once: bool = False) -> Purged:
    """Remove what can no longer be restored, and return how much it was.

    With `at_once` also what could still be restored. Each match, name or club is looked at again under the lock, and
    is purged or restored, never half of it. Stored answers of the same age go too, since they name players.
    """
    limit, answers = _limit(at_once), 0
    with reading(engine) as session:
        due = _due(session, limit)
    gone = [item for item in due if _purge_one(engine, item, limit)]
    key = columns_of(IdempotentAnswer).club_id, columns_of(IdempotentAnswer).key
    some = select(*key).where(_old(gone, at_once=at_once)).limit(ANSWERS_AT_ONCE)
    while True:
        with writing(engine) as session:
            removed = session.connection().execute(delete(IdempotentAnswer).where(tuple_(*key).in_(some))).rowcount
        if not removed:
            return _count(gone, answers)._replace(names=delete_names_of_day(engine))
        answers += removed


def delete_names_of_day(engine: Engine) -> int:
    """Delete the names of people whose season says so for a day that has come, a deleted one too; return how many.

    They can be restored as any other. A season asks once: who is named again afterwards stays.
    """
    deleted = 0
    with reading(engine) as session:
        seasons = _seasons_of_today(session)
    for row, people, today in seasons:
        done = [_delete_name(engine, row.club_id, id) for id in people]
        deleted += done.count(True)
        if None in done:  # somebody saved again and again; the next purge comes within the hour
            continue
        same = (Season.club_id == row.club_id, Season.id == row.id, Season.names_until == row.names_until)
        with writing(engine) as session:
            anew = {"version": Season.version + 1, "nonce": new_nonce(), "names_deleted_on": today}
            session.execute(update(Season).where(*same).values(anew | {"names_until": None}))
    return deleted


def _seasons_of_today(session: Session) -> list[tuple[Season, Sequence[str], date]]:
    """List the seasons whose day has come, whose names go (those chosen, or of all who played or came), and today."""
    found = select(Season, Club).join(Club, Club.id == Season.club_id).where(Season.names_until.is_not(None))
    return [
        (season, season.people or _everyone(session, season, club), today)
        for season, club in session.execute(found)
        if season.names_until and season.names_until <= (today := day_of(now(), zone_named(club.time_zone)))
    ]


def _everyone(session: Session, season: Season, club: Club) -> Sequence[str]:
    """Return who had a seat in a season's days, or came to an evening without getting one."""
    first, after = ids_of(season, club)
    sat = select(Seat.player_id).where(Seat.club_id == club.id, Seat.match_id >= first, Seat.match_id < after)
    came = select(EveningPlayer.player_id).where(
        EveningPlayer.club_id == club.id, EveningPlayer.evening_id >= first, EveningPlayer.evening_id < after
    )
    return sorted(session.scalars(union(sat, came)))


def _named(session: Session, club_id: str, player_id: str) -> Player | None:
    """Return who an id stands for now; None for one whose name was deleted."""
    player = session.get(Player, (club_id, player_id))
    if player is not None and player.merged_into is not None:
        player = session.get(Player, (club_id, player.merged_into))
    return player if player is not None and player.deleted_at is None else None


def _delete_name(engine: Engine, club_id: str, player_id: str) -> bool | None:
    """Delete the name of a player who has one, and return whether; None where others saved each time meanwhile."""
    for _ in range(TRIES):
        with reading(engine) as session:
            player = _named(session, club_id, player_id)
            if player is None:
                return False
            changes = draft_removal(session, player)
        with suppress(Moved), writing(engine) as session:
            write_names(session, club_id, changes)
            return True
    return None


def tidy(engine: Engine) -> None:
    """Write the database anew without what was deleted.

    SQLite leaves it in free pages of its file, and in its log, until it is told so; PostgreSQL makes room of it.
    """
    with closing(engine.raw_connection()) as connection:
        driver: Any = connection.driver_connection
        if engine.dialect.name == "sqlite":
            driver.execute("VACUUM")
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return
        driver.autocommit = True
        driver.execute("VACUUM")
        driver.autocommit = False


def delete_rows_of_match(session: Session, club_id: str, match_id: str) -> None:
    """Delete all rows of a match but for what the club keeps as its law, those that refer to others first."""
    keep_without_match(session, club_id, match_id)
    at_table = (Key.club_id == club_id, Key.match_id == match_id, Key.role == KeyRole.TABLE)
    session.execute(update(Key).where(*at_table).values(match_id=None))  # its phone waits for the next draw
    rounds = select(Round.id).where(Round.club_id == club_id, Round.match_id == match_id)
    for table in reversed(OF_MATCH):
        if table.name == RoundVersion.__tablename__:  # these know their round only
            own = table.c.round_id.in_(rounds)
        else:
            own = (table.c.id if table.name == Match.__tablename__ else table.c.match_id) == match_id
        session.execute(delete(table).where(table.c.club_id == club_id, own))


def _limit(at_once: bool) -> datetime:
    return now() + timedelta(minutes=1) if at_once else now() - RESTORABLE_FOR


def _due(session: Session, limit: datetime, id: str | None = None) -> Sequence[Due]:
    """List what is due, or the one of an id; clubs last, since what was deleted from one before goes with it."""

    def begun(club_id: Any) -> ColumnElement[bool]:  # a purge of it, which was cut off where the club is still there
        return exists().where(Deletion.club_id == club_id, Deletion.id == club_id)

    due: tuple[tuple[Any, Any, ColumnElement[bool]], ...] = (
        (Match, Match.club_id, (Match.deleted_at <= limit) & ~begun(Match.club_id)),
        (Player, Player.club_id, (Player.deleted_at <= limit) & Player.deleted_name.is_not(None)),
        (OwnRulebookRow, OwnRulebookRow.club_id, OwnRulebookRow.deleted_at <= limit),
        (Season, Season.club_id, Season.deleted_at <= limit),
        (Evening, Evening.club_id, Evening.deleted_at <= limit),
        (Club, Club.id, (Club.deleted_at <= limit) | begun(Club.id)),
    )
    listed = []
    for model, club_id, condition in due:
        chosen = select(club_id, model.id, model.deleted_at).where(condition).order_by(model.deleted_at)
        chosen = chosen.where(model.id == id) if id is not None else chosen
        listed += [Due(model, *row) for row in session.execute(chosen, execution_options=DELETED_TOO)]
    return listed


def _purge_one(engine: Engine, due: Due, limit: datetime) -> bool:
    """Purge something unless it was restored meanwhile, or purged by another; return whether it was."""
    with writing(engine) as session:
        club_id, id, at = due.club_id, due.id, due.at or now()
        lock_club(session, club_id)
        if due not in _due(session, limit, id):
            return False
        texts = delete(RemovedText).where(RemovedText.club_id == club_id)
        if due.model is Player:
            own = (Player.id == id) | (Player.merged_into == id)
            session.execute(update(Player).where(Player.club_id == club_id, own).values(deleted_name=None, marker=""))
            session.execute(update(Seat).where(Seat.club_id == club_id, Seat.player_id == id).values(deleted_name=None))
            session.execute(texts.where(RemovedText.waits_for.contains(id)))
        elif due.model is OwnRulebookRow:
            session.execute(texts.where(RemovedText.place.startswith(f"own_rulebooks/{id}/")))
            session.execute(delete(OwnRulebookRow).where(OwnRulebookRow.club_id == club_id, OwnRulebookRow.id == id))
        elif due.model is Season:
            drop(session, club_id, id)
        elif due.model is Evening:
            session.execute(texts.where(RemovedText.place.startswith(f"evenings/{id}/")))
            drop_evenings(session, club_id, [id])
        elif due.model is Match:
            note_gone(session, club_id, id, DeletionKind.MATCH, at, Key.match_id == id, Key.role != KeyRole.TABLE)
            delete_rows_of_match(session, club_id, id)
        elif session.get(Deletion, (club_id, id)) is None:
            note_gone(session, club_id, id, DeletionKind.CLUB, at)  # from here on nobody restores it
    if due.model is Club:
        _purge_club(engine, due.club_id)
    return True


def _purge_club(engine: Engine, club_id: str) -> None:
    """Delete a club that can no longer be restored, match by match, so that nobody waits for the whole of it.

    Killed half way, it is due again.
    """
    with reading(engine) as session:
        matches = select(Match.id).where(Match.club_id == club_id)
        ids = session.scalars(matches, execution_options=DELETED_TOO).all()
    for match_id in ids:
        with writing(engine) as session:
            delete_rows_of_match(session, club_id, match_id)
        time.sleep(PAUSE if engine.dialect.name == "sqlite" else 0)
    no_tombstone = (Deletion.id != club_id) & (func.coalesce(Deletion.with_id, "") != club_id)
    with writing(engine) as session:
        for table in reversed(Base.metadata.sorted_tables):
            own_rows = table.c.id if table.name == Club.__tablename__ else table.c.club_id
            rest = no_tombstone if table.name == Deletion.__tablename__ else true()
            session.execute(delete(table).where(own_rows == club_id, rest))


def _old(due: Sequence[Due], *, at_once: bool) -> ColumnElement[bool]:
    """Return the condition for stored answers that go: old ones, and any of clubs from which something goes at once."""
    answers = columns_of(IdempotentAnswer)
    old: ColumnElement[bool] = answers.created_at <= _limit(False)
    return or_(old, answers.club_id.in_({item.club_id for item in due})) if at_once and due else old


def _count(due: Sequence[Due], answers: int) -> Purged:
    counted = Counter(item.model for item in due)
    own = {"rulebooks": counted[OwnRulebookRow], "seasons": counted[Season], "evenings": counted[Evening]}
    return Purged(counted[Match], counted[Player], counted[Club], answers=answers, **own)
