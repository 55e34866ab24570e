"""The Reverse run: a Reverse and then a whole color, all or nothing."""

from collections import Counter
from collections.abc import Iterable
from functools import reduce

from referee.rules.books import settings
from referee.rules.cards.cards import DRAW_TWO, REVERSE, SKIP, Card
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, example
from referee.rules.disputes.facts import Fact, cards
from referee.rules.disputes.hearing import Hearing, Silent
from referee.rules.disputes.play import can_be_stacked_on
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.problem import Problem
from referee.rules.text.words import Line, line, say

HAND = cards("hand", "reverse-run")


def _in_order(laid: Iterable[str]) -> str:
    """List cards as they were played: ``a red Reverse, then a red 3``."""
    first, *others = [*laid] or [""]
    return reduce(lambda before, after: say("facts.reverse-run.played.then", before=before, after=after), others, first)


PLAYED: Fact[tuple[Card, ...]] = cards("played", "reverse-run", _in_order)


def legal(hearing: Hearing) -> bool:
    """Decide whether the run was right: the Reverse first, then every card of its color or none."""
    all_or_nothing = hearing.read(settings.RUN_IS_WHOLE)
    laid, held = hearing.ask(PLAYED), hearing.ask(HAND)
    if not laid or laid[0].face != REVERSE:
        return False
    color, others = laid[0].color, laid[1:]
    if any(card.color != color for card in others):
        return False
    left = Counter(held) - Counter(laid)
    kept_some = any(card.color == color for card in left)
    return not (all_or_nothing and others and kept_some)


def cards_left(hearing: Hearing) -> int:
    """Count the cards left after a run that was right; which cards of a wrong one go back, no text says."""
    if not hearing.decide("legal"):
        raise Silent("wrong-card")
    return len(hearing.ask(HAND)) - len(hearing.ask(PLAYED))


def end_acts(hearing: Hearing) -> bool:
    """Decide whether the run ends in an action card that the other player must carry out."""
    laid = hearing.ask(PLAYED)
    if len(laid) < 2 or not hearing.decide("legal") or not laid[-1].face.is_action:
        return False
    return hearing.read(settings.RUN_END_ACTS)


def end_draws(hearing: Hearing) -> int:
    """Count the cards the other player draws for the last card of the run, also when it ends the round."""
    if not hearing.decide("end_acts") or hearing.ask(PLAYED)[-1].face != DRAW_TWO:
        return 0
    return hearing.read(settings.DRAW_TWO_DRAWS)


def end_skips(hearing: Hearing) -> bool:
    """Decide whether the last card of the run costs the other player a turn; after the round there is none."""
    if not hearing.decide("end_acts") or not hearing.decide("cards_left"):
        return False
    last = hearing.ask(PLAYED)[-1]
    if last.face == DRAW_TWO:
        return bool(hearing.read(settings.DRAW_TWO_TURN))
    return last.face == SKIP


def answerable(hearing: Hearing) -> bool:
    """Return whether the other player may answer the last card of the run instead of drawing."""
    if not hearing.decide("end_draws") or not hearing.decide("cards_left"):
        return False
    return can_be_stacked_on(hearing, hearing.ask(PLAYED)[-1].face)


def contradictions(facts: Facts) -> Iterable[Problem]:
    """Find cards that were laid without having been in the hand."""
    if "hand" not in facts or "played" not in facts:
        return
    missing: Counter[Card] = Counter(facts["played"]) - Counter(facts["hand"])
    for place, card in enumerate(facts["played"]):
        if missing[card]:
            missing[card] -= 1
            yield Problem.said(("facts", "played", place), "run-not-in-hand", card=card.label)


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Return orders on what the other player carries out."""
    if outcome["end_draws"]:
        yield Order(Role.NEXT_PLAYER, "draw", outcome["end_draws"])
    if outcome["end_skips"]:
        yield Order(Role.NEXT_PLAYER, "lose-turn")


def verdict(outcome: Outcome, facts: Facts) -> Line:
    return line("verdicts.allowed" if outcome["legal"] else "verdicts.not-allowed")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return a sentence on whether the run was right, what is left, and what its last card does."""
    if outcome["legal"] is False:
        yield line("all-or-none")
        yield line("rest-back")
    if not outcome["legal"]:
        return
    left, last = outcome["cards_left"], facts["played"][-1].face
    yield line("right-out") if left == 0 else line("right", n=left)
    if outcome["end_draws"]:
        key = "end-answer-or-draw" if outcome["answerable"] else "end-draws"
        yield line(f"{key}-skipped" if outcome["end_skips"] else key, n=outcome["end_draws"])
    elif outcome["end_skips"]:
        yield line("end-skips")
    elif outcome["end_acts"] and last == DRAW_TWO:
        yield line("rest-end-draws")
    elif outcome["end_acts"] and left:
        yield line("end-acts")


DISPUTE = Dispute(
    id="reverse-run",
    facts=(PLAYED, HAND),
    outcome={"legal": legal, "cards_left": cards_left},
    further={"end_acts": end_acts, "end_draws": end_draws, "end_skips": end_skips, "answerable": answerable},
    main=lambda facts: "legal",
    orders=orders,
    verdict=verdict,
    summary=summary,
    contradictions=contradictions,
    counted_within=("played",),
    parts=frozenset({Role.OFFENDER, Role.NEXT_PLAYER}),
    samples={
        PLAYED.key: lambda facts, rulebook: (
            Sample(["red-reverse"], example("the-reverse-alone")),
            Sample(["red-reverse", "red-3"], example("the-reverse-first-then-cards-of-its-color")),
            Sample(["red-reverse", "red-skip"], example("the-same-with-a-skip-as-the-last-card")),
            Sample(["red-reverse", "red-draw-two"], example("the-same-with-a-draw-two-as-the-last-card")),
            Sample(["red-reverse", "red-reverse"], example("the-same-with-a-reverse-as-the-last-card")),
            Sample(["red-3", "red-reverse"], example("a-card-of-the-color-first")),
            Sample(["red-reverse", "blue-3"], example("a-card-of-another-color-too")),
        ),
        HAND.key: lambda facts, rulebook: (
            Sample([*map(str, facts["played"]), "blue-9"], example("no-card-of-the-color-is-left")),
            Sample([*map(str, facts["played"]), "red-9"], example("a-card-of-the-color-is-left")),
            Sample([*map(str, facts["played"])], example("no-card-is-left")),
        ),
    },
)
