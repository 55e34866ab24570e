"""Caches are bounded by bytes, what is too large is not cached, and threads may share them."""

import ast
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pkgutil import walk_packages

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from referee.paths import CHECKOUT, PACKAGE
from referee.records import cache as module
from referee.records.cache import Cache, caches
from referee.records.club.access import create_club
from referee.records.errors import Conflict
from referee.records.transactions import recall, remember
from referee.web.server.database import db


@pytest.fixture
def cache() -> Iterator[Cache[str]]:
    """A cache of 10,000 bytes, of which an entry may take 1,250."""
    before = dict(module._CACHES)
    yield Cache("tried", 10_000, len)
    module._CACHES.clear()
    module._CACHES.update(before)


def never() -> str:
    raise AssertionError("made a second time")


def test_what_was_made_for_a_state_is_made_once(cache: Cache[str]) -> None:
    assert cache.get("state", lambda: "made") == "made"
    assert cache.get("state", never) == "made"
    assert cache.get("another", lambda: "other") == "other"
    cache.clear()
    assert cache.usage().entries == 0


def test_the_least_used_goes_when_the_bytes_are_spent(cache: Cache[str]) -> None:
    for number in range(100):
        cache.get(number, lambda: "x" * 900)
        assert cache.get(0, lambda: "x" * 900)
        assert cache.usage().bytes <= 10_000
    assert 5 < cache.usage().entries < 12
    assert cache.get(0, never)


@pytest.mark.promise("security#bounded-caches")
def test_what_is_larger_than_its_share_is_not_cached(cache: Cache[str]) -> None:
    assert len(cache.get("large", lambda: "x" * 2_000)) == 2_000
    assert cache.usage().entries == cache.usage().bytes == 0
    cache.get("x" * 2_000, lambda: "small, under a state that is large")
    assert cache.get("x" * 2_000, never)


def test_many_threads_share_a_cache(cache: Cache[str]) -> None:
    def ask(number: int) -> bool:
        return cache.get(number % 37, lambda: f"{number % 37}" * 50) == f"{number % 37}" * 50

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(4_000)))
    assert cache.usage().bytes <= 10_000


def test_a_failure_is_not_cached(cache: Cache[str]) -> None:
    with pytest.raises(AssertionError):
        cache.get("state", never)
    assert cache.get("state", lambda: "made") == "made"


@pytest.mark.promise("security#bounded-caches")
def test_all_caches_together_are_small() -> None:
    """A flood of the worst requests leaves the process no more than 26 MB larger."""
    for found in walk_packages([str(PACKAGE)], "referee."):
        if not found.name.startswith(("referee.records.migrations", "referee.__main__")):
            import_module(found.name)  # a room is loaded, with its caches, when someone first enters it
    assert sum(one.most for one in caches()) <= 26_000_000


UNBOUNDED = {
    "referee.records.deletion.texts": "by the languages that there are",
    "referee.records.statistics.figures": "by which of four filters are given",
    "referee.web.api.interface": "by the list of resources, of which there is one",
    **dict.fromkeys(
        (f"referee.rules.lookup.{name}" for name in ("lookup", "model", "query")),
        "by the languages that have a look-up",
    ),
    "referee.rules.text.words": "by what our own functions are called with, and the language, of which there are few",
}
"""Modules with ``functools.cache`` over arguments, and why nobody who asks can make it grow."""


def test_nothing_is_cached_without_bounds() -> None:
    found = set()
    for file in PACKAGE.rglob("*.py"):
        functions = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
        for function in functions:
            if "cache" in map(ast.unparse, function.decorator_list) and ast.unparse(function.args):
                found.add(".".join(file.relative_to(CHECKOUT).with_suffix("").parts))
    assert found == UNBOUNDED.keys()


# -- answers that are kept ---------------------------------------------------------------------------------------------


def test_a_key_used_for_two_matches_at_the_same_moment_is_a_conflict(app: Flask) -> None:
    with app.app_context(), Session(db.engine) as first, Session(db.engine) as second:
        club_id = create_club(first, "Ours").club.id
        first.commit()
        assert recall(second, club_id, "once", "a round of one match") is None
        second.commit()
        remember(first, club_id, "once", "a round of another match", "")
        first.commit()
        with pytest.raises(Conflict):
            remember(second, club_id, "once", "a round of one match", "")
