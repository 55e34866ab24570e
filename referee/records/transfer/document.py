"""The format of an exported club: one JSON document with a version.

These dataclasses are the format. The web layer validates documents with them, and makes the JSON schema from them;
`referee.records.transfer.exporting` writes it, `referee.records.transfer.importing` reads it. It leaves out what an
import computes again (totals, results, ratings), and all keys: only the names of writers are in it, so that the
history stays readable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

FORMAT = "referee-club"
VERSION = 1


class _Part:
    """Unknown keys are refused, not lost."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "strict": True}


@dataclass(frozen=True, slots=True)
class Head:
    """The part that tells whether a document can be read."""

    format: str
    version: int


@dataclass(frozen=True, slots=True)
class ClubPart(_Part):
    """The club itself."""

    name: str


@dataclass(frozen=True, slots=True)
class PublishedClausePart(_Part):
    """A clause of a published rulebook, as it stood."""

    id: str
    topic: str
    title: str
    text: str
    quote: str
    cite: str
    reading: str
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ClausePart(PublishedClausePart):
    """A clause of a frozen rulebook; one of a table's own names the published clause it stands for, if any."""

    replaces: PublishedClausePart | None = None


@dataclass(frozen=True, slots=True)
class HouseRulePart(_Part):
    """A house rule of a frozen rulebook."""

    id: str
    title: str
    text: str
    excludes: list[str]
    named_by_source: bool
    quote: str
    cite: str
    clauses: list[ClausePart]


@dataclass(frozen=True, slots=True)
class RulebookPart(_Part):
    """A rulebook as it stood when a table agreed on it."""

    id: str
    title: str
    sentence: str
    source: str
    clauses: list[ClausePart]
    house_rules: list[HouseRulePart]
    in_force: list[str]
    base: str = ""
    """the published rulebook that a table's own is based on"""


@dataclass(frozen=True, slots=True)
class RulebookTextPart(_Part):
    """A frozen rulebook and its fingerprint."""

    digest: str
    document: RulebookPart


@dataclass(frozen=True, slots=True)
class OwnRulebookPart(_Part):
    """A rulebook that the club made, as it stands now: what is played differently from its base."""

    id: str
    version: int
    document: dict[str, Any]
    created_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class WriterPart(_Part):
    """The name of a key that wrote something; the key itself stays where it is."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class PlayerPart(_Part):
    """A player of the club."""

    id: str
    name: str
    active: bool
    merged_into: str | None
    created_at: datetime
    removed_at: datetime | None = None
    """when the name was deleted; left out for everybody else"""


@dataclass(frozen=True, slots=True)
class AgreementPart(_Part):
    """What a table agreed on, from the round of `from_place` on; the last three are left out where it didn't."""

    from_place: int
    rulebook: str
    digest: str
    house_rules: list[str]
    deck: str
    target: int | None
    count: str
    blank_points: int | None
    blank_effect: str
    custom_rules: list[str]
    note: str
    at: datetime
    by: str | None
    rounds_to_play: int | None = None
    teams: list[list[int]] | None = None
    """seats"""
    face_points: dict[str, int] | None = None


@dataclass(frozen=True, slots=True)
class SeatPart(_Part):
    """A player's seat; the seats of a match are listed clockwise and counted from 0."""

    player: str
    name_then: str
    opening_total: int
    stays: list[tuple[int, int | None]]


@dataclass(frozen=True, slots=True)
class AdjustmentPart(_Part):
    """A correction of one total that the table agreed on."""

    seat: int
    points: int
    reason: str


@dataclass(frozen=True, slots=True)
class EntryPart(_Part):
    """What was entered for a round, by seat; what few rounds have (the last three) is left out of the others."""

    ended: str
    went_out: int | None
    hands: dict[str, list[str] | int]
    cards_left: dict[str, int]
    last_card: str | None
    credited_to: list[int] | None
    sat_out: list[int]
    side: str | None = None
    knocked_out: list[int] = field(default_factory=list)
    adjustments: list[AdjustmentPart] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ScorePart(_Part):
    """The score of a round, by seat, as computed then."""

    hands: dict[str, int]
    points: dict[str, int]
    credited_to: list[int]
    winners: list[int]


@dataclass(frozen=True, slots=True)
class VersionPart(_Part):
    """One version of a round, oldest first; the last one counts."""

    struck: bool
    entry: EntryPart
    score: ScorePart
    entered_at: datetime
    entered_by: str | None


@dataclass(frozen=True, slots=True)
class RoundPart(_Part):
    """A round with all its versions, in the order of places."""

    id: str
    place: int
    versions: list[VersionPart]


@dataclass(frozen=True, slots=True)
class EventPart(_Part):
    """Something that happened to a match besides its rounds."""

    id: str
    kind: str
    after_place: int
    details: dict[str, str | int | None]
    at: datetime
    by: str | None


@dataclass(frozen=True, slots=True)
class RulingPart(_Part):
    """A ruling given at a match."""

    id: str
    after_place: int
    dispute: str
    rulebook_digest: str
    seats: dict[str, int]
    facts: dict[str, Any]
    ruling: dict[str, Any]
    """as it was given, in the format that the JSON interface had then"""
    accepted: bool | None
    table_decided: str | None
    given_at: datetime
    given_by: str | None


@dataclass(frozen=True, slots=True)
class MatchPart(_Part):
    """A match with everything that happened in it."""

    id: str
    status: str
    ended_by: str | None
    agreements: list[AgreementPart]
    dealer_seat: int | None
    dealer_after: int
    name: str
    location: str
    note: str
    rematch_of: str | None
    started_at: datetime
    finished_at: datetime | None
    created_by: str | None
    seats: list[SeatPart]
    rounds: list[RoundPart]
    events: list[EventPart]
    rulings: list[RulingPart]


@dataclass(frozen=True, slots=True)
class ClubDocument(_Part):
    """A whole club; matches in the order in which they began."""

    format: str
    version: int
    club: ClubPart
    rulebooks: list[RulebookTextPart]
    writers: list[WriterPart]
    players: list[PlayerPart]
    matches: list[MatchPart]
    own_rulebooks: list[OwnRulebookPart] = field(default_factory=list)
    """left out where there are none"""
