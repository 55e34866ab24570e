"""What may be wrong with a round as entered: its ending, its table, its hands, and the box they came from."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from referee.rules.books import settings as setting
from referee.rules.books.agreeing import players_problems
from referee.rules.books.rulebook import number_drawn
from referee.rules.books.settings import OWN_FACES, Setting
from referee.rules.cards.cards import BLANK, Card, Deck, Face, can_make, makeable, makeable_of_any, nearest, side_name
from referee.rules.disputes.effects import numbers_that_move, swap_faces
from referee.rules.scoring.round_entry import (
    DRAW_PILE_EMPTY,
    ENDINGS,
    LAST_ONE_LEFT,
    TIME_LIMIT,
    WENT_OUT,
    RoundEntry,
    Table,
    stranger,
)
from referee.rules.scoring.terms import Terms, nobody_scores, partners_of, rules_that_allow
from referee.rules.text.problem import At, Path, Problem, fold
from referee.rules.text.words import either, joined


def who_plays(entry: RoundEntry, table: Table) -> tuple[int, ...]:
    """Return the players without those who sat the round out."""
    return tuple(seat for seat in table if seat not in entry.sat_out)


def takes_hand(terms: Terms, winner: int, other: int) -> bool:
    """Return whether what someone holds counts for who wins a round; a partner's hand only where the rules say so."""
    if other == winner:
        return False
    return other not in partners_of(terms, winner) or terms.rulebook.value(setting.PARTNER_HAND_COUNTS, False)


def cards_held(entry: RoundEntry, playing: Sequence[int]) -> dict[int, int]:
    """Count the cards of each hand where that is known."""
    counts = {}
    for seat in playing:
        hand = entry.hands.get(seat)
        if isinstance(hand, tuple):
            counts[seat] = len(hand)
        elif seat in entry.cards_left:
            counts[seat] = entry.cards_left[seat]
        elif seat == entry.went_out:
            counts[seat] = 0
    return counts


def at(table: Table, seat: int) -> At:
    """Return a path to a seat, even one that is not at the table."""
    return At(seat, table.get(seat, f"seat {seat}"))


def seat_problems(table: Table) -> Iterator[Problem]:
    """Check that nobody sits at the table twice."""
    folded = list(map(fold, table.values()))
    for place, name in enumerate(table.values()):
        if folded[place] in folded[:place]:
            yield Problem.said(("players", place), "player-twice", name=name)


def company_problems(terms: Terms, table: Table) -> Iterator[Problem]:
    """Check the players that a round names before any seats exist: named, no one twice, as many as allowed."""
    names = tuple(table.values())
    for seat, name in table.items():
        if not name.strip():
            yield Problem.said(("hands", At(seat, name)), "nameless")
        twin = next((other for other in names[:seat] if fold(other) == fold(name)), None)
        if twin is not None:
            yield Problem.said(("hands", At(seat, name)), "same-player", first=twin, second=name)
    if len(names) > 1:
        yield from players_problems(terms.rulebook, len(names), "players")


def table_problems(entry: RoundEntry, table: Table) -> Iterator[Problem]:
    """Check every seat of an entry: it is at the table, and nobody both plays and sat out."""
    told: list[tuple[Path, int]] = [(("went_out",), entry.went_out)] if entry.went_out is not None else []
    told += [(("credited_to", place), seat) for place, seat in enumerate(entry.credited_to or ())]
    told += [(("knocked_out", place), seat) for place, seat in enumerate(entry.knocked_out)]
    held: list[tuple[Path, int]] = [(("hands", at(table, seat)), seat) for seat in entry.hands]
    held += [(("cards_left", at(table, seat)), seat) for seat in entry.cards_left]
    absent = [(("sat_out", place), seat) for place, seat in enumerate(entry.sat_out)]
    corrected: list[tuple[Path, int]] = [
        (("adjustments", place, "player"), each.seat) for place, each in enumerate(entry.adjustments)
    ]
    for path, seat in (*told, *held, *absent, *corrected):
        if seat not in table:
            yield stranger(path, at(table, seat).name, table)
    for path, seat in (*told, *((path, seat) for path, seat in held if holds_cards(entry, seat))):
        if seat in entry.sat_out:
            yield Problem.said(path, "plays-and-sits-out", name=at(table, seat).name)
    if entry.sat_out and len(who_plays(entry, table)) < 2:
        yield Problem.said("sat_out", "too-few-play")


