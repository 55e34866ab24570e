"""What the referee decides: scores and hearings outside any match, and rulings saved with a match."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from flask import Response, url_for
from pydantic import Field, RootModel, WithJsonSchema

from referee.records.club.precedents import (
    Precedent,
    decisions_of,
    draft_rule_of_ours,
    forget_or_restore,
    keep_rule_of_ours,
    load_precedents,
    make_rule,
    newest_precedent,
    offered,
)
from referee.records.ids import LENGTH
from referee.records.match.rulings import Case, draft_ruling, ruling_by_name, write_ruling
from referee.records.match.seating import load_seating
from referee.records.models import Match, OwnRulebookRow, Ruling
from referee.records.names import LONGEST_DECISION, LONGEST_LINE
from referee.rules.books.library import IDS
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID
from referee.rules.disputes.hearing_documents import document, read_hearing
from referee.rules.disputes.open_points import MOST_DECISIONS, Decision
from referee.rules.scoring.round_entry import MOST_NAMES, company, read_round, read_teams
from referee.rules.scoring.scoring import score_round
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import DECOMPOSED, Impossible
from referee.web.api.endpoint import Answer, Moment, Request, Resource, respond
from referee.web.api.own_rulebook_resource import OwnRulebookDocument, respond_with
from referee.web.api.shapes import (
    LONGEST_WORD,
    MOST_FACTS,
    SETTING,
    Count,
    Deck,
    FacePoints,
    Facts,
    HouseRules,
    Name,
    OpenDocument,
    OrderDocument,
    RoundFields,
    RulingDocument,
    StepDocument,
    Teams,
    Word,
    match_etag,
)
from referee.web.page.rulebooks import find_rulebook
from referee.web.server import guards, rate_limits
from referee.web.server.database import save

score = Resource("score")
hearings = Resource("hearings")
rulings = Resource("rulings")
precedents = Resource("precedents")
PAGE = 50
"""Precedents listed at once."""


class ScoreRequest(RoundFields):
    """A round to score outside any match."""

    rulebook: Word
    house_rules: HouseRules = Field(default_factory=list)
    deck: Deck = None
    blank_points: int | None = None
    count: Count = "points"
    teams: Teams = None
    face_points: FacePoints = None


class ScoreDocument(Answer):
    """What each hand is worth, what each total grows by, and why."""

    hands: dict[str, int]
    points: dict[str, int]
    credited_to: list[str]
    steps: list[StepDocument]


@score.endpoint("POST", "/score", access="anyone", body=ScoreRequest, answer=ScoreDocument)
def score_a_round(body: ScoreRequest) -> Mapping[str, Any]:
    """Score a round: what each hand is worth, what each total grows by, and why."""
    rate_limits.count_hearing()
    document = body.model_dump()
    table = company(document)
    entry = read_round(document, table)
    try:
        rulebook = find_rulebook(body.rulebook)
        entry = read_round(document, table, rulebook.deck)
        terms = Terms.agree(
            rulebook,
            body.house_rules,
            deck=body.deck,
            blank_points=body.blank_points,
            count=body.count,
            players=len(table) if body.teams else None,
            teams=read_teams(body.teams, rulebook, table),
            face_points=(body.face_points or {}).items(),
        )
    except Impossible as error:  # unreadable fields are wrong under any rules
        raise Impossible([*error.problems, *entry.unread]) from None
    scored = score_round(terms, entry, table, company=True)
    return {
        "hands": {table[seat]: worth for seat, worth in scored.hands.items()},
        "points": {table[seat]: points for seat, points in scored.points.items()},
        "credited_to": [table[seat] for seat in scored.credited_to],
        "steps": [step.to_json() for step in scored.steps],
    }


class HearingRequest(Request):
    """A case to hear, with the facts known so far."""

    dispute: Annotated[Word, Field(description=f"one of {', '.join(dispute.id for dispute in DISPUTES)}")]
    rulebook: Annotated[Word, Field(description=f"one of {', '.join(IDS)}, or a club's own")]
    house_rules: HouseRules = Field(default_factory=list)
    facts: Facts = Field(default_factory=dict)
    match: Annotated[Word | None, Field(description="the match at whose table it is; adds what the club decided")] = (
        None
    )


class ChoiceDocument(Answer):
    """One answer to tap."""

    value: bool | str
    label: str


class QuestionDocument(Answer):
    """The fact to ask for next."""

    key: str
    text: str
    kind: Literal["choice", "number", "card", "cards", "color"]
    choices: list[ChoiceDocument]


class QuestionAnswer(Answer):
    """The next question: one more fact is needed."""

    status: Literal["question"]
    question: QuestionDocument
    answered: dict[str, Any]


class OtherRulebookDocument(Answer):
    """How another rulebook decides the same case."""

    rulebook: str
    status: Literal["ruled", "silent", "question"]
    verdict: str
    summary: str


class PrecedentDocument(Answer):
    """What a club decided from then on, as settings of the clause that was missing or as a text."""

    id: str
    dispute: str
    clause: str
    settings: dict[str, Any] | None = None
    text: str | None = None
    decided_at: Moment
    match: str | None
    """null where the match was deleted, or there was none"""
    rule_since: Moment | None = None
    """when it became a rule of the club's own rulebook"""


