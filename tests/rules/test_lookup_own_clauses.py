"""Rules in a table's own words: found by their titles and words, beside what the published clauses answer."""

from functools import cache

import pytest

from referee.rules.books.library import get_rulebook
from referee.rules.books.rulebook import Rulebook
from referee.rules.lookup.lookup import OWN_WORDS, look_up
from referee.rules.own.rulebook import LONGEST_RULE, LONGEST_TITLE, MOST_RULES, OwnRulebook
from referee.rules.text.words import ENGLISH, speaking
from tools.lookup.measure import read

RULES: dict[str, dict[str, dict[str, object]]] = dict(read("own_clauses"))
ASKED = [(code, title, rule["asked"]) for code, rules in RULES.items() for title, rule in rules.items()]


@cache
def own(*languages: str, base: str = "classic-500") -> Rulebook:
    """Return a rulebook of a table that has all rules of the file that are in these languages."""
    rules = [{"title": title, "text": rule["text"]} for code in languages for title, rule in RULES[code].items()]
    return OwnRulebook.read({"title": "Home", "base": base, "clauses": rules}).rulebook("home")


def titles(query: str, rulebook: Rulebook, code: str = ENGLISH) -> list[str]:
    """Return the titles of the first clauses found, where there is an answer."""
    with speaking(code):
        found = look_up(query, rulebook)
        return [hit.clause.title for hit in found.hits[:3]] if found.answered else []


def test_every_rule_of_a_table_is_found_by_its_title() -> None:
    assert len(ASKED) == 30
    lost = [title for code, title, _ in ASKED if titles(title, own(*RULES), code)[:1] != [title]]
    assert lost == []


def test_most_are_found_first_when_people_ask_in_other_words_of_theirs() -> None:
    asked = [(code, title, query) for code, title, queries in ASKED for query in queries]  # type: ignore[attr-defined]
    lost = [query for code, title, query in asked if title not in titles(query, own(*RULES), code)[:1]]
    assert len(asked) == 60
    assert len(lost) <= 0.2 * len(asked), lost


def test_what_published_clauses_answer_is_answered_by_them_as_before() -> None:
    lost, others, answered = [], [], 0
    for question in read("questions")["question"]:
        base = question.get("rulebook", "classic-500")
        before = look_up(question["q"], get_rulebook(base))
        found = look_up(question["q"], own(ENGLISH, base=base))
        shown = [hit.question.id for hit in found.hits[:2]]
        if before.answered:
            answered += 1
            lost += [question["q"]] if before.hits[0].question.id not in shown else []
        elif found.answered:
            others.append(question["q"])
    assert answered >= 180
    assert len(lost) <= 0.01 * answered, lost
    assert len(others) <= 6, others  # of 76 that had no answer


def test_a_rule_as_near_as_it_is_leads_and_says_what_it_is() -> None:
    found = look_up("who takes the pot", own(ENGLISH))
    assert found.asked is not None
    assert (found.asked.id, found.asked.text) == (found.hits[0].clause.id, "The pot")
    assert (found.hits[0].rulebook, found.hits[0].others) == ("home", ())
    assert found.hits[0].score > OWN_WORDS


def test_words_that_only_a_rule_of_the_table_has_are_no_misspellings() -> None:
    """“Klabums” isn't corrected; and a sentence of words that no language has is still read."""
    rule = {"title": "Klabums wuppdi", "text": "Klabums wuppdi ramtam zazou, says Nonno."}
    book = OwnRulebook.read({"title": "Home", "base": "official", "clauses": [rule]}).rulebook("home")
    found = look_up("klabums wuppdi ramtam zazou", book)
    assert (found.answered, found.hits[0].clause.title, found.corrected) == (True, "Klabums wuppdi", {})


@pytest.mark.parametrize("code", RULES)
def test_as_many_and_as_long_rules_as_there_may_be_are_read(code: str) -> None:
    words = " ".join(f"{one}zqx{two}" for one in "abcdefghij" for two in "klmnopqrst")
    many = [f"{n}q {words}" for n in range(MOST_RULES)]
    rules = [{"title": text[:LONGEST_TITLE], "text": text[:LONGEST_RULE]} for text in many]
    book = OwnRulebook.read({"title": "Home", "base": "official", "clauses": rules}).rulebook("home")
    with speaking(code):
        assert look_up(words[:400], book).answered
