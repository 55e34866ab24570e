"""What a table may decide where its rulebook is silent, and the case heard again with it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from referee.rules.books.library import IDS, get_rulebook
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID, read_facts, rule
from referee.rules.disputes.facts import Fact
from referee.rules.disputes.open_points import Decision, Hear, choices, closes, hear_again
from referee.rules.disputes.ruling import Ruling
from referee.rules.disputes.tree import every_hearing
from referee.rules.text.problem import Impossible

IN_WORDS = {
    ("can-i-play", "special-cards"),
    ("draw-four-challenge", "challenge-who"),
    ("draw-pile-empty", "both-piles-empty"),
    ("going-out", "last-card-action"),
    ("play-doubles", "play-doubles"),
    ("play-doubles", "wrong-card"),
    ("played-card-effect", "card-wild-reverse-draw-four"),
    ("played-card-effect", "special-cards"),
    ("reverse-run", "reverse-run"),
    ("reverse-run", "wrong-card"),
    ("stacking", "card-wild-reverse-draw-four"),
    ("start-card", "special-cards"),
    ("uno-call", "uno-false-accusation"),
    ("who-starts", "start-draw-tie"),
    ("who-starts", "who-starts"),
    ("wrong-card", "special-cards"),
}
"""Open points that no clause of any rulebook and no control fills in, in some hearing at least."""


def hearing(dispute_id: str, book: str, **given: object) -> Hear:
    dispute = DISPUTES_BY_ID[dispute_id]
    return partial(rule, dispute, facts=read_facts(dispute, get_rulebook(book), given))


CLASSIC = get_rulebook("classic-500")
WITH_MATCH = hearing("wild-with-match", "classic-500", hand=["red-5"], top_card="red-7", color_in_play="red")


def decide(*decided: Decision) -> Fact[Any] | Ruling:
    """Hear again whether a Wild may keep the color, which Classic 500 leaves open."""
    return hear_again(WITH_MATCH, CLASSIC, WITH_MATCH(rulebook=CLASSIC), decided)


CASES = [
    # dispute, rulebook, facts, clause, label, rulebooks that have it so, keys it decides
    (
        "stacking",
        "online-100-200",
        {"players": 3, "on_pile": "red-draw-two", "response": "none", "total_so_far": 2},
        "draw-two-effect",
        "The next player is skipped.",
        {"classic-500", "official"},
        {"loses_turn": True},
    ),
    (
        "wild-with-match",
        "classic-500",
        {"hand": ["red-5"], "top_card": "red-7", "color_in_play": "red"},
        "wild-same-color",
        "You have to name another color.",
        set(),
        {"may_keep_color": False},
    ),
    (
        "uno-call",
        "official",
        {"players": 3, "cards_left": 1, "accused_falsely": True, "said": "while-playing"},
        "uno-false-accusation",
        "A false accusation costs 2 cards.",
        set(),
        {"accuser_penalty_cards": 2},
    ),
]


@pytest.mark.parametrize(("dispute", "book", "facts", "clause", "label", "books", "outcome"), CASES)
def test_choice_fills_the_missing_clause_in_and_the_case_is_heard_again(
    dispute: str, book: str, facts: dict[str, Any], clause: str, label: str, books: set[str], outcome: dict[str, Any]
) -> None:
    heard, rulebook = hearing(dispute, book, **facts), get_rulebook(book)
    before = heard(rulebook=rulebook)
    assert isinstance(before, Ruling)
    point = next(point for point in before.open if point.clause == clause)
    chosen = next(one for one in choices(heard, rulebook, before, point) if one.label == label)
    assert set(chosen.books) >= books
    assert bool(chosen.books) == bool(books)
    again = hear_again(heard, rulebook, before, [chosen.decision])
    assert isinstance(again, Ruling)
    assert {key: again.outcome[key] for key in outcome} == outcome
    assert {key: before.outcome[key] for key in outcome} == dict.fromkeys(outcome)
    ours = [step.to_json() for step in again.steps if step.clause and step.clause.decided]
    assert [(step["clause"], step["text"], step["decided"]) for step in ours] == [(clause, label, True)]
    assert not any("decided" in step.to_json() for step in before.steps)


def test_only_an_open_clause_can_be_filled_in_and_only_with_what_its_settings_take() -> None:
    def refused(*decided: Decision) -> list[tuple[str, str]]:
        with pytest.raises(Impossible) as refusal:
            decide(*decided)
        return [(problem.field, problem.message) for problem in refusal.value.problems]

    ((field, message),) = refused(Decision("challenge-who", {"challengers": "target"}))
    assert field == "decided[0].clause"
    assert "challenge-who" in message
    assert "wild-same-color" in message
    ((field, message),) = refused(Decision("wild-same-color", {"may_keep_color": "perhaps"}))
    assert field == "decided[0].settings.may_keep_color"
    assert "wild-same-color" in message
    ((field, message),) = refused(Decision("wild-same-color", {"draw_four_draws": 3}))
    assert field == "decided[0].settings.draw_four_draws"
    assert "may_keep_color" in message
    ((field, message),) = refused(Decision("wild-same-color"))
    assert field == "decided[0].settings"
    keep = Decision("wild-same-color", {"may_keep_color": True})
    ((field, message),) = refused(keep, keep)
    assert field == "decided[1].clause"


def test_decision_in_words_leaves_the_case_as_the_rules_have_it() -> None:
    assert decide(Decision("wild-same-color", text="Ada decides.")) == WITH_MATCH(rulebook=CLASSIC)


def test_decision_changes_no_rulebook_and_nothing_that_a_match_freezes() -> None:
    before = CLASSIC.digest
    decide(Decision("wild-same-color", {"may_keep_color": True}))
    assert CLASSIC.digest == before
    assert "wild-same-color" not in CLASSIC.clauses


@pytest.mark.parametrize("book", IDS)
def test_every_open_point_has_choices_that_decide_it_or_is_left_to_words(book: str) -> None:
    rulebook, in_words = get_rulebook(book), set()
    for dispute in DISPUTES:
        for leaf in every_hearing(dispute, rulebook):
            ruling = leaf.ruling
            heard = partial(rule, dispute, facts=read_facts(dispute, rulebook, leaf.given), asking=True)
            left = {key for point in ruling.open for key in point.keys}
            assert left in (set(), set(ruling.silent_on)), (dispute.id, leaf.given)
            for point in ruling.open:
                offered = choices(heard, rulebook, ruling, point)
                for choice in offered:
                    again = hear_again(heard, rulebook, ruling, [choice.decision])
                    if isinstance(again, Fact) or isinstance(choice.heard, Fact):
                        assert getattr(again, "key", again) == getattr(choice.heard, "key", choice.heard)
                        continue
                    said = again.outcome, again.orders, again.summary
                    assert said == (choice.heard.outcome, choice.heard.orders, choice.heard.summary)
                    assert set(again.silent_on) < set(ruling.silent_on)
                    if closes(heard, rulebook, ruling, choice.decision):
                        continue
                    for other in ruling.open[ruling.open.index(point) + 1 :]:  # a phone decides one after the other
                        for after in choices(heard, rulebook, ruling, other):
                            hear_again(heard, rulebook, ruling, [choice.decision, after.decision])
                if not offered:
                    in_words.add((dispute.id, point.clause))
    assert in_words <= IN_WORDS


@pytest.mark.parametrize(("dispute", "book"), [("mercy-rule", "official"), ("draft", "no-mercy")])
def test_nothing_is_open_in_a_dispute_that_the_game_does_not_know(dispute: str, book: str) -> None:
    ruling = hearing(dispute, book)(rulebook=get_rulebook(book))
    assert isinstance(ruling, Ruling)
    assert (ruling.open, ruling.status) == ((), "silent")
