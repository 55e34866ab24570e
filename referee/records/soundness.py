"""Check that the database is consistent: everything derived is computed again and compared with what is stored.

Nothing is changed. Each fault names its club, match and round.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from sqlalchemy import or_, select, text
from sqlalchemy.orm import Session

from referee.records.club.access import is_working
from referee.records.deletion.texts import load_column
from referee.records.evening.drawing import met_before
from referee.records.evening.evenings import EveningPlan
from referee.records.ids import first_id_of
from referee.records.match.agreements import agreements_of, scale_of, terms_at, terms_of
from referee.records.match.rounds import score_rows
from referee.records.match.seating import Seated, Seating, load_seating, totals_of
from referee.records.match.tallies import Tally, add_up, tally_of
from referee.records.models import (
    DELETED_TOO,
    Base,
    Club,
    ClubImport,
    Deletion,
    DeletionKind,
    Evening,
    EveningDraw,
    EveningPlayer,
    EveningStatus,
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
    UtcDateTime,
    now,
)
from referee.records.names import clean_name, printable
from referee.records.statistics.figures import add_meetings, sum_up
from referee.records.transfer.checking import AHEAD, EARLIEST, misread
from referee.records.transfer.rescoring import InForce, Sitting, differences
from referee.records.words import say
from referee.rules.books.rulebook import Rulebook
from referee.rules.scoring.scoring import ranks
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible

UNSEEN = frozenset({"club_imports", "idempotent_answers", "deletions"})
"""Tables that no page shows."""
_sum, _result = Base.metadata.tables[MatchSum.__tablename__], Base.metadata.tables[MatchResult.__tablename__]
_KIND = itemgetter("player_id", "scale", "players")
DIGEST = re.compile(r"[0-9a-f]{64}")


def find_faults(session: Session, done: Callable[[], object] = lambda: None) -> Iterator[str]:
    """Check the whole database and give each fault as a sentence; `done` is called after each match."""
    yield from _faults_of_file(session)
    for club in session.scalars(select(Club).order_by(Club.id).execution_options(**DELETED_TOO)):
        yield from (say("check.in-club", id=club.id, fault=fault) for fault in faults_of_club(session, club, done))


def _faults_of_file(session: Session) -> Iterator[str]:
    """Let SQLite check its pages and foreign keys; PostgreSQL enforces its own."""
    if session.get_bind().dialect.name != "sqlite":
        return
    for (fault,) in session.execute(text("PRAGMA integrity_check")):
        if fault != "ok":
            yield say("check.file", detail=fault)
    for table, row, parent, _ in session.execute(text("PRAGMA foreign_key_check")):
        yield say("check.row", row=row, table=table, parent=parent)


def faults_of_club(session: Session, club: Club, done: Callable[[], object] = lambda: None) -> Iterator[str]:
    """Check one club and give each fault as a sentence; `done` is called after each match."""
    keys = session.scalars(select(Key).where(Key.club_id == club.id)).all()
    of_club = select(Match.id, Match.rematch_of).where(Match.club_id == club.id)
    before = {row.id: row.rematch_of for row in session.execute(of_club.execution_options(**DELETED_TOO))}
    match_ids = before.keys()
    if session.get(Deletion, (club.id, club.id)) is not None:
        yield say("check.half-purged")
        return
    if not any(is_working(key) for key in keys):
        yield say("check.no-scorekeeper")
    yield from _faults_of_keys(keys, match_ids)
    yield from _unknown_writers(session, club, {key.id for key in keys})
    if club.import_id is not None or session.get(ClubImport, club.id) is not None:
        yield say("check.import")
    yield from _not_to_be_shown(session, club)
    yield from _faults_of_people(session, club)
    yield from _faults_of_texts(session, club)
    yield from _faults_of_evenings(session, club, keys)
    yield from _faults_of_seasons(session, club)
    for match_id, fault in _faults_of_references(session, club, before):
        yield say("check.in-match", id=match_id, fault=fault)
    for stored in session.scalars(select(RulebookText).where(RulebookText.club_id == club.id)):
        if Rulebook.from_document(stored.document).digest != stored.digest:
            yield say("check.rulebook", digest=stored.digest[:12])
    for match_id in sorted(match_ids):
        match = session.get_one(Match, (club.id, match_id), execution_options=DELETED_TOO)
        faults = _while_readable(_faults_of_match(session, match))
        yield from (say("check.in-match", id=match.id, fault=fault) for fault in faults)
        done()
        session.expunge(match)  # only one match is in memory at a time


def _while_readable(faults: Iterator[str]) -> Iterator[str]:
    """Yield faults up to what can't even be read, which is the last of them."""
    try:
        yield from faults
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        yield say("check.unreadable", reason=printable(f"{type(error).__name__}: {error}"[:200]))


