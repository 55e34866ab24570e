"""A club to try the app with, gone after a day, and the sample that fills it.

Hands are dealt from the deck of each rulebook and scored as those of any table are.

What is played stands in `sample.toml` beside this file.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from referee.records.club import access
from referee.records.errors import Conflict
from referee.records.ids import id_of, new_id, new_token
from referee.records.match.plans import MatchPlan, agree
from referee.records.match.seating import Seated, table_of
from referee.records.models import DELETED_TOO, DETAILS, MARKERS, Club, EndedBy, MatchStatus, now
from referee.records.transactions import sweep_demos
from referee.records.transfer import document as parts
from referee.records.transfer.checking import fields_of, seats_of
from referee.records.transfer.importing import Plan, import_planned
from referee.records.transfer.paper import agreement_part
from referee.records.transfer.rescoring import AgreedTerms, Course, Result
from referee.records.words import say
from referee.rules.books.library import get_rulebook
from referee.rules.cards.cards import Card
from referee.rules.disputes import DISPUTES_BY_ID, read_facts, rule
from referee.rules.disputes.facts import Fact, plain
from referee.rules.disputes.ruling import Role
from referee.rules.scoring.round_entry import RoundEntry
from referee.rules.scoring.scoring import out_of_match, score_round
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible
from referee.rules.text.words import language


@dataclass(frozen=True)
class SampleMatch:
    """One match to be played; `days` before the sample's last match, and the hour at which it begins."""

    days: int
    rulebook: str
    players: Sequence[str]
    hour: int = 19
    house_rules: Sequence[str] = ()
    target: int | None = None
    details: Mapping[str, str] = field(default_factory=dict)
    """the key of what is written about the match, by the names in `DETAILS`"""
    again: bool = False
    """a rematch of the match before"""
    lucky: str = ""
    """who went out far more often than usual"""
    given_up_after: int = 0
    """abandoned after so many rounds"""
    left_at: int = 0
    """left open once someone has so many points"""
    disputes: Mapping[str, str] = field(default_factory=dict)
    """what is argued about, by the round after which"""


@dataclass(frozen=True)
class Argument:
    """A dispute: its id, what was answered, and the roles in it, in the order of seats."""

    dispute: str
    facts: Mapping[str, object]
    roles: Sequence[str]


@dataclass(frozen=True)
class SamplePlan:
    """The sample: the players with how often each goes out compared with the others, and what is played and argued."""

    luck: Mapping[str, float]
    cases: Mapping[str, Argument]
    matches: Sequence[SampleMatch]
    """oldest first; the last match is still being played"""


@cache
def sample_plan() -> SamplePlan:
    """Read the file, once."""
    document = tomllib.loads(Path(__file__).with_name("sample.toml").read_text("utf-8"))
    return SamplePlan(
        document["luck"],
        {name: Argument(**case) for name, case in document["cases"].items()},
        [_match_of(sample) for sample in document["matches"]],
    )


def _match_of(table: Mapping[str, Any]) -> SampleMatch:
    details = {name: table[name] for name in DETAILS if name in table}
    return SampleMatch(details=details, **{name: value for name, value in table.items() if name not in DETAILS})


SEED = 49
"""A sample in which everybody wins something, and whose last match is close."""
LEFT = (1, 1, 2, 2, 3, 3, 4, 5, 6, 8)
"""Cards that someone holds when another goes out."""
MOST_ROUNDS = 60
CORRECTED = 0.05
"""Share of rounds that were corrected once."""
ROUND = timedelta(minutes=9)
TRIES = 20
"""Deals until one can be: a round that the rules refuse is dealt again."""


def play_sample(until: datetime, seed: int = SEED, salt: str = "") -> Plan:
    """Play the sample up to a moment; the same three give the same sample, down to its ids."""
    return _Sample(until, Random(seed), salt).play()


