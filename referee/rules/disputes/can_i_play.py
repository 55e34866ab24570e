"""May this card be played? By color, number or symbol, as a wild, after drawing, as the last card."""

from collections.abc import Iterable, Sequence

from referee.rules.books import settings
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import OWN_FACES
from referee.rules.cards.cards import REVERSE, SKIP, WILD, Card
from referee.rules.cards.decks import face_named
from referee.rules.disputes import play as plays
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, a_card, example, named
from referee.rules.disputes.effects import challenged_faces, draw_faces, has_clause
from referee.rules.disputes.facts import COLOR_IN_PLAY, TOP_CARD, card, cards, yes_no
from referee.rules.disputes.hearing import Hearing
from referee.rules.disputes.stacking import TOTAL, answered_faces, goes_on
from referee.rules.text.problem import Problem
from referee.rules.text.words import CATALOGUE, Line, line

CARD = card("card", "can-i-play", or_bare=True)
HAND = cards("hand", "can-i-play")
DRAWN = yes_no("drawn_this_turn", "can-i-play")
OTHER_AFTER_DRAWING = yes_no("from_hand_after_drawing", "can-i-play")


PLAYED_ON_YOU = yes_no("played_on_you", "can-i-play")


def legal(hearing: Hearing) -> bool:
    """Decide whether the card may be played now."""
    if not _goes_on_the_pile(hearing, hearing.ask(CARD)):
        return False
    if hearing.given(HAND) and not hearing.ask(HAND) and not _may_be_last(hearing, hearing.ask(CARD)):
        return False
    if hearing.given(DRAWN) and hearing.ask(DRAWN):
        return hearing.read(settings.DRAWN_CARD) != "is-kept"
    if hearing.given(OTHER_AFTER_DRAWING) and hearing.ask(OTHER_AFTER_DRAWING):
        return hearing.read(settings.OTHER_CARD_AFTER_DRAWING)
    return True


def hit_by(hearing: Hearing) -> str | None:
    """Return the draw card or Skip just played on whoever asks; ask only where it can be answered."""
    if hearing.facts.get(DRAWN.key) or hearing.facts.get(OTHER_AFTER_DRAWING.key):
        return None  # whoever has drawn is past it
    told, answered = hearing.facts.get(PLAYED_ON_YOU.key), answered_faces(hearing.rulebook)
    if not told and (not answered or (told is False and not hearing.given(TOP_CARD))):
        return None
    top = hearing.ask(TOP_CARD).face
    if top not in answered and not (told and top in draw_faces(hearing.rulebook)):
        return None
    return top if hearing.ask(PLAYED_ON_YOU) else None


def has_trays(hearing: Hearing) -> bool:
    """Return whether the box has several piles to play on, so that a card may fit on another one."""
    return hearing.rulebook.find(settings.OVERLOAD_BARS) is not None


def _goes_on_the_pile(hearing: Hearing, chosen: Card) -> bool:
    hit = hit_by(hearing)
    if hit is not None:
        return goes_on(hearing, hit, chosen.face)
    of_own_box = chosen.face.is_wild and (chosen.face in OWN_FACES or not chosen.face.is_extra)
    if chosen.face == WILD or (of_own_box and not _may_be_challenged(hearing)):
        return plays.wild_fits(hearing, hearing.ask(HAND) if hearing.read(settings.WILD_BARRED_BY) else ())
    if _may_be_challenged(hearing):
        return not _is_wrong_draw_four(hearing) or hearing.look(settings.MAY_BE_BLUFFED) is True
    if chosen.face not in OWN_FACES:
        has_clause(hearing, chosen)
    return plays.fits(hearing, chosen, CARD)


def _may_be_challenged(hearing: Hearing) -> bool:
    return hearing.ask(CARD).face in challenged_faces(hearing.rulebook)


def _is_wrong_draw_four(hearing: Hearing) -> bool:
    return not plays.draw_four_fits(hearing, () if plays.any_hand_will_do(hearing) else hearing.ask(HAND))


def is_bluff(hearing: Hearing) -> bool:
    """Return whether the card is a Wild Draw Four that may be laid, but that a challenge would find wrong."""
    return bool(hearing.decide("legal")) and _may_be_challenged(hearing) and _is_wrong_draw_four(hearing)


def draws_if_challenged(hearing: Hearing) -> int:
    """Count the cards that such a bluff costs when it is challenged."""
    return hearing.read(settings.GUILTY_DRAWS) if hearing.decide("is_bluff") else 0


def is_taken_back(hearing: Hearing) -> bool:
    """Return whether the rules say that a card that doesn't fit is taken back."""
    return not hearing.decide("legal") and hearing.look(settings.WRONG_CARD_WITHDRAWN) is True


def _may_be_last(hearing: Hearing, chosen: Card) -> bool:
    """Return whether a last card may be this one; a text that is silent on it forbids nothing here."""
    if chosen.face.number is not None:
        return True
    if chosen.face.is_wild and hearing.look(settings.GO_OUT_ON_WILD) is False:
        return False
    own = settings.GO_OUT_ON_ACTION.at(f"card-{chosen.face}") if chosen.face in OWN_FACES else None
    of_card = hearing.look(own) if own else None
    return (hearing.look(settings.GO_OUT_ON_ACTION) if of_card is None else of_card) is not False


