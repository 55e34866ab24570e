"""Write moments in the time of the phone that asks: its zone comes in a cookie that ``static/js/page.js`` writes.

The first page of a browser, and one without script, have UTC, and where a time of day is said they say so.
"""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flask import request

from referee.rules.text.words import language

COOKIE = "zone"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}")
"""A name of the time zone database, such as ``Europe/Berlin``; nothing else is looked for on disk."""

TURNS = timedelta(hours=5)
"""How long after midnight a day of play ends: whoever plays until two still plays on the same evening."""


def zone() -> tzinfo:
    """Return the time zone of the phone that asks; UTC if it sent none, or an unknown one."""
    name = request.cookies.get(COOKIE, "")
    if not _NAME.fullmatch(name) or len(name) > 64:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError):  # the latter for a folder of zones, such as America
        return UTC


def local(moment: datetime) -> datetime:
    """Convert a moment to the time zone of the phone that asks."""
    return moment.astimezone(zone())


def days(moments: Iterable[datetime]) -> list[date]:
    """Return the dates of many moments, in the time zone of the phone that asks."""
    here = zone()
    return [moment.astimezone(here).date() for moment in moments]


def night_of(moment: datetime) -> date:
    """Return the day of play of a moment, in the time zone of the phone that asks."""
    return (local(moment) - TURNS).date()


def bounds_of(night: date) -> tuple[datetime, datetime]:
    """Return when a day of play begins and ends, in the zone of the phone that asks; raise OverflowError."""
    begins = datetime.combine(night, time(), zone()) + TURNS
    return begins, begins + timedelta(days=1)


def day(moment: datetime) -> str:
    """Format a moment's date in the time zone of the phone that asks: ``May 3, 2026``."""
    return written(local(moment))


def weekday(moment: datetime) -> str:
    """Write a moment's day of the week, in the time zone of the phone that asks: ``Mon``."""
    return language().weekdays[local(moment).weekday()]


def written(day: date) -> str:
    """Format a date, in no time zone: ``May 3, 2026``."""
    return language().date(day)


def minute(moment: datetime) -> str:
    """Format date and time, in the time zone of the phone that asks or, marked so, in UTC: ``May 3, 2026, 7:30 PM``."""
    here = local(moment)
    return f"{day(moment)}, {language().time(here)}" + (" UTC" if here.tzinfo is UTC else "")
