"""The look-up: held against questions that were written before it existed, and against every kind of nonsense."""

import gzip
import json
from collections import defaultdict
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

import referee.rules.lookup.query as reading
from referee.rules.books.library import (
    box_of_rulebook,
    boxes,
    every_question,
    further_questions,
    get_rulebook,
    house_rules,
    questions,
    rulebooks,
    searched,
)
from referee.rules.books.rulebook import TOPICS
from referee.rules.lookup.lookup import LONGEST_QUERY, MOST_RESULTS, NOTHING, Found, index_document, look_up, model
from referee.rules.lookup.model import Model, learned, understood
from referee.rules.lookup.query import MOST_CORRECTED, Vocabulary, edits, vocabulary
from referee.rules.text.problem import Impossible
from referee.rules.text.words import ENGLISH
from tools.lookup.measure import read, shown
from tools.lookup.wordings import digest, phrasings, synonyms, wordings

SYNONYMS = synonyms()
PHRASINGS = phrasings()


def ask(question: Mapping[str, Any]) -> Found:
    """Look a question of the file up, as from a table that plays by its rulebook."""
    rulebook = question.get("rulebook")
    return look_up(question["q"], get_rulebook(rulebook) if rulebook else None)


@pytest.mark.parametrize(
    "query",
    ["+4", "+ 4", "4+", "wd4", "WD4", "plus four", "Plus 4", "draw four", "draw4", "pick up 4", "take four",
     "wild draw 4"],
)  # fmt: skip
def test_a_wild_draw_four_has_many_names(query: str) -> None:
    found = look_up(query)
    assert found.answered
    assert found.hits[0].question.topic == "draw-four"


@pytest.mark.parametrize(
    ("query", "question"),
    [
        ("stack", "stacking-draw-two"),
        ("forgot uno", "uno-penalty"),
        ("say uno", "uno-when"),
        ("reverse 2 ppl", "reverse-two"),
        ("jump in", "jump-in"),
        ("finish on a skip", "last-card-action"),
        ("draw pile empty", "draw-pile-empty"),
        ("chalenge", "challenge-who"),
        ("reverze", "reverse"),
        ("how meny points is a wlid", "points-wild"),
        ("excuse me, could you please tell us whether one is allowed to stack +2", "stacking-draw-two"),
        # in a roundabout way
        ("can i put a skip on a +2 so i do not draw", "draw-two-effect"),
        ("can i reverse the wild draw four", "draw-four-effect"),
        ("may i lay four 6s in one turn", "play-doubles"),
        ("i challenged the +4 and he was innocent", "challenge-innocent"),
        ("she went out on a +2, do i draw", "last-card-draws"),
        ("blue is on top, i have a blue 4, a red 4 and a +4", "draw-four-when"),
        # words that only sound like another box
        ("do we swap hands on a 7", "seven-zero"),
        ("do i draw 6 cards when my challenge fails", "challenge-innocent"),
        ("shuffle hands card", "special-cards"),
        ("can i swap a card with my friend", "exchanging-cards"),
        ("we flip over the first card and it is a skip", "start-skip"),
        ("can i win with a power card", "last-card-action"),
        ("may i discard 2 cards at once", "play-doubles"),
        ("can i reverse a +4 back", "draw-four-effect"),
    ],
)
def test_what_players_ask_leads_to_its_clause(query: str, question: str) -> None:
    found = look_up(query)
    assert found.box is None
    assert question in shown(found)


@pytest.mark.parametrize(
    "query",
    ["what's the weather", "uno flip", "no mercy", "rules of poker", "best strategy", "asdfgh qwertz", "🙈🙉", "?!",
     "the of and", "hello"],
)  # fmt: skip
def test_what_is_no_question_about_these_rules_gets_no_answer(query: str) -> None:
    found = look_up(query)
    assert not found.answered
    assert not found.silent
    assert found.hits == ()
    assert found.suggested_topics
    assert set(found.suggested_topics) <= set(TOPICS)