def _faults_of_keys(keys: Sequence[Key], match_ids: Collection[str]) -> Iterator[str]:
    for key in keys:
        if key.role not in set(KeyRole):
            yield say("check.key-role", id=key.id, role=key.role)
        if not DIGEST.fullmatch(key.digest):
            yield say("check.key-digest", id=key.id)
        if key.match_id is not None and key.match_id not in match_ids:
            yield say("check.key-match", id=key.id, match=key.match_id)
    if sum(key.recovers and key.revoked_at is None for key in keys) > 1:
        yield say("check.sheets")


def _unknown_writers(session: Session, club: Club, known: set[str]) -> Iterator[str]:
    columns = {"matches": "created_by", "round_versions": "entered_by", "match_events": "by", "rulings": "given_by"}
    for name, column in columns.items():
        table = Base.metadata.tables[name]
        wrote = select(table.c[column]).where(table.c.club_id == club.id, table.c[column].is_not(None)).distinct()
        for writer in set(session.scalars(wrote)) - known:
            yield say("check.writer", table=name, key=writer)


def _not_to_be_shown(session: Session, club: Club) -> Iterator[str]:
    """Find ids, moments and names that no page can show, as early imports could bring them."""
    latest = now() + AHEAD
    last_id = first_id_of(latest)
    for table in Base.metadata.sorted_tables:
        own = table.c.get("club_id", table.c.id if table.name == "clubs" else None)
        if own is None or table.name in UNSEEN:
            continue
        for column in table.c:
            chosen = select(column).where(own == club.id)
            if column.name == "id":
                for id in session.scalars(chosen.where(column >= last_id)):
                    yield say("check.future-id", table=table.name, id=id)
            elif isinstance(column.type, UtcDateTime) and column.name != "expires_at":
                for moment in session.scalars(chosen.where(or_(column < EARLIEST, column > latest))):
                    yield say("check.moment", table=table.name, column=column.name, moment=moment)
    for name in session.scalars(select(Player.name).where(Player.club_id == club.id)):
        try:
            same = clean_name(name) == name
        except Impossible:
            same = False
        if not same:
            yield say("check.name", name=printable(name))


def _faults_of_people(session: Session, club: Club) -> Iterator[str]:
    """Find names that wait for a player who is not deleted, or don't with that of whose they became."""
    players = {player.id: player for player in session.scalars(select(Player).where(Player.club_id == club.id))}
    deleted = {player.id for player in players.values() if player.deleted_at is not None}
    for player in players.values():
        if player.deleted_name is not None and deleted.isdisjoint((player.id, player.merged_into)):
            yield say("check.half-deleted", name=printable(player.name))
        became = players.get(player.merged_into or "")
        if became is not None and became.deleted_name is not None and player.deleted_name is None:
            yield say("check.name-left", name=printable(player.name), player=printable(became.name))
        if player.merged_into is not None and players[player.merged_into].merged_into is not None:
            yield say("check.merged-twice", name=printable(player.name))


