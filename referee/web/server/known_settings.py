"""Name the settings of the app, each with its default and what it does; the documentation takes its table from here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Setting:
    """One setting of the app: its name, default, the types it may have, and what it does, in Markdown."""

    name: str
    default: Any
    types: tuple[type, ...]
    about: str
    unset: str = ""
    """What stands for a default that is worked out."""


SETTINGS = (
    Setting(
        "INSTANCE",
        None,
        (str, Path, type(None)),
        "folder for the database, `config.toml` and the secret key; as a variable only",
        "`instance` in a checkout",
    ),
    Setting(
        "DATABASE_URL",
        None,
        (str, type(None)),
        "the database, like `postgresql://user:password@host/referee`; the plain variable `DATABASE_URL` works too",
        "SQLite in the instance folder",
    ),
    Setting(
        "SECRET_KEY",
        None,
        (str, bytes, type(None)),
        "signs the cookies; several servers need the same one",
        "created once",
    ),
    Setting(
        "SECRET_KEY_FALLBACKS",
        None,
        (list, type(None)),
        "a list of earlier keys that are still accepted while you change the key",
        "none",
    ),
    Setting(
        "TRUSTED_HOSTS",
        None,
        (list, type(None)),
        'a list of host names the app answers to, like `["uno.example.org"]`; set it on the open internet',
        "all",
    ),
    Setting(
        "PROXIES",
        0,
        (int,),
        "how many proxies in front set `X-Forwarded-For`, `-Proto` and `-Host`; never more than there are",
    ),
    Setting(
        "SIGN_UP",
        True,
        (bool,),
        "whether strangers may start a club",
    ),
    Setting(
        "DEMO",
        True,
        (bool,),
        "whether the first page offers strangers, if they may start a club, a demo table that ends after a day",
    ),
    Setting(
        "RATELIMIT_ENABLED",
        True,
        (bool,),
        "whether guessing and flooding are slowed down",
    ),
    Setting(
        "RATELIMIT_STORAGE_URI",
        "memory://",
        (str,),
        "where those counts are stored; with several servers a Redis, like `redis://localhost`",
    ),
    Setting(
        "RATELIMIT_GUESSES",
        "30 per minute",
        (str,),
        "how many wrong keys one address may try; a right one is always accepted",
    ),
    Setting(
        "RATELIMIT_HEARINGS",
        "600 per minute",
        (str,),
        "how many hearings and scores one address may ask for: enough for five people tapping once a second",
    ),
    Setting(
        "RATELIMIT_LOOKUPS",
        "240 per minute",
        (str,),
        "how many look-ups one address may ask for: faster than a table types",
    ),
    Setting(
        "RATELIMIT_PUBLIC",
        "300 per minute",
        (str,),
        "how often one address may look at public pages and their pictures",
    ),
    Setting(
        "MAX_CONTENT_LENGTH",
        262_144,
        (int,),
        "the largest form or JSON body, in bytes; without a key JSON may have 65536",
    ),
    Setting(
        "MAX_FORM_MEMORY_SIZE",
        500_000,
        (int,),
        "the largest form field, in bytes",
    ),
    Setting(
        "MAX_IMPORT_LENGTH",
        64_000_000,
        (int,),
        "the largest club imported over the web, in bytes (about 50,000 rounds); `referee import` has no limit",
    ),
    Setting(
        "CACHE",
        None,
        (str, Path, type(None)),
        "not used any more; accepted so that a configuration of version 1 still starts",
        "none",
    ),
    Setting(
        "JSON_LOGS",
        False,
        (bool,),
        "whether every request is logged to standard error as a line of JSON, see [Logs](always.md#logs)",
    ),
    Setting(
        "METRICS",
        False,
        (bool,),
        "whether requests are counted and shown at `GET /metrics`, see [Health](always.md#health)",
    ),
    Setting(
        "THREADS",
        4,
        (int,),
        "threads of the built-in server",
    ),
    Setting(
        "CONNECTIONS",
        1000,
        (int,),
        "how many connections the built-in server holds at once, if the system allows that many open files",
    ),
)
RATES = ("RATELIMIT_GUESSES", "RATELIMIT_HEARINGS", "RATELIMIT_LOOKUPS", "RATELIMIT_PUBLIC")
"""Settings that are rates, in the notation of the library ``limits``."""
