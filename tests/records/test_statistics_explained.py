"""The definitions for people, held against the list of statistics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from referee.paths import CHECKOUT
from referee.records.statistics.definitions import STATISTICS, Statistic
from referee.rules.text.words import ENGLISH, speaking

PLAY = CHECKOUT / "docs" / "pages" / "play"
PAGES = sorted(PLAY.rglob("statistics.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_every_statistic_is_defined_under_its_title_in_the_order_shown(page: Path) -> None:
    defined = re.findall(r"^### (.+)\n`(\w+)`: \S", page.read_text("utf-8"), re.MULTILINE)
    with speaking(ENGLISH if page.parent == PLAY else page.parent.name):
        assert [(statistic.title, statistic.id) for statistic in STATISTICS] == defined


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.id)
def test_every_statistic_says_what_it_means(statistic: Statistic) -> None:
    assert statistic.means.endswith(".")
    assert len(statistic.means) <= 80
    assert (statistic.of.__doc__ or "").partition("\n")[0].endswith(".")