@pytest.mark.parametrize(
    ("rulebook", "query", "question"),
    [
        (None, "two players have the same points at the end", "tie"),
        (None, "may i fan my cards so that nobody can count them", "table-talk"),
        ("online-100-200", "can i challenge a +4", "challenge-who"),
        ("flip", "can I stack draw five", "stacking-mixed"),
        ("flip", "what if the first card is a flip", "start-card-flip"),
    ],
)
def test_a_matter_that_the_text_leaves_open_is_silent(rulebook: str | None, query: str, question: str) -> None:
    found = look_up(query, get_rulebook(rulebook) if rulebook else None)
    assert (found.answered, found.silent, found.box) == (False, True, None)
    assert found.asked is not None
    assert found.asked.id == question
    assert found.hits


def test_a_rulebook_that_is_silent_shows_what_the_others_say() -> None:
    found = look_up("jump in", get_rulebook("duo-200"))
    assert (found.answered, found.silent) == (False, True)
    assert found.hits[0].question.id == "jump-in"
    assert found.hits[0].rulebook == "classic-500"
    assert "duo-200" not in dict(found.hits[0].others)


def test_the_rulebook_in_force_leads_and_the_others_follow() -> None:
    for id, book in rulebooks().items():
        found = look_up("what does a draw two do", book)
        assert found.answered == any(face.endswith("draw-two") for face in book.deck.faces), id
        hit = found.hits[0]
        assert hit.rulebook == id
        classic = book.deck.box == get_rulebook("classic-500").deck.box
        speaking = {other for other, each in searched(None).items() if hit.question.id in each.clauses}
        assert {id, *dict(hit.others)} == ({id, *speaking} if classic else {id})
    assert "flip" not in searched(None)


def test_a_house_rule_in_force_is_what_the_table_reads() -> None:
    table = get_rulebook("classic-500").with_house_rules(["stack-draw-two"])
    hit = look_up("can you stack +2", table).hits[0]
    assert hit.clause.house_rule == "stack-draw-two"


def test_a_text_that_only_knows_two_players_answers_for_two() -> None:
    found = look_up("what does reverse do", get_rulebook("two-player"))
    assert found.answered
    assert found.hits[0].question.id == "reverse-two"


def test_each_question_stands_once_and_best_first() -> None:
    for question in read("questions")["question"]:
        found = ask(question)
        ids = [hit.question.id for hit in found.hits]
        assert len(ids) == len(set(ids)) <= MOST_RESULTS
        for hit in found.hits:
            assert hit.question.id == hit.clause.id
            assert 0 < hit.score <= 1


def test_every_wording_leads_to_its_question() -> None:
    asked = [(id, wording) for id, group in PHRASINGS["asked"].items() for wording in group]
    lost = [(id, wording) for id, wording in asked if id not in nearest(wording)[:3]]
    assert len(lost) <= 0.02 * len(asked), lost


def nearest(wording: str) -> list[str]:
    """Rank the questions by their likelihood; nothing is left out for being silent or doubtful."""
    return [id for id in model(ENGLISH).likelihoods(vocabulary(ENGLISH).hear(wording).features) if id != NOTHING]


def test_the_model_was_learned_from_the_wordings_as_they_are() -> None:
    assert learned(ENGLISH)["learned_from"] == digest(), "run: python -m tools.lookup.training"


def test_likelihoods_are_shares_of_one() -> None:
    likely = model(ENGLISH).likelihoods(vocabulary(ENGLISH).hear("can i stack a +2").features)
    assert sum(likely.values()) == pytest.approx(1)
    assert list(likely.values()) == sorted(likely.values(), reverse=True)
    assert model(ENGLISH).likelihoods(["~xyzz"]) == {}
    assert next(iter(model(ENGLISH).likelihoods(["=xyzzy"]))) == NOTHING


