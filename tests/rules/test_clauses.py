"""What the rulebooks and house rules that come with the app have in common."""

import re
from collections.abc import Iterator
from itertools import combinations

import pytest

from referee.rules.books import library, settings
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes import DISPUTES_BY_ID, hear
from referee.rules.disputes.facts import on_sale
from referee.rules.disputes.ruling import Ruling
from referee.rules.text.problem import Impossible
from referee.rules.text.words import speaking

RULEBOOKS = library.rulebooks()
HOUSE_RULES = library.house_rules()
ASKED = library.every_question()


@pytest.mark.parametrize("id", RULEBOOKS)
def test_every_clause_answers_a_question_of_its_topic(id: str) -> None:
    strangers = [clause.id for clause in RULEBOOKS[id].clauses.values() if clause.id not in ASKED]
    assert strangers == [], "word the question in questions.toml, so that rulebooks compare clause by clause"
    clauses = RULEBOOKS[id].clauses.values()
    assert [clause.id for clause in clauses if clause.topic != ASKED[clause.id].topic] == []


@pytest.mark.parametrize("id", HOUSE_RULES)
def test_every_clause_of_a_house_rule_has_its_questions_topic(id: str) -> None:
    assert HOUSE_RULES[id].clauses
    assert [clause.id for clause in HOUSE_RULES[id].clauses if clause.topic != ASKED[clause.id].topic] == []


def test_every_rulebook_is_told_from_the_others_in_a_few_words() -> None:
    said = [rulebook.in_short for rulebook in RULEBOOKS.values()]
    assert all(said)
    assert len(set(said)) == len(said)


def test_a_clause_without_a_title_has_that_of_the_first_rulebook_in_each_language() -> None:
    titles = set()
    for code in ("en", "de", "nl", "es"):
        with speaking(code):
            first, other = rulebooks()["official"].clauses["goal"], rulebooks()["flip"].clauses["goal"]
        assert (other.title, other.cite == first.cite) == (first.title, False)
        titles.add(other.title)
    assert len(titles) == 4


def test_no_question_is_asked_in_two_lists() -> None:
    assert library.questions().keys() & library.further_questions().keys() == set()


def test_every_further_question_is_answered_somewhere_or_known_to_be_answered_nowhere() -> None:
    answered = {id for rulebook in RULEBOOKS.values() for id in rulebook.clauses}
    assert {id for id in library.further_questions() if id not in answered} == {
        "uno-early", "challenge-stacked", "start-draw-tie", "out-of-turn", "took-back", "draw-then-stack", "misdeal",
        "card-shown", "forgot-draw", "forgot-skip", "drew-wrong-number", "peeked", "player-leaves", "player-joins",
        "no-wild-finish",
    }  # fmt: skip


@pytest.mark.parametrize("id", HOUSE_RULES)
def test_every_house_rule_can_be_chosen_somewhere(id: str) -> None:
    assert [rulebook.id for rulebook in RULEBOOKS.values() if id in rulebook.house_rules]


def test_house_rules_exclude_each_other_both_ways() -> None:
    excluded = {(rule.id, other) for rule in HOUSE_RULES.values() for other in rule.excludes}
    assert excluded
    assert [pair for pair in excluded if pair[1] not in HOUSE_RULES or pair[::-1] not in excluded] == []


@pytest.mark.parametrize("id", RULEBOOKS)
def test_house_rules_hold_together_unless_they_exclude_each_other(id: str) -> None:
    rulebook = RULEBOOKS[id]
    for one, other in combinations(rulebook.house_rules, 2):
        if other in rulebook.house_rules[one].excludes:
            with pytest.raises(Impossible):
                rulebook.with_house_rules([one, other])
        else:
            assert rulebook.with_house_rules([one, other]).in_force == (one, other)


@pytest.mark.parametrize("id", RULEBOOKS)
def test_the_order_in_which_house_rules_are_named_changes_no_clause(id: str) -> None:
    rulebook = RULEBOOKS[id]
    for one, other in combinations(rulebook.house_rules, 2):
        if other not in rulebook.house_rules[one].excludes:
            there = rulebook.with_house_rules([one, other]).clauses
            back = rulebook.with_house_rules([other, one]).clauses
            assert {key: there[key].text for key in there} == {key: back[key].text for key in back}


@pytest.mark.parametrize("id", RULEBOOKS)
def test_a_house_rule_in_force_shows_the_clause_it_replaces(id: str) -> None:
    rulebook = RULEBOOKS[id]
    for rule in rulebook.house_rules.values():
        changed = rulebook.with_house_rules([rule.id]).clauses
        for clause in rule.clauses:
            assert changed[clause.id].replaces == rulebook.clauses.get(clause.id)


