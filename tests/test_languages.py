"""Languages beside CLDR, which Babel brings: how they count, list and write numbers and dates."""

from __future__ import annotations

from datetime import date

import pytest
from babel import Locale
from babel.dates import format_date, format_skeleton, get_day_names, get_month_names
from babel.lists import format_list
from babel.numbers import format_decimal, format_percent

from referee.rules.words import languages

LOCALES = {"en": "en_GB"}
"""Languages of ours with the locale they follow, where that is a country's."""
DAYS = [date(2026, month, 3) for month in range(1, 13)]


@pytest.mark.parametrize("code", languages())
def test_a_language_counts_lists_and_writes_as_cldr_has_it(code: str) -> None:
    ours, locale = languages()[code], Locale.parse(LOCALES.get(code, code))
    assert [ours.category(n) for n in range(2_000)] == [locale.plural_form(n) for n in range(2_000)]
    for names in (["Ada"], ["Ada", "Bo"], ["Ada", "Bo", "Cy", "Di"]):
        assert ours.join(names) == format_list(names, locale=locale)
        assert ours.join(names, "or") == format_list(names, "or", locale=locale)
    assert [ours.number(n, ",") for n in (7, 12_345)] == [format_decimal(n, locale=locale) for n in (7, 12_345)]
    assert ours.number(0.25, ".2f") == format_decimal(0.25, locale=locale)
    assert ours.percent.format(n=64) == format_percent(0.64, locale=locale)
    assert [ours.date(day) for day in DAYS] == [format_date(day, "long", locale) for day in DAYS]
    assert [ours.month(day) for day in DAYS] == [format_skeleton("yMMMM", day, locale=locale) for day in DAYS]
    months, days = (names("abbreviated", "stand-alone", locale) for names in (get_month_names, get_day_names))
    assert [*ours.short_months] == [months[month] for month in range(1, 13)]
    assert [*ours.weekdays] == [days[day] for day in range(7)]
    assert ours.direction == {"left-to-right": "ltr", "right-to-left": "rtl"}[locale.character_order]
