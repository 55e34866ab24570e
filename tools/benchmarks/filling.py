"""Fill a database with clubs that have played for years: some model clubs played by the app's own rules, then copied.

Every round of a model club is one of some thousand that a seeded generator dealt and the app scored; every match ends
as the app says; results and ratings are the app's own. The other clubs are copies of the models under ids of their
own, made by the database (``INSERT … SELECT``), for which a million rounds take minutes. So no row is made up here,
and `referee.records.soundness` finds nothing wrong; what differs from years of real play is that clubs repeat each
other.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from time import perf_counter
from typing import Any

import click
from flask import Flask
from sqlalchemy import ColumnElement, Connection, event, func, insert, literal, select, text
from sqlalchemy.orm import Session

from referee.records.club.access import NewClub, create_club
from referee.records.club.players import seat_players
from referee.records.ids import id_of
from referee.records.match.agreements import new_agreement, scale_of, terms_at
from referee.records.match.plans import MatchPlan, agree
from referee.records.match.results import settle
from referee.records.match.rounds import score_entry, score_rows
from referee.records.match.seating import load_seating
from referee.records.models import Base, Match, MatchStatus, Round, RoundScore, RoundVersion, Seat
from referee.records.statistics.ratings import rate_from
from referee.records.transactions import BEGIN
from referee.rules.books.library import get_rulebook
from referee.rules.cards.decks import parse_card
from referee.rules.scoring.round_entry import RoundEntry
from referee.rules.scoring.scoring import is_over
from referee.web.server.database import db

PEOPLE = ("Ada", "Bo", "Cy", "Di", "Eve", "Flo", "Gus", "Hal")
PLANS: tuple[dict[str, Any], ...] = (
    {"rulebook": "classic-500"},
    {"rulebook": "classic-500", "house_rules": ("jump-in",)},
    {"rulebook": "speluitslagen", "target": 500},
)
FIRST = datetime(2022, 1, 1, 19, tzinfo=UTC)
YEARS = timedelta(days=4 * 365)
MODELS = 8
CORRECTED = 0.02
"""Share of rounds that were corrected once."""
BOX = [*("0", "wild", "wild-draw-four") * 4, *(*"123456789", "skip", "reverse", "draw-two") * 8]
"""108 cards, their colours left out as at most tables."""
USUAL, MOST = 12, 500
"""Rounds that a match has, about, and those after which it is given up."""
POOL = 200
"""Rounds that are dealt and scored for each plan and number of players; all others are one of these again."""
LEFT = (1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 9)
"""Cards that somebody holds when another goes out."""
COPIED = (
    "clubs", "keys", "players", "rulebook_texts", "matches", "seats", "rounds", "round_versions", "round_scores",
    "match_results", "match_sums",
)  # fmt: skip
OF_MATCHES = COPIED[COPIED.index("matches") :]
LEADING = 10
"""Letters of an id that say when it was made; two rounds of one club have never the same."""

Pools = dict[tuple[int, int], list[dict[str, Any]]]
"""Scored rounds by plan and number of players; they are kept by seat, so that they fit any table of that kind."""


@dataclass(frozen=True)
class Filled:
    """What stands in a database, and how long it took to bring it there."""

    clubs: int
    rounds: int
    models: tuple[tuple[NewClub, int], ...]
    """Clubs that were played round by round, and how many rounds each has."""
    busy: NewClub
    seconds: float


def fill(app: Flask, *, clubs: int, rounds: int, busy: int, seed: int = 2026) -> Filled:
    """Fill an empty database: a club of `busy` rounds, and `clubs` others that have `rounds` together, about."""
    started = perf_counter()
    chance = random.Random(seed)
    drawn = [chance.uniform(0.2, 1.8) for _ in range(min(MODELS, clubs))]
    sizes = [max(1, round(rounds / clubs * size * len(drawn) / sum(drawn))) for size in drawn]
    with app.app_context(), _without_hindrance(), _bar(sum(sizes) + busy, "Playing") as bar:
        pools: Pools = {}
        session = db.session()
        session.expire_on_commit = False
        session.connection(execution_options={BEGIN: "IMMEDIATE"})
        models = tuple((_play(session, chance, pools, f"Model {size}", size, bar), size) for size in sizes)
        busiest = _play(session, chance, pools, "The busy club", busy, bar)
        session.commit()
        db.session.remove()
    played = Filled(len(models) + 1, sum(sizes) + busy, models, busiest, perf_counter() - started)
    return extend(app, played, rounds + busy, seed)


def extend(app: Flask, filled: Filled, rounds: int, seed: int = 2026) -> Filled:
    """Copy the models of a database in turn, until it has at least `rounds` rounds."""
    started = perf_counter()
    chance = random.Random(f"{seed} {filled.clubs}")
    clubs, count = filled.clubs, filled.rounds
    with app.app_context(), _without_hindrance(), _bar(max(0, rounds - count), "Copying") as bar:
        with db.engine.connect().execution_options(**{BEGIN: "IMMEDIATE"}) as connection:
            while count < rounds:
                model, size = filled.models[clubs % len(filled.models)]
                moment = FIRST + YEARS * chance.random()
                _copy(connection, model.club.id, id_of(moment, f"{seed} {clubs}".encode()), f"Club {clubs}")
                clubs, count = clubs + 1, count + size
                bar.update(size)
                if clubs % 50 == 0:
                    connection.commit()
            connection.commit()
        with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("ANALYZE"))
        with db.engine.connect() as connection:
            counted = connection.scalar(select(func.count()).select_from(Round)) or 0
    return replace(filled, clubs=clubs, rounds=counted, seconds=filled.seconds + perf_counter() - started)


def crowd(app: Flask, filled: Filled, rounds: int) -> Filled:
    """Let the busy club play its matches again and again, at as many tables at once, until it has so many rounds.

    A copied match has the ratings of its original, so these are not what the app would work out.
    """
    started = perf_counter()
    busy, model = filled.busy.club.id, id_of(FIRST, b"the model of the busy club")
    with (
        app.app_context(),
        _without_hindrance(),
        db.engine.connect().execution_options(**{BEGIN: "IMMEDIATE"}) as connection,
    ):
        rounds_of = select(func.count()).select_from(Round)
        if not connection.scalar(rounds_of.where(Round.club_id == model)):
            _copy(connection, busy, model, "The busy club, once")
        size, count = (connection.scalar(rounds_of.where(Round.club_id == club)) or 0 for club in (model, busy))
        with _bar(max(0, rounds - count), "Copying") as bar:
            while count < rounds:
                _copy_matches(connection, model, busy, f"{count // size:06x}")
                connection.commit()
                count += size
                bar.update(size)
    return replace(filled, rounds=count, seconds=filled.seconds + perf_counter() - started)


def play_evenings(app: Flask, evenings: int, matches: int, people: int, seed: int = 2026) -> NewClub:
    """Found a club of so many people that met on so many evenings, a day apart, and ended so many matches on each."""
    chance = random.Random(seed)
    pools: Pools = {}
    everyone = [f"{PEOPLE[number % len(PEOPLE)]} {number}" for number in range(people)]
    with app.app_context(), _without_hindrance(), _bar(evenings * matches * USUAL, "Playing about") as bar:
        session = db.session()
        session.expire_on_commit = False
        new = create_club(session, f"{evenings} evenings")
        for at in range(evenings * matches):
            evening, table = divmod(at, matches)
            moment = FIRST + timedelta(days=evening, minutes=table)
            id = id_of(moment, f"{seed} {moment}".encode())
            _play_match(session, chance, pools, new, id, moment, MOST, bar, everyone)
        session.commit()
        db.session.remove()
    return new


def _play(session: Session, chance: random.Random, pools: Pools, name: str, rounds: int, bar: Any) -> NewClub:
    """Found a club and play so many rounds; its last match may stand unfinished."""
    new = create_club(session, name)
    moment, step = FIRST, YEARS / (rounds / 3 + 1)
    first, left = "", rounds
    while left:
        id = id_of(moment, f"{name} {moment}".encode())
        first = first or id
        left -= _play_match(session, chance, pools, new, id, moment, left, bar)
        moment += step
    rate_from(session, new.club.id, first)
    return new


def _play_match(
    session: Session,
    chance: random.Random,
    pools: Pools,
    new: NewClub,
    id: str,
    moment: datetime,
    most: int,
    bar: Any,
    people: Sequence[str] = PEOPLE,
) -> int:
    """Play a match to its end, or `most` rounds of it; return how many."""
    club, by = new.club, new.scorekeeper
    which, players_here = chance.randrange(len(PLANS)), chance.sample(people, chance.randint(3, 6))
    plan = MatchPlan(players=tuple(players_here), **PLANS[which])
    pool = pools.setdefault((which, len(players_here)), [])
    terms = agree(get_rulebook(plan.rulebook), plan)
    players = seat_players(session, club, plan.players)
    match = Match(
        club_id=club.id,
        id=id,
        rulebook=plan.rulebook,
        agreements=[new_agreement(session, club.id, terms, 1, "", by)],
        started_at=moment,
        created_by=by.id,
    )
    session.add(match)
    session.flush()
    own = {"club_id": club.id, "match_id": id}
    seats = [
        own | {"seat": seat, "player_id": player.id, "name_then": player.name, "stays": [[1, None]]}
        for seat, player in enumerate(players)
    ]
    session.execute(insert(Seat), [{"opening_total": 0} | seat for seat in seats])
    seating = load_seating(session, match)
    terms = terms_at(session, match)
    totals = {seat.seat: 0 for seat in seating.seats}
    rows: dict[type[Any], list[dict[str, Any]]] = {Round: [], RoundVersion: [], RoundScore: []}
    for place in range(1, most + 1):
        moment += timedelta(minutes=7)
        played = Round(club_id=club.id, id=id_of(moment, f"{id} {place}".encode()), match_id=id, place=place, version=1)
        for version in range(1, 3 if chance.random() < CORRECTED else 2):
            played.version = version
            if len(pool) < POOL:
                entry, score = score_entry(session, match, seating, place, _deal(chance, len(plan.players)))
                pool.append({"entry": entry, "score": score})
            said = chance.choice(pool)
            of_round = {"club_id": club.id, "round_id": played.id, "version": version, "struck": False}
            rows[RoundVersion].append(of_round | said | {"entered_at": moment, "entered_by": by.id})
        rows[Round].append(own | {"id": played.id, "place": place, "version": played.version, "struck": False})
        scores = score_rows(own | {"place": place}, said["entry"], said["score"], seating.seats, scale_of(terms))
        rows[RoundScore] += scores
        for seat, score in zip(seating.seats, scores, strict=True):
            totals[seat.seat] += score["points"]
        bar.update(1)
        if is_over(terms, totals):
            break
    for table, some in rows.items():
        session.execute(insert(table), some)
    settle(session, match, seating, rate=False)
    if match.status == MatchStatus.FINISHED:
        match.finished_at = moment
    session.flush()
    session.expunge(match)
    return len(rows[Round])


def _deal(chance: random.Random, players: int) -> RoundEntry:
    """Let one go out, by a card for which nobody draws, and each other hold one to nine cards."""
    out, *others = chance.sample(range(players), players)
    cards = iter(map(parse_card, chance.sample(BOX, players * max(LEFT))))
    hands = {seat: tuple(islice(cards, chance.choice(LEFT))) for seat in others}
    return RoundEntry(went_out=out, hands=hands, last_card=next(card for card in cards if "draw" not in card.face))


def _copy(connection: Connection, original: str, club_id: str, name: str) -> None:
    """Found a club that has played exactly as another; its keys are under hashes that no token has."""
    for table in (Base.metadata.tables[table] for table in COPIED):
        own = (table.c.id if table.name == "clubs" else table.c.club_id) == original
        if table.name == "keys":
            keys = [dict(row) for row in connection.execute(select(table).where(own)).mappings()]
            fresh = [{"club_id": club_id, "digest": sha256((club_id + key["id"]).encode()).hexdigest()} for key in keys]
            connection.execute(insert(table), [key | new for key, new in zip(keys, fresh, strict=True)])
        else:
            values = [_value(column, club_id, name) for column in table.columns]
            connection.execute(insert(table).from_select(list(table.columns), select(*values).where(own)))


def _value(column: Any, club_id: str, name: str) -> ColumnElement[Any]:
    said = {"club_id": club_id} if column.table.name != "clubs" else {"id": club_id, "name": name}
    return literal(said[column.name]) if column.name in said else column


def _copy_matches(connection: Connection, original: str, club_id: str, ending: str) -> None:
    """Play the matches of a club again in another with the same players, under ids of another ending."""
    for table in (Base.metadata.tables[table] for table in OF_MATCHES):
        ids = {"match_id", "round_id", *(("id",) if table.name in ("matches", "rounds") else ())}
        values = [
            literal(club_id) if column.name == "club_id"
            else func.substr(column, 1, LEADING).concat(ending) if column.name in ids
            else column
            for column in table.columns
        ]  # fmt: skip
        chosen = select(*values).where(table.c.club_id == original)
        connection.execute(insert(table).from_select(list(table.columns), chosen))


@contextmanager
def _without_hindrance() -> Iterator[None]:
    """Let the database neither look foreign keys up nor wait for the disk while it is filled."""
    engine = db.engine
    sqlite = engine.dialect.name == "sqlite"
    hurry = (
        ("PRAGMA foreign_keys=OFF", "PRAGMA synchronous=OFF", "PRAGMA cache_size=-400000")
        if sqlite
        else ("SET session_replication_role = replica", "SET synchronous_commit = off")
    )

    def connect(connection: Any, _record: Any) -> None:
        with closing(connection.cursor()) as cursor:
            for statement in hurry:
                cursor.execute(statement)
        if not sqlite:
            connection.commit()

    engine.dispose()
    event.listen(engine, "connect", connect)
    try:
        yield
    finally:
        event.remove(engine, "connect", connect)
        engine.dispose()  # connections without foreign keys serve no requests


@contextmanager
def _bar(rounds: int, what: str) -> Iterator[Any]:
    label = f"{what} {rounds:,} rounds"
    with click.progressbar(length=rounds, label=label, file=sys.stderr, update_min_steps=500) as bar:
        yield bar
