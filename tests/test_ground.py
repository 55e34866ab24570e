"""The ground itself holds: a missing browser is told, or fails where it is compulsory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.paths import CHECKOUT
from tests.ground.browser import MISSING

ONE = "tests/test_ground.py::test_a_page_opens"


def test_a_page_opens(page: object) -> None:
    assert page


def run(tmp_path: Path, *words: str, required: str) -> subprocess.CompletedProcess[str]:
    """Run one browser test on a machine whose path leads to no browser."""
    nowhere = {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path), "REFEREE_REQUIRE_BROWSER": required}
    command = [sys.executable, "-m", "pytest", ONE, "-q", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=CHECKOUT, env=os.environ | nowhere, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["one process", "several processes"])
def test_the_last_line_says_how_many_tests_had_no_browser_and_why(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run(tmp_path, *words, required="0")
    assert done.returncode == 0, done.stdout
    assert done.stdout.strip().splitlines()[-1].startswith(f"1 browser test skipped: {MISSING}")


def test_where_a_browser_is_compulsory_its_absence_fails(tmp_path: Path) -> None:
    done = run(tmp_path, required="1")
    assert done.returncode == 1
    assert MISSING in done.stdout
