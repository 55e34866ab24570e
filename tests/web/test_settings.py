"""Settings come from four places, the later wins, and a wrong one is refused with the way to mend it."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from referee.web.server.settings import SETTINGS, BrokenSettings, load_settings


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for setting in SETTINGS:
        monkeypatch.delenv(f"REFEREE_{setting.name}", raising=False)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("REFEREE_INSTANCE", str(tmp_path))


def load(config: dict[str, Any] | None = None) -> Flask:
    app = Flask("referee")
    load_settings(app, config)
    return app


def test_the_later_place_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert load().config["THREADS"] == 4
    (tmp_path / "config.toml").write_text("threads = 5\n")
    assert load().config["THREADS"] == 5
    monkeypatch.setenv("REFEREE_THREADS", "6")
    assert load().config["THREADS"] == 6
    assert load({"THREADS": 7}).config["THREADS"] == 7


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("False", False), ("false", False), ("no", False), ("off", False), ("0", False),
        ("True", True), ("yes", True), ("on", True), ("1", True),
    ],
)  # fmt: skip
def test_a_variable_is_switched_as_people_write_it(monkeypatch: pytest.MonkeyPatch, written: str, value: bool) -> None:
    monkeypatch.setenv("REFEREE_RATELIMIT_ENABLED", written)
    assert load().config["RATELIMIT_ENABLED"] is value


def test_a_secret_key_of_digits_stays_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_SECRET_KEY", "123")
    assert load().config["SECRET_KEY"] == "123"


@pytest.mark.parametrize(
    ("address", "used"),
    [
        ("postgres://ada@db/referee", "postgresql+psycopg://ada@db/referee"),
        ("postgresql://ada@db/referee", "postgresql+psycopg://ada@db/referee"),
        ("postgresql+psycopg://ada@db/referee", "postgresql+psycopg://ada@db/referee"),
        ("sqlite:///other.db", "sqlite:///other.db"),
    ],
)
@pytest.mark.parametrize("variable", ["DATABASE_URL", "REFEREE_DATABASE_URL"])
def test_the_database_is_named_as_hosts_name_it(
    monkeypatch: pytest.MonkeyPatch, variable: str, address: str, used: str
) -> None:
    monkeypatch.setenv(variable, address)
    assert load().config["SQLALCHEMY_DATABASE_URI"] == used


def test_without_a_word_the_database_is_in_the_instance_folder(tmp_path: Path) -> None:
    assert load().config["SQLALCHEMY_DATABASE_URI"] == f"sqlite:///{tmp_path.as_posix()}/referee.db"


@pytest.mark.promise("security#private-files")
def test_the_secret_key_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    first, second = load().config["SECRET_KEY"], load().config["SECRET_KEY"]
    assert first == second
    assert len(first) >= 32
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["secret_key"]


def test_the_secret_key_is_on_the_disk_before_anybody_has_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    synced: list[tuple[bool, int]] = []
    sync = os.fsync

    def note(descriptor: int) -> None:
        found = os.fstat(descriptor)
        synced.append((stat.S_ISDIR(found.st_mode), found.st_size))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    key = load().config["SECRET_KEY"]
    assert [folder for folder, _ in synced] == [False, True], "the file, then its name in the folder"
    assert synced[0][1] == len(key)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "has 0 characters; it needs at least 16"),
        (b" \n", "has 0 characters"),
        (b"x" * 15, "has 15 characters; it needs at least 16"),
        (b"\xff" * 40, "can’t read the secret key"),
    ],
)
def test_a_secret_key_that_is_none_stops_the_start_with_a_reason(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "secret_key").write_bytes(content)
    with pytest.raises(BrokenSettings) as caught:
        load()
    assert said in str(caught.value)
    assert str(tmp_path / "secret_key") in str(caught.value)
    assert (tmp_path / "secret_key").read_bytes() == content, "what is there may still help"


def test_a_secret_key_is_taken_as_it_stands_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "secret_key").write_text("0123456789abcdef\n")
    assert load().config["SECRET_KEY"] == "0123456789abcdef\n", "cookies were signed so"


def test_an_empty_secret_key_in_the_settings_is_not_taken_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_SECRET_KEY", "")
    with pytest.raises(BrokenSettings, match="SECRET_KEY is empty"):
        load()


def test_a_secret_key_that_can_be_guessed_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("REFEREE_SECRET_KEY", "0123456789abcdef")
    load()
    assert "guessed" not in caplog.text
    monkeypatch.setenv("REFEREE_SECRET_KEY", "changeme")
    load()
    assert "SECRET_KEY is easy to guess" in caplog.text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("treads = 5", ["config.toml", "TREADS", "Did you mean THREADS?"]),
        ("threads = 'five'", ["config.toml", "THREADS must be int", "'five'"]),
        ("threads = true", ["THREADS must be int"]),
        ("sign_up = 'maybe'", ["SIGN_UP must be bool"]),
        ("ratelimit_guesses = 'few'", ["RATELIMIT_GUESSES must be like “30 per minute", "'few'"]),
        ("threads = ", ["config.toml", "this isn’t valid TOML"]),
        ("trusted_hosts = 'uno.example'", ["TRUSTED_HOSTS must be list"]),
        ("port = 65536", ["config.toml", "PORT must be from 0 to 65535, not 65536"]),
        ("port = -1", ["PORT must be from 0 to 65535"]),
    ],
)
def test_a_wrong_setting_is_refused_with_the_way_to_mend_it(tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(BrokenSettings) as caught:
        load()
    for word in words:
        assert word in str(caught.value)


def test_all_wrong_settings_are_named_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("treads = 5\nproxies = 'one'\n")
    monkeypatch.setenv("REFEREE_SINGUP", "no")
    with pytest.raises(BrokenSettings) as caught:
        load()
    assert len(caught.value.problems) == 3


def test_settings_of_the_libraries_pass_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_SQLALCHEMY_ECHO", "false")
    monkeypatch.setenv("REFEREE_RATELIMIT_STRATEGY", "moving-window")
    assert load().config["SQLALCHEMY_ECHO"] is False
    assert load().config["RATELIMIT_STRATEGY"] == "moving-window"
