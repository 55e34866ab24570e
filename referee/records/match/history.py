"""The matches of a club, newest first, a page at a time: by cursor, so that every page costs the same.

With them: how far each is, and who leads.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, and_, func, literal, literal_column, or_, select, union_all
from sqlalchemy.orm import Session

from referee.records.ids import first_id_of, is_id, moment_of, new_id
from referee.records.match.agreements import terms_at
from referee.records.match.tallies import advance_each, tally_of
from referee.records.models import DETAILS, LISTED, Club, Match, MatchResult, MatchStatus, Player, RoundScore, Seat
from referee.records.statistics.figures import YEARS, ids_of_year
from referee.records.words import say
from referee.rules.scoring.scoring import Standing, leading, standings
from referee.rules.text.problem import Impossible, Problem

PAGE = 50
LONGEST_SEARCH = 80
NIGHT = timedelta(hours=12)
"""How long before a match the first one of its night may have begun."""
MOST_OF_DAY, MOST_PLAYED = 24, 20_000
"""Matches of one day that are told together, and what their rounds brought players in all: the last ones."""


@dataclass(frozen=True)
class MatchPage:
    """Some matches, newest first, and the id to ask for the next ones with, None at the end."""

    matches: Sequence[Match]
    next: str | None


def list_matches(
    session: Session,
    club: Club,
    *,
    player: str | None = None,
    rulebook: str | None = None,
    status: str | None = None,
    year: int | None = None,
    search: str | None = None,
    before: str | None = None,
    limit: int = PAGE,
) -> MatchPage:
    """List the club's matches, newest first, by cursor: `before` is the id of the last one seen.

    `player` is an id; `year` is the one in which the match began, in UTC; `search` is looked for in the
    match's name, place and note and in its players' names. Raises `Impossible` for a filter with an
    invalid value.
    """
    problems, id = [], Match.id if player is None else Seat.match_id  # so an index has a player's in their order
    chosen = select(Match).where(Match.club_id == club.id).options(*LISTED)
    if player is not None:
        chosen = chosen.join(Seat, (Seat.club_id == Match.club_id) & (Seat.match_id == Match.id))
        chosen = chosen.where(Seat.club_id == club.id, Seat.player_id == player)
    if rulebook is not None:
        chosen = chosen.where(Match.rulebook == rulebook)
    if status is not None:
        if status not in set(MatchStatus):
            problems.append(Problem("status", say("choose.status", status=status[:40], choices=", ".join(MatchStatus))))
        chosen = chosen.where(Match.status == status)
    if year is not None:
        if year not in YEARS:
            problems.append(Problem("year", say("filter.year", first=YEARS[0])))
        else:
            first, after = ids_of_year(year)
            chosen = chosen.where(id >= first, id < after)
    if search is not None:
        if len(search) > LONGEST_SEARCH:
            problems.append(Problem("search", say("filter.search", most=LONGEST_SEARCH)))
        else:
            chosen = chosen.where(_mentions(club, search.strip()))
    if before is not None:
        if not is_id(before):
            problems.append(Problem("before", say("filter.before")))
        chosen = chosen.where(id < before)
    if problems:
        raise Impossible(problems)
    matches = session.scalars(chosen.order_by(id.desc()).limit(limit + 1)).all()
    return MatchPage(matches[:limit], matches[limit - 1].id if len(matches) > limit else None)


def count_matches(session: Session, club: Club, year: int | None = None) -> int:
    """Count the club's matches, all of them or those that began in a year, in UTC."""
    counted = select(func.count()).where(Match.club_id == club.id)
    if year is not None:
        first, after = ids_of_year(year)
        counted = counted.where(Match.id >= first, Match.id < after)
    return session.scalar(counted) or 0


