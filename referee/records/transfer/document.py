"""The format of an exported club: one JSON document with a version, declared as the model that reads it.

The annotations are the shapes: types, lengths and ranges. Whatever needs more than one field, or the rules, is checked
by `referee.records.transfer.checking`. The document leaves out what an import computes again (totals, results,
ratings), and all keys: only the names of writers are in it, so that the history stays readable.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import AfterValidator, AwareDatetime, Field, StrictInt, ValidationInfo
from pydantic_core import PydanticKnownError

from referee.records.errors import (
    MOST_AMENDMENTS,
    MOST_CHANGES,
    MOST_EVENINGS,
    MOST_EVENTS,
    MOST_OWN_RULEBOOKS,
    MOST_PEOPLE,
    MOST_PLAYERS,
    MOST_PRECEDENTS,
    MOST_ROUNDS,
    MOST_RULINGS,
    MOST_SEASONS,
    MOST_VERSIONS,
)
from referee.records.evening.evenings import MOST_DRAWS, SIZES
from referee.records.ids import ALPHABET, LENGTH
from referee.records.match.matches import LONGEST
from referee.records.models import MARKERS, DrawKind, EndedBy, EveningStatus, MatchStatus
from referee.records.names import LONGEST_LINE, LONGEST_NAME, LONGEST_NOTE
from referee.records.season import points, seasons
from referee.rules.books.agreeing import MOST_CUSTOM_RULES, MOST_FACES
from referee.rules.cards.cards import HIGHEST_TOTAL
from referee.rules.cards.decks import LONGEST_CARD
from referee.rules.disputes.ruling import Action, Role
from referee.rules.scoring.round_entry import LONGEST_HAND, LONGEST_REASON, MOST_ADJUSTMENTS
from referee.rules.text.words import ENGLISH

FORMAT = "referee-club"
VERSION = 1

MOST_WRITERS = 10_000
MOST_RULEBOOKS = 1_000
MOST_TIMES_CHANGED = 1_000_000
"""Versions of a rulebook that a club made itself."""
MOST_PARTS = 1_000
"""Items of a list or an object in a rulebook or ruling; the longest that we write has 70."""
MOST_FREE = 10_000
"""Items of all lists and objects in a ruling, or in a rulebook that the club made."""
MOST_SEATS = 60
"""Seats of one match, including those of players who left."""
MOST_POINTS = (1 + MOST_ADJUSTMENTS) * HIGHEST_TOTAL
"""Of one player in one round: what the cards are worth, and what the table adds or takes."""
MOST_TABLES = MOST_PEOPLE // SIZES[0]
"""Of one draw."""
MOST_MET = MOST_PEOPLE * (MOST_PEOPLE - 1) // 2
"""Of each two who come on an evening."""

T = TypeVar("T")

# One wrong item ends a list or a mapping: a million of them would be a gigabyte of errors.
Items = Annotated[list[T], Field(fail_fast=True)]
Some = Annotated[Items[T], Field(max_length=MOST_PARTS)]
Seats = Annotated[Items[int], Field(max_length=MOST_SEATS)]

Id = Annotated[str, Field(pattern=f"^[{ALPHABET}]{{{LENGTH}}}$", max_length=LENGTH)]
Name = Annotated[str, Field(max_length=LONGEST_NAME)]
Line = Annotated[str, Field(max_length=LONGEST_LINE)]
"""also what names something else, as an id does; whether that is there is checked later, and said in better words"""
BySeat = Annotated[dict[Line, T], Field(fail_fast=True, max_length=MOST_SEATS)]
Note = Annotated[str, Field(max_length=LONGEST_NOTE)]
Card = Annotated[str, Field(max_length=LONGEST_CARD)]
Count = Annotated[int, Field(ge=0, le=HIGHEST_TOTAL)]
Positive = Annotated[int, Field(ge=1, le=HIGHEST_TOTAL)]


def _pause(value: T, info: ValidationInfo) -> T:
    """Call the `pause` callback in the context, so that a long file doesn't block other threads."""
    pause: Callable[[], object] | None = info.context
    if pause is not None:
        pause()
    return value


