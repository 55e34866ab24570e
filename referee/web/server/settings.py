"""Gather the settings: defaults, then ``config.toml`` in the instance folder, then ``REFEREE_*``, then the caller's.

``settings.toml`` lists them all; the documentation takes its table from there. Unknown settings and wrong types are
refused, all at once, each with its source.
"""

import contextlib
import difflib
import json
import os
import re
import secrets
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Config, Flask
from limits import parse_many

from referee.paths import default_instance, make_private_folder, sync_folder
from referee.web.words import say

KINDS: Mapping[str, tuple[type, ...]] = {
    "text": (str, type(None)),
    "path": (str, Path, type(None)),
    "secret": (str, bytes, type(None)),
    "list": (list, type(None)),
}
"""The types of settings without a default, by their kind; the others have that of their default."""


@dataclass(frozen=True)
class Setting:
    """One setting of the app: its name, default, the types it may have, and what it does, in Markdown."""

    name: str
    default: Any
    types: tuple[type, ...]
    about: str
    unset: str
    """What stands for a default that is worked out."""


def _read_settings() -> Iterator[Setting]:
    for name, table in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items():
        default = table.get("default")
        types = KINDS[table["kind"]] if default is None else (type(default),)
        yield Setting(name, default, types, table["about"], table.get("unset", ""))


SETTINGS = tuple(_read_settings())
RATES = ("RATELIMIT_GUESSES", "RATELIMIT_HEARINGS", "RATELIMIT_LOOKUPS", "RATELIMIT_PUBLIC")
"""Settings that are rates, in the notation of the library ``limits``."""
PREFIX = "REFEREE_"


FIXED = {
    "WTF_CSRF_TIME_LIMIT": None,  # a phone that was offline posts late; the token lives as long as its session
    "WTF_CSRF_CHECK_DEFAULT": False,  # we check ourselves, see referee.web.server.sessions
    "SESSION_COOKIE_HTTPONLY": True,
    "SESSION_COOKIE_SAMESITE": "Lax",
    "PERMANENT_SESSION_LIFETIME": 400 * 24 * 3600,  # browsers keep no cookie longer than 400 days
    "SQLALCHEMY_TRACK_MODIFICATIONS": False,
}

FOREIGN_PREFIXES = ("SQLALCHEMY_", "RATELIMIT_", "WTF_", "SESSION_")
"""Settings of the extensions: passed through as they are."""

ONLY_HERE = frozenset({"TEXTS", "TEST_DATABASE", "REQUIRE_BROWSER", "KILLS", "FAILOVERS", "SEED", "FUZZ"})
"""``REFEREE_*`` variables that are read elsewhere, not settings."""

SHORTEST_SECRET = 16
"""Least characters of a secret key."""


