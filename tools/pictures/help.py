"""Take the pictures of the Play pages and the tour: the demo club on a server of its own, photographed by Chromium.

Run ``python3 -m tools.pictures.help`` after what they show has changed, with names to take only some, or with
languages (``sheet hand-pad de``), and look at them in ``static/help``: the English ones there, others in a folder each.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from flask import Flask
from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import Browser, BrowserContext, Page, expect

from referee import create_app
from referee.paths import STATIC
from referee.records.demo.sample import found_demo
from referee.rules.text.words import ENGLISH, language, languages, speaking
from referee.web.server.database import db
from referee.web.server.guards import SESSION_KEYS
from tests.ground.browser import PHONE, running_browser
from tests.ground.client import Client
from tests.ground.server import running_server
from tools.pictures.states import SESSION

PICTURES = STATIC / "help"
LANGUAGES = [code for code, one in languages().items() if one.whole]
PIXELS = 1.5
"""Pixels of a picture for one of the page."""
HEAVIEST = 30_000
"""Bytes a picture may weigh."""
METHODS = (Image.Quantize.MAXCOVERAGE, Image.Quantize.MEDIANCUT)
COLORS = (96, 64, 48, 32, 24, 16)
EVENING = datetime(2026, 11, 21, 21, 30, tzinfo=UTC)
"""When the season ends, so that the pictures say the same whenever they are taken."""
TELEVISION = {"viewport": {"width": 1280, "height": 720}, "device_scale_factor": 0.75, "service_workers": "block"}
STACKING = {ENGLISH: "stack +2", "de": "+2 stapeln", "nl": "+2 stapelen", "es": "acumular +2"}
CHALLENGE = "disputes/draw-four-challenge?as-offender=1&as-target=2"


class Studio:
    """The demo club on a running server, and the pages that look at it."""

    def __init__(self, browser: Browser, app: Flask, url: str) -> None:
        self.browser, self.url = browser, url
        with app.app_context():
            demo = found_demo(db.engine, lasts=None, until=EVENING)
        app.test_client_class = Client
        keeper = app.test_client()
        assert isinstance(keeper, Client)
        with keeper.session_transaction() as session:
            session[SESSION_KEYS] = [demo.token]
        cookie = keeper.get_cookie(SESSION)
        assert cookie is not None
        self.cookie = cookie.value
        headers = {"Authorization": f"Bearer {demo.token}"}
        listed = app.test_client().get("/api/v1/matches", headers=headers).get_json()["matches"]
        self.sheet = f"/matches/{next(one['id'] for one in listed if one['status'] == 'in-progress')}"
        won = (one["id"] for one in listed if one["rulebook"] == "classic-500" and one["winners"])
        self.ended = f"/matches/{next(won)}"
        people = app.test_client().get("/api/v1/players", headers=headers).get_json()["players"]
        self.ada = f"/history/players/{next(one['id'] for one in people if one['name'] == 'Ada')}"
        self.contexts: list[BrowserContext] = []
        self.code = ""

    def page(self, *, stranger: bool = False, **options: object) -> Page:
        """Open a page in a browser of its own, that of a scorekeeper or of a stranger."""
        usual = PHONE | {"device_scale_factor": PIXELS, "reduced_motion": "reduce", "base_url": self.url}
        usual["locale"] = language().code
        context = self.browser.new_context(**(usual | options))
        self.contexts.append(context)
        if not stranger:
            context.add_cookies([{"name": SESSION, "value": self.cookie, "url": self.url}])
        return context.new_page()

    def close(self) -> None:
        """Close every page."""
        for context in self.contexts:
            context.close()
        self.contexts.clear()


def _new_match(studio: Studio) -> Page:
    page = studio.page()
    page.goto("/matches/new")
    for name in ("Ada", "Bo", "Cy", "Di"):
        page.tap(f"[data-known] [data-name='{name}']")
    return page


def _rule_card(studio: Studio) -> Page:
    page = _new_match(studio)
    page.tap(".foot [value='agree']")
    page.wait_for_selector(".rule-card")
    return page


def _at(address: str, *taps: str, shows: str = "main") -> Callable[[Studio], Page]:
    """Open an address, tap, and wait for what shall be seen."""

    def open_it(studio: Studio) -> Page:
        page = studio.page()
        stacking = quote(STACKING[language().code])
        page.goto(address.format(sheet=studio.sheet, ended=studio.ended, ada=studio.ada, stacking=stacking))
        for selector in taps:
            page.tap(selector)
        page.wait_for_selector(shows)
        return page

    return open_it


def _lay(page: Page, *faces: str) -> None:
    for face in faces:
        page.tap(f"[data-face='{face}']:visible")


def _hand_pad(studio: Studio) -> Page:
    page = _at("{sheet}", ".standing:has-text('Ada')")(studio)
    page.wait_for_selector("[data-pad]:not([hidden])")
    _lay(page, "7", "skip", "wild")
    return page


def _correcting(studio: Studio) -> Page:
    page = _at("{sheet}")(studio)
    page.goto(str(page.locator("#rounds-title ~ * a").first.get_attribute("href")))
    page.locator("#history-title").scroll_into_view_if_needed()
    page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    return page


def _hands(studio: Studio) -> Page:
    page = _at("{sheet}/hands")(studio)
    if page.locator(".empty-room form .primary").count():
        page.tap(".empty-room form .primary")
    studio.code = str(page.locator(".link a").get_attribute("href"))
    return page


def _own_hand(studio: Studio) -> Page:
    keeper = _hands(studio)
    page = studio.page(stranger=True)
    page.goto(studio.code)
    page.tap("text=Bo")
    page.wait_for_url("**/hand")
    keeper.tap("[name='went_out']")
    page.reload()
    _lay(page, "7", "skip")
    return page


def _television(studio: Studio) -> Page:
    keeper = _at("{sheet}/invite", "form[action$='/board'] button")(studio)
    page = studio.page(stranger=True, **TELEVISION, is_mobile=False, has_touch=False)
    page.goto(str(keeper.locator("#board-link").get_attribute("href")))
    return page


def _many_tables(studio: Studio) -> Page:
    page = studio.page()
    page.goto("/evenings/new")
    for name in page.locator("[name='people']").all()[:4]:
        name.check()
    page.fill("#names", "Ida\nJon\nKim\nLou\nMax\nNia\nOtto\nPia")
    page.tap("main .foot .primary")
    page.tap("#how > summary")
    page.fill("#number", "7")
    page.tap("#draw .primary")
    page.wait_for_selector(".table-card")
    page.evaluate("() => document.querySelector('#messages').replaceChildren()")
    return page


def _offline(studio: Studio) -> Page:
    page = studio.page(service_workers="allow")
    page.goto(studio.sheet)
    page.wait_for_function("() => navigator.serviceWorker.controller !== null", timeout=120_000)
    page.reload()
    page.context.set_offline(True)
    page.tap(".standing:has-text('Bo')")
    _lay(page, "7")
    for _ in range(2):
        page.tap("[data-next]:not([data-resting])")
        _lay(page, "3")
    page.tap("[data-next]:not([data-resting])")
    expect(page.locator("#outbox")).to_be_visible()
    page.evaluate("() => scrollTo(0, 0)")
    return page


PAGES: dict[str, Callable[[Studio], Page]] = {
    "new-match": _new_match,
    "rule-card": _rule_card,
    "sheet": _at("{sheet}"),
    "hand-pad": _hand_pad,
    "winner": _at("{ended}"),
    "correcting": _correcting,
    "hands": _hands,
    "own-hand": _own_hand,
    "television": _television,
    "many-tables": _many_tables,
    "disputes": _at("{sheet}/disputes"),
    "question": _at("{sheet}/" + CHALLENGE),
    "ruling": _at("{sheet}/" + CHALLENGE + "&challenged=yes&challenger=target&held_color=yes"),
    "rules": _at("/rules?q={stacking}"),
    "own-rulebook": _at("/rules/own/new"),
    "offline": _offline,
    "invitation": _at("/club", "button[value='scorekeeper']", shows=".qr"),
    "recovery": _at("/club/recovery", "main form .primary", shows=".qr"),
    "player": _at("{ada}"),
    "deleting": _at("{ended}/delete"),
    "share": _at("{ended}/share"),
    "story": _at("/history{ended}"),
}
"""What is photographed, by the picture's name; in this order, since some pages change what others show."""
TOUR = "story"
"""The picture that only the tour shows, which is in English."""


