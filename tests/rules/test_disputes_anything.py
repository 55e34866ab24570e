"""Whatever is given to a hearing, it asks, rules, or names what is wrong; it never breaks."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.rules.books.library import rulebooks
from referee.rules.cards.decks import decks_in_same_box
from referee.rules.disputes import DISPUTES, answer
from referee.rules.disputes.base import Dispute
from referee.rules.disputes.facts import Fact
from referee.rules.text.problem import Impossible

EVERY_CARD = sorted({str(card) for deck in decks_in_same_box("108") for card in deck.cards})
CARD = st.sampled_from(EVERY_CARD)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | CARD,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
DRAWN = st.lists(
    st.fixed_dictionaries({"player": st.sampled_from(["Ada", "Bo", "Cy", "Di"]), "card": CARD}),
    max_size=4,
    unique_by=lambda draw: draw["player"],
)


def values(fact: Fact[Any]) -> st.SearchStrategy[Any]:
    """Draw values that a fact takes, mostly."""
    if fact.key == "drawn":
        return DRAWN
    choices = [value for value, _ in fact.choices]
    if fact.kind == "card":
        return CARD | st.sampled_from(choices) if choices else CARD
    if fact.kind == "cards":
        return st.lists(CARD, max_size=4)
    if fact.kind == "number":
        return st.integers(0, 12)
    return st.sampled_from(choices)


@st.composite
def cases(draw: st.DrawFn, *, sound: bool) -> tuple[Dispute, str, list[str], dict[str, Any]]:
    dispute = draw(st.sampled_from(DISPUTES))
    rulebook = draw(st.sampled_from(list(rulebooks().values())))
    agreed = draw(st.lists(st.sampled_from(list(rulebook.house_rules)), max_size=2, unique=True))
    facts: dict[str, Any] = {}
    for fact in dispute.known_facts.values():
        if draw(st.booleans()):
            facts[fact.key] = draw(values(fact) if sound else JUNK | values(fact))
    if not sound:
        facts |= draw(st.dictionaries(st.text(max_size=8), JUNK, max_size=2))
    return dispute, rulebook.id, agreed, facts


def answered(case: tuple[Dispute, str, list[str], dict[str, Any]]) -> dict[str, Any] | None:
    """Give the answer, None where the case is refused with each problem naming a field."""
    dispute, rulebook, agreed, facts = case
    try:
        found = answer(dispute.id, rulebook, agreed, facts)
    except Impossible as refused:
        problems = refused.problems
    else:
        json.dumps(found)
        return found
    assert problems
    assert all(problem.field.startswith(("facts.", "house_rules[")) for problem in problems)
    return None


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(cases(sound=False))
def test_junk_is_refused_or_answered(case: tuple[Dispute, str, list[str], dict[str, Any]]) -> None:
    answered(case)


@settings(max_examples=800, suppress_health_check=[HealthCheck.too_slow])
@given(cases(sound=True))
def test_an_answer_asks_what_was_not_given_or_decides_every_key(
    case: tuple[Dispute, str, list[str], dict[str, Any]],
) -> None:
    dispute, _, _, facts = case
    found = answered(case)
    if found is None:
        return
    if found["status"] == "question":
        assert found["question"]["key"] in dispute.known_facts
        assert found["question"]["key"] not in facts
        return
    assert found["outcome"].keys() == dispute.outcome.keys()
    open_ended = {key for key, value in found["outcome"].items() if value is None}
    assert open_ended == set(found["silent_on"]) | set(found["unseen"])
    assert found["status"] == ("silent" if dispute.main(facts) in open_ended else "ruled")


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(cases(sound=True), st.data())
def test_a_ruling_does_not_change_when_facts_are_told_back(
    case: tuple[Dispute, str, list[str], dict[str, Any]], data: st.DataObject
) -> None:
    dispute, rulebook, agreed, facts = case
    found = answered(case)
    for _ in range(12):
        if found is None or found["status"] != "question":
            return
        assert set(found["answered"]) == set(facts)
        fact = dispute.known_facts[found["question"]["key"]]
        facts = found["answered"] | {fact.key: data.draw(values(fact))}
        found = answered((dispute, rulebook, agreed, facts))
    raise AssertionError("a hearing ends within a dozen questions")