class RulingAnswer(Answer):
    """The ruling; a null in the outcome means undecided, `until-color` drawing until the color named comes."""

    status: Literal["ruled", "silent"]
    verdict: str
    summary: str
    outcome: dict[str, Any]
    orders: list[OrderDocument]
    steps: list[StepDocument]
    silent_on: list[str]
    unseen: list[str]
    other_rulebooks: list[OtherRulebookDocument]
    open: list[OpenDocument] = Field(default_factory=list)
    precedents: list[PrecedentDocument] = Field(default_factory=list)


class HearingDocument(RootModel[QuestionAnswer | RulingAnswer]):
    """The next question, or the ruling."""


@hearings.endpoint("POST", "/hearings", access="anyone", body=HearingRequest, answer=HearingDocument)
def hear(body: HearingRequest) -> Mapping[str, Any]:
    """Return the ruling on a dispute, or the question whose answer it needs next."""
    rate_limits.count_hearing()
    given = typed(body.dispute, body.facts)
    dispute, rulebook, facts = read_hearing(
        DISPUTES_BY_ID, body.dispute, body.rulebook, body.house_rules, given, find_rulebook
    )
    said = document(dispute, rulebook, facts)
    if body.match is not None and said.get("open"):
        law = load_precedents(guards.records(), guards.get_match(body.match).club_id, dispute=dispute.id)
        found = offered(law, [one["clause"] for one in said["open"]])
        said["precedents"] = [one.to_json() for of_clause in found.values() for one in of_clause]
    return said


class DecisionRequest(Request):
    """What the table decides on an open question: settings of the clause that is missing, or a text."""

    clause: Word
    settings: Annotated[dict[Word, Annotated[Any, WithJsonSchema(SETTING)]], Field(max_length=MOST_FACTS)] = Field(
        default_factory=dict
    )
    text: Annotated[str, Field(max_length=DECOMPOSED * LONGEST_DECISION)] = ""


class RulingRequest(Request):
    """A case to hear and save; `players` maps roles to names."""

    dispute: Annotated[Word, Field(description=f"one of {', '.join(dispute.id for dispute in DISPUTES)}")]
    facts: Facts = Field(default_factory=dict)
    players: Annotated[dict[Word, Name], Field(max_length=MOST_NAMES)] = Field(default_factory=dict)
    accepted: bool | None = None
    table_decided: Annotated[str | None, Field(max_length=DECOMPOSED * LONGEST_DECISION)] = None
    keep_hand: bool = False
    decided: Annotated[list[DecisionRequest], Field(max_length=MOST_DECISIONS)] = Field(default_factory=list)
    keep: Annotated[Literal["once", "always"], Field(description="always: it counts from now on")] = "once"


@rulings.endpoint(
    "POST", "/matches/<match_id>/rulings", access="table", body=RulingRequest, answer=RulingDocument, status=201
)
def give(match_id: str, body: RulingRequest) -> Response:
    """Rule on a case by the rules of the match, and save the ruling."""
    by = guards.get_key_for_ruling(keep=body.keep == "always")
    case = Case(
        dispute=body.dispute,
        facts=typed(body.dispute, body.facts),
        players=body.players,
        accepted=body.accepted,
        table_decided=body.table_decided or "",
        keep_hand=body.keep_hand,
        decided=[Decision(one.clause, one.settings, one.text) for one in body.decided],
        keep=body.keep == "always",
    )

    def draft() -> tuple[Match, Ruling, dict[str, Any]]:
        session, match = guards.records(), guards.get_match(match_id, write=True, at_table=True)
        given = draft_ruling(session, match, case, guards.get_key())
        return match, given, ruling_by_name(given, load_seating(session, match).names)

    seen = newest_precedent(guards.records(), by.club_id, body.dispute)
    match, _, document = save(draft, lambda made: write_ruling(guards.records(), made[0], made[1], seen))
    response = respond(RulingDocument.model_validate(document), 201)
    response.set_etag(match_etag(match))
    return response


