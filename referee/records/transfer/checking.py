"""Check a club's document for what its model can't say, before anything of it is written.

The model (`referee.records.transfer.document`) has checked types, lengths and ranges. Here ids, seats, cards and
moments are held against each other, and every round is scored again, so that no match is imported whose totals aren't
those of its rulebook. What a match can do without, as who wrote it, may name nothing: an import takes that as none.
Each problem names its field, as in ``matches[3].rounds[0].versions[0].entry.hands.1[2]``.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter, ValidationError

from referee.records.club.own_rulebooks import read_document
from referee.records.evening.evenings import EveningPlan
from referee.records.ids import first_id_of, is_id
from referee.records.match.agreements import Agreement
from referee.records.match.seating import Seated
from referee.records.models import DETAILS, EndedBy, EveningStatus, MatchStatus, now
from referee.records.names import LONGEST_LINE, LONGEST_NAME, LONGEST_NOTE, clean_name, clean_text, fold_name
from referee.records.season.seasons import Rules, SeasonDraft, tidy
from referee.records.transfer.document import (
    FORMAT,
    VERSION,
    AgreementPart,
    ClubDocument,
    DrawPart,
    EntryPart,
    EveningPart,
    MatchPart,
    OwnRulebookPart,
    PlanPart,
    RoundPart,
    RulebookTextPart,
    RulingPart,
    RulingSaid,
    ScorePart,
    SeasonPart,
    SeatPart,
)
from referee.records.transfer.rescoring import AgreedTerms, Course, InForce, Result, Sitting, differences
from referee.records.words import say
from referee.rules.books import settings as registry
from referee.rules.books.agreeing import COUNTS, LONGEST_TEXT
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import HIGHEST_TOTAL, UnknownCard
from referee.rules.cards.decks import decks, decks_in_same_box, parse_card
from referee.rules.disputes.ruling import Role
from referee.rules.scoring.round_entry import ENDINGS, FURTHER, LONGEST_REASON
from referee.rules.text.problem import Impossible, Problem

MOST_PROBLEMS = 50
MOST_BOXES = 10
"""Decks shuffled together, as a rulebook's text may say; no table has so many."""
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
AHEAD = timedelta(days=1)
"""How far the clock of another server may be ahead."""
DEEPEST = 12
LARGEST = 10**15
_TYPE_NAMES = ("list[", "tuple[", "constrained-")
"""Beginnings of the names of types that pydantic adds to the path of a problem in a union."""
_RULING = TypeAdapter(RulingSaid)


@dataclass(frozen=True)
class Checked:
    """What checking a document computed, for the import to use."""

    results: Mapping[str, Result]
    """how the finished matches ended, by id"""
    terms: AgreedTerms


def check_format(format: object, version: object) -> None:
    """Refuse a document that this program can't read; raises `Impossible`."""
    if format != FORMAT:
        raise Impossible([Problem("format", say("import.format", format=FORMAT))])
    if not isinstance(version, int) or version < 1:
        raise Impossible([Problem("version", say("import.version"))])
    if version > VERSION:
        raise Impossible([Problem("version", say("import.newer", version=version, most=VERSION))])


def check_document(document: ClubDocument, pause: Callable[[], object] = lambda: None) -> Checked:
    """Check a document by itself, not against a club; `pause` is called after each round.

    Raises `Impossible` with at most `MOST_PROBLEMS` problems.
    """
    checker = _Checker(document, pause)
    try:
        checker.check()
    except _TooManyProblems:
        checker.problems[-1] = Problem("body", say("import.more", n=MOST_PROBLEMS - 1))
    if checker.problems:
        raise Impossible(checker.problems)
    return Checked(checker.results, checker.terms)