def _measured(value: dict[str, Any]) -> dict[str, Any]:
    """Refuse free-form JSON with a text or list that is too long, or of too many parts."""
    left, parts = [value], 0
    while left:
        part: Any = left.pop()
        if isinstance(part, str):
            if len(part) > LONGEST_NOTE:
                raise PydanticKnownError("string_too_long", {"max_length": LONGEST_NOTE})
        elif isinstance(part, list | dict):
            parts += len(part)
            _refuse_over(len(part), MOST_PARTS)
            _refuse_over(parts, MOST_FREE)
            left += [*part, *part.values()] if isinstance(part, dict) else part
    return value


def _refuse_over(count: int, most: int) -> None:
    if count > most:
        raise PydanticKnownError("too_long", {"field_type": "Value", "max_length": most, "actual_length": count})


Free = Annotated[dict[str, Any], Field(max_length=MOST_PARTS), AfterValidator(_measured)]
"""JSON whose form only some releases know, such as a ruling as it was given"""


class _Part:
    """Refuse unknown fields, which would be lost, and types that only look alike."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "strict": True}


@dataclass(frozen=True, slots=True)
class ClubPart(_Part):
    """The club itself."""

    name: Name
    language: Annotated[str, Field(max_length=8)] = ENGLISH
    """left out for English, which every club of release 1.0 spoke"""
    time_zone: Annotated[str, Field(max_length=64)] = ""
    """left out where the club has none"""


@dataclass(frozen=True, slots=True)
class PublishedClausePart(_Part):
    """A clause of a published rulebook, as it stood."""

    id: Line
    topic: Line
    title: Note
    text: Note
    quote: Note
    cite: Note
    reading: Note
    settings: Free


@dataclass(frozen=True, slots=True)
class ClausePart(PublishedClausePart):
    """A clause of a frozen rulebook; one of a table's own names the published clause it stands for, if any."""

    replaces: PublishedClausePart | None = None


@dataclass(frozen=True, slots=True)
class HouseRulePart(_Part):
    """A house rule of a frozen rulebook."""

    id: Line
    title: Note
    text: Note
    excludes: Some[Line]
    named_by_source: bool
    quote: Note
    cite: Note
    clauses: Some[ClausePart]


@dataclass(frozen=True, slots=True)
class RulebookPart(_Part):
    """A rulebook as it stood when a table agreed on it."""

    id: Line
    title: Note
    sentence: Note
    source: Note
    clauses: Some[ClausePart]
    house_rules: Some[HouseRulePart]
    in_force: Some[Line]
    base: Line = ""
    """the published rulebook that a table's own is based on"""


@dataclass(frozen=True, slots=True)
class RulebookTextPart(_Part):
    """A frozen rulebook and its fingerprint."""

    digest: Line
    document: RulebookPart


@dataclass(frozen=True, slots=True)
class OwnRulebookPart(_Part):
    """A rulebook that the club made, as it stands now: what is played differently from its base."""

    id: Id
    version: Annotated[int, Field(ge=1, le=MOST_TIMES_CHANGED)]
    document: Free
    created_at: AwareDatetime
    changed_at: AwareDatetime


@dataclass(frozen=True, slots=True)
class WriterPart(_Part):
    """The name of a key that wrote something; the key itself stays where it is."""

    id: Id
    name: Name


@dataclass(frozen=True, slots=True)
class PlayerPart(_Part):
    """A player of the club."""

    id: Id
    name: Name
    active: bool
    merged_into: Line | None
    created_at: AwareDatetime
    removed_at: AwareDatetime | None = None
    """when the name was deleted; left out for everybody else"""
    marker: Annotated[str, Field(pattern=f"^({'|'.join(MARKERS)})?$", max_length=LONGEST_LINE)] = ""
    """the color and shape that the player chose; left out for everybody else"""