def test_two_decks_are_offered_only_where_many_may_sit() -> None:
    assert [book.id for book in RULEBOOKS.values() if "two-decks" in book.house_rules and max(book.players) <= 4] == []


@pytest.mark.parametrize(
    ("rulebook", "clause", "about"),
    [
        ("two-player", "who-starts", "without one"),
        ("two-player", "time-limit", "match"),
        ("two-player", "end-when-draw-pile-empty", "round"),
        ("two-player", "declining", "only a player who can play none draws"),
        ("two-player", "challenge-innocent-turn", "usual effect holds"),
        ("speluitslagen", "after-drawing", "Only a player who can play no card draws"),
        ("speluitslagen", "reverse-two", "general rule"),
        ("online-100-200", "reverse-two", "general rule"),
        ("classic-500", "two-player-rest", "lets two play"),
        ("duo-200", "deck-size", "112"),
        ("duo-200", "start-action", "Player 1 names the color"),
        ("duo-200", "draw-four-when", "at your own risk"),
        ("duo-200", "reverse-run-end", "no exception"),
    ],
)
def test_a_clause_that_reads_more_than_its_text_says_how(rulebook: str, clause: str, about: str) -> None:
    assert about in RULEBOOKS[rulebook].clauses[clause].reading


def test_what_a_box_takes_over_from_the_classic_sheet_is_marked_as_a_reading() -> None:
    boxes = (book for book in RULEBOOKS.values() if book.deck.id not in ("108", "112-blank", "112-special", "112-swap"))
    taken = [(book.id, each) for book in boxes for each in book.clauses.values() if "Classic" in each.cite]
    assert {book for book, _ in taken} == {"attack", "dare", "flip", "triple-play"}
    assert [(book, each.id) for book, each in taken if not each.reading] == []


@pytest.mark.parametrize("id", RULEBOOKS)
def test_one_premise_has_one_reading_everywhere(id: str) -> None:
    premises = ("usual effect holds", "no card draws", "can play none draws")
    readings = [clause.reading for clause in RULEBOOKS[id].clauses.values()]
    decided = {premise for premise in premises if any(premise in reading for reading in readings)}
    clauses = RULEBOOKS[id].clauses
    if "no card draws" in decided:
        assert clauses["after-drawing"].settings["other_card_after_drawing"] is False
        assert clauses["declining"].settings["may_decline"] is False
    if "usual effect holds" in decided:
        assert clauses["challenge-innocent-turn"].settings["wrong_challenge_turn"]


def test_where_drawing_goes_on_no_clause_ends_the_turn_at_a_card_that_does_not_fit() -> None:
    changed = [book.with_house_rules([rule]) for book in RULEBOOKS.values() for rule in book.house_rules]
    on = [book for book in (*RULEBOOKS.values(), *changed) if book.value(settings.DRAWS_UNTIL_PLAYABLE, False)]
    assert {bool(book.in_force) for book in on} == {True, False}
    for book in on:
        said = " ".join(book.clauses[key].text for key in ("draw-one", "drawn-card"))
        assert "until" in book.clauses["draw-one"].text, book.id
        assert "first card that fits" in said, book.id
        assert "does not fit" not in said, book.id


# -- every card --------------------------------------------------------------------------------------------------------


PLAYED = DISPUTES_BY_ID["played-card-effect"]
NOTHING_BUT_THE_TURN = re.compile(r"It’s [^.]+ turn\.|[^.]+ plays (?:next|again)\.")


def every_card() -> Iterator[tuple[Rulebook, str, Ruling]]:
    """Play one card of each face that may lie on the table, with the fewest and with four players."""
    for book in rulebooks().values():
        for deck in on_sale(book):
            for face in deck.faces:
                for players in {book.players[0], 4} & set(book.players):
                    ruling = hear(PLAYED, book, {"played": str(face), "players": players}, deck=deck)
                    assert isinstance(ruling, Ruling)
                    yield book, face, ruling


def test_a_played_card_is_told_by_what_it_does() -> None:
    """A number passes the turn on; so does a Skip or Reverse that lets its player go again, and says so."""
    told = [
        (book.id, face, ruling.summary)
        for book, face, ruling in every_card()
        if not face.isdigit() and ruling.verdict != "Play again" and NOTHING_BUT_THE_TURN.fullmatch(ruling.summary)
    ]
    assert told == []


def test_nothing_is_called_unsaid_that_a_cited_clause_says() -> None:
    for book, face, ruling in every_card():
        spoken = {step.clause.id for step in ruling.steps if step.clause}
        if "don’t say what" in ruling.summary:
            assert not spoken & {f"card-{face}", "special-cards"}, (book.id, face, ruling.summary)
