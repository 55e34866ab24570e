"""What the templates of the Dispute room show: lists, questions, answers and rulings, with their addresses."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from flask import url_for
from markupsafe import Markup, escape

from referee.records.club.precedents import Precedent, offered
from referee.records.match.agreements import frozen_rulebook
from referee.records.match.rulings import as_read, as_told, foreign_language, language_of
from referee.records.match.seating import Seating
from referee.records.models import Match
from referee.records.models import Ruling as Recorded
from referee.rules.books.library import every_question, rulebooks
from referee.rules.books.rulebook import Clause, Rulebook
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID, Dispute, beside_the_point, name_of_moment
from referee.rules.disputes.announcing import Announcement, announce
from referee.rules.disputes.base import Facts
from referee.rules.disputes.facts import PLAYERS, Fact, WrongAnswer
from referee.rules.disputes.hearing_documents import is_silent, left_open, other_rulebooks
from referee.rules.disputes.open_points import Decision, choices, fill_in, hear_again, say_new
from referee.rules.disputes.ruling import ROLE, ROLE_END, Role, Ruling, Voice
from referee.rules.disputes.tree import at_stake
from referee.rules.text.problem import Impossible
from referee.rules.text.words import RuleText, joined, speaking
from referee.web.disputes.forms import Context, DisputeState, dispute_address, write_decision
from referee.web.disputes.questions import Option, Question
from referee.web.help import report_address
from referee.web.server import guards, local_time
from referee.web.words import say


def roles_marked(text: str) -> Markup:
    """Return a sentence with each role that `Voice` marked in it as an element of its own."""
    marks = {ord(ROLE): '<span class="role">', ord(ROLE_END): "</span>"}
    return Markup(str(escape(text)).translate(marks))


@dataclass(frozen=True)
class DisputeLine:
    """A dispute to choose; `found_by` are further words to search it by."""

    id: str
    title: str
    address: str
    hint: str
    found_by: str


def dispute_groups(context: Context | None) -> dict[str, list[dict[str, Any]]]:
    """Return the disputes by when they arise; the most frequent ones come first, without a heading.

    Those that can't arise under these rules are in ``outside``, by the reason.
    """
    match, rulebook = (context.match, context.rulebook) if context else (None, None)
    players = len(context.seats) or None if context else None
    moments: dict[str, list[DisputeLine]] = {}
    outside: dict[str, list[DisputeLine]] = {}
    for dispute in DISPUTES:
        why = beside_the_point(dispute, rulebook, players) if rulebook else None
        address = dispute_address(dispute.id, match, rulebook.id if rulebook else "")
        heading = dispute.heading(rulebook)
        group = outside.setdefault(why, []) if why else moments.setdefault(name_of_moment(dispute), [])
        group.append(DisputeLine(dispute.id, heading.title, address, heading.lead, dispute.found_by))
    return {
        "groups": [{"moment": moment, "disputes": lines} for moment, lines in moments.items()],
        "outside": [{"why": why, "disputes": outside[why]} for why in ("not-agreed", "silent") if why in outside],
    }


DIRECTIONS = ("clockwise", "counterclockwise")
"""Directions of play, as parameters of an address."""


@dataclass(frozen=True)
class AnswerLink:
    """One answer to tap: a link or, once a hand was entered, a button that posts the `answer`."""

    label: str
    address: str = ""
    answer: str = ""
    color: str = ""


@dataclass(frozen=True)
class CastLink:
    """A player to tap, with the answer it gives; `then` is who comes next in the direction `goes`, if that matters."""

    name: str
    address: str
    then: str = ""
    goes: str = ""


@dataclass(frozen=True)
class DirectionLink:
    """A link to the question in the other direction of play."""

    goes: str
    address: str


@dataclass(frozen=True)
class CastView:
    """The question who did it: the players in both directions of play; the page shows one of them."""

    players: Sequence[CastLink]
    nameless: str
    match: str
    goes: str = ""
    directions: Sequence[DirectionLink] = ()


@dataclass(frozen=True)
class QuestionView:
    """A question and its answers; `hand_instead` is the address for entering the cards instead.

    `any_number` is the fact to answer by typing, where larger numbers are possible.
    """

    text: str
    kind: str
    choices: Sequence[AnswerLink] = ()
    cast: CastView | None = None
    hand_instead: str = ""
    any_number: str = ""


@dataclass(frozen=True)
class AnswerLine:
    """An answer already given, and how to change it: an address, or the fact that a form undoes."""

    text: str
    change: str = ""
    undo: str = ""


@dataclass(frozen=True)
class Answers:
    """All answers so far: who it is about, in order of play, and the facts."""

    who: Sequence[str]
    change: str
    lines: Sequence[AnswerLine]


@dataclass(frozen=True)
class FormView:
    """Where a form goes, by which method, and its hidden fields."""

    address: str
    method: str
    fields: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class OtherLine:
    """The ruling by another rulebook."""

    title: str
    verdict: str
    summary: str
    same: bool
    address: str


@dataclass(frozen=True)
class RulingView:
    """A ruling as the page shows it; `reasons` are the clauses as in the JSON interface, with an address."""

    title: str
    rulebook: str
    verdict: str
    silent: bool
    announced: Announcement
    reasons: Sequence[Mapping[str, Any]]
    answers: Sequence[str]
    open_questions: Sequence[str]
    lang: str = ""
    """the language it was said in, where that is not the page's"""
    report: str = ""
    """where a message that this is wrong is prepared; empty where the host wants none"""


