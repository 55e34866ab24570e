"""The story of a match: every round as it was played and corrected, rulings, what happened besides, and its course.

Six queries whatever the length of the match.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from itertools import groupby

from sqlalchemy import select
from sqlalchemy.orm import Session

from referee.records.match.agreements import Agreement, agreements_of, terms_of
from referee.records.match.dealing import first_opener
from referee.records.match.rounds import VersionView, view_of_version
from referee.records.match.seating import Seating, course_of, load_seating, table_of
from referee.records.match.sheets import load_rulings
from referee.records.models import Key, Match, MatchEvent, MatchResult, MatchStatus, Round, RoundVersion, Ruling
from referee.records.statistics.decided import course_by_names
from referee.rules.scoring.standings import Standing, standings, turning_point
from referee.rules.scoring.terms import Terms


@dataclass(frozen=True)
class StoryRound:
    """One round; `number` counts live rounds from 1 and is None for a struck one; versions oldest first."""

    id: str
    place: int
    number: int | None
    versions: Sequence[VersionView]

    @property
    def now(self) -> VersionView:
        """Return the current version of the round."""
        return self.versions[-1]

    @property
    def catch(self) -> int:
        """Return what the others held together when someone went out; 0 when nobody did."""
        out = self.now.entry["went_out"]
        return 0 if out is None else sum(worth for name, worth in self.now.worth.items() if name != out)


@dataclass(frozen=True)
class Story:
    """A match from its agreement to its end."""

    match: Match
    agreements: tuple[Agreement, ...]
    terms: Terms
    seating: Seating
    rounds: tuple[StoryRound, ...]
    """in order of their place, struck ones too"""
    course: Sequence[Mapping[tuple[str, ...], int]]
    """totals before the first round and after each live one, by player or team"""
    standings: tuple[Standing, ...]
    winners: tuple[str, ...]
    furthest_behind: int
    """the most points by which the one winner ever trailed; 0 for several winners"""
    rulings: Sequence[Ruling]
    events: Sequence[MatchEvent]

    @cached_property
    def live(self) -> tuple[StoryRound, ...]:
        """Return the rounds that count."""
        return tuple(round for round in self.rounds if round.number is not None)

    @property
    def opener(self) -> str | None:
        """Return who dealt or drafted first; None where nobody recorded it."""
        opener = first_opener(self.match, self.seating)
        return opener.name if opener else None

    @property
    def turning_point(self) -> int | None:
        """Return the number of the round after which the one winner, or team, led for good; None if there is none."""
        return turning_point(self.course, self.terms.leads, self.winning_side) if self.winning_side else None

    @cached_property
    def winning_side(self) -> tuple[str, ...] | None:
        """Return who won, alone or as a team; None where nobody did or several tied."""
        return next((side for side in self.course[-1] if self.winners and {*self.winners} <= {*side}), None)

    @property
    def biggest_catch(self) -> StoryRound | None:
        """Return the round in which the others held the most when someone went out; the first of equal ones."""
        caught = max(self.live, key=lambda round: round.catch, default=None)
        return caught if caught is not None and caught.catch else None

    def moments(self, rounds: Sequence[StoryRound]) -> Iterator[tuple[str, StoryRound | Ruling | MatchEvent]]:
        """Yield rounds, rulings and events in the order of time, each after its kind: ``round``, ``ruling``, ``event``.

        `rounds` are the last ones of the story; what happened before them is left out.
        """
        beside: dict[int, list[tuple[str, Ruling | MatchEvent]]] = {}
        for ruling in self.rulings:
            beside.setdefault(ruling.after_place, []).append(("ruling", ruling))
        for event in self.events:
            beside.setdefault(event.after_place, []).append(("event", event))
        if len(rounds) == len(self.rounds):
            yield from beside.get(0, ())
        for round in rounds:
            yield "round", round
            yield from beside.get(round.place, ())

    @property
    def duration(self) -> timedelta | None:
        """Return the time from the start to the end, or to the last round of a match not ended.

        None without a round, and when the clock was set back in between, which leaves no true duration.
        """
        entered = [round.versions[0].entered_at for round in self.live]
        ends = [self.match.finished_at] if self.match.finished_at else entered
        duration = ends[-1] - self.match.started_at if ends else None
        return duration if duration is not None and duration >= timedelta() else None


def load_story(session: Session, match: Match) -> Story:
    """Load all of a match."""
    seating = load_seating(session, match)
    agreements = agreements_of(match)
    terms = terms_of(session, match, agreements[-1])
    rounds, course = _load_rounds(session, match, seating)
    results = _load_results(session, match)
    won = [result for result in results if result.won]
    totals = {seat.seat: course[-1].get(seat.seat, seat.opening_total) for seat in seating.here}
    return Story(
        match=match,
        agreements=agreements,
        terms=terms,
        seating=seating,
        rounds=rounds,
        course=course_by_names(terms, seating, course),
        standings=standings(terms, totals, table_of(seating.here)),
        winners=tuple(seating.names[result.seat] for result in won),
        furthest_behind=won[0].behind or 0 if won and won[0].winners == 1 else 0,
        rulings=load_rulings(session, match),
        events=session.scalars(
            select(MatchEvent)
            .where(MatchEvent.club_id == match.club_id, MatchEvent.match_id == match.id)
            .order_by(MatchEvent.id)
        ).all(),
    )


def _load_results(session: Session, match: Match) -> Sequence[MatchResult]:
    if match.status != MatchStatus.FINISHED:
        return ()
    return session.scalars(
        select(MatchResult)
        .where(MatchResult.club_id == match.club_id, MatchResult.match_id == match.id)
        .order_by(MatchResult.seat)
    ).all()


def _load_rounds(
    session: Session, match: Match, seating: Seating
) -> tuple[tuple[StoryRound, ...], list[dict[int, int]]]:
    """Load all versions of all rounds, and the totals by seat after each live one."""
    rows = session.execute(
        select(Round.id, Round.place, Round.struck, RoundVersion, Key.name.label("key_name"))
        # every round has one; SQLite would begin an inner join with all versions of the club
        .outerjoin(RoundVersion, (RoundVersion.club_id == Round.club_id) & (RoundVersion.round_id == Round.id))
        .outerjoin(Key, (Key.club_id == RoundVersion.club_id) & (Key.id == RoundVersion.entered_by))
        .where(Round.club_id == match.club_id, Round.match_id == match.id)
        .order_by(Round.place, RoundVersion.version)
    ).all()
    rounds: list[StoryRound] = []
    gains: dict[int, dict[int, int]] = {}
    for (round_id, place, struck), group in groupby(rows, key=lambda row: (row[0], row[1], row[2])):
        versions = list(group)
        if not struck:
            points = versions[-1].RoundVersion.score["points"]
            gains[place] = {int(seat): gained for seat, gained in points.items()}
        rounds.append(
            StoryRound(
                id=round_id,
                place=place,
                number=None if struck else len(gains),
                versions=[view_of_version(row.RoundVersion, row.key_name, seating.names) for row in versions],
            )
        )
    return tuple(rounds), course_of(seating, gains)
