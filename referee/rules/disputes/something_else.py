"""Something else happened: a turn out of order, a misdeal, a forgotten draw, someone who leaves.

Each dispute is a table in ``something_else.toml``. Few texts speak of any of them, so most rulings are silent and name
the question that is open. What a text says of the game itself is read too: whoever must draw still must, if it is
noticed at once, and a card that may jump in was not played out of turn.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from referee.rules import RULES_FOLDER
from referee.rules.books import settings
from referee.rules.books.settings import CARD_CLAUSES, Setting
from referee.rules.disputes.base import Dispute, Facts, Outcome
from referee.rules.disputes.effects import draw_faces, drawing_verdict
from referee.rules.disputes.facts import choice, yes_no
from referee.rules.disputes.hearing import Hearing, Silent
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.toml_files import read_toml
from referee.rules.text.words import Line, line

T = TypeVar("T")
Kind = Mapping[str, Any]
"""A dispute as its table has it."""

NOTICED = choice("noticed", "something-else", ("at-once", "next-turn-begun"))
SAME_CARD = yes_no("same_card", "something-else")
TOO_FEW = yes_no("too_few", "something-else")
STACKING = (*(settings.STACKS.at(clause) for clause in sorted(settings.STACKING)), settings.STACKS_UPWARD)


def at_once(hearing: Hearing) -> bool:
    """Return whether it was noticed before the next turn began."""
    return hearing.ask(NOTICED) == "at-once"


# --- what the rules say of the game itself ------------------------------------------------------


def excused(kind: Kind, hearing: Hearing) -> bool:
    """Return whether it was no mistake: all hands lie open, or the card could jump in."""
    why = kind.get("excused")
    if why == "open-hands":
        return hearing.look(settings.HANDS_OPEN) is True
    return why == "jump-in" and hearing.look(settings.JUMP_IN) not in (None, "never") and hearing.ask(SAME_CARD)


def draws(hearing: Hearing) -> bool:
    """Return whether cards that a card makes someone draw are still due."""
    of_all = {"draw-two": "draw-two-effect", "wild-draw-four": "draw-four-effect"}
    clauses = [of_all.get(face, f"card-{face}") for face in draw_faces(hearing.rulebook)]
    return _says_one_of(hearing, clauses) and at_once(hearing)


def draws_the_rest(hearing: Hearing) -> bool:
    """Return whether someone who drew too few still has to draw; of cards too many no text speaks."""
    return hearing.ask(TOO_FEW) and draws(hearing)


def skips(hearing: Hearing) -> bool:
    """Return whether whoever should have been skipped still is."""
    book = hearing.rulebook
    skipping = [
        clause
        for clause in CARD_CLAUSES
        if book.value(settings.CARD_SKIPS.at(clause), 0) and not book.find(settings.CARD_DRAWS.at(clause))
    ]
    return _says_one_of(hearing, ["skip", "skip-two", *skipping]) and at_once(hearing)


def cannot_stack(hearing: Hearing) -> bool:
    """Return whether no draw card is ever stacked, or a turn is over once the cards of a stack are drawn."""
    known = [hearing.rulebook.find(setting) for setting in STACKING]
    allowing = next((found[1] for found in known if found and found[0]), None)
    if allowing is not None:
        hearing.cite(allowing.id)
        return hearing.look(settings.STACK_ENDS_TURN) is True
    barring = [found[1].id for found in known if found]
    for clause in barring:
        hearing.cite(clause)
    return len(barring) == len(settings.STACKING)


def _says_one_of(hearing: Hearing, clauses: Iterable[str]) -> bool:
    """Note the first of these clauses that the rulebook has."""
    found = next((clause for clause in clauses if clause in hearing.rulebook.clauses), None)
    if found:
        hearing.cite(found)
    return found is not None


PLAIN: Mapping[str, Callable[[Hearing], bool]] = MappingProxyType(
    {"draws": draws, "draws-the-rest": draws_the_rest, "skips": skips, "cannot-stack": cannot_stack}
)

# --- what is decided ----------------------------------------------------------------------------


def put_right(kind: Kind, hearing: Hearing) -> bool:
    """Decide whether a mistake is put right: by the clause on it, else by what the rules say of the game."""
    if excused(kind, hearing):
        return False
    said = hearing.look(settings.PUT_RIGHT.at(kind["clause"]))
    if said is None and _plainly(kind, hearing):
        return True
    said = _read(kind, hearing, settings.PUT_RIGHT.at(kind["clause"]))
    return said == "always" or (said == "at-once" and at_once(hearing))


def _read(kind: Kind, hearing: Hearing, setting: Setting[T]) -> T:
    """Read what settles it; where nothing does, note the clause that comes nearest."""
    if hearing.rulebook.find(setting) is None:
        _says_one_of(hearing, kind.get("near", ()))
    return hearing.read(setting)


def _plainly(kind: Kind, hearing: Hearing) -> bool:
    return "plain" in kind and PLAIN[kind["plain"]](hearing)


def as_put_right(kind: Kind, hearing: Hearing) -> bool:
    """Decide the main key of a mistake: a card that is put right doesn't stand, a misdeal is dealt again."""
    return put_right(kind, hearing) is kind["right"]


def penalty_cards(kind: Kind, hearing: Hearing) -> int:
    """Count the cards that the mistake costs."""
    return 0 if excused(kind, hearing) else hearing.read(settings.MISTAKE_DRAWS.at(kind["clause"]))


