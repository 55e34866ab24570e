"""Time the app's answers, each against the least that a Flask app can do in the same process."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from urllib.parse import quote

from flask import Flask

from referee.rules.books.library import rulebooks, searched
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes import DISPUTES
from referee.rules.disputes.tree import every_hearing
from referee.web.score.views import PARTS as DRAWN
from tools.benchmarks.figures import Figure, Thing, medians, ratio
from tools.benchmarks.ground import CAST, HANDS, Client, Club, committing_app, found_club, hello_app

SHEETS = (10, 66, 500)
"""Rounds on the sheets that are opened."""
ROUNDS_OF_A_MATCH = 12
"""Rounds after which recording goes on with a new match: a match to 500 is as long."""
QUESTIONS = (
    "can i put +4 on +4",
    "who begins",
    "forgot uno",
    "reverse 2 ppl",
    "finish on a skip",
    "how many cards do you get",
    "what happens when the draw pile is empty",
    "is it raining",
)
CASES = tuple(
    {"players": players, "color_in_play": "red", "held_color": held, "challenged": True, "challenger": "target"}
    | {"held_number_or_symbol": held, "held_wild": False, "last_card": False}
    for players in (3, 4)
    for held in (False, True)
)
"""Wild Draw Fours that were challenged."""
DISPUTE = "draw-four-challenge"


def answers(app: Flask, times: int) -> Iterator[Figure]:
    """Measure recording, sheets, hearings and look-ups."""
    club = found_club(app)
    hello = Client(hello_app())
    greeting = hello.request("GET", "/")
    with TemporaryDirectory(prefix="referee-benchmark-", ignore_cleanup_errors=True) as folder:
        committing = Client(committing_app(Path(folder)))
        commit = committing.request("POST", "/")
        writing: dict[str, Thing] = {
            "hello + commit": lambda: committing.send(commit),
            "record by JSON": _recording(club),
            "record on the page": _tapping(club),
        }
        taken = medians(writing, times=times, clock=perf_counter)  # a commit waits for the disk
        reading: dict[str, Thing] = {
            "hello": lambda: hello.send(greeting),
            "hearing": _hearing(club),
            "look-up": _looking_up(club),
            **{f"sheet of {rounds}": _opening(club, rounds) for rounds in SHEETS},
        }
        taken |= medians(reading, times=times, warm_up=len(CASES) * len(rulebooks()))
        forgetful: dict[str, Thing] = {
            "hello": reading["hello"],
            "sheet of 66": _opening(club, 66, forget=True),
        }
        afresh = medians(forgetful, times=times)
    base = ("hello", taken["hello"])
    for name in ("record by JSON", "record on the page"):
        yield ratio(
            f"a round recorded, {name.removeprefix('record ')}",
            5,
            (name, taken[name]),
            ("hello + commit", taken["hello + commit"]),
        )
    for rounds in SHEETS[:2]:
        yield ratio(f"the sheet of {rounds} rounds", 10, (name := f"sheet of {rounds}", taken[name]), base)
    yield ratio(
        "the sheet of 500 rounds, over that of 10",
        4,
        ("sheet of 500", taken["sheet of 500"]),
        ("sheet of 10", taken["sheet of 10"]),
    )
    yield ratio("a hearing", 3, ("hearing", taken["hearing"]), base)
    new = ("hello", afresh["hello"])
    yield ratio("the sheet of 66 rounds, first look after a change", 10, ("sheet", afresh["sheet of 66"]), new)
    yield ratio("a look-up", 5, ("look-up", taken["look-up"]), base)


def _recording(club: Club) -> Thing:
    places = _places(club)

    def record() -> object:
        match, after = next(places)
        winner, *others = CAST[after % 4 :] + CAST[: after % 4]
        entry = {"after": after, "went_out": winner, "hands": dict(zip(others, HANDS.values(), strict=True))}
        client = club.scorekeeper
        return client.send(client.request("POST", f"/api/v1/matches/{match}/rounds", json=entry), 201)

    return record


def _tapping(club: Club) -> Thing:
    """Record as the page's script does: post the form, take the fragments of the new sheet."""
    places = _places(club)
    club.match()  # so that the club knows its players
    ids = {one["name"]: one["id"] for one in club.scorekeeper.read("GET", "/players")["players"]}
    keys = count()

    def tap() -> object:
        match, after = next(places)
        winner, *others = CAST[after % 4 :] + CAST[: after % 4]
        hands = {f"hand-{ids[name]}": " ".join(hand) for name, hand in zip(others, HANDS.values(), strict=True)}
        form = {"ended": "went-out", "went_out": ids[winner], "after": str(after), **hands}
        form["idempotency_key"] = f"tap-{next(keys)}"
        path = f"/matches/{match}/rounds/new"
        return club.phone.send(club.phone.request("POST", path, form=form, **{"X-Fragment": "1"}))

    return tap


def _places(club: Club) -> Iterator[tuple[str, int]]:
    """Give a match and its next round, matches without end; beginning one is timed with nothing."""
    matches = [club.match() for _ in range(40)]
    while True:
        for match in matches:
            for after in range(ROUNDS_OF_A_MATCH):
                yield match, after
        matches = [club.match() for _ in range(40)]


def hearings(club: Club) -> list[dict[str, object]]:
    """Prepare every case under every rulebook of the classic box."""
    return [
        club.scorekeeper.request(
            "POST", "/api/v1/hearings", json={"dispute": DISPUTE, "rulebook": law.id, "facts": case}
        )
        for law in searched(None).values()
        for case in CASES
        if case["players"] in law.players
    ]


def _hearing(club: Club) -> Thing:
    client, requests = club.scorekeeper, _turns(hearings(club))
    return lambda: client.send(next(requests))


def _looking_up(club: Club) -> Thing:
    client = club.scorekeeper
    requests = _turns([client.request("GET", f"/api/v1/rules?q={quote(question)}") for question in QUESTIONS])
    return lambda: client.send(next(requests))


def _opening(club: Club, rounds: int, *, forget: bool = False) -> Thing:
    request = club.phone.request("GET", f"/matches/{club.match(rounds)}")

    def look() -> object:
        if forget:
            DRAWN.clear()
        return club.phone.send(request)

    return look


def _turns(requests: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    while True:
        yield from requests


def walk() -> Iterator[Figure]:
    """Measure the walk of every hearing of every dispute, under each rulebook alone and with each single house rule."""
    hello = Client(hello_app())
    greeting = hello.request("GET", "/")
    laws = [law for rulebook in rulebooks().values() for law in _laws(rulebook)]
    ends = 0

    def every_one() -> None:
        nonlocal ends
        ends = sum(1 for law in laws for dispute in DISPUTES for _ in every_hearing(dispute, law))

    things = {"hello": lambda: [hello.send(greeting) for _ in range(100)], "walk": every_one}
    taken = medians(things, times=5, warm_up=1, in_a_row=1)
    hellos = ("hello", taken["hello"] / 100)
    yield ratio(f"the walk of all hearings ({ends:,} ends, {len(laws)} laws)", 30_000, ("walk", taken["walk"]), hellos)


def _laws(rulebook: Rulebook) -> list[Rulebook]:
    return [rulebook, *(rulebook.with_house_rules([house_rule]) for house_rule in rulebook.house_rules)]