def _mentions(club: Club, text: str) -> ColumnElement[bool]:
    """Return the condition for matches that say a text, or whose players do."""
    text = text.replace("\0", "\ufffd")  # no stored text has a NUL, and PostgreSQL accepts none
    # SQLite knows upper and lower case of English letters only, so the usual ways to write others are tried
    forms = dict.fromkeys((text, text.lower(), text.upper(), text.title()))
    so_called = or_(*(Player.name.icontains(form, autoescape=True) for form in forms))
    people = select(Player.id).where(Player.club_id == club.id, so_called)
    seats = select(Seat.match_id).where(Seat.club_id == club.id, Seat.player_id.in_(people))
    columns = [getattr(Match, name) for name in DETAILS]
    described = or_(*(column != literal_column("''") for column in columns))  # as the index of such matches has it
    named = or_(*(column.icontains(form, autoescape=True) for column in columns for form in forms))
    says_it = select(Match.id).where(Match.club_id == club.id, described, named)
    return Match.id.in_(union_all(says_it, seats))


def last_begun(session: Session, club: Club, before: datetime) -> datetime | None:
    """Return when the club's last match before a moment began; None without one."""
    own = (Match.club_id == club.id, Match.id < first_id_of(before))
    newest = session.scalar(select(Match.id).where(*own).order_by(Match.id.desc()).limit(1))
    return moment_of(newest) if newest else None


def load_matches_of_day(session: Session, club: Club, begins: datetime, ends: datetime) -> Sequence[Match]:
    """Load the club's matches begun from one moment to another, in their order; the last `MOST_OF_DAY` of more."""
    first, after = first_id_of(begins), first_id_of(ends)
    statement = select(Match).where(Match.club_id == club.id, Match.id >= first, Match.id < after).options(*LISTED)
    return session.scalars(statement.order_by(Match.id.desc()).limit(MOST_OF_DAY)).all()[::-1]


@dataclass(frozen=True)
class Played:
    """What one live round brought one player."""

    match_id: str
    place: int
    name: str
    marker: str
    """the color and shape that the player chose; empty for none"""
    points: int
    hand: int | None
    went_out: bool


def load_played(session: Session, matches: Sequence[Match]) -> list[Played]:
    """Load what the live rounds of some matches of one club brought, in order, by seat; the last `MOST_PLAYED`."""
    newest_first = (RoundScore.match_id.desc(), RoundScore.place.desc(), RoundScore.seat.desc())
    rows = session.execute(
        select(
            *(RoundScore.match_id, RoundScore.place, Player.name, Player.marker),
            *(RoundScore.points, RoundScore.hand, RoundScore.went_out),
        )
        .join(Player, (Player.club_id == RoundScore.club_id) & (Player.id == RoundScore.player_id))
        .where(RoundScore.club_id.in_({match.club_id for match in matches}))
        .where(RoundScore.match_id.in_([match.id for match in matches]))
        .order_by(*newest_first)
        .limit(MOST_PLAYED)
    )
    return [Played(*row) for row in rows][::-1]


def find_matches(session: Session, club: Club, ids: Iterable[str]) -> Sequence[Match]:
    """Find some of the club's matches by their ids, newest first."""
    wanted = set(ids)
    statement = select(Match).where(Match.club_id == club.id, Match.id.in_(wanted)).order_by(Match.id.desc())
    statement = statement.options(*LISTED)
    return session.scalars(statement).all() if wanted else ()


def find_running_rematch(session: Session, match: Match) -> Match | None:
    """Find the rematch of a match that is being played, the newest if there are several."""
    running = select(Match).where(Match.club_id == match.club_id, Match.status == MatchStatus.IN_PROGRESS)
    return session.scalar(running.where(Match.rematch_of == match.id).order_by(Match.id.desc()).limit(1))


