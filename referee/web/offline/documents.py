"""The rules as documents that a phone takes along.

The phone walks trees that the rules layer grew and adds up points by factors that it gave; it knows no rule itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from flask import current_app, url_for

from referee.rules.boxes import home_of
from referee.rules.library import every_question, further_questions, questions, rulebooks
from referee.rules.lookup import index_document
from referee.rules.lookup_cards import cards_document
from referee.rules.rulebook import Rulebook
from referee.rules.tree import document
from referee.web.help.views import texts
from referee.web.offline.digests import DOCUMENTS
from referee.web.offline.templates import shared_templates
from referee.web.rules.wording import ASKED_MOST, NEAR, SHOWN, TOPIC_TITLES

BESIDE_RULEBOOKS = ("lookup", "templates", "help")
"""Documents that every phone takes along, whatever it plays by."""


def address_of(name: str) -> str:
    """Return the address of a document."""
    return url_for("offline.rules_document", digest=DOCUMENTS, name=name)


def names() -> Sequence[str]:
    """Return the names of all documents."""
    return ("catalogue", *rulebooks(), *BESIDE_RULEBOOKS)


def document_of(name: str) -> bytes:
    """Return a document as JSON in UTF-8; the catalogue has addresses in it, which depend on the request."""
    return _catalogue() if name == "catalogue" else _document(name)


@cache
def _document(name: str) -> bytes:
    """Write a rulebook, the look-up, the templates or the help, each when a phone first asks for it."""
    if name == "lookup":
        return to_json({part: found for part, found in index_document().items() if part != "questions"})
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
    listed = [one for one in every_question().values() if one.id in everywhere or one.id in spoken]
    return {
        "questions": [{"id": one.id, "topic": one.topic, "text": one.text} for one in listed],
        "topics": dict(TOPIC_TITLES),
        "at_table": len(questions()),
        "of_any_box": len(everywhere),
        "asked_most": ASKED_MOST,
        "shown": SHOWN,
        "near": NEAR,
    }


def write_rulebook(rulebook: Rulebook, hearings: Mapping[str, Any]) -> bytes:
    """Write a rulebook's clauses and its hearings as one document."""
    names = ("id", "topic", "title", "text", "quote", "cite", "reading")
    clauses = [
        {name: getattr(clause, name) for name in names}
        | {"settings": _sorted(clause.settings), "house_rule": clause.house_rule}
        | ({"replaces": {"text": clause.replaces.text}} if clause.replaces else {})
        for clause in rulebook.clauses.values()
    ]
    told = {
        "title": rulebook.title,
        "sentence": rulebook.sentence,
        "source": rulebook.source,
        "house_rule_titles": [rulebook.house_rules[id].title for id in rulebook.in_force],
        "clauses": clauses,
        "home": home_of(rulebook),
        "box": rulebook.deck.box,
        "cards": cards_document(rulebook),
    }
    return to_json({**hearings, **told})


def _sorted(settings: Mapping[str, object]) -> Any:
    """Return settings sorted at every level, so that equal ones are equal texts."""
    return json.loads(json.dumps(dict(settings), sort_keys=True))


def to_json(value: object) -> bytes:
    """Return a value as compact JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
