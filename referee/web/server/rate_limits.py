"""Limit how often one address may try keys that open nothing, hear disputes, look rules up, found clubs and import.

A key is looked up first, by one indexed query, and only one that opens nothing counts: whoever has a right one is never
refused for what others behind the same address try. What keeps a key from being guessed is its 130 random bits; the
limit keeps guessing from being worth anybody's while, and tells whoever mistypes to take a break.

The library ``limits`` counts. It is loaded when the first is counted, unless the counts stand outside this process.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from time import monotonic, time
from typing import TYPE_CHECKING, Any, cast

from flask import Flask, current_app, g, request
from werkzeug.exceptions import TooManyRequests

if TYPE_CHECKING:
    from limits import RateLimitItem
    from limits.storage import Storage
    from limits.strategies import RateLimiter

COUNTS = "referee.counts"
"""Where an app keeps its `Counts`, once it has counted anything."""
MEMORY = "memory://"
FIXED_WINDOW = "fixed-window"
PAUSE = 5
"""Seconds after which counts that were out of reach are tried again."""
NOBODY = "nobody"
_WITHOUT_PORT = re.compile(r"\A(?:\[([0-9a-f:.]+)\]|([\d.]+))(?::\d+)?\Z", re.IGNORECASE)
"""An address with a port, as some proxies write it."""


class Counts:
    """What was counted, in this process or where the host says; here too while that is away, so that nobody waits."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        from limits.errors import ConfigurationError
        from limits.storage import MemoryStorage, storage_from_string
        from limits.strategies import STRATEGIES

        strategy = str(config.get("RATELIMIT_STRATEGY", FIXED_WINDOW))
        if strategy not in STRATEGIES:
            raise ConfigurationError(f"RATELIMIT_STRATEGY must be one of {', '.join(STRATEGIES)}, not {strategy!r}")
        options = config.get("RATELIMIT_STORAGE_OPTIONS", {})
        there = cast("Storage", storage_from_string(config["RATELIMIT_STORAGE_URI"], **options))
        self._there, self._here = STRATEGIES[strategy](there), STRATEGIES[strategy](MemoryStorage())
        self._again = 0.0

    def wait(self, rate: str, who: str, what: str) -> int:
        """Count once; give the seconds to wait where that is once too often, else 0."""
        if monotonic() >= self._again:
            try:
                return _wait(self._there, rate, who, what)
            except Exception as error:  # each kind of storage has errors of its own
                current_app.logger.warning("cannot count there, counting here: %s", error)
                self._again = monotonic() + PAUSE
        return _wait(self._here, rate, who, what)


def _wait(limiter: RateLimiter, rate: str, who: str, what: str) -> int:
    for item in rates(rate):
        if not limiter.hit(item, who, what):
            return max(1, int(limiter.get_window_stats(item, who, what).reset_time - time()))
    return 0


@lru_cache(maxsize=32)
def rates(rate: str) -> Sequence[RateLimitItem]:
    """Read rates such as ``30 per minute``; raises ValueError."""
    from limits import parse_many

    return parse_many(rate)


def init_app(app: Flask) -> None:
    """Make sure at the start that it can be counted as the host says; raises ``limits.errors.ConfigurationError``."""
    config = app.config
    usual = config["RATELIMIT_STORAGE_URI"] == MEMORY and config.get("RATELIMIT_STRATEGY", FIXED_WINDOW) == FIXED_WINDOW
    if config["RATELIMIT_ENABLED"] and not usual:
        app.extensions[COUNTS] = Counts(config)


def count(rate: str, what: str) -> None:
    """Count that this address did something; raises 429 where it does so too often."""
    config = current_app.config
    if not config["RATELIMIT_ENABLED"]:
        return
    counts = current_app.extensions.get(COUNTS)
    if counts is None:
        counts = current_app.extensions.setdefault(COUNTS, Counts(config))
    seconds = counts.wait(rate, asker(), what)
    if seconds:
        raise TooManyRequests(retry_after=seconds)


def count_hearing() -> None:
    """Count something worked out for whoever asks, with or without a key: a hearing, a score; raises 429."""
    count(str(current_app.config["RATELIMIT_HEARINGS"]), "hearings")


def count_lookup() -> None:
    """Count a look-up of a rule; raises 429."""
    count(str(current_app.config["RATELIMIT_LOOKUPS"]), "lookups")


def count_public() -> None:
    """Count a look at a public page or its picture; raises 429."""
    count(str(current_app.config["RATELIMIT_PUBLIC"]), "public")


def count_wrong_key(*, refuse: bool = True) -> None:
    """Count a key that was looked up and opens nothing, once a request however many it brings; raises 429.

    `refuse` is off for keys that come in our signed cookie: whoever sends one had it from us and guesses nothing, and
    a phone that is locked out has to be told so, since it then forgets what it kept.
    """
    if "wrong_key" not in g:
        g.wrong_key = None
        try:
            count(str(current_app.config["RATELIMIT_GUESSES"]), "guesses")
        except TooManyRequests as error:
            g.wrong_key = error
    if refuse and g.wrong_key is not None:
        raise g.wrong_key


def asker() -> str:
    """Tell apart who asks: by address, and with IPv6 by its /64, since whoever has one address has all of those.

    Whatever is no address counts as one: a visitor could make up any number of such words for a proxy to pass on.
    """
    return _household(request.remote_addr or "")


@lru_cache(maxsize=1000)
def _household(given: str) -> str:
    try:
        address = ipaddress.ip_address(_WITHOUT_PORT.sub(r"\1\2", given))
    except ValueError:
        return NOBODY
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.ip_network((int(address), 64), strict=False))
        address = address.ipv4_mapped
    return str(address)
