"""Rulings that hold together under every rulebook, up to two house rules, and with any one clause taken away.

Hearings that read none of the clauses changed end as before, so they are not heard again: each dispute is
walked once more only under rules that change a clause it read.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

import pytest

from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Clause, Rulebook
from referee.rules.cards.cards import DRAW_TWO
from referee.rules.disputes import DISPUTES
from referee.rules.disputes.base import Dispute
from referee.rules.disputes.effects import UNTIL_COLOR, UNTIL_FIRED, Amount
from referee.rules.disputes.facts import plain
from referee.rules.disputes.ruling import Role, Ruling, say_orders
from referee.rules.disputes.tree import Leaf, every_hearing
from referee.rules.text.words import CATALOGUE


class Watched(Mapping[str, Clause]):
    """Clauses that note which of them were looked for, there or not."""

    def __init__(self, clauses: Mapping[str, Clause]) -> None:
        self.clauses = clauses
        self.looked_for: set[str] = set()

    def __getitem__(self, id: str) -> Clause:
        self.looked_for.add(id)
        return self.clauses[id]

    def __contains__(self, id: object) -> bool:
        self.looked_for.add(str(id))
        return id in self.clauses

    def __iter__(self) -> Iterator[str]:
        return iter(self.clauses)

    def __len__(self) -> int:
        return len(self.clauses)


@dataclass(frozen=True)
class Walk:
    """All ends of a dispute under a rulebook, and the clauses that decided them."""

    leaves: tuple[Leaf, ...]
    looked_for: frozenset[str]


def walk(dispute: Dispute, rulebook: Rulebook) -> Walk:
    watched = Watched(rulebook.clauses)
    leaves = tuple(every_hearing(dispute, replace(rulebook, clauses=watched)))
    return Walk(leaves, frozenset(watched.looked_for))


@cache
def every_walk() -> tuple[tuple[str, Walk], ...]:
    """Walk every dispute under every change of rules that can make a difference to it, each with its name."""
    found: list[tuple[str, Walk]] = []
    for rulebook in rulebooks().values():
        for dispute in DISPUTES:
            found += _walks(dispute, rulebook)
    return tuple(found)


def _walks(dispute: Dispute, rulebook: Rulebook) -> Iterator[tuple[str, Walk]]:
    plain = walk(dispute, rulebook)
    yield f"{dispute.id}, {rulebook.id}", plain
    for id in plain.looked_for & rulebook.clauses.keys():
        left = {key: clause for key, clause in rulebook.clauses.items() if key != id}
        yield f"{dispute.id}, {rulebook.id} without {id}", walk(dispute, replace(rulebook, clauses=left))
    changed = {id: {clause.id for clause in rule.clauses} for id, rule in rulebook.house_rules.items()}
    single = {id: walk(dispute, rulebook.with_house_rules([id])) for id in changed if changed[id] & plain.looked_for}
    yield from ((f"{dispute.id}, {rulebook.id} with {id}", each) for id, each in single.items())
    for one, other in combinations(changed, 2):
        excluded = other in rulebook.house_rules[one].excludes
        if not excluded and any(
            a in single and changed[b] & single[a].looked_for for a, b in ((one, other), (other, one))
        ):
            agreed = rulebook.with_house_rules([one, other])
            yield f"{dispute.id}, {rulebook.id} with {one} and {other}", walk(dispute, agreed)


def _flipped(value: object) -> list[object]:
    """Give other values of a setting that is a flag or a number."""
    if isinstance(value, bool):
        return [not value]
    if not isinstance(value, int):
        return []
    numbers: tuple[object, ...] = (0, 1, 2)
    return [other for other in numbers if other != value][:2]


def _with_other_settings(dispute: Dispute, rulebook: Rulebook) -> Iterator[tuple[str, Walk]]:
    """Walk a dispute with each flag and number of the clauses it read set otherwise, as a table may set it."""
    read = walk(dispute, rulebook).looked_for & rulebook.clauses.keys()
    for clause in (rulebook.clauses[id] for id in read):
        for name, value in clause.settings.items():
            for other in _flipped(value):
                changed = replace(clause, settings={**clause.settings, name: other})
                clauses = {**rulebook.clauses, clause.id: changed}
                told_so = f"{dispute.id}, {rulebook.id} with {name} = {other}"
                yield told_so, walk(dispute, replace(rulebook, clauses=clauses))


def every_end() -> Iterator[tuple[str, Leaf]]:
    for name, each in every_walk():
        for leaf in each.leaves:
            yield f"{name}, {dict(leaf.given)}: {leaf.ruling.summary}", leaf


def test_the_walk_meets_changes_that_matter() -> None:
    names = {name for name, _ in every_walk()}
    assert "stacking, classic-500 with stack-draw-two and stack-draw-four" in names
    assert "uno-call, duo-200 without uno-deadline" in names
    assert len(names) > 700


NOTHING = re.compile(r"\bNone\b|[{}]|  |\b0 cards|\b1 cards")
"""What is said where a place stayed empty or a number is none."""


def told(leaf: Leaf) -> list[str]:
    """List all that is read aloud: the verdict, the summary, the orders and the answers."""
    say, ruling = leaf.dispute.voice(), leaf.ruling
    orders = say_orders(ruling.orders, say, ruling.outcome.get("hand_shown_to"))
    return [ruling.verdict, ruling.summary, *orders, *(step.text for step in ruling.steps if step.kind == "answer")]


def test_nothing_said_names_none_or_leaves_a_place_empty() -> None:
    wrong = [name for name, leaf in every_end() if any(NOTHING.search(text) for text in told(leaf))]
    assert wrong == []


def test_every_ruling_says_something() -> None:
    assert [name for name, leaf in every_end() if not leaf.ruling.summary] == []


def test_whatever_is_ruled_cites_a_clause() -> None:
    uncited = [
        name
        for name, leaf in every_end()
        if leaf.ruling.status == "ruled" and not any(step.clause for step in leaf.ruling.steps)
    ]
    assert uncited == []


# --- orders ---------------------------------------------------------------------------------------

DRAWN_BY: Mapping[str, Role] = {
    "offender_draws": Role.OFFENDER,
    "penalty_cards": Role.OFFENDER,
    "accuser_penalty_cards": Role.CHALLENGER,
    "first_player_draws": Role.FIRST_PLAYER,
    "next_player_draws": Role.NEXT_PLAYER,
    "target_draws": Role.TARGET,
}
"""Who draws the cards that a key of an outcome counts."""


def ordered_draws(ruling: Ruling) -> dict[Role, Amount]:
    """Tell how much each is told to draw or press: a number, until it fires, until a color comes and so many more."""
    drawn: dict[Role, Amount] = {}
    for order in ruling.orders:
        if order.action == "draw-until-color":
            drawn[order.role] = UNTIL_COLOR
        elif order.action == "press-until-fired":
            drawn[order.role] = UNTIL_FIRED
        elif order.action in ("draw", "press") and (amount := order.cards or order.times) is not None:
            drawn[order.role] = f"{drawn[order.role]}+{amount}" if order.role in drawn else amount
    return drawn


def unordered(leaf: Leaf) -> bool:
    """Tell whether something is decided to happen that nobody is told to do."""
    ruling = leaf.ruling
    outcome, orders = ruling.outcome, {(order.role, order.action) for order in ruling.orders}
    drawn = ordered_draws(ruling)
    everyone = drawn.get(Role.EVERYONE_ELSE)
    if any(outcome.get(key) and drawn.get(role, everyone) != outcome[key] for key, role in DRAWN_BY.items()):
        return True
    if leaf.dispute.id == "draw-four-challenge" and outcome["effect_stands"]:
        return Role.TARGET not in drawn and outcome["target_draws"] is not None
    if leaf.dispute.id == "wild-with-match" and "color named counts" in ruling.summary:
        return (Role.OFFENDER, "name-color") not in orders
    if leaf.dispute.id == "played-card-effect" and outcome["draws"]:
        return outcome["draws"] not in drawn.values() and "don’t say who draws" not in ruling.summary
    if leaf.dispute.id == "stacking" and outcome["who_draws"] is Role.RESPONDER and outcome["draws"]:
        comes_back = "It comes back" in ruling.summary  # whoever answered may answer again
        return not comes_back and bool(drawn.get(Role.RESPONDER) != outcome["draws"])
    skipped = outcome.get("first_player_skipped") or outcome.get("offender_loses_turn")
    return bool(skipped) and not any(action == "lose-turn" for _, action in orders)


def test_what_stands_is_ordered() -> None:
    assert [name for name, leaf in every_end() if unordered(leaf)] == []


HAPPENS = (
    {"show-hand", "take-back", "name-color"}, {"draw", "draw-until-color", "press", "press-until-fired"}, {"lose-turn"},
    {"play-next"}, {"score-cards"},
)  # fmt: skip
"""What is ordered, by when it happens."""


def test_orders_come_as_they_happen_and_no_hand_is_shown_that_was_told() -> None:
    moments = {action: moment for moment, actions in enumerate(HAPPENS) for action in actions}
    for name, leaf in every_end():
        actions = [order.action for order in leaf.ruling.orders]
        assert actions == sorted(actions, key=moments.__getitem__), name
        assert "show-hand" not in actions or "hand" not in leaf.given, name


# --- numbers in words, outcomes and orders ----------------------------------------------------------

NUMBERS = re.compile(r"(?<![\w+])(?<!Hit )(\d+|once|twice)\b")
SPOKEN = {"once": 1, "twice": 2}
NOT_COUNTED = re.compile(
    r"If (?:the call was missed before|it does|it counts)[^.]*|If someone challenges it.*"
    r"|draws at least[^.]*|no 7 (?:or|and no) 0"
)
"""What a play may yet cost, which is neither decided nor ordered, and what cards are called."""
NOT_SAID = frozenset({"cards_each", "deck_cards", "discard_pile_after"})
"""What an outcome counts that happens whatever is ruled, so that a ruling need not say it."""


def own_words(ruling: Ruling) -> str:
    """Return a summary without the rulebook's name and the clauses that it reads out as they stand."""
    summary = ruling.summary.replace(rulebooks()[ruling.rulebook].title, "")
    for clause in (step.clause for step in ruling.steps if step.clause):
        summary = summary.replace(clause.text, "")
    return summary


