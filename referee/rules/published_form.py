"""A whole rulebook, written as the published ones are, read as what a table plays differently from one of these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.rules import library
from referee.rules.decks import CLASSIC
from referee.rules.loading import CLAUSE_KEYS, RULEBOOK_KEYS
from referee.rules.own_rulebook import MOST_PROBLEMS, OwnRulebook, Tidy
from referee.rules.problem import Impossible, Path, Problem
from referee.rules.rulebook import Rulebook
from referee.rules.settings import DECK
from referee.rules.words import say

ONLY_HERE = ("id", "sentence", "source", "coverage")
"""Keys by which such a file is told from one of differences."""
LONGEST_SAID = 40


def is_published_form(document: Mapping[str, Any]) -> bool:
    """Tell whether a document is written as the published rulebooks are: whole, its clauses by id."""
    clauses = document.get("clauses")
    listed = clauses if isinstance(clauses, list) else []
    return any(key in document for key in ONLY_HERE) or any("id" in each for each in listed if isinstance(each, dict))


def read_published_form(document: Mapping[str, Any], tidy: Tidy) -> OwnRulebook:
    """Read it against its ``base``, else the published rulebook of its id or its deck.

    What a clause settles is kept, in the sentences of the settings; a clause without settings keeps its text. Raises
    `Impossible` with every problem, at the place in the file.
    """
    reader = _Reader(document)
    own = reader.differences()
    if reader.problems:
        raise Impossible(reader.problems)
    try:
        return OwnRulebook.read(own, tidy)
    except Impossible as error:
        raise Impossible(Problem(reader.place_of(each.path), each.message) for each in error.problems) from None


@dataclass
class _Reader:
    document: Mapping[str, Any]
    problems: list[Problem] = field(default_factory=list)
    places: dict[Path, Path] = field(default_factory=dict)
    """where in the file a part of the differences comes from"""

    def problem(self, path: Path, what: str, **places: object) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(path, say(f"own.{what}", **places)))

    def place_of(self, path: Path) -> Path:
        """Find the place in the file of a part of the differences."""
        ways = (length for length in range(len(path), 0, -1) if path[:length] in self.places)
        return next((self.places[path[:length]] + path[length:] for length in ways), path)

    def differences(self) -> dict[str, Any]:
        """Give the document that `OwnRulebook.read` takes."""
        self.known_keys(self.document, RULEBOOK_KEYS, ())
        clauses = dict(self.clauses())
        base = self.base(clauses)
        found = library.rulebooks().get(base) if isinstance(base, str) else None
        changes: dict[str, object] = {}
        texts: list[object] = []
        without = self.without(found, clauses)
        for place, clause in clauses.items():
            id, settings = clause["id"], clause.get("settings", {})
            before = found.clauses.get(id) if found else None
            if settings or (before and before.settings):
                given = settings if isinstance(settings, dict) else {}
                dropped = dict.fromkeys(before.settings) if before else {}
                changes[id] = dropped | given if isinstance(settings, dict) else settings
                self.places["changes", id] = ("clauses", place, "settings")
            elif before is None or clause.get("text") != before.text:
                if before is not None:
                    without.append(id)
                self.places["clauses", len(texts)] = ("clauses", place)
                texts.append({key: clause[key] for key in ("title", "topic", "text") if key in clause})
        return {
            "title": self.document.get("title"),
            "base": base,
            "changes": changes,
            "clauses": texts,
            "house_rules": list(self.house_rules()),
            "without": without,
        }

    def clauses(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for place, clause in enumerate(self.tables("clauses")):
            if not isinstance(clause, Mapping) or not isinstance(clause.get("id"), str):
                self.problem(("clauses", place), "file-clause-without-id")
                continue
            self.known_keys(clause, CLAUSE_KEYS, ("clauses", place))
            yield place, clause

    def base(self, clauses: Mapping[int, Mapping[str, Any]]) -> object:
        """Name the base: the one given, else the published rulebook of this id, else the first of the same deck."""
        given, id = self.document.get("base"), self.document.get("id")
        if given is not None or (isinstance(id, str) and id in library.rulebooks()):
            return id if given is None else given
        settings = next((each.get("settings") for each in clauses.values() if each["id"] == DECK.question), None)
        deck = settings.get(DECK.name, CLASSIC) if isinstance(settings, Mapping) else CLASSIC
        books = library.rulebooks().values()
        return next((book.id for book in books if book.deck.id == deck), next(iter(library.rulebooks())))

    def without(self, base: Rulebook | None, clauses: Mapping[int, Mapping[str, Any]]) -> list[object]:
        """List the clauses of the base that are not this rulebook's; a file that names no base says all it has."""
        if base is None:
            return []
        said = {each["id"] for each in clauses.values()}
        unsaid = [] if "base" in self.document else [id for id in base.clauses if id not in said]
        given = [id for id in self.tables("without") if not isinstance(id, str) or id not in base.house_rules]
        return [*unsaid, *given]

    def house_rules(self) -> Iterator[object]:
        """Give those in force; which a table may choose among is for the base to say."""
        for place, rule in enumerate(self.tables("house_rules")):
            id = rule.get("id") if isinstance(rule, Mapping) else rule
            if not isinstance(id, str) or id not in library.house_rules():
                known = ", ".join(library.house_rules())
                self.problem(("house_rules", place), "file-rule-unknown", id=str(id)[:LONGEST_SAID], known=known)
            elif not isinstance(rule, Mapping):
                yield rule

    def tables(self, key: str) -> Sequence[Any]:
        value = self.document.get(key, [])
        if isinstance(value, list):
            return value
        self.problem((key,), "not-a-list")
        return ()

    def known_keys(self, table: Mapping[str, Any], known: frozenset[str], path: Path) -> None:
        for key in sorted(table.keys() - known):
            said = key[:LONGEST_SAID]
            self.problem((*path, said), "unknown-key", word=said, known=", ".join(sorted(known)))
