"""Take the two pictures of the README: a few rounds on a server of their own, photographed by Chromium.

Run ``python3 -m tools.pictures.readme`` after what they show has changed, and look at them.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from referee import create_app
from referee.paths import CHECKOUT
from tests.browser.table import Table
from tests.ground.browser import PHONE, running_browser
from tests.ground.server import running_server

IMAGES = CHECKOUT / "docs" / "pages" / "images"
PIXELS = 1.5
"""Pixels of a picture for one of the page: sharp enough at half the width of a README."""
WILDS = ("wild", "wild-draw-four")
ROUNDS = (
    ("Ada", (("9", "skip"), ("wild",), ("draw-two", "8", "2"))),
    ("Bo", (("wild",), ("reverse", "4"), ("7",))),
    ("Ada", (("wild", "5"), ("skip", "9"), ("draw-two", "9", "8", "2"))),
    ("Cy", (("7", "9"), ("skip", "6"), ("4",))),
    ("Ada", (WILDS, ("draw-two", "9"), ("9", "6", "3"))),
    ("Di", (("6", "9"), ("8", "1"), ("7", "5"))),
)
"""Who went out, and what the others held, clockwise."""


def main() -> None:
    """Play the rounds and take both pictures."""
    with TemporaryDirectory() as folder, running_browser() as browser:
        app = create_app({"INSTANCE": Path(folder), "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder}/referee.db"})
        with running_server(app) as server:
            phone = {**PHONE, "device_scale_factor": PIXELS, "reduced_motion": "reduce"}
            page = browser.new_page(**phone, base_url=server.url)
            table = Table(page)
            sheet = table.set_up()
            for winner, hands in ROUNDS:
                table.round(winner, *hands)
            page.goto(sheet)  # without the message that the last round was saved
            page.screenshot(path=IMAGES / "sheet.png")
            table.tap(".standing:has-text('Ada')")
            for face in ("7", "skip", "wild"):
                table.tap(f"[data-face='{face}']")
            page.screenshot(path=IMAGES / "hand-pad.png")


if __name__ == "__main__":
    main()
