"""What the templates of the Rules room show: answers of rulebooks to questions, two side by side, lists and lessons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import url_for

from referee.records.club.precedents import LAW
from referee.records.models import Match
from referee.rules.books.controls import controls
from referee.rules.books.library import Box, box_of_rulebook, card_questions, every_question, questions, rulebooks
from referee.rules.books.rulebook import TOPICS, Clause, Rulebook, TableQuestion
from referee.rules.disputes.points import Point
from referee.rules.lookup.lookup import LONGEST_QUERY, Found, Hit
from referee.rules.lookup.model import spoken, understood
from referee.rules.lookup.query import tokens, vocabulary
from referee.rules.text.words import cached_by_language, either, languages
from referee.web.page.layout import Link
from referee.web.page.rulebooks import available
from referee.web.words import say

ASKED_MOST = (
    "stacking-draw-two", "reverse-two", "draw-four-when", "skip", "uno-penalty", "drawn-card", "last-card-action",
    "challenge-innocent",
)  # fmt: skip
"""Questions offered before anyone types."""

LESSONS = (
    ("goal", ("goal", "players", "deck-size")),
    ("set-up", ("deal", "draft", "draft-discards", "setup-piles", "who-starts", "start-number", "start-action")),
    ("your-turn", ("direction", "matching", "declining", "draw-one", "drawn-card", "after-drawing")),
    ("action-cards", ("draw-two-effect", "stacking-draw-two", "stack-total", "skip", "reverse", "skip-two",
                      "reverse-two", "reverse-run")),
    ("wild-cards", ("wild-effect", "wild-when", "draw-four-effect", "draw-four-color", "draw-four-when",
                    "challenge-who", "challenge-guilty", "challenge-innocent")),
    ("one-card-left", ("uno-when", "uno-how", "uno-who-catches", "uno-penalty")),
    ("round-end", ("round-end", "mercy-rule", "last-card-action", "last-card-draws", "draw-pile-empty")),
    ("points", ("points-numbers", "points-actions", "points-wild", "points-draw-four", "points-special",
                "who-scores")),
    ("winning", ("target", "agreed-target", "match-winner", "next-starter")),
)  # fmt: skip
"""The steps of a first lesson, each with its questions; a rulebook shows those it answers."""


@dataclass(frozen=True)
class ClauseAnswer:
    """One rulebook's clause on a question; None where it is silent.

    `differs` compares it with the leading rulebook's: None where there is only wording to compare.
    """

    rulebook: Rulebook
    clause: Clause | None
    address: str
    differs: bool | None = None


@dataclass(frozen=True)
class Asked:
    """A question with the leading rulebook's clause and the others'."""

    question: TableQuestion
    leading: ClauseAnswer
    others: Sequence[ClauseAnswer]
    around: Section | None = None
    """the rest of its topic, where a look-up shows it"""

    @property
    def in_a_word(self) -> str:
        """Say the leading rulebook's answer alone, as “Not allowed.” or “2 cards.”, or nothing."""
        return in_a_word(self.question, self.leading.rulebook)

    @property
    def otherwise(self) -> list[ClauseAnswer]:
        """Return the rulebooks that rule differently, or whose clause has no settings to compare."""
        return [answer for answer in self.others if answer.clause and answer.differs is not False]

    @property
    def alike(self) -> list[ClauseAnswer]:
        """Return the rulebooks that rule the same."""
        return [answer for answer in self.others if answer.clause and answer.differs is False]

    @property
    def silent(self) -> list[ClauseAnswer]:
        """Return the rulebooks without a clause on it."""
        return [answer for answer in self.others if not answer.clause]


@dataclass(frozen=True)
class Section:
    """A topic of a rulebook: its clauses, and the questions it leaves open."""

    id: str
    title: str
    said: Sequence[ClauseAnswer]
    silent: Sequence[TableQuestion] = ()

    def around(self, question_id: str) -> Section:
        """Return the section without the clause of one question."""
        return replace(self, said=[answer for answer in self.said if answer.clause and answer.clause.id != question_id])


def in_a_word(question: TableQuestion, rulebook: Rulebook) -> str:
    """Say what a rulebook answers a question by one setting alone; nothing where that doesn't settle it."""
    how, name = question.answered_by
    clause = rulebook.clauses.get(question.id)
    settings = dict(clause.settings) if clause else {}
    value = settings.pop(name, None)
    if any(settings.values()) or (how == "cards" and rulebook.has_launcher):
        return ""
    if how in ("allowed", "forbidden") and isinstance(value, bool):  # right, too, for “Is it forbidden to …?”
        return say("rules-page.allowed" if value is (how == "allowed") else "rules-page.not-allowed")
    if how in ("cards", "points") and isinstance(value, int):
        return say(f"rules-page.{how}", n=value)
    return ""


