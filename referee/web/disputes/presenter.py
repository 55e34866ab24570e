"""What the templates of the Dispute room show, worded; nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from flask import url_for

from referee.records.agreements import frozen_rulebook
from referee.records.models import Match
from referee.records.models import Ruling as Recorded
from referee.records.seating import Seating
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID, Dispute, beside_the_point
from referee.rules.disputes.answering import other_rulebooks
from referee.rules.disputes.base import Facts
from referee.rules.facts import PLAYERS
from referee.rules.library import questions, rulebooks
from referee.rules.rulebook import Rulebook
from referee.rules.ruling import Order, Role, Ruling, Voice, say_order
from referee.web.disputes.context import Context, DisputeState, dispute_address
from referee.web.server import guards


@dataclass(frozen=True)
class DisputeLine:
    """One dispute in the list."""

    title: str
    lead: str
    address: str
    outside: str = ""
    """why these rules have nothing to hear, said before the first tap; empty where they do"""


@dataclass(frozen=True)
class StepLine:
    """One reason: what the table said, or what the rulebook says and where."""

    text: str
    answered: bool = False
    title: str = ""
    cite: str = ""
    quote: str = ""
    reading: str = ""
    address: str = ""
    replaced: str = ""
    replaced_cite: str = ""


@dataclass(frozen=True)
class OtherLine:
    """What another rulebook would say."""

    title: str
    verdict: str
    summary: str
    same: bool
    address: str


@dataclass(frozen=True)
class RulingView:
    """A ruling as the page shows it and as it is read aloud."""

    title: str
    rulebook: str
    verdict: str
    lead: str
    silent: bool
    orders: Sequence[str]
    reasons: Sequence[StepLine]
    answers: Sequence[str]
    open_questions: Sequence[str]


OUTSIDE = MappingProxyType({"silent": "Not in these rules", "not-agreed": "House rules you do not play by"})


def dispute_lines(context: Context | None) -> list[DisputeLine]:
    """List the disputes, the most frequent first, and those of which the rulebook knows nothing last."""
    match, rulebook = (context.match, context.rulebook) if context else (None, None)
    players = len(context.seats) or None if context else None
    lines = []
    for dispute in DISPUTES:
        why = beside_the_point(dispute, rulebook, players) if rulebook else None
        outside = OUTSIDE[why] if why else ""
        address = dispute_address(dispute.id, match, rulebook.id if rulebook else "")
        lines.append(DisputeLine(dispute.title, dispute.lead, address, outside))
    return sorted(lines, key=lambda line: line.outside)


def ruling_view(case: DisputeState, ruling: Ruling) -> RulingView:
    """Word a ruling just given."""
    document = ruling.to_json()
    return _view(case.dispute, case.context.rulebook, document, case.names, case.read())


def recorded_view(match: Match, recorded: Recorded, seating: Seating) -> RulingView:
    """Word a ruling on record as it was said then, under the rulebook as it stood then."""
    rulebook = frozen_rulebook(guards.records(), match.club_id, recorded.rulebook_digest)
    names = {Role(role): seating.name_of(seat) for role, seat in recorded.seats.items()}
    dispute = DISPUTES_BY_ID.get(recorded.dispute)
    facts = {PLAYERS.key: len(seating.here)} | recorded.facts
    return _view(dispute, rulebook, recorded.ruling, names, facts, recorded.dispute)


def _view(
    dispute: Dispute | None,
    rulebook: Rulebook,
    document: Mapping[str, Any],
    names: Mapping[Role, str],
    facts: Mapping[str, object],
    id: str = "",
) -> RulingView:
    two = dispute is not None and dispute.is_between_two(facts, rulebook)
    say = dispute.voice(names, two) if dispute else Voice({}, names)
    shown_to = document["outcome"].get("hand_shown_to")
    orders = [say_order(Order(Role(o["role"]), o["action"], o["cards"]), say, shown_to) for o in document["orders"]]
    lead, steps = document.get("lead", document["summary"]), document["steps"]  # releases before 0.2.0 kept no lead
    silent = document["status"] == "silent" and bool(document["silent_on"])
    also_open = document["missing"][1 if silent else 0 :]  # the first is the point itself, and said in the lead
    return RulingView(
        title=dispute.title if dispute else id,
        rulebook=rulebook.title,
        verdict=document["verdict"],
        lead=lead,
        silent=silent,
        orders=orders,
        reasons=[_reason(step, rulebook) for step in steps if step["kind"] == "clause"],
        answers=[step["text"] for step in steps if step["kind"] == "answer"],
        open_questions=[text for id in also_open if (text := open_text(id)) and text not in lead],
    )


def open_text(question_id: str) -> str:
    """Word a question that a text leaves open."""
    question = questions().get(question_id)
    return question.text if question else ""


def _reason(step: Mapping[str, Any], rulebook: Rulebook) -> StepLine:
    clause = rulebook.clauses.get(step["clause"])
    replaced = step["replaces"] or {}
    return StepLine(
        text=step["text"],
        title=clause.title if clause else "",
        cite=step["cite"] or "",
        quote=step["quote"] or "",
        reading=clause.reading if clause else "",
        address=_address_of(rulebook, step["clause"]),
        replaced=replaced.get("text", ""),
        replaced_cite=replaced.get("cite", ""),
    )


def _address_of(rulebook: Rulebook, clause_id: str) -> str:
    """Lead to a clause in its text, house rules in force; empty where there is no such text any more."""
    if rulebook.id not in rulebooks():
        return ""
    return url_for(
        "rules.rulebook", rulebook_id=rulebook.id, house_rule=list(rulebook.in_force) or None, _anchor=clause_id
    )


def others(case: DisputeState, facts: Facts, ruling: Ruling) -> Iterator[OtherLine]:
    """Say what the other rulebooks would say that fit the number of players, by the same facts."""
    for other in other_rulebooks(case.dispute, case.context.rulebook, facts, names=case.names):
        book = rulebooks()[other["rulebook"]]
        same = (other["verdict"], other["summary"]) == (ruling.verdict, ruling.summary)
        address = "" if case.private else _address_under(case, book)
        yield OtherLine(book.title, other["verdict"], other["summary"], same, address)


def _address_under(case: DisputeState, rulebook: Rulebook) -> str:
    return DisputeState(Context(rulebook), case.dispute, case.given).address
