"""The requests and answers of the JSON interface, declared once for validation and for OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from referee.records.history import LONGEST_SEARCH
from referee.records.ids import LENGTH
from referee.records.names import LONGEST_NOTE
from referee.rules.agreeing import COUNTS, LONGEST_TEXT, MOST_CUSTOM_RULES, MOST_FACES
from referee.rules.decks import LONGEST_CARD, decks
from referee.rules.facts import LONGEST_HAND as MOST_HELD
from referee.rules.facts import LONGEST_LIST
from referee.rules.round_document import LONGEST_NAME, LONGEST_REASON, MOST_ADJUSTMENTS, MOST_NAMES
from referee.rules.round_entry import ENDINGS, LONGEST_HAND
from referee.rules.texts import DECOMPOSED
from referee.rules.totals import LONGEST_SUM
from referee.web.api.endpoint import Answer, Request

LONGEST_WORD = 60
"""Characters of an id, or of a word chosen from a list."""
LONGEST_LINE_READ = 1_000
MOST_HOUSE_RULES = 40
MOST_FACTS = 40
"""More than any dispute has; unknown ones are named in the answer."""

# The records check names and lines, with all other problems; these maxima only bound what is read.
Line = Annotated[str, Field(max_length=LONGEST_LINE_READ)]
Note = Annotated[str, Field(max_length=DECOMPOSED * LONGEST_NOTE)]
Rule = Annotated[str, Field(max_length=DECOMPOSED * LONGEST_TEXT)]
Name = Annotated[str, Field(max_length=LONGEST_LINE_READ)]
Word = Annotated[str, Field(max_length=LONGEST_WORD)]
HouseRules = Annotated[list[Word], Field(max_length=MOST_HOUSE_RULES)]
CustomRules = Annotated[list[Rule], Field(max_length=MOST_CUSTOM_RULES)]

_NAME = {"type": "string", "maxLength": LONGEST_NAME}
_CARD = {"type": "string", "maxLength": LONGEST_CARD}
_HAND = {
    "anyOf": [
        {"type": "array", "items": _CARD, "maxItems": LONGEST_HAND, "examples": [["red-7", "skip", "wild"]]},
        {"type": "integer", "minimum": 0},
        {"type": "string", "maxLength": LONGEST_SUM, "description": "a sum such as 20+20+50"},
    ]
}


def _by_name(values: dict[str, Any]) -> WithJsonSchema:
    """Describe an object whose keys are players' names."""
    return WithJsonSchema(
        {"type": "object", "additionalProperties": values, "propertyNames": _NAME, "maxProperties": MOST_NAMES}
    )


# Scoring and hearings validate these themselves, with the same maxima, so that all problems of a round or a case come
# at once; here they are only described.
Hands = Annotated[Any, _by_name(_HAND)]
Counts = Annotated[Any, _by_name({"type": "integer", "minimum": 0})]
Names = Annotated[
    Any, WithJsonSchema({"anyOf": [{"type": "array", "items": _NAME, "maxItems": MOST_NAMES}, {"type": "null"}]})
]
_ADJUSTMENT = {
    "type": "object",
    "properties": {
        "player": _NAME,
        "points": {"type": "integer"},
        "reason": {"type": "string", "maxLength": LONGEST_REASON},
    },
    "required": ["player", "points", "reason"],
    "additionalProperties": False,
}
Adjustments = Annotated[Any, WithJsonSchema({"type": "array", "items": _ADJUSTMENT, "maxItems": MOST_ADJUSTMENTS})]
Ended = Annotated[Any, WithJsonSchema({"type": "string", "enum": list(ENDINGS)})]
Text = Annotated[Any, WithJsonSchema({"anyOf": [_NAME, {"type": "null"}]})]
Deck = Annotated[Word | None, Field(description=f"one of {', '.join(decks())}")]
Count = Annotated[Word, Field(description=f"one of {', '.join(COUNTS)}")]
_DRAW = {"type": "object", "properties": {"player": _NAME, "card": _CARD}, "additionalProperties": False}
_FACT = {
    "anyOf": [
        {"type": ["boolean", "integer", "null"]},
        {"type": "string", "maxLength": LONGEST_LIST},
        {"type": "array", "items": {"anyOf": [_CARD, _DRAW]}, "maxItems": MOST_HELD},
    ]
}
Facts = Annotated[dict[Word, Annotated[Any, WithJsonSchema(_FACT)]], Field(max_length=MOST_FACTS)]

