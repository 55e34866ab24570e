"""What a phone may keep to have it without a connection: whose a page is, and which rules these are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask, Response, current_app, g, request, url_for

from referee.paths import PACKAGE, TEMPLATES
from referee.web.server import guards

if TYPE_CHECKING:
    from referee.records.models import Match
    from referee.records.seating import Seated
    from referee.rules.terms import Terms

HOLDER = "Referee-Holder"
"""Header that tells the service worker whose a page is."""
KEPT = frozenset(
    {
        *("score.index", "score.sheet", "score.match_menu", "score.new_round", "score.edit_round"),
        *("score.new_match", "sharing.share", "disputes.show_ruling", "ahead.matches", "about.privacy"),
    }
)
"""Views whose pages a phone keeps to open them again without a connection; the room of History besides."""
HERE = Path(__file__).parent
SOURCES = (PACKAGE / "rules", TEMPLATES, HERE / "rules", HERE / "offline.py", HERE / "shared_templates.py")
MADE_FROM = (".py", ".toml", ".json", ".html")
"""Files that the documents are made from: those of the rules, and what writes them down."""
DIGEST = "referee.documents"
"""Where an app keeps the name of its documents."""


def init_app(app: Flask) -> None:
    """Say whose each page is, and name the documents by the files that this program was loaded from.

    Whatever is put in the place of these files later is another program's.
    """
    app.after_request(_name_the_holder)
    app.extensions[DIGEST] = digest_of(SOURCES)


def documents_digest() -> str:
    """Name what this app gives phones to take along: with another version's files it has another name."""
    digest: str = current_app.extensions[DIGEST]
    return digest


def digest_of(sources: Iterable[Path]) -> str:
    """Name documents by the files that they are made from, since to write them takes seconds."""
    found = hashlib.sha256()
    for source in sources:
        for file in sorted(source.rglob("*")) if source.is_dir() else (source,):
            if file.suffix in MADE_FROM:
                found.update(f"{file.name} ".encode() + hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()[:12]


def address_of_rules(match: Match, terms: Terms, seats: Sequence[Seated]) -> str:
    """Give the address under which a phone takes along the rules of a match, for those who sit there."""
    return url_for("disputes.match_rules", match_id=match.id, digest=digest_at_table(terms, seats))


def digest_at_table(terms: Terms, seats: Sequence[Seated]) -> str:
    """Tell the hearings of one table from those of another: by its rules and deck, the chairs taken, this version."""
    taken = hashlib.sha256(",".join([terms.deck, *(str(seat.seat) for seat in seats)]).encode()).hexdigest()
    return terms.rulebook.digest[:12] + taken[:8] + documents_digest()


def _name_the_holder(response: Response) -> Response:
    """Say whose page this is, where a phone may keep it; nobody can tell the key from it."""
    if "holder" in g and request.method == "GET" and response.status_code == 200 and _may_be_cached(response):
        found = guards.holder()
        who = f"{found[0].club_id}/{found[0].id}" if found else "nobody"
        response.headers[HOLDER] = hashlib.sha256(who.encode()).hexdigest()[:16]
    return response


def _may_be_cached(response: Response) -> bool:
    endpoint = request.endpoint or ""
    return endpoint in KEPT or (endpoint.startswith("history.") and response.mimetype == "text/html")
