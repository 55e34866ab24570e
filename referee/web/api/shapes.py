"""The shapes that several resources take or return: kinds of fields; matches, rounds and standings; a match's ETag."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from flask import Response, request
from pydantic import (
    AliasPath,
    BeforeValidator,
    Field,
    GetPydanticSchema,
    PlainSerializer,
    SkipValidation,
    WithJsonSchema,
    model_validator,
)
from werkzeug.exceptions import PreconditionFailed, PreconditionRequired

from referee.records.deletion.texts import is_removed
from referee.records.match.sheets import load_sheet
from referee.records.models import DETAILS, Match
from referee.records.names import LONGEST_NOTE
from referee.rules.books.agreeing import COUNTS, LONGEST_TEXT, MOST_CUSTOM_RULES, MOST_FACES
from referee.rules.books.rulebook import TABLE_SIZES
from referee.rules.cards.cards import LONGEST_SUM
from referee.rules.cards.decks import LONGEST_CARD, decks
from referee.rules.disputes.facts import LONGEST_HAND as MOST_HELD
from referee.rules.disputes.facts import LONGEST_LIST
from referee.rules.scoring.round_entry import (
    ENDINGS,
    LONGEST_HAND,
    LONGEST_NAME,
    LONGEST_REASON,
    MOST_ADJUSTMENTS,
    MOST_NAMES,
)
from referee.rules.text.problem import DECOMPOSED
from referee.rules.text.words import ENGLISH, language, languages
from referee.web.api.endpoint import Answer, Moment, Request, respond
from referee.web.page.filters import number
from referee.web.server import guards
from referee.web.words import say

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
Number = Annotated[int, BeforeValidator(number)]
"""A number of a query, read as pages read it: digits alone, where pydantic takes `2_026` and ` +2026.0 ` too."""
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
    """Return the schema of an object whose keys are players' names."""
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

