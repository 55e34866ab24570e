"""Import a club's document into an empty club, or into the club it came from.

What is there already stays unchanged, so importing a document twice doubles nothing. The document is checked and scored
again, and what is new to the club is computed, while others write; under the lock the club is compared with what was
read (`ExistingRows`), and the rows are written (`referee.records.transfer.writing`). Ratings are computed last.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Engine, Table
from sqlalchemy.orm import Session

from referee.records.deletion.incoming import Forgotten, without_forgotten
from referee.records.deletion.texts import placeholder
from referee.records.errors import (
    MOST_EVENINGS,
    MOST_OWN_RULEBOOKS,
    MOST_PLAYERS,
    MOST_PRECEDENTS,
    MOST_SEASONS,
    Busy,
    Moved,
    too_many,
)
from referee.records.match.agreements import Agreement, scale_of
from referee.records.match.rounds import score_rows
from referee.records.models import (
    Base,
    Club,
    DrawTable,
    Evening,
    EveningDraw,
    EveningPlayer,
    Key,
    KeyRole,
    Match,
    MatchEvent,
    MatchResult,
    MatchStatus,
    MatchSum,
    OwnRulebookRow,
    Player,
    RemovedText,
    Round,
    RoundScore,
    RoundVersion,
    RulebookText,
    Ruling,
    Season,
    Seat,
    new_nonce,
    now,
)
from referee.records.names import fold_name
from referee.records.statistics.figures import add_meetings, sum_up
from referee.records.statistics.ratings import rate_pending
from referee.records.transactions import optimize, reading
from referee.records.transfer import checking, references
from referee.records.transfer import document as parts
from referee.records.transfer.rescoring import AgreedTerms, InForce, Result, Sitting
from referee.records.transfer.writing import Made, Rows, write_rows
from referee.records.words import say
from referee.rules.disputes import DISPUTES_BY_ID
from referee.rules.text.problem import Impossible, Problem

AT_ONCE = 200
"""Ids asked for by one statement."""
TRIES = 4
"""Times that an import is planned when others change the club meanwhile."""


@dataclass(frozen=True)
class Report:
    """How much was imported, and how much was there already."""

    players: int
    players_known: int
    matches: int
    matches_known: int
    matches_deleted: int
    """deleted from the club before; they stay so"""
    matches_refused: int
    rounds: int
    rulings: int
    problems: Sequence[Problem] = ()
    """why matches were refused, each with its field; at most `MOST_PROBLEMS`"""


@dataclass(frozen=True)
class Plan:
    """What is new to a club: checked and scored again, matches in the order in which they began."""

    players: Sequence[parts.PlayerPart] = ()
    writers: Sequence[parts.WriterPart] = ()
    rulebooks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """documents of rulebooks, by digest"""
    own_rulebooks: Sequence[parts.OwnRulebookPart] = ()
    precedents: Sequence[parts.RulingPart] = ()
    """without a match"""
    seasons: Sequence[parts.SeasonPart] = ()
    evenings: Sequence[parts.EveningPart] = ()
    matches: Sequence[parts.MatchPart] = ()
    results: Mapping[str, Result] = field(default_factory=dict)
    """how the finished ones ended, by id"""
    names: Mapping[str, str] = field(default_factory=dict)
    """of all players who sit at them, by id"""
    terms: AgreedTerms = field(default_factory=AgreedTerms)
    known: int = 0
    """matches left out because they are there already"""
    deleted: int = 0
    """matches left out because they were deleted from the club"""
    refused: Sequence[Problem] = ()
    """matches left out because two who played them are one player in the club, each with its field"""
    forgotten: Mapping[str, Forgotten] = field(default_factory=dict)
    """players whose names in the document can't be theirs in the club: deleted there, or a stand-in's that is taken"""
    instead: str = ""
    """what stands in the place of a text with a deleted name"""

    @property
    def made(self) -> Made:
        """List what will be made."""
        return {
            "players": [player.id for player in self.players],
            "keys": [writer.id for writer in self.writers],
            "rulebooks": list(self.rulebooks),
            "own_rulebooks": [own.id for own in self.own_rulebooks],
            "precedents": [one.id for one in self.precedents],
            "seasons": [one.id for one in self.seasons],
            "evenings": [one.id for one in self.evenings],
            "matches": [match.id for match in self.matches],
        }


def import_club(
    engine: Engine,
    club_id: str,
    document: parts.ClubDocument,
    *,
    create: Callable[[Session], object] | None = None,
    done: Callable[[], object] = lambda: None,
    pause: Callable[[], object] = lambda: None,
) -> Report:
    """Import a document, all or nothing, and commit.

    `create` makes the club of this id first. `done` is called after each match, `pause` from time to time while
    nothing is locked. Raises `Impossible` with the problems, and `Busy` during another import.
    """
    checked = checking.check_document(document, pause)

    def compute(session: Session, known: references.ExistingRows) -> Plan:
        return plan_club(session, club_id, document, checked, known)

    plan = import_planned(engine, club_id, compute, create=create, done=done, pause=pause)
    return Report(
        players=len(plan.players),
        players_known=len(document.players) - len(plan.players),
        matches=len(plan.matches),
        matches_known=plan.known,
        matches_deleted=plan.deleted,
        matches_refused=len(plan.refused),
        rounds=sum(len(match.rounds) for match in plan.matches),
        rulings=sum(len(match.rulings) for match in plan.matches),
        problems=plan.refused[: checking.MOST_PROBLEMS],
    )


def import_planned(
    engine: Engine,
    club_id: str,
    compute: Callable[[Session, references.ExistingRows], Plan],
    *,
    create: Callable[[Session], object] | None = None,
    done: Callable[[], object] = lambda: None,
    pause: Callable[[], object] = lambda: None,
) -> Plan:
    """Import what `compute` finds to be new to the club, and return it; raises whatever it raises, and `Busy`."""
    for _ in range(TRIES):
        with reading(engine) as session:
            known = references.load_known(session, club_id)
            plan = compute(session, known)

        def begin(session: Session, known: references.ExistingRows = known) -> None:
            if create is not None:
                create(session)
            elif references.load_known(session, club_id) != known:
                raise Moved

        try:
            write_rows(engine, club_id, _rows(club_id, plan, done, pause), plan.made, begin)
        except Moved:
            continue
        rate_pending(engine, club_id)
        optimize(engine)
        return plan
    raise Busy(say("import.busy"))


def plan_club(
    session: Session,
    club_id: str,
    document: parts.ClubDocument,
    checked: checking.Checked,
    known: references.ExistingRows,
) -> Plan:
    """Compute what of a document is new to the club; raises `Impossible` for what conflicts with it."""
    people = {player.id for player in document.players}
    if (known.players or known.matches) and people and known.players.keys().isdisjoint(people):
        raise Impossible([Problem("players", say("import.another-club"))])
    taken = set(known.players.values())
    renamed = references.number_anew(document, known)
    called = {**known.removed, **renamed}
    fine = known.players.keys() | renamed.keys()
    problems = [
        Problem(f"players[{place}].name", say("import.name-taken", name=player.name))
        for place, player in enumerate(document.players)
        if player.id not in fine and fold_name(player.name) in taken
    ]
    became = {player.id: references.survivor_of(player, known, people) for player in document.players}
    new_players = [player for player in document.players if player.id not in known.players]
    matches, refused = references.new_matches(document, known, became)
    books = checked.terms.rulebooks
    new = Plan(
        players=[
            replace(
                one,
                name=renamed.get(one.id, one.name),
                merged_into=became[one.id] if became[one.id] != one.id else None,
            )
            for one in new_players
        ],
        writers=[writer for writer in document.writers if writer.id not in known.keys],
        rulebooks={digest: book.to_document() for digest, book in books.items() if digest not in known.rulebooks},
        own_rulebooks=[one for one in document.own_rulebooks if one.id not in known.own_rulebooks],
        precedents=[one for one in document.precedents if one.id not in known.precedents],
        seasons=[one for one in document.seasons if one.id not in known.seasons],
        evenings=references.new_evenings(document, known, became, matches),
        matches=matches,
        results={
            id: replace(ended, lines=[line | {"player_id": became[line["player_id"]]} for line in ended.lines])
            for id, ended in checked.results.items()
        },
        names={player.id: player.name for player in document.players},
        terms=checked.terms,
        known=sum(match.id in known.matches for match in document.matches),
        deleted=sum(match.id in known.deleted for match in document.matches),
        refused=refused,
        forgotten=references.forgotten_names(document, known, called, became),
        instead=placeholder(session.get_one(Club, club_id)) if called else "",
    )
    if len(known.players) + len(new.players) > MOST_PLAYERS:
        problems.append(too_many("players", MOST_PLAYERS, "players"))
    if list(known.own_rulebooks.values()).count(False) + len(new.own_rulebooks) > MOST_OWN_RULEBOOKS:
        problems.append(too_many("own-rulebooks", MOST_OWN_RULEBOOKS, "own_rulebooks"))
    if list(known.seasons.values()).count(False) + len(new.seasons) > MOST_SEASONS:
        problems.append(too_many("seasons", MOST_SEASONS, "seasons"))
    if len(known.evenings) + len(new.evenings) > MOST_EVENINGS:
        problems.append(too_many("evenings", MOST_EVENINGS, "evenings"))
    if known.matches and _taken(session, club_id, new):
        problems.append(Problem("matches", say("import.id-taken")))
    new_law = (*new.precedents, *(one for match in matches for one in match.rulings if one.kept))
    if new_law and len(known.precedents) + len(new_law) > MOST_PRECEDENTS:
        problems.append(too_many("precedents", MOST_PRECEDENTS, "precedents"))
    if problems:
        raise Impossible(problems)
    return new


def _taken(session: Session, club_id: str, plan: Plan) -> bool:
    """Return whether a round, event or ruling of a new match exists elsewhere in the club."""
    for column, kind in ((Round.id, "rounds"), (MatchEvent.id, "events"), (Ruling.id, "rulings")):
        ids = [part.id for match in plan.matches for part in getattr(match, kind)]
        for start in range(0, len(ids), AT_ONCE):
            if session.scalar(
                references.of_club(club_id, column).where(column.in_(ids[start : start + AT_ONCE])).limit(1)
            ):
                return True
    return False


# -- the rows of what is new -------------------------------------------------------------------------------------------


def _rows(club_id: str, plan: Plan, done: Callable[[], object], pause: Callable[[], object]) -> Iterator[Rows]:
    """Yield all new rows, in an order in which none refers to a later one."""
    # merged players refer to others, who must be there first
    for player in sorted(plan.players, key=lambda player: player.merged_into is not None):
        fields = checking.fields_of(player)
        fields["deleted_at"] = fields.pop("removed_at")
        yield table_of(Player), [own(club_id, fields | {"folded_name": fold_name(player.name)})]
    texts = [own(club_id, {"digest": digest, "document": text}) for digest, text in plan.rulebooks.items()]
    yield table_of(RulebookText), texts
    books = [own(club_id, checking.fields_of(one) | {"nonce": new_nonce()}) for one in plan.own_rulebooks]
    yield from _without_forgotten(plan, table_of(OwnRulebookRow), books, None)
    yield from _without_forgotten(plan, table_of(Key), [_key(club_id, writer) for writer in plan.writers], None)
    alone = [own(club_id, {"match_id": None, "finding": None, **checking.fields_of(one)}) for one in plan.precedents]
    yield from _without_forgotten(plan, table_of(Ruling), alone, None)
    yield from _without_forgotten(plan, table_of(Season), [_season(club_id, one) for one in plan.seasons], None)
    for match in plan.matches:
        for table, rows in rows_of(club_id, match, plan.results.get(match.id), plan.names, plan.terms):
            yield from _without_forgotten(plan, table, rows, match)
            pause()
        done()
    for evening in plan.evenings:
        for table, rows in _evening(club_id, evening):
            yield from _without_forgotten(plan, table, rows, None)
        pause()


def _without_forgotten(
    plan: Plan, table: Table, rows: Sequence[Mapping[str, Any]], match: parts.MatchPart | None
) -> Iterator[Rows]:
    """Take names that were deleted from the club out of rows that a document brings."""
    if not plan.forgotten:
        yield table, rows
        return
    seats = {
        place: (seat.player, plan.names.get(seat.player, "")) for place, seat in enumerate(match.seats if match else ())
    }
    match_id, books = match.id if match else None, plan.terms.rulebooks
    both = [without_forgotten(plan.forgotten, table, row, match_id, seats, books, plan.instead) for row in rows]
    yield table, [row for row, _ in both]
    yield table_of(RemovedText), [one for _, apart in both for one in apart]


def _key(club_id: str, writer: parts.WriterPart) -> dict[str, Any]:
    """Make a key that only carries a writer's name: nobody holds it, and it opens nothing."""
    digest = hashlib.sha256(secrets.token_bytes(32)).hexdigest()
    closed = {"role": KeyRole.SCOREKEEPER, "digest": digest, "imported": True, "revoked_at": now()}
    return own(club_id, checking.fields_of(writer) | closed | {"recovers": False})