def numbers_in(text: str) -> set[int]:
    """Return the numbers of cards or presses that a text says."""
    return {SPOKEN.get(word) or int(word) for word in NUMBERS.findall(NOT_COUNTED.sub("", text))}


def numbers_apart(leaf: Leaf) -> set[int]:
    """Return the numbers that a summary says and neither outcome, orders nor facts have, or the other way round."""
    ruling = leaf.ruling
    ordered = {number for order in ruling.orders if (number := order.cards or order.times)}
    decided = {key: value for key, value in ruling.outcome.items() if type(value) is int and value}
    decided |= {
        key: int(text.partition("+")[2]) for key, text in ruling.outcome.items() if re.search(r"\+\d", str(text))
    }
    given = {int(number) for number in re.findall(r"\d+", str([plain(value) for value in leaf.given.values()]))}
    must = ordered | {value for key, value in decided.items() if key not in NOT_SAID}
    return (numbers_in(own_words(ruling)) - ordered - set(decided.values()) - given) | (
        must - numbers_in(ruling.summary)
    )


def test_every_number_said_is_decided_or_ordered_and_every_one_decided_or_ordered_is_said() -> None:
    assert [(name, apart) for name, leaf in every_end() if (apart := numbers_apart(leaf))] == []


# --- words against outcomes -----------------------------------------------------------------------