@dataclass(frozen=True, slots=True)
class AgreementPart(_Part):
    """What a table agreed on, from the round of `from_place` on; the last three are left out where it didn't."""

    from_place: Positive
    rulebook: Line
    digest: Line
    house_rules: Some[Line]
    deck: Line
    target: Positive | None
    count: Line
    blank_points: Count | None
    blank_effect: Note
    custom_rules: Annotated[Items[Note], Field(max_length=MOST_CUSTOM_RULES)]
    note: Note
    at: AwareDatetime
    by: Line | None
    rounds_to_play: Positive | None = None
    teams: Annotated[Items[Seats], Field(max_length=MOST_SEATS)] | None = None
    """seats"""
    face_points: Annotated[dict[Line, Count], Field(fail_fast=True, max_length=MOST_FACES)] | None = None


@dataclass(frozen=True, slots=True)
class SeatPart(_Part):
    """A player's seat; the seats of a match are listed clockwise and counted from 0."""

    player: Line
    name_then: Name
    opening_total: Annotated[int, Field(ge=-10 * HIGHEST_TOTAL, le=10 * HIGHEST_TOTAL)]
    stays: Annotated[Items[tuple[int, int | None]], Field(min_length=1, max_length=MOST_EVENTS)]
    """first and last place of each, the last one open"""


@dataclass(frozen=True, slots=True)
class AdjustmentPart(_Part):
    """A correction of one total that the table agreed on."""

    seat: int
    points: Annotated[int, Field(ge=-HIGHEST_TOTAL, le=HIGHEST_TOTAL)]
    reason: Annotated[str, Field(max_length=LONGEST_REASON)]


@dataclass(frozen=True, slots=True)
class EntryPart(_Part):
    """What was entered for a round, by seat; what few rounds have (the last three) is left out of the others."""

    ended: Line
    went_out: int | None
    hands: BySeat[Annotated[Items[Card], Field(max_length=LONGEST_HAND)] | Count]
    cards_left: BySeat[Count]
    last_card: Card | None
    credited_to: Seats | None
    sat_out: Seats
    side: Line | None = None
    knocked_out: Seats = field(default_factory=list)
    adjustments: Annotated[Items[AdjustmentPart], Field(max_length=MOST_ADJUSTMENTS)] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ScorePart(_Part):
    """The score of a round, by seat, as computed then."""

    hands: BySeat[Annotated[int, Field(ge=0, le=MOST_POINTS)]]
    points: BySeat[Annotated[int, Field(ge=-MOST_POINTS, le=MOST_POINTS)]]
    credited_to: Seats
    winners: Seats


@dataclass(frozen=True, slots=True)
class VersionPart(_Part):
    """One version of a round, oldest first; the last one counts."""

    struck: bool
    entry: EntryPart
    score: ScorePart
    entered_at: AwareDatetime
    entered_by: Line | None


@dataclass(frozen=True, slots=True)
class RoundPart(_Part):
    """A round with all its versions, in the order of places."""

    id: Id
    place: Positive
    versions: Annotated[Items[VersionPart], Field(min_length=1, max_length=MOST_VERSIONS)]


@dataclass(frozen=True, slots=True)
class EventPart(_Part):
    """Something that happened to a match besides its rounds."""

    id: Id
    kind: Annotated[str, Field(max_length=16)]
    after_place: Count
    details: Annotated[dict[Line, Note | int | None], Field(fail_fast=True, max_length=MOST_PARTS)]
    at: AwareDatetime
    by: Line | None


@dataclass(frozen=True, slots=True)
class RulingPart(_Part):
    """A ruling given at a match."""

    id: Id
    after_place: Count
    dispute: Annotated[str, Field(max_length=40)]
    rulebook_digest: Line
    seats: BySeat[int]
    facts: Free
    ruling: Free
    """as it was given, in the format that the JSON interface had then"""
    accepted: bool | None
    table_decided: Note | None
    given_at: AwareDatetime
    given_by: Line | None
    kept: bool = False
    """left out where it is no precedent"""


