"""The time of day on a phone that lives elsewhere than the server."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.table import Table
from tests.conftest import NewPhone


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "Pacific/Kiritimati"])
def test_a_round_is_said_to_be_recorded_when_the_clock_at_the_table_showed_it(new_phone: NewPhone, zone: str) -> None:
    page = new_phone(timezone_id=zone).new_page()
    table = Table(page)
    table.begin()
    table.round("Ada", ("7",), ("3",), ("9",))
    page.locator(".rounds a").first.tap()
    said = page.locator("text=/Recorded/").locator("xpath=ancestor-or-self::li")
    expect(said).to_contain_text(re.compile(r"\d{2}:\d{2}"))
    east = {"Asia/Kathmandu": timedelta(hours=5, minutes=45), "Pacific/Kiritimati": timedelta(hours=14)}[zone]
    times = [f"{datetime.now(UTC) + east - timedelta(minutes=ago):%-d %B %Y, %H:%M}" for ago in range(4)]
    expect(said).to_contain_text(re.compile("|".join(times)))
    expect(said).not_to_contain_text("UTC")
