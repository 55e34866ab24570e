"""The rules as documents that a phone saves, and the addresses that change with them.

The phone walks trees that the rules layer grew and adds up points by factors from there; it knows no rule itself. In
the hearings of a match, names stand by where people sit (`PERSON`), so that a document stays the same while they are
renamed, and what is true of one pair of neighbors is written once for all.

Hearings and rules are drawn by the macros that the server draws by, written as data that ``static/js/templates.js``
fills on the phone. What a macro may be made of is little on purpose: text, sentences, values of the view it is given,
``if``, ``for`` and other macros; anything else is refused when the app starts.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any
from urllib.parse import urlencode

from flask import current_app, url_for
from jinja2 import Environment, nodes

from referee.records.club.precedents import load_precedents, newest_of_each
from referee.records.match.seating import Seated, Seating
from referee.rules.books.library import box_of_rulebook, every_question, further_questions, questions, rulebooks
from referee.rules.books.rulebook import TOPICS, Rulebook
from referee.rules.disputes import DISPUTES, Dispute
from referee.rules.disputes.base import Facts
from referee.rules.disputes.effects import draw_faces, faces_of
from referee.rules.disputes.facts import PLAYERS
from referee.rules.disputes.points import CHALLENGES, LAST_CARD, hear_point
from referee.rules.disputes.ruling import Role
from referee.rules.disputes.tree import document
from referee.rules.lookup.cases import named_cards
from referee.rules.lookup.lookup import index_document, phrases_of
from referee.rules.lookup.model import spoken
from referee.rules.lookup.query import tokens, vocabulary
from referee.rules.scoring.terms import Terms
from referee.rules.text.words import RuleText, cached_by_language
from referee.rules.text.words import say as say_rule
from referee.web.disputes.forms import CAST, Context, DisputeState, write_decision
from referee.web.disputes.questions import ask_cast
from referee.web.disputes.wording import as_others, decided_on
from referee.web.help import texts
from referee.web.rules.wording import ASKED_MOST, NEAR, SHOWN, in_a_word
from referee.web.server import guards
from referee.web.server.static_files import version
from referee.web.words import CATALOGUE, say

FILES = (
    "_partials/icons.html",
    "_partials/cards.html",
    "_partials/lists.html",
    "disputes/_drawings.html",
    "disputes/_pages.html",
    "rules/_pages.html",
    "offline/_pages.html",
)
LEFT_OUT = frozenset({"sprite", "more_shapes", "face", "card", "called", "fold"})
"""Macros of these files that no page of the phone's own shows."""


def shared_templates(environment: Environment) -> dict[str, Any]:
    """Return the macros as ``{"macros": {name: {"takes", "defaults", "body"}}, "values": {name: value}}``.

    A body is a list of texts and of lists that begin with what they do, as ``["if", test, body, else]`` does. Raises
    `NotImplementedError` for what the phone cannot evaluate, naming file and line.
    """
    macros: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for file in FILES:
        assert environment.loader is not None
        source, _, _ = environment.loader.get_source(environment, file)
        for node in environment.parse(source, file).body:
            if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name):
                values[node.target.name] = _constant(node.node)
            elif isinstance(node, nodes.Macro) and node.name not in LEFT_OUT:
                takes = [argument.name for argument in node.args]
                defaults = [_constant(default) for default in node.defaults]
                try:
                    macros[node.name] = {"takes": takes, "defaults": defaults, "body": list(_body(node.body))}
                except NotImplementedError as error:
                    raise NotImplementedError(f"{file}: {error}") from None
    return {"macros": macros, "values": values}


def _body(statements: list[nodes.Node]) -> Iterator[Any]:
    for node in statements:
        if isinstance(node, nodes.Output):
            for part in node.nodes:
                yield part.data if isinstance(part, nodes.TemplateData) else ["out", _value(part)]
        elif isinstance(node, nodes.If):
            otherwise = list(_body(node.else_))
            for other in reversed(node.elif_):
                otherwise = [["if", _value(other.test), list(_body(other.body)), otherwise]]
            yield ["if", _value(node.test), list(_body(node.body)), otherwise]
        elif isinstance(node, nodes.For) and isinstance(node.target, nodes.Name) and node.test is None:
            yield ["for", node.target.name, _value(node.iter), list(_body(node.body)), list(_body(node.else_))]
        else:
            raise _too_much(node)


def _value(node: nodes.Node) -> Any:
    match node:
        case nodes.Const():
            return ["is", node.value]
        case nodes.Name():
            return ["name", node.name]
        case nodes.Getattr():
            return ["of", _value(node.node), ["is", node.attr]]
        case nodes.Getitem():
            return ["of", _value(node.node), _value(node.arg)]
        case nodes.Not():
            return ["not", _value(node.node)]
        case nodes.And() | nodes.Or():
            return [type(node).__name__.lower(), _value(node.left), _value(node.right)]
        case nodes.CondExpr():
            return ["choose", _value(node.test), _value(node.expr1), _value(node.expr2 or nodes.Const(""))]
        case nodes.Compare(ops=[nodes.Operand(op="eq", expr=other)]):
            return ["equal", _value(node.expr), _value(other)]
        case nodes.Filter(name="roles", node=nodes.Node() as told):
            return ["roles", _value(told)]
        case nodes.Filter(name="length", node=nodes.Node() as counted):
            return ["of", _value(counted), ["is", "length"]]
        case nodes.Call(node=nodes.Name(name="say"), args=[nodes.Const(value=key)], dyn_args=None, dyn_kwargs=None):
            return ["say", CATALOGUE.text(key), {place.key: _value(place.value) for place in node.kwargs}]
        case nodes.Call(node=nodes.Name() as macro, kwargs=[], dyn_args=None, dyn_kwargs=None):
            return ["call", macro.name, [_value(argument) for argument in node.args]]
    raise _too_much(node)