@dataclass
class _Sample:
    until: datetime
    chance: Random
    salt: str
    results: dict[str, Result] = field(default_factory=dict)
    terms: AgreedTerms = field(default_factory=AgreedTerms)

    def play(self) -> Plan:
        began = self.until - timedelta(days=max(sample.days for sample in sample_plan().matches) + 1)
        people = [
            parts.PlayerPart(self.id(began, name), name, True, None, began, marker=marker)
            for name, marker in zip(sample_plan().luck, MARKERS, strict=False)
        ]
        self.ids = {person.name: person.id for person in people}
        matches: list[parts.MatchPart] = []
        for sample in sample_plan().matches:
            matches.append(self.match(sample, matches[-1].id if sample.again else None))
        return Plan(
            players=people,
            rulebooks={digest: book.to_document() for digest, book in self.terms.rulebooks.items()},
            matches=sorted(matches, key=lambda match: match.id),
            results=self.results,
            names={person.id: person.name for person in people},
            terms=self.terms,
        )

    def id(self, moment: datetime, *content: object) -> str:
        return id_of(moment, " ".join(map(str, (self.salt, *content))).encode())

    def match(self, sample: SampleMatch, rematch_of: str | None) -> parts.MatchPart:
        moment = self.until - timedelta(days=sample.days)
        moment = moment.replace(hour=sample.hour, minute=4) if sample.days else moment - timedelta(minutes=50)
        players = tuple(sample.players)
        plan = MatchPlan(players, sample.rulebook, tuple(sample.house_rules), target=sample.target)
        terms = agree(get_rulebook(sample.rulebook), plan)
        self.terms.rulebooks[terms.rulebook.digest] = terms.rulebook
        match = parts.MatchPart(
            id=self.id(moment, "match"),
            status=MatchStatus.IN_PROGRESS,
            ended_by=None,
            agreements=[replace(agreement_part(terms, None), at=moment)],
            dealer_seat=0,
            dealer_after=0,
            **{name: say(f"demo.{detail}") if (detail := sample.details.get(name)) else "" for name in DETAILS},
            rematch_of=rematch_of,
            started_at=moment,
            finished_at=None,
            created_by=None,
            seats=[parts.SeatPart(self.ids[name], name, 0, [(1, None)]) for name in players],
            rounds=[],
            events=[],
            rulings=[],
            removed_texts=[],
        )
        seats = seats_of(match, {self.ids[name]: name for name in players})
        course, end = Course(seats), None
        while end is None and len(match.rounds) < MOST_ROUNDS and not _stops(sample, course):
            moment += ROUND
            self.round(match, sample, terms, course, moment)
            end = course.end(terms, by_hand=False)
        if end is not None and (sample.left_at or sample.given_up_after):
            del match.rounds[-1]  # a round too good for a match that is to stay undecided
        elif end is not None:
            self.results[match.id] = end
            return replace(match, status=MatchStatus.FINISHED, ended_by=EndedBy(end.ended_by), finished_at=moment)
        if sample.given_up_after:
            return replace(match, status=MatchStatus.ABANDONED, finished_at=moment)
        return match

    def round(self, match: parts.MatchPart, plan: SampleMatch, terms: Terms, course: Course, moment: datetime) -> None:
        """Deal, play and score a round; some are entered wrong at first and corrected."""
        place, seats = len(match.rounds) + 1, course.seats
        versions = [self.version(plan, terms, course, moment)]
        if self.chance.random() < CORRECTED:
            versions.append(
                self.version(plan, terms, course, moment + timedelta(minutes=2), versions[0].entry.went_out)
            )
        match.rounds.append(parts.RoundPart(self.id(moment, "round", place), place, versions))
        course.add(seats, fields_of(versions[-1].entry), fields_of(versions[-1].score), terms)
        if argued := plan.disputes.get(str(place)):
            match.rulings.append(self.ruling(argued, terms, seats, place, moment))

    def version(
        self, sample: SampleMatch, terms: Terms, course: Course, moment: datetime, winner: int | None = None
    ) -> parts.VersionPart:
        table = table_of(course.seats)
        for _ in range(TRIES):
            entry = self.deal(sample, terms, course, winner)
            try:
                score = score_round(terms, entry, table)
            except Impossible:
                continue
            entry_part, score_part = parts.EntryPart(**entry.to_document()), parts.ScorePart(**score.to_document())
            return parts.VersionPart(False, entry_part, score_part, moment, None)
        raise AssertionError(f"{terms.rulebook.id}: no round of {TRIES} can be scored")

    def deal(self, sample: SampleMatch, terms: Terms, course: Course, winner: int | None) -> RoundEntry:
        """Pick who goes out, and deal the others the cards they are left with."""
        out = out_of_match(terms, course.totals)
        playing = [seat.seat for seat in course.seats if seat.seat not in out]
        names = [course.seats[seat].name for seat in playing]
        luck = [sample_plan().luck[name] * (4 if name == sample.lucky else 1) for name in names]
        won = winner if winner is not None else self.chance.choices(playing, luck)[0]
        side = self.chance.choice([*terms.full_deck.sides]) if terms.full_deck.sides else None
        deck = terms.full_deck.on(side)
        faces, wanted = [Card(face) for face in deck.faces], len(playing) * max(LEFT)
        counts = [deck.face_count(card.face) for card in faces]
        dealt = iter(self.chance.sample(faces, min(sum(counts), wanted), counts=counts))
        hands = {seat: tuple(islice(dealt, self.chance.choice(LEFT))) for seat in playing if seat != won}
        last = next((card for card in dealt if card.face.number is not None), None)
        return RoundEntry(
            went_out=won, hands=hands, last_card=last, sat_out=out, side=side if terms.full_deck.sides else None
        )

    def ruling(
        self, argued: str, terms: Terms, seats: Sequence[Seated], place: int, moment: datetime
    ) -> parts.RulingPart:
        """Decide a dispute between two who sit side by side."""
        case = sample_plan().cases[argued]
        first = self.chance.randrange(len(seats))
        taking = {part: seats[(first + step) % len(seats)] for step, part in enumerate(case.roles)}
        roles = {Role(part): seat for part, seat in taking.items()}
        dispute = DISPUTES_BY_ID[case.dispute]
        facts = read_facts(dispute, terms.rulebook, {**case.facts, "players": len(seats)}, terms.full_deck)
        heard = rule(dispute, terms.rulebook, facts, names={role: seat.name for role, seat in roles.items()})
        if isinstance(heard, Fact):
            raise AssertionError(f"{argued}: {terms.rulebook.id} asks one thing more, {heard.key}")
        return parts.RulingPart(
            id=self.id(moment, "ruling", place),
            after_place=place,
            dispute=case.dispute,
            rulebook_digest=terms.rulebook.digest,
            seats={str(role): seat.seat for role, seat in roles.items()},
            facts={key: plain(facts[key]) for key in (*case.facts, "players") if key in facts},
            ruling=heard.to_json() | {"rulebook": heard.rulebook, "language": language().code},
            accepted=True,
            table_decided=None,
            given_at=moment + timedelta(minutes=4),
            given_by=None,
        )