def contradictions(facts: Facts) -> Iterable[Problem]:
    """Find facts that contradict each other."""
    yield from plays.color_contradictions(facts)
    if facts.get("drawn_this_turn") and facts.get("from_hand_after_drawing"):
        yield Problem.said(("facts", "from_hand_after_drawing"), "drawn-and-held")


def verdict(outcome: Outcome, facts: Facts) -> Line:
    """Return the verdict in a few words."""
    if outcome["is_bluff"]:
        return line("verdicts.bluff")
    return line("verdicts.yes" if outcome["legal"] else "verdicts.no")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return a sentence on whether the card may be played, and at what risk."""
    if outcome["is_bluff"]:
        cost = outcome["draws_if_challenged"]
        yield line("bluff")
        yield line("challenged", n=cost) if cost else line("challenged-wrong")
    elif outcome["legal"] is not None:
        way = "pass-on" if outcome["hit_by"] == SKIP else "stack" if outcome["hit_by"] else "play"
        way = "play-on-tray" if way == "play" and outcome["has_trays"] else way
        yield line(f"may-{way}" if outcome["legal"] else f"may-not-{way}", card=facts["card"].label)
        if outcome["is_taken_back"]:
            yield line("take-back")
        elif outcome["legal"] and way == "stack" and facts["card"].face == REVERSE:
            yield line("stacking.sends-back")


def _tops(facts: Facts, rulebook: Rulebook) -> Sequence[Sample]:
    """Sample top cards by what the card to be played has in common with them."""
    chosen, drawing = facts["card"], _draw_cards(facts["card"], rulebook)
    if chosen.color is None:
        return (Sample("red-5", example("another-colored-card" if drawing else "a-colored-card")), *drawing)
    return (
        Sample("red-9", example("a-card-of-the-same-color")),
        Sample(f"blue-{chosen.face}", example("the-same-number-or-symbol-in-another-color")),
        Sample("blue-9", example("a-card-with-nothing-in-common")),
        Sample("wild", example("a-wild")),
        *drawing,
    )


def _draw_cards(chosen: Card, rulebook: Rulebook) -> Sequence[Sample]:
    """Sample draw cards that are stacked on: each for a draw card to be played, else one with a color and one wild."""
    samples: dict[str, Sample] = {}
    for face in answered_faces(rulebook):
        each = face == SKIP or chosen.face in draw_faces(rulebook)
        kind = "wild-draw-card" if face.is_wild else "draw-card"
        key, label = (str(face), a_card(face)) if each else (kind, example(kind))
        if face.is_wild and each:
            samples.setdefault(key, named(face))
        elif face.is_wild or chosen.color is None:
            samples.setdefault(key, Sample(str(face) if face.is_wild else f"red-{face}", label))
        else:
            kind, called = "this-card" if each else kind, face_named(face).label
            samples.setdefault(key, Sample(f"red-{face}", example(f"{kind}-of-the-same-color", card=called)))
            if face != chosen.face:  # sampled already, as the same symbol in another color
                other = Sample(f"blue-{face}", example(f"{kind}-in-another-color", card=called))
                samples.setdefault(f"other {key}", other)
    return tuple(samples.values())


DISPUTE = Dispute(
    id="can-i-play",
    facts=(CARD, TOP_CARD, PLAYED_ON_YOU, TOTAL, COLOR_IN_PLAY, HAND),
    volunteered=(DRAWN, OTHER_AFTER_DRAWING),
    outcome={"legal": legal},
    further={
        "is_bluff": is_bluff,
        "draws_if_challenged": draws_if_challenged,
        "hit_by": hit_by,
        "is_taken_back": is_taken_back,
        "has_trays": has_trays,
    },
    assumed={PLAYED_ON_YOU.key: False},
    main=lambda facts: "legal",
    verdict=verdict,
    summary=summary,
    contradictions=contradictions,
    samples={
        DRAWN.key: lambda facts, rulebook: (Sample(True, CATALOGUE.text("facts.yes")),),
        OTHER_AFTER_DRAWING.key: lambda facts, rulebook: (Sample(True, CATALOGUE.text("facts.yes")),),
        CARD.key: lambda facts, rulebook: plays.kinds_of_card(),
        TOP_CARD.key: _tops,
        TOTAL.key: lambda facts, rulebook: tuple(Sample(total, str(total)) for total in range(2, 21, 2)),
        COLOR_IN_PLAY.key: lambda facts, rulebook: (
            (Sample("red", example("the-color-in-play")),)
            if facts["card"].color is None
            else (Sample("red", example("the-color-of-the-card")), Sample("blue", example("another-color")))
        ),
        HAND.key: lambda facts, rulebook: (
            Sample(["red-1"], example("a-card-of-the-color-in-play")),
            Sample(["blue-5"], example("a-card-of-the-same-number-or-symbol")),
            Sample(["wild"], example("another-wild")),
            Sample(["blue-9"], example("none-of-these")),
        ),
    },
    starts=((), ("drawn_this_turn",), ("from_hand_after_drawing",)),
)
