"""Answering a draw card with a draw card: is it allowed, and who then draws how many?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType

from referee.rules import settings
from referee.rules.cards import Card, Face
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, Samples
from referee.rules.facts import Fact, WrongAnswer, card, number, yes_no
from referee.rules.hearing import Hearing
from referee.rules.problem import Problem
from referee.rules.ruling import Order, Role, Voice, cards_count, sentence
from referee.rules.settings import Setting

DRAW_CARDS = (Face.DRAW_TWO, Face.WILD_DRAW_FOUR)
ON_PILE = card(
    "on_pile",
    "Which draw card lies on the pile?",
    lambda value: f"On the pile lies {value.indefinite}.",
)
_answer = card("response", "", lambda value: "")


def _read_response(value: object) -> Card | None:
    try:
        return None if value == "none" else _answer.parse(value)
    except WrongAnswer as wrong:
        raise WrongAnswer(
            *(Problem(each.field, f"{each.message} Or write “none”.") for each in wrong.problems)
        ) from wrong


RESPONSE: Fact[Card | None] = Fact(
    "response",
    "Which card does {responder} lay in answer?",
    "card",
    _read_response,
    lambda value: (
        "{responder} lays no card in answer." if value is None else f"{{responder}} answers with {value.indefinite}."
    ),
    choices=(("none", "No card"),),
)
TOTAL = number(
    "total_so_far",
    "How many cards are due so far, with the card on the pile?",
    range(2, 101),
    lambda count: f"{count} cards are due so far.",
)
CAN_RESPOND = yes_no(
    "can_respond",
    "Does {responder} hold a card to answer with?",
    yes="{responder} could have answered.",
    no="{responder} could not answer.",
)


def legal(hearing: Hearing) -> bool:
    """Decide whether the answer is allowed; to answer with nothing always is."""
    pile, answer = hearing.ask(ON_PILE).face, hearing.ask(RESPONSE)
    if answer is None:
        return True
    if answer.face not in DRAW_CARDS:
        return not _loses_turn(hearing, pile)
    return hearing.read(_stacks(pile, answer.face))


def _stacks(pile: Face, answer: Face) -> Setting[bool]:
    """Find the clause that speaks of answering one draw card with another."""
    if pile is not answer:
        return settings.STACKS.at("stacking-mixed")
    return settings.STACKS.at("stacking-draw-two" if pile is Face.DRAW_TWO else "stacking-draw-four")


def _cards_of(hearing: Hearing, face: Face) -> int:
    return hearing.read(settings.DRAW_TWO_DRAWS if face is Face.DRAW_TWO else settings.DRAW_FOUR_DRAWS)


def _loses_turn(hearing: Hearing, face: Face) -> bool:
    """Tell whether whoever draws for a single card loses the turn, whoever then has it."""
    return bool(hearing.read(settings.DRAW_TWO_TURN if face is Face.DRAW_TWO else settings.DRAW_FOUR_TURN))


def _pile_stacks(hearing: Hearing) -> bool:
    """Tell whether cards like the one on the pile are stacked at all."""
    pile = hearing.ask(ON_PILE).face
    stacks = hearing.look(_stacks(pile, pile))
    return stacks is True


def _draw_card_in_answer(hearing: Hearing) -> Card | None:
    """Take the answer if it is a draw card; any other leaves what is due where it is."""
    answer = hearing.ask(RESPONSE)
    return answer if answer is not None and answer.face in DRAW_CARDS else None


def draws(hearing: Hearing) -> int:
    """Count the cards now due: those of the answer on top of the rest, where it is allowed."""
    answer = _draw_card_in_answer(hearing)
    added = _cards_of(hearing, answer.face) if answer is not None and hearing.decide("legal") else 0
    return added + (hearing.ask(TOTAL) if _pile_stacks(hearing) else _cards_of(hearing, hearing.ask(ON_PILE).face))


def who_draws(hearing: Hearing) -> Role:
    """Decide on whom they fall: on the next player, unless there is no good answer."""
    if _draw_card_in_answer(hearing) is None or not hearing.decide("legal"):
        return Role.RESPONDER
    return Role.NEXT_PLAYER


def loses_turn(hearing: Hearing) -> bool:
    """Decide whether whoever draws them loses the turn."""
    if _draw_card_in_answer(hearing) is not None:
        hearing.decide("legal")
    if _pile_stacks(hearing):
        return hearing.read(settings.STACK_ENDS_TURN)
    return _loses_turn(hearing, hearing.ask(ON_PILE).face)


def contradictions(facts: Facts) -> Iterable[Problem]:
    """Find facts that cannot hold together."""
    pile, answer = facts.get("on_pile"), facts.get("response")
    if pile is not None and pile.face not in DRAW_CARDS:
        yield Problem("facts.on_pile", f"Only a Draw Two or a Wild Draw Four makes anybody draw, not {pile.label}.")
    if facts.get("can_respond") is False and answer is not None and answer.face in DRAW_CARDS:
        yield Problem("facts.can_respond", f"An answer was laid: {answer.label}.")


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Say who does what; a stack passed on is not drawn yet."""
    if outcome["legal"] is False:
        yield Order(Role.RESPONDER, "take-back")
    if outcome["who_draws"] is Role.RESPONDER and outcome["draws"]:
        yield Order(Role.RESPONDER, "draw", outcome["draws"])
        if outcome["loses_turn"]:
            yield Order(Role.RESPONDER, "lose-turn")


