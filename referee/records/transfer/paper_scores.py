"""Import scores from paper: points only, since paper has no cards.

Match ids are made from the content, so that the same lines are imported only once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from referee.records.ids import id_of, new_id
from referee.records.limits import MOST_PLAYERS, MOST_ROUNDS, too_many
from referee.records.models import EndedBy, Match, MatchStatus, Player, RulebookText, now
from referee.records.names import fold_name
from referee.records.own_rulebooks import available
from referee.records.transfer.document import (
    AgreementPart,
    EntryPart,
    MatchPart,
    PlayerPart,
    RoundPart,
    ScorePart,
    SeatPart,
    VersionPart,
)
from referee.records.transfer.importing import Plan, bring, deleted_matches
from referee.records.transfer.match_checks import seats_of, shallow
from referee.records.transfer.paper_table import MOST_PROBLEMS, Paper, PaperMatch
from referee.records.transfer.reckoning import AgreedTerms, Course, Result
from referee.records.words import say
from referee.rules.library import rulebooks
from referee.rules.problem import Impossible, Problem
from referee.rules.round_entry import WENT_OUT
from referee.rules.rulebook import Rulebook
from referee.rules.terms import Terms, agreed


@dataclass(frozen=True)
class PaperPlan:
    """What is new to a club in a paper, how many of its matches are there already, and how many were deleted."""

    new: Plan
    known: int
    deleted: int


def plan_paper(session: Session, club_id: str, paper: Paper, rulebook: str, by: str) -> PaperPlan:
    """Plan the import of a paper into a club; `by` is the id of the importing key. Raises `Impossible`."""
    problems = list(paper.problems)
    book = available(session, club_id).get(rulebook)
    if book is None:
        problems.append(Problem("rulebook", say("choose.known", choices=", ".join(rulebooks()))))
    if problems or book is None:
        raise Impossible(problems)
    writing = _Writing(session, club_id, by)
    moments = _moments(paper.matches)
    known = set(session.scalars(select(Match.id).where(Match.club_id == club_id)))
    deleted = frozenset(session.scalars(deleted_matches(club_id)))
    there = gone = 0
    for match, moment in zip(paper.matches, moments, strict=True):
        id = id_of(moment, _content(match, rulebook))
        if id in known or id in deleted:
            there, gone = there + (id in known), gone + (id in deleted)
            continue
        known.add(id)
        try:
            writing.match(match, book, id, moment)
        except Impossible as error:
            problems += [Problem(f"line {match.line}", problem.message) for problem in error.problems]
            if len(problems) >= MOST_PROBLEMS:
                break
    if len(writing.by_fold) > MOST_PLAYERS:
        problems.append(too_many("players", MOST_PLAYERS, "table"))
    if problems:
        raise Impossible(problems)
    return PaperPlan(writing.plan(), there, gone)


def import_paper(engine: Engine, club_id: str, paper: Paper, rulebook: str, by: str) -> PaperPlan:
    """Import the matches of a paper, all or nothing; raises `Impossible` and `Busy`."""
    planned: list[PaperPlan] = []

    def plan(session: Session) -> Plan:
        planned.append(plan_paper(session, club_id, paper, rulebook, by))
        return planned[-1].new

    bring(engine, club_id, plan)
    return planned[-1]


def _moments(matches: Sequence[PaperMatch]) -> list[datetime]:
    """Give each match a moment of its day: noon, and a minute later for each further one."""
    seen: dict[date, int] = {}
    moments = []
    for match in matches:
        seen[match.day] = seen.get(match.day, -1) + 1
        noon = datetime(match.day.year, match.day.month, match.day.day, 12, tzinfo=UTC)
        moments.append(min(noon, now()) + timedelta(minutes=seen[match.day]))
    return moments


def _content(match: PaperMatch, rulebook: str) -> bytes:
    said = [match.day.isoformat(), match.name, rulebook, match.players, [dict(round) for round in match.rounds]]
    return json.dumps(said, ensure_ascii=False).encode()


@dataclass(frozen=True)
class _Person:
    id: str
    name: str


@dataclass
class _Writing:
    """Writes the matches of a paper in the form of a club's document."""

    session: Session
    club_id: str
    by: str
    by_fold: dict[str, _Person] = field(init=False)
    """the club's players by folded name; a merged name leads to the player it became"""
    players: list[PlayerPart] = field(default_factory=list)
    agreed: dict[int, Terms] = field(default_factory=dict)
    """by number of players"""
    matches: list[MatchPart] = field(default_factory=list)
    results: dict[str, Result] = field(default_factory=dict)
    terms: AgreedTerms = field(default_factory=AgreedTerms)

    def __post_init__(self) -> None:
        columns = select(Player.id, Player.name, Player.folded_name, Player.merged_into)
        rows = self.session.execute(columns.where(Player.club_id == self.club_id)).all()
        people = {row.id: _Person(row.id, row.name) for row in rows}
        self.by_fold = {row.folded_name: people[row.merged_into or row.id] for row in rows}

    def plan(self) -> Plan:
        digests = select(RulebookText.digest).where(RulebookText.club_id == self.club_id)
        known = set(self.session.scalars(digests))
        texts = {digest: book.to_document() for digest, book in self.terms.rulebooks.items() if digest not in known}
        return Plan(
            players=self.players,
            rulebooks=texts,
            matches=sorted(self.matches, key=lambda match: match.id),
            results=self.results,
            names={person.id: person.name for person in self.by_fold.values()},
            terms=self.terms,
        )

    def match(self, paper: PaperMatch, book: Rulebook, id: str, moment: datetime) -> None:
        """Write a match; raises `Impossible`."""
        people = [self._person(name) for name in paper.players]
        twice = next((person for place, person in enumerate(people) if person in people[:place]), None)
        if twice is not None:
            raise Impossible([Problem("players", say("paper.merged", name=twice.name))])
        if len(paper.rounds) > MOST_ROUNDS:
            raise Impossible([too_many("rounds", MOST_ROUNDS, "rounds")])
        terms = self._agree(book, len(people))
        agreement = agreement_part(terms, self.by)
        seat_of = {name: seat for seat, name in enumerate(paper.players)}
        match = MatchPart(
            id=id,
            status=MatchStatus.FINISHED,
            ended_by=EndedBy.BY_HAND,
            agreements=[agreement],
            dealer_seat=None,
            dealer_after=0,
            name=paper.name,
            location="",
            note="",
            rematch_of=None,
            started_at=moment,
            finished_at=moment,
            created_by=self.by,
            seats=[SeatPart(person.id, person.name, 0, [(1, None)]) for person in people],
            rounds=[],
            events=[],
            rulings=[],
        )
        seats = seats_of(match, {person.id: person.name for person in people})
        course = Course(seats)
        for place, points in enumerate(paper.rounds, start=1):
            entry, score = _said(terms, {seat_of[name]: worth for name, worth in points.items()})
            match.rounds.append(RoundPart(new_id(moment), place, [VersionPart(False, entry, score, moment, self.by)]))
            course.add(seats, shallow(entry), shallow(score), terms)
        end = course.end(terms, by_hand=True)
        assert end is not None  # by hand every match ends
        self.results[id] = end
        self.matches.append(replace(match, ended_by=end.ended_by))

    def _agree(self, book: Rulebook, players: int) -> Terms:
        """Make the terms for a number of players, once; raises `Impossible`."""
        if players not in self.agreed:
            terms = self.agreed[players] = Terms.agree(book, players=players)
            self.terms.rulebooks[terms.rulebook.digest] = terms.rulebook
        return self.agreed[players]

    def _person(self, name: str) -> _Person:
        fold = fold_name(name)
        if fold not in self.by_fold:
            part = PlayerPart(new_id(), name, True, None, now())
            self.players.append(part)
            self.by_fold[fold] = _Person(part.id, name)
        return self.by_fold[fold]


