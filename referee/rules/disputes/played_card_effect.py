"""What does a card do once it is played, with this many players?"""

from collections.abc import Iterable

from referee.rules.books import settings
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import OWN_FACES
from referee.rules.cards.cards import BLANK, REVERSE, SKIP, WILD, WILD_DRAW_FOUR
from referee.rules.disputes import effects
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, example, named
from referee.rules.disputes.facts import PLAYERS, card
from referee.rules.disputes.hearing import Hearing
from referee.rules.disputes.play import can_be_stacked_on, has_colors, kinds_of_face, turn_after, with_two
from referee.rules.disputes.ruling import Order, Role
from referee.rules.disputes.stacking import PASSED_ON, sent_back
from referee.rules.text.words import Line, line

PLAYED = card("played", "played-card-effect", colored=False)

EFFECTS = (
    settings.CARD_DRAWS,
    settings.TURNS_DIRECTION,
    settings.TURNS_OVER,
    settings.SWAPS_HANDS,
    settings.DISCARDS_COLOR,
)
"""Settings that say what a card does, so that its clause need not be read out."""


def next_turn(hearing: Hearing) -> Role:
    """Decide whose turn follows."""
    return turn_after(hearing, hearing.ask(PLAYED))


def draws(hearing: Hearing) -> effects.Amount:
    """Count the cards that are drawn for it."""
    played = hearing.ask(PLAYED)
    effects.has_clause(hearing, played)
    return effects.draws_for(hearing, played.face)


def direction_changes(hearing: Hearing) -> bool:
    """Decide whether play changes direction; with two, only if the text has no special rule for two."""
    played = hearing.ask(PLAYED)
    own = effects.has_clause(hearing, played)
    if own and (not effects.turns_direction(hearing, played.face) or effects.draws_for(hearing, played.face) != 0):
        return effects.turns_direction(hearing, played.face)
    if not own and played.face != REVERSE:
        return False
    for_two = hearing.look(settings.TURNS_DIRECTION.at("reverse-two")) if with_two(hearing) else None
    if for_two is None:
        return own or hearing.read(settings.TURNS_DIRECTION)
    return for_two


def drawn_by(hearing: Hearing) -> Role:
    """Decide who draws for it."""
    return effects.who_draws(hearing, hearing.ask(PLAYED).face)


def answerable(hearing: Hearing) -> bool:
    """Return whether a draw card may be answered with one like it instead of drawing."""
    return can_be_stacked_on(hearing, hearing.ask(PLAYED).face)


def passes_on(hearing: Hearing) -> bool:
    """Return whether whoever a Skip hits may pass it on with another."""
    return hearing.ask(PLAYED).face == SKIP and hearing.look(PASSED_ON) is True


def sends_back(hearing: Hearing) -> bool:
    """Return whether a Reverse sends the cards to draw back to whoever played this one."""
    return bool(hearing.decide("draws")) and sent_back(hearing, hearing.ask(PLAYED).face)


def upward(hearing: Hearing) -> bool:
    """Return whether it may be answered with a draw card of the same number or a higher one."""
    return bool(hearing.decide("answerable")) and hearing.look(settings.STACKS_UPWARD) is True


def may_dare(hearing: Hearing) -> bool:
    """Return whether the next player may do a dare instead of drawing."""
    return effects.dare_instead(hearing, hearing.ask(PLAYED).face)


def skips_everyone(hearing: Hearing) -> bool:
    """Return whether all others lose their turn."""
    face = hearing.ask(PLAYED).face
    return face in OWN_FACES and hearing.look(settings.CARD_SKIPS.at(f"card-{face}")) == "everyone"


def everything_turns(hearing: Hearing) -> bool:
    """Return whether the piles and all hands turn over."""
    return effects.turns_over(hearing, hearing.ask(PLAYED).face)


def skips_two(hearing: Hearing) -> bool:
    """Return whether it skips two turns, all of them those of the other player between two."""
    return effects.players_skipped(hearing.rulebook, hearing.ask(PLAYED).face) == 2


def lays_color(hearing: Hearing) -> bool:
    """Return whether a whole color may be laid with the Reverse."""
    if hearing.ask(PLAYED).face != REVERSE or not with_two(hearing):
        return False
    return hearing.look(settings.RUN_IS_WHOLE) is not None


def discards_color(hearing: Hearing) -> bool:
    """Return whether every other card of its color goes down with it."""
    face = hearing.ask(PLAYED).face
    return face in OWN_FACES and hearing.look(settings.DISCARDS_COLOR.at(f"card-{face}")) is True


