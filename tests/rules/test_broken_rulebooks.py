"""Rulebook files with one fault each, refused with file, clause and key named.

Each file of `tests/broken_rulebooks` begins with the fault it is made for, as a comment: the clause
(``-`` for the top level), the key, and words of the message.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from referee.rules import RULES_FOLDER
from referee.rules.books.library import (
    house_rules,
    load_house_rule,
    load_questions,
    load_rulebook,
    questions,
    rulebooks,
)
from referee.rules.text.toml_files import BrokenRulebook, Fault
from tests.rules.test_disputes_cases import CASES as HEARINGS
from tests.rules.test_disputes_tree import LEAVES
from tests.rules.test_quotations import NO_TEXT, PHRASES
from tests.rules.test_scoring_cases import CASES as ROUNDS
from tests.rules.test_terms import WORTH

FILES = sorted((Path(__file__).parents[1] / "broken_rulebooks").glob("*.toml"))
EXPECTED = re.compile(r"\A# refused: clause (\S+), key (\S+), because(?: it|:) (.+)\n")


def expected(path: Path) -> tuple[str, str, str]:
    found = EXPECTED.match(path.read_text("utf-8"))
    assert found, f"{path.name} does not say what is wrong with it"
    clause, key, because = found.groups()
    return ("" if clause == "-" else clause, "" if key == "-" else key, because)


def load(path: Path) -> object:
    """Read a file as what its name says: a house rule, the questions, or a rulebook."""
    if path.name.startswith("house-rule-"):
        return load_house_rule(path, questions())
    if path.name.startswith("questions-"):
        return load_questions(path)
    return load_rulebook(path, questions(), house_rules(), rulebooks())


def faults_of(path: Path) -> tuple[Fault, ...]:
    with pytest.raises(BrokenRulebook) as caught:
        load(path)
    return caught.value.faults


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_broken_file_is_refused_with_its_one_fault_named(path: Path) -> None:
    clause, key, because = expected(path)
    (fault,) = faults_of(path)
    assert (fault.file, fault.clause, fault.key) == (path.name, clause, key)
    assert because in fault.message
    assert str(fault).startswith(f"{path.name}, {clause or 'top level'}, {key}: ")


def test_all_faults_of_a_file_come_at_once(tmp_path: Path) -> None:
    sound = (RULES_FOLDER / "rulebooks" / "duo-200.toml").read_text("utf-8")
    broken = sound.replace('title = "UNO Duo"', "").replace("guilty_draws = 4", 'guilty_draws = "four"')
    path = tmp_path / "duo-200.toml"
    path.write_text(broken, "utf-8")
    assert {(fault.clause, fault.key) for fault in faults_of(path)} == {
        ("", "title"),
        ("challenge-guilty", "guilty_draws"),
    }


@pytest.mark.parametrize(
    ("clause", "settings", "said"),
    [
        ("points-wild", "face_points = { flip = 20 }", "which is not in the classic box"),
        ("points-wild", "face_points = { flop = 20 }", "No deck has a face"),
        ("points-wild", "face_points = { wild = -1 }", "Give a whole number"),
        ("points-wild", "face_points = { skip = 5 }", "whose points stand in “points-actions” already"),
    ],
)
def test_points_of_a_face_are_of_the_deck_and_given_once(tmp_path: Path, clause: str, settings: str, said: str) -> None:
    sound = (RULES_FOLDER / "rulebooks" / "duo-200.toml").read_text("utf-8")
    broken = sound.replace("action_points = 10", "action_points = 10, face_points = { skip = 7 }")
    path = tmp_path / "duo-200.toml"
    path.write_text(broken.replace("wild_points = 15", settings), "utf-8")
    (fault,) = faults_of(path)
    assert (fault.clause, fault.key) == (clause, "face_points")
    assert said in fault.message


def test_there_are_enough_broken_files() -> None:
    assert len(FILES) >= 20


# -- a new rulebook ----------------------------------------------------------------------------------------------------


MOST_DISPUTED = {"draw-four-challenge": 12, "uno-call": 8}
"""The two great quarrels, and how many cases each has at least."""


@pytest.mark.parametrize("rulebook", rulebooks())
def test_a_rulebook_brings_its_cases(rulebook: str) -> None:
    heard = Counter(case["dispute"] for case in HEARINGS if case["rulebook"] == rulebook)
    few = {dispute: heard[dispute] for dispute, least in MOST_DISPUTED.items() if heard[dispute] < least}
    tables = {
        "tests/cases/hearings-*.toml": not few,
        "tests/cases/scoring*.toml": any(case["rulebook"] == rulebook for case in ROUNDS),
        "LEAVES, how its hearings end": rulebook in LEAVES,
        "WORTH, what its cards are worth": rulebook in WORTH,
        "PHRASES, where its text is, or NO_TEXT": rulebook in PHRASES or rulebook in NO_TEXT,
    }
    assert [table for table, there in tables.items() if not there] == [], few


def test_every_table_is_of_rulebooks_that_are_there() -> None:
    named = {case["rulebook"] for case in (*HEARINGS, *ROUNDS)} | {*LEAVES, *WORTH, *PHRASES, *NO_TEXT}
    assert named <= {*rulebooks()}
