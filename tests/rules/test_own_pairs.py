"""Pairs of settings that a table changes together: none takes the other's effect away without a word."""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from itertools import permutations
from typing import Any

import pytest

from referee.rules.books import settings as s
from referee.rules.books.controls import Control, card_of, controls, required_face
from referee.rules.books.library import rulebooks
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID, read_facts, rule
from referee.rules.disputes.base import Dispute
from referee.rules.disputes.ruling import Ruling
from referee.rules.disputes.tree import every_hearing
from referee.rules.own.rulebook import OwnRulebook
from referee.rules.scoring.round_entry import read_round
from referee.rules.scoring.scoring import out_of_match, outcome, ranks, score_round
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible

Change = tuple[str, str, Any]
"""Clause, setting and value."""
BASE = "official"
CARDS_AND_SEATS = ("players", "deck-size", "two-player-rest")
"""Clauses that say with how many people and which cards is played: what then cannot happen contradicts nothing."""
BOXES = {
    "flip": "wild-draw-color", "no-mercy": "wild-draw-six", "attack": "hit-two",
    "all-wild": "wild-targeted-draw-two", "dare": "wild-dare",
}  # fmt: skip
"""Other boxes, with the card of which the settings are tried: that which most of them matter to."""
TRIED = 4
"""Cases of a change that are heard again before all are."""


def values(control: Control) -> Iterator[Any]:
    match control.kind:
        case "yes-no":
            yield from (True, False)
        case "one-of":
            yield from (choice.value for choice in control.choices)
        case "several":
            yield from ([], [choice.value for choice in control.choices])
        case "number" | "number-or-word":
            yield from (control.quick[:2] or (control.least, min(control.most, control.least + 2)))
            yield from (choice.value for choice in control.choices)
        case "numbers":
            yield from ([10, 4], [0])
        case "by-players":
            yield 120


@cache
def own(base: str, *changes: Change) -> OwnRulebook | None:
    """Return the rulebook with these changes; None where it is refused."""
    by_clause: dict[str, dict[str, Any]] = {}
    for clause, name, value in changes:
        by_clause.setdefault(clause, {})[name] = list(value) if isinstance(value, tuple) else value
    try:
        return OwnRulebook.read({"title": "Ours", "base": base, "changes": by_clause})
    except Impossible:
        return None


def single_changes(base: str) -> Iterator[Change]:
    deck = rulebooks()[base].deck
    for clause, by_name in controls().items():
        for name, control in by_name.items():
            if clause in CARDS_AND_SEATS or (required_face(control) or deck.faces[0]) not in deck.faces:
                continue
            for value in values(control):
                change = (clause, name, tuple(value) if isinstance(value, list) else value)
                made = own(base, change)
                if made and made.changes:
                    yield change


def said(base: str, ruling: Ruling) -> Mapping[str, object]:
    """Return what a ruling decides; of a card that other boxes have, with what it tells beside its outcome."""
    return dict(ruling.outcome) if base == BASE else {**ruling.outcome, "summary": ruling.summary}


@cache
def ends(base: str, id: str, *changes: Change) -> Mapping[tuple[Any, ...], tuple[Mapping[str, object], object]]:
    """Return how every hearing ends, by what was answered."""
    made = own(base, *changes)
    book = made.rulebook() if made else rulebooks()[base]
    return {
        tuple((key, repr(value)) for key, value in leaf.given.items()): (leaf.given, said(base, leaf.ruling))
        for leaf in every_hearing(DISPUTES_BY_ID[id], book)
    }


def end(base: str, dispute: Dispute, facts: Mapping[str, object], *changes: Change) -> object:
    """Return how one case ends: its outcome, the question it stops at, or None where it cannot be."""
    made = own(base, *changes)
    book = made.rulebook() if made else rulebooks()[base]
    try:
        heard = rule(dispute, book, read_facts(dispute, book, facts), asking=True)
    except Impossible:
        return None
    return said(base, heard) if isinstance(heard, Ruling) else heard.key


def is_tried(base: str, change: Change) -> bool:
    """Return whether a change is tried: each of Official, and what one card does that only another box has."""
    return base == BASE or card_of(change[0]) == BOXES[base]


@cache
def matters(base: str, id: str) -> Mapping[Change, list[Mapping[str, object]]]:
    """Return the changes that matter alone in a dispute, each with the cases that it ends otherwise."""
    plain, found = ends(base, id), {}
    for change in filter(partial(is_tried, base), single_changes(base)):
        alone = ends(base, id, change)
        if alone != plain:
            found[change] = [given for key, (given, outcome) in alone.items() if plain.get(key) != (given, outcome)]
    return found


