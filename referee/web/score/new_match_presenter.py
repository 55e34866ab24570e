"""What the template of the new-match form shows."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from referee.records.models import Player
from referee.rules.decks import CLASSIC, decks, decks_of
from referee.rules.library import rulebooks
from referee.rules.rulebook import Rulebook
from referee.rules.settings import DECK, TARGET
from referee.rules.terms import SUGGESTED_TARGET, text_target
from referee.web.forms.new_match import FIRST_SEATS, SEATS, NewMatchForm
from referee.web.page.problems import Placed, listed, own_errors
from referee.web.page.rulebooks import available
from referee.web.words import say

MOST_SHOWN = 30
"""Seats that are drawn again when far too many were sent."""


@dataclass(frozen=True)
class SeatView:
    """One seat of the form."""

    name: str
    errors: Sequence[str] = ()


@dataclass(frozen=True)
class PointsView:
    """A number of points that the table says on the rule card: what a face is worth, or what somebody starts with."""

    name: str
    label: str
    points: str
    errors: Sequence[str]
    note: str = ""


@dataclass(frozen=True)
class BookView:
    """One rulebook to pick."""

    id: str
    title: str
    in_short: str
    least: int
    most: int
    range: str
    target: str
    decks: Sequence[str]
    """those of its box, the one that the text names first"""
    boxes: Sequence[tuple[str, str]]
    """the decks sold as its box, each by id and title, where that is another than the classic one and has several"""
    box: str
    """the one of them that is chosen"""


@dataclass(frozen=True)
class ShelfView:
    """Rulebooks that stand together, under a title."""

    title: str
    rulebooks: Sequence[BookView]


@dataclass(frozen=True)
class RuleView:
    """One house rule to tick, and the rulebooks under which it may be."""

    id: str
    title: str
    text: str
    books: Sequence[str]
    excludes: Sequence[str]


@dataclass(frozen=True)
class NewMatchView:
    """Everything the template of the form shows."""

    token: str
    seats: Sequence[SeatView]
    known: Sequence[Player]
    shelves: Sequence[ShelfView]
    rulebook: str
    chosen_book: BookView | None
    house_rules: Sequence[RuleView]
    chosen: Sequence[str]
    target: str
    rounds_to_play: str
    count: str
    decks: Sequence[tuple[str, str]]
    deck: str
    blank_effect: str
    blank_points: str
    custom_rules: str
    dealers: Sequence[tuple[str, str]]
    dealer: str
    name: str
    extras_open: bool
    problems: Sequence[Placed]
    errors: dict[str, Sequence[str]]
    most_seats: int = SEATS


def first_view(known: Sequence[Player], rulebook: str = "") -> NewMatchView:
    """Give the empty form, with a rulebook picked: the one named, or the first where there is none of this name."""
    form = NewMatchForm(
        None,
        players=[""] * (2 if known else FIRST_SEATS),
        rulebook=rulebook if rulebook in available() else next(iter(rulebooks())),
        token=secrets.token_urlsafe(12),
    )
    return view_of(form, known)


def view_of(form: NewMatchForm, known: Sequence[Player]) -> NewMatchView:
    """Give the form with what was typed and what is wrong with it."""
    problems = listed(form)
    extras = (
        "house_rules",
        "target",
        "rounds_to_play",
        "count",
        "deck",
        "blank_effect",
        "blank_points",
        "custom_rules",
        "dealer",
        "name",
    )
    touched = any(form[name].data not in (None, "", [], "points", "1") or form[name].errors for name in extras)
    seats = form.players.entries
    shelves = _shelves(form)
    listed_books = [book for shelf in shelves for book in shelf.rulebooks]
    return NewMatchView(
        token=form.token.data or secrets.token_urlsafe(12),
        seats=[SeatView(str(entry.data or ""), [str(error) for error in entry.errors]) for entry in seats[:MOST_SHOWN]],
        known=known,
        shelves=shelves,
        rulebook=form.rulebook.data or "",
        chosen_book=next((book for book in listed_books if book.id == form.rulebook.data), None),
        house_rules=_rule_views(),
        chosen=form.house_rules.data or (),
        target=form.target.data or "",
        rounds_to_play=form.rounds_to_play.data or "",
        count=form["count"].data or "points",
        decks=[("", say("new.deck-of-rules")), *((deck.id, deck.title) for deck in decks_of(CLASSIC))],
        deck=form.deck.data or "",
        blank_effect=form.blank_effect.data or "",
        blank_points=form.blank_points.data or "",
        custom_rules=form.custom_rules.data or "",
        dealers=[
            (str(seat), _typed(form, seat) or say("new.seat", seat=seat))
            for seat in range(1, min(len(seats), SEATS) + 1)
        ],
        dealer=form.dealer.data or "1",
        name=form.name.data or "",
        extras_open=touched,
        problems=problems,
        errors={field.name: own_errors(field) for field in form},
    )


def _typed(form: NewMatchForm, seat: int) -> str:
    entries = form.players.entries
    return (entries[seat - 1].data or "").strip() if seat <= len(entries) else ""


def _shelves(form: NewMatchForm) -> list[ShelfView]:
    """Sort the rulebooks: a club's own first, then those for the classic deck, then those that need another box."""
    shelves: dict[str, list[BookView]] = {"new.shelf-own": [], "new.shelf-classic": [], "new.shelf-box": []}
    for book in available().values():
        of_another_box = book.deck.box != decks()[CLASSIC].box
        shelf = "new.shelf-own" if book.base else "new.shelf-box" if of_another_box else "new.shelf-classic"
        shelves[shelf].append(_book_view(book, form.boxes.get(book.id, "")))
    return [ShelfView(say(title), books) for title, books in shelves.items() if books]


def _book_view(book: Rulebook, chosen: str) -> BookView:
    least, most = book.players[0], book.players[-1]
    deck = book.value(DECK, CLASSIC)
    sold = [(each.id, each.title) for each in decks_of(deck) if each.box != decks()[CLASSIC].box]
    return BookView(
        id=book.id,
        title=book.title,
        in_short=book.in_short or book.sentence,
        least=least,
        most=most,
        range=say("new.for-players", n=least) if least == most else say("new.for-range", least=least, most=most),
        target=_target_hint(book),
        decks=[deck, *(each.id for each in decks_of(deck) if each.id != deck)],
        boxes=sold if len(sold) > 1 else (),
        box=chosen or deck,
    )


def _target_hint(book: Rulebook) -> str:
    target = text_target(book, None)
    if target is not None:
        return str(target)
    return "" if book.find(TARGET) else say("new.usual-target", target=SUGGESTED_TARGET)


def _rule_views() -> list[RuleView]:
    found: dict[str, RuleView] = {}
    for book in available().values():
        for rule in (rule for rule in book.house_rules.values() if rule.id not in book.in_force):
            old = found.get(rule.id)
            books = [*(old.books if old else ()), book.id]
            found[rule.id] = RuleView(rule.id, rule.title, rule.text, books, rule.excludes)
    return list(found.values())
