"""What every dispute is made of, and how its facts are read.

A dispute is a module with its facts, its outcome (an ordered table of keys, each with the function
that decides it) and the words of its verdict. `referee.rules.disputes.deciding` runs it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

from referee.rules.books.agreeing import players_problems
from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import Card, Deck
from referee.rules.cards.decks import face_named
from referee.rules.disputes.facts import PLAYERS, Fact, WrongAnswer, beyond_deck, mixed_sides, on_sale
from referee.rules.disputes.hearing import Hearing
from referee.rules.disputes.ruling import Order, Role, Voice
from referee.rules.disputes.wording import Heading
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import CATALOGUE, Line, begun, language, line

SILENT = line("verdicts.silent")
Facts = Mapping[str, Any]
Outcome = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sample:
    """One value for all answers of a kind, as JSON, with its words; for walking through every hearing."""

    value: Any
    label: str
    exact: bool = False
    """whether it stands for its own value alone"""


def example(key: str, **places: object) -> str:
    """Return the words of a sample."""
    return CATALOGUE.say(f"samples.{key}", **places)


def a_card(face: str) -> str:
    """Return a card without its color as the words of a sample: ``A Draw Two``."""
    return begun(f"{Card(face_named(face)).label:a}")


def named(face: str) -> Sample:
    """Sample a card whose color decides nothing, by its name."""
    return Sample(str(face), a_card(face), exact=True)


Samples = Mapping[str, Callable[[Facts, Rulebook], Sequence[Sample]]]
"""For the key of a fact: which answers to walk, in the light of those given before."""


class Finding(StrEnum):
    """What statistics count from a ruling."""

    CHALLENGE_WON = "challenge-won"
    CHALLENGE_LOST = "challenge-lost"
    MISSED_CALL = "missed-call"


@dataclass(frozen=True)
class Dispute:
    """One kind of dispute: what may be asked, what is decided, and how the ruling is worded.

    - `main`: the key of the outcome without which the ruling is silent, by the facts.
    - `orders`, `verdict`, `summary`: use only the decided outcome. A summary says what is decided even if the main
      key is not, in lines or as orders in their words; what stays open is added to it.
    - `parts`: the roles that someone may have in it.
    - `called`: names it otherwise where a box has other cards than the title says.
    - `contradictions`: finds facts that contradict each other; `impossible`: facts that a rulebook or deck rules out.
    - `at_table`: cards on the table besides those in the facts, so that all can be counted against the deck.
    - `volunteered`: facts accepted when given but never asked for.
    - `assumed`: facts that pages ask, with what is taken to be so of a client that doesn't give them.
    - `counted_within`: facts whose cards are among those of another fact.
    - `one_each`: the key of a fact that lists every player once, and so says how many there are.
    - `arises`: raises `Silent` where nothing of the kind can happen under a rulebook, whatever the facts.
    - `further`: what orders and sentences need besides the outcome; nobody is asked for it.
    - `finds`: says from facts and outcome as JSON what statistics count a ruling as; most are not counted.
    - `known_by_name`: answers that naming whom it is about gives along: of whoever is tapped they are so.
    - `stays_in_sight`: listed with the others where a rulebook is silent on it, as nearly all are.
    - `samples`: answers for the walk of all hearings where a fact has no choices; each walk begins with the questions
      of one of the `starts`, so that volunteered facts are met too.

    Its words stand in the catalogue under its id: `title` and `lead`, `who` a match is asked for, ``found-by`` with
    words to find it by, and ``part-offender`` where a role is called otherwise than in other disputes. They have places
    for roles, as in ``{offender}`` or ``{offender|the hand}`` (`Voice.fill`).
    """

    id: str
    facts: tuple[Fact[Any], ...]
    outcome: Mapping[str, Callable[[Hearing], Any]]
    main: Callable[[Facts], str]
    verdict: Callable[[Outcome, Facts], Line]
    summary: Callable[[Outcome, Facts], Iterable[Line | Order]]
    orders: Callable[[Outcome, Facts], Iterable[Order]] = lambda outcome, facts: ()
    parts: frozenset[Role] = frozenset()
    contradictions: Callable[[Facts], Iterable[Problem]] = lambda facts: ()
    impossible: Callable[[Facts, Rulebook, Sequence[Deck]], Iterable[Problem]] = lambda facts, rulebook, decks: ()
    arises: Callable[[Hearing], object] = lambda hearing: None
    called: Callable[[Rulebook], Heading | None] = lambda rulebook: None
    at_table: tuple[Card, ...] = ()
    volunteered: tuple[Fact[Any], ...] = ()
    assumed: Facts = field(default_factory=lambda: MappingProxyType({}))
    any_players: bool = False
    counted_within: tuple[str, ...] = ()
    one_each: str = ""
    finds: Callable[[Mapping[str, Any], Mapping[str, Any]], Finding | None] = lambda facts, outcome: None
    further: Mapping[str, Callable[[Hearing], Any]] = field(default_factory=lambda: MappingProxyType({}))
    samples: Samples = field(default_factory=lambda: MappingProxyType({}))
    starts: tuple[tuple[str, ...], ...] = ((),)
    known_by_name: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    stays_in_sight: bool = False

    @property
    def title(self) -> str:
        """Return what it is called."""
        return CATALOGUE.text(f"{self.id}.title")

    @property
    def found_by(self) -> str:
        """Return words to find it by, besides those of its title."""
        return CATALOGUE.sentences.get(f"{self.id}.found-by", "")

    @cached_property
    def decided(self) -> Mapping[str, Callable[[Hearing], Any]]:
        """Return the keys a hearing of this dispute decides: its outcome, and what orders and words need."""
        return MappingProxyType({**self.outcome, **self.further})

    def heading(self, rulebook: Rulebook | None) -> Heading:
        """Return its title and what stands under it, in the words of this rulebook's box."""
        called = self.called(rulebook) if rulebook else None
        who = CATALOGUE.sentences.get(f"{self.id}.who", "")
        return called or Heading(self.title, CATALOGUE.text(f"{self.id}.lead"), who)

    def players(self, facts: Facts) -> int | None:
        """Return how many players are at the table; None where no fact says it."""
        listed: Sequence[object] | None = facts.get(self.one_each)
        number: int | None = facts.get(PLAYERS.key)
        return len(listed) if number is None and listed is not None else number

    @cached_property
    def known_facts(self) -> Mapping[str, Fact[Any]]:
        """Return every fact this dispute accepts, by key; `players` is accepted by all."""
        asked = (fact for fact in (*self.facts, *self.volunteered) if fact is not PLAYERS)
        return {
            PLAYERS.key: PLAYERS,
            **{fact.key: fact.worded(lambda text: self.speaker(None)(text)) for fact in asked},
        }

    def problems(self, facts: Facts, rulebook: Rulebook, decks: Sequence[Deck] = ()) -> Iterable[Problem]:
        """Find facts that contradict each other, or that this rulebook or every box on sale rules out."""
        yield from self.contradictions(facts)
        yield from self.impossible(facts, rulebook, decks or on_sale(rulebook))
        yield from mixed_sides(facts, decks or on_sale(rulebook))

    def is_between_two(self, facts: Facts, rulebook: Rulebook) -> bool:
        """Return whether two play: the facts say so, or the rulebook is for two only."""
        players = self.players(facts)
        return players == 2 if players else rulebook.players == range(2, 3)

    def voice(self, names: Mapping[Role, str] | None = None, two: bool = False) -> Voice:
        """Return what roles are called: these names, else their parts; `two` if only two play."""
        return Voice(self.parts, MappingProxyType(dict(names or {})), two, self.id)

    @cached_property
    def _nameless(self) -> dict[tuple[str, bool], Callable[[Line | Order], str]]:
        """Keep the same few lines of most hearings, each filled in once, by language and whether two play."""
        return {}

    def speaker(self, names: Mapping[Role, str] | None, two: bool = False) -> Callable[[Line | Order], str]:
        """Return a function that says a line of the catalogue, or an order, with these names, or parts."""
        voice, how = self.voice(names, two), (language().code, two)
        if names:
            return lambda sentence: voice.line(sentence, self.id)
        if how not in self._nameless:
            self._nameless[how] = lru_cache(maxsize=1024)(lambda sentence: voice.line(sentence, self.id))
        return self._nameless[how]

    def worded(self, key: str, names: Mapping[Role, str] | None, two: bool = False) -> Fact[Any]:
        """Return a fact of this dispute with names, or parts, for the roles in its words."""
        spoken = (each for each in (*self.facts, *self.volunteered) if each.key == key) if names or two else ()
        return next((each.worded(self.speaker(names, two)) for each in spoken), self.known_facts[key])


