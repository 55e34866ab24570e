"""Whatever people call themselves, their club, their match and its rules: it is text on every page, and fits."""

import re
from collections.abc import Mapping
from datetime import date
from urllib.parse import urlsplit

import pytest
from flask import Flask
from playwright.sync_api import Dialog, Page
from sqlalchemy import select

from referee.records.club import links
from referee.records.club.access import rename_club
from referee.records.club.players import change_player
from referee.records.evening.drawing import draft_draw, write_draw
from referee.records.evening.evenings import EveningPlan, open_evening
from referee.records.match.matches import amend, change_details
from referee.records.match.rulings import Case
from referee.records.models import Club, Key, KeyRole, Match, Player
from referee.records.names import clean_name
from referee.records.season import seasons
from referee.records.season.seasons import SeasonDraft
from referee.rules.text.problem import Impossible
from referee.web.server.database import db
from tests.browser.table import Table
from tests.browser.test_every_page import NO_PAGES
from tests.ground.each import check_each
from tests.ground.rounds import give_ruling, record
from tests.ground.server import Server

IMAGE = '"><img src=x onerror=alert(1)>'
SCRIPT = "<script>alert(1)</script>"
Names = tuple[str, str, str, str]
ZALGO = "Z\u0351\u0363\u0369algo\u0310\u0488"
CALM: Names = ("Ada", "Bo", "Cy", "Di")
HOSTILE: Mapping[str, Names] = {
    "markup": (SCRIPT, IMAGE, "</title></main><svg/onload=alert(1)>", "<!--<style>*{display:none}</style>"),
    "languages": ("{{7*7}}", "${7*7}#{7*7}<%=7*7%>{%raw%}", "';--", "x' OR 1=1); DROP TABLE players;--"),
    "letters": ("\u200fאדה\u200f dA!", "👩🏽\u200d🚀🏳️\u200d🌈🃏", "&lt;b&gt;&amp;&#34;", ZALGO),
    "width": ("W" * 40, "漢" * 40, "\ufdfd" * 40, "i" * 39 + "W"),
}
"""What four players are called; every name is one that the app takes."""
CSRF_TOKEN = re.compile(r"[\w-]{40,}\.[\w-]{6}\.[\w-]{27}")


def pages_of(app: Flask, values: dict[str, str]) -> list[str]:
    """List the addresses of all pages that can be opened; an unknown part of an address fails."""
    found = []
    with app.test_request_context():
        for rule in app.url_map.iter_rules():
            if "GET" not in (rule.methods or ()) or NO_PAGES.search(rule.rule):
                continue
            if rule.endpoint == "tables.mine":  # only leads a table's phone on
                continue
            missing = rule.arguments - values.keys()
            assert not missing, f"say in this test what {missing} of {rule.rule} may be, so that its page is looked at"
            wanted = {name: values[name] for name in rule.arguments}
            found.append(str(app.url_map.bind("localhost").build(rule.endpoint, wanted)))
    return sorted(set(found))


def give_ruling_at(app: Flask, match_id: str) -> str:
    """Give a ruling at the only match there is, and return its id."""
    with app.app_context():
        session = db.session()
        match = session.scalars(select(Match).where(Match.id == match_id)).one()
        key = session.scalars(select(Key).where(Key.club_id == match.club_id, Key.role == KeyRole.SCOREKEEPER)).one()
        ruling = give_ruling(session, match, Case("draw-pile-empty", {}), key)
        session.commit()
        return ruling.id


