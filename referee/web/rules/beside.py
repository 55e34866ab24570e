"""The lists that stand beside a page of the Rules room on a wide screen."""

from __future__ import annotations

from flask import url_for

from referee.rules.library import rulebooks
from referee.rules.rulebook import TOPICS
from referee.web.page.elements import Link
from referee.web.rules import presenter


def books_beside() -> list[Link]:
    """Lead to the published rulebooks, by title only, and to what concerns several."""
    books = [Link(book.title, url_for("rules.rulebook", rulebook_id=book.id)) for book in rulebooks().values()]
    return [
        Link("Look up a rule", url_for("rules.index")),
        *books,
        Link("Compare two rulebooks", url_for("rules.compare")),
        Link("Your rulebooks", url_for("rules.own_list")),
    ]


def topics_beside() -> list[Link]:
    """Lead to every topic."""
    return presenter.topic_links(TOPICS, None)