def _faults_of_references(
    session: Session, club: Club, before: Mapping[str, str | None]
) -> Iterator[tuple[str | None, str]]:
    """Find what refers to nothing, and in which match; `before` has the match that each is the rematch of, by id.

    A match that was purged is known by what is left of it.
    """
    digests = set(session.scalars(select(RulebookText.digest).where(RulebookText.club_id == club.id)))
    players = set(session.scalars(select(Player.id).where(Player.club_id == club.id)))
    gone = select(Deletion.id).where(Deletion.club_id == club.id, Deletion.kind == DeletionKind.MATCH)
    matches = before.keys() | set(session.scalars(gone))
    rulings = select(Ruling.match_id, Ruling.rulebook_digest).where(Ruling.club_id == club.id).distinct()
    events = select(MatchEvent.match_id, MatchEvent.details).where(MatchEvent.club_id == club.id)
    merged = (Player.club_id == Seat.club_id) & (Player.id == Seat.player_id) & Player.merged_into.is_not(None)
    seats = select(Seat.match_id, Player.name).join(Player, merged).where(Seat.club_id == club.id)
    joined = ((match, details.get("player")) for match, details in session.execute(events))
    for field, rows, known in (
        ("rematch_of", before.items(), matches),
        ("rulebook_digest", session.execute(rulings), digests),
        ("player", joined, players),
    ):
        for match, id in rows:
            if id is not None and id not in known:
                yield match, say("check.nothing", field=field, id=printable(str(id)))
    for match, name in session.execute(seats):
        yield match, say("check.merged-seat", name=printable(name))


def _faults_of_evenings(session: Session, club: Club, keys: Sequence[Key]) -> Iterator[str]:
    """Find evenings whose plan, people, draws or keys can't be theirs; rows that are missing the database itself finds.

    Nobody is looked for at two tables of one draw: a deleted match may come back when its players sit elsewhere.
    """
    players = dict(session.execute(select(Player.id, Player.merged_into).where(Player.club_id == club.id)).all())
    status = {}
    for evening in session.scalars(select(Evening).where(Evening.club_id == club.id).order_by(Evening.id)):
        status[evening.id] = EveningStatus.ENDED if evening.deleted_at else evening.status
        faults = _while_readable(_faults_of_evening(session, evening, players))
        yield from (say("check.in-evening", id=evening.id, fault=fault) for fault in faults)
    for key in keys:
        if key.evening_id is None or key.revoked_at is not None:
            continue
        if key.evening_id not in status:
            yield say("check.nothing", field="evening_id", id=printable(key.evening_id))
        elif status[key.evening_id] == EveningStatus.ENDED and key.role == KeyRole.TABLE:
            yield say("check.table-key", id=key.id, evening=key.evening_id)


def _faults_of_evening(session: Session, evening: Evening, players: Mapping[str, str | None]) -> Iterator[str]:
    own = (EveningPlayer.club_id == evening.club_id, EveningPlayer.evening_id == evening.id)
    for id in session.scalars(select(EveningPlayer.player_id).where(*own)):
        if players.get(id) is not None:
            yield say("check.merged-person", id=id)
    if (evening.ended_at is not None) != (evening.status == EveningStatus.ENDED):
        yield say("check.evening-ended", status=printable(evening.status))
    drawn = (EveningDraw.club_id == evening.club_id, EveningDraw.evening_id == evening.id)
    draws = session.scalars(select(EveningDraw).where(*drawn).order_by(EveningDraw.draw)).all()
    if (numbers := [one.draw for one in draws]) != list(range(1, len(draws) + 1)):
        yield say("check.draws", found=numbers, last=len(draws))
    for one in draws:
        for id in set(one.input["players"]) - players.keys():
            yield say("check.nothing", field="input.players", id=printable(str(id)))
        met_before(one)
    EveningPlan.from_document(evening.plan).of_table(("", ""))


