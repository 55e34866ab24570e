"""Days and times as the clock at the table showed them."""

from datetime import UTC, datetime

import pytest
from flask import Flask

from referee.web.server import local_time

LATE = datetime(2026, 2, 28, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("", "28 February 2026, 23:30 UTC"),
        ("Europe/Berlin", "1 March 2026, 00:30"),
        ("America/Argentina/Buenos_Aires", "28 February 2026, 20:30"),
        ("Pacific/Auckland", "1 March 2026, 12:30"),
        ("Asia/Kathmandu", "1 March 2026, 05:15"),
        ("UTC", "28 February 2026, 23:30"),
    ],
)
def test_a_moment_is_said_by_the_clock_of_the_phone(app: Flask, zone: str, said: str) -> None:
    with app.test_request_context(headers={"Cookie": f"{local_time.COOKIE}={zone}"}):
        assert local_time.minute(LATE) == said
        assert local_time.day(LATE) == said.partition(",")[0]


def test_summer_time_is_that_of_the_moment_not_of_today(app: Flask) -> None:
    with app.test_request_context(headers={"Cookie": f"{local_time.COOKIE}=Europe/Berlin"}):
        said = [local_time.minute(datetime(2026, 10, 25, hour, 30, tzinfo=UTC)) for hour in (0, 1)]
    assert said == ["25 October 2026, 02:30", "25 October 2026, 02:30"], "the hour that comes twice"


UNKNOWN = ("America", "Nowhere/At_All", "../../etc/passwd", "/etc/passwd", "A" * 300, "<script>")
"""Among them a folder of zones, paths, and a name longer than files have."""


@pytest.mark.parametrize("zone", UNKNOWN)
def test_a_zone_that_nobody_knows_is_no_harm(app: Flask, zone: str) -> None:
    with app.test_request_context(headers={"Cookie": f"{local_time.COOKIE}={zone}"}):
        assert local_time.minute(LATE) == "28 February 2026, 23:30 UTC"
