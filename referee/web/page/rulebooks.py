"""Find the rulebooks that this request may use: the published ones, and its club's own."""

from collections.abc import Mapping

from flask import Response, g

from referee.records.club import own_rulebooks
from referee.records.errors import NotFound
from referee.rules.books import library
from referee.rules.books.rulebook import Rulebook
from referee.rules.own.rulebook import OwnRulebook, write_file
from referee.rules.text.problem import Impossible
from referee.web.server import guards


def available() -> Mapping[str, Rulebook]:
    """Return them by id, in the order they are offered; a club's own are loaded once per request."""
    if not guards.presents_key():
        return library.rulebooks()
    if "rulebooks" not in g:
        g.rulebooks = own_rulebooks.available(guards.records(), _club_id())
    rulebooks: Mapping[str, Rulebook] = g.rulebooks
    return rulebooks


def find_rulebook(id: str) -> Rulebook:
    """Return a rulebook by its id. Raises `Impossible` on ``rulebook``, listing the published ones."""
    if id in library.rulebooks() or not guards.presents_key():
        return library.get_rulebook(id)
    return own_rulebooks.find_rulebook(guards.records(), _club_id(), id)


def find_to_read(id: str) -> Rulebook | None:
    """Return a rulebook to read, also a deleted one of the club, since matches agreed on it; None if unknown."""
    club_id = None if id in library.rulebooks() or not guards.presents_key() else _club_id()
    if club_id is None:
        return library.rulebooks().get(id)
    try:
        return own_rulebooks.rulebook_of(own_rulebooks.get_row(guards.records(), club_id, id, deleted=True))
    except (NotFound, Impossible):
        return None


def title_of(id: str) -> str:
    """Return a rulebook's title, also of a deleted one of the club; the id of an unknown one."""
    published = library.rulebooks().get(id)
    if published is not None:
        return published.title
    if "rulebook_titles" not in g:
        club_id = _club_id() if guards.presents_key() else None
        g.rulebook_titles = own_rulebooks.titles(guards.records(), club_id) if club_id else {}
    return str(g.rulebook_titles.get(id, id))


def _club_id() -> str | None:
    """Return the club whose rulebooks may be read; None without a key, or for a key to one match only."""
    caller = guards.holder()
    return caller[1].id if caller is not None else None


def as_file(own: OwnRulebook) -> Response:
    """Return a response with the rulebook as a TOML file."""
    response = Response(write_file(own), mimetype="application/toml")
    response.headers["Content-Disposition"] = "attachment; filename=rulebook.toml"
    response.headers["Cache-Control"] = "private, no-cache"
    return response