Teams = Annotated[
    list[Annotated[list[Name], Field(max_length=MOST_NAMES)]] | None,
    Field(max_length=MOST_NAMES, description="who play together, clockwise; left out, those who sit opposite"),
]
FacePoints = Annotated[
    dict[Word, int] | None, Field(max_length=MOST_FACES, description="points of cards for which the rules don't say it")
]
Totals = Annotated[dict[Name, int], Field(max_length=MOST_NAMES, description="what players start with, by name")]


# --- requests ----------------------------------------------------------------------------------------


class ClubRequest(Request):
    """A club to create."""

    name: Name


class KeyRequest(Request):
    """A key to make."""

    role: Word
    name: Name


class InvitationRequest(Request):
    """The role to invite somebody to."""

    role: Word


class PlayerRequest(Request):
    """A person to add to the club."""

    name: Name


class PlayerChange(Request):
    """What to change about a player."""

    name: Name | None = None
    active: bool | None = None


class MergeRequest(Request):
    """The player to merge into, by id or name."""

    into: Name


class MatchRequest(Request):
    """What a table agrees on before the first deal; players in clockwise order."""

    players: Annotated[list[Name], Field(max_length=MOST_NAMES)]
    rulebook: Word
    house_rules: HouseRules = Field(default_factory=list)
    target: int | None = None
    dealer: Name | None = None
    deck: Deck = None
    blank_effect: Rule | None = None
    blank_points: int | None = None
    custom_rules: CustomRules = Field(default_factory=list)
    count: Count = "points"
    rounds_to_play: int | None = None
    teams: Teams = None
    face_points: FacePoints = None
    opening_totals: Totals = Field(default_factory=dict)
    name: Line = ""
    location: Line = ""
    note: Note = ""


class MatchChange(Request):
    """A match's new name, location or note."""

    name: Line | None = None
    location: Line | None = None
    note: Note | None = None


class MatchQuery(Request):
    """Which matches to list."""

    player: str | None = Field(None, description="a player's id or name", max_length=200)
    rulebook: str | None = Field(None, pattern="^[a-z0-9-]{1,40}$")
    status: Word | None = None
    year: int | None = None
    search: Annotated[str | None, Field(max_length=LONGEST_SEARCH)] = None
    before: Annotated[str | None, Field(max_length=LENGTH)] = None


class RoundFields(Request):
    """What happened in a round."""

    ended: Ended = ENDINGS[0]
    went_out: Text = None
    hands: Hands = Field(default_factory=dict)
    cards_left: Counts = Field(default_factory=dict)
    last_card: Text = None
    credited_to: Names = None
    sat_out: Names = Field(default_factory=list)
    side: Text = None
    knocked_out: Names = Field(default_factory=list)
    adjustments: Adjustments = Field(default_factory=list)


class RoundRequest(RoundFields):
    """A round to record; `after` is how many rounds, without struck ones, the client has seen."""

    after: Annotated[int, Field(ge=0)]


class ScoreRequest(RoundFields):
    """A round to score outside any match."""

    rulebook: Word
    house_rules: HouseRules = Field(default_factory=list)
    deck: Deck = None
    blank_points: int | None = None
    count: Count = "points"
    teams: Teams = None
    face_points: FacePoints = None


class JoinRequest(Request):
    """A player who joins a match in progress, with the total the table agrees on."""

    player: Name
    total: int


