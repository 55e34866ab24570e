"""Build what a release consists of: wheel, sdist, the list of contents (SBOM) and the sums to check them by."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from referee import __version__
from referee.paths import CHECKOUT
from tools.releasing.licences import LOCK

SBOM = "referee.cdx.json"
SUMS = "SHA256SUMS"


def build(kind: str, into: Path, source: Path = CHECKOUT) -> Path:
    """Build a ``wheel`` or an ``sdist`` from a folder and return it; raises subprocess.CalledProcessError."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(into)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1580601600"}  # the earliest that a zip takes, in any zone
    subprocess.run(command, cwd=source, env=environment, check=True, capture_output=True)
    (built,) = into.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


def sum_of(file: Path) -> str:
    """Give the SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def list_contents(into: Path) -> Path:
    """Write the SBOM (CycloneDX) of what the lock names; raises subprocess.CalledProcessError."""
    files = ("--pyproject", "pyproject.toml", "-o", str(into / SBOM), str(LOCK))
    words = ("requirements", "--output-reproducible", *files)
    subprocess.run([sys.executable, "-m", "cyclonedx_py", *words], cwd=CHECKOUT, check=True, capture_output=True)
    return into / SBOM


def build_twice(into: Path) -> Mapping[str, str]:
    """Build everything, build it again from the sdist alone, and write the sums; give each file's sum by its name.

    Raises ValueError when the second build differs from the first.
    """
    into.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        return _build_from(archive(Path(folder)), into)


def archive(folder: Path) -> Path:
    """Write what the present commit holds into a folder, as an archive has it; raises subprocess.CalledProcessError."""
    packed = folder / "referee.tar"
    subprocess.run(["git", "archive", "--output", str(packed), "HEAD"], cwd=CHECKOUT, check=True)
    with tarfile.open(packed) as opened:
        opened.extractall(folder / "referee", filter="data")
    return folder / "referee"


def image() -> str:
    """Build the image of the present commit where podman can, and give a line that says so, or why not."""
    if not shutil.which("podman"):
        return "No image was built: podman isn't installed."
    with TemporaryDirectory() as folder:
        name = f"referee:{__version__}"
        command = ["podman", "build", "--format", "docker", "--tag", name, "--file", "docs/hosting/Containerfile", "."]
        done = subprocess.run(command, cwd=archive(Path(folder)), capture_output=True, text=True, check=False)
    return f"Built the image {name}." if not done.returncode else f"No image was built: {done.stderr.strip()[-300:]}"


def _build_from(source: Path, into: Path) -> Mapping[str, str]:
    for old in [*into.glob("referee-*"), into / SUMS]:
        old.unlink(missing_ok=True)
    files = [build("wheel", into, source), build("sdist", into, source), list_contents(into)]
    with TemporaryDirectory() as folder:
        again = rebuild(files[1], Path(folder))
        different = [file.name for file, second in zip(files, again, strict=False) if sum_of(file) != sum_of(second)]
    if different:
        raise ValueError(f"built twice, and not the same: {', '.join(different)}")
    sums = {file.name: sum_of(file) for file in files}
    (into / SUMS).write_text("".join(f"{found}  {name}\n" for name, found in sums.items()), "utf-8")
    return sums


def rebuild(sdist: Path, folder: Path) -> list[Path]:
    """Build wheel and sdist from an sdist, elsewhere, with files that only their owner may read."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    source = folder / f"referee-{__version__}"
    for file in source.rglob("*"):
        file.chmod(0o700 if file.is_dir() else 0o600)
        os.utime(file, (10**9, 10**9))
    (source / "PKG-INFO").unlink()  # written by each build
    return [build("wheel", folder / "again", source), build("sdist", folder / "again", source)]
