"""Days of play: they turn at 5 a.m. in the time zone of whoever counts them, a club or a phone."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

TURNS = timedelta(hours=5)
"""How long after midnight a day of play ends: whoever plays until two still plays on the same evening."""
LONGEST_ZONE = 64
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}")
"""A name of the time zone database, such as ``Europe/Berlin``; nothing else is looked for on disk."""


def is_zone_name(name: str) -> bool:
    """Return whether a text could be the name of a time zone."""
    return len(name) <= LONGEST_ZONE and _NAME.fullmatch(name) is not None


def find_zone(name: str) -> tzinfo | None:
    """Return a time zone by its name; None for one that isn't known here."""
    try:
        return ZoneInfo(name) if is_zone_name(name) else None
    except (ZoneInfoNotFoundError, OSError):  # the latter for a folder of zones, such as America
        return None


def zone_named(name: str) -> tzinfo:
    """Return a time zone by its name; UTC for none, and for one that isn't known here."""
    return find_zone(name) or UTC


def read_day(text: str) -> date:
    """Read a day as ``2026-11-03``, and as nothing else; raises ValueError."""
    day = date.fromisoformat(text)
    if day.isoformat() != text:  # Python reads weeks and days without dashes, too
        raise ValueError(f"not a day: {text!r}; write 2026-11-03")
    return day


def day_of(moment: datetime, zone: tzinfo) -> date:
    """Return the day of play of a moment."""
    return (moment.astimezone(zone) - TURNS).date()


def begin_of(day: date, zone: tzinfo) -> datetime:
    """Return when a day of play begins; raises OverflowError beyond the calendar."""
    return datetime.combine(day, time(), zone) + TURNS