@pytest.mark.parametrize(
    "query",
    ["what colour shoes go with a red dress", "wild mushrooms are they safe to eat", "how high can you stack chairs",
     "blue screen on my laptop", "deck chairs for sale"],
)  # fmt: skip
def test_a_word_that_nobody_taught_speaks_for_another_matter(query: str) -> None:
    assert not look_up(query).answered


@pytest.mark.parametrize(
    ("query", "question"),
    [
        ("can my auntie stack a +2 on a +2", "stacking-draw-two"),
        ("how many cards does grandpappy get at the start", "deal"),
        ("forgot uno oopsie", "uno-penalty"),
    ],
)
def test_such_a_word_alone_silences_no_question(query: str, question: str) -> None:
    found = look_up(query)
    assert found.answered
    assert found.hits[0].question.id == question


def test_a_question_about_another_box_is_refused_and_the_box_is_named() -> None:
    asked = [(box.id, words) for box in boxes().values() for words in box.tells]
    asked += [(id, query) for id, group in read("blind")["boxes"].items() for query in group]
    for id, query in asked:
        found = look_up(query)
        assert found.box is not None, query
        assert found.box.id == id, query
        assert (found.answered, found.silent, found.asked, found.hits) == (False, False, None, ()), query
        assert found.suggested_topics
    soft = [(box.id, words) for box in boxes().values() for words in box.asked]
    lost = [(id, query) for id, query in soft if (box := look_up(query).box) is None or box.id != id]
    assert len(lost) <= 0.07 * len(soft), lost


def test_a_model_survives_its_document() -> None:
    from tools.lookup import training  # as below

    assert Model.from_document(json.loads(json.dumps(training.document(model(ENGLISH))))) == model(ENGLISH)


def test_wordings_that_were_left_out_of_the_training_are_still_understood() -> None:
    from tools.lookup import training  # scikit-learn takes two seconds to import, and no other test needs it

    words = vocabulary(ENGLISH)
    taught = {id: group[::2] for id, group in wordings().items()}
    unseen = [(id, wording) for id in PHRASINGS["asked"] for wording in wordings()[id][1::2]]
    half = training.train(training.samples(taught, words), steps=40)
    lost = [
        (id, wording)
        for id, wording in unseen
        if id not in [each for each in half.likelihoods(words.hear(wording).features) if each != NOTHING][:3]
    ]
    assert len(lost) <= 0.125 * len(unseen), lost


def test_every_question_that_some_text_answers_has_wordings_and_every_wording_a_question() -> None:
    answered = {id for book in rulebooks().values() for id in book.clauses}
    answered |= {clause.id for rule in house_rules().values() for clause in rule.clauses}
    assert set(PHRASINGS["asked"]) == {*questions(), *(id for id in further_questions() if id in answered)}
    instead = {*PHRASINGS["instead"], *(id for several in PHRASINGS["instead"].values() for id in several)}
    assert instead <= every_question().keys()
    assert {matter["topic"] for matter in PHRASINGS["open"]} <= set(TOPICS)


def test_every_house_rule_is_found_by_its_title() -> None:
    for rule in house_rules().values():
        if rule.id != "two-decks":  # how many boxes are used is agreed for a match, and answered by no clause
            books = [book for book in rulebooks().values() if rule.id in book.house_rules]
            home = (
                None if any(box_of_rulebook(book) is None for book in books) else books[0].with_house_rules([rule.id])
            )
            found = look_up(rule.title, home)
            changed = {clause.id for clause in rule.clauses}
            changed |= {id for clause in changed for id in PHRASINGS["instead"].get(clause, ())}
            near = {hit.question.id for hit in found.hits[:5]} | {found.asked.id if found.asked else ""}
            assert changed & near, rule.title