def _season(club_id: str, part: parts.SeasonPart) -> dict[str, Any]:
    said = checking.season_of(part)
    days = {name: getattr(part, name) for name in ("first_day", "last_day", "names_until", "names_deleted_on")}
    written = {"name": said.name, "rules": said.rules.to_document(), "people": list(said.people)} | days
    made = {"version": part.version, "nonce": new_nonce(), "created_at": part.created_at}
    return own(club_id, {"id": part.id} | written | made)


def _evening(club_id: str, part: parts.EveningPart) -> Iterator[Rows]:
    """Yield all rows of an evening, whose matches are there already."""
    agreed = checking.plan_of(part.plan).to_document()
    own_row = {"id": part.id, "name": part.name, "status": part.status, "plan": agreed, "revision": 1}
    times = {"started_at": part.started_at, "ended_at": part.ended_at}
    yield table_of(Evening), [own(club_id, own_row | times | {"nonce": new_nonce()})]
    of_evening = {"club_id": club_id, "evening_id": part.id}
    came = [of_evening | checking.fields_of(one) for one in part.people]
    yield table_of(EveningPlayer), [{"player_id": one.pop("player"), **one} for one in came]
    draws, tables = [], []
    for draw, drawn in enumerate(part.draws, 1):
        of_draw = of_evening | {"draw": draw}
        given = {name: value for name, value in checking.fields_of(drawn.input).items() if value or name == "met"}
        row = {"kind": drawn.kind, "number": drawn.number, "drawn_at": drawn.drawn_at}
        draws.append(of_draw | row | {"input": given})
        tables += [of_draw | {"table": one.table, "match_id": one.match} for one in drawn.tables]
    yield table_of(EveningDraw), draws
    yield table_of(DrawTable), tables


