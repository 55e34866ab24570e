"""The rulebooks with their decks and clauses, and the look-up of a question among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from referee.records.errors import NotFound
from referee.rules.books import settings as setting
from referee.rules.books.library import rulebooks as published
from referee.rules.books.rulebook import Clause, Rulebook
from referee.rules.cards.cards import Deck, Face
from referee.rules.disputes.points import Point
from referee.rules.lookup.lookup import LONGEST_QUERY, Hit, check_query, look_up
from referee.rules.scoring.terms import Terms, text_points
from referee.rules.text.problem import Impossible, Problem, attempt
from referee.web.api.endpoint import Answer, Request, Resource
from referee.web.api.shapes import Word
from referee.web.page.rulebooks import available, find_rulebook
from referee.web.server import rate_limits

rulebooks = Resource("rulebooks")
rules = Resource("rules")


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
    """What a rulebook says about one thing, with its source.

    A quotation is in English; to a reader of another language `quote_translation` says it in our own words.
    """

    id: str
    topic: str
    title: str
    text: str
    quote: str
    quote_translation: str = ""
    cite: str


class RulebookDocument(RulebookSummary):
    """A rulebook with its clauses."""

    card_points: dict[str, int]
    house_rules: list[HouseRuleDocument]
    clauses: list[ClauseDocument]


@rulebooks.endpoint("GET", "/rulebooks", access="anyone", answer=RulebooksDocument)
def list_rulebooks() -> Mapping[str, Any]:
    """List the rulebooks in the order in which they are offered."""
    return {"rulebooks": [_summary(rulebook) for rulebook in published().values()]}


@rulebooks.endpoint("GET", "/rulebooks/<rulebook_id>", access="anyone", answer=RulebookDocument)
def show_rulebook(rulebook_id: str) -> Mapping[str, Any]:
    """Return a rulebook with its clauses, card values and house rules."""
    rulebook = available().get(rulebook_id)
    if rulebook is None:
        raise NotFound("rulebook")
    return _summary(rulebook) | {
        "card_points": {str(face): points for face, points in text_points(rulebook).items()},
        "house_rules": list(rulebook.house_rules.values()),
        "clauses": list(rulebook.clauses.values()),
    }


def _summary(rulebook: Rulebook) -> dict[str, Any]:
    terms = Terms.agree(rulebook)
    target = rulebook.find(setting.TARGET)
    wins = rulebook.find(setting.WINS)
    value = target[0] if target else None
    return {name: getattr(rulebook, name) for name in ("id", "title", "sentence", "source")} | {
        "players": {"min": rulebook.players[0], "max": rulebook.players[-1]},
        "deck": deck_document(terms.full_deck, terms.card_points),
        "target": {str(players): total for players, total in value.items()} if isinstance(value, Mapping) else value,
        "awards": terms.awards,
        "wins": wins[0] if wins else None,
    }


def deck_document(deck: Deck, points: Mapping[Face, int]) -> dict[str, Any]:
    """Return a deck as its document has it; a face that stands on every side has None for its side."""
    sides = deck.sides or {"": deck}
    return {
        "id": deck.id,
        "cards": deck.size,
        "certain": deck.certain,
        "sides": list(deck.sides) or None,
        "colors": {side: [color.id for color in each.colors] for side, each in sides.items()},
        "faces": [
            {
                "id": str(face),
                "label": face.label,
                "sign": face.sign,
                "kind": face.kind,
                "side": on[0] if deck.sides and len(on) < len(deck.sides) else None,
                "points": points.get(face),
                "count": max(each.face_count(face) for each in sides.values()) if deck.certain else None,
            }
            for face in deck.faces
            for on in ([side for side, each in sides.items() if face in each.faces],)
        ],
    }


class LookupQuery(Request):
    """The question, and the rulebook to put first."""

    q: Annotated[str, Field(max_length=LONGEST_QUERY, description="a question or a few words")]
    rulebook: Annotated[Word | None, Field(description="the id of the rulebook in force")] = None


class FoundClause(Answer):
    """A clause that answers, and what the other rulebooks say about the same question."""

    rulebook: str
    clause: str
    topic: str
    title: str
    text: str
    cite: str
    url: str
    score: Annotated[float, Field(description="how well the query matches the question answered, 0 to 1")]
    others: list[FoundClause]


class AskedQuestion(Answer):
    """The question that was understood."""

    id: str
    topic: str
    text: str


class OtherBox(Answer):
    """A box of the Uno family that is not among those searched."""

    id: str
    title: str


class HeardPoint(Answer):
    """What a hearing under one rulebook says of the cards asked about; silent where it leaves that open."""

    rulebook: str
    status: Literal["ruled", "silent"]
    verdict: str
    summary: str


class HeardQuestion(HeardPoint):
    """A question that a hearing decides: the dispute and its facts, and what the other rulebooks say."""

    dispute: str
    facts: dict[str, str | bool]
    other_rulebooks: list[HeardPoint]


class LookupDocument(Answer):
    """What was found; `asked` is null if nothing matches, and `suggested_topics` are the closest ones."""

    query: str
    answered: bool
    silent: bool
    asked: AskedQuestion | None
    results: list[FoundClause]
    suggested_topics: list[str]
    corrected: Annotated[dict[str, str], Field(description="corrected words: as typed, and as understood")]
    language: Annotated[
        str | None, Field(description="the language of the question; null if it is none that is understood")
    ]
    box: Annotated[OtherBox | None, Field(description="the other box that the question is about")]
    unsure: Annotated[bool, Field(description="whether the results are only the nearest clauses")]
    hearing: Annotated[HeardQuestion | None, Field(description="the ruling, where a hearing decides the question")]


@rules.endpoint("GET", "/rules", access="anyone", query=LookupQuery, answer=LookupDocument)
def look_up_rule(query: LookupQuery) -> Mapping[str, Any]:
    """Find the clause that answers a question in plain words."""
    problems: list[Problem] = []
    attempt(problems, lambda: check_query(query.q))
    rulebook = attempt(problems, lambda: find_rulebook(query.rulebook) if query.rulebook else None)
    if problems:
        raise Impossible(problems)
    rate_limits.count_lookup()
    result = look_up(query.q, rulebook)
    worded: dict[str, Any] = {"results": [_result(hit) for hit in result.hits], "hearing": None}
    if result.points:
        first, *others = map(_point, result.points)
        facts = {"dispute": result.points[0].dispute.id, "facts": result.points[0].facts}
        worded["hearing"] = first | facts | {"other_rulebooks": others}
    return {name: getattr(result, name) for name in LookupDocument.model_fields.keys() - worded.keys()} | worded


def _point(point: Point) -> dict[str, Any]:
    status = "silent" if point.allowed is None else "ruled"
    return {"rulebook": point.rulebook.id, "status": status, "verdict": point.verdict, "summary": point.summary}


def _result(hit: Hit) -> dict[str, Any]:
    others = [_clause(rulebook, clause, hit.score) for rulebook, clause in hit.others]
    return _clause(hit.rulebook, hit.clause, hit.score) | {"others": others}


def _clause(rulebook: str, clause: Clause, score: float) -> dict[str, Any]:
    return {name: getattr(clause, name) for name in ("topic", "title", "text", "cite")} | {
        "rulebook": rulebook,
        "clause": clause.id,
        "url": f"/rules/{rulebook}#{clause.id}",
        "score": round(score, 3),
        "others": [],
    }
