"""Answering a draw card with a draw card: is it allowed, and who then draws how many?"""

from collections.abc import Iterable, Sequence

from referee.rules.books import settings
from referee.rules.books.rulebook import Rulebook, number_drawn
from referee.rules.books.settings import OWN_FACES, Setting
from referee.rules.cards.cards import DRAW_TWO, REVERSE, SKIP, Card, Deck, Face
from referee.rules.disputes import effects
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, example, named
from referee.rules.disputes.facts import PLAYERS, Fact, WrongAnswer, card, number, on_sale, yes_no
from referee.rules.disputes.hearing import Hearing, Silent
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.problem import Problem
from referee.rules.text.words import Line, line


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Return orders on who does what; a stack passed on is not drawn yet, unless no card is left to answer with."""
    if outcome["legal"] is False:
        yield Order(outcome["faced_by"], "take-back")
    if outcome["who_draws"] is Role.SAME_PLAYER:
        yield from effects.draw_orders(Role.SAME_PLAYER, outcome["draws"])
        yield from (Order(Role.SAME_PLAYER, "lose-turn"),) * bool(outcome["loses_turn"])
    elif outcome["who_draws"] is Role.RESPONDER and outcome["draws"] is not None and not outcome["returned"]:
        yield from effects.draw_orders(Role.RESPONDER, outcome["draws"])
        if outcome["loses_turn"]:
            yield Order(Role.RESPONDER, "lose-turn")
        elif outcome["loses_turn"] is False:
            yield Order(Role.RESPONDER, "play-next")
    elif outcome["none_left"]:
        yield Order(Role.NEXT_PLAYER, "draw", outcome["draws"])
        if outcome["loses_turn"]:
            yield Order(Role.NEXT_PLAYER, "lose-turn")


def verdict(outcome: Outcome, facts: Facts) -> Line:
    """Return the badge: what has to be drawn, unless a card was stacked that may be."""
    if outcome["draws"] and (facts.get("response") is None or not outcome["legal"]):
        return effects.drawing_verdict(outcome["draws"])
    return line("verdicts.allowed" if outcome["legal"] else "verdicts.not-allowed")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return a sentence on whether the answer is allowed, who draws how many, and whether the turn is lost."""
    answer: Card | None = facts.get("response")
    if answer is not None and outcome["legal"] is not None:
        yield line("allowed" if outcome["legal"] else "not-allowed")
        if not outcome["legal"]:
            yield Order(outcome["faced_by"], "take-back")
    if outcome["none_left"] and outcome["loses_turn"]:
        yield line("none-left", n=outcome["draws"])
    elif answer is not None and (
        outcome["returned"] or outcome["who_draws"] in (Role.NEXT_PLAYER, Role.PREVIOUS_PLAYER)
    ):
        yield from _passed(outcome, answer)
        if outcome["sends_back"]:
            yield line("sends-back")
    elif outcome["who_draws"] is Role.SAME_PLAYER:
        yield line("played-card-effect.same-player-draws", n=outcome["draws"])
        yield Order(Role.SAME_PLAYER, "lose-turn") if outcome["loses_turn"] else line("open.turn_after")
    elif outcome["who_draws"] is Role.RESPONDER:
        if outcome["draws"] is None:
            yield line("rest-draws")
        elif isinstance(outcome["draws"], str):
            yield line(f"draws-{outcome['draws']}{'-skipped' if outcome['loses_turn'] else ''}")
        else:
            yield line("draws-skipped" if outcome["loses_turn"] else "draws", n=outcome["draws"])
            if outcome["may_dare"]:
                yield line("may-dare", n=outcome["draws"])
        if outcome["loses_turn"] is False:
            yield Order(Role.RESPONDER, "play-next")
        elif outcome["loses_turn"] is None and outcome["legal"] is not None:
            yield line("rest-turn")


