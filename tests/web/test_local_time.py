"""Days and times as the clock at the table showed them."""

from datetime import UTC, datetime

import pytest
from flask import Flask

from referee.web.server import local_time

LATE = datetime(2026, 2, 28, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("", "February 28, 2026, 11:30 PM UTC"),
        ("Europe/Berlin", "March 1, 2026, 12:30 AM"),
        ("America/Argentina/Buenos_Aires", "February 28, 2026, 8:30 PM"),
        ("Pacific/Auckland", "March 1, 2026, 12:30 PM"),
        ("Asia/Kathmandu", "March 1, 2026, 5:15 AM"),
        ("UTC", "February 28, 2026, 11:30 PM"),
    ],
)
def test_a_moment_is_said_by_the_clock_of_the_phone(app: Flask, zone: str, said: str) -> None:
    with app.test_request_context(headers={"Cookie": f"{local_time.COOKIE}={zone}"}):
        assert local_time.minute(LATE) == said
        assert local_time.day(LATE) == said[: said.index("2026") + 4]


def test_summer_time_is_that_of_the_moment_not_of_today(app: Flask) -> None:
    with app.test_request_context(headers={"Cookie": f"{local_time.COOKIE}=Europe/Berlin"}):
        said = [local_time.minute(datetime(2026, 10, 25, hour, 30, tzinfo=UTC)) for hour in (0, 1)]
    assert said == ["October 25, 2026, 2:30 AM", "October 25, 2026, 2:30 AM"], "the hour that comes twice"


UNKNOWN = ("America", "Nowhere/At_All", "../../etc/passwd", "/etc/passwd", "A" * 300, "<script>")
"""Among them a folder of zones, paths, and a name longer than files have."""


@pytest.mark.parametrize("zone", UNKNOWN)
def test_a_zone_that_nobody_knows_is_no_harm(app: Flask, zone: str) -> None:
    with app.test_request_context(headers={"Cookie": f"{local_time.COOKIE}={zone}"}):
        assert local_time.minute(LATE) == "February 28, 2026, 11:30 PM UTC"