def _constant(node: nodes.Node) -> Any:
    if not isinstance(node, nodes.Expr):
        raise _too_much(node)
    return node.as_const()


def _too_much(node: nodes.Node) -> NotImplementedError:
    return NotImplementedError(f"line {node.lineno}: the phone has no {type(node).__name__}")


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
        said = {part: value for part, value in index_document().items() if part != "questions"}
        return to_json(said | {"no_rules": say("smile.groups")})
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
    everywhere = {**questions(), **further_questions()}
    spoken = {id for book in rulebooks().values() for id in book.clauses}
    spoken |= {f"start-{id}" for id in spoken if id.startswith("card-")}  # a box may be silent on its card as the first
    asked = [question for question in every_question().values() if question.id in everywhere or question.id in spoken]
    catalogue = {
        "rulebooks": listed,
        **{name: address_of(name) for name in BESIDE_RULEBOOKS},
        "questions": [{"id": question.id, "topic": question.topic, "text": question.text} for question in asked],
        "topics": {topic: say(f"topic.{topic}") for topic in TOPICS},
        "at_table": len(questions()),
        "of_any_box": len(everywhere),
        "asked_most": ASKED_MOST,
        "shown": SHOWN,
        "near": NEAR,
    }
    return to_json(catalogue)


def write_rulebook(rulebook: Rulebook, hearings: Mapping[str, Any]) -> bytes:
    """Write a rulebook's clauses and its hearings as one document."""
    names = ("id", "topic", "title", "text", "quote", "quote_translation", "cite", "reading")
    asked = every_question()
    clauses = [
        {name: getattr(clause, name) for name in names}
        # sorted at every level, so that equal ones are equal texts
        | {"settings": json.loads(json.dumps(dict(clause.settings), sort_keys=True)), "house_rule": clause.house_rule}
        | ({"word": word} if (word := in_a_word(asked[clause.id], rulebook) if clause.id in asked else "") else {})
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
        **_points(rulebook),
    }
    return to_json({**hearings, **told})


def _points(rulebook: Rulebook) -> dict[str, Any]:
    """Return what the look-up says of cards, as hearings decide it, by question and cards; equal rulings stand once."""
    faces, words = faces_of(rulebook), vocabulary(spoken())
    labels = {" ".join(words.stems_of(tokens(face.label))) for face in faces}
    names = {name: named for name, named in named_cards(rulebook, words).items() if name in labels}
    points: dict[str, tuple[int, str]] = {}
    rulings: list[dict[str, Any]] = []
    single = product((LAST_CARD, *CHALLENGES), product(faces))
    for question, cards in (*single, *product(("stacking-mixed",), product(draw_faces(rulebook), repeat=2))):
        if point := hear_point(question, cards, rulebook):
            clauses = [clause.id for clause in point.clauses]
            said = {"dispute": point.dispute.id, "allowed": point.allowed, "summary": point.summary}
            ruling = said | {"clauses": clauses}
            rulings += [] if ruling in rulings else [ruling]
            points[" ".join((question, *cards))] = (rulings.index(ruling), urlencode(point.answers))
    return {"cards": names, "points": points, "rulings": rulings}


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

    grown = document(rulebook, known={PLAYERS.key: len(seats)}, naming=naming, deck=deck, deciding=as_others)
    grown["by_cards"] = {"text": say("our-law.cards"), "hint": say("our-law.cards-how")}
    grown["ours"] = say_rule("decisions.cite")
    for dispute in grown["disputes"]:
        if cast := casts[dispute["id"]]:
            dispute["cast"] = cast
    return grown


def law(club_id: str) -> str:
    """Return what counts of a club's law as JSON, the newest first: by dispute and clause, as a page says it."""
    counts = newest_of_each(load_precedents(guards.records(), club_id))
    told = [{"id": one.ruling.id, "dispute": one.ruling.dispute, "clause": one.decision.clause,
             "text": decided_on(one), "value": write_decision(one.decision)} for one in counts]  # fmt: skip
    return to_json(told).decode()


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
            concerned = [places[seat] for key, seat in option.answers.items() if key.startswith(CAST)]
            then = concerned[1] if len(concerned) > 1 else None
            step = -1 if then is not None and then != (place + 1) % len(places) else 1
            people = [(place + step * away) % len(places) for away in range(len(places))]
            options.append({"then": then, "people": people, "fields": dict(option.answers)})
        rows.append({"place": place, "options": options})
    return {"text": question.text, "rows": rows}
