"""What the form of an own rulebook shows: every control with its value now, and the base's."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from referee.rules.books import library
from referee.rules.books.controls import Control, card_of, controls, most_changed, required_face
from referee.rules.books.rulebook import TABLE_SIZES, TOPICS, Rulebook
from referee.rules.books.settings import DECK, FACE_POINTS
from referee.rules.cards.decks import decks, decks_in_same_box
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Problem
from referee.rules.text.words import cached_by_language
from referee.web.words import say


@dataclass(frozen=True)
class ControlView:
    """A control, its value and the base's; None where the rules are silent."""

    control: Control
    value: Any
    base: Any
    errors: Sequence[str] = ()
    warnings: Sequence[str] = ()
    parts: Sequence[tuple[str, str, Any]] = ()
    """its numbers, where there is one for each face or number of players: that, its label, and the value"""

    @property
    def key(self) -> str:
        """Return the name of its field."""
        return f"c.{self.control.id}"

    @property
    def id(self) -> str:
        """Return the id of its element, short since the page has a hundred."""
        return _element(self.control.id)

    @property
    def offered(self) -> bool:
        """Return whether to show the control; points of a face are offered once, where the base has them."""
        once = self.control.kind == "by-face" and self.control.clause != self.control.setting.question
        return self.said or not once

    @property
    def said(self) -> bool:
        """Return whether the base or the table has a value for it."""
        return self.value is not None or self.base is not None

    @property
    def changed(self) -> bool:
        """Return whether the table plays it differently."""
        return bool(self.value != self.base)

    def says(self, value: Any) -> str:
        """Return the sentence of a value, its own or the base's."""
        if value is None:
            return say("own-rulebook.open")
        return "" if self.control.problem(value) else self.control.meaning(value)

    @property
    def number(self) -> int | str:
        """Return the value if it is a number, for a control that also takes a word."""
        return self.value if isinstance(self.value, int) and not isinstance(self.value, bool) else ""

    @property
    def typed(self) -> str:
        """Return the value as the text of a field."""
        if self.value is None or isinstance(self.value, Mapping):
            return ""
        if isinstance(self.value, bool):
            return "yes" if self.value else "no"
        return ", ".join(map(str, self.value)) if isinstance(self.value, list | tuple) else str(self.value)


Questions = Sequence[tuple[str, Sequence[ControlView]]]
"""The controls that settle each question, with its text; without one where their labels are enough."""


