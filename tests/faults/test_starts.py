"""A server answers its very first requests, however many come at once and however often it is started."""

from __future__ import annotations

from pathlib import Path

from tests.test_run import ANSWERS, first_answers

STARTS = 50


def test_fifty_starts_answer_eight_first_posts_at_once(tmp_path: Path) -> None:
    answers = [first_answers(tmp_path / f"start-{number}") for number in range(STARTS)]
    assert answers == [ANSWERS] * STARTS