def shrink(picture: bytes) -> bytes:
    """Pack a screenshot as WebP without loss, with as many colors as its weight allows: letters stay sharp."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    for colors in COLORS:
        drawn = [image.quantize(colors, method=one, dither=Image.Dither.NONE).convert("RGB") for one in METHODS]
        packed = io.BytesIO()
        nearest = min(drawn, key=lambda few: sum(ImageStat.Stat(ImageChops.difference(image, few)).sum2))
        nearest.save(packed, "WEBP", lossless=True, quality=100, method=6)
        if packed.tell() <= HEAVIEST:
            return packed.getvalue()
    raise AssertionError(f"a picture stays above {HEAVIEST} bytes")


def folder_of(code: str) -> Path:
    """Return where the pictures of a language are."""
    return PICTURES if code == ENGLISH else PICTURES / code


def take(browser: Browser, code: str, names: Sequence[str]) -> None:
    """Take pictures in a language, of a club that speaks it."""
    with TemporaryDirectory() as folder, speaking(code):
        settings = {"SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder}/referee.db", "RATELIMIT_ENABLED": False}
        app = create_app({"INSTANCE": Path(folder), **settings})
        folder_of(code).mkdir(exist_ok=True)
        with running_server(app) as server:
            at_home = server.url.replace("127.0.0.1", "referee.localhost")  # this computer alone gets no code
            studio = Studio(browser, app, at_home)
            for name in names:
                page = PAGES[name](studio)
                (folder_of(code) / f"{name}.webp").write_bytes(shrink(page.screenshot(animations="disabled")))
                studio.close()


def main(asked: Sequence[str]) -> None:
    """Take the pictures named in the languages named, or all in all."""
    names = [name for name in PAGES if name in asked] or list(PAGES)
    with running_browser() as browser:
        for code in [code for code in LANGUAGES if code in asked] or LANGUAGES:
            take(browser, code, [name for name in names if code == ENGLISH or name != TOUR])


if __name__ == "__main__":
    main(sys.argv[1:])