def next_turn(kind: Kind, hearing: Hearing) -> Role:
    """Decide who plays next."""
    if "hand" in kind["decides"]:
        hearing.decide("hand")  # the clause that settles the hand says that play goes on
        return Role.NEXT_PLAYER
    if excused(kind, hearing):
        return Role.NEXT_PLAYER
    setting = settings.MISTAKE_TURN.at(kind["clause"])
    if hearing.rulebook.find(setting) is None and "plain_turn" in kind and _plainly(kind, hearing):
        return Role(kind["plain_turn"])
    holds = hearing.read(setting) == "turn-holder"
    return Role(kind.get("turn_holder", Role.OFFENDER)) if holds else Role.NEXT_PLAYER


def color_chosen_by(kind: Kind, hearing: Hearing) -> Role:
    """Decide who names the color: until the next turn begins, whoever played the wild."""
    if _says_one_of(hearing, ["wild-effect"]) and at_once(hearing):
        return Role.OFFENDER
    named_by = hearing.read(settings.LATE_COLOR)
    return Role.NOBODY if named_by == "old-color" else Role(named_by)


def in_time(kind: Kind, hearing: Hearing) -> bool:
    """Decide whether a call counts that came together with the catch; where nobody catches, it does."""
    if hearing.rulebook.value(settings.UNO_CAUGHT_BY, "players") == "nobody":
        return hearing.read(settings.UNO_CAUGHT_BY) == "nobody"
    return hearing.read(settings.SAME_TIME_COUNTS)


def missed_call_draws(hearing: Hearing) -> int:
    """Count the cards drawn for a call that was too late."""
    return 0 if hearing.decide("in_time") else hearing.read(settings.UNO_PENALTY)


def hand(kind: Kind, hearing: Hearing) -> str:
    """Decide what becomes of the hand of someone who leaves, or whether a newcomer gets one."""
    return hearing.read(settings.HAND_LEFT if kind["clause"] == "player-leaves" else settings.NEWCOMER)


def dealer(kind: Kind, hearing: Hearing) -> Role:
    """Decide who deals the next round, or drafts first."""
    return Role(_read(kind, hearing, settings.NEXT_DEALER))


DECIDES: Mapping[str, Callable[[Kind, Hearing], Any]] = MappingProxyType(
    {
        "stands": as_put_right, "deal_again": as_put_right, "made_up": as_put_right, "penalty_cards": penalty_cards,
        "next_turn": next_turn, "color_chosen_by": color_chosen_by, "in_time": in_time, "hand": hand, "dealer": dealer,
    }
)  # fmt: skip

# --- how it is said -----------------------------------------------------------------------------


def orders(kind: Kind, outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Return orders on the card that goes back, what is drawn, who names the color and who plays next."""
    main = outcome[kind["decides"][0]]
    back = kind.get("takes_back")
    if back and main is kind["right"] and back in ("always", facts.get(NOTICED.key)):
        yield Order(Role.OFFENDER, "take-back")
    if back == "at-once" and main is kind["right"]:
        yield Order(Role.OFFENDER, "lose-turn")
    if number := outcome.get("penalty_cards") or outcome.get("missed_call_draws"):
        yield Order(Role.OFFENDER, "draw", number)
    if outcome.get("color_chosen_by") not in (None, Role.NOBODY):
        yield Order(outcome["color_chosen_by"], "name-color")
    if outcome.get("next_turn") and main is not None and kind["parts"]:
        yield Order(outcome["next_turn"], "play-next")


def _value(value: Any) -> str:
    return str(value) if isinstance(value, str) else "yes" if value else "no"


def verdict(kind: Kind, outcome: Outcome, facts: Facts) -> Line:
    """Return the verdict in one or two words."""
    main = kind["decides"][0]
    if main == "penalty_cards":
        return drawing_verdict(outcome[main]) if outcome[main] else line("verdicts.no-penalty")
    return line(f"something-else.{main}-{_value(outcome[main])}")


def summary(kind: Kind, outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return sentences on what is decided, and on what a mistake that is settled leaves open."""
    main = kind["decides"][0]
    if outcome[main] is None:
        return
    ordered = "takes_back" in kind and outcome[main] is kind["right"]
    if main != "penalty_cards" and not ordered:
        yield line(f"is-{_value(outcome[main])}")
    yield from orders(kind, outcome, facts)
    if outcome.get("penalty_cards") == 0:
        yield line("something-else.no-penalty")
    open_parts = [key for key in ("penalty_cards", "next_turn") if outcome.get(key, key) is None]
    if len(open_parts) == 2:
        yield line("something-else.cost-and-turn")
    elif open_parts:
        yield line("open.mistake_draws" if open_parts == ["penalty_cards"] else "open.turn_after")


def _has_colors(hearing: Hearing) -> None:
    if not hearing.rulebook.deck.colors:
        raise Silent("naming-deadline")


def _dispute(id: str, kind: Kind) -> Dispute:
    main = str(kind["decides"][0])
    return Dispute(
        id=id,
        facts=(NOTICED, SAME_CARD, TOO_FEW),
        outcome=MappingProxyType({key: partial(DECIDES[key], kind) for key in kind["decides"]}),
        main=lambda facts: main,
        orders=partial(orders, kind),
        verdict=partial(verdict, kind),
        summary=partial(summary, kind),
        parts=frozenset(map(Role, kind["parts"])),
        arises=_has_colors if main == "color_chosen_by" else lambda hearing: None,
        further=MappingProxyType({"missed_call_draws": missed_call_draws} if main == "in_time" else {}),
        stays_in_sight=True,
    )


DISPUTES = tuple(_dispute(id, kind) for id, kind in read_toml(RULES_FOLDER / "something_else.toml").items())
