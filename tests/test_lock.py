"""What is built can be built again: the lock fits the package, and the SBOM of a release is made from the lock."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from referee.paths import CHECKOUT

LOCK = CHECKOUT / "docs" / "hosting" / "requirements.lock"
CONTRIBUTING = (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")
RELEASE = (CHECKOUT / "docs" / "pages" / "build" / "release.md").read_text("utf-8")
EXTRAS = ("server", "postgres", "redis")
"""What servers may need besides the package itself; tests need more, and take it as it comes."""


def entries() -> Iterator[tuple[Requirement, list[str]]]:
    """Read the lock: each requirement, and the hashes its files may have."""
    text = re.sub(r"^ *#.*\n", "", LOCK.read_text("utf-8"), flags=re.MULTILINE)
    for line in text.replace("\\\n", " ").splitlines():
        named, *hashes = line.split("--hash=")
        yield Requirement(named.strip()), [one.strip() for one in hashes]


@pytest.fixture(scope="module")
def locked() -> dict[str, str]:
    """Versions by name, as this Python takes them from the lock."""
    here = [one for one, _ in entries() if one.marker is None or one.marker.evaluate()]
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in here}


def wanted() -> list[Requirement]:
    """List what the package, its extras for servers and its build need."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"]
    assert set(project["dependency-groups"]["build"]) >= set(project["build-system"]["requires"])
    lines = [*project["project"]["dependencies"], *project["dependency-groups"]["build"]]
    return [Requirement(line) for line in lines + [line for extra in EXTRAS for line in extras[extra]]]


@pytest.mark.promise("security#pinned-packages")
def test_every_line_of_the_lock_is_one_version_with_hashes() -> None:
    for requirement, hashes in entries():
        assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), requirement
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes), requirement


@pytest.mark.promise("security#pinned-packages")
def test_the_lock_has_all_that_the_package_needs_in_versions_it_allows(locked: dict[str, str]) -> None:
    """What those need in turn as well, as far as this environment knows it."""
    seen: set[str] = set()
    waiting = wanted()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        assert name in locked, f"{name}: lock anew, see CONTRIBUTING.md"
        assert requirement.specifier.contains(locked[name], prereleases=True), f"{requirement}, not {locked[name]}"
        if name in seen or (installed := _installed(name)) is None:
            continue
        seen.add(name)
        if installed.version == locked[name]:
            extras = {"", *requirement.extras}
            for line in installed.requires or ():
                further = Requirement(line)
                if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in extras):
                    waiting.append(further)
    assert len(seen) > len(wanted()) / 2


def _installed(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def test_the_lock_says_how_it_was_made_and_contributing_says_the_same() -> None:
    header = LOCK.read_text("utf-8").splitlines()[1].removeprefix("#").strip()
    assert header in CONTRIBUTING
    assert shlex.split(header)[-1] == str(LOCK.relative_to(CHECKOUT))
    assert all(f"--extra {extra}" in header for extra in EXTRAS)


@pytest.mark.promise("security#pinned-packages")
def test_the_sbom_of_a_release_names_what_the_lock_names(tmp_path: Path) -> None:
    (command,) = re.findall(r"^\.venv/bin/(cyclonedx-py .*)$", RELEASE, flags=re.MULTILINE)
    words = shlex.split(command)
    made = tmp_path / "sbom.json"
    words[words.index("-o") + 1] = str(made)
    program = [sys.executable, "-m", "cyclonedx_py", *words[1:]]
    done = subprocess.run(program, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    bill = json.loads(made.read_text("utf-8"))
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "referee"
    found = {(part["name"], part["version"]) for part in bill["components"]}
    assert found == {(one.name, str(one.specifier).removeprefix("==")) for one, _ in entries()}
    for part in bill["components"]:
        (source,) = part["externalReferences"]
        assert all(one["alg"] == "SHA-256" for one in source["hashes"]), part["name"]