def find_question(rulebook: Rulebook, id: str) -> TableQuestion | None:
    """Return the question a clause answers; for a rule in a table's own words, its title."""
    clause = rulebook.clauses.get(id)
    own = TableQuestion(id, clause.topic, clause.title) if clause and rulebook.base else None
    return every_question().get(id) or own


def clause_address(rulebook: Rulebook, question_id: str) -> str:
    """Return the permanent address of a rulebook's clause on a question; for the club's own law, that of its page."""
    if question_id.startswith(LAW):
        return url_for("law.index")
    return url_for(
        "rules.clause", rulebook_id=rulebook.id, clause_id=question_id, house_rule=list(rulebook.in_force) or None
    )


def differs(clause: Clause | None, other: Clause | None) -> bool | None:
    """Return whether two clauses rule differently; None where neither has settings to compare."""
    if clause is None or other is None:
        return clause is not other
    if clause.text == other.text:
        return False
    if clause.settings or other.settings:
        return dict(clause.settings) != dict(other.settings)
    return None


def asked_of_all(question: TableQuestion, books: Sequence[Rulebook]) -> Asked:
    """Return the rulebooks' clauses on a question; only those that have one where it is of a box or a table's own."""
    of_any = question.id in every_question() and question.id not in card_questions()
    return asked(question, [book for book in books if of_any or question.id in book.clauses])


def asked(question: TableQuestion, books: Sequence[Rulebook]) -> Asked:
    """Return the rulebooks' clauses on a question, compared with the first one's."""
    leading = answer_of(books[0], question.id)
    others = [answer_of(book, question.id) for book in books[1:]]
    return Asked(question, leading, [replace(each, differs=differs(leading.clause, each.clause)) for each in others])


def answer_of(rulebook: Rulebook, question_id: str) -> ClauseAnswer:
    """Return a rulebook's clause on a question with its address."""
    return ClauseAnswer(rulebook, rulebook.clauses.get(question_id), clause_address(rulebook, question_id))


def led_by(rulebook: Rulebook | None) -> list[Rulebook]:
    """Return the published rulebooks, the given one first and with its house rules."""
    others = [book for book in rulebooks().values() if rulebook is None or book.id != rulebook.id]
    return others if rulebook is None else [rulebook, *others]


def section(rulebook: Rulebook, topic: str) -> Section:
    """Return a rulebook's clauses on a topic in the order of the questions, and those it leaves open."""
    order = {id: place for place, id in enumerate(every_question())}
    spoken = [clause.id for clause in rulebook.clauses.values() if clause.topic == topic]
    open_ = [question for question in questions().values() if question.topic == topic]
    return Section(
        topic,
        say(f"topic.{topic}"),
        [answer_of(rulebook, id) for id in sorted(spoken, key=lambda id: order.get(id, len(order)))],
        [question for question in open_ if question.id not in rulebook.clauses],
    )


def sections(rulebook: Rulebook) -> list[Section]:
    """Return a whole rulebook, topic by topic."""
    return [each for topic in TOPICS if (each := section(rulebook, topic)).said or each.silent]


def lookup_result_view(result: Found, rulebook: Rulebook | None, match: Match | None = None) -> dict[str, Any]:
    """Return what a look-up found for the page; `instead` are links to offer where there is no answer."""
    if is_no_rule(result.query):
        return {"smile": True}
    has_results = result.answered or result.silent or result.unsure
    shown = result.hits[:SHOWN] if has_results else ()
    near = [] if result.box or has_results else result.hits[:NEAR]
    instead = [Link(hit.question.text, topic_address(hit.question.topic, rulebook, hit.question.id)) for hit in near]
    return {
        "corrected": list(result.corrected.values()),
        "box": result.box and _box(result.box, result.query),
        "silent": result.silent,
        "answered": result.answered,
        "unsure": result.unsure,
        "heard": _heard(result.points, match) if result.points else None,
        "asked": result.asked,
        "ask_in": "" if result.language else either(languages()[code].name for code in understood()),
        "led": rulebook.title if rulebook else "",
        "instead": [] if shown else [*instead, *topic_links(result.suggested_topics, rulebook)],
        "results": [_result(hit, rulebook) for hit in shown],
    }


@cached_by_language
def _of_no_rule() -> tuple[Sequence[frozenset[str]], frozenset[str]]:
    """Return the word groups of questions that are no rules, as stems, and all terms of rules."""
    words = vocabulary(spoken())
    groups = [frozenset(words.stems_of(tokens(group))) for group in say("smile.groups").split(" | ")]
    return groups, frozenset(term for one in every_question().values() for term in words.hear(one.text).terms)


