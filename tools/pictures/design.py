"""Keep pictures of the gallery of components, and compare what it looks like now with them.

Run ``python3 -m tools.pictures.design`` after a change that is meant, look at what changed, and commit it.
Machines differ in their fonts and in how they fit letters to pixels, so everything is set in the app's own face here,
as wide as it is drawn; and in how they smooth edges, so half the size is compared in patches, by how light they are.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import Browser, Page

from referee.paths import CHECKOUT
from tests.ground.browser import PHONE, running_browser
from tests.ground.server import running_server
from tools.gallery import create_app

KEPT = Path(__file__).parents[2] / "tests" / "browser" / "design"
SEEN = CHECKOUT / "pictures" / "design"
"""Where a test that fails puts what it saw; git ignores it."""
SCHEMES = ("light", "dark")
OWN_FACE = """
    @font-face { font-family: Own; src: url('/static/font/display.woff2'); font-weight: 400 900; font-display: block; }
    :root { --sans: Own, 'DejaVu Sans'; --serif: var(--sans); --display: var(--sans); }
    * { caret-color: transparent; text-rendering: geometricPrecision; }
"""
"""The face under a name of its own, since pages do without it where it comes late; it lacks a triangle, a dot and the
percent sign, for which machines would take whichever font they find first."""
HIGHEST = 1600
"""Pixels of the screen: no component is higher, so that none is scrolled while it is photographed."""
KEPT_WITH = {"DejaVu Sans"}
"""The machine's fonts in the pictures that are kept."""
GREYS = 16
PATCH = 8
"""Pixels of a side of what is compared, 16 of the page."""
MOST = 24
"""Steps of 255 by which a patch may differ: smoothing makes some 8, as in three builds of Chromium, a word or an edge
that moved some 40."""
SLACK = 4
"""Pixels by which a component may be higher or lower."""


def take(page: Page, scheme: str) -> Mapping[str, Image.Image]:
    """Photograph every section of the gallery that the page's server shows, in grey, at half its size."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    answer = page.goto("/design")
    assert answer is not None
    assert answer.status == 200
    page.add_style_tag(content=OWN_FACE)
    page.evaluate("() => document.fonts.load('1em Own')")
    page.evaluate("() => document.activeElement?.blur()")
    found = {}
    for section in page.locator(".shown").all():
        picture = Image.open(io.BytesIO(section.screenshot(animations="disabled"))).convert("L")
        found[f"{section.get_attribute('id')}-{scheme}"] = picture.reduce(2)
    return found


def other_fonts(page: Page) -> set[str]:
    """Return the names of the machine's fonts that draw the few signs of the gallery that the app's own face lacks."""
    browser = page.context.new_cdp_session(page)
    browser.send("DOM.enable")
    browser.send("CSS.enable")
    document = browser.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    elements = browser.send("DOM.querySelectorAll", {"nodeId": document, "selector": ".shown *"})["nodeIds"]
    fonts = (font for id in elements for font in browser.send("CSS.getPlatformFontsForNode", {"nodeId": id})["fonts"])
    return {font["familyName"] for font in fonts if not font["isCustomFont"]}


def differs(kept: Image.Image, seen: Image.Image) -> str:
    """Say where two pictures differ by more than machines do; nothing where they do not."""
    if kept.width != seen.width or abs(kept.height - seen.height) > SLACK:
        return f"{seen.width} × {seen.height} pixels instead of {kept.width} × {kept.height}"
    apart = ImageChops.difference(kept.convert("L"), seen.crop((0, 0, *kept.size)))
    for top in range(0, apart.height - PATCH, PATCH):
        for left in range(0, apart.width, PATCH):
            grey = ImageStat.Stat(apart.crop((left, top, left + PATCH, top + PATCH))).mean[0]
            if grey > MOST:
                return f"a patch at {2 * left}, {2 * top} is {grey:.0f} steps of grey off"
    return ""


def new_page(browser: Browser, url: str) -> Page:
    """Open a phone that lets the pictures set their own face; the app's policy forbids that."""
    whole = {"width": PHONE["viewport"]["width"], "height": HIGHEST}
    return browser.new_page(**{**PHONE, "device_scale_factor": 1, "viewport": whole}, base_url=url, bypass_csp=True)


def main() -> None:
    """Keep what the gallery looks like now."""
    with TemporaryDirectory() as folder, running_browser() as browser:
        settings = {"INSTANCE": Path(folder), "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder}/referee.db"}
        with running_server(create_app(settings)) as server:
            page = new_page(browser, server.url)
            pictures = {name: picture for scheme in SCHEMES for name, picture in take(page, scheme).items()}
    KEPT.mkdir(exist_ok=True)
    for old in KEPT.glob("*.png"):
        old.unlink()
    for name, picture in pictures.items():
        picture.quantize(GREYS).save(KEPT / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