def open_season_and_evening(app: Flask, match_id: str) -> dict[str, str]:
    """Count the match in a season, and draw its players to the tables of an evening."""
    with app.app_context():
        session, secret = db.session(), app.config["SECRET_KEY"]
        match = session.scalars(select(Match).where(Match.id == match_id)).one()
        club = session.get_one(Club, match.club_id)
        key = session.scalars(select(Key).where(Key.club_id == club.id, Key.role == KeyRole.SCOREKEEPER)).one()
        season = seasons.create(session, club, SeasonDraft("Season", date(2020, 1, 1)), key)
        names = session.scalars(select(Player.name).where(Player.club_id == club.id)).all()
        evening = open_evening(session, club, EveningPlan(rulebook="classic-500", size=2), key, names=names)
        write_draw(session, club, draft_draw(session, club, evening, seen=0, unfinished={}), key)
        links.open_tables(session, club, evening, [1], secret, key)
        tokens = {
            "screen_token": links.open_screen(session, club, evening, secret, key),
            "evening_token": links.find_tables(session, evening, secret)[1],
        }
        session.commit()
        return {"season_id": season.id, "evening_id": evening.id, **tokens}


@pytest.fixture
def addresses(server: Server, page: Page) -> list[str]:
    """Play a round, so that there is something on every page."""
    table = Table(page)
    match = urlsplit(table.begin()).path.rpartition("/")[2]
    table.round("Ada", ("7", "skip", "wild"), ("3", "9"), ("draw-two",))
    round_id = (page.locator(".rounds a").first.get_attribute("href") or "").rpartition("/")[2]
    page.goto("/club")
    player_id = (page.locator("a[href^='/club/players/']").first.get_attribute("href") or "").rpartition("/")[2]
    page.tap("text=Invite a spectator")
    link = page.locator("main a[href*='/join/']").get_attribute("href") or ""
    page.goto(f"/matches/{match}/invite")
    page.tap("text=Open live board")
    board = page.locator("#board-link").get_attribute("href") or ""
    page.goto(f"/matches/{match}/hands")
    page.tap("text=Show QR code")
    code = page.locator(".link a").get_attribute("href") or ""
    page.goto(code)
    page.tap(".seat-button:has-text('Bo')")
    page.wait_for_selector("#hand")
    page.goto("/rules/own/new")
    page.tap("text=Save rulebook")
    page.wait_for_url("**/rules/own/0*")
    own_id = urlsplit(page.url).path.rpartition("/")[2]
    page.tap("text=Make a link")
    shared = page.locator("#own-link").get_attribute("href") or ""
    page.goto("/club?opened=public")
    page.tap("text=Make a public page")
    public = page.locator("#public-link").get_attribute("value") or ""
    values = {
        "task": "first-match", "spoken": "de", "public_token": public.rpartition("/")[2], "own_id": own_id,
        "club_id": "0" * 16, "share_token": shared.rpartition("/")[2], "match_id": match, "round_id": round_id,
        "player_id": player_id, "token": link.rpartition("/")[2], "table_token": code.rpartition("/")[2],
        "board_token": board.rpartition("/")[2], "rulebook_id": "classic-500", "topic_id": "draw-four",
        "clause_id": "challenge-guilty", "dispute_id": "draw-four-challenge", "clause": "challenge-guilty-after",
        "ruling_id": give_ruling_at(server.app, match), **open_season_and_evening(server.app, match),
    }  # fmt: skip
    return pages_of(server.app, values)


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
        rename_club(session, club, two, club.language)
        for key in keys:
            key.name = one
        session.refresh(match)  # whose state its players’ names have moved
        change_details(session, match, name=three + one[:40], location=four + two[:40], note=f"{one}\n{two * 20}")
        by = next(key for key in keys if key.role == KeyRole.SCOREKEEPER)
        amend(session, match, {"custom_rules": (one, two, three * 3)}, by, note=four)
        record(session, match, {"went_out": two, "hands": {one: 20, three: 20, four: 20}}, rounds, by)
        session.commit()


def shown(page: Page) -> str:
    """Read what a page shows with everything on it opened, blanks single."""
    page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true })")
    return " ".join(page.inner_text("body").split())


@pytest.mark.promise("security#script-in-names")
def test_hostile_names_are_text_on_every_page_and_fit(page: Page, server: Server, addresses: list[str]) -> None:
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


