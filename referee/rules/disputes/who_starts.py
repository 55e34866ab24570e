"""Who starts: cards are drawn, and the highest one deals, plays first or drafts first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from referee.rules.books import settings
from referee.rules.books.rulebook import TABLE_SIZES
from referee.rules.cards.cards import Card, Deck
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, example
from referee.rules.disputes.facts import LONGEST_HAND, LONGEST_LIST, Fact, WrongAnswer, card, words_of
from referee.rules.disputes.hearing import Hearing, Silent
from referee.rules.disputes.ruling import Role
from referee.rules.text.problem import Problem
from referee.rules.text.words import Line, line

NOBODY = str(Role.NOBODY)
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Draw:
    """One player's card in the draw."""

    player: str
    card: Card


def _read_draws(value: object, deck: Deck | None = None) -> tuple[Draw, ...]:
    """Read a list of players and cards, in an address as ``Ada:red-7,Bo:skip``."""
    if isinstance(value, str) and len(value) <= LONGEST_LIST:
        value = [dict(zip(("player", "card"), part.rsplit(":", 1), strict=False)) for part in value.split(",") if part]
    if not isinstance(value, Sequence) or isinstance(value, str | bytes) or len(value) > LONGEST_HAND:
        raise WrongAnswer(Problem.said((), "no-draws"))
    draws: list[Draw] = []
    problems: list[Problem] = []
    for place, item in enumerate(value):
        try:
            draws.append(_read_draw(item, [draw.player for draw in draws], deck))
        except WrongAnswer as wrong:
            problems += [each.under(place) for each in wrong.problems]
    if not problems and len(draws) not in TABLE_SIZES:
        sizes = {"least": TABLE_SIZES[0], "most": TABLE_SIZES[-1]}
        problems.append(Problem.said((), "draws-range", draws=len(draws), **sizes))
    if problems:
        raise WrongAnswer(*problems)
    return tuple(draws)


def _read_draw(item: object, before: Sequence[str], deck: Deck | None) -> Draw:
    if not isinstance(item, Mapping) or set(item) != {"player", "card"}:
        raise WrongAnswer(Problem.said((), "no-draw"))
    problems = []
    given = item["player"]
    name = given.strip() if isinstance(given, str) and len(given) <= LONGEST_NAME else ""
    if not name:
        problems.append(Problem.said("player", "name-length", most=LONGEST_NAME))
    elif name in before:
        problems.append(Problem.said("player", "drawn-twice", name=name))
    try:
        drawn = card("card", "who-starts", colored=False, deck=deck).parse(item["card"])
    except WrongAnswer as wrong:
        problems += [each.under("card") for each in wrong.problems]
    if problems:
        raise WrongAnswer(*problems)
    return Draw(name, drawn)


def _who_drew(deck: Deck | None = None) -> Fact[tuple[Draw, ...]]:
    """Ask who drew which card, of a deck where one is given."""
    return Fact(
        "drawn",
        words_of("drawn", "who-starts"),
        "cards",
        lambda value: _read_draws(value, deck),
        lambda draws: tuple(
            line("facts.who-starts.drawn.said", name=draw.player, card=draw.card.label) for draw in draws
        ),
        of_deck=_who_drew,
    )


DRAWN = _who_drew()


def _highest(hearing: Hearing) -> tuple[str, ...]:
    """Return who drew the highest card, all of them in a tie."""
    worth = {}
    for draw in hearing.ask(DRAWN):
        number = draw.card.face.number
        worth[draw.player] = hearing.read(settings.SYMBOL_COUNTS) if number is None else number
    most = max(worth.values())
    return tuple(player for player, number in worth.items() if number == most)


def _the_highest(hearing: Hearing) -> str:
    """Return the one player with the highest card; no text says what a tie does."""
    first, *others = _highest(hearing)
    if others:
        raise Silent("start-draw-tie")
    return first


def _left_of(hearing: Hearing, player: str) -> str:
    """Return the player to the left; with two, the other one."""
    seats = [draw.player for draw in hearing.ask(DRAWN)]
    return seats[(seats.index(player) + 1) % len(seats)]


def dealer(hearing: Hearing) -> str:
    """Decide who deals: nobody, where hands are drafted."""
    falls_to_highest = hearing.read(settings.HIGHEST_CARD)
    if falls_to_highest == "drafts":
        return NOBODY
    highest = _the_highest(hearing)
    return highest if falls_to_highest == "deals" else _left_of(hearing, highest)


def first_to_play(hearing: Hearing) -> str:
    """Decide who takes the first turn."""
    falls_to_highest = hearing.read(settings.HIGHEST_CARD)
    highest = _the_highest(hearing)
    return highest if falls_to_highest == "plays-first" else _left_of(hearing, highest)


def draw_again(hearing: Hearing) -> list[str]:
    """Return those who drew the highest card alike, so that it is still open between them."""
    hearing.read(settings.HIGHEST_CARD)
    highest = _highest(hearing)
    return list(highest) if len(highest) > 1 else []


def first_sits(hearing: Hearing) -> str | None:
    """Return where the first player sits, in a text that says it without picking a dealer."""
    return hearing.look(settings.FIRST_SITS)


def drafter(hearing: Hearing) -> str:
    """Return who drafts first, where hands are drafted; empty where they are dealt."""
    return _the_highest(hearing) if hearing.read(settings.HIGHEST_CARD) == "drafts" else ""


def contradictions(facts: Facts) -> Iterable[Problem]:
    """Find a number of players other than that of the cards drawn."""
    players, drawn = facts.get("players"), facts.get("drawn")
    if players is not None and drawn is not None and players != len(drawn):
        yield Problem.said(("facts", "players"), "draws-players", draws=len(drawn), players=players)


def verdict(outcome: Outcome, facts: Facts) -> Line:
    """Return the verdict in a few words."""
    return line("verdicts.begins", name=outcome["first_to_play"])


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return a sentence on who deals and who plays first, or what the text says instead."""
    if outcome["first_to_play"] is not None:
        if outcome["dealer"] not in (None, NOBODY):
            yield line("deals", name=outcome["dealer"])
        if outcome["drafter"]:
            yield line("drafts", name=outcome["drafter"])
        yield line("first", name=outcome["first_to_play"])
    elif outcome["draw_again"]:
        yield line("open-tie")
    elif outcome["first_sits"]:
        yield line(f"sits-{outcome['first_sits']}")
        yield line("open-dealer")


def _drawn(*cards: str) -> list[dict[str, str]]:
    """Sample a draw whose players are called by what they are."""
    players = example("highest-player"), example("left-player")
    return [{"player": player, "card": drawn} for player, drawn in zip(players, cards, strict=True)]


DISPUTE = Dispute(
    id="who-starts",
    facts=(DRAWN,),
    outcome={"dealer": dealer, "first_to_play": first_to_play, "draw_again": draw_again},
    further={"first_sits": first_sits, "drafter": drafter},
    main=lambda facts: "first_to_play",
    verdict=verdict,
    summary=summary,
    contradictions=contradictions,
    one_each=DRAWN.key,
    samples={
        DRAWN.key: lambda facts, rulebook: (
            Sample(_drawn("9", "3"), example("one-player-has-the-highest-number")),
            Sample(_drawn("9", "skip"), example("one-has-the-highest-number-another-an-action-card")),
            Sample(_drawn("9", "9"), example("two-have-the-highest-number")),
        ),
    },
)
