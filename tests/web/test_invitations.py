"""A one-time link brings a phone in: it shows whose club it is, works once, and tells strangers nothing."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from playwright.sync_api import Page

from referee.records.club import access
from referee.records.models import KeyRole
from referee.web.club.views import path_of
from referee.web.server.database import db
from tests.ground.client import Client, browser_of
from tests.ground.server import Server


def invite(app: Flask, role: KeyRole = KeyRole.SCOREKEEPER, club: str = "Ada & friends", minutes: int = 15) -> str:
    """Found a club, invite into it, and return the path."""
    with app.app_context():
        founded = access.create_club(db.session(), club)
        token = access.invite(db.session(), founded.club, role, lifetime=timedelta(minutes=minutes))
        db.session.commit()
    return path_of(token)


@pytest.mark.parametrize(
    ("role", "words"), [(KeyRole.SCOREKEEPER, "keep score"), (KeyRole.SPECTATOR, "follow the score")]
)
def test_the_link_shows_whose_club_it_is_and_what_the_phone_may_do(
    app: Flask, client: Client, role: KeyRole, words: str
) -> None:
    page = client.get(invite(app, role)).text
    assert "Ada &amp; friends" in page
    assert words in page


@pytest.mark.promise("security#one-phone")
def test_opening_uses_nothing_up_and_accepting_does(app: Flask, client: Client) -> None:
    path = invite(app)
    for _ in range(3):  # as messengers do, to draw a preview
        assert client.get(path).status_code == 200
    assert client.submit(path, {"name": "Bo's phone"}, page=path).status_code == 303
    assert client.get("/club").status_code == 200
    assert "Bo&#39;s phone" in client.get("/club").text
    assert client.get(path).status_code == 410
    other = browser_of(app)
    assert other.submit(path, {"name": ""}).status_code == 410
    assert other.get("/club").status_code == 401


def test_the_name_may_stay_empty(app: Flask, client: Client) -> None:
    path = invite(app)
    assert client.submit(path, {}, page=path).status_code == 303


@pytest.mark.parametrize("name", ["x" * 1000, "a\x00b", "a\nb"])
def test_a_bad_name_stays_in_the_field_and_the_link_stays_good(app: Flask, client: Client, name: str) -> None:
    path = invite(app)
    answer = client.submit(path, {"name": name}, page=path, status=422)
    assert 'id="name-error"' in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert client.get("/club").status_code == 401
    assert client.submit(path, {"name": "Bo"}, page=path).status_code == 303


@pytest.mark.promise("security#one-phone")
def test_an_old_link_says_so(app: Flask, client: Client) -> None:
    assert "expired" in client.get(invite(app, minutes=-1), status=410).text


def test_a_phone_comes_in_by_a_tap(app: Flask, page: Page, server: Server, axe: Callable[[Page], None]) -> None:
    page.goto(invite(app, club="Tuesday"))
    axe(page)
    page.get_by_label("Whose phone is this?").fill("Cy's phone")
    page.get_by_role("button", name="Join").click()
    page.wait_for_url(f"{server.url}/")
    page.goto("/club")
    assert page.get_by_text("Cy's phone").count() == 1
