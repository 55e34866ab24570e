"""Cut a release: its number, its part of the changelog, its database, and the migrations fixed from then on."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from datetime import date

from referee import __version__
from referee.paths import CHECKOUT, MIGRATIONS, PACKAGE
from referee.rules.text.words import ENGLISH, languages
from referee.web.commands.translating import changed_since, gaps_of
from tools.releasing.season import RELEASES

CHANGELOG = CHECKOUT / "CHANGELOG.md"
PLACE = PACKAGE / "__init__.py"
DIGESTS = RELEASES / "migrations.json"
"""SHA-256 of each migration that a release brought; to change one changes what is in databases already made."""
NUMBER = re.compile(r"\d+\.\d+\.\d+")


def digests() -> dict[str, str]:
    """Give the SHA-256 of every migration there is, by the file's name."""
    files = sorted((MIGRATIONS / "versions").glob("*.py"))
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def released() -> Mapping[str, str]:
    """Give the SHA-256 that each released migration has to have, by the file's name."""
    return dict(json.loads(DIGESTS.read_text("utf-8")))


def untranslated() -> list[str]:
    """List what languages that are offered lack, and whose English wasn't looked at."""
    offered = [one for one in languages().values() if one.whole and one.code != ENGLISH]
    unseen = [f"{one.code}: {file} changed since its last check" for one in offered for file in changed_since(one)]
    return [*(f"{one.code}: {flaw}" for one in offered for flaw in gaps_of(one)), *unseen]


def cut(version: str, day: date) -> None:
    """Write everything that a release changes in the checkout; raises ValueError if it can't be one."""
    if not NUMBER.fullmatch(version) or _parts(version) <= _parts(__version__):
        raise ValueError(f"{version} is no number after {__version__}, such as 1.0.0")
    changes = CHANGELOG.read_text("utf-8")
    before, heading, after = changes.partition("## Unreleased\n")
    if not heading or "- " not in after.split("\n## ")[0]:
        raise ValueError("CHANGELOG.md has nothing under “Unreleased”")
    for name, found in released().items():
        if digests().get(name) != found:
            raise ValueError(f"{name} was released and has been edited since")
    if gaps := untranslated():
        raise ValueError(f"“referee translations check” lists what isn't translated: {'; '.join(gaps)}")
    CHANGELOG.write_text(f"{before}{heading}\n## {version} ({day.isoformat()})\n{after}", "utf-8")
    place = PLACE.read_text("utf-8")
    PLACE.write_text(place.replace(f'__version__ = "{__version__}"', f'__version__ = "{version}"'), "utf-8")
    subprocess.run([sys.executable, "-m", "tools.releasing", "season"], cwd=CHECKOUT, check=True)
    DIGESTS.write_text(json.dumps(digests(), indent=1) + "\n", "utf-8")


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