ASSERTED: tuple[tuple[str, str, tuple[object, ...]], ...] = (
    (r"\bwas illegal\b|doesn’t fit|[Yy]ou can’t (?:play|stack)|doesn’t save you from", "legal", (False,)),
    (r"can’t (?:jump in|be played together|go out)", "legal", (False,)),
    (r"(?<!knows if the )Wild (?:Draw Four )?was legal\b|\bcard fits\b|[Yy]ou can play", "legal", (True,)),
    (r"[Yy]ou can stack|card can jump in|both cards can|doesn’t have to play", "legal", (True,)),
    (r"can’t keep a card that fits|must keep the second", "legal", (False,)),
    (r"^The challenge succeeds", "challenge_succeeds", (True,)),
    (r"challenge fails", "challenge_succeeds", (False,)),
    (r"challenge fails", "challenge_allowed", (True,)),
    (r"only .* can challenge", "challenge_allowed", (False,)),
    (r"“Uno” was missed\.|Nobody noticed the missed|came late", "in_time", (False,)),
    (r"called in time|No call was due|had been called", "in_time", (True,)),
    (r"nobody draws|draws nothing", "penalty_cards", (0,)),
    (r"it counts\.|color named counts", "effect_stands", (True,)),
    (r"illegal\. It has no effect", "effect_stands", (False,)),
    (r"don’t say who plays next", "next_turn", (None,)),
    (r"changes direction", "direction_changes", (True, None)),
    (r"goes counterclockwise", "direction", ("counterclockwise",)),
    (r"That card goes back", "card_returned", (True,)),
    (r"(?<!can )swaps? hands", "hands", ("swap", None)),
    (r"hands stay|Nobody swaps", "hands", ("stay",)),
    (r"The round ends\.", "round_ends", (True,)),
    (r"as the new draw pile|become the new draw pile", "action", ("reuse-discards",)),
    (r"drawn cards? counts?, too", "drawn_cards_count", (True,)),
    (r"^Not for", "allowed", (False,)),
)  # fmt: skip
"""What words assert, and which values a key of the outcome may then have."""