class BrokenSettings(Exception):
    """Raised for wrong settings; the message has which, where each was set, and what would be right."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class _Given:
    name: str
    value: Any
    where: str


def load_settings(app: Flask, config: Mapping[str, Any] | None) -> Path:
    """Fill ``app.config`` and return the instance folder (which may not exist yet).

    Raises BrokenSettings.
    """
    caller = [_Given(name, value, "create_app") for name, value in (config or {}).items()]
    environment = list(_from_environment())
    chosen = next((each.value for each in (*caller, *environment) if each.name == "INSTANCE" and each.value), None)
    instance = Path(chosen).expanduser().absolute() if chosen else default_instance()
    given = [*_from_file(instance / "config.toml"), *environment, *caller]
    problems = [problem for entry in given if (problem := _problem(entry, app.config))]
    if problems:
        raise BrokenSettings(problems)
    app.config.update(FIXED)
    app.config.update({setting.name: setting.default for setting in SETTINGS})
    app.config.update({entry.name: entry.value for entry in given})
    app.config["INSTANCE"] = str(instance)
    address = app.config["DATABASE_URL"]
    if address is None:
        address = f"sqlite:///{(instance / 'referee.db').as_posix()}"
    address = re.sub("^postgres(ql)?://", "postgresql+psycopg://", address)  # SQLAlchemy would look for psycopg 2
    app.config.setdefault("SQLALCHEMY_DATABASE_URI", address)
    if not app.config["SECRET_KEY"]:
        app.config["SECRET_KEY"] = _stored_secret(instance)
    elif len(app.config["SECRET_KEY"]) < SHORTEST_SECRET and "SECRET_KEY" not in (config or {}):
        app.logger.warning(say("setting.guessable", least=SHORTEST_SECRET))
    if app.config["PROXIES"] and not app.config["TRUSTED_HOSTS"]:
        app.logger.warning(say("setting.any-host"))
    return instance


def _from_file(file: Path) -> Iterator[_Given]:
    try:
        document = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return
    except (ValueError, RecursionError) as error:  # ValueError also for bytes that are no text, and endless numbers
        raise BrokenSettings([say("setting.toml", file=file, reason=error)]) from error
    for name, value in document.items():
        yield _Given(name.upper(), value, str(file))


def _from_environment() -> Iterator[_Given]:
    if address := os.environ.get("DATABASE_URL"):  # the name that hosting services use
        yield _Given("DATABASE_URL", address, "DATABASE_URL")
    texts = {setting.name for setting in SETTINGS if str in setting.types}
    switches = {setting.name for setting in SETTINGS if setting.types == (bool,)}
    for variable, text in sorted(os.environ.items()):
        name = variable.removeprefix(PREFIX)
        if variable.startswith(PREFIX) and name not in ONLY_HERE:
            value = text if name in texts else _read(text)
            yield _Given(name, bool(value) if name in switches and value in (0, 1) else value, variable)


def _read(text: str) -> Any:
    """Read a variable as JSON, or as a word such as ``True``, ``yes`` and ``off``."""
    word = text.strip().lower()
    if word in ("true", "yes", "on"):
        return True
    if word in ("false", "no", "off"):
        return False
    try:
        return json.loads(text)
    except ValueError:
        return text


def _problem(given: _Given, known: Config) -> str | None:
    declared = {setting.name: setting for setting in SETTINGS}
    setting = declared.get(given.name)
    if setting is None:
        if given.name in known or given.name.startswith(FOREIGN_PREFIXES) or given.where == "create_app":
            return None
        nearest = difflib.get_close_matches(given.name, declared, n=1)
        if nearest:
            return say("setting.misspelled", where=given.where, name=given.name, nearest=nearest[0])
        return say("setting.unknown", where=given.where, name=given.name, known=", ".join(declared))
    wrong_bool = isinstance(given.value, bool) and bool not in setting.types
    if wrong_bool or not isinstance(given.value, setting.types):
        wanted = " or ".join(kind.__name__ for kind in setting.types if kind is not type(None))
        return say("setting.type", where=given.where, name=given.name, wanted=wanted, value=given.value)
    if given.name in RATES:
        try:
            parse_many(str(given.value))
        except ValueError:
            return say("setting.rate", where=given.where, name=given.name, value=given.value)
    if given.name == "PORT" and given.value not in range(65536):
        return say("setting.port", where=given.where, value=given.value)
    if given.name == "SECRET_KEY" and given.value == "" and given.where != "create_app":
        return say("setting.empty-secret", where=given.where, least=SHORTEST_SECRET)
    return None


def _stored_secret(instance: Path) -> str:
    """Read the secret key, or make it once: two starts at the same moment end up with the same one.

    Raises BrokenSettings for one that is too short, such as what a power cut left of it.
    """
    file = instance / "secret_key"
    if not file.exists():
        make_private_folder(instance)
        ours = instance / f"secret_key.{secrets.token_hex(4)}"
        with open(os.open(ours, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as new:
            new.write(secrets.token_urlsafe(32))
            new.flush()
            os.fsync(new.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(ours, file)  # whole or not at all
        ours.unlink()
        sync_folder(instance)
    try:
        secret = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenSettings([say("setting.unreadable-secret", file=file, reason=error)]) from error
    if (length := len(secret.strip())) < SHORTEST_SECRET:
        raise BrokenSettings([say("setting.short-secret", file=file, n=length, least=SHORTEST_SECRET)])
    return secret