class AmendmentRequest(Request):
    """A rule change from the next round on; fields left out stay, and a null target or number of rounds means none."""

    house_rules: HouseRules | None = None
    target: int | None = None
    rounds_to_play: int | None = None
    face_points: FacePoints = None
    custom_rules: CustomRules | None = None
    note: Note = ""


class StruckQuery(Request):
    """Whether to include struck rounds."""

    struck: bool = False


# --- answers -----------------------------------------------------------------------------------------


class FieldProblem(Answer):
    """One thing that is wrong."""

    field: str
    message: str


class ProblemDocument(Answer):
    """What went wrong (RFC 9457), each problem with its field."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldProblem]
    match: MatchDocument | None = None


class NewClubDocument(Answer):
    """A new club; its keys are shown only in this answer."""

    id: str
    name: str
    scorekeeper_key: str
    spectator_key: str


class KeyDocument(Answer):
    """A key, without its secret."""

    id: str
    role: str
    name: str
    created_at: str
    opened_by: str | None
    """the key that let this one in; locking that one out locks out this one too"""
    imported: bool
    """true for a name that came with an import: nobody has this key"""
    revoked_at: str | None
    revoked_with: str | None
    """the key with which it was locked out"""
    yours: bool


class NewKeyDocument(KeyDocument):
    """A new key; its secret is shown only in this answer."""

    key: str


class KeysDocument(Answer):
    """All keys of a club."""

    keys: list[KeyDocument]


class OpenInvitationDocument(Answer):
    """An invitation that lets in one phone, once; its link was shown when it was made."""

    id: str
    role: str
    created_by: str | None
    """the key that made it; null if the server's host did"""
    created_at: str
    expires_at: str


class InvitationDocument(OpenInvitationDocument):
    """A new invitation, with its link."""

    link: str


class InvitationsDocument(Answer):
    """The invitations that can still be used."""

    invitations: list[OpenInvitationDocument]


class PlayerDocument(Answer):
    """A person of the club."""

    id: str
    name: str
    active: bool


class PlayersDocument(Answer):
    """The club's players."""

    players: list[PlayerDocument]


class StandingDocument(Answer):
    """One player's line in the standings.

    Where reaching the target puts a player `out` of the match, `out_since` is the number of the round that did so.
    `team` is a place in the list of teams, whose `team_total` decides; `total` is what the player won.
    """

    player: str
    total: int
    rank: int | None
    needs: int | None
    out: bool = False
    out_since: int | None = None
    team: int | None = None
    team_total: int | None = None


class AdjustmentDocument(Answer):
    """A correction of one total that the table agreed on, up or down, and why."""

    player: str
    points: int
    reason: str


class FurtherFields(Answer):
    """What few rounds have; left out of the others."""

    side: str | None = None
    knocked_out: list[str] = Field(default_factory=list)
    adjustments: list[AdjustmentDocument] = Field(default_factory=list)


class RoundDocument(FurtherFields):
    """A round in its current version; `worth` is the points in each hand."""

    id: str
    number: int | None
    ended: Literal["went-out", "draw-pile-empty", "time-limit", "last-one-left"]
    went_out: str | None
    last_card: str | None
    hands: dict[str, list[str] | int]
    worth: dict[str, int]
    points: dict[str, int]
    cards_left: dict[str, int]
    credited_to: list[str]
    sat_out: list[str]
    entered_at: str
    entered_by: str | None
    struck: bool
    version: int


class SeatDocument(Answer):
    """A seat at a match; its player may have left."""

    id: str
    player: str
    name_then: str
    here: bool
    opening_total: int


class AmendmentDocument(Answer):
    """A rule change during a match."""

    from_round: int
    house_rules: list[str]
    target: int | None
    custom_rules: list[str]
    rounds_to_play: int | None = None
    face_points: dict[str, int] | None = None
    note: str
    at: str