@dataclass(frozen=True)
class RulebookFormView:
    """The form of an own rulebook: decides which controls to show, under which topic, with which value and errors."""

    base: Rulebook
    values: Mapping[str, Mapping[str, Any]]
    """what was typed or saved, by clause and setting; the base's where it is missing"""
    problems: Sequence[Problem] = ()
    warnings: Sequence[Problem] = ()

    @cached_property
    def errors(self) -> Mapping[str, Sequence[str]]:
        """Return the problems by field."""
        return _by_field(self.problems)

    @cached_property
    def warned(self) -> Mapping[str, Sequence[str]]:
        """Return the warnings by field."""
        return _by_field(self.warnings)

    @property
    def first(self) -> list[ControlView]:
        """Return the controls that tables change most."""
        views = [self._view(control) for control in most_changed()]
        of_box = [self._view(controls()[clause][FACE_POINTS.name]) for clause in ("points-actions", "points-wild")]
        return [view for view in views if view.said or self._asks(view)] + [view for view in of_box if view.said]

    @cached_property
    def topics(self) -> list[tuple[str, Questions]]:
        """Return the other controls, by topic and question."""
        first = {view.control.id for view in self.first}
        by_topic: dict[str, dict[str, list[ControlView]]] = {topic: {} for topic in TOPICS}
        for clause, offered in controls().items():
            views = [self._view(control) for control in offered.values() if control.id not in first]
            shown = [view for view in views if view.said or (view.offered and self._asks(view))]
            if shown:
                by_topic[library.every_question()[clause].topic][clause] = shown
        return [(say(f"topic.{id}"), _questions(clauses)) for id, clauses in by_topic.items() if clauses]

    def _asks(self, view: ControlView) -> bool:
        """Return whether to show a control without a value: the box has its card, and no house rule switches it."""
        face, clause = required_face(view.control), view.control.clause
        switched = any(
            each.id == clause and view.control.name in each.settings
            for rule in self.base.house_rules.values()
            for each in rule.clauses
        )
        return (not face or face in self._faces) and not (switched and view.control.kind == "yes-no")

    @cached_property
    def _faces(self) -> frozenset[str]:
        chosen = self.values.get(DECK.question, {}).get(DECK.name)
        deck_id = chosen if isinstance(chosen, str) and chosen in decks() else self.base.deck.id
        return frozenset(face for deck in decks_in_same_box(deck_id) for face in deck.faces)

    @property
    def placed(self) -> list[dict[str, str]]:
        """Return the problems, else the warnings, each with the id of its field."""
        problems = self.problems or self.warnings
        return [{"message": problem.message, "id": _element(_field_of(problem))} for problem in problems]

    def _view(self, control: Control) -> ControlView:
        settings = self.base.clauses[control.clause].settings if control.clause in self.base.clauses else {}
        base = settings.get(control.name)
        value = self.values.get(control.clause, {}).get(control.name, base)
        errors, warnings = self.errors.get(control.id, ()), self.warned.get(control.id, ())
        return ControlView(control, value, base, errors, warnings, self._parts(control, value, base))

    def _prices(self, control: Control, face: str) -> bool:
        """Return whether a control sets a face's points: the clause that has them, else one clause for all others."""
        place = next((clause for clause, held in self._priced.items() if face in held), control.setting.question)
        return control.clause == place

    @cached_property
    def _priced(self) -> Mapping[str, set[str]]:
        """Return the faces whose points each clause sets itself, by clause."""
        faces: dict[str, set[str]] = {}
        for clause in sorted(FACE_POINTS.carriers):
            settings = self.base.clauses[clause].settings if clause in self.base.clauses else {}
            for given in (settings, self.values.get(clause, {})):
                points = given.get(FACE_POINTS.name)
                faces.setdefault(clause, set()).update(points if isinstance(points, Mapping) else ())
        return faces

    def _parts(self, control: Control, value: Any, base: Any) -> list[tuple[str, str, Any]]:
        now = value if isinstance(value, Mapping) else {}
        if control.kind == "by-face":
            faces = [face for face in Terms.agree(self.base).full_deck.faces if self._prices(control, face)]
            return [(f"{face}", face.label, now.get(f"{face}", "")) for face in faces]
        given = [each for each in (value, base) if isinstance(each, Mapping)]
        if control.kind != "by-players" or not given:
            return []
        sizes = [f"{n}" for n in TABLE_SIZES if any(f"{n}" in each for each in given)]
        return [(n, say("own-rulebook.players", n=int(n)), now.get(n, "")) for n in sizes]


def _questions(by_clause: Mapping[str, Sequence[ControlView]]) -> Questions:
    """Group the controls of a topic by question; the question is a title only where labels are ambiguous."""
    labels = [view.control.label for views in by_clause.values() for view in views]
    alike = len(set(labels)) < len(labels) or any(map(card_of, by_clause))
    asked = library.every_question()
    return [(asked[clause].text if alike else "", views) for clause, views in by_clause.items()]


def asked(warnings: Iterable[Problem]) -> str:
    """Return the fields of warnings, by which saving knows what was warned about; another warning is shown anew."""
    return " ".join(problem.field for problem in warnings)


def _by_field(problems: Iterable[Problem]) -> Mapping[str, Sequence[str]]:
    messages: dict[str, list[str]] = {}
    for problem in problems:
        messages.setdefault(_field_of(problem), []).append(problem.message)
    return messages


def _field_of(problem: Problem) -> str:
    """Return the id of the control that a problem is about, else the part of the form."""
    head = str(problem.path[0])
    return ".".join(map(str, problem.path[1:3])) if head == "changes" else head


def _element(field: str) -> str:
    """Return the id of a field's element: a control has a short one."""
    return f"c{_places()[field]}" if field in _places() else field


def _every_control() -> Iterator[Control]:
    return (control for of_clause in controls().values() for control in of_clause.values())


@cache
def _places() -> dict[str, int]:
    """Number the controls, by their ids."""
    return {control.id: place for place, control in enumerate(_every_control())}


@cached_by_language
def sentences() -> bytes:
    """Return the sentences of each setting as JSON, by control id; the page itself has only those of open sections."""
    return json.dumps({control.id: dict(control.sentences) for control in _every_control()}).encode()


@cached_by_language
def sentences_version() -> str:
    """Return a digest of the sentences, for their address."""
    return hashlib.sha256(sentences()).hexdigest()[:12]
