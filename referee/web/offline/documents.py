"""The rules as documents that a phone saves, and the addresses that change with them.

The phone walks trees that the rules layer grew and adds up points by factors from there; it knows no rule itself. In
the hearings of a match, names stand by where people sit (`PERSON`), so that a document stays the same while they are
renamed, and what is true of one pair of neighbors is written once for all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import current_app, url_for

from referee.records.match.seating import Seated, Seating
from referee.rules.books.library import box_of_rulebook, every_question, further_questions, questions, rulebooks
from referee.rules.books.rulebook import TOPICS, Rulebook
from referee.rules.disputes import DISPUTES, Dispute
from referee.rules.disputes.base import Facts
from referee.rules.disputes.facts import PLAYERS
from referee.rules.disputes.ruling import Role
from referee.rules.disputes.tree import document
from referee.rules.lookup.lookup import index_document, phrases_of
from referee.rules.lookup.model import spoken
from referee.rules.scoring.terms import Terms
from referee.rules.text.words import RuleText, cached_by_language
from referee.web.disputes.forms import Context, DisputeState
from referee.web.disputes.questions import ask_cast
from referee.web.help import texts
from referee.web.offline.templates import shared_templates
from referee.web.page.versions import version
from referee.web.rules.wording import ASKED_MOST, NEAR, SHOWN
from referee.web.words import say

BESIDE_RULEBOOKS = ("lookup", "templates", "help")
"""Documents that every phone takes along, whatever it plays by."""


def address_of(name: str) -> str:
    """Return the address of a document."""
    return url_for("offline.rules_document", digest=version(), name=name)


def names() -> Sequence[str]:
    """Return the names of all documents."""
    return ("catalogue", *rulebooks(), *BESIDE_RULEBOOKS)


def document_of(name: str) -> bytes:
    """Return a document as JSON in UTF-8; the catalogue has addresses in it, which depend on the request."""
    return _catalogue() if name == "catalogue" else _document(name)


@cached_by_language
def _document(name: str) -> bytes:
    """Write a rulebook, the look-up, the templates or the help, each when a phone first asks for it."""
    if name == "lookup":
        return to_json({part: value for part, value in index_document().items() if part != "questions"})
    if name == "templates":
        return to_json(shared_templates(current_app.jinja_env))
    if name == "help":
        return to_json(texts())
    rulebook = rulebooks()[name]
    return write_rulebook(rulebook, document(rulebook))


def _catalogue() -> bytes:
    listed = [
        {"id": book.id, "title": book.title, "sentence": book.sentence, "address": address_of(book.id)}
        for book in rulebooks().values()
    ]
    addresses = {name: address_of(name) for name in BESIDE_RULEBOOKS}
    return to_json({"rulebooks": listed, **addresses, **_questions()})


def _questions() -> dict[str, Any]:
    everywhere = {**questions(), **further_questions()}
    spoken = {id for book in rulebooks().values() for id in book.clauses}
    spoken |= {f"start-{id}" for id in spoken if id.startswith("card-")}  # a box may be silent on its card as the first
    listed = [question for question in every_question().values() if question.id in everywhere or question.id in spoken]
    return {
        "questions": [{"id": question.id, "topic": question.topic, "text": question.text} for question in listed],
        "topics": {topic: say(f"topic.{topic}") for topic in TOPICS},
        "at_table": len(questions()),
        "of_any_box": len(everywhere),
        "asked_most": ASKED_MOST,
        "shown": SHOWN,
        "near": NEAR,
    }


def write_rulebook(rulebook: Rulebook, hearings: Mapping[str, Any]) -> bytes:
    """Write a rulebook's clauses and its hearings as one document."""
    names = ("id", "topic", "title", "text", "quote", "quote_translation", "cite", "reading")
    clauses = [
        {name: getattr(clause, name) for name in names}
        | {"settings": _sorted(clause.settings), "house_rule": clause.house_rule}
        | ({"replaces": {"text": clause.replaces.text}} if clause.replaces else {})
        | ({"lang": clause.text.lang} if isinstance(clause.text, RuleText) and clause.text.lang else {})
        for clause in rulebook.clauses.values()
    ]
    told = {
        "title": rulebook.title,
        "sentence": rulebook.sentence,
        "source": rulebook.source,
        "house_rule_titles": [rulebook.house_rules[id].title for id in rulebook.in_force],
        "clauses": clauses,
        "home": box_of_rulebook(rulebook),
        "box": rulebook.deck.box,
        "here": sorted(phrases_of(rulebook, spoken())),
    }
    return to_json({**hearings, **told})


def _sorted(settings: Mapping[str, object]) -> Any:
    """Return settings sorted at every level, so that equal ones are equal texts."""
    return json.loads(json.dumps(dict(settings), sort_keys=True))


def to_json(value: object) -> bytes:
    """Return a value as compact JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


PERSON = 0xE000
"""The character (of those free for private use) that stands for the first of the people concerned; others follow."""


def hearings(terms: Terms, seats: tuple[Seated, ...]) -> dict[str, Any]:
    """Return the hearings at a table; a dispute that is about someone has a ``cast`` besides.

    ``cast`` is the question who, with ``rows`` of whom it may be: each with the place of a player and ``options``
    ``{"then", "people", "fields"}``: the place of who comes next or None, the places of those whom `PERSON` and the
    characters after it stand for, and what a form says.
    """
    rulebook, deck = terms.rulebook, terms.full_deck
    people = tuple(replace(seat, name=chr(PERSON + place)) for place, seat in enumerate(seats))
    context = Context(rulebook, deck, seating=Seating(people))
    casts = {dispute.id: _cast(DisputeState(context, dispute)) for dispute in DISPUTES}
    firsts = {id: cast["rows"][0]["options"][0]["fields"] for id, cast in casts.items() if cast}

    def naming(dispute: Dispute, facts: Facts) -> Mapping[Role, str]:
        given = {key: value for key, value in facts.items() if isinstance(value, str)}
        return DisputeState(context, dispute, given).answered(firsts[dispute.id]).names if dispute.id in firsts else {}

    grown = document(rulebook, known={PLAYERS.key: len(seats)}, naming=naming, deck=deck)
    for dispute in grown["disputes"]:
        if cast := casts[dispute["id"]]:
            dispute["cast"] = cast
    return grown


def _cast(case: DisputeState) -> dict[str, Any] | None:
    wanted = case.needs_cast()
    if wanted is None:
        return None
    question = ask_cast(case, wanted)
    places = {str(seat.seat): place for place, seat in enumerate(case.context.seats)}
    rows = []
    for place, row in enumerate(question.cast):
        options = []
        for option in row.options:
            concerned = [places[seat] for seat in option.answers.values()]
            then = concerned[1] if len(concerned) > 1 else None
            step = -1 if then is not None and then != (place + 1) % len(places) else 1
            people = [(place + step * away) % len(places) for away in range(len(places))]
            options.append({"then": then, "people": people, "fields": dict(option.answers)})
        rows.append({"place": place, "options": options})
    return {"text": question.text, "rows": rows}
