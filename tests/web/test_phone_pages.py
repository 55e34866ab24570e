"""Hearings and rules say on a phone without a connection what they say on the server, but for what is listed here."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from difflib import ndiff
from html.parser import HTMLParser
from itertools import chain
from typing import Any
from urllib.parse import urlencode

import pytest

from referee.paths import CHECKOUT
from referee.rules.books.library import questions, rulebooks
from referee.rules.books.rulebook import TOPICS
from referee.rules.disputes import DISPUTES_BY_ID
from referee.rules.disputes.tree import document
from tests.ground.client import Client
from tests.ground.each import check_each
from tests.web.test_offline import fetched_ahead, listed
from tools.documents.for_the_app import write_phone_words

NODE = shutil.which("node")
RULES = re.compile(
    r" Make your own rulebook\b| Compare two rulebooks\b| How to play Compare Make your own\b| Share this rule http\S+$"
)
"""What only the server can offer in the Rules room: see docs/pages/build/offline.md."""
HEARING = re.compile(
    r" change rules\b| House rules .*| Enter the cards\b| Other rulebooks .*| What the rules say .*"
    r"| Share picture\b| Ask first: .*| You’ll see what other rulebooks say when you’re back online\.$"
)
"""The same in a hearing, with what the phone offers and says in its place."""
TWO_AT_ONCE = ("challenged", "held_color")
"""Questions that the server asks together with the next one, where the phone asks one after the other."""
LOOKED_UP = (
    "forgot uno", "chalenge a %2B4", "rules of poker", "uno flip dark side", "does a %2B2 also skip somebody",
    "what if the first card is a flip", "Who pays for the pizza%3F", "who pays for the pizza if you draw four",
)  # fmt: skip


class Text(HTMLParser):
    """Gathers the words that stand in the `main` of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.feed(re.split("<main[^>]*>", page, maxsplit=1)[-1].split("</main>")[0])

    def handle_data(self, data: str) -> None:
        """Hear a text."""
        self.words += data.split()


def said(page: str, but: re.Pattern[str]) -> list[str]:
    """Give the words of a page but for what may differ."""
    return but.sub("", " ".join(Text(page).words)).split()


def drawn_on_a_phone(client: Client, addresses: list[str]) -> list[str]:
    """Give the pages of these addresses as a phone draws them from what it took along."""
    ahead = {address.rpartition("/")[2]: text for address, text in fetched_ahead(client).items()}
    brought = {name: json.loads(ahead[f"{name}.json"]) for name in ("templates", "catalogue", "lookup")}
    books = [client.get(address).get_json() for address in listed(client)["books"].values()]
    asked = json.dumps(brought | {"books": books, "addresses": addresses})
    if NODE is None:
        pytest.skip("no Node on this machine to draw the phone's pages")
    words = ["--import", "./tests/scripts/modules.js", "tests/scripts/offline-pages.js"]
    write_phone_words()
    run = subprocess.run([NODE, *words], cwd=CHECKOUT, input=asked, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    pages: list[str] = json.loads(run.stdout)
    return pages


def check_all(client: Client, addresses: list[str], but: re.Pattern[str]) -> None:
    def check(drawn: tuple[str, str]) -> None:
        here, there = said(client.get(drawn[0]).text, but), said(drawn[1], but)
        assert here, "nothing is said"
        if here != there:
            pytest.fail(" ".join(line for line in ndiff(here, there) if line[0] in "-+"))

    check_each(zip(addresses, drawn_on_a_phone(client, addresses), strict=True), check, lambda drawn: drawn[0])


def test_rules_read_the_same(client: Client) -> None:
    books = list(rulebooks())
    addresses = ["/rules", *(f"/rules?q={query}" for query in LOOKED_UP)]
    addresses += [f"/rules?rulebook={book}&q={query}" for book in (*books[:2], "flip") for query in LOOKED_UP]
    addresses += [f"/rules/topics/{topic}" for topic in TOPICS] + [f"/rules/topics/{TOPICS[0]}?rulebook={books[1]}"]
    addresses += [f"/rules/{book}" for book in books]
    addresses += [f"/rules/{book}/{id}" for book in books[:2] for id in questions()]
    check_all(client, addresses, RULES)


def hearing(told: dict[str, Any], dispute: dict[str, Any], turn: int) -> Iterator[str]:
    """Give the addresses of a hearing, one answer after the other, but for questions whose answers differ."""
    node, facts = told["nodes"][dispute["starts"][0]["node"]], {"rulebook": told["rulebook"]}
    known = DISPUTES_BY_ID[dispute["id"]].known_facts
    while True:
        asked = told["questions"][node["ask"]]["key"] if "ask" in node else ""
        if not asked or (known[asked].kind == "choice" and asked not in TWO_AT_ONCE):
            yield f"/disputes/{dispute['id']}?{urlencode(facts)}"
        answers = [option for option in node.get("options", ()) if option[3] is not None]
        if not answers:
            return
        _, value, to, _ = answers[turn % len(answers)]
        facts[asked] = ("no", "yes")[value] if isinstance(value, bool) else value
        node = told["nodes"][to]


def test_hearings_read_the_same(client: Client) -> None:
    documents = [json.loads(json.dumps(document(book))) for book in rulebooks().values()]
    walks = [hearing(told, dispute, turn) for told in documents for turn in (0, -1) for dispute in told["disputes"]]
    check_all(client, sorted(set(chain(*walks))), HEARING)
