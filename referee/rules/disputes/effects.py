"""What cards do that not every box holds, and which cards of a box make someone draw or may be challenged."""

from typing import Literal

from referee.rules.books import settings
from referee.rules.books.rulebook import DRAWS_OF, Rulebook, number_drawn, once_a_rulebook
from referee.rules.books.settings import OWN_FACES
from referee.rules.cards.cards import BLANK, DRAW_TWO, WILD_DRAW_FOUR, Card, Face
from referee.rules.disputes.facts import PLAYERS, on_sale
from referee.rules.disputes.hearing import Hearing, Silent
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.words import Line, line

UNTIL_COLOR: Literal["until-color"] = "until-color"
"""Drawn until the color named comes, however many cards that takes."""
UNTIL_FIRED: Literal["until-fired"] = "until-fired"
"""A launcher is pressed until cards come out."""
Amount = int | str
"""A number of cards, `UNTIL_FIRED`, `UNTIL_COLOR`, or that and so many more: ``until-color+2``."""


@once_a_rulebook
def faces_of(rulebook: Rulebook) -> tuple[Face, ...]:
    """List every face that may lie on the table under a rulebook."""
    return tuple(dict.fromkeys(face for deck in on_sale(rulebook) for face in deck.faces))


@once_a_rulebook
def draw_faces(rulebook: Rulebook) -> tuple[Face, ...]:
    """List the faces that make someone draw, those of every box first."""
    faces = faces_of(rulebook)
    of_all = tuple(face for each in (DRAW_TWO, WILD_DRAW_FOUR) for face in faces if face == each)
    own = (face for face in faces if face in OWN_FACES)
    return of_all + tuple(face for face in own if rulebook.value(settings.CARD_DRAWS.at(f"card-{face}"), 0))


@once_a_rulebook
def has_numbers(rulebook: Rulebook) -> bool:
    """Return whether any card of the box bears a number."""
    return any(face.number is not None for face in faces_of(rulebook))


@once_a_rulebook
def stack_order(rulebook: Rulebook) -> tuple[Face, ...]:
    """List the draw faces with a number, fewest cards first."""
    numbers = {face: number_drawn(rulebook, face) for face in draw_faces(rulebook)}
    return tuple(sorted((face for face, number in numbers.items() if number), key=numbers.__getitem__))


@once_a_rulebook
def challenged_faces(rulebook: Rulebook) -> tuple[Face, ...]:
    """List the faces that a challenge may be about: the Wild Draw Four, and those that only this box has for it.

    In a box with faces of its own the text must say when such a card may be played.
    """
    faces = faces_of(rulebook)
    own = tuple(face for face in faces if face in OWN_FACES)
    if own and rulebook.find(settings.HELD_COLOR_BARS) is None:
        return ()
    of_all = tuple(face for face in faces if face == WILD_DRAW_FOUR)
    return of_all + tuple(face for face in own if rulebook.value(settings.CHALLENGEABLE.at(f"card-{face}"), False))


@once_a_rulebook
def disputed_faces(rulebook: Rulebook) -> tuple[Face, ...]:
    """List the faces that someone may want to challenge: those a challenge may be about, else what they resemble.

    That is a wild which its box lets a player hold or play as they like, and which makes the next player draw so many
    and lose so many turns.
    """
    free = rulebook.find(settings.WILD_BARRED_BY)
    if challenged_faces(rulebook) or free is None or free[0]:
        return challenged_faces(rulebook)
    own = (face for face in faces_of(rulebook) if face.is_wild and face in OWN_FACES)
    return tuple(face for face in own if _draws_for_next(rulebook, face))


def _draws_for_next(rulebook: Rulebook, face: Face) -> bool:
    """Return whether a card makes the next player, the way play goes already, draw a number and lose a turn."""
    on_it = f"card-{face}"
    turns = rulebook.value(settings.TURNS_DIRECTION.at(on_it), False)
    counted = number_drawn(rulebook, face) and rulebook.find(settings.CARD_SKIPS.at(on_it))
    return bool(counted) and not turns and hits_next(rulebook, face)


def has_clause(hearing: Hearing, card: Card, wanted: str = "") -> bool:
    """Note the clause on a card that only some boxes hold and return whether there is one that settles things.

    Clauses on a blank or a special wild of the classic box settle nothing: `Silent` is raised beside them, on the
    part that is `wanted`, and on the whole card where there is no clause. False for cards of every box.
    """
    if not card.face.is_extra:
        return False
    on_it = f"card-{card.face}"
    if card.face in OWN_FACES:
        hearing.cite(on_it)
        return True
    if card.face != BLANK and on_it not in hearing.rulebook.clauses:
        raise Silent(on_it)
    hearing.cite("special-cards" if card.face == BLANK else on_it)
    raise Silent("special-cards", wanted)


def draws_for(hearing: Hearing, face: str) -> Amount:
    """Read how many cards a face makes someone draw: 0 where its clause names none."""
    if face in OWN_FACES:
        return hearing.read_effect(settings.CARD_DRAWS.at(f"card-{face}"), 0)
    of_all = DRAWS_OF.get(face)
    return 0 if of_all is None else hearing.read(of_all)


def turns_direction(hearing: Hearing, face: str) -> bool:
    """Return whether a face that not every box holds turns the direction of play."""
    return hearing.look(settings.TURNS_DIRECTION.at(f"card-{face}")) is True


