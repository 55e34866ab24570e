"""Whatever people call themselves, their club, their match and its rules: it is text on every page, and fits."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from flask import Flask
from playwright.sync_api import Dialog, Page
from sqlalchemy import select

from referee.records.access import rename_club
from referee.records.matches import Amendment, amend, change_details
from referee.records.models import Club, Key, KeyRole, Match, Player
from referee.records.names import clean_name
from referee.records.players import change_player
from referee.rules.problem import Impossible
from referee.web.server.extensions import db
from tests.browser.test_every_page import addresses  # noqa: F401  a fixture
from tests.ground.each import check_each
from tests.ground.rounds import record
from tests.ground.server import Server

IMAGE = '"><img src=x onerror=alert(1)>'
SCRIPT = "<script>alert(1)</script>"
Names = tuple[str, str, str, str]
CALM: Names = ("Ada", "Bo", "Cy", "Di")
HOSTILE: Mapping[str, Names] = {
    "markup": (SCRIPT, IMAGE, "</title></main><svg/onload=alert(1)>", "<!--<style>*{display:none}</style>"),
    "languages": ("{{7*7}}", "${7*7}#{7*7}<%=7*7%>{%raw%}", "';--", "x' OR 1=1); DROP TABLE players;--"),
    "letters": (
        "\u200fאדה\u200f dA!",
        "👩🏽\u200d🚀🏳️\u200d🌈🃏",
        "&lt;b&gt;&amp;&#34;",
        "Z\u0351\u0363\u0369algo\u0310\u0488",
    ),
    "width": ("W" * 40, "漢" * 40, "\ufdfd" * 40, "i" * 39 + "W"),
}
"""What four players are called; every name is one that the app takes."""
CSRF_TOKEN = re.compile(r"[\w-]{40,}\.[\w-]{6}\.[\w-]{27}")


def call_everything(app: Flask, match_id: str, before: Names, names: Names, rounds: int) -> None:
    """Give the hostile names to the players, club, keys, match and rules of an evening of so many rounds."""
    one, two, three, four = names
    with app.app_context():
        session = db.session()
        match = session.scalars(select(Match).where(Match.id == match_id)).one()
        club = session.get_one(Club, match.club_id)
        keys = session.scalars(select(Key).where(Key.club_id == club.id)).all()
        for player in session.scalars(select(Player).where(Player.club_id == club.id).order_by(Player.name)):
            change_player(session, club, player, name=names[before.index(player.name)])
        rename_club(session, club, two)
        for key in keys:
            key.name = one
        change_details(session, match, name=three + one[:40], location=four + two[:40], note=f"{one}\n{two * 20}")
        by = next(key for key in keys if key.role == KeyRole.SCOREKEEPER)
        amend(session, match, Amendment(custom_rules=(one, two, three * 3), note=four), by)
        record(session, match, {"went_out": two, "hands": {one: 20, three: 20, four: 20}}, rounds, by)
        session.commit()


def shown(page: Page) -> str:
    """Read what a page shows with everything on it opened, blanks single."""
    page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true })")
    return " ".join(page.inner_text("body").split())


def test_hostile_names_are_text_on_every_page_and_fit(
    page: Page,
    server: Server,
    addresses: list[str],  # noqa: F811
) -> None:
    (match,) = {found[1] for one in addresses if (found := re.fullmatch(r"/matches/([0-9a-z]{16})", one))}
    dialogs: list[str] = []

    def hear(dialog: Dialog) -> None:
        dialogs.append(f"{page.url}: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", hear)
    called, named, before = CALM, addresses, dict[str, str]()

    def check(kind: str) -> None:
        nonlocal called, named, before
        call_everything(server.app, match, called, HOSTILE[kind], 1 + [*HOSTILE].index(kind))
        called = HOSTILE[kind]
        now = walk(page, named, match, called)
        assert not dialogs
        named = [address for address in named if now[address] != before.get(address)]  # the others name nobody
        before = now

    check_each(HOSTILE, check)
    assert f"/matches/{match}" in named
    assert len(named) < len(addresses)


def walk(page: Page, pages: list[str], match: str, names: Names) -> dict[str, str]:
    """Open every page and hold it against the names; give what the server wrote, but for CSRF tokens."""
    wrong, texts, written, drawn = [], dict[str, str](), dict[str, str](), 0
    for address in pages:
        answer = page.goto(address, wait_until="load")
        assert answer is not None
        if answer.status != 200:
            wrong.append(f"{address}: {answer.status}")
        written[address] = CSRF_TOKEN.sub("", answer.text())
        texts[address] = shown(page)
        drawn += page.locator("svg[role=img] text").count()
        width = page.evaluate("() => document.documentElement.scrollWidth")
        if width > 390:
            wrong.append(f"{address}: {width} px wide")
        made = page.locator("img[src='x'], main script, svg[onload], main style, [onerror]").count()
        if made:
            wrong.append(f"{address}: {made} elements out of a name")
    assert drawn, "names stand in a chart, too"
    assert not wrong, "\n".join(wrong)
    one, two, three, four = names
    expected = {
        f"/matches/{match}": (*names, three + one[:40]),
        "/club": (*names,),
        f"/history/matches/{match}": (*names, three + one[:40], four + two[:40], three * 3),
    }
    missing = [
        f"{address}: {text}"
        for address, wanted in expected.items()
        for text in wanted
        if " ".join(text.split()) not in texts[address]
    ]
    assert not missing, "\n".join(missing)
    return written


@pytest.mark.parametrize("turner", ["\u202e", "\u2067", "\u2028", "\x00", "\x1b"], ids=lambda one: f"U+{ord(one):04X}")
def test_what_would_disguise_a_neighbours_name_is_refused(turner: str) -> None:
    with pytest.raises(Impossible, match=f"U\\+{ord(turner):04X}"):
        clean_name(f"Ada{turner}oB")
