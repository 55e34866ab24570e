"""The rulebooks of this installation, each read once when first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from referee.rules.decks import extra_faces
from referee.rules.loading import load_house_rule, load_questions, load_rulebook
from referee.rules.problem import Impossible, Problem
from referee.rules.rulebook import HouseRule, Rulebook, TableQuestion
from referee.rules.toml_files import ids_of
from referee.rules.words import cached_by_language, say

HERE = Path(__file__).parent
ORDER = (
    "classic-500", "official", "two-player", "duo-200", "online-100-200", "speluitslagen",
    "challenge-500", "partners", "flip", "no-mercy", "attack", "triple-play", "all-wild",
    "dare",
)  # fmt: skip
"""The rulebooks that are offered first; any other file in the folder follows by its id."""
IDS = ids_of(HERE / "rulebooks", ORDER, besides="questions")


@cached_by_language
def questions() -> Mapping[str, TableQuestion]:
    """Return the questions a table asks, in their order, by id."""
    return load_questions(HERE / "rulebooks" / "questions.toml")


@cached_by_language
def further_questions() -> Mapping[str, TableQuestion]:
    """Return what some rulebooks answer besides those questions, by id; no rulebook is silent on these."""
    return load_questions(HERE / "rulebooks" / "questions.toml", "further")


@cached_by_language
def card_questions() -> Mapping[str, TableQuestion]:
    """Return what a text may answer on each face that only some boxes hold: what it does, also as the first card."""
    found: dict[str, TableQuestion] = {}
    for id, face in extra_faces().items():
        found[f"card-{id}"] = TableQuestion(f"card-{id}", "special-cards", say("card-questions.card", card=face.label))
        asked = say("card-questions.start-card", card=face.label)
        found[f"start-card-{id}"] = TableQuestion(f"start-card-{id}", "start-card", asked)
    return MappingProxyType(found)


@cached_by_language
def every_question() -> Mapping[str, TableQuestion]:
    """Return every question that a clause may answer, by id: a table's first."""
    return MappingProxyType({**questions(), **further_questions(), **card_questions()})


@cache
def house_rules() -> Mapping[str, HouseRule]:
    """Return every house rule in its general wording, by id."""
    known = every_question()
    rules = (load_house_rule(path, known) for path in sorted((HERE / "house_rules").glob("*.toml")))
    return MappingProxyType({rule.id: rule for rule in rules})


class Library(Mapping[str, Rulebook]):
    """Rulebooks by their ids, each read when it is first asked for; which there are is known without reading any."""

    def __init__(self, ids: tuple[str, ...], read: dict[str, Rulebook] | None = None) -> None:
        self._ids = ids
        self._read = {} if read is None else read

    def __getitem__(self, id: str) -> Rulebook:
        """Read a rulebook, unless it was read before; a file adds only to those of an earlier one."""
        if id not in self._ids:
            raise KeyError(id)
        if id not in self._read:  # two threads may both read it
            before = Library(self._ids[: self._ids.index(id)], self._read)
            self._read[id] = load_rulebook(HERE / "rulebooks" / f"{id}.toml", questions(), house_rules(), before)
        return self._read[id]

    def __contains__(self, id: object) -> bool:
        """Return whether there is such a rulebook."""
        return id in self._ids

    def __iter__(self) -> Iterator[str]:
        """Go through the ids in the order in which rulebooks are offered."""
        return iter(self._ids)

    def __len__(self) -> int:
        """Count the rulebooks."""
        return len(self._ids)


@cache
def rulebooks() -> Mapping[str, Rulebook]:
    """Return every rulebook by its id, in the order in which they are offered."""
    return Library(IDS)


def get_rulebook(id: str) -> Rulebook:
    """Find a rulebook by its id; raises `Impossible` on ``rulebook``, naming those that there are."""
    found = rulebooks().get(id)
    if found is None:
        known = ", ".join(rulebooks())
        raise Impossible([Problem.said("rulebook", "rulebook-unknown", rulebook=id[:40], choices=known)])
    return found
