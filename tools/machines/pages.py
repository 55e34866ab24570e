"""Read the commands of the documentation, by page and heading, as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

from referee.paths import CHECKOUT

README = CHECKOUT / "README.md"
HOST = CHECKOUT / "docs" / "pages" / "host"


def sections(page: Path) -> list[tuple[str, list[str]]]:
    """Give each heading of a page and the commands below it, down to the next heading of any level.

    They stand in blocks that are indented, or fenced as ``sh``; a line that ends in ``\\`` goes on in the next.
    """
    found = []
    fenced = re.split(r"^(```sh\n.*?^```)$", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    heading, lines = "", list[str]()
    for part in fenced:
        if part.startswith("```sh\n"):
            lines += part.removeprefix("```sh\n").removesuffix("```").replace("\\\n", "").splitlines()
            continue
        for line in re.sub(r"^```.*?^```$", "", part, flags=re.MULTILINE | re.DOTALL).splitlines():
            if line.startswith("#"):
                found.append((heading, lines))
                heading, lines = line.lstrip("# "), []
            elif re.match(r" {4}\S", line):
                lines.append(line)
    found.append((heading, lines))
    return [(title, [line.strip() for line in lines if line.strip()]) for title, lines in found]


def commands(page: Path, heading: str) -> list[str]:
    """Give the commands below one heading; raises LookupError when there are none."""
    for title, lines in sections(page):
        if title == heading and lines:
            return lines
    raise LookupError(f"{page.name} has no commands under “{heading}”")
