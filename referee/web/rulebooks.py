"""The rulebooks that this request may choose among: the published ones, and those that its club made itself."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response, g

from referee.records import own_rulebooks
from referee.records.models import KeyRole
from referee.rules import library
from referee.rules.own_files import write_file
from referee.rules.own_rulebook import OwnRulebook
from referee.rules.rulebook import Rulebook
from referee.web.server import guards
from referee.web.server.database import looking


def available() -> Mapping[str, Rulebook]:
    """Give them by id, in the order in which they are offered; a club's own are looked up once a request."""
    if not guards.presents_key():
        return library.rulebooks()
    if "rulebooks" not in g:
        with looking():
            g.rulebooks = own_rulebooks.available(guards.records(), _club_id())
    found: Mapping[str, Rulebook] = g.rulebooks
    return found


def find_rulebook(id: str) -> Rulebook:
    """Find one by its id; raises `Impossible` on ``rulebook``, naming the published ones."""
    if id in library.rulebooks() or not guards.presents_key():
        return library.get_rulebook(id)
    with looking():
        return own_rulebooks.find_rulebook(guards.records(), _club_id(), id)


def _club_id() -> str | None:
    """Name the club whose rulebooks may be read; None for a key that opens one match only, or no club."""
    found = guards.holder()
    if found is None or found[0].role not in (KeyRole.SCOREKEEPER, KeyRole.SPECTATOR) or found[0].match_id:
        return None
    return found[1].id


def as_file(own: OwnRulebook) -> Response:
    """Hand a rulebook out as a TOML file."""
    response = Response(write_file(own), mimetype="application/toml")
    response.headers["Content-Disposition"] = "attachment; filename=rulebook.toml"
    response.headers["Cache-Control"] = "private, no-cache"
    return response