def read_rulebook(text: RulebookTextPart) -> Rulebook:
    """Read a frozen rulebook; raises ValueError with what is wrong."""
    rulebook = Rulebook.from_document(asdict(text.document))
    if rulebook.digest != text.digest:
        raise ValueError(say("import.digest-differs"))
    if (rulebook.base or rulebook.id) not in rulebooks() or (rulebook.base and not is_id(rulebook.id)):
        raise ValueError(say("choose.rulebook", rulebook=rulebook.id[:40], choices=", ".join(rulebooks())))
    declared = registry.declared()
    for clause in rulebook.clauses.values():
        for name, value in clause.settings.items():
            if name in declared:
                worth = declared[name].parse(value)
                most = MOST_BOXES if name == registry.BOXES.name else HIGHEST_TOTAL
                if isinstance(worth, int) and worth > most:
                    raise ValueError(say("import.setting", name=name, value=worth, most=most))
    return rulebook


def agreement_of(part: AgreementPart) -> Agreement:
    """Return an agreement as a match stores it."""
    return Agreement.from_document(asdict(part) | {"at": part.at.isoformat()})


def seats_of(match: MatchPart, names: Mapping[str, str]) -> list[Seated]:
    """Return the seats of a match; `names` are those of the players, by id."""
    return [
        Seated(place, seat.player, names.get(seat.player, ""), seat.name_then, seat.opening_total, tuple(seat.stays))
        for place, seat in enumerate(match.seats)
    ]


def parse_entry(part: EntryPart) -> dict[str, Any]:
    """Return an entry as a round stores it; fields that few rounds have only where this one has them."""
    entry = fields_of(part) | {"adjustments": [asdict(each) for each in part.adjustments]}
    return {name: value for name, value in entry.items() if value or name not in FURTHER}


def fields_of(part: Any) -> dict[str, Any]:
    """Return the fields of a part by name; `dataclasses.asdict` would copy every card in it."""
    return {name: getattr(part, name) for name in part.__slots__}


def season_of(part: SeasonPart) -> SeasonDraft:
    """Return what a file says of a season."""
    rules = Rules(part.count, part.best, part.least, tuple(part.rulebooks))
    people = tuple(dict.fromkeys(part.people))
    return SeasonDraft(part.name, part.first_day, part.last_day, rules, people, part.names_until)


def plan_of(part: PlanPart) -> EveningPlan:
    """Return what a file says of how an evening is played."""
    return EveningPlan.from_document(fields_of(part))


def misread(ruling: Mapping[str, object]) -> list[str]:
    """Return the parts of a stored ruling that pages could not read, as ``orders[0].role``."""
    try:
        _RULING.validate_python(ruling)
    except ValidationError as error:
        return [field_of(detail["loc"]) for detail in error.errors(include_url=False, include_input=False)]
    return []


def field_of(location: tuple[int | str, ...]) -> str:
    """Write the path to a value, as in ``matches[3].seats[0].player``."""
    parts = [part for part in location if not (isinstance(part, str) and part.startswith(_TYPE_NAMES))]
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part[:40]}" for part in parts).lstrip(".") or "body"


class _TooManyProblems(Exception):
    """Enough problems were found."""