def test_a_synonym_means_one_thing() -> None:
    words = vocabulary(ENGLISH)
    meanings: dict[str, set[str]] = defaultdict(set)
    groups = {**SYNONYMS["concepts"], "filler": SYNONYMS["fillers"], "foreign": SYNONYMS["foreign"]}
    for meaning, phrases in groups.items():
        for phrase in phrases:
            meanings[" ".join(words.normalized(phrase))].add(meaning)
    for phrases in (*SYNONYMS["elsewhere"].values(), *SYNONYMS["aside"].values()):
        for phrase in phrases:
            meanings[" ".join(words.normalized(phrase))].add("elsewhere")
    for box in boxes().values():
        for phrase in box.tells:
            meanings[" ".join(words.normalized(phrase))].add(box.id)
    assert {phrase: several for phrase, several in meanings.items() if len(several) > 1} == {}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        pytest.param("", "Type a few words", id="nothing"),
        pytest.param("  \n\t ", "Type a few words", id="white space"),
        pytest.param("\x00\x01\x1b\u200b\u202e", "Type a few words", id="control characters"),
        pytest.param("x" * (LONGEST_QUERY + 1), "at most 500", id="too long"),
        pytest.param("stack " * 1667, "at most 500", id="10,000 characters"),
    ],
)
def test_what_is_no_query_is_refused_by_field(query: str, message: str) -> None:
    with pytest.raises(Impossible) as refused:
        look_up(query)
    assert [problem.field for problem in refused.value.problems] == ["q"]
    assert message in refused.value.problems[0].message


@pytest.mark.parametrize(
    "query",
    ["\x00stack", "ﬁnish ﬀ ½ ①", "\ud800 stack", "٤ ۴ ४", "+" * 200, "a" * 200, "١+٢", "é́" * 99,
     "'; DROP TABLE rules; --"],
)  # fmt: skip
def test_strange_characters_do_no_harm(query: str) -> None:
    assert look_up(query).query == query


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("stack", "stack", 0), ("stcak", "stack", 1), ("stac", "stack", 1), ("chalange", "challenge", 2),
        ("wild", "reverse", 7), ("abcd", "wxyz", 4),
    ],
)  # fmt: skip
def test_edits_are_counted(one: str, other: str, distance: int) -> None:
    assert edits(one, other) == distance
    assert edits(other, one) == distance


@pytest.mark.parametrize("code", understood())
def test_a_long_hostile_query_is_hardly_more_work_than_a_short_one(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count the comparisons of words: few a word, and of a whole text no more than of its first misspelled words."""
    compared: list[tuple[str, str]] = []

    def counted(one: str, other: str) -> int:
        compared.append((one, other))
        return edits(one, other)

    monkeypatch.setattr(reading, "edits", counted)
    random = Random(code)
    words = ["".join(random.choices("estanril", k=8)) for _ in range(LONGEST_QUERY // 9)]
    here = Vocabulary(learned(code)["words"])
    here.corrected(" ".join(words[:MOST_CORRECTED]))
    first = len(compared)
    here.corrected(" ".join(words[MOST_CORRECTED:]))
    assert MOST_CORRECTED < first <= 60 * MOST_CORRECTED
    assert MOST_CORRECTED < len(compared) - first <= 60 * MOST_CORRECTED
    assert len({one for one, _ in compared}) <= 2 * MOST_CORRECTED


def test_no_more_misspelled_words_are_corrected_than_people_type() -> None:
    here = vocabulary(ENGLISH)
    again = " ".join(["chalenge"] * MOST_CORRECTED + ["wnner"])
    assert here.hear(again).corrected == {"chalenge": "challenge", "wnner": "winner"}
    many = [f"chalenge{letter}" for letter in "abcdfghijklmnopq"]
    assert list(here.hear(" ".join(many)).corrected) == many[:MOST_CORRECTED]


def test_a_correction_is_told() -> None:
    assert look_up("chalenge the +4").corrected == {"chalenge": "challenge"}


def test_the_index_is_small_enough_for_a_phone() -> None:
    document = index_document()
    packed = gzip.compress(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode())
    assert len(packed) <= 100_000
    assert document == index_document()
    assert len(document["digest"]) == 64
