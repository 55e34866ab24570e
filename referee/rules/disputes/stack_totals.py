"""What a stack of draw cards can come to, by the cards that the box holds."""

from __future__ import annotations

from referee.rules.books import settings
from referee.rules.books.drawing import number_drawn
from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import Card, Deck
from referee.rules.disputes.effects import draw_faces, stack_order

MOST_DUE = 100
"""More cards than any stack makes due."""
TOTALS = range(1, MOST_DUE + 1)


def totals(rulebook: Rulebook, deck: Deck, pile: str, answer: Card | None) -> set[int]:
    """Add up what a stack with this card on top can come to; empty where the text counts no cards for it.

    Cards of the other kind are in it unless the text forbids to mix the two. The answer lies on no stack yet.
    """
    if not deck.certain:
        return _totals_of_any(rulebook, pile)
    mixed = rulebook.value(settings.STACKS.at("stacking-mixed"), True)
    sums = {0}
    for face in (pile, *(other for other in draw_faces(rulebook) if mixed and other != pile)):
        each = number_drawn(rulebook, face)
        if not each:
            return set()
        most = deck.face_count(face) - (answer is not None and answer.face == face)
        sums = {sum + count * each for sum in sums for count in range(int(face == pile), most + 1)}
    return sums


def _totals_of_any(rulebook: Rulebook, pile: str) -> set[int]:
    """Add up stacks of a box that may hold any number of each card, as far as `TOTAL` may be asked for."""
    top = number_drawn(rulebook, pile)
    if rulebook.value(settings.STACK_OVER, "last-card") == "whole-stack":
        return _totals_over_whole(rulebook, top)
    upward = rulebook.value(settings.STACKS_UPWARD, False)
    below = {number_drawn(rulebook, face) for face in stack_order(rulebook)}
    numbers = {number for number in below if number <= top} if upward else {top}
    sums = {top} if top else set()
    for _ in range(MOST_DUE // 2 if top else 0):
        sums |= {sum + number for sum in sums for number in numbers if sum + number <= MOST_DUE}
    return sums


def _totals_over_whole(rulebook: Rulebook, top: int) -> set[int]:
    """Add up stacks in which each card makes draw at least as many cards as are due in all before it."""
    numbers = {number_drawn(rulebook, face) for face in stack_order(rulebook)}
    sums = {0}
    for _ in range(len(numbers) + 1):  # each card at least doubles what is due
        sums |= {sum + number for sum in sums for number in numbers if number >= sum}
    return {sum + top for sum in sums if sum <= top} if top else set()
