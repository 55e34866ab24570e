"""One command sets everything up, serves, and shows a phone the way in."""

import os
import re
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest
import zxingcpp
from PIL import Image

from referee.paths import CHECKOUT
from referee.web.commands.terminal import home_address


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script ``run``, in a folder of its own, with everything it starts noted in ``started`` instead."""
    loader = SourceFileLoader("run_script", str(CHECKOUT / "run"))
    spec = spec_from_loader("run_script", loader)
    assert spec
    module = module_from_spec(spec)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(module)
    (tmp_path / "pyproject.toml").write_text("[project]")
    lock = tmp_path / "requirements.lock"
    lock.write_text("flask==3.1.3")
    python = tmp_path / ".venv" / "bin" / "python"
    started: list[tuple[str, ...]] = []

    def make(folder: Path, **_options: object) -> None:
        python.parent.mkdir(parents=True)
        python.touch()
        (folder / "pyvenv.cfg").write_text(f"version = {sys.version.split()[0]}\n")

    def start(*words: str) -> int:
        started.append(words)
        return 0

    monkeypatch.chdir(tmp_path)
    places = {"ROOT": tmp_path, "VENV": tmp_path / ".venv", "PYTHON": python, "LOCK": lock}
    for name, value in (places | {"started": started}).items():
        monkeypatch.setattr(module, name, value, raising=False)
    monkeypatch.setattr(module.venv, "create", make)
    monkeypatch.setattr(module, "pip", lambda *words: start("pip", *words))
    monkeypatch.setattr(module, "start", start)
    monkeypatch.setattr(module, "become", start)
    return module


def installs(script: ModuleType) -> int:
    return sum(words[0] == "pip" and "--editable" in words for words in script.started)


def test_the_first_start_sets_up_and_the_second_does_not(script: ModuleType) -> None:
    assert [script.main([]), script.main([])] == [0, 0]
    assert installs(script) == 1
    assert script.started[-1] == ("-m", "referee", "serve")


@pytest.mark.parametrize("file", ["pyproject.toml", "requirements.lock"])
def test_a_change_of_what_is_needed_sets_up_again(script: ModuleType, tmp_path: Path, file: str) -> None:
    script.main([])
    (tmp_path / file).write_text("# changed")
    script.main([])
    assert installs(script) == 2


def test_what_the_lock_names_is_installed_by_its_hashes_before_the_package(script: ModuleType, tmp_path: Path) -> None:
    script.main([])
    locked, package = (words for words in script.started if words[0] == "pip")
    assert locked[-3:] == ("--require-hashes", "--requirement", str(tmp_path / "requirements.lock"))
    assert package[-3:] == ("--no-build-isolation", "--editable", str(tmp_path))


def test_where_the_lock_does_not_fit_the_newest_versions_do(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*words: str) -> None:
        if "--require-hashes" in words:
            raise subprocess.CalledProcessError(1, ["pip", *words])
        script.start("pip", *words)

    monkeypatch.setattr(script, "pip", refuse)
    assert script.main([]) == 0
    (package,) = (words for words in script.started if words[0] == "pip")
    assert "--no-build-isolation" not in package, "what builds the package is not there either"
    assert "requirements.lock cannot be had here" in capsys.readouterr().out
    script.main([])
    assert installs(script) == 1, "that is not tried at every start"


@pytest.mark.parametrize("found", ["version = 3.10.1\n", "version_info = 3.11\n", "", None], ids=str)
def test_an_environment_of_another_python_is_made_anew(script: ModuleType, tmp_path: Path, found: str | None) -> None:
    script.main([])
    left = tmp_path / ".venv" / "of the other"
    left.touch()
    settings = tmp_path / ".venv" / "pyvenv.cfg"
    settings.unlink() if found is None else settings.write_text(found)
    script.main([])
    assert installs(script) == 2
    assert not left.exists()


def test_tests_need_more_than_serving_and_serving_no_more_than_tests(script: ModuleType, tmp_path: Path) -> None:
    script.main([])
    script.main(["test"])
    assert installs(script) == 2
    assert script.started[-2][-1] == f"{tmp_path}[dev]"
    script.main([])
    assert installs(script) == 2


EVERY_DAY = ("-m", "not extended")
PARALLEL = ("-n", "auto", "--dist", "worksteal", "--durations", "10")


@pytest.mark.parametrize(
    ("words", "started"),
    [
        ([], ("-m", "referee", "serve")),
        (["--lan", "--port", "9000"], ("-m", "referee", "serve", "--lan", "--port", "9000")),
        (["invite", "--club", "Ada"], ("-m", "referee", "invite", "--club", "Ada")),
        (["check"], ("-m", "referee", "check")),
        (["--version"], ("-m", "referee", "--version")),
        (["test"], ("-m", "pytest", *EVERY_DAY, *PARALLEL)),
        (["test", "-q"], ("-m", "pytest", *EVERY_DAY, *PARALLEL, "-q")),
        (["test", "-x"], ("-m", "pytest", *EVERY_DAY, "-x")),
        (["test", "all", "-q"], ("-m", "pytest", *PARALLEL, "-q")),
        (["test", "tests/rules", "-q"], ("-m", "pytest", "tests/rules", "-q")),
        (["test", "-m", "database"], ("-m", "pytest", *PARALLEL, "-m", "database")),
    ],
    ids=lambda words: " ".join(words) or "nothing",
)
def test_words_lead_to_commands(script: ModuleType, words: list[str], started: tuple[str, ...]) -> None:
    assert script.main(words) == 0
    assert script.started[-1] == started


def test_an_old_python_is_told_so(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script.sys, "version_info", (3, 9, 1))
    assert script.main([]) == 1
    assert "Python 3.11 or newer is needed" in capsys.readouterr().err
    assert script.started == []


def test_a_set_up_that_fails_says_which_command_failed(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def fail(*words: str) -> None:
        raise subprocess.CalledProcessError(1, ["pip", *words])

    monkeypatch.setattr(script, "pip", fail)
    assert script.main([]) == 1
    assert "pip install" in capsys.readouterr().err
    assert not list((tmp_path / ".venv").glob("*.stamp")), "the next start tries again"


def test_every_linter_is_run_even_if_the_first_fails(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def fail(*words: str) -> int:
        ran.append(words[1])
        return 1

    monkeypatch.setattr(script, "start", fail)
    monkeypatch.setattr(script, "what_scripts_lack", lambda: "")
    monkeypatch.setattr(script, "lint_scripts", lambda: [str(fail("", "scripts"))])
    assert script.main(["lint"]) == 1
    assert ran == ["ruff", "mypy", "djlint", "mkdocs", "scripts"]


@pytest.mark.parametrize("ci", ["", "true"])
def test_without_node_the_scripts_are_not_checked_which_is_said_and_no_excuse_for_ci(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ci: str
) -> None:
    monkeypatch.setattr(script.shutil, "which", lambda name: None)
    monkeypatch.setenv("CI", ci)
    assert script.main(["lint"]) == bool(ci)
    assert capsys.readouterr().out.endswith("were not checked: Node and npm are not installed.\n")


def test_the_tools_for_scripts_are_installed_once_for_each_lock(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran: list[str] = []

    def program(name: str, *words: str, at: Path) -> int:
        ran.append(f"{name} {words[0]}" if name == "npm" else "node")
        (tmp_path / "node_modules").mkdir(exist_ok=True)
        return 0

    lock = tmp_path / "package-lock.json"
    lock.write_text("{}")
    monkeypatch.setattr(script, "SCRIPTS", tmp_path)
    monkeypatch.setattr(script, "program", program)
    linters = ["node"] * len(script.SCRIPT_LINTERS)
    assert script.lint_scripts() == script.lint_scripts() == []
    assert ran == ["npm ci", *linters, *linters]
    lock.write_text('{"changed": true}')
    script.lint_scripts()
    assert ran.count("npm ci") == 2


@pytest.mark.parametrize("way", ["start", "become"])
def test_whoever_stops_the_script_stops_what_it_started(way: str) -> None:
    program = f"""if True:
        import sys
        from importlib.machinery import SourceFileLoader
        sys.dont_write_bytecode = True
        script = SourceFileLoader("run_script", {str(CHECKOUT / "run")!r}).load_module()
        script.PYTHON = sys.executable
        script.{way}("-c", "import os, time; print(os.getpid(), flush=True); time.sleep(600)")
    """
    words = [sys.executable, "-W", "ignore", "-c", program]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        started = int(process.stdout.readline())
        assert (started == process.pid) == (way == "become" and os.name != "nt"), "a server has no parent standing by"
        process.terminate()
        assert process.communicate(timeout=60)[0] == "", "nobody holds the pipe any more"


# -- the server itself -------------------------------------------------------------------------------------------------


@contextmanager
def serving(instance: Path, *words: str, command: str = "serve", port: int = 0, **settings: str) -> Iterator[str]:
    """Start the server as a host does and yield what it says until it is ready."""
    environment = os.environ | {"REFEREE_INSTANCE": str(instance), "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
    environment |= {"REFEREE_PORT": str(port)} | {f"REFEREE_{name}": value for name, value in settings.items()}
    started = [sys.executable, "-m", "referee", command, *words]
    with subprocess.Popen(started, cwd=instance, env=environment, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout
        said = ""
        for line in process.stdout:
            said += line
            if "Ctrl+C" in line:
                break
        try:
            yield said
        finally:
            process.terminate()
            process.wait(10)


def status(address: str | urllib.request.Request) -> int:
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return int(error.code)


def picture_of(terminal: str) -> Image.Image:
    """Draw the half blocks of a terminal as a picture, black where the terminal is dark."""
    lines = [line for line in terminal.splitlines() if line and set(line) <= set("█▀▄ ")]
    width = max(map(len, lines))
    picture = Image.new("L", (width, 2 * len(lines)), 0)
    for row, line in enumerate(lines):
        for column, character in enumerate(line):
            picture.putpixel((column, 2 * row), 255 if character in "█▀" else 0)
            picture.putpixel((column, 2 * row + 1), 255 if character in "█▄" else 0)
    return picture.resize((width * 8, picture.height * 8), Image.Resampling.NEAREST)


def test_the_server_says_where_it_is_and_where_it_keeps_things(tmp_path: Path) -> None:
    with serving(tmp_path) as said:
        found = re.search(r"http://127\.0\.0\.1:\d+", said)
        assert found
        assert status(found[0]) == 200
    assert str(tmp_path) in said
    assert (tmp_path / "referee.db").exists()


FIRST_POSTS: tuple[tuple[str, str, bytes], ...] = (
    ("/api/v1/clubs", "application/json", b'{"name": "Sunday table"}'),
    ("/api/v1/hearings", "application/json", b'{"rulebook": "official", "dispute": "deal", "facts": {"players": 4}}'),
    ("/api/v1/score", "application/json", b'{"rulebook": "classic-500", "went_out": "Ada", "hands": {"Bo": ["7"]}}'),
    ("/api/v1/rulebooks/check", "application/json", b"{}"),
    ("/api/v1/matches", "application/json", b'{"players": ["Ada", "Bo"], "rulebook": "classic-500"}'),
    ("/matches/new", "application/x-www-form-urlencoded", b"players=Ada&players=Bo"),
    ("/rules/own/new", "application/x-www-form-urlencoded", b"title=Ours"),
    ("/recover", "application/x-www-form-urlencoded", b"token=x"),
)
"""What eight phones and programs send a server that nobody has asked for anything: path, type and body."""
ANSWERS = [201, 200, 200, 200, 401, 400, 400, 400]
"""The statuses of the answers: some are taken, some refused, and none ends in an error of the server."""


def first_answers(instance: Path) -> list[int]:
    """Start a server, send it all of FIRST_POSTS at the same moment, and return the statuses."""
    instance.mkdir()
    with serving(instance) as said:
        found = re.search(r"http://127\.0\.0\.1:\d+", said)
        assert found, said
        together = threading.Barrier(len(FIRST_POSTS))

        def send(post: tuple[str, str, bytes]) -> int:
            path, kind, body = post
            request = urllib.request.Request(found[0] + path, body, {"Content-Type": kind})
            together.wait()
            return status(request)

        with ThreadPoolExecutor(len(FIRST_POSTS)) as phones:
            return list(phones.map(send, FIRST_POSTS))


def test_eight_first_posts_at_once_are_all_answered(tmp_path: Path) -> None:
    assert first_answers(tmp_path / "instance") == ANSWERS


@pytest.mark.skipif(home_address() is None, reason="this machine is on no network")
def test_the_code_in_the_terminal_lets_a_phone_in_once(tmp_path: Path) -> None:
    with serving(tmp_path, "--lan") as said:
        link = re.search(r"http://\S+/join/\S+", said)
        assert link
        (code,) = zxingcpp.read_barcodes(picture_of(said))
        assert code.text == link[0]
        assert status(link[0]) == 200


@pytest.mark.skipif(home_address() is None, reason="this machine is on no network")
def test_the_setting_lets_phones_in_without_a_word(tmp_path: Path) -> None:
    with serving(tmp_path, HOST="0.0.0.0") as said:
        found = re.search(rf"http://{home_address()}:\d+", said)
        assert found, said
        assert status(found[0]) == 200
        assert "/join/" not in said, "a service writes no keys into its journal"


@pytest.mark.skipif(home_address() is None, reason="this machine is on no network")
def test_the_demo_shows_itself_and_a_second_one_goes_to_the_server_that_runs(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    with serving(tmp_path, command="demo", port=port) as said:
        environment = os.environ | {"REFEREE_INSTANCE": str(tmp_path), "REFEREE_PORT": str(port)}
        second = [sys.executable, "-m", "referee", "demo", "--seed", "3"]
        more = subprocess.run(second, env=environment, capture_output=True, text=True, check=True, timeout=120)
        links = [re.findall(rf"http://{home_address()}:{port}/join/\S+", text) for text in (said, more.stdout)]
        assert [len(found) for found in links] == [1, 1]
        assert [status(link) for (link,) in links] == [200, 200]
        (code,) = zxingcpp.read_barcodes(picture_of(said))
        assert [code.text] == links[0]
        assert more.stderr == "", "something answers there"


def test_a_port_in_use_is_told_with_a_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "referee", "serve", "--port", str(port)]
        environment = os.environ | {"REFEREE_INSTANCE": str(tmp_path)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"Try --port {port + 1}" in done.stderr
    assert "Traceback" not in done.stderr