class _Said:
    """Take fields of later releases, which the pages of this one leave alone."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "ignore"}


@dataclass(frozen=True, slots=True)
class OrderSaid(_Said):
    """What someone had to do."""

    role: Annotated[str, Field(pattern=f"^({'|'.join(Role)})$")]
    action: Action
    cards: StrictInt | None
    times: StrictInt | None = None


@dataclass(frozen=True, slots=True)
class StepSaid(_Said):
    """A reason: an answer of the table, or a clause."""

    kind: str
    text: str
    clause: str | None
    cite: str | None = None
    quote: str | None = None
    quote_translation: str | None = None
    replaces: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class DecisionSaid(_Said):
    """What the table decided on a question that the rules leave open."""

    clause: str
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RulingSaid(_Said):
    """What pages read of a ruling as it was given; the fields with a default came with later releases."""

    status: str
    verdict: str
    summary: str
    outcome: dict[str, Any]
    orders: Items[OrderSaid]
    steps: Items[StepSaid]
    lead: str = ""
    language: str = ENGLISH
    rulebook: str = ""
    silent_on: Items[str] = field(default_factory=list)
    unseen: Items[str] = field(default_factory=list)
    missing: Items[str] = field(default_factory=list)
    decided: Items[DecisionSaid] = field(default_factory=list)
    rule_since: AwareDatetime | None = None
    as_decided: "RulingSaid | None" = None


@dataclass(frozen=True, slots=True)
class MatchPart(_Part):
    """A match with everything that happened in it."""

    id: Id
    status: MatchStatus
    ended_by: EndedBy | None
    agreements: Annotated[Items[AgreementPart], Field(min_length=1, max_length=MOST_AMENDMENTS + 1)]
    dealer_seat: int | None
    dealer_after: Count
    name: Line
    location: Line
    note: Note
    rematch_of: Line | None
    started_at: AwareDatetime
    finished_at: AwareDatetime | None
    created_by: Line | None
    seats: Annotated[Items[SeatPart], Field(min_length=2, max_length=MOST_SEATS)]
    rounds: Annotated[Items[Annotated[RoundPart, AfterValidator(_pause)]], Field(max_length=MOST_ROUNDS)]
    events: Annotated[Items[EventPart], Field(max_length=MOST_EVENTS)]
    rulings: Annotated[Items[RulingPart], Field(max_length=MOST_RULINGS)]
    removed_texts: Annotated[Items[Line], Field(max_length=MOST_ROUNDS * MOST_VERSIONS)] = field(default_factory=list)
    """JSON pointers to texts that were taken out with a deleted name, for readers; what stands there says so itself"""


@dataclass(frozen=True, slots=True)
class SeasonPart(_Part):
    """What a season says of days, rules and people; what it doesn't say is left out, and its link never in a file."""

    id: Id
    name: Line
    first_day: date
    count: points.Count
    version: Annotated[int, Field(ge=1, le=MOST_TIMES_CHANGED)]
    created_at: AwareDatetime
    last_day: date | None = None
    best: Annotated[int, Field(ge=1, le=seasons.MOST_EVENINGS)] | None = None
    least: Annotated[int, Field(ge=1, le=seasons.MOST_EVENINGS)] = 1
    rulebooks: Annotated[Items[Line], Field(max_length=seasons.MOST_RULEBOOKS)] = field(default_factory=list)
    people: Annotated[Items[Id], Field(max_length=MOST_PLAYERS)] = field(default_factory=list)
    names_until: date | None = None
    names_deleted_on: date | None = None


@dataclass(frozen=True, slots=True)
class PlanPart(_Part):
    """How an evening is played, and what each match is agreed on; what is as usual is left out."""

    rulebook: Line
    house_rules: Some[Line] = field(default_factory=list)
    deck: Line | None = None
    target: Positive | None = None
    count: Line = "points"
    blank_effect: Note = ""
    blank_points: Count | None = None
    custom_rules: Annotated[Items[Note], Field(max_length=MOST_CUSTOM_RULES)] = field(default_factory=list)
    rounds_to_play: Positive | None = None
    face_points: Annotated[Items[tuple[Line, Count]], Field(max_length=MOST_FACES)] | None = None
    open_ended: bool = False
    minutes: Annotated[int, Field(ge=1, le=LONGEST)] | None = None
    size: Annotated[int, Field(ge=SIZES[0], le=SIZES[-1])] = 4
    draws: Annotated[int, Field(ge=1, le=MOST_DRAWS)] = 3


