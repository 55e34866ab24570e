"""Undo an import that failed or was interrupted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Engine, Executable, delete, select

from referee.records.errors import Busy
from referee.records.models import (
    ClubImport,
    Key,
    Match,
    MatchEvent,
    MatchResult,
    MatchSum,
    OwnRulebookRow,
    Player,
    Round,
    RoundScore,
    RoundVersion,
    RulebookText,
    Ruling,
    Seat,
    now,
)
from referee.records.statistics.ratings import keep_ratings, load_placings, rate_anew
from referee.records.transfer.bulk import BEGIN, CUT_OFF, Bulk, Made
from referee.records.words import say

AT_ONCE = 200
"""Ratings written by one statement."""
OF_MATCH = (Ruling, MatchEvent, MatchResult, MatchSum, RoundScore, Seat)
"""Tables that refer to a match by its id, except for rounds and their versions."""


def reopen(engine: Engine, club_id: str, import_id: str) -> None:
    """Open a club that an interrupted import has closed; raises `Busy` while the import is running."""
    with engine.connect().execution_options(**{BEGIN: "DEFERRED"}) as connection:
        at = connection.scalar(select(ClubImport.at).where(ClubImport.club_id == club_id, ClubImport.id == import_id))
    if at is not None and now() - at < CUT_OFF:
        raise Busy(say("import.busy"))
    if at is not None:  # else it has just ended
        take_back(engine, club_id, import_id)


def take_back(engine: Engine, club_id: str, import_id: str) -> None:
    """Undo all that an import wrote; raises `Busy` if another request is doing so."""
    bulk = Bulk(engine, club_id)
    try:
        bulk.open(taking_over=import_id)
        with bulk.reading() as session:
            note = session.get_one(ClubImport, club_id)
            made, founded = note.made, note.founded
        bulk.each(_undone(club_id, made))
        first = min((*made.get("unrated", ()), *made.get("matches", ())), default=None)
        with bulk.reading() as session:
            stored, known = load_placings(session, club_id, first) if first else ([], {})
        stale = []
        for rating in rate_anew(stored, known):
            bulk.beat()
            stale.append(rating)
        bulk.each(in_parts(club_id, stale))
        bulk.close(remove=founded)
    finally:
        bulk.abandon()


def _undone(club_id: str, made: Made) -> Iterator[Executable]:
    """Delete what was made, referring rows first."""
    for match_id in made.get("matches", ()):
        rounds = select(Round.id).where(Round.club_id == club_id, Round.match_id == match_id)
        yield delete(RoundVersion).where(RoundVersion.club_id == club_id, RoundVersion.round_id.in_(rounds))
        for table in (*OF_MATCH, Round):
            yield delete(table).where(table.club_id == club_id, table.match_id == match_id)
        yield delete(Match).where(Match.club_id == club_id, Match.id == match_id)
    for merged in (Player.merged_into.is_not(None), Player.merged_into.is_(None)):
        for id in made.get("players", ()):
            yield delete(Player).where(Player.club_id == club_id, Player.id == id, merged)
    for id in made.get("keys", ()):
        yield delete(Key).where(Key.club_id == club_id, Key.id == id)
    for digest in made.get("rulebooks", ()):
        yield delete(RulebookText).where(RulebookText.club_id == club_id, RulebookText.digest == digest)
    for id in made.get("own_rulebooks", ()):
        yield delete(OwnRulebookRow).where(OwnRulebookRow.club_id == club_id, OwnRulebookRow.id == id)


def in_parts(club_id: str, ratings: Sequence[Any]) -> Iterator[tuple[Executable, Sequence[Any]]]:
    """Give the statements that store ratings with results."""
    for start in range(0, len(ratings), AT_ONCE):
        yield keep_ratings(club_id), ratings[start : start + AT_ONCE]
