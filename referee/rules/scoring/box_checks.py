"""What may be wrong with a round because of its box: its sides, its knock-outs, and the cards that it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from referee.rules.books import settings as setting
from referee.rules.cards.cards import Card, Deck, side_name
from referee.rules.cards.totals import can_make, makeable, makeable_of_any, nearest
from referee.rules.scoring.round_checks import at, cards_held, who_plays
from referee.rules.scoring.round_entry import LAST_ONE_LEFT, RoundEntry, Table
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Path, Problem
from referee.rules.text.words import either, joined


def further_problems(terms: Terms, entry: RoundEntry, table: Table) -> Iterator[Problem]:
    """Check what only some boxes know: the side that showed at the end, and who was knocked out."""
    deck, sides = terms.full_deck, terms.full_deck.sides
    if entry.side is None and sides and any(isinstance(hand, tuple) and hand for hand in entry.hands.values()):
        if not any(problem.path == ("side",) for problem in entry.unread):
            yield Problem.said("side", "side-needed", choices=", ".join(sides))
    elif entry.side is not None and entry.side not in sides:
        yield Problem.said("side", "choose" if sides else "side-none", choices=", ".join(sides), box=deck.name)
    limit = terms.rulebook.find(setting.KNOCKED_OUT_AT)
    if entry.knocked_out and limit is None:
        yield Problem.said("knocked_out", "no-knock-outs", rulebook=terms.rulebook.title)
    for place, seat in enumerate(entry.knocked_out):
        if seat == entry.went_out:
            yield Problem.said(("knocked_out", place), "out-and-knocked-out", name=at(table, seat).name)
    counts = cards_held(entry, tuple({**entry.hands, **entry.cards_left})) if limit else {}
    for seat, count in counts.items():
        if limit and count >= limit[0] and seat not in entry.knocked_out:
            yield Problem.said(("hands", at(table, seat)), "must-be-knocked-out", name=at(table, seat).name, n=count)
    if entry.ended == LAST_ONE_LEFT:
        if not terms.rulebook.value(setting.LAST_LEFT_WINS, False):
            yield Problem.said("ended", "no-last-one-left", rulebook=terms.rulebook.title)
        elif len(set(who_plays(entry, table)) - set(entry.knocked_out)) != 1:
            yield Problem.said("knocked_out", "not-one-left")


def box_problems(terms: Terms, entry: RoundEntry, table: Table) -> Iterator[Problem]:
    """Check all hands together against the box: each card, then the number of cards, then the typed totals."""
    deck = terms.full_deck.on(entry.side)
    held = [_as_laid(terms, entry.last_card)] if entry.last_card and entry.went_out is not None else []
    if deck.excess(held):
        yield _too_many(("last_card",), deck.excess([held.pop()]), deck, terms.full_deck)
    listed = sum(len(hand) for hand in entry.hands.values() if isinstance(hand, tuple))
    if listed > 2 * deck.size:  # nobody wants to hear of each card
        yield _too_many_cards(listed, deck.size)
        return
    fits = True
    together = [*held, *(card for hand in entry.hands.values() if isinstance(hand, tuple) for card in hand)]
    if not deck.excess(together):  # as nearly always; only where something is wrong is each card looked at
        held = together
    for seat, hand in entry.hands.items() if held is not together else ():
        named: set[Card] = set()  # once a hand and kind of card is enough
        for place, card in enumerate(hand if isinstance(hand, tuple) else ()):
            over = deck.excess([*held, card])
            if not over:
                held.append(card)
            elif not named >= over.keys():
                fits = False
                named |= over.keys()
                yield _too_many(("hands", at(table, seat), place), over, deck, terms.full_deck)
    if not fits:
        return
    counts = cards_held(entry, tuple({**entry.hands, **entry.cards_left})).values()
    cards = sum(count for count in counts if 0 <= count <= deck.size)
    if cards >= deck.size:
        yield _too_many_cards(cards, deck.size)
    else:
        yield from _typed_problems(terms, entry, table, held)


def _as_laid(terms: Terms, last: Card) -> Card:
    """Return a last card as the box is asked for it; one that turned everything over may be of either side."""
    turned = last.face in setting.OWN_FACES and terms.rulebook.value(setting.TURNS_OVER.at(f"card-{last.face}"), False)
    return Card(last.face) if turned else last


def _too_many_cards(cards: int, size: int) -> Problem:
    return Problem.said("hands", "cards-over", cards=cards, size=size)


def _too_many(path: Path, over: Mapping[Card, int], deck: Deck, whole: Deck) -> Problem:
    """Return what is wrong with a card of which `deck`, a side of `whole` or all of it, holds too few."""
    kind, most = next(iter(over.items()))
    for side in whole.sides if not most else ():
        if not whole.on(side).excess([kind]):
            other = next(each for each in whole.sides if each != side)
            return Problem.said(
                path, "card-of-other-side", card=kind.label, side=side_name(side), other=side_name(other)
            )
    return Problem.said(path, "card-over" if most else "card-not-in-box", card=kind.label, n=most, box=deck.name)


def _typed_problems(terms: Terms, entry: RoundEntry, table: Table, held: Sequence[Card]) -> Iterator[Problem]:
    """Find typed totals that the cards left in the box cannot make, each alone and all together.

    Each alone is exact. Together only their sum is held against the box, which refuses nothing that a
    deck can give.
    """
    typed = {seat: hand for seat, hand in entry.hands.items() if isinstance(hand, int) and hand >= 0}
    if not typed:
        return
    taken = Counter(card.face for card in held)
    points = terms.card_points().items()
    deck = terms.full_deck.on(entry.side)
    worths = [worth for face, worth in points for _ in range(deck.face_count(face) - taken[face]) if deck.certain]

    def all_sums(cards: int | None) -> int:
        if deck.certain:
            return makeable(worths, cards)
        return makeable_of_any((worth for _, worth in points), deck.size - 1, cards)

    counts = {seat: _told(terms, entry, seat) for seat in typed}
    sums = {count: all_sums(count) for count in set(counts.values())}
    alone = True
    for seat, total in typed.items():
        reachable = sums[counts[seat]]
        if not can_make(total, reachable):
            alone = False
            yield _not_made(("hands", at(table, seat)), total, counts[seat], reachable)
    if len(typed) > 1 and alone:
        known = [count for count in counts.values() if count is not None]
        together = sum(known) if len(known) == len(typed) else None
        total = sum(typed.values())
        if not can_make(total, all_sums(together)):
            players = joined(at(table, seat).name for seat in typed)
            yield Problem.said("hands", "totals-over", players=players, total=total)


def _told(terms: Terms, entry: RoundEntry, seat: int) -> int | None:
    count = entry.cards_left.get(seat, -1)
    return count if 0 <= count <= terms.full_deck.size else None


def _not_made(path: Path, total: int, count: int | None, sums: int) -> Problem:
    if count == 0:
        return Problem.said(path, "no-cards-no-points", total=total)
    near = either(map(str, nearest(total, sums)))
    key = "not-made" if count is None else "not-made-by"
    return Problem.said(path, f"{key}-near" if near else key, total=total, n=count, near=near)
