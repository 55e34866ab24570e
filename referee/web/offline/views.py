"""Serve the service worker: its script, the manifest, files, documents and pages to cache."""

import hashlib
import json

from flask import Blueprint, Response, jsonify, render_template, request, url_for
from flask.typing import ResponseReturnValue

from referee.records.errors import NotFound
from referee.records.match.agreements import terms_at
from referee.records.match.dealing import load_playing
from referee.rules.books.library import rulebooks
from referee.rules.text.words import language
from referee.web.offline import documents
from referee.web.offline.saved_pages import pages_of
from referee.web.page.layout import PAPER
from referee.web.server import guards
from referee.web.server.static_files import (
    FILES,
    WORDS,
    content_of,
    content_type,
    digest_at_table,
    lasting,
    version,
    words_of,
)
from referee.web.server.static_files import address_of as static_address

blueprint = Blueprint("offline", __name__)

WORKER = "js/service-worker.js"
FONTS = (".woff2",)
"""Files fetched ahead by themselves, since they are no text; the browser has them from the first page."""
NOT_AHEAD = (
    *FONTS, ".png", ".webp", ".txt", "service-worker.js", "live.js", "live.css", "public.js", "public.css",
    "js/floor.js", "js/me.js", "js/screen.js", "js/table.js",
    "season.css", "evening.css", "screen.css", "tables.css",
)  # fmt: skip
"""Files not in that one answer: icons, pictures, and what needs a connection."""


@blueprint.get("/service-worker.js")
def service_worker() -> ResponseReturnValue:
    """Return the service worker of this version: where what it fetches ahead stands, then how to use it."""
    setup = {
        "version": version_here(),
        "root": f"{request.script_root}/",
        "shell": url_for("offline.shell", lang=language().code),
        "files": url_for("offline.files", version=version_here(), lang=language().code),
        "ahead": url_for("offline.matches"),
        "fonts": [static_address(name) for name in FILES if name.endswith(FONTS)],
        "books": {id: documents.address_of(id) for id in rulebooks()},
    }
    body = f"const referee = {json.dumps(setup)};\n" + content_of(FILES[WORKER]).decode()
    response = Response(body, content_type="text/javascript; charset=utf-8")
    response.cache_control.no_cache = True
    response.add_etag()
    return response.make_conditional(request)


@blueprint.get("/offline/files/<version>.json")
def files(version: str) -> Response:
    """Return all that a phone fetches ahead at once: ``[[address, media type, text]]``; 404 for another version's.

    One answer packs better than thirty, and a phone asks for it once, when its page rests. No rulebook is in it: the
    service worker takes along those that are looked at, and the rules of a match beside its sheet.
    """
    if version != version_here():
        raise NotFound("document")
    texts = {name: content_of(path).decode() for name, path in FILES.items() if not name.endswith(NOT_AHEAD)}
    texts |= {name: words_of(code).decode() for name, code in WORDS.items() if code == language().code}
    taken = [[static_address(name), content_type(name), text] for name, text in texts.items()]
    listed = ("catalogue", *documents.BESIDE_RULEBOOKS)
    taken += [[documents.address_of(name), "application/json", documents.document_of(name).decode()] for name in listed]
    return lasting(documents.to_json(taken), "application/json")


def version_here() -> str:
    """Return a digest of what a phone fetches ahead: the digest of the static files stands in their addresses."""
    return hashlib.sha256((static_address(WORKER) + version()).encode()).hexdigest()[:12]


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return how a phone puts the app on its home screen."""
    text = render_template("offline/manifest.json", root=f"{request.script_root}/", ground=PAPER["light"])
    return Response(text, content_type="application/manifest+json")


@blueprint.get("/offline")
def shell() -> str:
    """Show the page that stands in for others without a connection; it names nobody."""
    return render_template("offline/shell.html", catalogue=documents.address_of("catalogue"))


@blueprint.get("/offline/<digest>/<name>.json")
def rules_document(digest: str, name: str) -> Response:
    """Return a rulebook with its hearings, or the catalogue of them all; 404 for another version's."""
    if digest != version() or name not in documents.names():
        raise NotFound("document")
    return lasting(documents.document_of(name), "application/json")


@blueprint.get("/matches/<match_id>/offline/<digest>.json")
def match_rules(match_id: str, digest: str) -> Response:
    """Return the rulebook of a match as agreed, house rules in force, with its hearings by name; 401, 403, 404."""
    match = guards.get_match(match_id)
    terms = terms_at(guards.records(), match)
    seats = load_playing(guards.records(), match).here
    if digest != digest_at_table(terms, seats):
        raise NotFound("document")
    document = documents.write_rulebook(terms.rulebook, documents.hearings(terms, seats))
    return lasting(document, "application/json", public=False)


@blueprint.get("/offline/matches.json")
def matches() -> Response:
    """Return ``{"states": [what a phone has now], "pages": [[address, HTML]]}`` of the last matches; 401, 403."""
    club = guards.get_club()
    have = set(request.args.get("have", "")[:2_000].split())
    states, pages = pages_of(club, version_here(), have, may_write=guards.may_write())
    response = jsonify(states=states, pages=pages)
    response.headers["Cache-Control"] = "private, no-store"
    return response
