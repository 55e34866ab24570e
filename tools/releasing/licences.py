"""List what a server installs beside Referee, each with its licence, as the packages themselves state it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from referee.paths import CHECKOUT, PACKAGE

LOCK = CHECKOUT / "docs" / "hosting" / "requirements.lock"
LIST = PACKAGE / "web" / "packages.json"
EXTRAS = ("server", "postgres", "redis")
"""What servers may need besides the package itself."""
BY_CLASSIFIER = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
}
"""Identifiers (SPDX) for packages that state their licence by a classifier only."""
BY_WORDS = {"Apache-2.0": "Apache-2.0", "MIT": "MIT", "ZPL 2.1": "ZPL-2.1"}
"""Identifiers (SPDX) for what packages write into the older field."""


def locked() -> dict[str, str]:
    """Read the lock: versions by name, as this Python takes them."""
    text = re.sub(r"^ *#.*\n", "", LOCK.read_text("utf-8"), flags=re.MULTILINE)
    lines = [line.split("--hash=")[0].strip() for line in text.replace("\\\n", " ").splitlines()]
    wanted = [one for one in map(Requirement, lines) if one.marker is None or one.marker.evaluate()]
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in wanted}


def needed() -> Iterator[str]:
    """Name each package that the app and its extras for servers need, in any depth, without what only builds it."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = project["dependencies"] + [line for extra in EXTRAS for line in extras[extra]]
    waiting = [Requirement(line) for line in lines]
    seen: set[tuple[str, frozenset[str]]] = set()
    names: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if (name, frozenset(requirement.extras)) in seen:
            continue
        seen.add((name, frozenset(requirement.extras)))
        if name not in names:
            names.add(name)
            yield name
        for line in metadata.distribution(name).requires or ():
            further = Requirement(line)
            asked = ("", *requirement.extras)
            if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in asked):
                waiting.append(further)


def licence_of(name: str) -> str:
    """Give the licence that an installed package states, as an identifier (SPDX); raises ValueError for another."""
    stated = metadata.metadata(name)
    if "License-Expression" in stated:
        return stated["License-Expression"]
    if "License" in stated and stated["License"] in BY_WORDS:
        return BY_WORDS[stated["License"]]
    (classifier,) = (line for line in stated.get_all("Classifier") or () if line in BY_CLASSIFIER)
    return BY_CLASSIFIER[classifier]


def listed() -> list[dict[str, str]]:
    """List each package as {"name", "version", "licence"}, by name; the version is the lock's."""
    versions = locked()
    return [{"name": name, "version": versions[name], "licence": licence_of(name)} for name in sorted(set(needed()))]


def write() -> None:
    """Write the list that the app shows; run it where the lock is installed."""
    LIST.write_text(json.dumps(listed(), indent=1) + "\n", "utf-8")