def has_no_effect(base: str, dispute: Dispute, change: Change, other: Change) -> bool:
    """Return whether a change ends no hearing of a dispute otherwise beside the other one."""
    differing = matters(base, dispute.id).get(change, [])
    some = differing[:: max(1, len(differing) // TRIED)]
    if any(end(base, dispute, facts, change, other) != end(base, dispute, facts, other) for facts in some):
        return False
    return not differing or ends(base, dispute.id, change, other) == ends(base, dispute.id, other)


def named(change: Change) -> str:
    clause, name, value = change
    return f"{clause}.{name} = {value}"


@pytest.mark.parametrize("dispute", DISPUTES, ids=lambda dispute: dispute.id)
@pytest.mark.parametrize("base", [BASE, *BOXES])
def test_what_takes_the_effect_of_another_setting_away_is_refused_or_asked_about(base: str, dispute: Dispute) -> None:
    unsaid = []
    for change, other in permutations(matters(base, dispute.id), 2):
        if base != BASE and not change[2]:
            continue  # what a card doesn’t do takes nothing away
        alike = change[:2] == other[:2] or ends(base, dispute.id, change) == ends(base, dispute.id, other)
        both = None if alike else own(base, change, other)
        if both and not both.warnings and all(has_no_effect(base, d, change, other) for d in (dispute, *DISPUTES)):
            unsaid.append(f"{named(change)} beside {named(other)}")
    assert "\n".join(unsaid) == ""


SCORED = (
    "awards", "rank_points", "tied_ranks", "opening_total", "target", "wins", "at_target", "rounds_to_play",
    "number_points", "action_points", "wild_points", "wild_draw_four_points", "knocked_out_at",
    "knock_out_bonus", "last_left_wins", "partners", "partner_hand_counts", "time_limit_winner",
    "draw_pile_ends_round", "draw_pile_action", "go_out_on_action", "go_out_on_wild", "last_card_draws",
    "last_card_counts", "draw_two_draws",
)  # fmt: skip
"""What may change a score, the winner, or which rounds are taken."""
TABLE = dict(enumerate(("Ada", "Bo", "Cy", "Di")))
HANDS = {"Bo": ["red-7", "wild"], "Cy": ["blue-skip"], "Di": ["wild-draw-four", "red-7", "green-2"]}
ROUNDS: tuple[dict[str, Any], ...] = (
    {"went_out": "Ada", "hands": HANDS, "last_card": "red-5"},
    {"went_out": "Ada", "hands": HANDS, "last_card": "red-draw-two"},
    {"went_out": "Ada", "hands": HANDS, "last_card": "wild"},
    {"went_out": "Bo", "hands": {"Ada": ["wild"], "Cy": ["wild"], "Di": ["red-1"]}},
    {"ended": "last-one-left", "went_out": "Ada", "hands": {"Ada": ["red-7"]}, "knocked_out": ["Bo", "Cy", "Di"]},
    {"went_out": "Ada", "hands": {"Bo": ["red-7"], "Di": ["red-7"]}, "knocked_out": ["Cy"]},
    {"ended": "draw-pile-empty", "hands": {"Ada": ["red-1"], **HANDS}},
    {"ended": "time-limit", "hands": {"Ada": ["red-1"], **HANDS}},
)
COURSE = (
    *((1, (0, 0, 0, 0)), (1, (90, 20, 10, 0)), (2, (130, 20, 10, 0)), (3, (60, 90, 10, 0))),
    *((5, (60, 90, 10, 0)), (5, (5, 4, 3, 0)), (8, (600, 700, 10, 800)), (9, (1100, 300, 1200, 1300))),
)
"""Totals after so many rounds."""
LOWEST: tuple[Change, ...] = (("who-scores", "awards", "own-points"), ("match-winner", "wins", "lowest"))
PLAYED: dict[str, tuple[str, tuple[Change, ...]]] = {
    "winner takes": ("official", ()),
    "own points": ("official", LOWEST),
    "out at the target": ("official", (*LOWEST, ("target", "at_target", "player-is-out"))),
    "ranks": ("official", (("who-scores", "awards", "by-rank"), ("who-scores", "rank_points", (10, 5, 1)))),
    "knock-out": ("no-mercy", ()),
    "partners": ("partners", ()),
}


@cache
def scored(base: str, *changes: Change) -> str:
    """Return what each round comes to or is refused for, and how a match of the first, one and two of it, ends."""
    made = own(base, *changes)
    book = made.rulebook() if made else rulebooks()[base]
    teams = ((0, 2), (1, 3)) if book.value(s.PARTNERS, False) else None
    try:
        terms = Terms.agree(book, players=len(TABLE), teams=teams)
    except Impossible as refused:
        return repr(sorted({problem.field for problem in refused.problems}))
    found: list[object] = []
    for said in ROUNDS:
        try:
            score = score_round(terms, read_round(said, TABLE, terms.full_deck), TABLE)
        except Impossible as refused:
            found.append(sorted({problem.field for problem in refused.problems}))
        else:
            found.append((dict(score.hands), dict(score.points), score.winners))
    opening = book.value(s.OPENING_TOTAL, 0)
    for rounds, points in COURSE:
        totals = {seat: opening + more for seat, more in enumerate(points)}
        found.append((ranks(terms, totals), outcome(terms, totals, rounds=rounds), out_of_match(terms, totals)))
    return repr(found)


@pytest.mark.parametrize(("base", "also"), PLAYED.values(), ids=PLAYED)
def test_what_takes_the_effect_of_another_setting_on_scores_away_is_refused_or_asked_about(
    base: str, also: tuple[Change, ...]
) -> None:
    alone = {change: scored(base, *also, change) for change in single_changes(base) if change[1] in SCORED}
    matter = [change for change, found in alone.items() if found != scored(base, *also)]
    unsaid = []
    for change, other in permutations(matter, 2):
        if change[:2] == other[:2] or alone[change] == alone[other]:
            continue
        pair = sorted((change, other), key=repr)
        both = own(base, *also, *pair)
        if both and not both.warnings and scored(base, *also, *pair) == alone[other]:
            unsaid.append(f"{named(change)} beside {named(other)}")
    assert "\n".join(unsaid) == ""
