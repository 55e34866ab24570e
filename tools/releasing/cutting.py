"""Cut a release: its number, its part of the changelog, its database, and the migrations fixed from then on."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from referee import __version__
from referee.paths import CHECKOUT, MIGRATIONS, PACKAGE
from referee.rules.text.words import ENGLISH, languages
from referee.web.commands.translating import changed_since, gaps_of
from tools.releasing.played import RELEASES

CHANGELOG = CHECKOUT / "CHANGELOG.md"
PLACE = PACKAGE / "__init__.py"
DIGESTS = RELEASES / "migrations.json"
"""SHA-256 of each migration that a release brought; to change one changes what is in databases already made."""
MOST_NEWS = 40
"""Lines of a release in the changelog."""
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
    news = after.split("\n## ")[0].count("\n- ")
    if not heading or not news:
        raise ValueError("CHANGELOG.md has nothing under “Unreleased”")
    if news > MOST_NEWS:
        raise ValueError(f"CHANGELOG.md has {news} lines under “Unreleased”: nobody reads more than {MOST_NEWS}")
    for name, found in released().items():
        if digests().get(name) != found:
            raise ValueError(f"{name} was released and has been edited since")
    if gaps := untranslated():
        raise ValueError(f"“referee translations check” lists what isn't translated: {'; '.join(gaps)}")
    CHANGELOG.write_text(f"{before}{heading}\n## {version} ({day.isoformat()})\n{after}", "utf-8")
    place = PLACE.read_text("utf-8")
    PLACE.write_text(place.replace(f'__version__ = "{__version__}"', f'__version__ = "{version}"'), "utf-8")
    subprocess.run([sys.executable, "-m", "tools.releasing", "play"], cwd=CHECKOUT, check=True)
    DIGESTS.write_text(json.dumps(digests(), indent=1) + "\n", "utf-8")


def release(version: str, into: Path) -> str:
    """Make a release in a temporary work tree: written, tested, committed, built into a folder; give its commit.

    Only when all of that is done the branch moves on to it and has its tag: what fails changes nothing.
    Raises ValueError, and subprocess.CalledProcessError with what the command that failed said.
    """
    if git("status", "--porcelain"):
        raise ValueError("There are changes that aren't committed. Commit them, or take them back.")
    if git("tag", "--list", f"v{version}"):
        raise ValueError(f"v{version} has been released")
    moment = git("show", "--no-patch", "--format=%cI")  # of what is released: cut again, it has the same bytes
    with TemporaryDirectory() as folder:
        tree = Path(folder) / "referee"
        git("worktree", "add", "--detach", str(tree))
        try:
            for words in (
                ("tools.releasing", "write", version),
                ("pytest", "-q", "-p", "no:cacheprovider", "tests/records/test_releases.py"),
            ):
                subprocess.run([sys.executable, "-m", *words], cwd=tree, check=True, capture_output=True, text=True)
            git("add", "--all", tree=tree)
            dated = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
            git("commit", "--message", f"Release {version}", tree=tree, **dated)
            built = [sys.executable, "-m", "tools.releasing", "build", "--into", str(into.resolve())]
            subprocess.run(built, cwd=tree, check=True, text=True)
            made = git("rev-parse", "HEAD", tree=tree)
        finally:
            git("worktree", "remove", "--force", str(tree))
    git("merge", "--ff-only", made)
    git("tag", "--annotate", f"v{version}", "--message", f"Referee {version}")
    return made


def git(*words: str, tree: Path = CHECKOUT, **env: str) -> str:
    """Run git in a work tree and give what it prints; raises subprocess.CalledProcessError."""
    command = ["git", "-C", str(tree), *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **env})
    return done.stdout.strip()


def addresses() -> Mapping[str, str]:
    """Give where source, documentation and issues are, as the package says."""
    return dict(tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["urls"])


def rename(source: str) -> list[str]:
    """Write another address of the source wherever it stands, and give the files that have it."""
    old, new = addresses()["Source"], source.removesuffix(".git").rstrip("/")
    changed = []
    for name in git("ls-files").splitlines():
        file = CHECKOUT / name
        if file.is_file() and old.encode() in (text := file.read_bytes()):
            file.write_bytes(text.replace(old.encode(), new.encode()))
            changed.append(name)
    return changed


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
