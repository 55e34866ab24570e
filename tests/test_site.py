"""The documentation site is built without a warning, and no page of it loads anything from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.paths import CHECKOUT

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
