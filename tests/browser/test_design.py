"""Every component looks as it did: the gallery is compared with the pictures kept of it."""

import os
from collections.abc import Iterator

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.conftest import MakeApp
from tests.ground.server import running_server
from tools.gallery import blueprint
from tools.pictures.design import KEPT, KEPT_WITH, SCHEMES, SEEN, differs, new_page, other_fonts, take

ANEW = "if it is meant, look at pictures/design and run python3 -m tools.pictures.design"


@pytest.fixture
def gallery(browser: Browser, make_app: MakeApp) -> Iterator[Page]:
    """A phone at a server that shows the gallery, where its fonts are those of the kept pictures."""
    app = make_app()
    app.register_blueprint(blueprint)
    with running_server(app) as server:
        page = new_page(browser, server.url)
        take(page, "light")
        others = other_fonts(page) - KEPT_WITH
        if others and not os.environ.get("CI"):
            pytest.skip(f"pictures are compared only with our font and DejaVu Sans, not with {', '.join(others)}")
        yield page
        page.close()


def test_the_components_look_as_they_are_kept(gallery: Page) -> None:
    names, wrong = set(), []
    for scheme in SCHEMES:
        for name, seen in take(gallery, scheme).items():
            names.add(name)
            kept = KEPT / f"{name}.png"
            said = "there is no kept picture"
            if kept.is_file():
                with Image.open(kept) as before:
                    said = differs(before, seen)
            if said:
                SEEN.mkdir(parents=True, exist_ok=True)
                seen.save(SEEN / f"{name}.png")
                wrong.append(f"{name}: {said}")
    assert not wrong, "\n".join([*wrong, ANEW])
    assert names == {kept.stem for kept in KEPT.glob("*.png")}
    assert sum(kept.stat().st_size for kept in KEPT.glob("*.png")) <= 150_000


def test_a_broken_component_is_seen(gallery: Page) -> None:
    for broken in (".primary { background: none; }", "[aria-pressed=true] { background: none; border: 0; }"):
        gallery.goto("about:blank")
        gallery.add_init_script(
            f"addEventListener('DOMContentLoaded', () => document.head.append(Object.assign("
            f"document.createElement('style'), {{ textContent: {broken!r} }})))"
        )
        seen = take(gallery, "light")["buttons-light"]
        assert differs(Image.open(KEPT / "buttons-light.png"), seen), broken
