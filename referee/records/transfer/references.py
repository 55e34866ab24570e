"""Read a document by what a club knows: who its players became, what was deleted, and what it refers to in vain.

What a document refers to, and neither it nor the club has, is taken as none. A seat of a player who was merged since is
that of the player they became; a match in which both sat is refused.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from sqlalchemy import Select, select, union
from sqlalchemy.orm import Session

from referee.records import models
from referee.records.club.players import one_stay
from referee.records.deletion.incoming import Forgotten
from referee.records.names import fold_name
from referee.records.transfer.document import ClubDocument, EveningPart, MatchPart, PersonPart, PlayerPart
from referee.records.words import say
from referee.rules.text.problem import Problem


@dataclass(frozen=True)
class ExistingRows:
    """What a club has already, as far as an import depends on it."""

    players: Mapping[str, str]
    """folded names by id"""
    removed: Mapping[str, str]
    """players whose names were deleted: what they are called instead, by id"""
    waiting: frozenset[str]
    """those of them who can be restored"""
    merged: Mapping[str, str]
    """players who were merged: who they became, by id"""
    matches: frozenset[str]
    deleted: frozenset[str]
    """ids of all matches that were ever deleted"""
    keys: frozenset[str]
    rulebooks: frozenset[str]
    """digests"""
    own_rulebooks: Mapping[str, bool]
    """whether each is deleted, by id"""
    seasons: Mapping[str, bool]
    """whether each is deleted, by id"""
    evenings: frozenset[str]
    at_tables: frozenset[str]
    """matches that are played at a table of one of these"""
    precedents: frozenset[str]
    """rulings that the club keeps as its law, and those that it forgot without a match"""


def load_known(session: Session, club_id: str) -> ExistingRows:
    """Read what a club has already."""
    named = (models.Player.folded_name, models.Player.name, models.Player.deleted_name)
    columns = (models.Player.id, *named, models.Player.deleted_at, models.Player.merged_into)
    players = session.execute(of_club(club_id, *columns)).all()
    own = session.execute(of_club(club_id, models.OwnRulebookRow.id, models.OwnRulebookRow.deleted_at)).all()
    seasons = session.execute(of_club(club_id, models.Season.id, models.Season.deleted_at)).all()
    law = models.Ruling.kept | models.Ruling.match_id.is_(None)
    gone = of_club(club_id, models.Deletion.id).where(models.Deletion.kind == models.DeletionKind.MATCH)
    waiting = of_club(club_id, models.Match.id).where(models.Match.deleted_at.is_not(None))
    return ExistingRows(
        players={row.id: row.folded_name for row in players},
        removed={row.id: row.name for row in players if row.deleted_at is not None},
        waiting=frozenset(row.id for row in players if row.deleted_name is not None),
        merged={row.id: row.merged_into for row in players if row.merged_into is not None},
        matches=frozenset(session.scalars(of_club(club_id, models.Match.id))),
        deleted=frozenset(session.scalars(union(gone, waiting), execution_options=models.DELETED_TOO)),
        keys=frozenset(session.scalars(of_club(club_id, models.Key.id))),
        rulebooks=frozenset(session.scalars(of_club(club_id, models.RulebookText.digest))),
        own_rulebooks={row.id: row.deleted_at is not None for row in own},
        seasons={row.id: row.deleted_at is not None for row in seasons},
        evenings=frozenset(session.scalars(of_club(club_id, models.Evening.id))),
        at_tables=frozenset(session.scalars(of_club(club_id, models.DrawTable.match_id))),
        precedents=frozenset(session.scalars(of_club(club_id, models.Ruling.id).where(law))),
    )


def of_club(club_id: str, *columns: Any) -> Select[Any]:
    """Select columns of one table, of the rows of a club."""
    return select(*columns).where(columns[0].class_.club_id == club_id)


def forgotten_names(
    document: ClubDocument, known: ExistingRows, called: Mapping[str, str], became: Mapping[str, str]
) -> dict[str, Forgotten]:
    """Return by id whose names the club has no longer, with all that the document calls them."""
    names: dict[str, set[str]] = {id: set() for id in called}
    nameless = {player.id for player in document.players if player.removed_at is not None}
    there = [(player.id, player.name) for player in document.players if player.merged_into not in nameless]
    there += [(seat.player, seat.name_then) for match in document.matches for seat in match.seats]
    for id, name in there:
        if became[id] in known.removed and id not in nameless:
            names[became[id]].add(name)
    return {id: Forgotten(name, frozenset(names[id]), id in known.waiting) for id, name in called.items()}


def number_anew(document: ClubDocument, known: ExistingRows) -> dict[str, str]:
    """Return by id what stand-ins of a document are called whose number someone else in the club has by now."""
    nameless = {player.id for player in document.players if player.removed_at is not None}
    there = set(known.players.values())
    taken = there | {fold_name(player.name) for player in document.players}
    free = (say("deleted.player-name", n=n) for n in count(1))
    untaken = (name for name in free if fold_name(name) not in taken)
    return {
        player.id: next(untaken)
        for player in document.players
        if not nameless.isdisjoint((player.id, player.merged_into))
        and player.id not in known.players
        and fold_name(player.name) in there
    }


def survivor_of(player: PlayerPart, known: ExistingRows, people: Container[str]) -> str:
    """Return whose a player's matches are: the player's, or those of the one they were merged into."""
    merged = player.id not in known.players and player.merged_into in people
    id = player.merged_into if merged and player.merged_into is not None else player.id
    return known.merged.get(id, id)


def new_matches(
    document: ClubDocument, known: ExistingRows, became: Mapping[str, str]
) -> tuple[list[MatchPart], list[Problem]]:
    """Return the matches that are new to a club, with what it knows in them, and why others are refused."""
    names = {player.id: player.name for player in document.players}
    there = known.matches | known.deleted
    new, refused = [], []
    for place, match in enumerate(document.matches):
        if match.id in there:
            continue
        seated: dict[str, str] = {}
        for seat in match.seats:
            other = seated.setdefault(became[seat.player], seat.player)
            if other != seat.player:
                both = say("import.merged", day=match.started_at, name=names[other], other=names[seat.player])
                refused.append(Problem(f"matches[{place}]", both))
                break
        else:
            new.append(match)
    matches = there | {match.id for match in new}
    writers = {None, *known.keys, *(writer.id for writer in document.writers)}
    return [_settled(match, matches, writers, became) for match in new], refused


def new_evenings(
    document: ClubDocument, known: ExistingRows, became: Mapping[str, str], new: Sequence[MatchPart]
) -> list[EveningPart]:
    """Return the evenings that are new to a club, with who people became and the tables whose match it has, or gets."""
    there = (known.matches - known.at_tables) | {match.id for match in new}
    return [
        replace(
            evening,
            people=_as_they_became(evening.people, became),
            draws=[
                replace(drawn, tables=[table for table in drawn.tables if table.match in there])
                for drawn in evening.draws
            ],
        )
        for evening in document.evenings
        if evening.id not in known.evenings
    ]


def _as_they_became(people: Sequence[PersonPart], became: Mapping[str, str]) -> list[PersonPart]:
    stays: dict[str, list[tuple[int, int | None, bool]]] = {}
    for one in people:
        stays.setdefault(became[one.player], []).append((one.from_draw, one.until_draw, one.guest))
    return [PersonPart(id, *one_stay(those)) for id, those in stays.items()]


def _settled(
    match: MatchPart, matches: Container[str], writers: Container[str | None], became: Mapping[str, str]
) -> MatchPart:
    """Return a match without references to nothing, in the seats of those whom players became."""

    def by(id: str | None) -> str | None:
        return id if id in writers else None

    return replace(
        match,
        rematch_of=match.rematch_of if match.rematch_of in matches else None,
        created_by=by(match.created_by),
        agreements=[replace(part, by=by(part.by)) for part in match.agreements],
        seats=[replace(seat, player=became[seat.player]) for seat in match.seats],
        rounds=[
            played
            if all(part.entered_by in writers for part in played.versions)
            else replace(played, versions=[replace(part, entered_by=by(part.entered_by)) for part in played.versions])
            for played in match.rounds
        ],
        events=[replace(part, by=by(part.by), details=_details(part.details, became)) for part in match.events],
        rulings=[replace(part, given_by=by(part.given_by)) for part in match.rulings],
    )


def _details(details: dict[str, str | int | None], players: Container[Any]) -> dict[str, str | int | None]:
    return {name: None if name == "player" and value not in players else value for name, value in details.items()}