def note_rematches(session: Session, match: Match) -> None:
    """Put the rematches of a match's night in a new state, since they show who won it; the club has to be locked."""
    in_night = (
        Match.club_id == match.club_id,
        Match.deleted_at.is_(None),
        Match.id > match.id,
        Match.id < new_id(match.started_at + NIGHT),
    )
    first = select(literal(match.id).label("id")).cte("rematches", recursive=True)
    chain = first.union(select(Match.id).join(first, Match.rematch_of == first.c.id).where(*in_night))
    advance_each(session, match.club_id, and_(Match.id.in_(select(chain.c.id)), Match.id != match.id))


def load_wins_of_night(session: Session, match: Match) -> list[set[str]]:
    """Load who won a rematch and each match of its night before it: the ids of a player, a team, or of each in a tie.

    It is a rematch of those, one after another, and the first began less than `NIGHT` before it. Empty where none of
    those had a winner.
    """
    chain = select(Match.id, Match.rematch_of).where(Match.club_id == match.club_id, Match.id == match.id)
    before = chain.cte("night", recursive=True)
    in_night = (Match.club_id == match.club_id, Match.started_at > match.started_at - NIGHT)
    # UNION and not UNION ALL: an import may hold matches that are rematches of each other
    night = before.union(
        select(Match.id, Match.rematch_of).join(before, Match.id == before.c.rematch_of).where(*in_night)
    )
    won = select(MatchResult.match_id, MatchResult.player_id, MatchResult.team).join(
        night, MatchResult.match_id == night.c.id
    )
    sides: dict[tuple[str, object], set[str]] = {}
    for row in session.execute(
        won.where(MatchResult.club_id == match.club_id, MatchResult.won).order_by(
            MatchResult.match_id, MatchResult.seat
        )
    ):
        sides.setdefault((row.match_id, row.player_id if row.team is None else row.team), set()).add(row.player_id)
    return list(sides.values()) if any(id != match.id for id, _ in sides) else []


@dataclass(frozen=True)
class Lead:
    """How far a match is: live rounds played and agreed on, who leads by sides, and everybody, best first.

    Nobody leads before the first round. `leads` is the total that leads, `ids` are the players by name.
    """

    rounds: int
    leaders: tuple[tuple[str, ...], ...]
    rounds_to_play: int | None = None
    standings: tuple[Standing, ...] = ()
    leads: Literal["highest", "lowest"] = "highest"
    ids: Mapping[str, str] = field(default_factory=dict)


def load_leads(session: Session, matches: Sequence[Match]) -> dict[str, Lead]:
    """Load how far some matches of one club are and who leads, by match id, in one query.

    Each whose stored tally is out of date takes three more.
    """
    if not matches:
        return {}
    club_id, ids = matches[0].club_id, [match.id for match in matches]
    rows = session.execute(
        select(Seat.match_id, Seat.seat, Player.id, Player.name, Seat.opening_total, Seat.stays)
        .join(Player, (Player.club_id == Seat.club_id) & (Player.id == Seat.player_id))
        .where(Seat.club_id == club_id, Seat.match_id.in_(ids))
        .order_by(Seat.match_id, Seat.seat)
    )
    tallies = {match.id: tally_of(session, match) for match in matches}
    names: dict[tuple[str, int], str] = {}
    players: dict[str, str] = {}
    totals: dict[str, dict[int, int]] = {id: {} for id in ids}
    for match_id, seat, player_id, name, opening, stays in rows:
        names[match_id, seat] = name
        players[name] = player_id
        if stays[-1][1] is None:  # who left leads nothing
            totals[match_id][seat] = opening + tallies[match_id].points.get(seat, 0)
    leads = {}
    for match in matches:
        terms, here, rounds = terms_at(session, match), totals[match.id], tallies[match.id].live
        first = leading(terms, here) if rounds else []
        leaders = tuple(tuple(names[match.id, seat] for seat in side) for side in first)
        there = standings(terms, here, {seat: names[match.id, seat] for seat in here})
        seated = {line.player: players[line.player] for line in there}
        leads[match.id] = Lead(rounds, leaders, terms.rounds_to_play, there, terms.leads, seated)
    return leads