def ending_problems(terms: Terms, entry: RoundEntry, table: Table) -> Iterator[Problem]:
    """Check how the round ended, and that the table agreed on such an end."""
    if entry.ended not in ENDINGS:
        yield Problem.said("ended", "choose", choices=", ".join(ENDINGS))
    elif entry.ended == WENT_OUT:
        if entry.went_out is None and not any(problem.path == ("went_out",) for problem in entry.unread):
            yield Problem.said("went_out", "nobody-went-out")
        elif entry.went_out is not None and entry.credited_to not in (None, (entry.went_out,)):
            yield Problem.said("credited_to", "credited-by-rule", name=at(table, entry.went_out).name)
    elif entry.went_out is not None:
        yield Problem.said("went_out", "out-and-ended")
    if entry.ended == DRAW_PILE_EMPTY and not terms.rulebook.value(setting.DRAW_PILE_ENDS_ROUND, False):
        yield _not_agreed(terms, setting.DRAW_PILE_ENDS_ROUND, "draw-pile-goes-on")
    if entry.ended == TIME_LIMIT and terms.rulebook.find(setting.TIME_LIMIT_WINNER) is None:
        yield _not_agreed(terms, setting.TIME_LIMIT_WINNER, "no-time-limit")
    if terms.count == "points":
        yield from nobody_scores(terms.rulebook)


def _not_agreed(terms: Terms, wanted: Setting[bool] | Setting[str], key: str) -> Problem:
    titles = rules_that_allow(terms.rulebook, wanted)
    if titles:
        return Problem.said("ended", f"{key}-yet", rulebook=terms.rulebook.title, rule=titles[0])
    return Problem.said("ended", key, rulebook=terms.rulebook.title)


def holds_cards(entry: RoundEntry, seat: int) -> bool:
    """Return whether someone holds cards, as far as is known; a typed 0 may be a hand of zeros."""
    count = entry.cards_left.get(seat)
    hand = entry.hands.get(seat, ())
    if entry.is_unread(seat) or count:
        return True
    if isinstance(hand, tuple):
        return bool(hand)
    return hand != 0 or (count is None and seat != entry.went_out and seat not in entry.sat_out)


def hand_problems(terms: Terms, entry: RoundEntry, table: Table) -> Iterator[Problem]:
    """Check that the one who went out holds nothing, someone else does, and every hand can be counted."""
    out = entry.went_out
    if out is not None and holds_cards(entry, out):
        yield Problem.said(("hands", at(table, out)), "hand-of-out", name=at(table, out).name)
    others = [seat for seat in who_plays(entry, table) if seat != out and seat not in entry.knocked_out]
    if out is not None and terms.teams and terms.awards == "winner-takes":
        others = [seat for seat in others if takes_hand(terms, out, seat)]
    needed = entry.ended not in (TIME_LIMIT, LAST_ONE_LEFT) and terms.count == "points" and terms.awards != "one-point"
    missing = [seat for seat in others if seat not in entry.hands and not entry.is_unread(seat)] if needed else []
    for seat in missing:
        yield Problem.said(("hands", at(table, seat)), "hand-missing", name=table[seat])
    told = [seat for seat in others if seat in entry.hands or seat in entry.cards_left]
    held = entry.knocked_out or any(holds_cards(entry, seat) for seat in others)
    if not missing and (told or needed) and not held:
        yield Problem.said("hands", "nobody-holds")
    worths = terms.card_points
    for seat, hand in entry.hands.items():
        if isinstance(hand, int):
            if hand < 0:
                yield Problem.said(("hands", at(table, seat)), "hand-negative", points=hand)
            continue
        for place, card in enumerate(hand):
            if card.face in terms.full_deck.faces and card.face not in worths and not entry.is_unread(seat):
                path = ("hands", at(table, seat), place)
                field = "blank_points" if card.face == BLANK else "face_points"
                yield Problem.said(path, "no-worth", rulebook=terms.rulebook.title, card=card.label, field=field)


