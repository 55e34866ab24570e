"""Find the clause on a card that a query names, by what is asked about the card.

A query is read as words around a card's name. What is asked (its worth, how many there are, what it does …) is one of
the matters of ``card_matters.toml``, and `lookup_model` estimates from the words outside the name which it is; which
clauses answer a matter follows from the rulebook's settings and the ids of its clauses. Where none of them is there,
the rulebook is silent on this card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from referee.rules.boxes import boxes, home_of
from referee.rules.cards import BLANK, DRAW_TWO, REVERSE, SKIP, WILD, WILD_DRAW_FOUR, Face
from referee.rules.decks import decks, decks_of, extra_faces
from referee.rules.library import every_question, further_questions
from referee.rules.lookup_model import Model, learned, spoken
from referee.rules.lookup_words import Vocabulary, tokens, vocabulary
from referee.rules.rulebook import Clause, Rulebook, TableQuestion
from referee.rules.settings import (
    CARD_DRAWS,
    CARD_SKIPS,
    CHALLENGEABLE,
    DARE_INSTEAD,
    DRAW_FOUR_TURN,
    DRAW_TWO_TURN,
    GO_OUT_ON_ACTION,
    ROTATE_ON,
    SWAP_ON,
    TURN_AFTER,
    TURNS_DIRECTION,
    TURNS_OVER,
)
from referee.rules.words import say, speaking
from referee.rules.worths import group_of, text_worth

NAME = "namedcard"
"""What stands for the card's name among the words around it."""
AGAIN = "secondcard"
"""What stands for any further card."""
OTHER = "other"
"""The matter of a query that names a card and asks something else."""
ONTO = "onto"
"""The matter of one card on another."""
MOST_OTHER = 0.5
"""Above this likelihood that something else is asked, the words alone decide."""
EFFECTS: Mapping[str, str] = {
    SKIP: "skip",
    REVERSE: "reverse",
    DRAW_TWO: "draw-two-effect",
    WILD: "wild-effect",
    WILD_DRAW_FOUR: "draw-four-effect",
    BLANK: "special-cards",
}
"""The question what a card of the classic box does; that of any other has its name."""
STARTS: Mapping[str, tuple[str, ...]] = {
    SKIP: ("start-skip",),
    REVERSE: ("start-reverse", "start-reverse-two"),
    DRAW_TWO: ("start-draw-two",),
    WILD: ("start-wild",),
    WILD_DRAW_FOUR: ("start-draw-four",),
}
"""The questions what such a card does as the first one."""
MIXED = "stacking-mixed"
STACKS = {DRAW_TWO: "stacking-draw-two", WILD_DRAW_FOUR: "stacking-draw-four", "draw-four": "stacking-draw-four"}
TURNS = frozenset(setting.name for setting in (CARD_SKIPS, TURN_AFTER, DRAW_TWO_TURN, DRAW_FOUR_TURN))
"""The settings that say whose turn follows."""


@dataclass(frozen=True, slots=True)
class Named:
    """A thing with a name: its names in a query, and for each matter the questions about it, the best first.

    No question at all is silence, None leaves it to the other words of the query. `own` tells that only some boxes
    hold it, so that the wordings of ``phrasings.toml`` teach nothing about it. `thing` is the card, the clause of a
    rule, or None for the sides of a deck.
    """

    thing: Face | Clause | None = field(compare=False)
    names: tuple[str, ...]
    own: bool
    matters: Mapping[str, tuple[str, ...] | None] = field(compare=False)

    @property
    def label(self) -> str:
        """Return what it is called in the language spoken."""
        if self.thing is None:
            return say("card-questions.side")
        return self.thing.label if isinstance(self.thing, Face) else self.thing.title

    @property
    def is_number(self) -> bool:
        """Return whether this is a number card."""
        return isinstance(self.thing, Face) and self.thing.number is not None


@dataclass(frozen=True, slots=True)
class CardAsked:
    """What a query asks of a card: the likeliest question, and how likely each clause is meant, or none of them.

    `does` are the clauses on what the card does.
    """

    question: TableQuestion
    clauses: Mapping[str, float]
    silent: float
    does: tuple[str, ...]


@cache
def matter_model(language: str) -> Model:
    """Read the trained model of what is asked of a card, once."""
    return Model.from_document(learned(language)["matters"])


