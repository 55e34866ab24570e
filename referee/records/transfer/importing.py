"""Import a club's document into an empty club, or into the club it came from.

What is there already stays unchanged, so importing a document twice doubles nothing. The document is validated and
scored again before the club is touched; the club is closed while it is written (see `referee.records.transfer.bulk`),
and shows all of it when it opens again.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import merge
from typing import Any

from sqlalchemy import Engine, Select, Table, select
from sqlalchemy.orm import Session

from referee.records.deletion.renaming import Names
from referee.records.limits import MOST_OWN_RULEBOOKS, MOST_PLAYERS, too_many
from referee.records.models import (
    Deletion,
    DeletionKind,
    Key,
    KeyRole,
    Match,
    MatchEvent,
    OwnRulebookRow,
    Player,
    Round,
    RulebookText,
    Ruling,
    new_nonce,
    now,
)
from referee.records.names import fold_name
from referee.records.statistics.ratings import Placing, load_placings, rate
from referee.records.transfer.bulk import Bulk, Made, Rows
from referee.records.transfer.checks import Checked, check_document
from referee.records.transfer.document import ClubDocument, MatchPart, OwnRulebookPart, PlayerPart, WriterPart
from referee.records.transfer.match_checks import shallow
from referee.records.transfer.match_rows import Rating, Ratings, own, rows_of, table_of
from referee.records.transfer.reckoning import AgreedTerms, Result
from referee.records.transfer.taking_back import in_parts, take_back
from referee.records.words import say
from referee.rules.problem import Impossible, Problem

AT_ONCE = 200
"""Ids asked for by one statement."""


@dataclass(frozen=True)
class Report:
    """How much was imported, and how much was there already."""

    players: int
    players_known: int
    matches: int
    matches_known: int
    matches_deleted: int
    """deleted from the club before; they stay so"""
    rounds: int
    rulings: int


@dataclass(frozen=True)
class Plan:
    """What is new to a club: validated and scored again, matches in the order in which they began."""

    players: Sequence[PlayerPart] = ()
    writers: Sequence[WriterPart] = ()
    rulebooks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """documents of rulebooks, by digest"""
    own_rulebooks: Sequence[OwnRulebookPart] = ()
    matches: Sequence[MatchPart] = ()
    results: Mapping[str, Result] = field(default_factory=dict)
    """how the finished ones ended, by id"""
    names: Mapping[str, str] = field(default_factory=dict)
    """of all players who sit at them, by id"""
    terms: AgreedTerms = field(default_factory=AgreedTerms)
    deleted: int = 0
    """matches left out because they were deleted from the club"""
    forgotten: Mapping[str, Names] = field(default_factory=dict)
    """players whose names were deleted from the club, as the document still has them"""

    @property
    def made(self) -> Made:
        """List what will be made."""
        return {
            "players": [player.id for player in self.players],
            "keys": [writer.id for writer in self.writers],
            "rulebooks": list(self.rulebooks),
            "own_rulebooks": [own.id for own in self.own_rulebooks],
            "matches": [match.id for match in self.matches],
        }


def import_club(
    engine: Engine,
    club_id: str,
    document: ClubDocument,
    *,
    found: Callable[[Session], object] | None = None,
    done: Callable[[], object] = lambda: None,
    rest: Callable[[], object] = lambda: None,
) -> Report:
    """Import a document, all or nothing, and commit.

    `found` creates the club of this id first. `done` is called after each match, `rest` from time to time while nothing
    is locked. Raises `Impossible` with the problems, and `Busy` during another import; then nothing is imported.
    """
    checked = check_document(document, rest)
    new = partial(_plan, club_id=club_id, document=document, checked=checked)
    plan = bring(engine, club_id, new, found=found, done=done, rest=rest)
    return Report(
        players=len(plan.players),
        players_known=len(document.players) - len(plan.players),
        matches=len(plan.matches),
        matches_known=len(document.matches) - len(plan.matches) - plan.deleted,
        matches_deleted=plan.deleted,
        rounds=sum(len(match.rounds) for match in plan.matches),
        rulings=sum(len(match.rulings) for match in plan.matches),
    )


def bring(
    engine: Engine,
    club_id: str,
    plan: Callable[[Session], Plan],
    *,
    found: Callable[[Session], object] | None = None,
    done: Callable[[], object] = lambda: None,
    rest: Callable[[], object] = lambda: None,
    at_once: int | None = None,
) -> Plan:
    """Import what `plan` finds to be new to the club, which is closed until it is done; give what was imported.

    The first portion has `at_once` rows, or as few as is usual; later ones as many as take their time.
    Raises whatever `plan` raises, and `Busy`; then nothing is imported.
    """
    bulk = Bulk(engine, club_id, rest, at_once)
    try:
        with bulk.reading() as session:
            plan(session)  # a refused import closes no club
        bulk.open(found=found)
    except BaseException:
        bulk.abandon()
        raise
    try:
        with bulk.reading() as session:
            new = plan(session)
            first = min((*bulk.unrated, *(match.id for match in new.matches)), default=None)
            stored, known = load_placings(session, club_id, first, players=new.names) if first else ([], {})
        bulk.note(new.made)
        rated = _rated(bulk, new, stored, known)
        bulk.write(_rows(club_id, new, rated.fresh, done))
        bulk.each(in_parts(club_id, rated.stale))
        bulk.close()
    except BaseException:
        bulk.abandon()
        if engine.dialect.name == "sqlite":
            take_back(engine, club_id, bulk.id)
        raise
    return new


@dataclass
class _Rated:
    fresh: dict[tuple[str, int], Rating]
    """mu and sigma after each new match, by match and seat"""
    stale: list[dict[str, Any]]
    """stored ratings that are no longer right"""


def _rated(bulk: Bulk, plan: Plan, stored: Sequence[Placing], known: dict[str, tuple[float, float]]) -> _Rated:
    """Rate the players of the new matches, and of stored matches that began after the first of them."""
    new = [
        Placing(match.id, line["seat"], line["player_id"], line["rank"], line["won"], None, None, line["team"])
        for match in sorted(plan.matches, key=lambda match: match.id)
        if match.id in plan.results
        for line in plan.results[match.id].lines
    ]
    of_new = {match.id for match in plan.matches}
    rated = _Rated({}, [])
    for old, mu, sigma in rate(merge(new, stored, key=lambda placing: (placing.match_id, placing.seat)), known):
        bulk.beat()
        if old.match_id in of_new:
            rated.fresh[old.match_id, old.seat] = (mu, sigma)
        elif (old.mu, old.sigma) != (mu, sigma):
            rated.stale.append({"at_match": old.match_id, "at_seat": old.seat, "mu": mu, "sigma": sigma})
    return rated


def _plan(session: Session, club_id: str, document: ClubDocument, checked: Checked) -> Plan:
    """Find what is new to the club; raises `Impossible` for what conflicts with it."""
    people = {id: fold for id, fold in session.execute(_of(club_id, Player.id, Player.folded_name))}  # noqa: C416
    matches = set(session.scalars(_of(club_id, Match.id)))
    deleted = set(session.scalars(deleted_matches(club_id)))
    stand_ins = session.execute(_of(club_id, Player.id, Player.name).where(Player.removed_at.is_not(None)))
    called = {id: name for id, name in stand_ins}  # noqa: C416
    if (people or matches) and document.players and people.keys().isdisjoint(one.id for one in document.players):
        raise Impossible([Problem("players", say("import.another-club"))])
    problems = []
    names = set(people.values())
    for place, player in enumerate(document.players):
        if player.id not in people and fold_name(player.name) in names:
            problems.append(Problem(f"players[{place}].name", say("import.name-taken", name=player.name)))
    digests = set(session.scalars(_of(club_id, RulebookText.digest)))
    keys = set(session.scalars(_of(club_id, Key.id)))
    own_rows = session.execute(_of(club_id, OwnRulebookRow.id, OwnRulebookRow.deleted_at))
    made = {id: deleted for id, deleted in own_rows}  # noqa: C416
    plan = Plan(
        players=[player for player in document.players if player.id not in people],
        writers=[writer for writer in document.writers if writer.id not in keys],
        rulebooks={
            digest: book.to_document() for digest, book in checked.terms.rulebooks.items() if digest not in digests
        },
        own_rulebooks=[one for one in document.own_rulebooks if one.id not in made],
        matches=[match for match in document.matches if match.id not in matches | deleted],
        results=checked.results,
        names={player.id: player.name for player in document.players},
        terms=checked.terms,
        deleted=sum(match.id in deleted for match in document.matches),
        forgotten={
            player.id: Names(frozenset({player.name}), {}, called[player.id], {})
            for player in document.players
            if player.id in called
        },
    )
    if len(people) + len(plan.players) > MOST_PLAYERS:
        problems.append(too_many("players", MOST_PLAYERS, "players"))
    if sum(deleted is None for deleted in made.values()) + len(plan.own_rulebooks) > MOST_OWN_RULEBOOKS:
        problems.append(too_many("own-rulebooks", MOST_OWN_RULEBOOKS, "own_rulebooks"))
    if matches and _taken(session, club_id, plan):
        problems.append(Problem("matches", say("import.id-taken")))
    if problems:
        raise Impossible(problems)
    return plan


def deleted_matches(club_id: str) -> Select[Any]:
    """Ask for the ids of all matches that were ever deleted from a club."""
    return _of(club_id, Deletion.id).where(Deletion.kind == DeletionKind.MATCH)


def _taken(session: Session, club_id: str, plan: Plan) -> bool:
    """Tell whether a round, event or ruling of a new match exists elsewhere in the club."""
    for column, kind in ((Round.id, "rounds"), (MatchEvent.id, "events"), (Ruling.id, "rulings")):
        ids = [part.id for match in plan.matches for part in getattr(match, kind)]
        for start in range(0, len(ids), AT_ONCE):
            if session.scalar(_of(club_id, column).where(column.in_(ids[start : start + AT_ONCE])).limit(1)):
                return True
    return False


def _of(club_id: str, *columns: Any) -> Select[Any]:
    return select(*columns).where(columns[0].class_.club_id == club_id)


def _rows(club_id: str, plan: Plan, ratings: Ratings, done: Callable[[], object]) -> Iterator[Rows]:
    """Give all new rows, in an order in which none refers to a later one."""
    # merged players refer to others, who must be there first
    for player in sorted(plan.players, key=lambda player: player.merged_into is not None):
        yield table_of(Player), [own(club_id, shallow(player) | {"folded_name": fold_name(player.name)})]
    texts = [own(club_id, {"digest": digest, "document": text}) for digest, text in plan.rulebooks.items()]
    yield table_of(RulebookText), texts
    yield table_of(OwnRulebookRow), [own(club_id, shallow(one) | {"nonce": new_nonce()}) for one in plan.own_rulebooks]
    yield _without_forgotten(plan, table_of(Key), [_key(club_id, writer) for writer in plan.writers], None)
    for match in plan.matches:
        for table, rows in rows_of(club_id, match, plan.results.get(match.id), plan.names, plan.terms, ratings):
            yield _without_forgotten(plan, table, rows, match.id)
        done()


def _without_forgotten(plan: Plan, table: Table, rows: Sequence[Mapping[str, Any]], match_id: str | None) -> Rows:
    """Take names that were deleted from the club out of rows that a document brings."""
    for player_id, names in plan.forgotten.items():
        rows = [{**row, **names.changed(table, row, match_id, player_id)} for row in rows]
    return table, rows


def _key(club_id: str, writer: WriterPart) -> dict[str, Any]:
    """Make a key that only carries a writer's name: nobody holds it, and it opens nothing."""
    digest = hashlib.sha256(secrets.token_bytes(32)).hexdigest()
    closed = {"role": KeyRole.SCOREKEEPER, "digest": digest, "imported": True, "revoked_at": now()}
    return own(club_id, shallow(writer) | closed)