def is_no_rule(query: str) -> bool:
    """Return whether a question has all words of a group of a closed list, and no word of a card or rule besides."""
    (groups, of_rules), words = _of_no_rule(), vocabulary(spoken())
    stems = words.stems_of(tokens(query[:LONGEST_QUERY]))
    group = next((group for group in groups if group.issubset(stems)), None)
    if group is None:
        return False
    rest = " ".join(word for word in tokens(query[:LONGEST_QUERY]) if not group.intersection(words.stems_of([word])))
    return of_rules.isdisjoint(words.hear(rest).terms)


def _heard(points: Sequence[Point], match: Match | None) -> dict[str, Any]:
    """Return what a hearing says under the first rulebook, and how the others rule on the same cards."""
    first, *others = [_point(point, match if place == 0 else None) for place, point in enumerate(points)]
    return first | {
        "otherwise": [each for each in others if not each["silent"] and each["summary"] != first["summary"]],
        "alike": [each for each in others if not each["silent"] and each["summary"] == first["summary"]],
        "doesnt_say": [each for each in others if each["silent"]],
    }


def _point(point: Point, match: Match | None) -> dict[str, Any]:
    of_rulebook: dict[str, Any] = {"rulebook": point.rulebook.id, "house_rule": list(point.rulebook.in_force) or None}
    values: dict[str, Any] = ({"match_id": match.id} if match else of_rulebook) | dict(point.answers)
    view = "disputes.hear_at_match" if match else "disputes.hear_anywhere"
    return {
        "silent": point.allowed is None,
        "allowed": point.allowed,
        "summary": point.summary,
        "dispute": point.dispute.heading(point.rulebook).title,
        "rulebook": {"title": point.rulebook.title},
        "address": url_for(view, dispute_id=point.dispute.id, **values),
    }


def _box(box: Box, query: str) -> dict[str, str]:
    """Return the box a query is about, with the address that searches its rulebook if there is one."""
    address = url_for("rules.index", rulebook=box.id, q=query) if box.known else ""
    return {"title": box.title, "notice": box.notice, "about": box.about, "address": address}


SHOWN, NEAR = 6, 3
"""Results shown with an answer and without: more would help nobody at a table."""


def _result(hit: Hit, rulebook: Rulebook | None) -> Asked:
    books = led_by(rulebook or rulebooks()[hit.rulebook])
    around = section(books[0], hit.question.topic).around(hit.question.id)
    return replace(asked_of_all(hit.question, books), around=around)


def topic_address(topic: str, rulebook: Rulebook | None = None, question: str = "") -> str:
    """Return the address of a topic, where all rulebooks stand side by side."""
    return url_for("rules.topic", topic_id=topic, rulebook=rulebook.id if rulebook else None, _anchor=question or None)


def topic_links(topics: Sequence[str], rulebook: Rulebook | None) -> list[Link]:
    """Return links to topics."""
    return [Link(say(f"topic.{topic}"), topic_address(topic, rulebook)) for topic in topics]


def asked_most(rulebook: Rulebook | None) -> list[Link]:
    """Return links to the questions that tables ask most."""
    known = every_question()
    return [
        Link(known[id].text, clause_address(rulebook, id) if rulebook else topic_address(known[id].topic, None, id))
        for id in ASKED_MOST
    ]


def lessons(rulebook: Rulebook) -> list[Section]:
    """Return a rulebook's clauses as lessons, from set-up to scoring."""
    told = [
        Section("", say(f"lesson.{lesson}"), [answer_of(rulebook, id) for id in ids if id in rulebook.clauses])
        for lesson, ids in LESSONS
    ]
    return [lesson for lesson in told if lesson.said]


def rulebook_links() -> list[Link]:
    """Return links to every rulebook, and to their comparison."""
    books = [
        Link(book.title, url_for("rules.rulebook", rulebook_id=book.id), book.sentence) for book in available().values()
    ]
    return [*books, Link(say("start-page.compare-two-rulebooks"), url_for("rules.compare"))]


def search_address(rulebook: Rulebook | None) -> str:
    """Return the address of the search that leads with a rulebook."""
    return url_for("rules.index", rulebook=rulebook.id if rulebook else None)


@dataclass(frozen=True)
class Value:
    """What one rulebook says: `differs` is its own, between what the other says in the same words."""

    before: str
    differs: str = ""
    after: str = ""