class MatchDocument(Answer):
    """A match as it is now."""

    id: str
    status: Literal["in-progress", "finished", "abandoned"]
    rulebook: str
    rulebook_title: str
    rulebook_digest: str
    house_rules: list[str]
    deck: str
    target: int | None
    count: str
    blank_effect: str
    blank_points: int | None
    custom_rules: list[str]
    rounds_to_play: int | None = None
    teams: list[list[str]] | None = None
    face_points: dict[str, int] | None = None
    players: list[str]
    seats: list[SeatDocument]
    dealer: str | None
    drafter: str | None
    standings: list[StandingDocument]
    winners: list[str]
    ended_by: Literal["target", "rounds", "time-limit", "by-hand"] | None
    rounds: list[RoundDocument]
    rulings: list[dict[str, Any]]
    amendments: list[AmendmentDocument]
    rematch_of: str | None
    name: str
    location: str
    note: str
    started_at: str
    finished_at: str | None


class RecordedDocument(Answer):
    """A new round, and what follows from it."""

    round: RoundDocument
    standings: list[StandingDocument]
    match: Annotated[MatchDocument | None, Field(description="left out with Prefer: return=minimal")] = None


class MatchSummaryDocument(Answer):
    """A match in a list."""

    id: str
    status: str
    rulebook: str
    players: list[str]
    totals: dict[str, int]
    winners: list[str]
    name: str
    location: str
    started_at: str
    finished_at: str | None


class MatchesDocument(Answer):
    """A page of matches, newest first, and the link to the next page."""

    matches: list[MatchSummaryDocument]
    next: str | None


class VersionDocument(FurtherFields):
    """One version of a round, with when and by whom it was entered."""

    version: int
    struck: bool
    ended: str
    went_out: str | None
    last_card: str | None
    hands: dict[str, list[str] | int]
    cards_left: dict[str, int]
    credited_to: list[str] | None
    sat_out: list[str]
    points: dict[str, int]
    entered_at: str
    entered_by: str | None


class HistoryDocument(Answer):
    """Every version of a round, oldest first."""

    versions: list[VersionDocument]


class StepDocument(Answer):
    """One reason: an answer from the table, or a clause."""

    kind: Literal["answer", "clause"]
    text: str
    clause: str | None
    cite: str | None
    quote: str | None
    replaces: dict[str, Any] | None


class ScoreDocument(Answer):
    """What each hand is worth, what each total grows by, and why."""

    hands: dict[str, int]
    points: dict[str, int]
    credited_to: list[str]
    steps: list[StepDocument]


class PlayersRange(Answer):
    """How many people can play."""

    min: int
    max: int


class FaceDocument(Answer):
    """What is printed on some cards of a deck; `side` is null where it stands on every side, or there are none.

    `count` is null where the publisher prints none, `points` where the table must say.
    """

    id: str
    label: str
    sign: str
    kind: Literal["number", "action", "wild"]
    side: str | None
    points: int | None
    count: int | None


class DeckDocument(Answer):
    """The deck of a rulebook with all its faces; `colors` are by side, under an empty name where there are no sides."""

    id: str
    cards: int
    certain: bool
    sides: list[str] | None
    colors: dict[str, list[str]]
    faces: list[FaceDocument]


class RulebookSummary(Answer):
    """A rulebook in a list; null means that the rules don't say."""

    id: str
    title: str
    sentence: str
    source: str
    players: PlayersRange
    deck: DeckDocument
    target: int | dict[str, int] | None
    awards: Literal["winner-takes", "own-points", "own-points-off", "one-point", "by-rank"] | None
    wins: Literal["highest", "lowest"] | None


class RulebooksDocument(Answer):
    """All rulebooks."""

    rulebooks: list[RulebookSummary]


class HouseRuleDocument(Answer):
    """A house rule that goes with this rulebook."""

    id: str
    title: str
    text: str
    named_by_source: bool
    excludes: list[str]


class ClauseDocument(Answer):
    """What a rulebook says about one thing, with its source."""

    id: str
    topic: str
    title: str
    text: str
    quote: str
    cite: str


class RulebookDocument(RulebookSummary):
    """A rulebook with its clauses."""

    card_points: dict[str, int]
    house_rules: list[HouseRuleDocument]
    clauses: list[ClauseDocument]
