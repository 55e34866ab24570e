"""What is built is what runs: the wheel, from an empty folder, with nothing of the checkout in reach."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from referee import __version__
from referee.paths import CHECKOUT

SCRIPT = """
import json, referee
from pathlib import Path
app = referee.create_app()
client = app.test_client()
with app.test_request_context():
    style = app.url_for("static", filename="css/base.css")
page = client.get("/nowhere")
print(json.dumps({
    "package": str(Path(referee.__file__).parent),
    "page": [page.status_code, page.mimetype],
    "style": client.get(style).status_code,
    "database": app.config["SQLALCHEMY_DATABASE_URI"],
    "typed": (Path(referee.__file__).parent / "py.typed").exists(),
}))
"""


def build(kind: str, into: Path, source: Path = CHECKOUT) -> Path:
    """Build a wheel or an sdist and return it."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(into)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = into.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout."""
    return build("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel and, by a path, what it depends on."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(packages)]
    subprocess.run([*install, str(wheel)], check=True)
    dependencies = Path(pytest.__file__).parent.parent
    (packages / "dependencies.pth").write_text(f"{dependencies}\n")  # the checkout's own .pth is not read
    return folder / "bin" / "python"


def run(python: Path, where: Path, *words: str) -> str:
    """Run the installed Python in a folder, knowing nothing of the checkout, and return what it printed."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(where),
        "REFEREE_INSTANCE": str(where / "here"),
    }
    done = subprocess.run([python, *words], cwd=where, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_runs_from_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    told = json.loads(run(installed, tmp_path, "-c", SCRIPT))
    assert Path(told["package"]).is_relative_to(installed.parents[1])
    assert told["page"] == [404, "text/html"]
    assert told["style"] == 200
    assert told["database"] == f"sqlite:///{tmp_path.as_posix()}/here/referee.db"
    assert told["typed"]
    assert (tmp_path / "here" / "referee.db").is_file()


def test_the_installed_command_works(installed: Path, tmp_path: Path) -> None:
    assert __version__ in run(installed, tmp_path, "-m", "referee", "--version")
    assert "upgrade" in run(installed, tmp_path, "-m", "referee", "db", "--help")


def test_the_wheel_holds_what_the_app_needs_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"referee", f"referee-{__version__}.dist-info"}
    for needed in (
        "referee/templates/base.html",
        "referee/static/css/base.css",
        "referee/rules/rulebooks/classic-500.toml",
        "referee/py.typed",
    ):
        assert needed in names
    folders = ("referee/templates/", "referee/static/")
    shipped = {name.removeprefix("referee/") for name in names if name.startswith(folders)}
    beside = {
        file.relative_to(CHECKOUT).as_posix()
        for folder in ("templates", "static")
        for file in (CHECKOUT / folder).rglob("*")
        if file.is_file()
    }
    assert shipped == beside


def test_the_sdist_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(build("sdist", tmp_path)) as archive:
        archive.extractall(tmp_path, filter="data")
    again = build("wheel", tmp_path / "again", tmp_path / f"referee-{__version__}")
    assert sorted(zipfile.ZipFile(again).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())

