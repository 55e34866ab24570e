"""The documentation is true: every setting and command has its place, every link leads somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from referee.paths import CHECKOUT
from referee.web.commands.main import main
from referee.web.server.settings import SETTINGS

HOSTING = (CHECKOUT / "docs" / "pages" / "host" / "hosting.md").read_text("utf-8")
README = (CHECKOUT / "README.md").read_text("utf-8")
PAGES = sorted((*CHECKOUT.glob("*.md"), *CHECKOUT.glob(".github/*.md"), *(CHECKOUT / "docs").rglob("*.md")))
LINK = re.compile(r"\]\(([^)\s]+)\)")


def commands() -> dict[str, click.Command]:
    return dict(main.commands)


@pytest.mark.parametrize("name", [setting.name for setting in SETTINGS])
def test_every_setting_has_a_row(name: str) -> None:
    assert f"| `{name}` |" in HOSTING


def test_no_row_tells_of_a_setting_that_is_gone() -> None:
    told = re.findall(r"^\| `([A-Z_]+)` \|", HOSTING, re.MULTILINE)
    assert sorted(told) == sorted(setting.name for setting in SETTINGS)


@pytest.mark.parametrize("name", commands())
def test_every_command_has_a_heading_and_its_options_are_told(name: str) -> None:
    heading = f"### referee {name}\n"
    assert heading in HOSTING
    section = HOSTING.split(heading)[1].split("\n#")[0]
    options = [option.opts[0] for option in commands()[name].params if isinstance(option, click.Option)]
    assert [option for option in options if f"`{option}" not in section] == []


def test_no_heading_tells_of_a_command_that_is_gone() -> None:
    assert set(re.findall(r"^### referee (\w+)$", HOSTING, re.MULTILINE)) == set(commands())


@pytest.mark.parametrize("command", ["python3 run", "python3 run test", "python3 run --lan", "python3 run invite"])
def test_the_readme_shows_the_commands(command: str) -> None:
    assert command in README


def test_the_readme_says_that_the_publisher_has_no_part_in_it() -> None:
    assert "not affiliated" in README.lower()


def _links() -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        for link in LINK.findall(page.read_text("utf-8")):
            if not re.match(r"https?://|mailto:", link):
                yield page, link


@pytest.mark.parametrize(("page", "link"), list(_links()), ids=str)
def test_every_link_leads_somewhere(page: Path, link: str) -> None:
    path, _, heading = link.partition("#")
    target = (page.parent / path) if path else page
    assert target.exists(), f"{page.name} links to {link}"
    if heading:
        assert heading in _headings(target), f"{page.name} links to {link}"


def _headings(page: Path) -> set[str]:
    found = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_every_test_that_security_names_exists() -> None:
    page = (CHECKOUT / "docs" / "pages" / "host" / "security.md").read_text("utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    written = "\n".join(file.read_text("utf-8") for file in (CHECKOUT / "tests").rglob("test_*.py"))
    assert named
    assert [name for name in sorted(named) if f"def {name}(" not in written] == []


def test_the_changelog_is_short_and_sorted() -> None:
    lines = (CHECKOUT / "CHANGELOG.md").read_text("utf-8").splitlines()
    headings = {line.removeprefix("### ") for line in lines if line.startswith("### ")}
    entries = [line for line in lines if line.startswith("- ")]
    assert headings <= {"Added", "Changed", "Fixed"}
    assert entries
    assert [entry for entry in entries if len(entry.split()) - 1 > 12] == []