NAMED = 3
"""Rulebooks that are named beside a choice; the others are counted."""


def list_address(context: Context) -> str:
    """Return the address of the list of disputes."""
    if context.match:
        return url_for("disputes.at_match", match_id=context.match.id)
    return url_for("disputes.index", rulebook=context.rulebook.id)


def rules_of(rulebook: Rulebook) -> list[str]:
    """Return the titles of the rulebook and of its house rules in force."""
    return [rulebook.title, *(rulebook.house_rules[id].title for id in rulebook.in_force)]


def question_view(case: DisputeState, question: Question, *, posting: bool, goes: str = "") -> QuestionView:
    """Return a question with a link or button for each answer; `goes` is one of the `DIRECTIONS`, else clockwise."""
    fact = case.dispute.known_facts.get(question.key)
    return QuestionView(
        question.text,
        question.kind,
        [_choice(case, option, posting=posting) for option in question.options],
        _cast_view(case, question, goes) if question.cast else None,
        hand_instead=case.address_with(tap=question.hand_instead) if question.hand_instead and not posting else "",
        any_number=question.key if fact and fact.kind == "number" and question.typed else "",
    )


def clauses_at_stake(case: DisputeState, key: str) -> list[Clause]:
    """Return the clauses that the answer to a question brings into play; no `key` while it is asked who it was."""
    try:
        facts = case.read()
        asked = case.dispute.known_facts.get(key) or case.rule(facts)
    except Impossible:  # said beside what is wrong
        return []
    context = case.context
    return at_stake(case.dispute, context.rulebook, asked, facts, context.deck) if isinstance(asked, Fact) else []


def _cast_view(case: DisputeState, question: Question, goes: str) -> CastView:
    match, nameless = case.context.match, case.nameless.address
    if all(len(row.options) == 1 for row in question.cast):
        players = [CastLink(row.name, _choice(case, row.options[0]).address) for row in question.cast]
        return CastView(players, nameless, match.id if match else "")
    players = [
        CastLink(row.name, _choice(case, option).address, option.label, way)
        for row in question.cast
        for way, option in zip(DIRECTIONS, row.options, strict=True)
    ]
    ways = [DirectionLink(way, case.address_with(direction=way)) for way in DIRECTIONS]
    goes = goes if goes in DIRECTIONS else DIRECTIONS[0]
    return CastView(players, nameless, match.id if match else "", goes, ways)


def _choice(case: DisputeState, option: Option, *, posting: bool = False) -> AnswerLink:
    if posting:
        return AnswerLink(option.label, answer=urlencode(option.answers), color=option.color)
    return AnswerLink(option.label, case.answered(option.answers).address, color=option.color)


def answers_view(case: DisputeState, *, posting: bool) -> Answers:
    """Return the answers so far, each with the link or button that changes it."""
    lines = [
        AnswerLine(_statement(case, key), undo=key)
        if posting
        else AnswerLine(_statement(case, key), case.before(key).address)
        for key in case.given
    ]
    change = case.start_address if posting else replace(case, cast={}, unnamed=False).address
    return Answers([seat.name for seat in case.cast.values()], change, lines)


def _statement(case: DisputeState, key: str) -> str:
    try:
        facts = case.read()
    except Impossible:  # said beside what is wrong
        facts = {}
    fact = case.dispute.worded(key, case.names, case.dispute.is_between_two(facts, case.context.rulebook))
    try:
        return fact.statement(facts[key] if key in facts else fact.parse(case.given[key]))
    except WrongAnswer:
        return fact.text


def ruling_view(case: DisputeState, ruling: Ruling) -> RulingView:
    """Return the view of a new ruling."""
    document = ruling.to_json()
    return _view(case.dispute, case.context.rulebook, document, case.names, case.read())


def recorded_view(match: Match, recorded: Recorded, seating: Seating) -> RulingView:
    """Return the view of a saved ruling, as ruled then, under the rulebook as it was then; see `as_read`."""
    rulebook = frozen_rulebook(guards.records(), match.club_id, recorded.rulebook_digest)
    names = {Role(role): seating.names[seat] for role, seat in recorded.seats.items()}
    dispute = DISPUTES_BY_ID.get(recorded.dispute)
    facts = {PLAYERS.key: len(seating.here)} | recorded.facts
    document = as_told(as_read(recorded, rulebook, seating.names, len(seating.here)))
    with speaking(language_of(document)):
        view = _view(dispute, rulebook, document, names, facts, recorded.dispute)
    return replace(view, lang=foreign_language(document))