def read_facts(dispute: Dispute, rulebook: Rulebook, given: Mapping[str, object], deck: Deck | None = None) -> Facts:
    """Read and check the facts of a hearing, whether they matter or not.

    Raises `Impossible` with every problem: a fact of no such name, a value it cannot take, a number of
    players the rulebook does not fit, facts that contradict each other, cards that no deck gives.
    """
    facts: dict[str, Any] = {}
    decks = (deck,) if deck else on_sale(rulebook)
    problems: list[Problem] = []
    for key, value in given.items():
        fact = dispute.known_facts.get(key)
        if fact is None:
            choices = ", ".join(dispute.known_facts)
            problems.append(Problem.said(("facts", key[:60]), "fact-unknown", choices=choices))
            continue
        try:
            facts[key] = fact.against(decks[0]).parse(value)
        except WrongAnswer as wrong:
            problems += [problem.under("facts", key) for problem in wrong.problems]
    players = facts.get(PLAYERS.key)
    if players is not None and not dispute.any_players:
        problems += players_problems(rulebook, players, ("facts", "players"))
    problems += dispute.problems(facts, rulebook, decks)
    at_table = [card for card in dispute.at_table if any(card.face in deck.faces for deck in decks)]
    within = dispute.counted_within if len(at_table) == len(dispute.at_table) else ()
    problems += beyond_deck(facts, decks, at_table, within)
    if problems:
        raise Impossible(problems)
    return MappingProxyType(facts)