def _faults_of_seasons(session: Session, club: Club) -> Iterator[str]:
    known = set(session.scalars(select(Player.id).where(Player.club_id == club.id)))
    seasons = select(Season.id, Season.people).where(Season.club_id == club.id)
    for season, people in session.execute(seasons):
        for id in people:
            if id not in known:
                yield say("check.nothing", field=f"seasons/{season}/people", id=printable(str(id)))


def _faults_of_texts(session: Session, club: Club) -> Iterator[str]:
    """Find texts that stand apart though they wait for nobody, or have no place to return to."""
    restorable = select(Player.id).where(Player.club_id == club.id, Player.deleted_name.is_not(None))
    known = set(session.scalars(restorable))
    for row in session.scalars(select(RemovedText).where(RemovedText.club_id == club.id)):
        column = load_column(session, club.id, row)
        # a rulebook of the club's own may have fewer rules by now
        edited = row.place.startswith(f"{OwnRulebookRow.__tablename__}/")
        if column is None or not (edited or column.at(row.place) is not None):
            yield say("check.removed-place", place=printable(row.place))
        if not row.waits_for or not known.issuperset(row.waits_for.split()):
            yield say("check.removed-waits", place=printable(row.place))


def _faults_of_match(session: Session, match: Match) -> Iterator[str]:
    seating = load_seating(session, match)
    here = (Round.club_id == match.club_id, Round.match_id == match.id)
    rounds = session.scalars(select(Round).where(*here).order_by(Round.place)).all()
    places = [played.place for played in rounds]
    if places != list(range(1, len(places) + 1)):
        yield say("check.places", found=places, last=len(places))
    sitting, in_force, chairs = Sitting(seating.seats), InForce(agreements_of(match)), range(len(seating.seats))
    scores: list[dict[str, Any]] = []
    versions, stored = defaultdict[str, list[RoundVersion]](list), defaultdict[int, list[RoundScore]](list)
    entered = select(RoundVersion).join(
        Round, (Round.club_id == RoundVersion.club_id) & (Round.id == RoundVersion.round_id)
    )
    for version in session.scalars(entered.where(*here).order_by(RoundVersion.version)):
        versions[version.round_id].append(version)
    scored = select(RoundScore).where(RoundScore.club_id == match.club_id, RoundScore.match_id == match.id)
    for score in session.scalars(scored):
        stored[score.place].append(score)
    for played in rounds:
        terms, sitters = terms_of(session, match, in_force.at(played.place)), sitting.at(played.place)
        found = _faults_of_round(seating, sitters, terms, played, versions[played.id], stored[played.place], scores)
        yield from (say("check.in-round", id=played.id, fault=fault) for fault in _while_readable(found))
    for place in sorted(stored.keys() - set(places)):
        yield say("check.no-round", place=place)
    of_match = (Ruling.club_id == match.club_id, Ruling.match_id == match.id)
    for id, ruling, seats in session.execute(select(Ruling.id, Ruling.ruling, Ruling.seats).where(*of_match)):
        yield from (say("check.ruling", id=id, part=part) for part in misread(ruling))
        yield from (
            say("check.empty-chair", field=role, seat=seat) for role, seat in seats.items() if seat not in chairs
        )
    if match.dealer_seat not in (None, *chairs):
        yield say("check.empty-chair", field="dealer_seat", seat=match.dealer_seat)
    yield from _faults_of_result(session, match, seating)
    yield from _faults_of_sums(session, match, scores)


