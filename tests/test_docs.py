"""The documentation is true: every setting and command has its place, every link leads somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.paths import CHECKOUT
from tools.documents import promises
from tools.documents.generated import AGAIN, GENERATED

DOCS = CHECKOUT / "docs" / "pages"
README = (CHECKOUT / "README.md").read_text("utf-8")
PAGES = sorted((*CHECKOUT.glob("*.md"), *CHECKOUT.glob(".github/**/*.md"), *(CHECKOUT / "docs").rglob("*.md")))
LINK = re.compile(r"\]\(([^)\s]+)\)")


def test_the_generated_pages_are_what_the_code_says() -> None:
    stale = [path for path, write in GENERATED.items() if (CHECKOUT / path).read_text("utf-8") != write()]
    assert stale == [], f"run {AGAIN}"


@pytest.mark.parametrize("command", ["python3 run", "python3 run --lan", "python3 run test"])
def test_the_readme_shows_the_commands(command: str) -> None:
    assert f"```sh\n{command}\n```\n" in README


def test_the_readme_is_one_screen_with_two_pictures() -> None:
    assert 40 <= len(README.splitlines()) <= 60
    assert README.count("![") == 2
    assert len(re.findall(r"^- \[", README, re.MULTILINE)) == 3


def test_the_readme_says_that_the_publisher_has_no_part_in_it() -> None:
    assert "not affiliated" in README.lower()


def _links() -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        for link in LINK.findall(page.read_text("utf-8")):
            if not re.match(r"https?://|mailto:", link):
                yield page, link


def test_every_link_leads_somewhere() -> None:
    for page, link in _links():
        path, _, heading = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), f"{page.name} links to {link}"
        assert not heading or heading in _anchors(target), f"{page.name} links to {link}"


def _anchors(page: Path) -> set[str]:
    text = page.read_text("utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    named = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return named.union(promises.ANCHOR.findall(text))


def test_every_file_and_name_of_the_how_tos_is_in_the_code() -> None:
    pages = sorted((DOCS / "build").glob("how-to-*.md"))
    assert len(pages) == 4
    texts = " ".join(" ".join(page.read_text("utf-8").split()) for page in pages)
    files = set(re.findall(r"`((?:referee|tests|templates|docs)/[\w./-]+)`", texts))
    assert len(files) > 15
    assert [path for path in sorted(files) if not (CHECKOUT / path).exists()] == []
    named = re.findall(r"`(\w+)` in `([\w./-]+)`", texts)
    assert len(named) > 8
    assert [
        (name, path) for name, path in named if name not in (CHECKOUT / path).read_text("utf-8").split("\n\n\n", 1)[-1]
    ] == []


def test_every_promise_to_hosts_is_held_by_a_test_or_says_why_none_can() -> None:
    told, held = promises.promises(), promises.holders()
    assert len(told) > 60
    assert held.keys() <= told.keys(), "a marker names what no page promises"
    assert told.keys() - held.keys() == promises.UNTESTED.keys(), "mark the test that holds it"


def test_every_row_of_what_attackers_want_and_of_what_was_tried_is_a_promise() -> None:
    for page, head in (("security", "| who | wants |"), ("reliability", "| tried | command |")):
        table = (DOCS / "host" / f"{page}.md").read_text("utf-8").split(head)[1].split("\n\n")[0]
        _, _, *rows = table.splitlines()
        assert len(rows) > 10
        assert [row for row in rows if not row.startswith('| <a id="')] == []


def test_every_test_that_security_names_exists() -> None:
    page = (DOCS / "host" / "security.md").read_text("utf-8")
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