def _passed(outcome: Outcome, answer: Card) -> Iterable[Line]:
    """Return whom the stack now faces, with which card they may answer, and how many cards are due."""
    way = "returned" if outcome["returned"] else "passed-on"
    way = "passed-back" if outcome["who_draws"] is Role.PREVIOUS_PLAYER else way
    card = next(iter(outcome["answers"] or ()), answer.face).label
    several = "-any" if len(outcome["answers"] or ()) > 1 else ""
    if outcome["draws"] is None and way == "passed-on" and not outcome["upward"]:
        yield line(f"passed-on-all{several}", card=card)
    elif outcome["draws"]:
        least = "-over" if outcome["over_whole"] else "-upward" if outcome["upward"] else several
        yield line(f"{way}{least}", n=outcome["draws"], card=card, least=outcome["least"])


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
    for face in (pile, *(other for other in effects.draw_faces(rulebook) if mixed and other != pile)):
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
    below = {number_drawn(rulebook, face) for face in effects.stack_order(rulebook)}
    numbers = {number for number in below if number <= top} if upward else {top}
    sums = {top} if top else set()
    for _ in range(MOST_DUE // 2 if top else 0):
        sums |= {sum + number for sum in sums for number in numbers if sum + number <= MOST_DUE}
    return sums


def _totals_over_whole(rulebook: Rulebook, top: int) -> set[int]:
    """Add up stacks in which each card makes draw at least as many cards as are due in all before it."""
    numbers = {number_drawn(rulebook, face) for face in effects.stack_order(rulebook)}
    sums = {0}
    for _ in range(len(numbers) + 1):  # each card at least doubles what is due
        sums |= {sum + number for sum in sums for number in numbers if number >= sum}
    return {sum + top for sum in sums if sum <= top} if top else set()


ON_PILE = card("on_pile", "stacking", colored=False)


def _response(deck: Deck | None = None) -> Fact[Card | None]:
    """Ask for the card laid in answer, of a deck where one is given, or for none."""
    laid = card("response", "stacking", colored=False, deck=deck)

    def read(value: object) -> Card | None:
        try:
            return None if value == "none" else laid.parse(value)
        except WrongAnswer as wrong:
            raise WrongAnswer(*wrong.problems, Problem.said((), "or-none")) from wrong

    def says(value: Card | None) -> tuple[Line, ...]:
        return (line("facts.stacking.response.none"),) if value is None else laid.says(value)

    return Fact(
        "response",
        laid.words,
        "card",
        read,
        says,
        answers=(("none", "facts.stacking.response.label-none"),),
        of_deck=_response,
    )


RESPONSE = _response()
TOTAL = number("total_so_far", "stacking", TOTALS, quick=tuple(range(2, 11)))
CAN_RESPOND = yes_no("can_respond", "stacking")


PASSED_ON, SENT_BACK = (settings.STACKS.at(question) for question in ("skip", "reverse"))


def legal(hearing: Hearing) -> bool:
    """Decide whether the answer is allowed; to answer with nothing always is."""
    pile, answer = hearing.ask(ON_PILE).face, hearing.ask(RESPONSE)
    if answer is None:
        if not _stacks_upward(hearing) and hearing.look(_stacks(pile, pile)) is None:
            effects.draws_for(hearing, pile)
        return True
    return goes_on(hearing, pile, answer.face)


def goes_on(hearing: Hearing, pile: str, face: str) -> bool:
    """Decide whether whoever a draw card or a Skip hits may play this face on it."""
    if pile == SKIP:
        return hearing.read(PASSED_ON) and face == SKIP
    if face == REVERSE and sent_back(hearing, pile):
        return True
    if face not in effects.draw_faces(hearing.rulebook):
        return not _loses_turn(hearing, pile)
    if _stacks_upward(hearing):
        on_it, laid = effects.draws_for(hearing, pile), effects.draws_for(hearing, face)
        if not isinstance(on_it, int) or not isinstance(laid, int):
            return False  # what has no number neither answers nor is answered
        if not effects.hits_next(hearing.rulebook, pile) or not effects.hits_next(hearing.rulebook, face):
            return False
        return laid >= (hearing.ask(TOTAL) if _over_whole_stack(hearing) else on_it)
    return hearing.read(_stacks(pile, face))


def sent_back(hearing: Hearing, pile: str) -> bool:
    """Return whether a Reverse sends what is due for a draw card back to whoever played it."""
    return counted_on_next(hearing.rulebook, pile) and hearing.look(SENT_BACK) is True


def counted_on_next(rulebook: Rulebook, face: str) -> bool:
    """Return whether a card makes the next player draw a number of cards."""
    return number_drawn(rulebook, face) > 0 and effects.hits_next(rulebook, face)


def answered_faces(rulebook: Rulebook) -> tuple[Face, ...]:
    """List the draw cards, and the Skip, that may be answered with some card."""
    skip = tuple(face for face in effects.faces_of(rulebook) if face == SKIP and rulebook.value(PASSED_ON, False))
    faces = effects.draw_faces(rulebook)
    if rulebook.value(settings.STACKS_UPWARD, False) or rulebook.value(SENT_BACK, False):
        return *(face for face in faces if counted_on_next(rulebook, face)), *skip
    return *(face for face in faces if rulebook.value(_stacks(face, face), False)), *skip


def _stacks_upward(hearing: Hearing) -> bool:
    """Return whether any draw card answers one that makes draw as many cards or fewer."""
    return hearing.look(settings.STACKS_UPWARD) is True


def _over_whole_stack(hearing: Hearing) -> bool:
    """Return whether an answer must make draw as many cards as are due in all, not only as many as the last card."""
    return hearing.look(settings.STACK_OVER) == "whole-stack"


def _stacks(pile: str, answer: str) -> Setting[bool]:
    """Find the clause that speaks of answering one draw card with another."""
    if pile != answer:
        return settings.STACKS.at("stacking-mixed")
    return settings.STACKS.at("stacking-draw-two" if pile == DRAW_TWO else "stacking-draw-four")


def _loses_turn(hearing: Hearing, face: str) -> bool:
    """Return whether whoever draws for a single card loses the turn, whoever then has it."""
    if face in OWN_FACES:
        return hearing.read(settings.CARD_SKIPS.at(f"card-{face}")) != 0
    return bool(hearing.read(settings.DRAW_TWO_TURN if face == DRAW_TWO else settings.DRAW_FOUR_TURN))


def _pile_stacks(hearing: Hearing) -> bool:
    """Return whether cards like the one on the pile are stacked at all."""
    pile = hearing.ask(ON_PILE).face
    if _stacks_upward(hearing):
        return counted_on_next(hearing.rulebook, pile)
    return hearing.look(_stacks(pile, pile)) is True


def _answering_card(hearing: Hearing) -> Card | None:
    """Take the answer if it moves what is due on, as a draw card does; any other leaves it where it is."""
    answer = hearing.ask(RESPONSE)
    if answer is None or answer.face in effects.draw_faces(hearing.rulebook) or _sends_back(hearing):
        return answer
    return None


def _sends_back(hearing: Hearing) -> bool:
    """Return whether the answer is a Reverse that sends back what is due."""
    answer = hearing.ask(RESPONSE)
    return answer is not None and answer.face == REVERSE and sent_back(hearing, hearing.ask(ON_PILE).face)


def draws(hearing: Hearing) -> effects.Amount:
    """Count the cards now due: those of the answer on top of the rest, where it is allowed."""
    answer = _answering_card(hearing)
    added = effects.draws_for(hearing, answer.face) if answer is not None and hearing.decide("legal") else 0
    due: effects.Amount = (
        hearing.ask(TOTAL) if _pile_stacks(hearing) else effects.draws_for(hearing, hearing.ask(ON_PILE).face)
    )
    return due + added if isinstance(due, int) and isinstance(added, int) else due


def who_draws(hearing: Hearing) -> Role:
    """Decide on whom they fall: on the next player, unless there is no good answer."""
    if _answering_card(hearing) is None or not hearing.decide("legal"):
        return faced_by(hearing)
    if not _turned_back(hearing):
        return Role.NEXT_PLAYER
    if hearing.players(PLAYERS) > 2:
        return Role.PREVIOUS_PLAYER
    return Role.NEXT_PLAYER if _sends_back(hearing) else Role.RESPONDER


def faced_by(hearing: Hearing) -> Role:
    """Return whom the card on the pile faces: between two, one that turns the direction faces who played it.

    Where nothing is said of a Reverse between two, it faces the next player as among more.
    """
    known = hearing.rulebook.find(settings.TURN_AFTER.at("reverse-two")) is not None
    own = known and effects.who_draws(hearing, hearing.ask(ON_PILE).face) is Role.SAME_PLAYER
    return Role.SAME_PLAYER if own else Role.RESPONDER


def _turned_back(hearing: Hearing) -> bool:
    """Return whether the answer turns the direction of play, so that the stack goes back where it came from."""
    answer = hearing.ask(RESPONSE)
    own = answer is not None and answer.face in OWN_FACES and effects.turns_direction(hearing, answer.face)
    return own or _sends_back(hearing)


def returned(hearing: Hearing) -> bool:
    """Return whether the stack comes back to the very player who answered, as between two."""
    answered = _answering_card(hearing) is not None and bool(hearing.decide("legal"))
    return answered and hearing.decide("who_draws") is Role.RESPONDER


def _top(hearing: Hearing) -> Face | None:
    """Return the draw card to be answered next: the one just stacked, or the one that a Reverse sent back."""
    answer = _answering_card(hearing)
    on_top = hearing.ask(ON_PILE) if _sends_back(hearing) else answer
    return None if on_top is None else on_top.face


def least(hearing: Hearing) -> effects.Amount:
    """Return the number that the next draw card must have at least."""
    top = _top(hearing)
    return effects.draws_for(hearing, top) if top is not None and hearing.decide("legal") else 0


def answers(hearing: Hearing) -> tuple[Face, ...]:
    """List the draw cards that may be laid next, where any of its kind may."""
    top = _top(hearing)
    if top is None or _stacks_upward(hearing):
        return ()
    faces = effects.draw_faces(hearing.rulebook)
    return tuple(face for face in faces if hearing.rulebook.value(_stacks(top, face), False))


def loses_turn(hearing: Hearing) -> bool:
    """Decide whether whoever draws them loses the turn."""
    if _answering_card(hearing) is not None:
        hearing.decide("legal")
    pile = hearing.ask(ON_PILE).face
    comes_back = hearing.decide("who_draws") is Role.SAME_PLAYER
    if comes_back and hearing.decide("draws") == effects.draws_for(hearing, pile):  # alone, it skips the other one
        raise Silent(f"card-{pile}", "turn_after")
    of_stack = hearing.look(settings.STACK_ENDS_TURN) if _pile_stacks(hearing) else None
    if of_stack is not None:
        return of_stack
    return _loses_turn(hearing, pile)


def may_dare(hearing: Hearing) -> bool:
    """Return whether whoever the card hits may do a dare instead of drawing."""
    return effects.dare_instead(hearing, hearing.ask(ON_PILE).face)


def impossible(facts: Facts, rulebook: Rulebook, decks: Sequence[Deck]) -> Iterable[Problem]:
    """Find a card that makes nobody draw, and a number of cards due that no draw cards of the deck make together."""
    total, pile, answer = facts.get("total_so_far"), facts.get("on_pile"), facts.get("response")
    drawing = effects.draw_faces(rulebook)
    if pile is not None and drawing and pile.face not in drawing:
        yield Problem.said(("facts", "on_pile"), "no-draw-card", card=pile.label)
    if facts.get("can_respond") is False and answer is not None and answer.face in drawing:
        yield Problem.said(("facts", "can_respond"), "answer-laid", card=answer.label)
    if total is None or (pile is not None and pile.face not in drawing):
        return
    faces = drawing if pile is None else (pile.face,)
    possible = {sum for face in faces for deck in decks for sum in totals(rulebook, deck, face, answer)}
    if possible and total not in possible:
        choices = ", ".join(map(str, sorted(possible)))
        yield Problem.said(("facts", "total_so_far"), "stack-total", total=total, choices=choices)


def none_left(hearing: Hearing) -> bool:
    """Return whether no draw card of the box can answer any more, so that the next player must draw."""
    if hearing.decide("who_draws") is not Role.NEXT_PLAYER or sent_back(hearing, hearing.ask(ON_PILE).face):
        return False
    if _over_whole_stack(hearing):
        highest = max(number_drawn(hearing.rulebook, face) for face in effects.draw_faces(hearing.rulebook))
        return bool(hearing.decide("draws") > highest)
    if not on_sale(hearing.rulebook)[0].certain:
        return False
    possible = (totals(hearing.rulebook, deck, hearing.ask(ON_PILE).face, None) for deck in on_sale(hearing.rulebook))
    most, draws = max(max(sums, default=0) for sums in possible), hearing.decide("draws")
    return isinstance(draws, int) and draws >= most > 0


def _sampled_totals(facts: Facts, rulebook: Rulebook) -> Sequence[Sample]:
    """Sample as many cards as the same draw card, laid eight times at most, can make due; or any up to a full hand."""
    each = number_drawn(rulebook, facts["on_pile"].face) or 2
    if rulebook.value(settings.STACKS_UPWARD, False):
        return tuple(Sample(total, str(total)) for total in range(each, 27, 2) if total in TOTALS)
    return tuple(Sample(total, str(total)) for total in range(each, 17, each) if total in TOTALS)


def _draw_samples(rulebook: Rulebook) -> tuple[Sample, ...]:
    return tuple(named(face) for face in effects.draw_faces(rulebook))


def arises(hearing: Hearing) -> None:
    """Raise `Silent` in a box with no card that makes anyone draw."""
    if not effects.draw_faces(hearing.rulebook):
        raise Silent("stacking-draw-two", "no_draw_card")


DISPUTE = Dispute(
    id="stacking",
    facts=(ON_PILE, RESPONSE, TOTAL, PLAYERS),
    volunteered=(CAN_RESPOND,),
    arises=arises,
    outcome={"legal": legal, "draws": draws, "who_draws": who_draws, "loses_turn": loses_turn},
    further={
        "none_left": none_left,
        "faced_by": faced_by,
        "may_dare": may_dare,
        "upward": _stacks_upward,
        "over_whole": _over_whole_stack,
        "returned": returned,
        "least": least,
        "answers": answers,
        "sends_back": lambda hearing: sent_back(hearing, hearing.ask(ON_PILE).face),
    },
    main=lambda facts: "legal",
    orders=orders,
    verdict=verdict,
    summary=summary,
    impossible=impossible,
    parts=frozenset({Role.RESPONDER, Role.NEXT_PLAYER, Role.PREVIOUS_PLAYER, Role.SAME_PLAYER}),
    samples={
        ON_PILE.key: lambda facts, rulebook: _draw_samples(rulebook),
        RESPONSE.key: lambda facts, rulebook: (
            Sample("none", example("no-card")),
            *_draw_samples(rulebook),
            *(named(REVERSE),) * rulebook.value(SENT_BACK, False),
            Sample("skip", example("another-card")),
        ),
        TOTAL.key: _sampled_totals,
    },
)