Draw = Annotated[int, Field(ge=1, le=MOST_DRAWS + 1)]
"""The number of a draw, or of the one after the last"""
Place = Annotated[int, Field(ge=0, lt=MOST_PEOPLE)]


@dataclass(frozen=True, slots=True)
class PersonPart(_Part):
    """Someone who came on an evening: in which draw first, in which no longer, and whether as a guest."""

    player: Id
    from_draw: Draw = 1
    until_draw: Draw | None = None
    guest: bool = False


@dataclass(frozen=True, slots=True)
class InputPart(_Part):
    """What went into a draw besides its number, so that it can be drawn again; what nobody changed is left out."""

    version: Annotated[int, Field(ge=1, le=MOST_TIMES_CHANGED)]
    players: Annotated[Items[Id], Field(min_length=2, max_length=MOST_PEOPLE)]
    size: Annotated[int, Field(ge=2, le=MOST_PEOPLE)]
    ahead: Draw
    met: Annotated[Items[tuple[Place, Place, Annotated[int, Field(ge=1, le=MOST_DRAWS)]]], Field(max_length=MOST_MET)]
    """two who had met, by their place among the players, and how often"""
    swapped: Annotated[Items[tuple[Id, Id]], Field(max_length=MOST_CHANGES)] = field(default_factory=list)
    taken_out: Annotated[Items[Id], Field(max_length=MOST_CHANGES)] = field(default_factory=list)
    joined: Annotated[Items[tuple[Id, Annotated[int, Field(ge=1, le=MOST_TABLES)]]], Field(max_length=MOST_CHANGES)] = (
        field(default_factory=list)
    )
    """and the table"""


@dataclass(frozen=True, slots=True)
class TablePart(_Part):
    """A table of a draw, and the match that is played there."""

    table: Annotated[int, Field(ge=1, le=MOST_TABLES)]
    match: Id


@dataclass(frozen=True, slots=True)
class DrawPart(_Part):
    """One draw of an evening, with its tables but those whose match was deleted."""

    kind: DrawKind
    number: Annotated[int, Field(ge=1, lt=MOST_TIMES_CHANGED)]
    input: InputPart
    drawn_at: AwareDatetime
    tables: Annotated[Items[TablePart], Field(max_length=MOST_TABLES)]


@dataclass(frozen=True, slots=True)
class EveningPart(_Part):
    """An evening of many tables; draws in their order. The keys of its tables and screens are never in a file."""

    id: Id
    status: EveningStatus
    plan: PlanPart
    started_at: AwareDatetime
    people: Annotated[Items[PersonPart], Field(max_length=MOST_PEOPLE)]
    draws: Annotated[Items[DrawPart], Field(max_length=MOST_DRAWS)]
    name: Line = ""
    ended_at: AwareDatetime | None = None


@dataclass(frozen=True, slots=True)
class ClubDocument(_Part):
    """A whole club; matches in the order in which they began."""

    format: Line
    version: int
    club: ClubPart
    rulebooks: Annotated[Items[RulebookTextPart], Field(max_length=MOST_RULEBOOKS)]
    writers: Annotated[Items[WriterPart], Field(max_length=MOST_WRITERS)]
    players: Annotated[Items[PlayerPart], Field(max_length=MOST_PLAYERS)]
    matches: Items[MatchPart]
    own_rulebooks: Annotated[Items[OwnRulebookPart], Field(max_length=MOST_OWN_RULEBOOKS)] = field(default_factory=list)
    """left out where there are none"""
    precedents: Annotated[Items[RulingPart], Field(max_length=MOST_PRECEDENTS)] = field(default_factory=list)
    """rulings that the club keeps as its law without their match; left out where there are none"""
    seasons: Annotated[Items[SeasonPart], Field(max_length=MOST_SEASONS)] = field(default_factory=list)
    """left out where there are none"""
    evenings: Annotated[Items[EveningPart], Field(max_length=MOST_EVENINGS)] = field(default_factory=list)
    """left out where there are none; a release before 1.1 refuses a file with them, as one with seasons"""