def color_named_by(hearing: Hearing) -> Role:
    """Return who names the color; nobody for a card that isn't a wild, or where any color fits on it."""
    face = hearing.ask(PLAYED).face
    if not face.is_wild or not has_colors(hearing) or hearing.look(settings.ANY_ON_WILD) is True:
        return Role.NOBODY
    if face == WILD:
        return Role.SAME_PLAYER
    if face != WILD_DRAW_FOUR and face not in OWN_FACES:
        return Role.NOBODY
    on_it = "draw-four-color" if face == WILD_DRAW_FOUR else f"card-{face}"
    named_by = hearing.read(settings.COLOR_NAMED_BY.at(on_it))
    return Role.NEXT_PLAYER if named_by == "next-player" else Role.SAME_PLAYER


def effect_text(hearing: Hearing) -> str:
    """Return what the card does in the words of its clause; empty where settings or another clause say it."""
    face, clauses = hearing.ask(PLAYED).face, hearing.rulebook.clauses
    if face == WILD:
        on_it = clauses.get("wild-effect") if hearing.decide("color_named_by") is Role.NOBODY else None
    elif face.is_extra:
        on_it = clauses.get("special-cards" if face == BLANK else f"card-{face}")
    else:
        on_it = None
    settled = on_it.settings if on_it else {}
    told = settled.get(settings.CARD_SKIPS.name) or any(effect.name in settled for effect in EFFECTS)
    return on_it.text if on_it and not told else ""


def hands(hearing: Hearing) -> str:
    """Return whether this card moves hands, and whether whoever laid it may keep their own."""
    face = hearing.ask(PLAYED).face
    if effects.swaps_hands(hearing, face):
        return "swap"
    if face.number not in effects.numbers_that_move(hearing.rulebook):
        return "stay"
    hearing.read(settings.SEVEN_ZERO)
    moved = effects.hands_moved(hearing, face)
    return "may-swap" if moved == "swap" and hearing.look(settings.SWAP_IS_OPTIONAL) else moved


def between_two(hearing: Hearing) -> bool:
    """Return whether there is only one player to swap with."""
    return DISPUTE.is_between_two(hearing.facts, hearing.rulebook)


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Order who names the color, who draws and who plays next."""
    yield from _naming(outcome)
    if outcome["drawn_by"] is not None:
        yield from effects.draw_orders(outcome["drawn_by"], outcome["draws"])
    skips_one = not outcome["skips_everyone"]
    if skips_one and outcome["next_turn"] in (Role.SAME_PLAYER, Role.PLAYER_AFTER_NEXT, Role.PLAYER_AFTER_TWO):
        yield Order(Role.NEXT_PLAYER, "lose-turn")
    if outcome["skips_two"] and not outcome["between_two"]:
        yield Order(Role.PLAYER_AFTER_NEXT, "lose-turn")
    if outcome["next_turn"] is Role.PLAYER_BEFORE_PREVIOUS:
        yield Order(Role.PREVIOUS_PLAYER, "lose-turn")
    if outcome["next_turn"] is not None:
        yield Order(outcome["next_turn"], "play-next")


def verdict(outcome: Outcome, facts: Facts) -> Line:
    if outcome["draws"]:
        return effects.drawing_verdict(outcome["draws"])
    if outcome["next_turn"] is Role.SAME_PLAYER:
        return line("verdicts.play-again")
    if outcome["direction_changes"]:
        return line("verdicts.other-way")
    if outcome["everything_turns"]:
        return line("verdicts.turn-over")
    if outcome["hands"] != "stay":
        return line(f"verdicts.hands-{outcome['hands']}")
    skips = outcome["next_turn"] in (Role.PLAYER_AFTER_NEXT, Role.PLAYER_AFTER_TWO)
    return line("verdicts.skipped" if skips else "verdicts.play-on")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return a sentence on what the card does: who draws, which way play goes, and whose turn follows."""
    next_turn, draws = outcome["next_turn"], outcome["draws"]
    yield from _naming(outcome)
    if outcome["does"]:
        yield Line("", (), outcome["does"])  # the sentence of a text's own clause
    skipped = next_turn in (Role.SAME_PLAYER, Role.PLAYER_AFTER_NEXT)
    if draws and (isinstance(draws, str) or outcome["drawn_by"] is not Role.NEXT_PLAYER):
        yield from _drawn_otherwise(outcome, skipped)
    elif draws:
        answered = "answer-or-draw" if outcome["answerable"] else "draws"
        answered = "answer-upward" if outcome["upward"] else answered
        yield line(f"{answered}-skipped" if skipped else answered, n=draws, card=facts["played"].face.label)
        if outcome["may_dare"]:
            yield line("may-dare", n=draws)
    elif outcome["passes_on"] and next_turn is not None:
        yield line("skip-or-skipped")
    elif outcome["skips_everyone"]:
        yield line("all-skipped")
    elif outcome["skips_two"] and next_turn is not None:
        yield line("misses-two" if outcome["between_two"] else "two-skipped")
    elif next_turn is Role.PLAYER_AFTER_NEXT:
        yield line("skipped")
    if outcome["sends_back"]:
        yield line("stacking.sends-back")
    if outcome["direction_changes"] and not draws:
        yield line("turns-between-two" if next_turn is Role.NEXT_PLAYER else "turns")
    if outcome["everything_turns"]:
        yield line("turns-over")
    if outcome["lays_color"]:
        yield line("lays-color")
    if outcome["discards_color"]:
        yield line("discards-color")
    if outcome["hands"] != "stay":
        two = outcome["between_two"] and outcome["hands"] != "rotate"
        yield line(f"seven-zero.{outcome['hands']}{'-between-two' if two else ''}")
    if outcome["color_named_by"] is None and next_turn is not None:
        yield line("rest-color")
    if next_turn is not None:
        yield Order(next_turn, "play-next")


