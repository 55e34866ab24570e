"""What the templates of the Rules room show: answers of rulebooks to questions, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import url_for

from referee.rules.boxes import Box
from referee.rules.library import card_questions, every_question, questions, rulebooks
from referee.rules.lookup import Found, Hit
from referee.rules.rulebook import TOPICS, Clause, Rulebook, TableQuestion
from referee.web.page.elements import Link
from referee.web.rulebooks import available
from referee.web.rules.topics import ASKED_MOST, LESSONS, TOPIC_TITLES


@dataclass(frozen=True)
class Said:
    """What one rulebook says on a question; no clause where it is silent.

    `differs` compares with the rulebook that leads: None where only the wording could tell.
    """

    rulebook: Rulebook
    clause: Clause | None
    address: str
    differs: bool | None = None


@dataclass(frozen=True)
class Asked:
    """A question, what the leading rulebook says, and what the others do."""

    question: TableQuestion
    leading: Said
    others: Sequence[Said]

    @property
    def otherwise(self) -> list[Said]:
        """Give the others that say it otherwise, or in words that nothing can be compared by."""
        return [said for said in self.others if said.clause and said.differs is not False]

    @property
    def alike(self) -> list[Said]:
        """Give the others that say the same."""
        return [said for said in self.others if said.clause and said.differs is False]

    @property
    def silent(self) -> list[Said]:
        """Give the others that say nothing."""
        return [said for said in self.others if not said.clause]


@dataclass(frozen=True)
class Section:
    """A topic of a rulebook: what it says, and the questions it leaves open."""

    id: str
    title: str
    said: Sequence[Said]
    silent: Sequence[TableQuestion] = ()

    def around(self, question_id: str) -> Section:
        """Give what stands beside one clause."""
        return replace(self, said=[said for said in self.said if said.clause and said.clause.id != question_id])


@dataclass(frozen=True)
class LookupResult(Asked):
    """One hit of a look-up, with the section around it."""

    around: Section


def find_question(rulebook: Rulebook, id: str) -> TableQuestion | None:
    """Find what a clause answers; a rule in a table's own words answers what its title says."""
    clause = rulebook.clauses.get(id)
    own = TableQuestion(id, clause.topic, clause.title) if clause and rulebook.base else None
    return every_question().get(id) or own


def clause_address(rulebook: Rulebook, question_id: str) -> str:
    """Give the permanent address of what a rulebook says on a question."""
    return url_for(
        "rules.clause", rulebook_id=rulebook.id, clause_id=question_id, house_rule=list(rulebook.in_force) or None
    )


def differs(one: Clause | None, other: Clause | None) -> bool | None:
    """Tell whether two clauses settle a thing differently; None where they settle nothing that could be compared."""
    if one is None or other is None:
        return one is not other
    if one.text == other.text:
        return False
    if one.settings or other.settings:
        return dict(one.settings) != dict(other.settings)
    return None


def asked_of_all(question: TableQuestion, books: Sequence[Rulebook]) -> Asked:
    """Gather what rulebooks say on a question; on a card that only some boxes hold, those that speak of it."""
    of_box = question.id in card_questions()
    return asked(question, [book for book in books if not of_box or question.id in book.clauses])


def asked(question: TableQuestion, books: Sequence[Rulebook]) -> Asked:
    """Gather what rulebooks say on a question; the first is the one the others are compared with."""
    leading = said(books[0], question.id)
    others = [said(book, question.id) for book in books[1:]]
    return Asked(question, leading, [replace(each, differs=differs(leading.clause, each.clause)) for each in others])


def said(rulebook: Rulebook, question_id: str) -> Said:
    """Give what a rulebook says on a question, and where."""
    return Said(rulebook, rulebook.clauses.get(question_id), clause_address(rulebook, question_id))


def led_by(rulebook: Rulebook | None) -> list[Rulebook]:
    """List all rulebooks, the one in force first, with its house rules."""
    others = [book for book in rulebooks().values() if rulebook is None or book.id != rulebook.id]
    return others if rulebook is None else [rulebook, *others]