def verdict(outcome: Outcome, facts: Facts) -> str:
    """Say it in one or two words."""
    if facts.get("response") is None:
        return f"Draw {outcome['draws']}"
    return "Allowed" if outcome["legal"] else "Not allowed"


def summary(outcome: Outcome, facts: Facts, say: Voice) -> str:
    """Say the ruling in sentences to be read aloud."""
    due = cards_count(outcome["draws"])
    skipped = "and is skipped" if outcome["loses_turn"] else ""
    if outcome["who_draws"] is Role.NEXT_PLAYER:
        return "The answer is allowed. " + sentence(say(Role.NEXT_PLAYER), "draws", due, "unless the stack goes on")
    drawing = sentence(say(Role.RESPONDER), "draws", due, skipped)
    if outcome["loses_turn"] is None:
        drawing += " Whether the turn is lost is not said."
    return drawing if outcome["legal"] else f"The answer is not allowed. {drawing}"


def _totals(facts: Facts) -> Sequence[Sample]:
    """Sample as many cards as the same draw card, laid four times at most, can make due."""
    of_one = {Face.DRAW_TWO: range(2, 17, 2), Face.WILD_DRAW_FOUR: range(4, 17, 4)}[facts["on_pile"].face]
    return tuple(Sample(total, str(total)) for total in of_one)


SAMPLES: Samples = MappingProxyType(
    {
        ON_PILE.key: lambda facts: (Sample("red-draw-two", "A Draw Two"), Sample("wild-draw-four", "A Wild Draw Four")),
        RESPONSE.key: lambda facts: (
            Sample("none", "No card"),
            Sample("blue-draw-two", "A Draw Two"),
            Sample("wild-draw-four", "A Wild Draw Four"),
            Sample("red-skip", "Another card"),
        ),
        TOTAL.key: _totals,
    }
)


DISPUTE = Dispute(
    id="stacking",
    title="Stacking draw cards",
    lead="May a draw card be answered, and who draws?",
    facts=(ON_PILE, RESPONSE, TOTAL),
    volunteered=(CAN_RESPOND,),
    outcome=MappingProxyType({"legal": legal, "draws": draws, "who_draws": who_draws, "loses_turn": loses_turn}),
    main=lambda facts: "legal",
    orders=orders,
    verdict=verdict,
    summary=summary,
    contradictions=contradictions,
    who="Who was hit by the draw card",
    parts=MappingProxyType({Role.RESPONDER: "the player hit", Role.NEXT_PLAYER: "the player after that"}),
    samples=SAMPLES,
)
