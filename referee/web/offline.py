"""Work without a connection: the service worker, the manifest, and the rules as documents that a phone takes along.

The phone walks trees that the rules layer grew and adds up points by factors that it gave; it knows no rule itself.
Pages that name people are kept only under the key they were opened with: a header (`referee.web.carried`) tells the
service worker whose a page is, and a page of another key makes it drop all it kept before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from flask import Blueprint, Response, current_app, render_template, request, url_for
from flask.typing import ResponseReturnValue

from referee.paths import STATIC
from referee.records.errors import NotFound
from referee.rules.boxes import home_of
from referee.rules.library import every_question, further_questions, questions, rulebooks
from referee.rules.lookup import index_document
from referee.rules.lookup_cards import cards_document
from referee.rules.rulebook import Rulebook
from referee.rules.tree import document
from referee.web.carried import documents_digest
from referee.web.help import texts
from referee.web.layout import PAPER
from referee.web.rules.presenter import NEAR, SHOWN
from referee.web.rules.topics import ASKED_MOST, TOPIC_TITLES
from referee.web.server.static_files import YEAR, content_of, content_type, files_in
from referee.web.server.text_files import PARTS, text_of
from referee.web.shared_templates import shared_templates

blueprint = Blueprint("offline", __name__)

WORKER = "js/service-worker.js"
FONTS = (".woff2",)
"""Files fetched ahead by themselves, since they are no text; the browser has them from the first page."""
NOT_AHEAD = (
    *(*FONTS, ".png", ".webp", ".txt", "service-worker.js", "live.js", "live.css", "public.js", "public.css"),
    *("tokens.css", "passing-on.css", "design.css"),
)
"""Files not in that one answer: icons, pictures, what needs a connection, what is part of another style."""
BESIDE_RULEBOOKS = ("lookup", "templates", "help")
"""Documents that every phone takes along, whatever it plays by."""


@blueprint.get("/service-worker.js")
def service_worker() -> ResponseReturnValue:
    """Give the service worker of this version: where what it fetches ahead stands, then how to use it."""
    said = {
        "version": version_here(),
        "root": f"{request.script_root}/",
        "shell": url_for("offline.shell"),
        "files": url_for("offline.files", version=version_here()),
        "ahead": url_for("ahead.matches"),
        "fonts": [url_for("static", filename=name) for name in files_in(STATIC) if name.endswith(FONTS)],
        "books": {id: _address(id) for id in rulebooks()},
    }
    body = f"const referee = {json.dumps(said)};\n" + text_of(files_in(STATIC)[WORKER])
    response = Response(body, content_type="text/javascript; charset=utf-8")
    response.cache_control.no_cache = True
    response.add_etag()
    return response.make_conditional(request)


@blueprint.get("/offline/files/<version>.json")
def files(version: str) -> Response:
    """Give all that a phone fetches ahead in one answer: ``[[address, media type, text]]``; 404 for another version's.

    One answer packs better than thirty, and a phone asks for it once, when its page rests. No rulebook is in it: the
    service worker takes along those that are looked at, and the rules of a match beside its sheet.
    """
    if version != version_here():
        raise NotFound("document")
    taken = [
        [url_for("static", filename=name), content_type(path), content_of(path).decode()]
        for name, path in files_in(STATIC).items()
        if not name.endswith(NOT_AHEAD) and name not in PARTS
    ]
    taken.append([_address("catalogue"), "application/json", _catalogue().decode()])
    taken += [[_address(name), "application/json", _document(name).decode()] for name in BESIDE_RULEBOOKS]
    return lasting(_json(taken), public=True)


def version_here() -> str:
    """Name what a phone fetches ahead by its content: the digest of the static files stands in their addresses."""
    return hashlib.sha256((url_for("static", filename=WORKER) + documents_digest()).encode()).hexdigest()[:12]


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """Say how a phone puts the app on its home screen."""
    icons = [("icon-192.png", "192x192", "any"), ("icon-512.png", "512x512", "any")]
    icons += [("icon-mask-512.png", "512x512", "maskable")]
    said = {
        "name": "Referee: the score sheet for Uno with real cards",
        "short_name": "Referee",
        "start_url": f"{request.script_root}/",
        "scope": f"{request.script_root}/",
        "display": "standalone",
        "background_color": PAPER["light"],
        "theme_color": "#5f2a86",
        "icons": [
            {"src": url_for("static", filename=f"img/{name}"), "sizes": sizes, "type": "image/png", "purpose": purpose}
            for name, sizes, purpose in icons
        ]
        + [{"src": url_for("static", filename="img/icon.svg"), "sizes": "any", "type": "image/svg+xml"}],
    }
    return Response(json.dumps(said), content_type="application/manifest+json")


@blueprint.get("/offline")
def shell() -> str:
    """Show the page that stands in for others without a connection; it names nobody."""
    return render_template("offline/shell.html", catalogue=_address("catalogue"))


@blueprint.get("/offline/<digest>/<name>.json")
def rules_document(digest: str, name: str) -> Response:
    """Give a rulebook with its hearings, or the catalogue of them all; 404 for another version's."""
    if digest != documents_digest() or name not in _names():
        raise NotFound("document")
    return lasting(_catalogue() if name == "catalogue" else _document(name), public=True)


def _address(name: str) -> str:
    return url_for("offline.rules_document", digest=documents_digest(), name=name)


def _names() -> Sequence[str]:
    return ("catalogue", *rulebooks(), *BESIDE_RULEBOOKS)


@lru_cache(maxsize=64)
def _document(name: str) -> bytes:
    """Write a rulebook, the look-up or the templates, each when a phone first asks for it."""
    if name == "lookup":
        return _json({part: found for part, found in index_document().items() if part != "questions"})
    if name == "templates":
        return _json(shared_templates(current_app.jinja_env))
    if name == "help":
        return _json(texts())
    rulebook = rulebooks()[name]
    return written(rulebook, document(rulebook))


def _catalogue() -> bytes:
    listed = [
        {"id": book.id, "title": book.title, "sentence": book.sentence, "address": _address(book.id)}
        for book in rulebooks().values()
    ]
    addresses = {name: _address(name) for name in BESIDE_RULEBOOKS}
    return _json({"rulebooks": listed, **addresses, **_questions()})


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


def written(rulebook: Rulebook, hearings: Mapping[str, Any]) -> bytes:
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
    return _json({**hearings, **told})


def _sorted(settings: Mapping[str, object]) -> Any:
    """Write settings so that equal ones are equal texts."""
    return json.loads(json.dumps(dict(settings), sort_keys=True))


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def lasting(body: bytes, *, public: bool) -> Response:
    """Answer with a document whose address changes with its content."""
    response: Response = current_app.response_class(body, mimetype="application/json")
    if public:
        response.cache_control.public = True
    else:
        response.cache_control.private = True
    response.cache_control.max_age = YEAR
    response.cache_control.immutable = True
    return response
