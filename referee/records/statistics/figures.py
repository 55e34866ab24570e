"""What statistics are made of: sums and results of each player, as `referee.records.statistics.counting` finds them.

Rounds count as soon as they are recorded, whatever became of their match; struck rounds do not.
Matches count once they are finished. A round belongs to a table size by how many took part in it, a
match by how many sat there to the end; a year begins and ends in UTC, by when the match began.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Select, bindparam, func, select
from sqlalchemy.orm import Session

from referee.records.ids import first_id_of, moment_of
from referee.records.models import Club, Match, MatchStatus, Scale, state_of
from referee.records.statistics.sums import RoundSum
from referee.records.words import say
from referee.rules.books.rulebook import TABLE_SIZES
from referee.rules.text.problem import Impossible, Problem

if TYPE_CHECKING:
    from referee.rules.disputes import Finding
    from referee.rules.disputes.ruling import Role

YEARS = range(1970, 9999)


@dataclass(frozen=True)
class Filter:
    """Which rounds and matches to count; None filters nothing. Raises `Impossible` for values no match can have."""

    rulebook: str | None = None
    year: int | None = None
    players: int | None = None
    scale: str | None = None

    def __post_init__(self) -> None:
        problems = []
        if self.year is not None and self.year not in YEARS:
            problems.append(Problem("year", say("filter.year", first=YEARS[0])))
        if self.players is not None and self.players not in TABLE_SIZES:
            problems.append(Problem("players", say("filter.players", least=TABLE_SIZES[0], most=TABLE_SIZES[-1])))
        if self.scale is not None and self.scale not in set(Scale):
            problems.append(Problem("scale", say("filter.scale", choices=", ".join(Scale))))
        if problems:
            raise Impossible(problems)

    def values(self, club_id: str, player_id: str | None) -> dict[str, str | int]:
        """Return the parameters of the statements: the club, and whatever else narrows them."""
        given: dict[str, str | int | None] = {
            "club_id": club_id, "player_id": player_id, "rulebook": self.rulebook, "players": self.players,
            "scale": self.scale,
        }  # fmt: skip
        if self.year is not None:
            given["first"], given["after"] = ids_of_year(self.year)
        return {name: value for name, value in given.items() if value is not None}


def ids_of_year(year: int) -> tuple[str, str]:
    """Return the first id of matches begun in a year, and of those in the year after; ValueError outside."""
    return first_id_of(datetime(year, 1, 1, tzinfo=UTC)), first_id_of(datetime(year + 1, 1, 1, tzinfo=UTC))


class Ending(StrEnum):
    """How a finished match ended for one player, in one letter: the database puts those of all matches into a text."""

    WON = "w"
    SHARED = "s"
    """won together with others"""
    LOST = "l"
    LEFT = "g"
    """gone before someone won"""
    UNDECIDED = "u"
    """nobody was named the winner"""


DECIDED = (Ending.WON, Ending.SHARED, Ending.LOST)
"""Endings of those who stayed until someone won."""


class PlayerResult(NamedTuple):
    """How one finished match ended for one player."""

    match_id: str
    ending: Ending
    mu: float | None
    sigma: float | None


class Rating(NamedTuple):
    """The rating of a player after one match; the true strength is within two sigma of mu in 95 of 100 cases."""

    match_id: str
    mu: float
    sigma: float


class Meeting(NamedTuple):
    """All decided matches of two players together, as one of them sees it."""

    opponent: str
    """the other's id"""
    together: int
    beat: int
    beaten: int

    @property
    def level(self) -> int:
        """Return the matches in which they finished level."""
        return self.together - self.beat - self.beaten


@dataclass
class Figures:
    """Everything that is counted of one player; endings and results in the order in which the matches began."""

    player_id: str
    rounds: list[RoundSum] = field(default_factory=list)
    endings: str = ""
    """how each match ended: letters of `Ending`"""
    endings_at: Mapping[int, str] = field(default_factory=dict)
    """the same by how many played, those alike together"""
    rescues: Mapping[Scale, int] = field(default_factory=dict)
    """the most that the player ever trailed by in a match and still won it"""
    meetings: list[Meeting] = field(default_factory=list)
    findings: Counter[tuple[Role, Finding]] = field(default_factory=Counter)
    results: list[PlayerResult] = field(default_factory=list)
    """all matches of one player; the latest of each, where everybody's figures are loaded"""
    scales: set[Scale] = field(default_factory=set)
    """every scale of the rounds and matches, whichever is chosen"""

    @cached_property
    def ratings(self) -> list[Rating]:
        """Return the rating after each match that gave one, oldest first."""
        return [
            Rating(result.match_id, result.mu, result.sigma)
            for result in self.results
            if result.mu is not None and result.sigma is not None
        ]

    @cached_property
    def runs(self) -> list[tuple[Ending, int]]:
        """Return the runs of decided matches, oldest first, each with its length; a shared match is in none."""
        decided = self.endings.replace(Ending.LEFT, "").replace(Ending.UNDECIDED, "")
        runs = re.findall(f"{Ending.WON}+|{Ending.LOST}+", decided)
        return [(Ending(run[0]), len(run)) for run in runs]


@dataclass(frozen=True)
class Choices:
    """What a club's statistics and history can be filtered by: rulebooks by id, years newest first."""

    rulebooks: tuple[str, ...]
    years: tuple[int, ...]
    state: tuple[int, int]
    """changes of matches that are over, and the sum of the states of the others: never twice the same while anything
    that figures count has changed"""

    @property
    def over(self) -> int:
        """Return the part of the state that changes with matches that are over, and with no round of the others."""
        return self.state[0]


def load_choices(session: Session, club_id: str) -> Choices:
    """Load the rulebooks and years in which a club has played."""
    rows = session.execute(_CHOICES, {"club_id": club_id}).all()
    if not rows:
        return Choices((), (), (0, 0))
    span = rows[0]
    years = range(moment_of(span.last).year, moment_of(span.first).year - 1, -1)
    state = (span.turn, state_of(int(span.revisions), 0) + int(span.nonces))
    return Choices(tuple(row.rulebook for row in rows), tuple(years), state)


def _choices() -> Select[Any]:
    """Build the statement for `Choices`, a row for each rulebook, which walks through no matches but those at play."""
    of_club = Match.club_id == bindparam("club_id")
    rulebooks = select(func.min(Match.rulebook).label("rulebook")).where(of_club).cte("rulebooks", recursive=True)
    following = select(func.min(Match.rulebook)).where(of_club, Match.rulebook > rulebooks.c.rulebook)
    rulebooks = rulebooks.union_all(
        select(following.scalar_subquery()).select_from(rulebooks).where(rulebooks.c.rulebook.is_not(None))
    )
    running = (of_club, Match.status == MatchStatus.IN_PROGRESS)
    alike = {
        "first": select(func.min(Match.id)).where(of_club),
        "last": select(func.max(Match.id)).where(of_club),
        "turn": select(Club.unrated_turn).where(Club.id == bindparam("club_id")),
        "revisions": select(func.coalesce(func.sum(Match.revision), 0)).where(*running),
        "nonces": select(func.coalesce(func.sum(Match.nonce), 0)).where(*running),
    }
    columns = [query.scalar_subquery().label(name) for name, query in alike.items()]
    return select(rulebooks.c.rulebook, *columns).where(rulebooks.c.rulebook.is_not(None))


_CHOICES = _choices()
