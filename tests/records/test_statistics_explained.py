"""The definitions for people, held against the list of statistics."""

from __future__ import annotations

import re

import pytest

from referee.paths import CHECKOUT
from referee.records.statistics.definitions import STATISTICS, Statistic

TEXT = (CHECKOUT / "docs" / "pages" / "play" / "statistics.md").read_text("utf-8")
DEFINED = re.findall(r"^### (.+)\n`(\w+)`: \S", TEXT, re.MULTILINE)


def test_every_statistic_is_defined_under_its_title_in_the_order_shown() -> None:
    assert [(statistic.title, statistic.id) for statistic in STATISTICS] == DEFINED


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.id)
def test_every_statistic_says_what_it_means(statistic: Statistic) -> None:
    assert statistic.means.endswith(".")
    assert len(statistic.means) <= 80
    assert (statistic.of.__doc__ or "").partition("\n")[0].endswith(".")
