"""The documentation site is built without a warning, and no page of it loads anything from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.paths import CHECKOUT, STATIC

SOURCES = CHECKOUT / "docs" / "pages"
LOADED = re.compile(r"<(?!a\b)\w+\b[^>]*?\s(?:src|srcset|href|action|data)=\"?((?:https?:)?//[^\s\">]+)")
"""Whatever a page loads by itself; a link that someone follows is an ``a``."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `python3 run lint` does, somewhere else."""
    folder = tmp_path_factory.mktemp("site")
    words = ("build", "--quiet", "--strict", "--config-file", "docs/mkdocs.yml", "--site-dir", str(folder))
    told = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = (sys.executable, "-m", "mkdocs", *words)
    done = subprocess.run(command, cwd=CHECKOUT, env=told, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_in_the_site_and_loads_nothing_from_elsewhere(site: Path) -> None:
    pages = {file.relative_to(SOURCES).with_suffix("") for file in SOURCES.rglob("*.md")}
    built = {file.relative_to(site).with_suffix(""): file.read_text("utf-8") for file in site.rglob("*.html")}
    assert pages - built.keys() == set()
    assert {page: LOADED.findall(text) for page, text in built.items() if LOADED.search(text)} == {}
    styles = "".join(file.read_text("utf-8") for file in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//[^)]*", styles) == []
    policy = "default-src 'self';"
    assert [page for page, text in built.items() if policy not in text] == [], "nor do its scripts, for any browser"


def test_what_a_page_loads_is_found() -> None:
    assert LOADED.findall('<a href="https://a.b">x</a> <script async src="https://c.d/e">') == ["https://c.d/e"]
    assert LOADED.findall('<link rel="stylesheet" href="//f.g/h.css"><img src="x.png">') == ["//f.g/h.css"]


def test_the_page_of_components_names_macros_classes_and_sections_that_exist(site: Path) -> None:
    text = (SOURCES / "build" / "components.md").read_text("utf-8")
    cells = re.findall(r"([^|.\n]*?)`(_partials/\w+\.html)`", text)
    named = {(file, name) for before, file in cells for name in re.findall(r"`(\w+)`", before)}
    assert len(named) > 8
    partials = {file: (CHECKOUT / "templates" / file).read_text("utf-8") for _, file in cells}
    assert {(file, name) for file, name in named if f"macro {name}(" not in partials[file]} == set()
    styles = "".join(file.read_text("utf-8") for file in (STATIC / "css").glob("*.css"))
    classes = set(re.findall(r"\.([a-z][\w-]*)", " ".join(re.findall(r"`(\.[\w.-]+)`", text))))
    assert {name for name in classes if not re.search(rf"\.{name}\b", styles)} == set()
    assert re.findall(r'<iframe src="([^"]+)"', text)
    assert [page for page in re.findall(r'<iframe src="([^"]+)"', text) if not (site / "build" / page).is_file()] == []
