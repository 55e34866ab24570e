"""Take pictures of every page in every state: five widths, dark and light, and contact sheets of many at once.

Run ``python3 -m tools.pictures.pages`` and look at ``pictures/``, which git ignores. Narrower, and so faster:
``--only sheet --only pad --width 390 --look dark``. Pictures stand in ``pictures/390-dark/sheet.png``, the contact
sheets in ``pictures/390-dark-1.png`` and so on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as BrowserError

from referee import create_app
from referee.paths import CHECKOUT
from tests.ground.browser import running_browser
from tests.ground.server import running_server
from tools.pictures.sample import Season, furnish
from tools.pictures.states import STATES, State, viewing

FOLDER = CHECKOUT / "pictures"
HEIGHTS = {320: 640, 390: 844, 768: 1024, 1280: 800, 1920: 1080}
"""The screens, width and height."""
WIDEST_PHONE = 500
COVERING = "[data-open], main > .board, .standing-alone"
"""What fills the screen, whichever it is."""
MOST_SCREENS = 3
"""How many screens of a long page a picture shows."""
ACROSS = {320: 10, 390: 9, 768: 6, 1280: 4, 1920: 3}
"""Pictures beside each other on a contact sheet."""
ROWS = 2
THUMB = 1800
"""Pixels across a contact sheet."""

Look = Callable[[Page], object]
LARGE_TEXT = "() => document.documentElement.style.setProperty('font-size', '200%')"
LOOKS: dict[str, Look] = {
    "light": lambda page: page.emulate_media(color_scheme="light", forced_colors="none"),
    "dark": lambda page: page.emulate_media(color_scheme="dark", forced_colors="none"),
    "black": lambda page: page.evaluate("() => { document.documentElement.dataset.theme = 'black'; }"),
    "forced": lambda page: page.emulate_media(color_scheme="light", forced_colors="active"),
    "large": lambda page: page.evaluate(LARGE_TEXT),
}
USUAL = ("light", "dark")


def main(argv: Sequence[str] | None = None) -> int:
    """Take the pictures that the command line asks for; 1 if a state could not be opened."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.pictures.pages", description=__doc__)
    parser.add_argument("--only", action="append", metavar="PART", help="states whose name holds this; may be repeated")
    parser.add_argument("--width", action="append", type=int, choices=HEIGHTS, help="default: all")
    parser.add_argument("--look", action="append", choices=LOOKS, help="default: light and dark")
    parser.add_argument("--screen", action="store_true", help="the first screen alone, as people see it")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args(argv)
    states = [state for state in STATES if any(part in state.name for part in options.only or [""])]
    begun = monotonic()
    with TemporaryDirectory() as place, running_browser() as browser:
        settings = {"SQLALCHEMY_DATABASE_URI": f"sqlite:///{place}/referee.db", "RATELIMIT_ENABLED": False}
        app = create_app({"INSTANCE": Path(place), **settings})
        season = furnish(app)
        with running_server(app) as server:
            shoot = _Shooting(browser, server.url, season, options.folder, whole=not options.screen)
            for width in options.width or HEIGHTS:
                shoot.at(width, options.look or USUAL, states)
    sys.stdout.write(f"{shoot.taken} pictures in {options.folder}, {monotonic() - begun:.0f} s\n")
    sys.stderr.writelines(f"{line}\n" for line in shoot.failed)
    return 1 if shoot.failed else 0


class _Shooting:
    def __init__(self, browser: Browser, url: str, season: Season, folder: Path, *, whole: bool) -> None:
        self.browser, self.url, self.season, self.folder, self.whole = browser, url, season, folder, whole
        self.size = (0, 0)
        self.taken = 0
        self.failed: list[str] = []

    def at(self, width: int, looks: Sequence[str], states: Sequence[State]) -> None:
        """Photograph the states on a screen of this width, and lay out their contact sheets."""
        phone = width < WIDEST_PHONE
        self.size = (width, HEIGHTS[width])
        options: dict[str, Any] = {"viewport": {"width": width, "height": HEIGHTS[width]}, "reduced_motion": "reduce"}
        options |= {"is_mobile": phone, "has_touch": phone, "device_scale_factor": 2 if phone else 1}
        kept = [look for look in LOOKS if look in looks and look not in ("black", "large")]
        changed = [look for look in looks if look not in kept]  # they stay on a page: each has pages of its own
        for group in filter(None, [kept, *([look] for look in changed)]):
            with viewing(self.browser, self.url, self.season, **options) as viewer:
                for state in states:
                    try:
                        page, _ = viewer.open(state)
                        for look in group:
                            LOOKS[look](page)
                            self._take(page, self.folder / f"{width}-{look}" / f"{state.name}.png")
                        page.emulate_media(color_scheme="light", forced_colors="none")
                    except (BrowserError, AssertionError) as error:
                        self.failed.append(f"{state.name} at {width}: {str(error).splitlines()[0]}")
        for look in looks:
            self._contact_sheets(width, look, states)

    def _take(self, page: Page, path: Path) -> None:
        """Photograph a page as high as it is, so that what is fixed stands at its end; what covers it, as it is."""
        path.parent.mkdir(parents=True, exist_ok=True)
        width, height = self.size
        if self.whole and not page.locator(COVERING).count():
            high = int(page.evaluate("() => document.documentElement.scrollHeight"))
            page.set_viewport_size({"width": width, "height": max(height, min(high, height * MOST_SCREENS))})
        page.screenshot(path=path, animations="disabled")
        page.set_viewport_size({"width": width, "height": height})
        self.taken += 1

    def _contact_sheets(self, width: int, look: str, states: Sequence[State]) -> None:
        many = ACROSS[width]
        wide = THUMB // many - 10
        found = [state.name for state in states if (self.folder / f"{width}-{look}" / f"{state.name}.png").exists()]
        for old in self.folder.glob(f"{width}-{look}-*.png"):
            old.unlink()
        page = self.browser.new_page(viewport={"width": THUMB, "height": 400})
        for number, start in enumerate(range(0, len(found), many * ROWS), 1):
            figures = "".join(
                f"<figure><img src='{(self.folder / f'{width}-{look}' / f'{name}.png').resolve().as_uri()}'>"
                f"<figcaption>{escape(name)}</figcaption></figure>"
                for name in found[start : start + many * ROWS]
            )
            style = "body{margin:4px;background:#777;display:flex;flex-wrap:wrap;gap:8px;font:13px sans-serif}"
            style += f"figure{{margin:0;color:#fff;width:{wide}px}}img{{width:100%;max-height:{wide * 5 // 2}px;"
            style += "object-fit:cover;object-position:top;display:block}"
            sheet = self.folder / "sheet.html"
            sheet.write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{figures}", "utf-8")
            page.goto(sheet.resolve().as_uri(), wait_until="load")
            page.screenshot(path=self.folder / f"{width}-{look}-{number}.png", full_page=True)
            sheet.unlink()
        page.close()


if __name__ == "__main__":
    sys.exit(main())
