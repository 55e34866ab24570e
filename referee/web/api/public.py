"""Public pages: switched on and off, and where they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.records import links
from referee.records.access import lock_club
from referee.records.models import Club, Match
from referee.web.api.endpoint import Answer, Resource, respond
from referee.web.server import guards
from referee.web.server.extensions import db
from referee.web.sharing.public import public_view, secret

resource = Resource("public")


class PublicDocument(Answer):
    """A public page: whether it is on, its address, and that of its picture.

    Addresses are null while it is off, and where its link was made under an older secret key of the server.
    """

    on: bool
    url: str | None
    picture: str | None


@resource.endpoint("GET", "/matches/<match_id>/public", access="reader", answer=PublicDocument)
def match_page(match_id: str) -> Mapping[str, Any]:
    """Tell whether a match has a public page, and where."""
    match = guards.get_match(match_id)
    return _document(_club(match), match)


@resource.endpoint("PUT", "/matches/<match_id>/public", access="scorekeeper", answer=PublicDocument)
def open_match_page(match_id: str) -> Mapping[str, Any]:
    """Switch the public page of a match on; one that is on stays where it is."""
    lock_club(guards.records(), guards.get_key(write=True).club_id)
    match = guards.get_match(match_id, write=True)
    return _open(_club(match), match)


@resource.endpoint("DELETE", "/matches/<match_id>/public", access="scorekeeper", status=204)
def close_match_page(match_id: str) -> Any:
    """Switch the public page of a match off at once; the next one has another address."""
    lock_club(guards.records(), guards.get_key(write=True).club_id)
    match = guards.get_match(match_id, write=True)
    return _close(_club(match), match)


@resource.endpoint("GET", "/club/public", access="reader", answer=PublicDocument)
def club_page() -> Mapping[str, Any]:
    """Tell whether the club has a public page, and where."""
    return _document(guards.get_club(), None)


@resource.endpoint("PUT", "/club/public", access="scorekeeper", answer=PublicDocument)
def open_club_page() -> Mapping[str, Any]:
    """Switch the club's public page on; one that is on stays where it is."""
    return _open(guards.get_club(write=True), None)


@resource.endpoint("DELETE", "/club/public", access="scorekeeper", status=204)
def close_club_page() -> Any:
    """Switch the club's public page off at once; the next one has another address."""
    return _close(guards.get_club(write=True), None)


def _club(match: Match) -> Club:
    """Give the club of a match that this request may see, by a key of the club or of the match alone."""
    found = guards.holder()
    assert found is not None
    assert found[1].id == match.club_id
    return found[1]


def _open(club: Club, match: Match | None) -> Mapping[str, Any]:
    links.open_public(guards.records(), club, match, secret(), guards.get_key())
    document = _document(club, match)
    db.session.commit()
    return document


def _close(club: Club, match: Match | None) -> Any:
    links.close_public(guards.records(), club, match)
    db.session.commit()
    return respond(None, 204)


def _document(club: Club, match: Match | None) -> dict[str, Any]:
    view = public_view(links.find_public(guards.records(), club, match, secret()), "", "")
    ways = view.ways
    return {"on": view.on, "url": ways.address if ways else None, "picture": ways.picture if ways else None}