CUT = """(parts) => [...document.querySelectorAll(parts)].filter((one) => one.offsetWidth).flatMap((one) => {
    const { fontWeight, fontSize, fontFamily, overflowY } = getComputedStyle(one);
    if (overflowY === 'visible') return [];
    const pen = Object.assign(document.createElement('canvas').getContext('2d'),
                              { font: `${fontWeight} ${fontSize} ${fontFamily}` });
    const foot = document.createElement('span');
    foot.style.display = 'inline-block';
    one.prepend(foot);
    const base = foot.getBoundingClientRect().bottom;
    foot.remove();
    const above = one.getBoundingClientRect().top - (base - pen.measureText(one.textContent).actualBoundingBoxAscent);
    return above > 0.5 ? [`${one.className || one.parentElement.className}: ${one.textContent} by ${above}`] : [];
})"""
"""Which texts of these parts lose ink above the place that shows them."""


def test_no_capital_loses_its_accent(page: Page) -> None:
    table = Table(page)
    sheet = table.begin(("Åsa", "Šárka", "Ümit", "Ősz"))
    parts = ".name, h1, .people bdi, .rounds thead bdi, .sum h2, .players bdi"
    assert not page.evaluate(CUT, parts)
    table.tap(".standing:has-text('Åsa')")
    assert not page.evaluate(CUT, parts)
    for path in (f"{sheet}/disputes/draw-four-challenge", "/", "/history/", "/history/players", "/evenings/new"):
        page.goto(path)
        assert not page.evaluate(CUT, parts), path


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_a_long_name_keeps_off_its_figures_in_the_list_of_players(page: Page, width: int) -> None:
    table = Table(page)
    table.begin(("W" * 32, "i" * 32), target="20")
    table.round("W" * 32, ("wild",))
    table.expect_saved()
    page.set_viewport_size({"width": width, "height": 844})
    page.goto("/history/players")
    page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    gaps = page.evaluate(
        """() => [...document.querySelectorAll('.ranking tbody th')].map((cell) => {
            const figure = document.createRange();
            figure.selectNodeContents(cell.parentElement.querySelector('td:nth-of-type(3)'));
            const name = cell.querySelector('.name').getBoundingClientRect(), it = figure.getBoundingClientRect();
            return it.top >= name.bottom ? 99 : it.left - name.right;
        })"""
    )
    assert len(gaps) == 2
    assert min(gaps) >= 8, gaps


@pytest.mark.parametrize(
    ("width", "percent", "size"), [(390, 100, 96), (320, 100, 77), (390, 200, 85), (1280, 100, 120)]
)
@pytest.mark.parametrize("totals", [("379", "−81"), ("1,379", "−1,204")], ids=str)
def test_the_totals_of_two_are_read_across_the_table_and_touch_nothing(
    page: Page, width: int, percent: int, size: int, totals: tuple[str, str]
) -> None:
    Table(page).begin(("Maximiliane-Theresia von Hohenstein", "W" * 32))
    page.set_viewport_size({"width": width, "height": 844})
    sizes, touching, wide = page.evaluate(
        """([totals, percent]) => {
            document.documentElement.style.setProperty('font-size', `${percent}%`);
            const lines = [...document.querySelectorAll('.standing')];
            const boxes = lines.flatMap((line, at) => {
                line.querySelector('.total').textContent = totals[at];
                line.querySelector('.gain').textContent = '+1,020';
                return [...line.querySelectorAll('.rank, .name, .mark, .gain, .total')];
            }).map((one) => [one.textContent, one.getBoundingClientRect()]);
            const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 4 && b.top < a.bottom - 4;
            return [lines.map((line) => parseFloat(getComputedStyle(line.querySelector('.total')).fontSize)),
                    boxes.flatMap(([said, a], at) =>
                        boxes.slice(at + 1).filter(([, b]) => meet(a, b)).map(([other]) => [said, other])),
                    document.documentElement.scrollWidth];
        }""",
        [totals, percent],
    )
    assert min(sizes) >= size
    assert touching == []
    assert wide <= width