_LISTS = ("seats", "rounds", "events", "rulings", "removed_texts")


def rows_of(
    club_id: str,
    match: parts.MatchPart,
    result: Result | None,
    names: Mapping[str, str],
    terms: AgreedTerms,
) -> Iterator[Rows]:
    """Yield all rows of a match, in an order in which none refers to a later one; ratings are computed later."""
    of_match = {"club_id": club_id, "match_id": match.id}
    agreements = [checking.agreement_of(part) for part in match.agreements]
    head = {name: value for name, value in checking.fields_of(match).items() if name not in _LISTS}
    head |= {"rulebook": agreements[0].rulebook, "agreements": [agreement.to_document() for agreement in agreements]}
    over = match.status != MatchStatus.IN_PROGRESS
    yield table_of(Match), [own(club_id, head | {"revision": 1, "summed": 1 if over else None})]
    seats = [
        of_match
        | {"seat": place, "player_id": seat.player, "name_then": seat.name_then}
        | {"opening_total": seat.opening_total, "stays": [list(stay) for stay in seat.stays]}
        for place, seat in enumerate(match.seats)
    ]
    yield table_of(Seat), seats
    for table, rows in _rounds(club_id, match, agreements, names, terms):
        yield table, rows
        if over and table is table_of(RoundScore):
            yield table_of(MatchSum), list(sum_up(club_id, match.id, rows))
    yield table_of(MatchEvent), [of_match | checking.fields_of(event) for event in match.events]
    yield (
        table_of(Ruling),
        [of_match | checking.fields_of(ruling) | {"finding": _finding(ruling)} for ruling in match.rulings],
    )
    results = add_meetings(result.lines) if result else ()
    yield table_of(MatchResult), [of_match | line | {"mu": None, "sigma": None} for line in results]


