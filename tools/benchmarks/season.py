"""Time a season's page, of ten evenings and of 300: with 3,000 matches of 40 people the largest that anyone plays."""

from __future__ import annotations

from collections.abc import Iterator

from tools.benchmarks.figures import Figure, medians, ratio
from tools.benchmarks.filling import FIRST, play_evenings
from tools.benchmarks.ground import Client, hello_app, phone_of, running_app

MATCHES = 10
"""Of an evening."""
PEOPLE = 40
FIRST_LOOK, AGAIN = 80, 10
"""How often hello may go into a look."""


def season(times: int) -> Iterator[Figure]:
    """Measure a first look, one after a match of today has ended, and others at what has not changed since."""
    for evenings in (10, 300):
        yield from _looks(evenings, times)


def _looks(evenings: int, times: int) -> Iterator[Figure]:
    hello = Client(hello_app())
    greeting = hello.request("GET", "/")
    with running_app() as app:
        from referee.records.season.table import SUMS  # rooms are loaded with their app
        from referee.web.season.views import TOLD

        new = play_evenings(app, evenings, MATCHES, PEOPLE)
        program = Client(app, {"Authorization": f"Bearer {new.scorekeeper_token}"})
        said = {"name": "Years", "first_day": FIRST.date().isoformat(), "best": evenings // 2, "least": 3}
        path = f"/seasons/{program.read('POST', '/seasons', said)['id']}"
        phone = phone_of(app, program)
        page = phone.request("GET", path)
        etag = [phone.send(page) for _ in range(2)][-1].headers["ETag"]  # the first one begins the session's token
        kept = phone.request("GET", path, **{"If-None-Match": etag})

        def greet() -> object:
            return hello.send(greeting)

        def whole() -> object:
            return phone.send(page)

        def again() -> object:
            return phone.send(kept, 304)

        def afresh() -> object:
            TOLD.clear()
            return whole()

        def first() -> object:
            SUMS.clear()
            return afresh()

        seen = medians({"hello": greet, "again": again, "whole": whole}, times=times)
        rarely = medians({"hello": greet, "first": first, "afresh": afresh}, times=-(-times // 4), in_a_row=3)
    for what, name, most, taken in (
        ("first look", "first", FIRST_LOOK, rarely),
        ("after a match ended", "afresh", FIRST_LOOK, rarely),
        ("again", "again", AGAIN, seen),
        ("again, on another phone", "whole", AGAIN, seen),
    ):
        yield ratio(f"a season of {evenings} evenings, {what}", most, (name, taken[name]), ("hello", taken["hello"]))