class PrecedentsQuery(Request):
    """Which precedents to list."""

    dispute: Annotated[str | None, Field(max_length=LONGEST_WORD)] = None
    q: Annotated[str | None, Field(max_length=LONGEST_LINE)] = None
    before: Annotated[str | None, Field(max_length=LENGTH)] = None


class PrecedentsDocument(Answer):
    """A page of a club's law, newest first, and the link to the next page."""

    precedents: list[PrecedentDocument]
    next: str | None


@precedents.endpoint("GET", "/precedents", access="reader", query=PrecedentsQuery, answer=PrecedentsDocument)
def list_precedents(query: PrecedentsQuery) -> Mapping[str, Any]:
    """List what the club decided where its rules are silent, newest first."""
    club = guards.get_club()
    found = load_precedents(guards.records(), club.id, dispute=query.dispute or "", q=query.q or "")
    found = [one for one in found if query.before is None or one.ruling.id < query.before]
    ids = sorted({one.ruling.id for one in found}, reverse=True)[:PAGE]
    page = [one for one in found if one.ruling.id in ids]
    asked = query.model_dump(exclude_none=True, exclude={"before"})
    more = url_for("api.precedents_list_precedents", **asked, before=ids[-1]) if len(page) < len(found) else None
    return {"precedents": [one.to_json() for one in page], "next": more}


class RuleOfOursRequest(DecisionRequest):
    """What a club decides without a match on a question that a rulebook leaves open in a dispute."""

    dispute: Annotated[Word, Field(description=f"one of {', '.join(dispute.id for dispute in DISPUTES)}")]
    rulebook: Annotated[Word, Field(description=f"one of {', '.join(IDS)}, or a club's own")]
    house_rules: HouseRules = Field(default_factory=list)


@precedents.endpoint(
    "POST", "/precedents", access="scorekeeper", body=RuleOfOursRequest, answer=PrecedentDocument, status=201
)
def decide(body: RuleOfOursRequest) -> Response:
    """Decide a question that a rulebook leaves open, without a match: it counts from now on."""
    rate_limits.count_hearing()
    rulebook, decision = find_rulebook(body.rulebook), Decision(body.clause, body.settings, body.text)
    rulebook = rulebook.with_house_rules(body.house_rules)
    seen = newest_precedent(guards.records(), guards.get_key(write=True).club_id, body.dispute)

    def draft() -> Ruling:
        return draft_rule_of_ours(guards.records(), rulebook, body.dispute, decision, guards.get_key(write=True))

    kept = save(draft, lambda given: keep_rule_of_ours(guards.records(), given, rulebook, seen))
    (found,) = decisions_of(kept.ruling, kept.table_decided)
    return respond(PrecedentDocument.model_validate(Precedent(kept, found, None, rulebook.title).to_json()), 201)


@precedents.endpoint("DELETE", "/precedents/<ruling_id>", access="scorekeeper", status=204)
def forget(ruling_id: str) -> Response:
    """Forget a decision: it no longer counts, and stays with its match."""
    save(lambda: forget_or_restore(guards.records(), guards.get_club(write=True).id, ruling_id, kept=False))
    return respond(None, 204)


@precedents.endpoint(
    "POST", "/precedents/<ruling_id>/rule", access="scorekeeper", answer=OwnRulebookDocument, status=201
)
def make_rule_of(ruling_id: str) -> Response:
    """Make a decision a rule of the club's own rulebook on the rules that were silent, for the next match."""

    def make() -> OwnRulebookRow:
        return make_rule(guards.records(), guards.get_club(write=True), ruling_id, guards.get_key(write=True))

    return respond_with(save(make), 201)


def typed(dispute: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Refuse the texts "4" and "yes", which addresses need but JSON doesn't, by replacing them with null."""
    known = DISPUTES_BY_ID[dispute].known_facts if dispute in DISPUTES_BY_ID else {}
    answers = {key: dict(fact.answers) for key, fact in known.items()}
    wordless = {key for key, fact in known.items() if fact.kind == "number" or True in answers[key]}
    refused = {key for key in wordless & facts.keys() if isinstance(facts[key], str) and facts[key] not in answers[key]}
    return {key: None if key in refused else value for key, value in facts.items()}
