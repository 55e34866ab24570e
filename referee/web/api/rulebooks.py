"""Rulebooks: the list, and each with its clauses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.records.errors import NotFound
from referee.rules import settings as setting
from referee.rules.library import rulebooks
from referee.rules.rulebook import Rulebook
from referee.rules.terms import Terms, text_points
from referee.web.api.decks import deck_document
from referee.web.api.endpoint import Resource
from referee.web.api.schemas import RulebookDocument, RulebooksDocument
from referee.web.rulebooks import available

resource = Resource("rulebooks")


@resource.endpoint("GET", "/rulebooks", access="anyone", answer=RulebooksDocument)
def list_rulebooks() -> Mapping[str, Any]:
    """List the rulebooks in the order in which they are offered."""
    return {"rulebooks": [_summary(rulebook) for rulebook in rulebooks().values()]}


@resource.endpoint("GET", "/rulebooks/<rulebook_id>", access="anyone", answer=RulebookDocument)
def show_rulebook(rulebook_id: str) -> Mapping[str, Any]:
    """Give a rulebook with its clauses, card values and house rules."""
    rulebook = available().get(rulebook_id)
    if rulebook is None:
        raise NotFound("rulebook")
    return _summary(rulebook) | {
        "card_points": {str(face): points for face, points in text_points(rulebook).items()},
        "house_rules": [
            {
                "id": rule.id,
                "title": rule.title,
                "text": rule.text,
                "named_by_source": rule.named_by_source,
                "excludes": list(rule.excludes),
            }
            for rule in rulebook.house_rules.values()
        ],
        "clauses": [
            {name: getattr(clause, name) for name in ("id", "topic", "title", "text", "quote", "cite")}
            for clause in rulebook.clauses.values()
        ],
    }


def _summary(rulebook: Rulebook) -> dict[str, Any]:
    terms = Terms.agree(rulebook)
    target = rulebook.find(setting.TARGET)
    wins = rulebook.find(setting.WINS)
    value = target[0] if target else None
    return {
        "id": rulebook.id,
        "title": rulebook.title,
        "sentence": rulebook.sentence,
        "source": rulebook.source,
        "players": {"min": rulebook.players[0], "max": rulebook.players[-1]},
        "deck": deck_document(terms.box, terms.card_points()),
        "target": {str(players): total for players, total in value.items()} if isinstance(value, Mapping) else value,
        "awards": terms.awards,
        "wins": wins[0] if wins else None,
    }