def _naming(outcome: Outcome) -> Iterable[Order]:
    """Order whoever names the color to do so."""
    if outcome["color_named_by"] not in (None, Role.NOBODY):
        yield Order(outcome["color_named_by"], "name-color")


def _drawn_otherwise(outcome: Outcome, skipped: bool) -> Iterable[Line]:
    """Return who draws where that is not the next player, or where it has no number."""
    if isinstance(outcome["draws"], str):
        yield line(f"draws-{outcome['draws']}{'-skipped' if skipped else ''}")
        return
    if outcome["direction_changes"] and outcome["drawn_by"] is not Role.SAME_PLAYER:
        yield line("turns")
    if outcome["drawn_by"] is not None:
        does = "answers-upward" if outcome["upward"] else "draws"
        back = outcome["next_turn"] is Role.PLAYER_BEFORE_PREVIOUS
        yield line(f"{outcome['drawn_by']}-{does}{'-skipped' if back else ''}", n=outcome["draws"])
    else:
        yield line("rest-who-draws", n=outcome["draws"])


def _kinds(facts: Facts, rulebook: Rulebook) -> tuple[Sample, ...]:
    """Sample one card of each kind, and each number that moves hands."""
    moving = tuple(named(str(number)) for number in effects.numbers_that_move(rulebook))
    number, *others = kinds_of_face()
    return (*moving, Sample(number.value, example("another-number")) if moving else number, *others)


def _tables(facts: Facts, rulebook: Rulebook) -> tuple[Sample, ...]:
    """Sample numbers of players: three make a difference to a card that skips two of them."""
    fewest = max(3, rulebook.players.start)
    if effects.players_skipped(rulebook, facts["played"].face) != 2:
        return Sample(2, example("two"), exact=True), Sample(fewest, example("three-or-more"))
    return (
        Sample(2, example("two"), exact=True),
        Sample(fewest, example("three")),
        Sample(max(4, fewest), example("four-or-more")),
    )


DISPUTE = Dispute(
    id="played-card-effect",
    facts=(PLAYED, PLAYERS),
    outcome={"next_turn": next_turn, "draws": draws, "direction_changes": direction_changes},
    further={
        "drawn_by": drawn_by,
        "answerable": answerable,
        "upward": upward,
        "passes_on": passes_on,
        "sends_back": sends_back,
        "may_dare": may_dare,
        "skips_everyone": skips_everyone,
        "skips_two": skips_two,
        "everything_turns": everything_turns,
        "lays_color": lays_color,
        "discards_color": discards_color,
        "color_named_by": color_named_by,
        "does": effect_text,
        "hands": hands,
        "between_two": between_two,
    },
    main=lambda facts: "next_turn",
    orders=orders,
    verdict=verdict,
    summary=summary,
    parts=frozenset(
        {
            Role.SAME_PLAYER,
            Role.PREVIOUS_PLAYER,
            Role.PLAYER_AFTER_NEXT,
            Role.PLAYER_AFTER_TWO,
            Role.PLAYER_BEFORE_PREVIOUS,
            Role.TARGET,
            Role.EVERYONE_ELSE,
        }
    ),
    samples={
        PLAYED.key: _kinds,
        PLAYERS.key: _tables,
    },
)
