"""The kinds of fields that several resources take or return, each declared for validation and for OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from referee.records.names import LONGEST_NOTE
from referee.rules.agreeing import COUNTS, LONGEST_TEXT, MOST_CUSTOM_RULES, MOST_FACES
from referee.rules.decks import LONGEST_CARD, decks
from referee.rules.facts import LONGEST_HAND as MOST_HELD
from referee.rules.facts import LONGEST_LIST
from referee.rules.round_entry import ENDINGS, LONGEST_HAND, LONGEST_NAME, LONGEST_REASON, MOST_ADJUSTMENTS, MOST_NAMES
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

Teams = Annotated[
    list[Annotated[list[Name], Field(max_length=MOST_NAMES)]] | None,
    Field(max_length=MOST_NAMES, description="who play together, clockwise; left out, those who sit opposite"),
]
FacePoints = Annotated[
    dict[Word, int] | None, Field(max_length=MOST_FACES, description="points of cards for which the rules don't say it")
]
Totals = Annotated[dict[Name, int], Field(max_length=MOST_NAMES, description="what players start with, by name")]


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
    """One reason: an answer from the table, or a clause."""

    kind: Literal["answer", "clause"]
    text: str
    clause: str | None
    cite: str | None
    quote: str | None
    replaces: dict[str, Any] | None
