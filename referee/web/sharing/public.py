"""What members see of a public page: whether it is on, and the ways to pass it on."""

from __future__ import annotations

from dataclasses import dataclass

from flask import current_app, url_for

from referee.records.links import PublicLink
from referee.web.sharing.ways import Preview, Ways, ways_of


@dataclass(frozen=True)
class PublicView:
    """The switch of a public page; `ways` are there where it is on and its address can be shown."""

    on: bool
    ways: Ways | None


def public_view(found: PublicLink, title: str, text: str) -> PublicView:
    """Show the switch of a page that was looked for; `title` and `text` are what is passed on."""
    if found.token is None:
        return PublicView(found.on, None)
    picture = url_for("public.picture", public_token=found.token, _external=True)
    return PublicView(found.on, ways_of(Preview(title, text, picture, address_of(found.token)), picture))


def address_of(token: str) -> str:
    """Give the address of a public page."""
    return url_for("public.front", public_token=token, _external=True)


def secret() -> str | bytes:
    """Give what the tokens of links are derived from."""
    found: str | bytes = current_app.config["SECRET_KEY"]
    return found
