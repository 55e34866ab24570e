"""Check the form of the look-up questions: a question that contradicts itself would measure nothing."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

QUESTIONS_FILE = Path(__file__).with_name("lookup_questions.toml")

TOPICS = frozenset(
    [
        "deck",
        "deal",
        "who-starts",
        "start-card",
        "playing",
        "drawing",
        "wild",
        "draw-four",
        "draw-four-challenge",
        "stacking",
        "draw-two",
        "skip-reverse",
        "with-two",
        "uno-call",
        "wrong-card",
        "draw-pile-empty",
        "last-card",
        "scoring",
        "game-over",
        "special-cards",
        "house-rules",
        "conduct",
    ]
)
RULEBOOKS = frozenset(["classic-500", "two-player", "duo-200", "online-100-200", "speluitslagen", "official"])
ROWS = range(1, 77)
REQUIRED = {"q": str, "topics": list, "expect": str, "rulebooks": list, "rows": list}

Question = dict[str, Any]


def read_questions() -> list[Question]:
    """Read every question of the file, in its order."""
    with QUESTIONS_FILE.open("rb") as file:
        questions: list[Question] = tomllib.load(file)["question"]
    return questions


def faults(question: Question) -> list[str]:
    """List what is wrong with one question, in words; an empty list if it is sound."""
    found = [
        f"{key} must be a {kind.__name__}" for key, kind in REQUIRED.items() if type(question.get(key)) is not kind
    ]
    found += [f"unknown key {key}" for key in sorted(question.keys() - REQUIRED.keys() - {"rulebook"})]
    if found:
        return found

    in_force = question.get("rulebook")
    speaking = question["rulebooks"]
    found += [f"unknown topic {topic}" for topic in question["topics"] if topic not in TOPICS]
    found += [f"unknown rulebook {book}" for book in speaking if book not in RULEBOOKS]
    found += [f"no such row {row}" for row in question["rows"] if row not in ROWS]
    found += [f"{key} repeats itself" for key in ("topics", "rulebooks", "rows") if repeats(question[key])]
    if in_force is not None and in_force not in RULEBOOKS:
        found.append(f"unknown rulebook {in_force}")
    if not question["q"].strip():
        found.append("nothing is asked")

    about_a_rule = bool(question["topics"] and question["rows"])
    if question["expect"] == "nothing":
        if question["topics"] or question["rows"] or speaking or in_force:
            found.append("nothing can be found, yet topics, rows or a rulebook are given")
    elif not about_a_rule:
        found.append("a question about the rules needs topics and rows")
    if question["expect"] == "answered" and not (in_force in speaking if in_force else speaking):
        found.append("answered, yet the rulebook in force (or every rulebook) says nothing")
    if question["expect"] == "silent" and (in_force in speaking if in_force else speaking):
        found.append("silent, yet the rulebook in force (or some rulebook) speaks")
    if question["expect"] not in {"answered", "silent", "nothing"}:
        found.append(f"unknown expectation {question['expect']}")
    return found


def repeats(values: list[Any]) -> bool:
    """Tell whether a list holds the same value twice."""
    return len(set(values)) < len(values)


def as_heard(text: str) -> str:
    """Reduce a question to its letters and digits, so that case and punctuation do not make it another."""
    words = "".join(sign if sign.isalnum() or sign == "+" else " " for sign in text.casefold()).split()
    return " ".join(words) or text


def test_every_question_is_sound() -> None:
    wrong = {question.get("q"): faults(question) for question in read_questions() if faults(question)}
    assert not wrong


def test_no_question_is_asked_twice() -> None:
    asked = Counter(as_heard(question["q"]) for question in read_questions())
    assert [question for question, times in asked.items() if times > 1] == []


def test_there_are_enough_questions_to_measure_with() -> None:
    questions = read_questions()
    expected = Counter(question["expect"] for question in questions)
    assert len(questions) >= 150
    assert expected["nothing"] >= 25
    assert expected["silent"] >= 25


def test_every_topic_is_the_best_one_of_at_least_four_questions() -> None:
    best = Counter(question["topics"][0] for question in read_questions() if question["topics"])
    assert {topic: best[topic] for topic in TOPICS if best[topic] < 4} == {}


def test_every_question_of_a_table_is_asked_about() -> None:
    assert set(ROWS) - {row for question in read_questions() for row in question["rows"]} == set()


SOUND: Question = {
    "q": "can you stack",
    "topics": ["stacking"],
    "rulebook": "duo-200",
    "expect": "answered",
    "rulebooks": ["duo-200"],
    "rows": [36],
}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        pytest.param({"topics": "stacking"}, "topics must be a list", id="wrong type"),
        pytest.param({"who": "Ada"}, "unknown key who", id="unknown key"),
        pytest.param({"topics": ["piling"]}, "unknown topic piling", id="unknown topic"),
        pytest.param({"topics": ["wild", "wild"]}, "topics repeats itself", id="topic twice"),
        pytest.param({"rulebooks": ["duo"]}, "unknown rulebook duo", id="unknown rulebook"),
        pytest.param({"rulebook": "duo"}, "unknown rulebook duo", id="unknown rulebook in force"),
        pytest.param({"rows": [77]}, "no such row 77", id="unknown row"),
        pytest.param({"rows": []}, "a question about the rules needs topics and rows", id="no row"),
        pytest.param({"q": " "}, "nothing is asked", id="empty question"),
        pytest.param({"expect": "maybe"}, "unknown expectation maybe", id="unknown expectation"),
        pytest.param(
            {"rulebooks": ["official"]},
            "answered, yet the rulebook in force (or every rulebook) says nothing",
            id="answered by a silent rulebook",
        ),
        pytest.param(
            {"expect": "silent"},
            "silent, yet the rulebook in force (or some rulebook) speaks",
            id="silent where the rulebook speaks",
        ),
        pytest.param(
            {"expect": "nothing"},
            "nothing can be found, yet topics, rows or a rulebook are given",
            id="nothing, with topics",
        ),
    ],
)
def test_a_fault_in_a_question_is_named(change: Question, fault: str) -> None:
    assert faults(SOUND) == []
    assert fault in faults(SOUND | change)
