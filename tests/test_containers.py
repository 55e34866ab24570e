"""The container file and the compose file keep step with the package: settings, extras, port, and how it is started.

No engine is needed here: what they run is run without one, the very command and the very check. `tools.machines`
builds and runs them for real.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask
from sqlalchemy.engine import make_url

from referee.paths import CHECKOUT
from referee.web.server.settings import SETTINGS, load_settings
from tests.faults.evening import PATIENCE

CONTAINERFILE = CHECKOUT / "docs" / "hosting" / "Containerfile"
COMPOSE = CHECKOUT / "docs" / "hosting" / "compose.yaml"
LOCK = "docs/hosting/requirements.lock"
PORT = "8000"


def instructions() -> list[tuple[str, str]]:
    """Read the container file: each instruction and its rest, continued lines joined."""
    text = re.sub(r"\\\n\s*", "", CONTAINERFILE.read_text("utf-8"))
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, rest in lines]


def rest_of(word: str) -> str:
    (rest,) = [rest for found, rest in instructions() if found == word]
    return rest


def command_in(rest: str) -> list[str]:
    """Read a command in the form of a list, which needs no shell."""
    command: list[str] = json.loads(rest[rest.index("[") :])
    return command


@pytest.fixture
def compose() -> Any:
    return yaml.safe_load(COMPOSE.read_text("utf-8"))


@pytest.fixture
def project() -> Any:
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))


def test_the_image_is_made_of_what_the_package_is_made_of(project: Any) -> None:
    copied = {path for word, rest in instructions() if word == "COPY" for path in rest.split()[:-1]}
    needed = {path.strip("/") for path in project["tool"]["hatch"]["build"]["include"]}
    needed |= {"pyproject.toml", project["project"]["readme"], LOCK}
    needed |= {file for file in project["project"]["license-files"] if not file.startswith(tuple(needed))}
    assert copied == needed
    assert [path for path in copied if not (CHECKOUT / path).exists()] == []


def test_the_image_has_the_extras_and_the_python_that_the_package_names(project: Any) -> None:
    (extras,) = re.findall(r"/source\[([\w,]+)\]", CONTAINERFILE.read_text("utf-8"))
    assert set(extras.split(",")) == {"server", "postgres", "redis"}
    assert set(extras.split(",")) <= project["project"]["optional-dependencies"].keys()
    installs = [rest for word, rest in instructions() if word == "RUN" and "pip install" in rest]
    assert [("--require-hashes" in rest, "--no-deps" in rest) for rest in installs] == [(True, True)], "by hash, all"
    python = rest_of("FROM").rpartition(":")[2].removesuffix("-slim")
    assert project["project"]["requires-python"] == f">={python}"


def test_the_app_runs_as_nobody_and_owns_its_instance_folder_only() -> None:
    words = [word for word, _ in instructions()]
    user, folder = rest_of("USER"), rest_of("VOLUME")
    assert user not in ("root", "0")
    assert words.index("USER") < words.index("CMD")
    made = next(rest for word, rest in instructions() if word == "RUN" and "useradd" in rest)
    assert f"--owner {user} --mode 700 {folder}" in made
    assert rest_of("ENV") == f"REFEREE_INSTANCE={folder}"


def test_every_setting_in_the_files_is_one_and_is_understood(
    compose: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in os.environ:
        if name.startswith("REFEREE_"):
            monkeypatch.delenv(name)
    given = compose["services"]["app"]["environment"]
    for name, value in given.items():
        assert isinstance(value, str), f"{name}: YAML would make {value!r} of it"
        monkeypatch.setenv(name, re.sub(r"\$\{(?:POSTGRES_PASSWORD|SITE):\?[^}]*\}", "secret", value))
    monkeypatch.setenv(rest_of("ENV").partition("=")[0], str(tmp_path))
    app = Flask("settings")
    load_settings(app, None)  # raises BrokenSettings for a name or value that cannot be
    changed = {setting.name for setting in SETTINGS if app.config[setting.name] != setting.default}
    assert changed == {"INSTANCE", "SECRET_KEY"} | {name.removeprefix("REFEREE_") for name in given}
    address = make_url(app.config["SQLALCHEMY_DATABASE_URI"])
    database = compose["services"]["database"]["environment"]
    assert (address.drivername, address.host) == ("postgresql+psycopg", "database")
    assert (address.username, address.database) == (database["POSTGRES_USER"], database["POSTGRES_DB"])
    assert database["POSTGRES_PASSWORD"] in given["DATABASE_URL"]
    (checked,) = re.findall(r"http://([^:/]+):", rest_of("HEALTHCHECK"))
    assert checked in app.config["TRUSTED_HOSTS"], "else the check of health is refused"


def test_the_files_agree_on_port_folders_and_where_they_stand(compose: Any) -> None:
    app = compose["services"]["app"]
    assert rest_of("EXPOSE") == PORT
    assert f":{PORT}/healthz" in rest_of("HEALTHCHECK")
    assert f"0.0.0.0:{PORT}" in command_in(rest_of("CMD"))
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["proxy"]
    assert compose["services"]["proxy"]["environment"]["SERVERS"] == f"app:{PORT}"
    assert f"reverse_proxy 127.0.0.1:{PORT}" in (CHECKOUT / "docs" / "pages" / "host" / "https.md").read_text("utf-8")
    assert app["volumes"] == [f"instance:{rest_of('VOLUME')}"]
    context = (COMPOSE.parent / app["build"]["context"]).resolve()
    assert context == CHECKOUT
    assert context / app["build"]["dockerfile"] == CONTAINERFILE
    volumes = [volume for service in compose["services"].values() for volume in service.get("volumes", ())]
    mounted = {volume.partition(":")[0] for volume in volumes}
    assert mounted == set(compose["volumes"]) | {"./Caddyfile"}
    assert app["depends_on"] == {"database": {"condition": "service_healthy"}}, "the tables are made at the start"
    assert compose["services"]["database"]["healthcheck"]["test"]


def test_what_the_image_would_start_starts_and_is_found_healthy(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    program, *options = [part.replace(PORT, port) for part in command_in(rest_of("CMD"))]
    check = [part.replace(PORT, port) for part in command_in(rest_of("HEALTHCHECK"))]
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("REFEREE_", "DATABASE_URL"))}
    settings |= {"REFEREE_INSTANCE": str(tmp_path / "instance"), "REFEREE_TRUSTED_HOSTS": '["127.0.0.1"]'}
    log = tmp_path / "log"
    with log.open("wb") as stream:
        command = [sys.executable, "-m", program, *options]
        server = subprocess.Popen(command, cwd=CHECKOUT, env=settings, stdout=stream, stderr=stream)
    try:
        deadline = time.monotonic() + PATIENCE
        while subprocess.run([sys.executable, *check[1:]], capture_output=True).returncode != 0:
            assert server.poll() is None, log.read_text("utf-8")
            assert time.monotonic() < deadline, log.read_text("utf-8")
        assert (tmp_path / "instance" / "referee.db").exists()
    finally:
        server.terminate()
        server.wait(30)
    assert subprocess.run([sys.executable, *check[1:]], capture_output=True).returncode != 0, "nobody answers any more"