def open_points(case: DisputeState, facts: Facts, ruling: Ruling, law: Sequence[Precedent]) -> list[dict[str, Any]]:
    """Return what a match may decide, by question: what its club decided last, of its `law`, then choices.

    Each line says what it makes someone do ``here``, and has the ``value`` that a form sends.
    Who may not write sees what was decided, and decides nothing.
    """
    hear, rulebook = case.hearing(facts), fill_in(case.context.rulebook, case.decided)
    voice = case.dispute.voice(case.names, case.dispute.is_between_two(facts, rulebook))
    before = offered(law, [point.clause for point in ruling.open])

    def line(
        decision: Decision, text: str, heard: Fact[Any] | Ruling, hint: str, kind: str = "filled"
    ) -> dict[str, str]:
        here = " ".join(say_new(heard, ruling, voice))
        return {"text": text, "here": here, "value": write_decision(decision), "hint": hint, "kind": kind}

    found = []
    for point in ruling.open if not any(one.text for one in case.decided) else ():  # in words, one question alone
        lines = []
        for one in before.get(point.clause, [])[:1]:
            with suppress(Impossible):  # decided under other rules, it may decide nothing here
                again = hear_again(hear, rulebook, ruling, [one.decision])
                other = one.rulebook not in ("", case.context.rulebook.title)
                under = say("our-law.under", rulebook=one.rulebook) if other else ""
                lines.append(line(one.decision, decided_on(one), again, under, "precedent"))
        if guards.may_record():
            offers = choices(hear, rulebook, ruling, point)
            lines += [line(one.decision, one.label, one.heard, as_others(one.books)) for one in offers]
            cards = Decision(point.clause, text=say("our-law.cards-how"))
            lines.append(line(cards, say("our-law.cards"), ruling, cards.text))
        found += [{"question": every_question()[point.clause].text, "lines": lines}] if lines else []
    return found


def decided_on(precedent: Precedent) -> str:
    """Return when a club decided what."""
    return say("our-law.decided", day=local_time.day(precedent.ruling.given_at), decision=precedent.decision.say())


def as_others(books: Sequence[str]) -> str:
    """Return which rulebooks have it so: a few by name."""
    titles, more = [rulebooks()[id].title for id in books[:NAMED]], len(books) - NAMED
    if more > 0:
        return say("our-law.as-others-more", books=", ".join(titles), n=more)
    return say("our-law.as-others", books=joined(titles)) if titles else ""


def _view(
    dispute: Dispute | None,
    rulebook: Rulebook,
    document: Mapping[str, Any],
    names: Mapping[Role, str],
    facts: Mapping[str, object],
    id: str = "",
) -> RulingView:
    two = dispute is not None and dispute.is_between_two(facts, rulebook)
    voice = dispute.voice(names, two) if dispute else Voice(names=names)
    steps = document["steps"]
    return RulingView(
        title=dispute.heading(rulebook).title if dispute else id,
        rulebook=rulebook.title,
        verdict=document["verdict"],
        silent=is_silent(document),
        announced=announce(document, voice),
        reasons=[_reason(step, rulebook) for step in steps if step["kind"] == "clause"],
        answers=[step["text"] for step in steps if step["kind"] == "answer"],
        open_questions=left_open(document),
        report=report_address(_report(dispute, rulebook, document, facts)) if dispute else "",
    )


REPORTED = ("choice", "number", "card", "color")
"""Kinds of facts that a report has: neither a hand nor who drew what, where people type names."""


def _report(
    dispute: Dispute, rulebook: Rulebook, document: Mapping[str, Any], facts: Mapping[str, object]
) -> dict[str, Any]:
    """Return what a report says of a ruling, in keys: no title of a table's own, and no name."""
    known = dispute.known_facts
    return {
        "rulebook": f"own, based on {rulebook.base}" if rulebook.base else rulebook.id,
        "house rules": ", ".join(rulebook.in_force),
        "dispute": dispute.id,
        **{key: value for key, value in facts.items() if key in known and known[key].kind in REPORTED},
        "ruled": document["outcome"],
    }


def _reason(step: Mapping[str, Any], rulebook: Rulebook) -> dict[str, Any]:
    clause = rulebook.clauses.get(step["clause"])
    return {
        **step,
        "lang": step["text"].lang if isinstance(step["text"], RuleText) else "",
        "reading": clause.reading if clause else "",
        "address": "" if step.get("decided") else _address_of(rulebook, step["clause"]),
    }


def _address_of(rulebook: Rulebook, clause_id: str) -> str:
    """Return the address of a clause, with the house rules in force; empty for a rulebook that is gone."""
    if rulebook.id not in rulebooks() and not rulebook.base:
        return ""
    return url_for(
        "rules.rulebook", rulebook_id=rulebook.id, house_rule=list(rulebook.in_force) or None, _anchor=clause_id
    )


def others(case: DisputeState, facts: Facts, ruling: Ruling) -> Iterator[OtherLine]:
    """Yield the rulings on the same facts by other rulebooks for this number of players."""
    for other in other_rulebooks(case.dispute, case.context.rulebook, facts, names=case.names):
        book = rulebooks()[other["rulebook"]]
        same = (other["verdict"], other["summary"]) == (ruling.verdict, ruling.summary)
        address = "" if case.private else DisputeState(Context(book), case.dispute, case.given).address
        yield OtherLine(book.title, other["verdict"], other["summary"], same, address)