def _stops(sample: SampleMatch, course: Course) -> bool:
    """Return whether this match is left as it is, before its end."""
    given_up = sample.given_up_after and course.live >= sample.given_up_after
    return bool(given_up) or bool(sample.left_at and max(course.totals.values()) >= sample.left_at)


LASTS = timedelta(days=1)
MOST = 200
"""Demos at a time on one server; of each some thousand rows are kept."""


@dataclass(frozen=True)
class Demo:
    """A demo: the id of its club, the token of its scorekeeper, when it ends, and what is in it."""

    club_id: str
    token: str
    ends_at: datetime | None
    sample: Plan


def found_demo(
    engine: Engine,
    *,
    seed: int = SEED,
    lasts: timedelta | None = LASTS,
    until: datetime | None = None,
    done: Callable[[], object] = lambda: None,
) -> Demo:
    """Found a club and fill it with the sample that ends now, or at `until`; commits, calling `done` after each match.

    Raises `Conflict` where there are too many demos already; one that stays (`lasts` None) does not count as one.
    """
    club_id, token = new_id(), new_token()
    moment = until or now().replace(minute=0, second=0, microsecond=0)
    ends_at = now() + lasts if lasts else None
    sample = play_sample(moment, seed, club_id)

    def create(session: Session) -> None:
        if ends_at is not None:
            sweep_demos(session)
            open_ones = select(func.count()).where(Club.ends_at > now(), Club.import_id.is_(None))
            if (session.scalar(open_ones.execution_options(**DELETED_TOO)) or 0) >= MOST:
                raise Conflict(say("demo.full"))
        tokens = (token, new_token())
        new = access.create_club(session, say("demo.club"), tokens, id=club_id)
        new.club.ends_at = ends_at

    import_planned(engine, club_id, lambda _session, _known: sample, create=create, done=done)
    return Demo(club_id, token, ends_at, sample)