def contradictions(leaf: Leaf) -> list[str]:
    """List what the words assert against the outcome."""
    ruling = leaf.ruling
    summary = own_words(ruling)
    wrong = [
        words for words, key, values in ASSERTED if re.search(words, summary) and ruling.outcome.get(key) not in values
    ]
    counted = {str(value) for value in ruling.outcome.values() if type(value) is int}
    counted |= {str(order.cards) for order in ruling.orders}
    said = re.findall(r"(?<!you )\b[Dd]raws? (\d+)\b", f"{ruling.verdict} {NOT_COUNTED.sub('', summary)}")
    wrong += [f"draw {number}" for number in said if number not in counted]
    skipped = re.search(r"\bis skipped\b(?<!whether the next player is skipped)", summary)
    if skipped and "don’t say whether" not in summary:
        wrong += [] if any(order.action == "lose-turn" for order in ruling.orders) else ["is skipped"]
    main_is_silent = leaf.dispute.main(leaf.given) in ruling.silent_on
    wrong += ["Silent"] if (ruling.verdict == "Silent") != main_is_silent else []
    return wrong


def compatible(rulebook: Rulebook) -> list[str]:
    """List house rules that can be in force together, as many as come first."""
    found: list[str] = []
    for id, rule in rulebook.house_rules.items():
        if id != "open-hands" and not set(rule.excludes) & set(found):
            found.append(id)
    return found


def test_words_never_contradict_or_outrun_the_outcome() -> None:
    assert [(name, wrong) for name, leaf in every_end() if (wrong := contradictions(leaf))] == []


@pytest.mark.parametrize("rulebook", rulebooks())
def test_words_follow_the_outcome_whatever_a_table_sets_otherwise(rulebook: str) -> None:
    house = rulebooks()[rulebook]
    every = house.with_house_rules(compatible(house))
    wrong = [
        (name, leaf.given, leaf.ruling.summary)
        for dispute in DISPUTES
        for name, each in _with_other_settings(dispute, every)
        for leaf in each.leaves
        if contradictions(leaf) or any(NOTHING.search(text) for text in told(leaf))
    ]
    assert wrong == []


def test_what_words_are_held_against_is_met() -> None:
    said = "\n".join({leaf.ruling.summary for _, leaf in every_end()})
    assert [words for words, _, _ in ASSERTED if not re.search(words, said, re.MULTILINE)] == []


