"""Write moments in the time of the phone that asks: its zone comes in a cookie that ``static/js/page.js`` writes.

The first page of a browser, and one without script, have UTC, and where a time of day is said they say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flask import request

COOKIE = "zone"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}")
"""A name of the time zone database, such as ``Europe/Berlin``; nothing else is looked for on disk."""


def zone() -> tzinfo:
    """Find the zone of the phone that asks; UTC when it did not say, or said one that nobody knows."""
    name = request.cookies.get(COOKIE, "")
    if not _NAME.fullmatch(name) or len(name) > 64:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError):  # the latter for a folder of zones, such as America
        return UTC


def local(moment: datetime) -> datetime:
    """Turn a moment into what the clock at the table showed."""
    return moment.astimezone(zone())


def days(moments: Iterable[datetime]) -> list[date]:
    """Return the days at the table of many moments."""
    here = zone()
    return [moment.astimezone(here).date() for moment in moments]


def day(moment: datetime) -> str:
    """Write the day at the table: ``3 May 2026``."""
    return written(local(moment))


def written(day: datetime) -> str:
    """Write a day, whoever asks: ``3 May 2026``."""
    return f"{day.day} {day:%B %Y}"


def minute(moment: datetime) -> str:
    """Write day and time at the table: ``3 May 2026, 19:30``, with ``UTC`` behind it where the zone is not known."""
    here = local(moment)
    return f"{day(moment)}, {here:%H:%M}" + (" UTC" if here.tzinfo is UTC else "")
