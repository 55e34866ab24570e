"""What is asked about a Wild Draw Four, which answers contradict each other, and what the table is then told."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import WILD_DRAW_FOUR, Card, Deck
from referee.rules.disputes.base import Facts, Finding, Outcome, Sample, Samples, example, named
from referee.rules.disputes.effects import Amount, challenged_faces, disputed_faces, draw_orders, drawing_verdict
from referee.rules.disputes.facts import TOP_CARD, Fact, card, cards, choice, number, yes_no
from referee.rules.disputes.hearing import Hearing
from referee.rules.disputes.play import color_contradictions, color_in_play, holds_color, holds_symbol, holds_wild
from referee.rules.disputes.ruling import Order, Role
from referee.rules.disputes.wording import Heading
from referee.rules.text.problem import Problem
from referee.rules.text.words import CATALOGUE, Line, Name, either, line, listed, name_of

UNKNOWN = "unknown"
CHALLENGED = yes_no("challenged", "draw-four-challenge")
PLAYED = card("played", "draw-four-challenge", colored=False)
CHALLENGER = choice("challenger", "draw-four-challenge", ("target", "other"))
HAND = cards("hand", "draw-four-challenge")
HELD_COLOR = yes_no("held_color", "draw-four-challenge")
HELD_SYMBOL = yes_no("held_number_or_symbol", "draw-four-challenge")
HELD_WILD = yes_no("held_wild", "draw-four-challenge")
LAST_CARD = yes_no("last_card", "draw-four-challenge")
_COUNTED = number("total_so_far", "draw-four-challenge", range(2, 101))
TOTAL: Fact[int | str] = Fact(
    _COUNTED.key,
    _COUNTED.words,
    "number",
    lambda value: UNKNOWN if value == UNKNOWN else _COUNTED.parse(value),
    lambda total: (line(f"{_COUNTED.words}.unknown"),) if isinstance(total, str) else _COUNTED.says(total),
    answers=((4, f"{_COUNTED.words}.label-4"), (UNKNOWN, f"{_COUNTED.words}.label-unknown")),
)
"""What a stack comes to whose last card is challenged."""
HELD = (HELD_COLOR, HELD_SYMBOL, HELD_WILD)


def contradictions(facts: Facts) -> Iterable[Problem]:
    """Find facts that contradict each other."""
    hand, top, color = facts.get("hand"), facts.get("top_card"), facts.get("color_in_play")
    yield from color_contradictions(facts)
    if facts.get("last_card") and (hand or any(facts.get(fact.key) for fact in HELD)):
        yield Problem.said(("facts", "last_card"), "last-card-and-hand")
    if facts.get("last_card") is False and hand == ():
        yield Problem.said(("facts", "last_card"), "last-card-empty-hand")
    if hand is None:
        return
    in_play = color or (top.color if top else None)
    shown = {
        "held_color": None if in_play is None else holds_color(hand, in_play),
        "held_number_or_symbol": None if top is None else holds_symbol(hand, top),
        "held_wild": holds_wild(hand),
    }
    for key, is_so in shown.items():
        if key in facts and is_so is not None and facts[key] is not is_so:
            yield Problem.said(("facts", key), "hand-says-yes" if is_so else "hand-says-no")


def impossible(facts: Facts, rulebook: Rulebook, decks: Sequence[Deck]) -> Iterable[Problem]:
    """Find a challenger who cannot be there: with two players there is only the next one."""
    played, faces = facts.get("played"), challenged_faces(rulebook)
    if played is not None and faces and played.face not in faces:
        named = listed([face.label for face in faces], either)
        yield Problem.said(("facts", "played"), "no-challenged-card", cards=named, card=played.label)
    two = facts.get("players") == 2 or rulebook.players == range(2, 3)
    if two and facts.get("challenger") == "other":
        yield Problem.said(("facts", "challenger"), "challenger-between-two")


def is_last_card(hearing: Hearing) -> bool:
    """Return whether it was the last card."""
    if HAND.key in hearing.facts:
        return not hearing.ask(HAND)
    return LAST_CARD.key in hearing.facts and hearing.ask(LAST_CARD)


def _held(hearing: Hearing, seen: Callable[[tuple[Card, ...]], bool], told: Fact[bool]) -> bool:
    """Return whether the hand held something: as it is seen in the cards, or told without them."""
    if hearing.decide("is_last_card"):
        return False
    return seen(hearing.ask(HAND)) if HAND.key in hearing.facts else hearing.ask(told)


def held_color(hearing: Hearing) -> bool:
    """Return whether the hand held a card of the color in play."""
    return _held(hearing, lambda hand: holds_color(hand, color_in_play(hearing)), HELD_COLOR)


def held_number_or_symbol(hearing: Hearing) -> bool:
    """Return whether the hand held a card of the top card’s number or symbol."""
    return _held(hearing, lambda hand: holds_symbol(hand, hearing.ask(TOP_CARD)), HELD_SYMBOL)


def held_wild(hearing: Hearing) -> bool:
    """Return whether the hand held another wild."""
    return _held(hearing, holds_wild, HELD_WILD)


SAMPLES: Samples = {
    PLAYED.key: lambda facts, rulebook: tuple(named(face) for face in disputed_faces(rulebook)),
    HAND.key: lambda facts, rulebook: (
        Sample(["red-1", "blue-9"], example("a-card-of-the-color-in-play")),
        Sample(["blue-5", "green-9"], example("a-card-of-the-same-number-or-symbol")),
        Sample(["wild", "blue-9"], example("another-wild")),
        Sample(["blue-9"], example("none-of-these")),
        Sample([], example("no-card")),
    ),
}


def called(rulebook: Rulebook) -> Heading | None:
    """Return the dispute's name by the cards this box lets a player challenge, if not the Wild Draw Four."""
    faces = disputed_faces(rulebook)
    if WILD_DRAW_FOUR in faces:
        return None
    kind, cards = "challenge" if faces else "no-challenge", listed([face.label for face in faces], either)
    title, lead, who = (CATALOGUE.say(f"headings.{kind}-{part}", cards=cards) for part in ("title", "lead", "who"))
    return Heading(title, lead, who)


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Order who does what, in the order in which it happens."""
    if outcome["hand_shown"] and "hand" not in facts:  # cards that were told need no showing
        yield Order(Role.OFFENDER, "show-hand")
    yield from draw_orders(Role.OFFENDER, outcome["offender_draws"])
    yield from draw_orders(Role.TARGET, outcome["target_draws"])
    if facts.get("challenger") == "other":
        yield from draw_orders(Role.CHALLENGER, outcome["challenger_draws"])
    if outcome["target_loses_turn"]:
        yield Order(Role.TARGET, "lose-turn")
    if outcome["next_turn"] not in (None, Role.NOBODY):
        yield Order(outcome["next_turn"], "play-next")


def verdict(outcome: Outcome, facts: Facts) -> Line:
    """Return the badge: what the challenge costs whoever lost it, else whether the card was legal."""
    challenged = bool(facts.get("challenged"))
    if challenged and outcome["challenge_allowed"] is False:
        return line("verdicts.no-challenge")
    if outcome["legal"] is None:
        return line("verdicts.hand-unseen")
    if challenged and outcome["challenge_allowed"]:
        succeeds = bool(outcome["challenge_succeeds"])
        in_vain = "challenger_draws" if facts.get("challenger") == "other" else "target_draws"
        costs = outcome["offender_draws" if succeeds else in_vain]
        outright = line("verdicts.challenge-succeeds" if succeeds else "verdicts.challenge-fails")
        return drawing_verdict(costs) if costs else outright
    return line("verdicts.legal" if outcome["legal"] else "verdicts.illegal")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return a sentence on whether it was right, who draws, who plays next, and what stays open of each."""
    known = (outcome[key] for key in ("legal", "challenge_allowed", "effect_stands"))
    if all(value is None for value in known) and not outcome["hand_unseen"]:
        return  # no card of this box is one to be challenged
    yield from _found(outcome, facts)
    yield from _drawing(outcome, facts)
    if outcome["next_turn"] not in (None, Role.NOBODY):
        yield Order(outcome["next_turn"], "play-next")
    if outcome["hand_shown"] and outcome["hand_shown_to"] is None:
        yield line("rest-audience")
    color = outcome["color_stands"] if outcome["challenge_succeeds"] else "no-color"
    if color is None:  # then it is open whose turn it is, too
        yield line("rest-color-next")
        return
    if color != "no-color":
        yield line("color-stands" if color else "color-void")
    if outcome["next_turn"] is None:
        yield line("rest-skip" if outcome["effect_stands"] and not outcome["target_loses_turn"] else "rest-next")


