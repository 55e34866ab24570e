"""Limit how often one address may try keys that open nothing, hear disputes and look rules up.

A key is looked up first, by one indexed query, and only one that opens nothing counts: whoever has a right one is never
refused for what others behind the same address try. What keeps a key from being guessed is its 130 random bits; the
limit keeps guessing from being worth anybody's while, and tells whoever mistypes to take a break.
"""

from __future__ import annotations

from time import time

from flask import current_app, g
from flask_limiter.errors import RateLimitExceeded

from referee.web.server.extensions import limiter


@limiter.shared_limit(lambda: str(current_app.config["RATELIMIT_GUESSES"]), scope="guesses")
def _guess() -> None:
    """Count one wrong key."""


@limiter.shared_limit(lambda: str(current_app.config["RATELIMIT_HEARINGS"]), scope="hearings")
def count_hearing() -> None:
    """Count something worked out for whoever asks, with or without a key: a hearing, a score; raises 429."""


@limiter.shared_limit(lambda: str(current_app.config["RATELIMIT_LOOKUPS"]), scope="lookups")
def count_lookup() -> None:
    """Count a look-up of a rule; raises 429."""


@limiter.shared_limit(lambda: str(current_app.config["RATELIMIT_PUBLIC"]), scope="public")
def count_public() -> None:
    """Count a look at a public page or its picture; raises 429."""


def count_wrong_key(*, refuse: bool = True) -> None:
    """Count a key that was looked up and opens nothing, once a request however many it brings; raises 429.

    `refuse` is off for keys that come in our signed cookie: whoever sends one had it from us and guesses nothing, and
    a phone that is locked out has to be told so, since it then forgets what it kept.
    """
    if "wrong_key" not in g:
        g.wrong_key = None
        try:
            _guess()
        except RateLimitExceeded as error:
            g.wrong_key = error
    if refuse and g.wrong_key is not None:
        raise g.wrong_key


def seconds_to_wait() -> str:
    """Tell whoever is refused after how many seconds the limit that refused them counts anew."""
    limit = limiter.current_limit
    return str(max(1, int(limit.reset_at - time())) if limit else 60)
