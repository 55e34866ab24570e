"""What the table is told of a Wild Draw Four: orders in their order, and the ruling in whole sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import WILD_DRAW_FOUR
from referee.rules.cards.decks import face_named
from referee.rules.disputes.base import Facts, Finding, Outcome
from referee.rules.disputes.effects import Amount, disputed_faces, draw_orders, drawing_verdict
from referee.rules.disputes.ruling import Order, Role
from referee.rules.disputes.wording import Heading
from referee.rules.text.words import CATALOGUE, Line, Name, either, line, listed, name_of


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
    if outcome["challenge_succeeds"] and outcome["color_stands"] != "no-color":
        yield line({True: "color-stands", False: "color-void", None: "rest-color"}[outcome["color_stands"]])
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
        yield line("succeeds", card=card)
    elif challenged and legal and outcome["challenge_allowed"]:
        yield line("fails", card=card)
    elif challenged and outcome["always_legal"]:
        yield line("always-legal", card=card)
    elif challenged and outcome["challenge_allowed"] is False:
        yield line("not-the-challenger")
    elif legal is False and not challenged and outcome["effect_stands"]:
        yield line("unchallenged", card=card)
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
    if stands is None and certain and isinstance(certain, int) and not facts.get("challenged") and not is_last:
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
    return face_named(outcome["laid"]).label if outcome["laid"] else name_of("draw-four-challenge.either-card")


def _drawn(key: str, amount: Amount) -> Line:
    """Return the sentence for an amount of cards, one with a number or one until the color comes, and some more."""
    if isinstance(amount, int):
        return line(key, n=amount)
    more = amount.partition("+")[2]
    return line(f"{key}-until-color-more", n=int(more)) if more else line(f"{key}-until-color")
