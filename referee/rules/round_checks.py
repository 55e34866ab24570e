"""What may be wrong with a round as entered: its ending, its names, its hands, and the box they came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from referee.rules import settings as setting
from referee.rules.cards import DRAW_TWO, WILD_DRAW_FOUR, Card
from referee.rules.problem import Problem
from referee.rules.round_entry import DRAW_PILE_EMPTY, ENDINGS, TIME_LIMIT, WENT_OUT, RoundEntry
from referee.rules.ruling import cards_count
from referee.rules.settings import Setting
from referee.rules.terms import Terms, players_problems, rules_that_allow
from referee.rules.texts import fold
from referee.rules.totals import can_make, makeable, nearest


def named_in(entry: RoundEntry) -> tuple[str, ...]:
    """List everyone whom an entry puts at the table, the one who went out first."""
    out = (entry.went_out,) if entry.went_out else ()
    return tuple(dict.fromkeys([*out, *entry.hands, *entry.cards_left, *entry.sat_out]))


def who_plays(entry: RoundEntry, seated: Sequence[str]) -> tuple[str, ...]:
    """Leave out those who sat the round out."""
    return tuple(name for name in seated if name not in entry.sat_out)


def cards_held(entry: RoundEntry, playing: Sequence[str]) -> dict[str, int]:
    """Count the cards of each hand where that is known."""
    counts = {}
    for name in playing:
        hand = entry.hands.get(name)
        if isinstance(hand, tuple):
            counts[name] = len(hand)
        elif name in entry.cards_left:
            counts[name] = entry.cards_left[name]
        elif name == entry.went_out:
            counts[name] = 0
    return counts


def in_words(names: Sequence[str]) -> str:
    """Join names as they are said: ``Ada, Bo and Cy``."""
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else "".join(names)


def seat_problems(players: Sequence[str]) -> Iterator[Problem]:
    """Check that nobody sits at the table twice."""
    for place, name in enumerate(players):
        if fold(name) in (fold(other) for other in players[:place]):
            yield Problem(f"players[{place}]", f"“{name}” is there twice; give each player a name of their own.")


def table_problems(entry: RoundEntry, players: Sequence[str]) -> Iterator[Problem]:
    """Hold every name of an entry against those who sit at the table."""
    out = [("went_out", entry.went_out)] if entry.went_out is not None else []
    parts = [
        *out,
        *((f"hands.{name}", name) for name in entry.hands),
        *((f"cards_left.{name}", name) for name in entry.cards_left),
        *((f"credited_to[{place}]", name) for place, name in enumerate(entry.credited_to or ())),
    ]
    absent = [(f"sat_out[{place}]", name) for place, name in enumerate(entry.sat_out)]
    for field, name in (*parts, *absent):
        if name not in players:
            here = in_words(players) or "nobody"
            yield Problem(field, f"“{name[:40]}” does not sit at this table; here are {here}.")
    for field, name in parts:
        if name in entry.sat_out and (not field.startswith(("hands", "cards_left")) or holds_cards(entry, name)):
            yield Problem(field, f"{name} sat this round out; take {name} out of one of the two.")
    for place, (field, name) in enumerate(absent):
        if name in entry.sat_out[:place]:
            yield Problem(field, f"{name} is named twice; once is enough.")
    if entry.sat_out and len(who_plays(entry, players)) < 2:
        yield Problem("sat_out", "At least two must play the round.")


def company_problems(terms: Terms, entry: RoundEntry) -> Iterator[Problem]:
    """Check the company that an entry names by itself: nobody nameless or twice, as many as the rulebook allows."""
    names = named_in(entry)
    for place, name in enumerate(names):
        if not name.strip():
            yield Problem(f"hands.{name}", "Somebody has no name here; give each player one.")
        twin = next((other for other in names[:place] if fold(other) == fold(name)), None)
        if twin is not None:
            yield Problem(f"hands.{name}", f"“{twin}” and “{name}” are one player twice; use one spelling.")
    if len(names) > 1:
        yield from players_problems(terms.rulebook, len(names), "players")


def ending_problems(terms: Terms, entry: RoundEntry) -> Iterator[Problem]:
    """Check how the round ended, and that the table agreed on such an end."""
    if entry.ended not in ENDINGS:
        yield Problem("ended", f"Choose one of {', '.join(ENDINGS)}.")
    elif entry.ended == WENT_OUT:
        if entry.went_out is None and not any(problem.field == "went_out" for problem in entry.unread):
            yield Problem("went_out", "Say who went out.")
        elif entry.credited_to not in (None, (entry.went_out,)):
            yield Problem("credited_to", f"{entry.went_out} went out, so the rulebook says who takes the points.")
    elif entry.went_out is not None:
        yield Problem("went_out", f"Nobody goes out when a round ends by {entry.ended}; leave this out.")
    if entry.ended == DRAW_PILE_EMPTY and not terms.rulebook.value(setting.DRAW_PILE_ENDS_ROUND, False):
        yield _not_agreed(terms, setting.DRAW_PILE_ENDS_ROUND, "an empty draw pile does not end the round")
    if entry.ended == TIME_LIMIT and terms.rulebook.find(setting.TIME_LIMIT_WINNER) is None:
        yield _not_agreed(terms, setting.TIME_LIMIT_WINNER, "no time limit ends the match")


def _not_agreed(terms: Terms, wanted: Setting[bool] | Setting[str], otherwise: str) -> Problem:
    titles = rules_that_allow(terms.rulebook, wanted)
    unless = f", unless the table agreed on the house rule “{titles[0]}”" if titles else ""
    return Problem("ended", f"Under {terms.rulebook.title} {otherwise}{unless}. Say who went out.")


def holds_cards(entry: RoundEntry, name: str) -> bool:
    """Tell whether somebody holds cards, as far as is known; a typed 0 may be a hand of zeros."""
    count = entry.cards_left.get(name)
    hand = entry.hands.get(name, ())
    if entry.is_unread(name) or count:
        return True
    if isinstance(hand, tuple):
        return bool(hand)
    return hand != 0 or (count is None and name != entry.went_out and name not in entry.sat_out)


def hand_problems(terms: Terms, entry: RoundEntry, seated: Sequence[str]) -> Iterator[Problem]:
    """Check that the one who went out holds nothing, somebody else does, and every hand can be counted."""
    out = entry.went_out
    if out is not None and holds_cards(entry, out):
        yield Problem(f"hands.{out}", f"{out} went out and so holds no card; leave this hand empty.")
    others = [name for name in who_plays(entry, seated) if name != out]
    needed = entry.ended != TIME_LIMIT and terms.count == "points"
    missing = [name for name in others if name not in entry.hands and not entry.is_unread(name)] if needed else []
    for name in missing:
        yield Problem(
            f"hands.{name}", f"Add the cards or points {name} still holds, or say that {name} held none or sat out."
        )
    told = [name for name in others if name in entry.hands or name in entry.cards_left]
    if not missing and (told or needed) and not any(holds_cards(entry, name) for name in others):
        yield Problem("hands", "Nobody holds a card, yet only one player goes out; give what the others still hold.")
    worths = terms.card_points()
    for name, hand in entry.hands.items():
        if isinstance(hand, int):
            if hand < 0:
                yield Problem(f"hands.{name}", f"A hand is worth 0 points or more; {hand} cannot be.")
            continue
        for place, card in enumerate(hand):
            if card.face in terms.box.faces and card.face not in worths and not entry.is_unread(name):
                message = f"{terms.rulebook.title} does not say what a {card.label} is worth; agree on blank_points."
                yield Problem(f"hands.{name}[{place}]", message)


DRAWING_LAST_CARDS: Mapping[str, Setting[int]] = MappingProxyType(
    {DRAW_TWO: setting.DRAW_TWO_DRAWS, WILD_DRAW_FOUR: setting.DRAW_FOUR_DRAWS}
)


def only_numbers_last(terms: Terms) -> bool:
    """Tell whether nobody may go out on an action card or a wild."""
    parts = (setting.GO_OUT_ON_ACTION, setting.GO_OUT_ON_ACTION.at("no-action-finish"))
    return not all(terms.rulebook.value(part, True) for part in parts)


def asks_last_card(terms: Terms) -> bool:
    """Tell whether the cards drawn for a last card count, so that recording asks which card it was."""
    counts = terms.rulebook.value(setting.LAST_CARD_COUNTS, False)
    return terms.count == "points" and counts and not only_numbers_last(terms)


def last_card_reminder(terms: Terms, last_card: Card | None) -> int:
    """Count the cards the next player still drew for this last card and that belong to the hand; 0 for none."""
    draws = DRAWING_LAST_CARDS.get(last_card.face) if last_card else None
    return terms.rulebook.value(draws, 0) if draws and asks_last_card(terms) else 0


def last_card_problems(terms: Terms, entry: RoundEntry, seated: Sequence[str]) -> Iterator[Problem]:
    """Check that somebody may go out on the last card, and that somebody holds the cards drawn for it."""
    last = entry.last_card if entry.ended == WENT_OUT else None
    if last is None:
        return
    if last.face.number is None and only_numbers_last(terms):
        message = f"Nobody goes out on a {last.face.label} here: the last card must be a number. Choose the number."
        yield Problem("last_card", message)
    drawn = last_card_reminder(terms, last)
    others = [name for name in who_plays(entry, seated) if name != entry.went_out]
    held = cards_held(entry, others)
    if not drawn or not others or any(name not in held or entry.is_unread(name) for name in others):
        return
    if 0 < max(held.values()) < drawn:
        who = others[0] if len(others) == 1 else "The next player"
        field = f"hands.{others[0]}" if len(others) == 1 else "hands"
        drew = f"{who} still drew {cards_count(drawn)} for the last {last.face.label}"
        here = cards_count(max(held.values()))
        yield Problem(field, f"{drew}, more than the {here} here. Add the cards drawn, or change the last card.")


def count_problems(terms: Terms, entry: RoundEntry, seated: Sequence[str]) -> Iterator[Problem]:
    """Check the numbers of cards told, and that time running out finds all of them told."""
    for name, count in entry.cards_left.items():
        hand = entry.hands.get(name)
        field = f"cards_left.{name}"
        if not 0 <= count <= terms.box.size:
            yield Problem(field, f"Give a number of cards from 0 to {terms.box.size}.")
        elif name == entry.went_out:
            if count:
                yield Problem(field, f"{name} went out and so holds no card.")
        elif isinstance(hand, tuple) and not entry.is_unread(name) and count != len(hand):
            yield Problem(field, f"{name}’s hand lists {cards_count(len(hand))}, here it says {count}.")
    if entry.ended == TIME_LIMIT:
        for name in who_plays(entry, seated):
            if name not in cards_held(entry, [name]):
                yield Problem(f"cards_left.{name}", f"The fewest cards win when time is up; say how many {name} holds.")


def box_problems(terms: Terms, entry: RoundEntry) -> Iterator[Problem]:
    """Hold all hands together against the box: each card, then the number of cards, then the typed totals."""
    box = terms.box
    held = [entry.last_card] if entry.last_card and entry.went_out else []
    if box.excess(held):
        yield Problem("last_card", _too_many(box.excess([held.pop()]), box.title))
    listed = sum(len(hand) for hand in entry.hands.values() if isinstance(hand, tuple))
    if listed > 2 * box.size:  # nobody wants to hear of each card
        yield _too_many_cards(listed, box.size)
        return
    fits = True
    for name, hand in entry.hands.items():
        said: set[Card] = set()  # once a hand and kind of card is enough
        for place, card in enumerate(hand if isinstance(hand, tuple) else ()):
            over = box.excess([*held, card])
            if not over:
                held.append(card)
            elif not said >= over.keys():
                fits = False
                said |= over.keys()
                yield Problem(f"hands.{name}[{place}]", _too_many(over, box.title))
    if not fits:
        return
    counts = cards_held(entry, tuple({**entry.hands, **entry.cards_left})).values()
    cards = sum(count for count in counts if 0 <= count <= box.size)
    if cards >= box.size:
        yield _too_many_cards(cards, box.size)
    else:
        yield from _typed_problems(terms, entry, held)


def _too_many_cards(cards: int, size: int) -> Problem:
    return Problem("hands", f"All hands hold {cards} cards; the box has {size}, and one at least lies on top.")


def _too_many(over: Mapping[Card, int], box: str) -> str:
    kind, most = next(iter(over.items()))
    if most == 0:
        return f"There is no {kind.label} in the box ({box}); choose the deck that lies on the table."
    times = "once" if most == 1 else f"{most} times"
    return f"“{kind.label}” is only {times} in the box ({box}); all hands and the last card together hold more."


def _typed_problems(terms: Terms, entry: RoundEntry, held: Sequence[Card]) -> Iterator[Problem]:
    """Find typed totals that the cards left in the box cannot make, each alone and all together.

    Each alone is exact. Together only their sum is held against the box, which refuses nothing that a
    deck can give.
    """
    typed = {name: hand for name, hand in entry.hands.items() if isinstance(hand, int) and hand >= 0}
    taken = Counter(card.face for card in held)
    points = terms.card_points().items()
    worths = [worth for face, worth in points for _ in range(terms.box.face_count(face) - taken[face])]
    counts = {name: _told(terms, entry, name) for name in typed}
    sums = {count: makeable(worths, count) for count in set(counts.values())}
    alone = True
    for name, total in typed.items():
        reachable = sums[counts[name]]
        if not can_make(total, reachable):
            alone = False
            yield Problem(f"hands.{name}", _not_made(total, counts[name], reachable))
    if len(typed) > 1 and alone:
        known = [count for count in counts.values() if count is not None]
        together = sum(known) if len(known) == len(typed) else None
        total = sum(typed.values())
        if not can_make(total, makeable(worths, together)):
            names = in_words(tuple(typed))
            yield Problem("hands", f"The totals of {names} come to {total}; the cards in the box cannot make that.")


def _told(terms: Terms, entry: RoundEntry, name: str) -> int | None:
    count = entry.cards_left.get(name, -1)
    return count if 0 <= count <= terms.box.size else None


def _not_made(total: int, count: int | None, sums: int) -> str:
    near = " or ".join(str(number) for number in nearest(total, sums))
    help = f" The nearest they can make is {near}." if near else ""
    if count is None:
        return f"No cards left in the box make {total} points.{help}"
    if count == 0:
        return f"No cards make no points, not {total}."
    return f"{cards_count(count).capitalize()} cannot make {total} points.{help}"