def card_asked(
    query: str, rulebook: Rulebook, words: Vocabulary, at_home: bool, texts: Mapping[str, str]
) -> CardAsked | None:
    """Find what is asked about a card of this box; None where no card is named, or the words alone decide.

    Unless the query is `at_home`, it speaks of another box, and only a card that few boxes hold is taken for ours.
    `texts` say in the language spoken what each matter asks.
    """
    named = named_in(query, rulebook, words)
    if not named.things or not named.things[0].matters or not (at_home or named.things[0].own):
        return None
    thing = named.things[0]
    with_two = any(f" {shown} " in f" {' '.join(named.around)} " for shown in words.with_two)
    heard = words.hear(" ".join(named.around))
    likely = _likely(thing, AGAIN in named.around, matter_model(words.language).likelihoods(heard.features))
    if likely.get(OTHER, 1.0) > MOST_OTHER:
        if not with_two and not thing.own:
            return None
        likely = {"effect": MOST_OTHER / 2}
    likely.pop(OTHER, None)
    first = next(iter(likely))
    held = first == "when" and AGAIN in named.around and not thing.own  # whether it may be played beside the other
    if held or thing.matters[first] is None:
        return None
    clauses = {id: _clause_on(thing, id, rulebook, with_two, len(named.things) > 1) for id in likely}
    shown: dict[str, float] = {}
    for id, clause in clauses.items():
        if clause:
            shown[clause] = shown.get(clause, 0.0) + likely[id]
    effects = thing.matters.get("effect") or ()
    question = every_question()[clauses[first] or (*(thing.matters[first] or ()), *effects)[0]]
    asked = texts[first].format(card=thing.label)
    does = tuple(id for id in dict.fromkeys(effects) if id in rulebook.clauses)
    silent = 0.0 if clauses[first] else 1 - sum(shown.values())
    return CardAsked(TableQuestion(question.id, question.topic, asked), shown, silent, does)


def _clause_on(thing: Named, matter: str, rulebook: Rulebook, with_two: bool, several: bool) -> str | None:
    """Find the clause on what is asked of a card, for two players or for several cards where that is asked."""
    wanted = thing.matters[matter] or ()
    if MIXED in wanted and several:
        wanted = (MIXED, *wanted)
    if with_two:
        wanted = tuple(sorted(wanted, key=lambda id: not id.endswith("-two")))
    return next((id for id in wanted if id in rulebook.clauses), None)


def _likely(thing: Named, again: bool, likely: Mapping[str, float]) -> dict[str, float]:
    """Leave what can't be asked of this card out of the likelihoods, nor of one card what takes two."""
    asked = {OTHER, *thing.matters} - (set() if again else {ONTO})
    possible = {matter: share for matter, share in likely.items() if matter in asked}
    total = sum(possible.values())
    return {matter: share / total for matter, share in possible.items()}


@dataclass(frozen=True, slots=True)
class _Names:
    """The things named in a query, that with the longest name first, and the words around the names."""

    things: tuple[Named, ...]
    around: tuple[str, ...]


def named_in(query: str, rulebook: Rulebook, words: Vocabulary) -> _Names:
    """Find the things of this box that a query names, and put `NAME` in the places of their names."""
    said = f" {' '.join(_in_figures(words.corrected(query), words))} "
    for title in box_titles(words.language):
        said = said.replace(f" {title} ", " ")
    return _named(said.split(), rulebook, words)


def _named(said: Sequence[str], rulebook: Rulebook, words: Vocabulary) -> _Names:
    """Find the names in the words of a query, each the longest there, and put `NAME` in their places."""
    found: dict[Named, int] = {}
    around: list[str] = []
    amounts = [[word] for word in words.amounts]
    place = 0
    while place < len(said):
        here = [
            (name, thing)
            for name, thing in _names_from(rulebook, words).get(said[place], ())
            if tuple(said[place : place + len(name)]) == name
            and not _is_verb(thing, name, said, place, words)
            and not (thing.is_number and said[place + len(name) : place + len(name) + 1] in amounts)
        ]
        if not here:
            around.append(said[place])
            place += 1
            continue
        name, thing = max(here, key=lambda each: len(each[0]))
        found[thing] = max(found.get(thing, 0), len(" ".join(name)))
        around += [name[0]] * (name[0] in words.grammar["challenge"])
        around.append(AGAIN if NAME in around else NAME)
        place += len(name)
        place += place < len(said) and said[place] in words.grammar["card"]
    return _Names(tuple(sorted(found, key=lambda thing: -found[thing])), tuple(around))


@cache
def box_titles(language: str) -> tuple[str, ...]:
    """List the boxes' names in a language, which may have a card's name in them."""
    with speaking(language):
        titles = (" ".join(tokens(deck.box_title)) for deck in decks().values())
        return tuple(dict.fromkeys(title for title in titles if " " in title))


def _is_verb(thing: Named, name: Sequence[str], said: Sequence[str], start: int, words: Vocabulary) -> bool:
    """Return whether a card's name says what someone does: “I skip”, “may draw 2”; not where the box calls it so."""
    if (
        start == 0
        or thing.is_number
        or not name[0].isalpha()
        or name[0] == words.grammar["wild"]
        or (thing.own and not name[-1].isdigit())
    ):
        return False
    return said[start - 1] in words.verbs