def agreement_part(terms: Terms, by: str | None) -> AgreementPart:
    """Write what a table agreed on before its first round, just now."""
    return AgreementPart(
        from_place=1,
        rulebook=terms.rulebook.id,
        digest=terms.rulebook.digest,
        house_rules=list(terms.rulebook.in_force),
        note="",
        at=now(),
        by=by,
        **agreed(terms)
        | {"custom_rules": list(terms.custom_rules)}
        | {"face_points": dict(terms.face_points) if terms.face_points else None},
    )


def _said(terms: Terms, points: Mapping[int, int | None]) -> tuple[EntryPart, ScorePart]:
    """Write a round from its points; who went out follows where only one player can have."""
    takes = terms.credits_one
    here = {seat: worth for seat, worth in points.items() if worth is not None}
    candidates = [seat for seat, worth in here.items() if (worth > 0) == takes]
    entry = EntryPart(
        ended=WENT_OUT,
        went_out=candidates[0] if len(candidates) == 1 else None,
        hands={},
        cards_left={},
        last_card=None,
        credited_to=None,
        sat_out=[seat for seat in points if seat not in here],
    )
    score = ScorePart(
        hands={},
        points={str(seat): worth for seat, worth in here.items()},
        credited_to=[seat for seat, worth in here.items() if worth > 0] if takes else [],
        winners=[],
    )
    return entry, score