class _Checker:
    """Collects the problems of one document, from the small checks below to the whole of it."""

    def __init__(self, document: ClubDocument, pause: Callable[[], object]) -> None:
        self.document, self.pause = document, pause
        self.problems: list[Problem] = []
        self.latest = now() + AHEAD
        self.last_id = first_id_of(self.latest)
        self.players = {player.id: player.name for player in document.players}
        self.results: dict[str, Result] = {}
        self.terms = AgreedTerms()

    # -- the small checks ----------------------------------------------------------------------------------------------

    def fail(self, field: str, message: str) -> None:
        """Add a problem; raises `_TooManyProblems` at the limit."""
        self.problems.append(Problem(field, message))
        if len(self.problems) >= MOST_PROBLEMS:
            raise _TooManyProblems

    def need(self, holds: bool, field: str, key: str, **places: object) -> None:
        """Add the problem with this key if the condition is false."""
        if not holds:
            self.fail(field, say(key, **places))

    def ids(self, ids: Iterable[str], field: str, seen: set[str] | None = None) -> None:
        """Check that ids are new and not of the future: lists are sorted by them, and pages show their moments."""
        seen = set() if seen is None else seen
        for place, id in enumerate(ids):
            self.need(id < self.last_id, f"{field}[{place}].id", "import.future-id", id=id)
            self.need(id not in seen, f"{field}[{place}].id", "import.twice", name=id)
            seen.add(id)

    def name(self, name: str, field: str) -> None:
        self.tidy(name, lambda: clean_name(name, field), field)

    def text(self, text: str, field: str, longest: int) -> None:
        self.tidy(text, lambda: clean_text(text, field, longest), field)

    def tidy(self, text: str, clean: Callable[[], str], field: str) -> None:
        try:
            cleaned = clean()
        except Impossible as error:
            self.fail(field, error.problems[0].message)
        else:
            self.need(cleaned == text, field, "import.untidy")

    def moment(self, moment: datetime | None, field: str) -> None:
        if moment is not None:
            self.need(moment >= EARLIEST, field, "import.early")
            self.need(moment <= self.latest, field, "import.future", day=moment.date())

    def free(self, value: object, field: str, depth: int = 0) -> None:
        """Check free-form JSON: not too deep, no huge number."""
        if depth > DEEPEST:
            self.fail(field, say("import.deep"))
        elif isinstance(value, dict):
            for key, item in value.items():
                self.free(item, f"{field}.{key[:40]}", depth + 1)
        elif isinstance(value, list):
            for place, item in enumerate(value):
                self.free(item, f"{field}[{place}]", depth + 1)
        elif isinstance(value, int | float):
            self.need(abs(value) <= LARGEST, field, "import.large")

    # -- the club ------------------------------------------------------------------------------------------------------

    def check(self) -> None:
        document = self.document
        self.name(document.club.name, "club.name")
        for place, text in enumerate(document.rulebooks):
            self.rulebook(text, f"rulebooks[{place}]")
        self.ids([own.id for own in document.own_rulebooks], "own_rulebooks")
        for place, own in enumerate(document.own_rulebooks):
            self.own_rulebook(own, f"own_rulebooks[{place}]")
        self.ids([writer.id for writer in document.writers], "writers")
        for place, writer in enumerate(document.writers):
            self.name(writer.name, f"writers[{place}].name")
        self.people()
        self.matches(document.matches)
        there = {ruling.id for match in document.matches for ruling in match.rulings}
        self.ids([ruling.id for ruling in document.precedents], "precedents", there)
        for place, ruling in enumerate(document.precedents):
            self.need(ruling.kept, f"precedents[{place}].kept", "import.kept")
            self.ruling(ruling, 0, f"precedents[{place}]")
        self.ids([season.id for season in document.seasons], "seasons")
        for place, season in enumerate(document.seasons):
            self.season(season, f"seasons[{place}]")
        self.ids([evening.id for evening in document.evenings], "evenings")
        free = {match.id for match in document.matches}
        for place, evening in enumerate(document.evenings):
            self.evening(evening, free, f"evenings[{place}]")

    def rulebook(self, text: RulebookTextPart, field: str) -> None:
        for clause in (*text.document.clauses, *(one for rule in text.document.house_rules for one in rule.clauses)):
            self.free(clause.settings, f"{field}.document.clauses.{clause.id[:40]}.settings")
        try:
            self.terms.rulebooks[text.digest] = read_rulebook(text)
        except Impossible as error:
            self.fail(f"{field}.document.in_force", error.problems[0].message)
        except ValueError as error:
            self.fail(field, str(error))

    def own_rulebook(self, own: OwnRulebookPart, field: str) -> None:
        self.moment(own.created_at, f"{field}.created_at")
        self.moment(own.changed_at, f"{field}.changed_at")
        try:
            read_document(own.document)
        except Impossible as error:
            self.fail(f"{field}.document.{error.problems[0].field}", error.problems[0].message)

    def season(self, season: SeasonPart, field: str) -> None:
        self.moment(season.created_at, f"{field}.created_at")
        for place, id in enumerate(season.people):
            self.need(id in self.players, f"{field}.people[{place}]", "import.player")
        for place, id in enumerate(season.rulebooks):
            self.text(id, f"{field}.rulebooks[{place}]", LONGEST_LINE)
        said = season_of(season)
        try:
            self.need(tidy(said).name == said.name, f"{field}.name", "import.untidy")
        except Impossible as error:
            for problem in error.problems:
                self.fail(f"{field}.{problem.field}", problem.message)

    def evening(self, evening: EveningPart, free: set[str], field: str) -> None:
        """Check an evening; `free` are the matches that are at no table yet."""
        self.text(evening.name, f"{field}.name", LONGEST_LINE)
        self.moment(evening.started_at, f"{field}.started_at")
        self.moment(evening.ended_at, f"{field}.ended_at")
        over = evening.status == EveningStatus.ENDED
        self.need((evening.ended_at is not None) == over, f"{field}.ended_at", "import.by-status")
        self.plan(evening.plan, f"{field}.plan")
        came: set[str] = set()
        for place, person in enumerate(evening.people):
            where = f"{field}.people[{place}]"
            self.need(person.player in self.players, f"{where}.player", "import.player")
            self.need(person.player not in came, f"{where}.player", "import.came-twice")
            came.add(person.player)
            until = person.until_draw
            self.need(until is None or until >= person.from_draw, f"{where}.until_draw", "import.until-draw")
        for place, drawn in enumerate(evening.draws):
            self.draw(drawn, free, f"{field}.draws[{place}]")

    def plan(self, plan: PlanPart, field: str) -> None:
        self.text(plan.rulebook, f"{field}.rulebook", LONGEST_LINE)
        self.need(plan.count in COUNTS, f"{field}.count", "choose.known", choices=", ".join(COUNTS))
        self.text(plan.blank_effect, f"{field}.blank_effect", LONGEST_TEXT)
        for place, text in enumerate(plan.custom_rules):
            self.text(text, f"{field}.custom_rules[{place}]", LONGEST_TEXT)
        lines = (plan.deck or "", *plan.house_rules, *(face for face, _ in plan.face_points or ()))
        for line in lines:
            self.text(line, field, LONGEST_LINE)

    def draw(self, drawn: DrawPart, free: set[str], field: str) -> None:
        self.moment(drawn.drawn_at, f"{field}.drawn_at")
        given, tables = drawn.input, [table.table for table in drawn.tables]
        named = (*given.players, *given.taken_out, *(one for one, _ in given.joined))
        for id in (*named, *(one for pair in given.swapped for one in pair)):
            self.need(id in self.players, f"{field}.input", "import.player")
        seats = range(len(given.players))
        for place, (one, other, _) in enumerate(given.met):
            self.need(one != other and one in seats and other in seats, f"{field}.input.met[{place}]", "import.seat")
        self.need(tables == sorted(set(tables)), f"{field}.tables", "import.tables")
        for place, table in enumerate(drawn.tables):
            self.need(table.match in free, f"{field}.tables[{place}].match", "import.table-match")
            free.discard(table.match)

    def people(self) -> None:
        players = self.document.players
        self.ids([player.id for player in players], "players")
        names: set[str] = set()
        here = {player.id for player in players}  # who is merged into nobody here counts as merged into nobody
        merged = {player.id for player in players if player.merged_into in here}
        for place, player in enumerate(players):
            field = f"players[{place}]"
            self.name(player.name, f"{field}.name")
            folded = fold_name(player.name)
            self.need(folded not in names, f"{field}.name", "import.twice", name=player.name)
            names.add(folded)
            self.moment(player.created_at, f"{field}.created_at")
            self.moment(player.removed_at, f"{field}.removed_at")
            self.need(player.merged_into not in merged, f"{field}.merged_into", "import.player")

    def matches(self, matches: Sequence[MatchPart]) -> None:
        self.ids([match.id for match in matches], "matches")
        for kind in ("rounds", "events", "rulings"):
            seen: set[str] = set()
            for place, match in enumerate(matches):
                self.ids([part.id for part in getattr(match, kind)], f"matches[{place}].{kind}", seen)
        for place, match in enumerate(matches):
            field, before = f"matches[{place}]", len(self.problems)
            self.match(match, field)
            if len(self.problems) == before:
                self.score_again(match, field)

    # -- a match -------------------------------------------------------------------------------------------------------

    def match(self, match: MatchPart, field: str) -> None:
        """Check everything that needs no scoring."""
        finished, over = match.status == MatchStatus.FINISHED, match.status != MatchStatus.IN_PROGRESS
        self.need((match.ended_by is not None) == finished, f"{field}.ended_by", "import.by-status")
        self.need((match.finished_at is not None) == over, f"{field}.finished_at", "import.by-status")
        self.moment(match.started_at, f"{field}.started_at")
        self.moment(match.finished_at, f"{field}.finished_at")
        for name, longest in DETAILS.items():
            self.text(getattr(match, name), f"{field}.{name}", longest)
        self.need(match.dealer_seat in (None, *range(len(match.seats))), f"{field}.dealer_seat", "import.seat")
        self.agreements(match, field)
        taken: set[str] = set()
        for place, seat in enumerate(match.seats):
            self.seat(seat, f"{field}.seats[{place}]", taken)
        sitting = Sitting(seats_of(match, self.players))
        for place, played in enumerate(match.rounds, 1):
            where = f"{field}.rounds[{place - 1}]"
            self.need(played.place == place, f"{where}.place", "import.places")
            self.round(played, {seat.seat for seat in sitting.at(place)}, where)
        for place, event in enumerate(match.events):
            where = f"{field}.events[{place}]"
            self.text(event.kind, f"{where}.kind", LONGEST_LINE)
            self.moment(event.at, f"{where}.at")
            self.free(event.details, f"{where}.details")
        for place, ruling in enumerate(match.rulings):
            self.ruling(ruling, len(match.seats), f"{field}.rulings[{place}]")

    def agreements(self, match: MatchPart, field: str) -> None:
        since, seats = 1, list(range(len(match.seats)))
        for place, agreement in enumerate(match.agreements):
            where = f"{field}.agreements[{place}]"
            self.agreement(agreement, where)
            together = sorted(seat for team in agreement.teams or () for seat in team)
            self.need(agreement.teams is None or together == seats, f"{where}.teams", "import.teams")
            self.need(agreement.from_place >= since, f"{where}.from_place", "import.agreement-order")
            since = max(since, agreement.from_place)

    def agreement(self, agreement: AgreementPart, field: str) -> None:
        rulebook = self.terms.rulebooks.get(agreement.digest)
        if rulebook is None:
            self.fail(f"{field}.digest", say("import.digest"))
        else:
            self.need(agreement.rulebook == rulebook.id, f"{field}.rulebook", "import.other-rulebook")
            same = tuple(agreement.house_rules) == rulebook.in_force
            self.need(same, f"{field}.house_rules", "import.house-rules")
        possible = [deck.id for deck in (decks_in_same_box(rulebook.deck.id) if rulebook else decks().values())]
        self.need(agreement.deck in possible, f"{field}.deck", "choose.known", choices=", ".join(possible))
        self.need(agreement.count in COUNTS, f"{field}.count", "choose.known", choices=", ".join(COUNTS))
        for face in agreement.face_points or ():
            self.text(face, f"{field}.face_points", LONGEST_LINE)
        for text in (agreement.note, agreement.blank_effect, *agreement.custom_rules):
            self.text(text, field, LONGEST_NOTE)
        self.moment(agreement.at, f"{field}.at")

    def seat(self, seat: SeatPart, field: str, taken: set[str]) -> None:
        self.need(seat.player in self.players, f"{field}.player", "import.player")
        self.need(seat.player not in taken, f"{field}.player", "import.seated-twice")
        taken.add(seat.player)
        self.text(seat.name_then, f"{field}.name_then", LONGEST_NAME)
        stays = seat.stays
        closed = all(last is not None for _, last in stays[:-1])
        inner = all(first >= 1 and (last is None or last >= first - 1) for first, last in stays)
        after = [first for first, _ in stays] + [HIGHEST_TOTAL]
        parted = closed and all((last or 0) < later for (_, last), later in zip(stays, after[1:], strict=True))
        self.need(parted and inner, f"{field}.stays", "import.stays")

    def round(self, played: RoundPart, present: Collection[int], field: str) -> None:
        for number, version in enumerate(played.versions):
            where = f"{field}.versions[{number}]"
            self.moment(version.entered_at, f"{where}.entered_at")
            self.entry(version.entry, present, f"{where}.entry")
            self.score(version.score, present, f"{where}.score")

    def seats_in(self, named: Iterable[str | int | None], present: Collection[int], field: str) -> None:
        known = {str(seat) for seat in present}
        for seat in named:
            self.need(seat is None or str(seat) in known, field, "import.absent", seat=str(seat)[:10])

    def entry(self, entry: EntryPart, present: Collection[int], field: str) -> None:
        self.need(entry.ended in ENDINGS, f"{field}.ended", "choose.known", choices=", ".join(ENDINGS))
        named = (entry.went_out, *entry.hands, *entry.cards_left, *(entry.credited_to or ()), *entry.sat_out)
        self.seats_in((*named, *entry.knocked_out, *(each.seat for each in entry.adjustments)), present, field)
        for place, each in enumerate(entry.adjustments):
            self.text(each.reason, f"{field}.adjustments[{place}].reason", LONGEST_REASON)
        if entry.side is not None:
            self.text(entry.side, f"{field}.side", LONGEST_LINE)
        if entry.last_card is not None:
            self.card(entry.last_card, f"{field}.last_card")
        for seat, hand in entry.hands.items():
            for place, card in enumerate(() if isinstance(hand, int) else hand):
                self.card(card, f"{field}.hands.{seat[:10]}[{place}]")

    def card(self, card: str, field: str) -> None:
        try:
            parse_card(card)
        except UnknownCard as error:
            self.fail(field, str(error))

    def score(self, score: ScorePart, present: Collection[int], field: str) -> None:
        self.seats_in((*score.hands, *score.points, *score.credited_to, *score.winners), present, field)

    def ruling(self, ruling: RulingPart, seats: int, field: str) -> None:
        self.text(ruling.dispute, f"{field}.dispute", LONGEST_LINE)
        known = ruling.rulebook_digest in self.terms.rulebooks
        self.need(known, f"{field}.rulebook_digest", "import.digest")
        self.moment(ruling.given_at, f"{field}.given_at")
        self.text(ruling.table_decided or "", f"{field}.table_decided", LONGEST_NOTE)
        for role, seat in ruling.seats.items():
            self.need(role in set(Role), f"{field}.seats", "import.role", role=role[:40])
            self.need(0 <= seat < seats, f"{field}.seats.{role[:40]}", "import.seat")
        self.free(ruling.facts, f"{field}.facts")
        self.free(ruling.ruling, f"{field}.ruling")
        for part in misread(ruling.ruling):
            self.fail(f"{field}.ruling.{part}", say("import.type"))

    def score_again(self, match: MatchPart, field: str) -> None:
        """Score every round again, and compute how the match ends."""
        agreements = [agreement_of(part) for part in match.agreements]
        seats = seats_of(match, self.players)
        sitting, in_force, course = Sitting(seats), InForce(agreements), Course(seats)
        for place, played in enumerate(match.rounds):
            self.pause()
            present, of_round = sitting.at(played.place), self.terms.of(in_force.at(played.place))
            for version in played.versions:
                entry, score = parse_entry(version.entry), fields_of(version.score)
                for fault in differences(of_round, present, entry, score):
                    problem = say("import.round", day=match.started_at, place=played.place, fault=fault)
                    self.fail(f"{field}.rounds[{place}]", problem)
            if not version.struck:
                course.add(present, entry, score, of_round)
        if match.status == MatchStatus.FINISHED:
            end = course.end(self.terms.of(agreements[-1]), by_hand=match.ended_by == EndedBy.BY_HAND)
            if end is None or end.ended_by != match.ended_by:
                self.fail(f"{field}.status", say("import.ending"))
            else:
                self.results[match.id] = end
