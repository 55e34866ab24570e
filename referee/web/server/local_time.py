"""Write moments in the time of the phone that asks: its zone comes in a cookie that ``static/js/page.js`` writes.

The first page of a browser, and one without script, have UTC, and where a time of day is said they say so.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo

from flask import request

from referee.records.season.days import begin_of, day_of, is_zone_name, zone_named
from referee.rules.text.words import language

COOKIE = "zone"


def zone() -> tzinfo:
    """Return the time zone of the phone that asks; UTC if it sent none, or an unknown one."""
    return zone_named(zone_name())


def zone_name() -> str:
    """Return what the phone that asks calls its time zone; empty if it sent none that could be one."""
    name = request.cookies.get(COOKIE, "")
    return name if is_zone_name(name) else ""


def local(moment: datetime) -> datetime:
    """Convert a moment to the time zone of the phone that asks."""
    return moment.astimezone(zone())


def days(moments: Iterable[datetime]) -> list[date]:
    """Return the dates of many moments, in the time zone of the phone that asks."""
    here = zone()
    return [moment.astimezone(here).date() for moment in moments]


def night_of(moment: datetime) -> date:
    """Return the day of play of a moment, in the time zone of the phone that asks."""
    return day_of(moment, zone())


def bounds_of(night: date) -> tuple[datetime, datetime]:
    """Return when a day of play begins and ends, in the zone of the phone that asks; raise OverflowError."""
    begins = begin_of(night, zone())
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