def test_what_stays_open_is_said_by_its_name() -> None:
    assert [
        name for name, leaf in every_end() if leaf.ruling.summary.endswith(CATALOGUE.sentences["open.anything"])
    ] == []


NEVER_SAID = frozenset(
    {
        "decline-to-play.need-not", "decline-to-play.need-not-draws",
        "decline-to-play.nothing-fits-draws", "open.anything",
        "orders.show-hand-to-everyone", "reverse-run.right", "uno-call.accuser-draws", "uno-call.called-before",
        "uno-call.not-due-at-once",
        "wrong-card.back-draws", "wrong-card.back-skipped",
        "mercy-rule.discarded", "mercy-rule.rest-hand", "open.knock_out_checked",
        "draw-four-challenge.target-draws-until-color-more",
        "draw-four-challenge.allowed", "draw-four-challenge.either-card.the", "open.challenge-who",
        "wrong-card.turn-stays",
        "going-out.swapped", "going-out.turned-not", "open.any_on_wild",
        "mercy-rule.out-with-due", "uno-call.costs-nothing", "uno-call.never-due",
        "stacking.passed-on-all-any",
        "stacking.returned-any",
        "misdeal.is-yes", "card-shown.is-yes", "forgot-draw.is-no", "forgot-skip.is-no", "drew-wrong-number.is-no",
        "color-not-named.is-next-player", "color-not-named.is-nobody", "both-said-uno.is-no",
        "player-leaves.is-shuffled-in", "player-leaves.is-set-aside", "player-joins.is-dealt", "player-joins.is-waits",
        "next-dealer.is-first-player", "next-dealer.is-dealer", "next-dealer.is-winner", "next-dealer.is-loser",
    }
)  # fmt: skip
"""Sentences for settings that no rulebook has yet, for facts that only a case tells, or for the look-up."""
BESIDE_RULINGS = re.compile(r".+\.(title|lead|who|found-by|part-.+)|verdicts\.depends(-on)?")
"""What a dispute is called, and what is said of other rulebooks."""


def test_no_sentence_of_the_catalogue_is_said_in_vain() -> None:
    texts = {text for _, leaf in every_end() for text in told(leaf)}
    said = "\n".join(texts)
    tables = {"orders", "verdicts", "open", *(dispute.id for dispute in DISPUTES)}
    patterns = {
        key: re.sub(r"\\{[^}]*\\}", ".+", re.escape(text))
        for key, text in CATALOGUE.sentences.items()
        if key.split(".")[0] in tables and not BESIDE_RULINGS.fullmatch(key)
    }
    unsaid = {key for key, pattern in patterns.items() if not re.search(pattern, said)}
    assert {key for key in unsaid if not key.endswith((".one", ".0", "-presses"))} == NEVER_SAID


def test_every_sentence_on_drawing_some_cards_has_its_twin_on_pressing_a_launcher() -> None:
    with_launcher = {"uno-call", "stacking", "wrong-card", "played-card-effect", "start-card", "going-out"}
    texts = {key: text for key, text in CATALOGUE.sentences.items() if key.split(".")[0] in with_launcher}
    drawn = {key for key, text in texts.items() if re.search(r"draws? \{n\}|costs \{n\}|nobody draws", text)}
    assert {key for key in drawn if f"{key}-presses" not in texts} == set()
    twins = {key for key in texts if key.endswith("-presses")}
    assert {key for key in twins if key.removesuffix("-presses") not in texts or "press" not in texts[key]} == set()


def test_a_card_without_color_is_taken_wherever_its_color_is_never_read() -> None:
    for dispute, fact in (
        ("stacking", "on_pile"), ("stacking", "response"), ("going-out", "last_card"), ("start-card", "turned_card"),
        ("played-card-effect", "played"), ("seven-zero", "played"),
    ):  # fmt: skip
        known = next(each for each in DISPUTES if each.id == dispute).known_facts
        assert known[fact].parse("draw-two").face == DRAW_TWO
