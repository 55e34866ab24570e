"""Languages beside CLDR, which Babel brings: how they count, list and write numbers and dates."""

from datetime import UTC, date, datetime

import pytest
from babel import Locale
from babel.dates import format_date, format_skeleton, format_time, get_day_names, get_month_names
from babel.lists import format_list
from babel.numbers import format_decimal, format_percent

from referee.rules.text.words import languages
from tests.ground.each import check_each

LOCALES = {"en": "en_US"}
"""Languages of ours with the locale they follow, where that is a country's."""
COUNTS = 7, 12_345
DAYS = [date(2026, month, 3) for month in range(1, 13)]
TIMES = [datetime(2026, 11, 28, hour, 5, tzinfo=UTC) for hour in range(24)]


@pytest.mark.parametrize("code", languages())
def test_a_language_counts_lists_and_writes_as_cldr_has_it(code: str) -> None:
    """All that differs is said at once: whoever begins a language writes its file by this."""
    ours, locale = languages()[code], Locale.parse(LOCALES.get(code, code))
    months, days = (names("abbreviated", "stand-alone", locale) for names in (get_month_names, get_day_names))
    tables = ["Ada"], ["Ada", "Bo"], ["Ada", "Bo", "Cy", "Di"]
    pairs: dict[str, tuple[object, object]] = {
        "plurals": ([ours.category(n) for n in range(2_000)], [locale.plural_form(n) for n in range(2_000)]),
        "lists and": ([*map(ours.join, tables)], [format_list(names, locale=locale) for names in tables]),
        "lists or": (
            [ours.join(names, "or") for names in tables],
            [format_list(names, "or", locale=locale) for names in tables],
        ),
        "numbers group": ([ours.number(n, ",") for n in COUNTS], [format_decimal(n, locale=locale) for n in COUNTS]),
        "numbers decimal": (ours.number(0.25, ".2f"), format_decimal(0.25, locale=locale)),
        "numbers percent": (ours.percent.format(n=64), format_percent(0.64, locale=locale)),
        "dates long": ([*map(ours.date, DAYS)], [format_date(day, "long", locale) for day in DAYS]),
        "dates clock": (
            [*map(ours.time, TIMES)],
            [format_time(time, "short", locale=locale).replace("\u202f", " ") for time in TIMES],
        ),
        "dates of_year": ([*map(ours.month, DAYS)], [format_skeleton("yMMMM", day, locale=locale) for day in DAYS]),
        "dates short_months": ([*ours.short_months], [months[month] for month in range(1, 13)]),
        "dates weekdays": ([*ours.weekdays], [days[day] for day in range(7)]),
        "direction": (ours.direction, {"left-to-right": "ltr", "right-to-left": "rtl"}[locale.character_order]),
    }

    def check(name: str) -> None:
        here, there = pairs[name]
        assert here == there, f"{there!r:.300} in CLDR, here {here!r:.300}"

    check_each(pairs, check)