def section(rulebook: Rulebook, topic: str) -> Section:
    """Give all that a rulebook says on a topic, in the order of the questions, and what it leaves open."""
    order = {id: place for place, id in enumerate(every_question())}
    spoken = [clause.id for clause in rulebook.clauses.values() if clause.topic == topic]
    open_ = [question for question in questions().values() if question.topic == topic]
    return Section(
        topic,
        TOPIC_TITLES[topic],
        [said(rulebook, id) for id in sorted(spoken, key=lambda id: order.get(id, len(order)))],
        [question for question in open_ if question.id not in rulebook.clauses],
    )


def sections(rulebook: Rulebook) -> list[Section]:
    """Give a whole rulebook, topic by topic."""
    return [each for topic in TOPICS if (each := section(rulebook, topic)).said or each.silent]


def found_view(found: Found, rulebook: Rulebook | None) -> dict[str, Any]:
    """Word what a look-up found; `instead` are links where there is no answer."""
    shown = found.hits[:SHOWN] if found.answered or found.silent else ()
    near = [] if found.box or found.answered or found.silent else found.hits[:NEAR]
    instead = [Link(hit.question.text, topic_address(hit.question.topic, rulebook, hit.question.id)) for hit in near]
    return {
        "corrected": list(found.corrected.values()),
        "box": found.box and _box(found.box, found.query),
        "silent": found.silent,
        "answered": found.answered,
        "asked": found.asked,
        "led": rulebook.title if rulebook else "",
        "instead": [] if shown else [*instead, *topic_links(found.suggested_topics, rulebook)],
        "results": [_result(hit, rulebook) for hit in shown],
    }


def _box(box: Box, query: str) -> dict[str, str]:
    """Show which box a query is about, with the address that asks its rulebook where there is one."""
    address = url_for("rules.index", rulebook=box.id, q=query) if box.known else ""
    return {"title": box.title, "notice": box.notice, "about": box.about, "address": address}


SHOWN, NEAR = 6, 3
"""Results on the page, where there is an answer and where there is none: more help nobody at a table."""


def _result(hit: Hit, rulebook: Rulebook | None) -> LookupResult:
    books = led_by(rulebook or rulebooks()[hit.rulebook])
    answer = asked_of_all(hit.question, books)
    around = section(books[0], hit.question.topic).around(hit.question.id)
    return LookupResult(answer.question, answer.leading, answer.others, around)


def topic_address(topic: str, rulebook: Rulebook | None = None, question: str = "") -> str:
    """Give the address where all rulebooks speak on a topic, side by side."""
    return url_for("rules.topic", topic_id=topic, rulebook=rulebook.id if rulebook else None, _anchor=question or None)


def topic_links(topics: Sequence[str], rulebook: Rulebook | None) -> list[Link]:
    """Lead to topics."""
    return [Link(TOPIC_TITLES[topic], topic_address(topic, rulebook)) for topic in topics]


def asked_most(rulebook: Rulebook | None) -> list[Link]:
    """Offer the questions that tables ask most."""
    known = every_question()
    return [
        Link(
            known[id].text,
            clause_address(rulebook, id) if rulebook else topic_address(known[id].topic, None, id),
        )
        for id in ASKED_MOST
    ]


def lessons(rulebook: Rulebook) -> list[Section]:
    """Teach a game by the clauses of one rulebook, set-up to scoring."""
    told = [Section("", title, [said(rulebook, id) for id in ids if id in rulebook.clauses]) for title, ids in LESSONS]
    return [lesson for lesson in told if lesson.said]


def rulebook_links() -> list[Link]:
    """Lead to every rulebook, and to their comparison."""
    books = [
        Link(book.title, url_for("rules.rulebook", rulebook_id=book.id), book.sentence) for book in available().values()
    ]
    return [*books, Link("Compare two rulebooks", url_for("rules.compare"))]


def search_address(rulebook: Rulebook | None) -> str:
    """Give the address of the search that a page came from."""
    return url_for("rules.index", rulebook=rulebook.id if rulebook else None)