@lru_cache(maxsize=64)
def of_box(rulebook: Rulebook, words: Vocabulary) -> tuple[Named, ...]:
    """List what the box of this rulebook holds and its text may speak of, named as the language of these words does."""
    with speaking(words.language):
        faces = {face: face for deck in decks_of(rulebook.deck.id) for face in deck.faces if face.kind != "number"}
        faces = {face: face for face in faces if not face.is_extra or home_of(rulebook) or _speaks_of(face, rulebook)}
        faces |= {face: face for face in extra_faces().values() if f"card-{face}" in rulebook.clauses}
        taken: dict[str, Face] = {}
        for face in faces:
            for name in (*_names(face, tuple(faces), words), *_told_by_title(face, rulebook, words)):
                taken.setdefault(name, face)
        things = [
            Named(
                face,
                tuple(name for name, meant in taken.items() if meant is face),
                f"card-{face}" in rulebook.clauses,
                _matters(face, rulebook),
            )
            for face in faces
        ]
        more = (_foreign(taken, words), _rules(rulebook, taken, words), _sides(rulebook, words))
        return (*things, *(thing for group in more for thing in group), *_numbers(rulebook, words))


def _numbers(rulebook: Rulebook, words: Vocabulary) -> Iterator[Named]:
    """List the number cards, named as no amount is: “a 7”, “red 7”, “7s”; a few of them may move hands."""
    grammar = words.grammar
    signs = {face.sign for face in rulebook.deck.faces}
    for face in {face: face for deck in decks_of(rulebook.deck.id) for face in deck.faces if face.number is not None}:
        # where there is a +4, “the four” is that
        called = [*grammar["number"], *(() if f"+{face}" in signs else grammar["drawn"])]
        names = tuple(name.replace("#", face) for name in called)
        moves = face.number in (rulebook.value(SWAP_ON, -1), rulebook.value(ROTATE_ON, -1))
        does = ("seven-zero",) if moves else ("matching",)
        yield Named(
            face,
            names,
            False,
            {
                "worth": ("points-numbers",),
                "count": ("deck-composition",),
                "challenge": (),
                "first": ("start-number",),
                **dict.fromkeys(("goes-out", "last"), () if moves else ("round-end", "goal")),
                "stack": ("play-doubles", "matching"),
                "turn": does if moves else ("direction",),
                **dict.fromkeys(("when", ONTO), ("matching",)),
                "effect": does,
            },
        )


def _told_by_title(face: Face, rulebook: Rulebook, words: Vocabulary) -> list[str]:
    """Return what the title of a card's clause says after a colon that it does."""
    clause = rulebook.clauses.get(f"card-{face}")
    does = clause.title.partition(": ")[2] if clause else ""
    return [_spelled(does, words)] if does else []


def _foreign(taken: Mapping[str, Face], words: Vocabulary) -> Iterator[Named]:
    """List the cards of other boxes, which are none of those whose names stand in theirs: the words decide."""
    for face in extra_faces().values():
        name = _spelled(face.label, words)
        if " " in name and name not in taken:
            yield Named(face, (name,), False, MappingProxyType({}))


def card_names(rulebook: Rulebook, words: Vocabulary) -> frozenset[str]:
    """Return all names that a query can call a card of this box, and the labels they stand for."""
    with speaking(words.language):
        return frozenset(name for thing in of_box(rulebook, words) for name in (*thing.names, thing.label))


def _speaks_of(face: Face, rulebook: Rulebook) -> bool:
    return f"card-{face}" in rulebook.clauses or (face == BLANK and "special-cards" in rulebook.clauses)


@lru_cache(maxsize=64)
def _names_from(rulebook: Rulebook, words: Vocabulary) -> Mapping[str, list[tuple[tuple[str, ...], Named]]]:
    """Return the names by their first word, each also in the plural."""
    found: dict[str, list[tuple[tuple[str, ...], Named]]] = {}
    for thing in of_box(rulebook, words):
        for name in thing.names:
            for ending in ("", *words.grammar["plural"]):
                form = tuple(f"{name}{ending}".split())
                found.setdefault(form[0], []).append((form, thing))
    return found