def only_numbers_last(terms: Terms) -> bool:
    """Return whether nobody may go out on an action card or a wild."""
    parts = (setting.GO_OUT_ON_ACTION, setting.GO_OUT_ON_ACTION.at("no-action-finish"))
    return not all(terms.rulebook.value(part, True) for part in parts)


def may_be_last(terms: Terms, face: Face) -> bool:
    """Return whether a round may end on this face: by the clauses on its card, on wilds, and on cards that swap."""
    swaps = face in swap_faces(terms.rulebook) or face.number in numbers_that_move(terms.rulebook)
    if swaps and terms.rulebook.value(setting.LAST_CARD_SWAPS, False):
        return False
    if face.is_wild and not terms.rulebook.value(setting.GO_OUT_ON_WILD, True):
        return False
    own = setting.GO_OUT_ON_ACTION.at(f"card-{face}") if face in OWN_FACES else None
    return face.number is not None or own is None or terms.rulebook.value(own, True)


def last_card_reminder(terms: Terms, last_card: Card | None) -> int | str:
    """Count the cards the next player still drew for this last card and that belong to the hand; 0 for none.

    Where they have no number, the word of the clause is given: ``until-color``.
    """
    counts = terms.count == "points" and terms.rulebook.value(setting.LAST_CARD_COUNTS, False)
    if last_card is None or not counts or only_numbers_last(terms) or terms.rulebook.has_launcher:
        return 0  # a launcher gives as many as it likes
    if last_card.face in OWN_FACES:
        return terms.rulebook.value(setting.CARD_DRAWS.at(f"card-{last_card.face}"), 0)
    return number_drawn(terms.rulebook, last_card.face)


def last_card_problems(terms: Terms, entry: RoundEntry, table: Table) -> Iterator[Problem]:
    """Check that someone may go out on the last card, and that someone holds the cards drawn for it."""
    last = entry.last_card if entry.ended == WENT_OUT else None
    if last is None:
        return
    if last.face.number is None and only_numbers_last(terms):
        yield Problem.said("last_card", "last-card-no-number", card=last.face.label)
    elif not may_be_last(terms, last.face):
        yield Problem.said("last_card", "last-card-barred", card=last.face.label)
    told = last_card_reminder(terms, last)
    drawn = told if isinstance(told, int) else 1  # at least the card that ended the drawing
    others = [seat for seat in who_plays(entry, table) if seat != entry.went_out]
    held = cards_held(entry, others)
    if not drawn or not others or any(seat not in held or entry.is_unread(seat) for seat in others):
        return
    most = max(held.values())
    if 0 < most < drawn and len(others) == 1:
        who = at(table, others[0])
        yield Problem.said(("hands", who), "drew-for-last", name=who.name, drawn=drawn, card=last.face.label, n=most)
    elif 0 < most < drawn:
        yield Problem.said("hands", "next-drew-for-last", drawn=drawn, card=last.face.label, n=most)


def count_problems(terms: Terms, entry: RoundEntry, table: Table) -> Iterator[Problem]:
    """Check the numbers of cards told, and that time running out finds all of them told."""
    for seat, count in entry.cards_left.items():
        hand, who = entry.hands.get(seat), at(table, seat)
        if not 0 <= count <= terms.full_deck.size:
            yield Problem.said(("cards_left", who), "count-range", most=terms.full_deck.size)
        elif seat == entry.went_out:
            if count:
                yield Problem.said(("cards_left", who), "count-of-out", name=who.name)
        elif isinstance(hand, tuple) and not entry.is_unread(seat) and count != len(hand):
            yield Problem.said(("cards_left", who), "count-differs", name=who.name, n=len(hand), count=count)
    if entry.ended == TIME_LIMIT:
        for seat in who_plays(entry, table):
            if not cards_held(entry, [seat]):
                yield Problem.said(("cards_left", at(table, seat)), "count-needed", name=table[seat])


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
    points = terms.card_points.items()
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