@dataclass(frozen=True)
class Comparison:
    """The questions that two rulebooks answer, each in one group; the left one leads each pair."""

    left: Rulebook
    right: Rulebook
    titles: tuple[str, str]
    """the two titles, never the same"""
    disagree: Sequence[Asked]
    """both have a clause, and rule differently"""
    only_left: Sequence[Asked]
    only_right: Sequence[Asked]
    worded: Sequence[Asked]
    """both have a clause, worded differently, with nothing to compare"""
    same: Sequence[Asked]

    @property
    def in_short(self) -> str:
        """Return in one sentence in how many rules the two differ."""
        key = "compare.differ" if self.disagree else "compare.agreed"
        return say(key, first=self.titles[0], second=self.titles[1], n=len(self.disagree))

    @property
    def topics(self) -> str:
        """Return what those rules are about, or most of them; empty where there are none."""
        counted = Counter(pair.question.topic for pair in self.disagree).most_common()
        topics = " · ".join(say(f"topic.{topic}") for topic, _ in counted[:MOST_TOPICS])
        key = "compare.topics" if len(counted) <= MOST_TOPICS else "compare.topics-most"
        return say(key, topics=topics) if topics else ""


MOST_TOPICS = 3
"""Topics that are named."""


def compare(left: Rulebook, right: Rulebook) -> Comparison:
    """Group every question that two rulebooks answer."""
    own = (find_question(book, id) for book in (left, right) for id in book.clauses)
    every = {**every_question(), **{question.id: question for question in own if question}}
    groups: dict[str, list[Asked]] = {name: [] for name in ("disagree", "only_left", "only_right", "worded", "same")}
    for question in every.values():
        pair = asked(question, (left, right))
        if pair.leading.clause or pair.others[0].clause:
            groups[_group(pair)].append(pair)
    title = say("compare.with-house-rules", title=right.title) if right.in_force else right.title
    return Comparison(left, right, (left.title, title), **groups)


def _group(pair: Asked) -> str:
    left, right = pair.leading.clause, pair.others[0].clause
    if left is None or right is None:
        return "only_right" if left is None else "only_left"
    differs = pair.others[0].differs
    if differs or (differs is None and (_instead(left, right) or _instead(right, left))):
        return "disagree"
    return "same" if differs is False else "worded"


def _instead(clause: Clause, other: Clause) -> bool:
    """Return whether a house rule or an own rule replaces one clause by the other."""
    return clause.replaces is not None and clause.replaces.text == other.text


def values(left: Clause, right: Clause) -> tuple[list[Value], list[Value]]:
    """Return what each of two clauses says where they differ: of each setting that does, else the whole text."""
    offered = controls().get(left.id, {})
    differing = [name for name in offered if left.settings.get(name) != right.settings.get(name)]
    first, second = (
        {name: offered[name].meaning(clause.settings[name]) for name in differing if name in clause.settings}
        for clause in (left, right)
    )
    if bool(first) == bool(second) and not first.keys() & second.keys():
        texts = _apart(left.text, right.text), _apart(right.text, left.text)
        alike = texts[0].before or texts[0].after
        return ([texts[0]], [texts[1]]) if alike else ([Value("", left.text)], [Value("", right.text)])
    return _settled(first, second) or [Value("", left.text)], _settled(second, first) or [Value("", right.text)]


def _settled(ours: Mapping[str, str], other: Mapping[str, str]) -> list[Value]:
    """Return what one side's settings say, apart from what the other's say in the same words."""
    return [_apart(text, other[name]) if name in other else Value("", text) for name, text in ours.items()]


def _apart(text: str, other: str) -> Value:
    """Part a sentence into what both begin with, what differs, and what both end with, word by word."""
    words, others = text.split(), other.split()
    start = _alike(words, others)
    end = len(words) - _alike(words[start:][::-1], others[start:][::-1])
    return Value(" ".join(words[:start]), " ".join(words[start:end]), " ".join(words[end:]))


def _alike(words: Sequence[str], others: Sequence[str]) -> int:
    """Return how many words are the same from the beginning."""
    return next(
        (n for n, (word, other) in enumerate(zip(words, others, strict=False)) if word != other),
        min(len(words), len(others)),
    )


def by_box(books: Mapping[str, Rulebook]) -> list[tuple[str, list[Rulebook]]]:
    """Group rulebooks for a choice: for the classic deck, for other boxes, and a club's own."""
    groups: dict[str, list[Rulebook]] = {}
    for book in books.values():
        group = "your-own" if book.base else "other-boxes" if box_of_rulebook(book) else "classic-deck"
        groups.setdefault(group, []).append(book)
    return [(say(f"compare.{group}"), chosen) for group, chosen in groups.items()]


def books_beside() -> list[Link]:
    """Return links to the published rulebooks, for the list beside a page on a wide screen."""
    books = [Link(book.title, url_for("rules.rulebook", rulebook_id=book.id)) for book in rulebooks().values()]
    return [
        Link(say("rules-page.look-up-link"), url_for("rules.index")),
        *books,
        Link(say("start-page.compare-two-rulebooks"), url_for("rules.compare")),
        Link(say("own-rulebooks-page.your-rulebooks"), url_for("own_rulebooks.index")),
    ]