def _names(face: Face, faces: Sequence[Face], words: Vocabulary) -> Iterator[str]:
    """Return what a card is called: its label, short, without “Wild” where that is no other card, by its number."""
    wild = f"{words.grammar['wild']} "
    label = _spelled(face.label, words)
    yield label
    labels = {_spelled(other.label, words) for other in faces}
    for short in (label.removeprefix(wild), _spelled(face.short, words)):
        if short not in labels and (" " in short or not label.startswith(wild) or len(short) > 5):
            yield short
        elif short not in labels:
            yield f"{short} {words.grammar['card'][0]}"
    number = face.sign.removeprefix("+")
    if number.isdigit() and number != face.sign:
        alike = [other for other in faces if other.sign == face.sign]
        for name in (pattern.replace("#", number) for pattern in words.grammar["draws"]):
            if len(alike) == 1 or face == alike[0]:
                yield name
            if face.is_wild:
                yield f"{wild}{name}"
    yield from words.grammar["called"].get(face, ())


def _rules(rulebook: Rulebook, taken: Mapping[str, Face], words: Vocabulary) -> Iterator[Named]:
    """Find rules of this box by a name said of it only, as “mercy rule”, in the title of a clause that few have."""
    home = home_of(rulebook)
    said = [name for name in boxes()[home].tells if " " in name and name not in taken] if home else []
    for clause in rulebook.clauses.values():
        title = f" {_spelled(clause.title, words)} "
        if clause.id in further_questions() and (names := tuple(name for name in said if f" {name} " in title)):
            yield Named(clause, names, True, {"worth": None, "effect": (clause.id,)})


def _sides(rulebook: Rulebook, words: Vocabulary) -> Iterator[Named]:
    """Return what is asked about the sides of a deck that has two."""
    if rulebook.deck.sides and "special-cards" in rulebook.clauses:
        turning = tuple(id for id, clause in rulebook.clauses.items() if clause.settings.get(TURNS_OVER.name))
        ends = ("round-end",)
        yield Named(
            None,
            tuple(words.grammar["side"]),
            True,
            {"worth": ends, "side": ends, "turns": turning, **dict.fromkeys(("first", "effect"), ("special-cards",))},
        )


def _matters(face: Face, rulebook: Rulebook) -> Mapping[str, tuple[str, ...] | None]:
    """Return which questions answer what may be asked about a card, in the order of ``card_matters.toml``."""
    clauses = rulebook.clauses
    effect = EFFECTS.get(face, f"card-{face}")
    settled = clauses[effect].settings if effect in clauses else {}
    draws = CARD_DRAWS.name in settled or face in (DRAW_TWO, WILD_DRAW_FOUR)
    challenged = bool(settled.get(CHALLENGEABLE.name)) or face == WILD_DRAW_FOUR
    with_two = f"{face}-two" if face in (SKIP, REVERSE) else effect
    if settled.get(TURNS_DIRECTION.name) and not draws:
        with_two = "reverse-two"
    does = (effect, with_two)
    last = (effect,) if GO_OUT_ON_ACTION.name in settled else ("last-card-action", "no-action-finish")
    worth = text_worth(rulebook, face) or group_of(face)
    turns = settled.get(TURNS_OVER.name)
    found: dict[str, tuple[str, ...] | None] = {}
    if draws:
        found["draws-last"] = ("last-card-draws",)
    found |= {"worth": (worth.question,), "count": ("deck-composition",)}
    if settled.get(DARE_INSTEAD.name):
        found["list"] = ("special-cards",)
    if turns:
        found["side"] = ("round-end",)
    if challenged:
        own = face != WILD_DRAW_FOUR
        found |= {id: (f"challenge-{id}",) if own else None for id in ("innocent", "guilty", "shown")}
    found["challenge"] = ("challenge-who",) if challenged else ("wild-caught",) if face == WILD else ()
    found["first"] = (*STARTS.get(face, (f"start-card-{face}",)), "start-action")
    found["goes-out"] = last
    found["last"] = ("round-end",) if turns else last
    stacks = (STACKS.get(face, MIXED), MIXED) if draws else ()
    found["stack"] = stacks
    fits = tuple(id for id in (f"{face}-on", "matching") if id in every_question())
    found["turn"] = tuple(id for id in does if id in clauses and TURNS & set(clauses[id].settings))
    found["when"] = ("draw-four-when",) if challenged else ("wild-when",) if face.is_wild else fits
    found[ONTO] = (*stacks, *(() if face.is_wild else ("matching",))) or None
    return found | {"effect": does}


def cards_document(rulebook: Rulebook) -> list[dict[str, Any]]:
    """Write for a phone what each of these is called in the language spoken, and the ids of the clauses on it."""
    return [
        {"label": thing.label, "names": list(thing.names), "own": thing.own, "matters": dict(thing.matters)}
        for thing in of_box(rulebook, vocabulary(spoken()))
    ]


def _spelled(text: str, words: Vocabulary) -> str:
    return " ".join(_in_figures(tokens(text), words))


def _in_figures(said: Sequence[str], words: Vocabulary) -> list[str]:
    return [words.grammar["numbers"].get(word, word) for word in said]