def turns_over(hearing: Hearing, face: str) -> bool:
    """Return whether a face that not every box holds turns the piles and all hands over."""
    return face in OWN_FACES and hearing.look(settings.TURNS_OVER.at(f"card-{face}")) is True


def numbers_that_move(rulebook: Rulebook) -> tuple[int, ...]:
    """Return the numbers whose cards swap or pass hands, as 7 and 0 often do."""
    if not rulebook.value(settings.SEVEN_ZERO, False):
        return ()
    settled = (rulebook.find(setting) for setting in (settings.SWAP_ON, settings.ROTATE_ON))
    return tuple(answer[0] for answer in settled if answer)


def hands_moved(hearing: Hearing, face: Face) -> str:
    """Read what a face does to the hands where some numbers move them: swap two, pass all on, or nothing."""
    if face.number is None:
        return "stay"
    if face.number == hearing.read(settings.SWAP_ON):
        return "swap"
    return "rotate" if face.number == hearing.read(settings.ROTATE_ON) else "stay"


def who_draws(hearing: Hearing, face: str) -> Role:
    """Return who draws for a card: the next player in the direction that then holds, or whom its player chooses."""
    if face in OWN_FACES and hearing.look(settings.CHOSEN_DRAWS.at(f"card-{face}")):
        return Role.TARGET
    if face in OWN_FACES and hearing.look(settings.EVERYONE_DRAWS.at(f"card-{face}")):
        return Role.EVERYONE_ELSE
    if face not in OWN_FACES or not turns_direction(hearing, face):
        return Role.NEXT_PLAYER
    return Role.SAME_PLAYER if _plays_again_between_two(hearing) else Role.PREVIOUS_PLAYER


def hits_next(rulebook: Rulebook, face: str) -> bool:
    """Return whether the next player draws for a face, not whom its player chooses and not all others."""
    whom = (settings.CHOSEN_DRAWS, settings.EVERYONE_DRAWS) if face in OWN_FACES else ()
    return not any(rulebook.value(setting.at(f"card-{face}"), False) for setting in whom)


def _plays_again_between_two(hearing: Hearing) -> bool:
    """Return whether two play and a Reverse leaves the turn where it was."""
    if hearing.players(PLAYERS) != 2:
        return False
    return hearing.read(settings.TURN_AFTER.at("reverse-two")) == "same-player"


def dare_instead(hearing: Hearing, face: str) -> bool:
    """Return whether whoever must draw for a face may do a dare instead."""
    return face in OWN_FACES and hearing.look(settings.DARE_INSTEAD.at(f"card-{face}")) is True


def swaps_hands(hearing: Hearing, face: str) -> bool:
    """Return whether whoever plays a face that not every box holds must swap hands with someone."""
    return face in OWN_FACES and hearing.look(settings.SWAPS_HANDS.at(f"card-{face}")) is True


def moves_hands(hearing: Hearing, face: str) -> bool:
    """Return whether playing a card without a number shuffles or swaps hands."""
    of_classic = settings.MOVES_HANDS.carriers & {f"card-{face}"}
    return swaps_hands(hearing, face) or any(hearing.look(settings.MOVES_HANDS.at(it)) is True for it in of_classic)


@once_a_rulebook
def swap_faces(rulebook: Rulebook) -> tuple[Face, ...]:
    """List the faces of the box whose player must swap hands with someone."""
    own = (face for face in faces_of(rulebook) if face in OWN_FACES)
    return tuple(face for face in own if rulebook.value(settings.SWAPS_HANDS.at(f"card-{face}"), False))


def players_skipped(rulebook: Rulebook, face: str) -> int:
    """Look up how many players in turn order a face skips that not every box holds; 0 where it has no number."""
    skipped = rulebook.value(settings.CARD_SKIPS.at(f"card-{face}"), 0) if face in OWN_FACES else 0
    return skipped if isinstance(skipped, int) else 0


def turn_after_own(hearing: Hearing, face: str) -> Role:
    """Decide whose turn follows a card that not every box holds, by how many it skips and which way play then goes."""
    skips = hearing.read(settings.CARD_SKIPS.at(f"card-{face}"))
    if skips == "everyone":
        return Role.SAME_PLAYER
    turned = turns_direction(hearing, face)
    if turned and _plays_again_between_two(hearing):
        if skips:
            raise Silent(f"card-{face}", "turn_after")
        return Role.SAME_PLAYER
    if skips and hearing.players(PLAYERS) <= max(2, int(skips) + 1):
        return Role.SAME_PLAYER
    if turned:
        return Role.PLAYER_BEFORE_PREVIOUS if skips else Role.PREVIOUS_PLAYER
    return (Role.NEXT_PLAYER, Role.PLAYER_AFTER_NEXT, Role.PLAYER_AFTER_TWO)[int(skips)]


def drawing_verdict(amount: Amount) -> Line:
    """Return the badge that names what has to be drawn: “Draw 6”."""
    if isinstance(amount, int):
        return line("verdicts.draw", n=amount)
    return line(f"verdicts.draw-{amount.partition('+')[0]}")


def draw_orders(role: Role, amount: Amount | None) -> tuple[Order, ...]:
    """Order someone to draw this much."""
    if not amount:
        return ()
    if isinstance(amount, int):
        return (Order(role, "draw", amount),)
    if amount == UNTIL_FIRED:
        return (Order(role, "press-until-fired"),)
    more = amount.partition("+")[2]
    return (Order(role, "draw-until-color"), *((Order(role, "draw", int(more)),) if more else ()))
