"""What is built is what runs: the wheel, from an empty folder, with nothing of the checkout in reach."""

import email
import gzip
import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from referee import __version__, create_app
from referee.paths import CHECKOUT
from referee.web.server.database import db
from referee.web.server.static_files import WORDS
from tests.faults.evening import PATIENCE
from tests.ground.browser import complaints
from tools.pictures.sample import Season, furnish
from tools.pictures.states import STATES, viewing
from tools.releasing import artefacts, cutting

SCRIPT = """
import json, referee
from referee.web.server import static_files
from pathlib import Path
app = referee.create_app()
client = app.test_client()
with app.test_request_context():
    style = static_files.address_of("css/base.css")
page = client.get("/nowhere")
print(json.dumps({
    "package": str(Path(referee.__file__).parent),
    "page": [page.status_code, page.mimetype],
    "style": client.get(style).status_code,
    "database": app.config["SQLALCHEMY_DATABASE_URI"],
    "typed": (Path(referee.__file__).parent / "py.typed").exists(),
}))
"""

# A picture of a page that was left at once is drawn to its end; others wait meanwhile, or ask again
BUSY = 503


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout."""
    return artefacts.build("wheel", tmp_path_factory.mktemp("wheel"))


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
    environment = {"PATH": os.environ["PATH"], "HOME": str(where), "REFEREE_INSTANCE": str(where / "here")}
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


def test_what_was_installed_brings_a_database_of_the_first_release_up_to_date(installed: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    dump = gzip.decompress((CHECKOUT / "tests" / "records" / "releases" / "1.0.0.sql.gz").read_bytes()).decode()
    with closing(sqlite3.connect(here / "referee.db")) as made:
        made.executescript(dump)
    assert re.search(r"went from version 0002\S* to \S+", run(installed, tmp_path, "-m", "referee", "db", "upgrade"))
    assert "nothing to do" in run(installed, tmp_path, "-m", "referee", "db", "upgrade")
    assert "No problems found" in run(installed, tmp_path, "-m", "referee", "check")


def test_an_archive_without_git_knows_its_commit(tmp_path: Path) -> None:
    source = artefacts.archive(tmp_path)
    assert not (source / ".git").exists()
    head = cutting.git("rev-parse", "HEAD")
    assert head[:12] in run(Path(sys.executable), source, "-m", "referee", "--version")
    assert f'Source = "{cutting.addresses()["Source"]}"' in (source / "pyproject.toml").read_text("utf-8")


SOURCE = re.compile(r"https?://[^\s\"'<>)\]]*\bgit[^\s\"'<>)\]]*", re.IGNORECASE)
"""An address where a source may be."""
OTHERS = re.compile(r"github\.com/(?:weblate|actions|pyodide|[\w.-]+/[\w.-]+)|git-scm|registry\.npmjs")


def test_wherever_the_source_has_an_address_it_is_that_of_the_package() -> None:
    source = cutting.addresses()["Source"]
    assert all(each.startswith(source) for each in cutting.addresses().values())
    found = {
        (name, address)
        for name in cutting.git("ls-files", "*.md", "*.toml", "*.html", "*.json", "*.yml", "run").splitlines()
        if not name.endswith("package-lock.json")
        for address in SOURCE.findall((CHECKOUT / name).read_text("utf-8"))
    }
    assert ("README.md", f"{source}.git") in found
    assert [each for each in sorted(found) if not each[1].startswith(source) and not OTHERS.search(each[1])] == []


@pytest.mark.extended
def test_a_release_is_cut_from_a_clean_clone_or_nothing_is(tmp_path: Path) -> None:
    clone, into = tmp_path / "clone", tmp_path / "dist"
    cutting.git("clone", "--quiet", "--no-local", str(CHECKOUT), str(clone))
    cutting.git("checkout", "--quiet", "-B", "release", tree=clone)  # what is checked is often no branch
    for name, value in (("user.name", "Host"), ("user.email", "host@example.org")):
        cutting.git("config", name, value, tree=clone)
    changes = clone / "CHANGELOG.md"
    text = changes.read_text("utf-8")
    before, _, after = text.partition("## Unreleased\n")
    changes.write_text(
        f"{before}## Unreleased\n\n### Added\n\n- It.\n\n## {after.partition(chr(10) + '## ')[2]}", "utf-8"
    )
    cut = [sys.executable, "-m", "tools.releasing", "cut", "9.0.0", "--into", str(into)]
    refused = subprocess.run(cut, cwd=clone, capture_output=True, text=True, check=False)
    assert (refused.returncode, "aren't committed" in refused.stderr) == (1, True)
    cutting.git("commit", "--quiet", "--all", "--message", "News", tree=clone)
    begun = cutting.git("rev-parse", "HEAD", tree=clone)
    done = subprocess.run(cut, cwd=clone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = cutting.git("rev-parse", "v9.0.0^{commit}", tree=clone)
    assert made == cutting.git("rev-parse", "HEAD", tree=clone) != begun
    assert cutting.git("status", "--porcelain", tree=clone) == ""
    assert cutting.git("worktree", "list", tree=clone).count("\n") == 0
    names = {file.name for file in into.iterdir()}
    assert names == {"referee-9.0.0-py3-none-any.whl", "referee-9.0.0.tar.gz", artefacts.SBOM, artefacts.SUMS}
    with zipfile.ZipFile(into / "referee-9.0.0-py3-none-any.whl") as wheel:
        assert wheel.read("referee/COMMIT").decode().strip() == made
    sums = (into / artefacts.SUMS).read_text()
    again = [sys.executable, "-m", "tools.releasing", "build", "--into", str(into)]
    subprocess.run(again, cwd=clone, capture_output=True, check=True)
    assert (into / artefacts.SUMS).read_text() == sums, "from one commit the same bytes"
    assert subprocess.run(cut, cwd=clone, capture_output=True, text=True, check=False).returncode == 1
    renamed = [sys.executable, "-m", "tools.releasing", "addresses", "https://code.example.net/uno.git"]
    told = subprocess.run(renamed, cwd=clone, capture_output=True, text=True, check=True).stdout.split()
    assert {"README.md", "pyproject.toml"} <= set(told)
    assert "git clone https://code.example.net/uno.git" in (clone / "README.md").read_text("utf-8")


@pytest.fixture
def served(installed: Path, tmp_path: Path) -> Iterator[tuple[str, Season]]:
    """The address of ``referee serve`` as it was installed, and the season on its database."""
    here = tmp_path / "here"
    here.mkdir()
    season = furnish(create_app({"INSTANCE": str(here), "SECRET_KEY": "x" * 32, "RATELIMIT_ENABLED": False}))
    with season.app.app_context():
        db.session.remove()
        db.engine.dispose()
    (here / "secret_key").write_text("x" * 32)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(installed), "-m", "referee", "serve", "--port", str(port)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "REFEREE_INSTANCE": str(here)}
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
    try:
        until = time.monotonic() + PATIENCE
        while not _listens(port):
            assert server.poll() is None, (tmp_path / "log").read_text()
            assert time.monotonic() < until
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", season
    finally:
        server.terminate()
        server.wait(30)


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def test_every_page_of_what_was_installed_is_there_with_all_its_files(
    browser: Browser, served: tuple[str, Season]
) -> None:
    url, season = served
    with viewing(browser, url, season) as viewer:
        refused: list[str] = []
        heard: dict[str, list[str]] = {}
        wanted = {(state.who, viewer.path(state)): state for state in STATES if state.script}
        for (who, path), state in wanted.items():
            page = viewer.page(who)
            if who not in heard:
                heard[who] = complaints(page)
                page.on("response", lambda one: refused.append(one.url) if 400 <= one.status != BUSY else None)
            answer = page.goto(path, wait_until="load")
            assert answer
            assert answer.status == state.status, path
        ours = {viewer.url + path for (_, path), state in wanted.items() if state.status >= 400}
    assert set(refused) <= ours
    assert len(wanted) > 50
    said = [line for lines in heard.values() for line in lines if "Failed to load resource" not in line]
    assert said == []


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
    beside -= {f"static/{name}" for name in WORDS}  # which the app makes; linters and tests write them
    assert shipped == beside


def test_wheel_and_sdist_are_the_same_from_any_folder_at_any_time(wheel: Path, tmp_path: Path) -> None:
    sdist = artefacts.build("sdist", tmp_path)
    again = artefacts.rebuild(sdist, tmp_path / "elsewhere")
    assert [artefacts.sum_of(file) for file in again] == [artefacts.sum_of(file) for file in (wheel, sdist)]


def test_the_metadata_say_what_is_so_and_invent_no_address(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        folder = f"referee-{__version__}.dist-info"
        stated = email.message_from_bytes(archive.read(f"{folder}/METADATA"))
        licences = [archive.read(f"{folder}/licenses/{name}").decode() for name in stated.get_all("License-File", ())]
    assert (stated["Name"], stated["Version"]) == ("referee", __version__)
    assert stated["License-Expression"] == "MIT AND OFL-1.1"
    assert ["MIT License" in licences[0], "SIL OPEN FONT LICENSE Version 1.1" in licences[1]] == [True, True]
    assert stated["Author"] == "The authors of Referee"
    assert dict(one.split(", ") for one in stated.get_all("Project-URL", ())) == dict(cutting.addresses())
    text = stated.get_payload()
    assert isinstance(text, str)
    assert re.findall(r"https?://[^>\s)]+", text) == ["http://127.0.0.1:8000"]
    assert re.findall(r"\]\(", text) == [], "a link or picture would lead nowhere, away from the checkout"