def _faults_of_round(
    seating: Seating,
    sitting: Sequence[Seated],
    terms: Terms,
    played: Round,
    versions: Sequence[RoundVersion],
    stored: Sequence[RoundScore],
    scores: list[dict[str, Any]],
) -> Iterator[str]:
    """Compare the versions with each other and the rules, and the points with the last version.

    What the round brings, worked out anew, is added to `scores`.
    """
    if [version.version for version in versions] != list(range(1, played.version + 1)):
        yield say("check.versions", found=[version.version for version in versions], last=played.version)
        return
    counts = versions[-1]
    if counts.struck != played.struck:
        yield say("check.struck")
    for version in versions:
        for difference in differences(terms, sitting, version.entry, version.score):
            yield say("check.in-version", number=version.version, fault=difference)
        for seat in sorted(
            {*version.score["points"], *version.score["hands"]} - {str(seated.seat) for seated in sitting}
        ):
            nowhere = say("check.points-nowhere", seat=printable(seat))
            yield say("check.in-version", number=version.version, fault=nowhere)
    keys = {"club_id": played.club_id, "match_id": played.match_id, "place": played.place}
    rows = score_rows(keys, counts.entry, counts.score, sitting, scale_of(terms))
    scores += () if played.struck else rows
    wanted = {} if played.struck else {row["seat"]: row["points"] for row in rows}
    points = {row.seat: row.points for row in stored}
    for row in stored:
        if row.seat in wanted and row.player_id != seating.seats[row.seat].player_id:
            yield say("check.other-player", name=seating.names[row.seat])
    for seat in sorted(wanted.keys() | points.keys()):
        if wanted.get(seat) != points.get(seat):
            key = "points-missing" if seat not in points else "points" if seat in wanted else "points-extra"
            yield say(f"check.{key}", name=seating.names[seat], has=points.get(seat), should=wanted.get(seat))


def _faults_of_result(session: Session, match: Match, seating: Seating) -> Iterator[str]:
    of_match = (MatchResult.club_id == match.club_id, MatchResult.match_id == match.id)
    results = {result.seat: result for result in session.scalars(select(MatchResult).where(*of_match))}
    tally = add_up(session, match)
    if _totalled(tally_of(session, match)) != _totalled(tally):
        yield say("check.tally")
    if match.status != MatchStatus.FINISHED:
        if results:
            yield say("check.early-result", status=match.status)
        return
    totals = totals_of(tally, seating.seats)
    terms = terms_at(session, match)
    ranked = ranks(terms, {seat.seat: totals[seat.seat] for seat in seating.here})
    for seat in seating.seats:
        result = results.pop(seat.seat, None)
        if result is None:
            yield say("check.no-result", name=seat.name)
        elif result.total != totals[seat.seat]:
            yield say("check.total", name=seat.name, has=result.total, should=totals[seat.seat])
        elif result.rank != ranked.get(seat.seat):
            yield say("check.rank", name=seat.name, has=result.rank, should=ranked.get(seat.seat))
        elif result.player_id != seat.player_id:
            yield say("check.other-player", name=seat.name)
    for left in results:
        yield say("check.empty-seat", seat=left)


def _totalled(tally: Tally) -> Tally:
    """Leave out who has no points: a round may have brought 0, or none for want of taking part."""
    return replace(tally, points={seat: points for seat, points in tally.points.items() if points})


def _faults_of_sums(session: Session, match: Match, scores: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Compare what statistics add up with the rounds, worked out anew."""
    rows = session.execute(select(_sum).where(_sum.c.club_id == match.club_id, _sum.c.match_id == match.id)).mappings()
    stored = sorted(map(dict, rows), key=_KIND)
    over = match.summed is not None and match.status != MatchStatus.IN_PROGRESS
    due = sorted(sum_up(match.club_id, match.id, scores), key=_KIND) if over else []
    if stored != due or match.summed not in (None, match.revision):
        yield say("check.sums")
    if match.summed is None:
        return
    of_match = (_result.c.club_id == match.club_id, _result.c.match_id == match.id)
    results = [dict(row) for row in session.execute(select(_result).where(*of_match)).mappings()]
    met = [set((row["met"] or "").split()) for row in results]  # a merge leaves them in another order
    if met != [set((row["met"] or "").split()) for row in add_meetings(results)]:
        yield say("check.met")
