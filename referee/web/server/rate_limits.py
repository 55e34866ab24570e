"""Limit how often one address may try keys that open nothing, hear disputes, look rules up, found clubs and import.

A key is looked up first, by one indexed query, and only one that opens nothing counts: whoever has a right one is never
refused for what others behind the same address try. What keeps a key from being guessed is its 130 random bits; the
limit keeps guessing from being worth anyone's while, and tells whoever mistypes to take a break.
"""

import ipaddress
import re
from collections.abc import Callable
from time import time

from flask import Flask, current_app, g, request
from flask_limiter import Limiter, RateLimitExceeded
from werkzeug.exceptions import TooManyRequests

NOBODY = "nobody"
_WITHOUT_PORT = re.compile(r"\A(?:\[([0-9a-f:.]+)\]|([\d.]+))(?::\d+)?\Z", re.IGNORECASE)
"""An address with a port, as some proxies write it."""


def init_app(app: Flask) -> None:
    """Set up the limits from the settings; raises ``limits.errors.ConfigurationError``."""
    limiter.init_app(app)


def asker() -> str:
    """Return the client's network address; of IPv6 its /64, since one client has all addresses in that.

    Whatever is no address counts as one: a visitor could make up any number of such words for a proxy to pass on.
    """
    try:
        address = ipaddress.ip_address(_WITHOUT_PORT.sub(r"\1\2", request.remote_addr or ""))
    except ValueError:
        return NOBODY
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.ip_network((int(address), 64), strict=False))
        address = address.ipv4_mapped
    return str(address)


limiter = Limiter(
    asker,
    in_memory_fallback_enabled=True,  # while the storage is away nobody waits, and nobody is let off
    swallow_errors=True,
    # Flask-Limiter lets off whatever has no endpoint, so that keys could be guessed at addresses that lead nowhere
    request_identifier=lambda: request.endpoint or "nowhere",
)


def counter(
    what: str, rate: str = "", setting: str = "", scope: Callable[[str], str] | None = None
) -> Callable[[], None]:
    """Return a function that counts each call, and raises 429 when an address calls it too often.

    The rate is one like ``30 per minute``, or that of a setting; `scope` names what is counted for an endpoint.
    """

    def nothing() -> None: ...

    nothing.__name__ = nothing.__qualname__ = what  # by which Flask-Limiter tells them apart
    counted = limiter.shared_limit(
        rate or (lambda: str(current_app.config[setting])),
        scope or what,
        exempt_when=lambda: not current_app.config["RATELIMIT_ENABLED"],
    )(nothing)

    def count() -> None:
        try:
            counted()
        except RateLimitExceeded:  # which says no seconds
            exceeded = limiter.current_limit
            seconds = int(exceeded.window.reset_time - time()) if exceeded else 0
            raise TooManyRequests(retry_after=max(1, seconds)) from None

    return count


count_hearing = counter("hearings", setting="RATELIMIT_HEARINGS")
"""Count a computation anyone can ask for, such as a ruling or a score; raises 429."""
count_lookup = counter("lookups", setting="RATELIMIT_LOOKUPS")
count_public = counter("public", setting="RATELIMIT_PUBLIC")
"""Count a look at a public page or its picture; raises 429."""
count_founding = counter("foundings", "30 per hour", scope=lambda endpoint: f"foundings {endpoint}")
"""Count a form by which a stranger founds a club; raises 429."""
count_demo = counter("demos", "6 per hour")
count_club = counter("clubs", "30 per hour")
"""Count a club that a program founds; raises 429."""
count_import = counter("imports", "20 per hour")
_count_guess = counter("guesses", setting="RATELIMIT_GUESSES")


def count_wrong_key(*, refuse: bool = True) -> None:
    """Count a key that opens nothing, at most once a request; raises 429.

    `refuse` is off for keys that come in our signed cookie: whoever sends one had it from us and guesses nothing, and
    a phone that is locked out has to be told so, since it then forgets what it kept.
    """
    if "wrong_key" not in g:
        g.wrong_key = None
        try:
            _count_guess()
        except TooManyRequests as error:
            g.wrong_key = error
    if refuse and g.wrong_key is not None:
        raise g.wrong_key
