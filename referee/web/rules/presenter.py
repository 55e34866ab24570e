"""What the templates of the Rules room show: answers of rulebooks to questions, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flask import url_for

from referee.records.models import Match
from referee.rules.library import further_questions, questions, rulebooks
from referee.rules.lookup import Found, Hit
from referee.rules.rulebook import TOPICS, Clause, Rulebook, TableQuestion
from referee.web.rules.words import ASKED_MOST, LESSONS, TOPIC_TITLES


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
    """A question and what the rulebooks say, the leading one first."""

    question: TableQuestion
    said: Sequence[Said]

    @property
    def leading(self) -> Said:
        """Give what the leading rulebook says."""
        return self.said[0]


@dataclass(frozen=True)
class Section:
    """A topic of a rulebook: its clauses, and the questions it leaves open."""

    id: str
    title: str
    clauses: Sequence[Clause]
    silent: Sequence[TableQuestion] = ()


@dataclass(frozen=True)
class Result:
    """One hit of a look-up, with the section around it."""

    asked: Asked
    section: Section
    topic_address: str


@dataclass(frozen=True)
class Link:
    """Somewhere to go."""

    title: str
    address: str


def every_question() -> Mapping[str, TableQuestion]:
    """Give all questions by id, those of a table first."""
    return {**questions(), **further_questions()}


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


def asked(question: TableQuestion, books: Sequence[Rulebook]) -> Asked:
    """Gather what rulebooks say on a question; the first is the one the others are compared with."""
    lead = books[0].clauses.get(question.id)
    return Asked(
        question,
        [
            Said(
                book,
                clause := book.clauses.get(question.id),
                clause_address(book, question.id),
                None if place == 0 else differs(lead, clause),
            )
            for place, book in enumerate(books)
        ],
    )


def led_by(rulebook: Rulebook | None) -> list[Rulebook]:
    """List all rulebooks, the one in force first, with its house rules."""
    others = [book for book in rulebooks().values() if rulebook is None or book.id != rulebook.id]
    return others if rulebook is None else [rulebook, *others]


def section(rulebook: Rulebook, topic: str) -> Section:
    """Give all that a rulebook says on a topic, in the order of the questions, and what it leaves open."""
    order = {id: place for place, id in enumerate(every_question())}
    clauses = [clause for clause in rulebook.clauses.values() if clause.topic == topic]
    open_ = [question for question in questions().values() if question.topic == topic]
    return Section(
        topic,
        TOPIC_TITLES[topic],
        sorted(clauses, key=lambda clause: order.get(clause.id, len(order))),
        [question for question in open_ if question.id not in rulebook.clauses],
    )


def sections(rulebook: Rulebook) -> list[Section]:
    """Give a whole rulebook, topic by topic."""
    return [each for topic in TOPICS if (each := section(rulebook, topic)).clauses or each.silent]


def results(found: Found, rulebook: Rulebook | None) -> Iterator[Result]:
    """Word the hits of a look-up; one where the rulebook in force is silent says so, and then gives the others."""
    for hit in found.hits:
        books = _books_of(hit, rulebook)
        yield Result(
            asked(hit.question, books),
            section(books[0], hit.question.topic),
            topic_address(hit.question.topic, rulebook, hit.question.id),
        )


def _books_of(hit: Hit, rulebook: Rulebook | None) -> list[Rulebook]:
    if rulebook is not None:
        return led_by(rulebook)
    return led_by(rulebooks()[hit.rulebook])


def topic_address(topic: str, rulebook: Rulebook | None = None, question: str = "") -> str:
    """Give the address where all rulebooks speak on a topic, side by side."""
    return url_for(
        "rules.topic", topic_id=topic, rulebook=rulebook.id if rulebook else None, _anchor=question or None
    )


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
    told = [
        Section("", title, [rulebook.clauses[id] for id in ids if id in rulebook.clauses]) for title, ids in LESSONS
    ]
    return [lesson for lesson in told if lesson.clauses]


def title_of(rulebook: Rulebook) -> str:
    """Call a rulebook by its title, and by the house rules in force."""
    count = len(rulebook.in_force)
    return f"{rulebook.title}, {count} house rule{'s' if count > 1 else ''}" if count else rulebook.title


def home_of(match: Match | None, rulebook: Rulebook | None) -> str:
    """Lead back to the search that this page came from."""
    if match is not None:
        return url_for("rules.at_match", match_id=match.id)
    return url_for("rules.index", rulebook=rulebook.id if rulebook else None)