def finds(facts: Mapping[str, Any], outcome: Mapping[str, Any]) -> Finding | None:
    """Count a challenge that was made and allowed as won or lost, once that is decided."""
    succeeds = outcome.get("challenge_succeeds")
    if succeeds is None or not facts.get("challenged") or outcome.get("challenge_allowed") is False:
        return None
    return Finding.CHALLENGE_WON if succeeds else Finding.CHALLENGE_LOST


def _found(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return whether the card was legal, and what that makes of a challenge."""
    card = _card(outcome)
    challenged, legal = bool(facts.get("challenged")), outcome["legal"]
    if challenged and outcome["challenge_succeeds"]:
        yield from (line("succeeds"), line("illegal", card=card))
    elif challenged and legal and outcome["challenge_allowed"]:
        yield from (line("fails"), line("legal", card=card))
    elif challenged and outcome["always_legal"]:
        yield line("always-legal", card=card)
    elif challenged and outcome["challenge_allowed"] is False:
        yield line("not-the-challenger")
    elif legal is False and not challenged and outcome["effect_stands"]:
        yield from (line("illegal", card=card), line("unchallenged"))
    elif legal is not None:
        yield line("legal" if legal else "illegal", card=card)
    elif outcome["hand_unseen"]:
        yield line("unseen", card=card)


def _drawing(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return who draws how many, and whose number the text leaves open."""
    offender, target = outcome["offender_draws"], outcome["target_draws"]
    certain = outcome["certain_draws"] if outcome["effect_stands"] else 0
    if offender:
        yield _drawn("offender-draws", offender)
    if certain:
        least = "-least" if target is None and isinstance(certain, int) else ""
        yield _drawn(f"target-draws{least}{'-skipped' if outcome['target_loses_turn'] else ''}", certain)
    elif offender and target == 0:
        yield line("target-free")
    if outcome["challenger_draws"] and facts.get("challenger") == "other":
        yield _drawn("challenger-draws", outcome["challenger_draws"])
    yield from _open_draws(outcome, facts)


def _open_draws(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return why it stays open how many cards someone draws."""
    offender, target = outcome["offender_draws"], outcome["target_draws"]
    is_last = outcome["next_turn"] is Role.NOBODY
    challengeless = bool(facts.get("challenged")) and outcome["challenge_allowed"] is None
    if outcome["on_stack"] and facts.get("challenged") and target is None:
        yield line("rest-stacked")
        return
    if challengeless:
        yield line("rest-challenge-last" if is_last else "rest-challenge", card=_card(outcome))
    stands, certain = outcome["effect_stands"], outcome["certain_draws"]
    judged = facts.get("challenged") and not challengeless
    if stands is None and certain and isinstance(certain, int) and not judged and not is_last:
        yield line("rest-counts", n=certain)
    elif is_last and target is None and not stands:
        yield line("rest-last-card")
    elif challengeless:
        return
    elif stands and certain and target is None:
        yield line("rest-surcharge")
    elif offender is None and target is None:
        yield line("rest-all")
    elif offender is None:
        yield line("rest-offender")
    elif target is None:
        yield line("rest-target")


def _card(outcome: Outcome) -> Name:
    """Return the name of the card that was played, or of what it can be."""
    return outcome["laid"].label if outcome["laid"] else name_of("draw-four-challenge.either-card")


def _drawn(key: str, amount: Amount) -> Line:
    """Return the sentence for an amount of cards, one with a number or one until the color comes, and some more."""
    if isinstance(amount, int):
        return line(key, n=amount)
    more = amount.partition("+")[2]
    return line(f"{key}-until-color-more", n=int(more)) if more else line(f"{key}-until-color")
