"""Read the commands of the documentation, by page and heading, as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

from referee.paths import CHECKOUT

README = CHECKOUT / "README.md"
HOST = CHECKOUT / "docs" / "pages" / "host"


def commands(page: Path, heading: str) -> list[str]:
    """Give the commands below a heading, down to the next of any level; raises LookupError when there are none.

    They stand in blocks that are indented, or fenced as ``sh``; a line that ends in ``\\`` goes on in the next.
    """
    parts = re.split(r"^#+ +(.+)$", page.read_text("utf-8"), flags=re.MULTILINE)
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        if title.strip() == heading:
            blocks = re.findall(r"^```sh\n(.*?)^```$|((?:^ {4}\S.*\n)+)", text, re.MULTILINE | re.DOTALL)
            lines = "".join(fenced or indented for fenced, indented in blocks).replace("\\\n", "").splitlines()
            if found := [line.strip() for line in lines if line.strip()]:
                return found
    raise LookupError(f"{page.name} has no commands under “{heading}”")
