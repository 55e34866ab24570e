"""Weigh what goes over the wire, in Chromium on a phone's screen."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass

from flask import Flask
from playwright.sync_api import Page, Request, Response

from referee.rules.books.library import rulebooks
from referee.rules.disputes.tree import document
from referee.rules.lookup.lookup import index_document
from tests.browser.table import Table
from tests.ground.browser import PHONE, running_browser
from tests.ground.server import running_server
from tools.benchmarks.figures import Figure
from tools.benchmarks.ground import CAST

FIRST_VISIT, FIRST_REQUESTS, NEXT_PAGE = 41_000, 9, 12_000
"""Bytes, requests, bytes."""
PHONE_JSON = 150_000
ROUNDS = 9
"""Rounds played before the pages are weighed; a tenth would end the match."""


@dataclass
class Scale:
    """Weigh every answer that reaches a page, headers included."""

    page: Page
    total: int = 0
    requests: int = 0

    def __post_init__(self) -> None:
        """Begin to listen."""
        self.page.on("requestfinished", self._weigh)

    def _weigh(self, request: Request) -> None:
        answer = request.response()
        if answer is not None and answer.from_service_worker:
            return
        sizes = request.sizes()
        self.total += sizes["responseBodySize"] + sizes["responseHeadersSize"]
        self.requests += 1

    def rest(self, seconds: float) -> tuple[int, int]:
        """Leave the page alone; give the bytes and requests that it takes meanwhile, what it asks included.

        Chromium says of an answer without a body that it failed, so what arrived is counted.
        """
        answers: list[Response] = []
        self.page.on("response", lambda answer: answers.append(answer))  # playwright marks what it calls
        self.page.wait_for_timeout(1000 * seconds)
        answers = list(answers)
        lines = [line for one in answers for line in (*one.headers_array(), *one.request.headers_array())]
        bodies = sum(len(one.body()) for one in answers if one.status == 200)
        return bodies + sum(len(line["name"]) + len(line["value"]) + 4 for line in lines), len(answers)

    def visit(self, address: str) -> tuple[int, int]:
        """Open an address; give the bytes and requests that it took."""
        self.total = self.requests = 0
        answer = self.page.goto(address, wait_until="networkidle")
        if answer is None or answer.status != 200:
            raise AssertionError(f"{address}: {answer and answer.status}")
        return self.total, self.requests


def pages(app: Flask) -> Iterator[Figure]:
    """Measure a first visit with an empty cache, and the pages after it."""
    with running_server(app) as server, running_browser() as browser:
        page = browser.new_context(**PHONE, base_url=server.url).new_page()
        scale = Scale(page)
        weight, requests = scale.visit("/")
        yield Figure("first visit, over the wire", weight / 1000, FIRST_VISIT / 1000, f"{weight:,} bytes", "kB")
        yield Figure("first visit, requests", requests, FIRST_REQUESTS, f"{requests} requests", "")
        table = Table(page)
        sheet = table.begin(CAST)
        for _ in range(ROUNDS):
            table.round("Ada", ("7", "skip"), ("3",), ("draw-two",))
        rooms = ["/", sheet, "/disputes", "/disputes/draw-four-challenge?rulebook=classic-500", "/rules"]
        rooms += ["/rules/classic-500", "/history/", "/history/players", "/club"]
        weights = {}
        for address in rooms:
            scale.visit(address)  # so that the room's own style and script are there
            weights[address] = scale.visit(address)[0]
        heaviest = max(weights, key=lambda address: weights[address])
        name = "the sheet" if heaviest == sheet else heaviest
        raw = f"heaviest of {len(rooms)}: {name}, {weights[heaviest]:,} bytes"
        yield Figure("next pages, over the wire", weights[heaviest] / 1000, NEXT_PAGE / 1000, raw, "kB")


def phone_json() -> Iterator[Figure]:
    """Measure what a phone without a connection takes along: all hearings of a rulebook, and the look-up index."""
    weights = {}
    for rulebook in rulebooks().values():
        taken_along = {"hearings": document(rulebook), "look_up": index_document()}
        text = json.dumps(taken_along, ensure_ascii=False, separators=(",", ":"))
        weights[rulebook.id] = len(gzip.compress(text.encode(), 9))
    heaviest = max(weights, key=lambda id: weights[id])
    raw = f"heaviest of {len(weights)}: {heaviest}, {weights[heaviest]:,} bytes"
    what = "hearings and look-up index for a phone, gzipped"
    yield Figure(what, weights[heaviest] / 1000, PHONE_JSON / 1000, raw, "kB")
