"""The host's commands: into a club whose keys are lost, and from version to version."""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from sqlalchemy import update

from referee.paths import CHECKOUT
from referee.records.club import access
from referee.records.models import Club
from referee.records.transactions import HEAD
from referee.web.commands.clubs import club_of_the_home
from referee.web.commands.main import main
from referee.web.commands.terminal import home_address
from referee.web.server.database import db
from tests.conftest import MakeApp
from tests.ground.client import find_in


@pytest.fixture
def app(make_app: MakeApp, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """The app on the database that the commands work on."""
    monkeypatch.setenv("REFEREE_DATABASE_URL", database)
    monkeypatch.setenv("REFEREE_INSTANCE", str(tmp_path))
    return make_app()


def found(app: Flask, *names: str) -> list[str]:
    """Found clubs and return their ids."""
    with app.app_context():
        ids = [access.create_club(db.session(), name).club.id for name in names]
        db.session.commit()
    return ids


def referee(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def link_in(result: Result) -> str:
    return find_in(r"https?://\S+(/join/\S+)", result.output)


def test_a_host_opens_the_only_club(app: Flask) -> None:
    found(app, "Tuesday")
    result = referee("invite")
    assert "“Tuesday”" in result.output
    assert "Tuesday" in app.test_client().get(link_in(result)).text


@pytest.mark.parametrize("role", ["scorekeeper", "spectator"])
def test_the_host_says_what_the_key_may_do_and_where_the_app_is(app: Flask, role: str) -> None:
    found(app, "Tuesday")
    result = referee("invite", "--role", role, "--address", "https://uno.example.org/")
    assert "https://uno.example.org/join/" in result.output
    assert ("keep score" in app.test_client().get(link_in(result)).text) is (role == "scorekeeper")


def test_the_first_invitation_founds_the_club(app: Flask) -> None:
    assert "“Our table”" in referee("invite").output
    result = referee("invite")
    assert "“Our table”" in result.output, "the same club, not a second one to choose from"
    assert "Our table" in app.test_client().get(link_in(result)).text


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A port on which something listens, set as the app's."""
    with socket.create_server(("0.0.0.0", 0)) as listener:
        number = int(listener.getsockname()[1])
        monkeypatch.setenv("REFEREE_PORT", str(number))
        yield number


@pytest.mark.usefixtures("app")
@pytest.mark.skipif(home_address() is None, reason="this machine is on no network")
def test_the_link_leads_to_where_the_settings_say_that_it_is_served(port: int) -> None:
    result = referee("invite")
    assert f"  http://{home_address()}:{port}/join/" in result.stdout
    assert result.stderr == ""


@pytest.mark.usefixtures("app")
def test_a_link_to_where_nothing_answers_comes_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.web.commands.terminal.home_address", lambda: "127.0.0.254")  # nobody's
    monkeypatch.setenv("REFEREE_PORT", "1")
    result = referee("invite")
    assert "/join/" in result.stdout
    assert "Nothing answers at http://127.0.0.254:1." in result.stderr
    assert "--lan" in result.stderr


@pytest.mark.usefixtures("app")
def test_behind_a_proxy_the_link_leads_to_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_PROXIES", "1")
    monkeypatch.setenv("REFEREE_TRUSTED_HOSTS", '["uno.example.org", "127.0.0.1"]')
    result = referee("invite")
    assert "  https://uno.example.org/join/" in result.stdout
    assert result.stderr == ""


def test_of_several_clubs_one_is_named(app: Flask) -> None:
    first, second = found(app, "Tuesday", "Friday")
    result = referee("invite")
    assert result.exit_code == 1
    for word in (first, second, "Tuesday", "Friday", "--club"):
        assert word in result.output
    assert "“Friday”" in referee("invite", "--club", second).output
    assert "“Tuesday”" in referee("invite", "--club", "Tuesday").output


def test_a_demo_beside_the_only_club_is_no_choice(app: Flask) -> None:
    ours, demo = found(app, "Tuesday", "Demo table")
    with app.app_context():
        db.session.execute(update(Club).where(Club.id == demo).values(ends_at=datetime(2100, 1, 1, tzinfo=UTC)))
        db.session.commit()
    assert "“Tuesday”" in referee("invite").output
    with app.app_context():
        assert club_of_the_home().id == ours
        db.session.rollback()


def test_of_several_clubs_of_one_name_the_id_decides(app: Flask) -> None:
    _first, second = found(app, "Tuesday", "Tuesday")
    assert "choose one by its id" in referee("invite", "--club", "Tuesday").output
    assert referee("invite", "--club", second).exit_code == 0


@pytest.mark.usefixtures("app")
def test_a_club_there_is_not_is_said_so() -> None:
    result = referee("invite", "--club", "Monday")
    assert (result.exit_code, "“Monday”" in result.output) == (1, True)


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("kind", ["a broken file", "nobody there"])
def test_a_database_that_cannot_be_opened_is_told_in_a_line(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "referee.db"
    file.write_bytes(b"This is no database. " * 100)
    address = f"sqlite:///{file}" if kind == "a broken file" else f"postgresql://referee@/x?host={tmp_path}"
    monkeypatch.setenv("REFEREE_DATABASE_URL", address)
    monkeypatch.setenv("REFEREE_INSTANCE", str(tmp_path))
    for command in ("check", "serve"):
        result = referee(command)
        assert result.exit_code == 1
        assert result.output.startswith("Error: Can’t open the database: ")


def test_a_wrong_setting_stops_the_command_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_TREADS", "5")
    result = referee("invite")
    assert result.exit_code == 1
    assert "Did you mean THREADS?" in result.output
    assert result.exc_info
    assert result.exc_info[0] is SystemExit


@pytest.mark.usefixtures("app")
def test_the_database_tells_its_version() -> None:
    command = [sys.executable, "-m", "referee", "db", "current"]  # Alembic writes past what the runner catches
    assert f"{HEAD} (head)" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.usefixtures("app")
def test_tables_and_program_agree() -> None:
    assert referee("db", "check").exit_code == 0


@pytest.mark.parametrize("words", ["serve --port 70000", "serve --port x", "dance", "invite --role king", "--dance"])
def test_a_wrong_word_is_told_in_a_line(words: str) -> None:
    result = referee(*words.split())
    assert result.exit_code == 2
    assert "Error:" in result.output


def test_serve_leads_to_the_guide_for_https() -> None:
    result = referee("serve", "--lan", "--https")
    assert result.exit_code == 2
    (title,) = re.findall(r"^# (.+)$", (CHECKOUT / "docs/pages/host/https.md").read_text("utf-8"), re.MULTILINE)
    assert f"“{title}”" in result.output