_SHORT = {"type": "string", "maxLength": LONGEST_WORD}
_BY_PLAYERS = {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": len(TABLE_SIZES)}
SETTING = {
    "anyOf": [
        {"type": ["boolean", "integer", "null"]},
        _SHORT,
        {"type": "array", "items": {"anyOf": [_SHORT, {"type": "integer"}]}, "maxItems": len(TABLE_SIZES)},
        _BY_PLAYERS | {"propertyNames": _SHORT},
    ]
}
"""A value of a setting of a clause."""

Teams = Annotated[
    list[Annotated[list[Name], Field(max_length=MOST_NAMES)]] | None,
    Field(max_length=MOST_NAMES, description="who play together, clockwise; left out, those who sit opposite"),
]
FacePoints = Annotated[
    dict[Word, int] | None, Field(max_length=MOST_FACES, description="points of cards for which the rules don't say it")
]
Totals = Annotated[dict[Name, int], Field(max_length=MOST_NAMES, description="what players start with, by name")]


class AgreedFields(Request):
    """What a table agrees on before the first deal."""

    rulebook: Word
    house_rules: HouseRules = Field(default_factory=list)
    target: int | None = None
    deck: Deck = None
    blank_points: int | None = None
    custom_rules: CustomRules = Field(default_factory=list)
    count: Count = "points"
    rounds_to_play: int | None = None
    face_points: FacePoints = None


def as_planned(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was sent as the records have it: lists as tuples, the worths of faces as pairs."""
    planned = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    if given.get("teams") is not None:
        planned["teams"] = tuple(map(tuple, given["teams"]))
    if given.get("face_points") is not None:
        planned["face_points"] = tuple(sorted(given["face_points"].items()))
    return planned


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


class FieldProblem(Answer):
    """One thing that is wrong."""

    field: str
    message: str


class StepDocument(Answer):
    """One reason: an answer from the table, or a clause.

    A quotation is in English; to a reader of another language `quote_translation` says it in our own words.
    """

    kind: Literal["answer", "clause"]
    text: str
    clause: str | None
    cite: str | None
    quote: str | None
    quote_translation: str | None = None
    replaces: dict[str, Any] | None
    decided: bool = False
    """whether a table decided it where the rulebook is silent"""


class OrderDocument(Answer):
    """What someone has to do; `times` is how often to press, in a box with a launcher.

    Without a number of cards, `draw` goes on until a card fits, `draw-until-color` until the color named comes.
    """

    role: str
    action: str
    cards: int | None
    times: int | None = None


class OpenDocument(Answer):
    """A question that no clause answers: the clause that would, the keys it leaves open, and what could fill it in.

    A choice has ``settings``, a ``label``, the rulebooks that have it so (``as``), and ``summary`` and ``orders`` then.
    """

    clause: str
    keys: list[str]
    choices: list[dict[str, Any]] = Field(default_factory=list)


class RulingDocument(Answer):
    """A saved ruling; `facts` leave out the hand unless the table chose to save it."""

    id: str
    dispute: str
    facts: dict[str, Any]
    players: dict[str, str]
    status: str
    verdict: str
    summary: str
    outcome: dict[str, Any]
    orders: list[OrderDocument]
    steps: list[StepDocument]
    silent_on: list[str]
    unseen: list[str]
    missing: list[str]
    rulebook: str
    language: str
    rulebook_digest: str
    accepted: bool | None
    table_decided: str | None
    given_at: str
    open: list[OpenDocument] = Field(default_factory=list)
    decided: list[dict[str, Any]] = Field(default_factory=list)
    decided_outcome: dict[str, Any] | None = None
    decided_orders: list[OrderDocument] | None = None
    precedents: list[dict[str, str]] = Field(default_factory=list)
    """what the club had decided before on these questions, by ``id`` and ``clause``"""
    kept: bool = False


_TOLD = Annotated[RulingDocument, SkipValidation, PlainSerializer(lambda told: told)]
Told = Annotated[Any, GetPydanticSchema(lambda _, handler: handler.generate_schema(_TOLD))]
"""A ruling as it was saved, described as it would be answered today."""


class StandingDocument(Answer):
    """One player's line in the standings.

    Where reaching the target puts a player `out` of the match, `out_since` is the number of the round that did so.
    `total` is the sum of the player's own points. Where partners play, `team` is their place in the list of teams, and
    `team_total`, the sum of their totals, decides rank and end of the match; both are null without teams.
    """

    player: str
    total: int
    rank: int | None
    needs: int | None
    out: bool
    out_since: int | None
    team: int | None
    team_total: int | None


class AdjustmentDocument(Answer):
    """A correction of one total that the table agreed on, up or down, and why."""

    player: str
    points: int
    reason: str


class VersionDocument(Answer):
    """One version of a round, with when and by whom it was entered.

    `side`, `knocked_out` and `adjustments` are what few rounds have, and left out of the others.
    """

    version: int
    struck: bool
    ended: Literal["went-out", "draw-pile-empty", "time-limit", "last-one-left"]
    went_out: str | None
    last_card: str | None
    hands: dict[str, list[str] | int]
    cards_left: dict[str, int]
    credited_to: list[str] | None
    sat_out: list[str]
    points: dict[str, int]
    entered_at: Moment
    entered_by: str | None
    side: str | None = None
    knocked_out: list[str] = Field(default_factory=list)
    adjustments: list[AdjustmentDocument] = Field(default_factory=list)


class RoundDocument(VersionDocument):
    """A round in its current version; `worth` is the points in each hand."""

    id: str
    number: int | None
    worth: dict[str, int]
    credited_to: list[str]


class SeatDocument(Answer):
    """A seat at a match; its player may have left."""

    id: str = Field(validation_alias="player_id")
    player: str = Field(validation_alias="name")
    name_then: str
    marker: str = Field(description="color and shape at this match, as `red-circle`: a choice, else the first free")
    here: bool
    opening_total: int


PointsByFace = Annotated[
    dict[str, int] | None, BeforeValidator(lambda points: dict(points) if isinstance(points, tuple) else points)
]


class AmendmentDocument(Answer):
    """A rule change during a match."""

    from_round: int = Field(validation_alias="from_place")
    house_rules: list[str]
    target: int | None
    custom_rules: list[str]
    rounds_to_play: int | None = None
    face_points: PointsByFace = None
    note: str
    at: str


def nested_field(*path: str, **more: Any) -> Any:
    """Return a field of a document that the records have in a part of theirs; `more` as for `Field`."""
    return Field(validation_alias=AliasPath(*path), **more)


class MatchWithoutRounds(Answer):
    """A match as it is now, without its rounds, of which there may be many."""

    id: str = nested_field("match", "id")
    status: Literal["in-progress", "finished", "abandoned"] = nested_field("match", "status")
    rulebook: str = nested_field("match", "rulebook")
    rulebook_title: str = nested_field("terms", "rulebook", "title")
    rulebook_digest: str = nested_field("agreement", "digest")
    house_rules: list[str] = nested_field("agreement", "house_rules")
    deck: str = nested_field("agreement", "deck")
    target: int | None = nested_field("agreement", "target")
    count: str = nested_field("agreement", "count")
    blank_effect: str = nested_field("agreement", "blank_effect")
    blank_points: int | None = nested_field("agreement", "blank_points")
    custom_rules: list[str] = nested_field("agreement", "custom_rules")
    rounds_to_play: int | None = nested_field("agreement", "rounds_to_play")
    teams: list[list[str]] | None
    face_points: PointsByFace = nested_field("agreement", "face_points")
    players: list[str]
    seats: list[SeatDocument] = nested_field("seating", "seats")
    dealer: str | None
    drafter: str | None
    standings: list[StandingDocument]
    winners: list[str]
    ended_by: Literal["target", "rounds", "time-limit", "by-hand"] | None = nested_field("match", "ended_by")
    rulings: list[Told] = Field(validation_alias="rulings_by_name")
    amendments: list[AmendmentDocument]
    rematch_of: str | None = nested_field("match", "rematch_of")
    name: str = nested_field("match", "name")
    location: str = nested_field("match", "location")
    note: str = nested_field("match", "note")
    started_at: Moment = nested_field("match", "started_at")
    finished_at: Moment | None = nested_field("match", "finished_at")
    removed_texts: list[str] = Field(
        default_factory=list,
        description="JSON pointers to texts that were taken out with a deleted name; left out where there are none",
    )

    @model_validator(mode="after")
    def _point_to_removed_texts(self) -> Self:
        self.removed_texts = [pointer for pointer, text in self._texts() if text[:1] == "(" and is_removed(text)]
        return self

    def _texts(self) -> Iterator[tuple[str, str]]:
        """Yield what people wrote, and what a ruling says, each with a pointer to it."""
        yield from ((f"/{name}", getattr(self, name)) for name in (*DETAILS, "blank_effect"))
        yield from ((f"/custom_rules/{at}", text) for at, text in enumerate(self.custom_rules))
        for at, amendment in enumerate(self.amendments):
            yield f"/amendments/{at}/note", amendment.note
            yield from (
                (f"/amendments/{at}/custom_rules/{rule}", text) for rule, text in enumerate(amendment.custom_rules)
            )
        for at, ruling in enumerate(self.rulings):
            yield from ((f"/rulings/{at}/{name}", ruling[name] or "") for name in ("summary", "table_decided"))
            yield from ((f"/rulings/{at}/steps/{step}/text", why["text"]) for step, why in enumerate(ruling["steps"]))


class MatchDocument(MatchWithoutRounds):
    """A match as it is now."""

    rounds: list[RoundDocument]

    def _texts(self) -> Iterator[tuple[str, str]]:
        yield from super()._texts()
        for at, played in enumerate(self.rounds):
            for place, adjustment in enumerate(played.adjustments):
                yield f"/rounds/{at}/adjustments/{place}/reason", adjustment.reason


class ProblemDocument(Answer):
    """What went wrong (RFC 9457), each problem with its field."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldProblem]
    match: MatchDocument | None = None
    deleted_at: Moment | None = None
    """of what was deleted, with 410"""
    restorable_until: Moment | None = None
    """with 410; null once it is gone for good"""


def match_etag(match: Match, code: str = "") -> str:
    """Return the ETag of a match in a language, that of the answer; it changes with anything that a reader can see."""
    code = code or language().code
    return f"{match.id}-{match.state}{'' if code == ENGLISH else f'-{code}'}"


def respond_with_match(match: Match, status: int = 200) -> Response:
    """Return a response with a match and its ETag, with struck rounds on request."""
    struck = request.args.get("struck") in ("1", "true")
    sheet = load_sheet(guards.records(), match, struck=struck)
    response = respond(MatchDocument.model_validate(sheet), status)
    response.set_etag(match_etag(match) + ("-struck" if struck else ""))
    return response


def respond_saved(match: Match, status: int = 200) -> Response:
    """Return a response with a match that was saved, as it is by now; no lock is held while it is drawn."""
    guards.records().refresh(match)
    return respond_with_match(match, status)


def require_newest(match: Match) -> None:
    """Refuse a change by a client that has not seen the newest state: 428 without If-Match, 412 if it is stale.

    A client may have read it in another language than it writes in.
    """
    newest = [match_etag(match, code) for code in languages()]
    if not has_seen(*newest, *(f"{etag}-struck" for etag in newest)):
        raise PreconditionFailed(say("request.match-changed"))


def has_seen(*etags: str) -> bool:
    """Return whether the client has seen the newest state, which has one of these ETags; 428 without If-Match."""
    if "If-Match" not in request.headers:
        raise PreconditionRequired()
    return request.if_match.star_tag or any(request.if_match.contains_weak(etag) for etag in etags)