def _rounds(
    club_id: str,
    match: parts.MatchPart,
    agreements: list[Agreement],
    names: Mapping[str, str],
    terms: AgreedTerms,
) -> Iterator[Rows]:
    rounds: list[dict[str, Any]] = []
    versions: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    sitting, in_force = Sitting(checking.seats_of(match, names)), InForce(agreements)
    for part in match.rounds:
        last = part.versions[-1]
        head = {"id": part.id, "match_id": match.id, "place": part.place}
        rounds.append(own(club_id, head | {"version": len(part.versions), "struck": last.struck}))
        for number, version in enumerate(part.versions, start=1):
            content = {"entry": checking.parse_entry(version.entry), "score": checking.fields_of(version.score)}
            versions.append(
                own(club_id, {"round_id": part.id, "version": number} | checking.fields_of(version) | content)
            )
        present, scale = sitting.at(part.place), scale_of(terms.of(in_force.at(part.place)))
        if not last.struck:
            of_round = {"club_id": club_id, "match_id": match.id, "place": part.place}
            scores += score_rows(of_round, content["entry"], content["score"], present, scale)
    yield table_of(Round), rounds
    yield table_of(RoundVersion), versions
    yield table_of(RoundScore), scores


def _finding(ruling: parts.RulingPart) -> str | None:
    """Return what statistics count a ruling as, read from the ruling: no file has it."""
    dispute = DISPUTES_BY_ID.get(ruling.dispute)
    return dispute.finds(ruling.facts, ruling.ruling.get("outcome", {})) if dispute else None


def own(club_id: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with the club's id."""
    return {"club_id": club_id, **row}


def table_of(model: type[Base]) -> Table:
    """Return the table of a model; inserting into it takes a third of the time that models take."""
    return Base.metadata.tables[model.__tablename__]
