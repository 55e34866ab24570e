"""A table's own rulebook: one of the published ones, with settings changed and rules of the table's own.

It is written down as a plain document: ``title``, ``base`` (a published rulebook's id), ``changes`` (by clause, the
settings played differently; null leaves a thing open), ``clauses`` (rules in the table's own words),
``house_rules`` (those in force) and ``without`` (clauses of the base that the table leaves out). Whoever wrote it, it
is data: reading it says everything that is wrong with it. As a TOML file it is written for people to
edit, and read back with the line of every problem.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from referee.rules.books import library
from referee.rules.books.controls import Control, controls
from referee.rules.books.rulebook import TOPICS, Clause, Rulebook, frozen
from referee.rules.own.warnings import Against, contradictions, warnings
from referee.rules.text.problem import Impossible, Path, Problem, is_visible, marks_problem
from referee.rules.text.words import ENGLISH, RuleText, say, speaking

TOPIC = "house-rules"
"""Where a rule of the table's own stands unless it says otherwise."""
UNTITLED = "Rule {n}"
"""What is frozen as the title of one without: no sentence of a catalogue, so that rewording that loses none."""


@dataclass(frozen=True, slots=True)
class OwnClause:
    """A rule in the table's own words."""

    text: str
    title: str = ""
    topic: str = TOPIC

    def to_document(self) -> str | dict[str, str]:
        """Write the rule: its text alone where it has nothing else."""
        rest = {"title": self.title} if self.title else {}
        rest |= {"topic": self.topic} if self.topic != TOPIC else {}
        return rest | {"text": self.text} if rest else self.text


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that a table plays differently, as the base says it and as the table does; None where that is open."""

    clause: str
    base: Clause | None
    own: Clause | None


def changed_clause(base: Clause | None, id: str, settings: Mapping[str, object]) -> Clause | None:
    """Return a clause as the table plays it; None where it settles nothing any more."""
    offered = controls()[id]
    settled = dict(base.settings) if base else {}
    kept = {name: value for name, value in (settled | dict(settings)).items() if value is not None}
    if not kept:
        return None
    question = library.every_question()[id]
    return Clause(
        id=id,
        topic=question.topic,
        title=next(offered[name].label for name in offered if name in settings),
        text=_said(offered, kept),
        cite=say("own.cite"),
        settings=MappingProxyType(kept),
        replaces=base,
    )


def _said(offered: Mapping[str, Control], settings: Mapping[str, object]) -> str:
    return " ".join(offered[name].meaning(settings[name]) for name in offered if name in settings)


def as_read(rulebook: Rulebook) -> Rulebook:
    """Return any rulebook in the language spoken: published, frozen, or a table's own, worded from its settings."""
    spoken = library.in_language(rulebook)
    known = library.published().get(rulebook.base)
    if spoken is rulebook or known is None:
        return spoken
    book = spoken.without_house_rules()
    clauses = {id: _own(clause, known) for id, clause in book.clauses.items()}
    base = library.rulebooks()[known.id]
    count = sum(clauses[id] is not clause for id, clause in book.clauses.items()) + len(spoken.in_force)
    left_out = known.clauses.keys() - clauses.keys()  # or not in the base yet, so that nobody knows how many
    key = "own.changes-some" if left_out else "own.changes" if count else "own.changes-no"
    return replace(
        book,
        clauses=MappingProxyType(clauses),
        sentence=RuleText(book.sentence, say(key, base=base.title, n=count)),
        source=RuleText(book.source, say("own.source", base=base.title, source=base.source))
        if known.source in book.source
        else book.source,
    ).with_house_rules(spoken.in_force)


def _own(clause: Clause, known: Rulebook) -> Clause:
    """Return a clause in the words of the language spoken if it is the table's own.

    One may have come from elsewhere with settings that nothing can be said of: it then says what it came with.
    """
    number = clause.id.removeprefix("own-")
    if number != clause.id:
        numbered = clause.title == UNTITLED.format(n=number)
        title = RuleText(frozen(clause.title), say("own.rule", n=number)) if numbered else frozen(clause.title)
        return replace(clause, title=title, text=frozen(clause.text), cite=RuleText(clause.cite, say("own.cite")))
    if clause.replaces is None and clause.id in known.clauses:
        return clause
    offered = controls().get(clause.id, {})
    before = clause.replaces.settings if clause.replaces else {}
    label = next((offered[n].label for n in offered if clause.settings.get(n) != before.get(n)), None)
    right = all(not offered[name].problem(value) for name, value in clause.settings.items() if name in offered)
    return replace(
        clause,
        title=RuleText(frozen(clause.title), label),
        text=RuleText(frozen(clause.text), (right and _said(offered, clause.settings)) or None),
        cite=RuleText(clause.cite, say("own.cite")),
    )


LONGEST_TITLE = 40
LONGEST_RULE = 1_000
LONGEST_SAID = 40
"""Characters of a wrong id that a problem repeats."""
MOST_RULES = 50
"""Rules in the table's own words."""
MOST_LEFT_OUT = 200
"""Clauses of the base that a table leaves out; no rulebook has more."""
MOST_PROBLEMS = 100
"""Problems that are told at once; a document that has more of them was not written by hand."""
KEYS = ("title", "base", "changes", "clauses", "house_rules", "without")

_SETTLED = (("base",), ("changes",), ("house_rules",), ("without",))
"""Parts that have to be right before anything in them can contradict another."""

Changes = Mapping[str, Mapping[str, object]]
Tidy = Callable[[str, str, int], str]
"""Tidies a text of a field that has at most so many characters; raises `Impossible` for one that nobody could read."""


def keep(text: str, field: str, longest: int) -> str:
    """Return a text without outer blanks; raises `Impossible` where marks are piled up."""
    if problem := marks_problem(text):
        raise Impossible([Problem(field, problem)])
    return text.strip()


@dataclass(frozen=True)
class OwnRulebook:
    """What a table plays differently from a published rulebook, checked as a whole."""

    title: str
    base: Rulebook
    changes: Changes
    clauses: tuple[OwnClause, ...] = ()
    house_rules: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @classmethod
    def read(cls, document: object, tidy: Tidy = keep) -> OwnRulebook:
        """Read a document; raises `Impossible` with every problem, each naming its field."""
        reader = _Reader(tidy)
        own = reader.read(document)
        if reader.problems or own is None:
            raise Impossible(reader.problems)
        return own

    def to_document(self) -> dict[str, Any]:
        """Write the document, which `read` takes back."""
        without = {"without": list(self.without)} if self.without else {}
        return without | {
            "title": self.title,
            "base": self.base.id,
            "changes": {clause: dict(settings) for clause, settings in self.changes.items()},
            "clauses": [clause.to_document() for clause in self.clauses],
            "house_rules": list(self.house_rules),
        }

    def rulebook(self, id: str = "") -> Rulebook:
        """Return the rules as a rulebook of this id, the house rules in force."""
        return replace(self._rulebook, id=id)

    @cached_property
    def _rulebook(self) -> Rulebook:
        return as_read(self._frozen)

    @cached_property
    def _frozen(self) -> Rulebook:
        """Return the rules as a match freezes them: in English, whoever asks."""
        with speaking(ENGLISH):
            return self._made(library.published()[self.base.id])

    def _made(self, base: Rulebook) -> Rulebook:
        clauses = dict(base.clauses)
        for id, settings in self.changes.items():
            clause = changed_clause(base.clauses.get(id), id, settings)
            if clause is None:
                clauses.pop(id, None)
            else:
                clauses[id] = clause
        for id in self.without:
            clauses.pop(id, None)
        for place, rule in enumerate(self.clauses, 1):
            title = rule.title or UNTITLED.format(n=place)
            clauses[f"own-{place}"] = Clause(f"own-{place}", rule.topic, title, rule.text, cite=say("own.cite"))
        count = len(self.changes) + len(self.clauses) + len(self.house_rules) + len(self.without)
        own = replace(
            base,
            title=self.title,
            sentence=say("own.changes" if count else "own.changes-no", base=base.title, n=count),
            source=say("own.source", base=base.title, source=base.source),
            clauses=MappingProxyType(clauses),
            base=base.id,
            in_short="",
            settles=0,
        )
        return own.with_house_rules(self.house_rules)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """List what the table should look at again; none of it keeps the rulebook from being played."""
        return tuple(
            warnings(Against(self._rulebook, self.changes, self.house_rules), [rule.text for rule in self.clauses])
        )

    @cached_property
    def differs(self) -> tuple[Difference, ...]:
        """List what is played differently, in the order of the rulebook, the table's own words last."""
        frozen, base = self._frozen.clauses, library.published()[self.base.id].clauses
        changed = [id for id, clause in base.items() if frozen.get(id) is not clause]
        added = [id for id in frozen if id not in base]
        own = self._rulebook.clauses
        return tuple(Difference(id, self.base.clauses.get(id), own.get(id)) for id in (*changed, *added))


class _Reader:
    """Reads a document part by part, collecting every problem."""

    def __init__(self, tidy: Tidy) -> None:
        self.problems: list[Problem] = []
        self.tidy = tidy

    def read(self, document: object) -> OwnRulebook | None:
        if not isinstance(document, Mapping):
            self.problem((), "not-a-table")
            return None
        for key in document:
            if key not in KEYS:
                self.problem((_short(key),), "unknown-key", word=_short(key), known=", ".join(KEYS))
        title = self.title(document.get("title"))
        base = self.base(document.get("base"))
        changes = self.changes(document.get("changes"), base)
        clauses = tuple(self.clauses(document.get("clauses")))
        house_rules = self.house_rules(document.get("house_rules"), base)
        without = tuple(self.without(document.get("without"), base))
        settled = not any(problem.path[:1] in _SETTLED for problem in self.problems)
        if base is None or not settled:
            return None
        own = OwnRulebook(title, base, changes, clauses, house_rules, without)
        self.problems += contradictions(own.rulebook(), changes, house_rules)
        return own

    def problem(self, path: tuple[str | int, ...], what: str, **places: object) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(path, say(f"own.{what}", **places)))

    def text(self, value: object, path: tuple[str | int, ...], longest: int, empty: str, long: str) -> str:
        """Read a text that may not be empty; nothing is looked at before its length."""
        if not isinstance(value, str):
            self.problem(path, "not-a-text" if value is not None else empty)
        elif len(value) > longest:
            self.problem(path, long, n=len(value), most=longest)
        elif not is_visible(value):
            self.problem(path, empty)
        else:
            try:
                return self.tidy(value, "", longest)
            except Impossible as error:
                self.problems += [Problem(path, each.message) for each in error.problems]
        return ""

    def title(self, value: object) -> str:
        return self.text(value, ("title",), LONGEST_TITLE, "title-missing", "title-too-long")

    def base(self, value: object) -> Rulebook | None:
        base = library.rulebooks().get(value) if isinstance(value, str) else None
        if base is None:
            id = _short(value) if isinstance(value, str) else ""
            self.problem(("base",), "base-unknown", id=id, known=", ".join(library.rulebooks()))
        return base

    def changes(self, value: object, base: Rulebook | None) -> Changes:
        by_clause = {}
        for id, settings in self.table(value, ("changes",)):
            path = ("changes", _short(id))
            if id not in controls():
                known = id in library.every_question()
                self.problem(path, "clause-settles-nothing" if known else "clause-unknown", id=_short(id))
                continue
            before = base.clauses[id].settings if base and id in base.clauses else {}
            given = {name: choice for name, choice in self.settings(id, settings) if choice != before.get(name)}
            if given:
                by_clause[id] = MappingProxyType(given)
        order = [id for id in controls() if id in by_clause]
        return MappingProxyType({id: by_clause[id] for id in order})

    def settings(self, clause: str, value: object) -> Iterator[tuple[str, object]]:
        offered = controls()[clause]
        for name, given in self.table(value, ("changes", clause)):
            path = ("changes", clause, _short(name))
            control = offered.get(name)
            if control is None:
                self.problem(path, "setting-unknown", clause=clause, id=_short(name), known=", ".join(offered))
            elif given is not None and (wrong := control.problem(given)):
                self.problems.append(Problem(path, wrong))
            else:
                yield name, None if given is None else _plain(control, given)

    def clauses(self, value: object) -> Iterator[OwnClause]:
        for place, given in enumerate(self.list(value, "clauses", MOST_RULES, "clauses-too-many")):
            path = ("clauses", place)
            parts = {"text": given} if isinstance(given, str) else given
            if not isinstance(parts, Mapping):
                self.problem(path, "not-a-text")
                continue
            for key in parts.keys() - {"title", "text", "topic"}:
                self.problem((*path, _short(key)), "unknown-key", word=_short(key), known="title, text, topic")
            title, topic = parts.get("title", ""), parts.get("topic", TOPIC)
            if title != "":
                title = self.text(title, (*path, "title"), LONGEST_TITLE, "title-missing", "title-too-long")
            if topic not in TOPICS:
                self.problem((*path, "topic"), "topic-unknown", known=", ".join(TOPICS))
                topic = TOPIC
            where = path if isinstance(given, str) else (*path, "text")
            text = self.text(parts.get("text"), where, LONGEST_RULE, "clause-empty", "clause-too-long")
            yield OwnClause(text, title, topic)

    def house_rules(self, value: object, base: Rulebook | None) -> tuple[str, ...]:
        given = self.list(value, "house_rules", len(library.house_rules()), "rules-too-many")
        ids = [id for id in given if isinstance(id, str)]
        if len(ids) < len(given):
            self.problem(("house_rules",), "not-a-text")
        try:
            if base is not None:
                base.with_house_rules(ids)
        except Impossible as error:
            self.problems += error.problems
        return tuple(ids)

    def without(self, value: object, base: Rulebook | None) -> Iterator[str]:
        for place, id in enumerate(self.list(value, "without", MOST_LEFT_OUT, "without-too-many")):
            if not isinstance(id, str) or (base is not None and id not in base.clauses):
                self.problem(("without", place), "clause-not-in-base", id=_short(id), base=base.title if base else "")
            yield str(id)

    def table(self, value: object, path: tuple[str, ...]) -> Iterator[tuple[str, object]]:
        if value is None:
            return
        if not isinstance(value, Mapping):
            self.problem(path, "not-an-object")
            return
        yield from ((str(key), part) for key, part in value.items())

    def list(self, value: object, key: str, most: int, too_many: str) -> Sequence[object]:
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            self.problem((key,), "not-a-list")
            return ()
        if len(value) > most:
            self.problem((key,), too_many, n=len(value), most=most)
            return ()
        return value


def _plain(control: Control, value: Any) -> object:
    """Write a value as JSON has it, in one way only."""
    parsed = control.setting.parse(value)
    if isinstance(parsed, Mapping):
        return {str(players): number for players, number in sorted(parsed.items())}
    if control.kind == "several":
        return [choice.value for choice in control.choices if choice.value in parsed]
    return list(parsed) if isinstance(parsed, tuple) else parsed


def _short(id: object) -> str:
    return str(id)[:LONGEST_SAID]


LONGEST_FILE = 100_000
"""Bytes of a file, and of the document of a rulebook."""
MOST_DOTS = 100
"""Dots between two signs that part keys or values: reading ``a.b.c`` takes time with the square of its length."""


def write_file(own: OwnRulebook) -> str:
    """Return a rulebook as TOML, which `read_file` reads."""
    return "\n".join(_lines(own.to_document())) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for key in ("title", "base", "house_rules"):
        yield f"{key} = {_value(document[key])}"
    if "without" in document:
        yield f"without = {_value(document['without'])}"
    for clause, settings in document["changes"].items():
        given = {name: value for name, value in settings.items() if value is not None}
        yield from ("", f"[changes.{clause}]")
        yield from (f"{name} = {_value(value)}" for name, value in given.items())
        if len(given) < len(settings):
            yield f"open = {_value([name for name in settings if name not in given])}"
    for rule in document["clauses"]:
        parts = {"text": rule} if isinstance(rule, str) else rule
        yield from ("", "[[clauses]]")
        yield from (f"{key} = {_value(value)}" for key, value in parts.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_file(text: str, tidy: Tidy = keep) -> OwnRulebook:
    """Return the rulebook that a TOML text holds; raise `Impossible` with every problem and its line."""
    if len(text.encode("utf-8", "surrogatepass")) > LONGEST_FILE:
        raise Impossible([Problem("file", say("own.file-too-long", most=f"{LONGEST_FILE // 1000}"))])
    if any(part.count(".") > MOST_DOTS for part in re.split(r"[=,{}\[\]\n]", text)):
        raise Impossible([Problem("file", say("own.file-too-deep"))])
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise Impossible([Problem("file", say("own.file-too-deep"))]) from None
    except ValueError as error:  # ValueError also for a number of 5,000 digits
        line = re.search(r"\(at line (\d+),", str(error))  # tomllib tells the place in its sentence only
        why = say("own.file-unreadable")
        raise Impossible([Problem("file", say("own.at-line", line=line[1], problem=why) if line else why)]) from None
    try:
        return OwnRulebook.read(_with_open(document), tidy)
    except Impossible as error:
        raise Impossible(_at_lines(error.problems, text)) from None


def _with_open(document: dict[str, Any]) -> dict[str, Any]:
    """Turn ``open = ["target"]`` into null settings, since TOML has no null."""
    changes = document.get("changes")
    if not isinstance(changes, dict):
        return document
    read: dict[str, Any] = {}
    for clause, settings in changes.items():
        left = settings.get("open") if isinstance(settings, dict) else None
        if isinstance(left, list):
            given = {name: value for name, value in settings.items() if name != "open"}
            settings = given | {name: None for name in left if isinstance(name, str)}
        read[clause] = settings
    return document | {"changes": read}


def _at_lines(problems: Iterable[Problem], text: str) -> list[Problem]:
    lines = _lines_of(text)
    placed = []
    for problem in problems:
        ways = (problem.path[:length] for length in range(len(problem.path), 0, -1))
        line = next((lines[way] for way in ways if way in lines), None)
        told = problem.message if line is None else say("own.at-line", line=line, problem=problem.message)
        placed.append(Problem(problem.path, told))
    return placed


_HEADER = re.compile(r"\s*(\[\[?)([^\[\]]{1,200})\]")
_KEY = re.compile(r"\s*([^=#\[]{1,200})=")


def _lines_of(text: str) -> dict[Path, int]:
    """Return the line of each key and table; a part of a value has the line of its key."""
    lines: dict[Path, int] = {}
    table: Path = ()
    counts: dict[Path, int] = {}
    within = False
    for number, line in enumerate(text.splitlines(), 1):
        if not within and (header := _HEADER.match(line)):
            table = _keys(header[2])
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            lines.setdefault(table, number)
        elif not within and (key := _KEY.match(line)):
            lines.setdefault((*table, *_keys(key[1])), number)
        if (line.count('"""') + line.count("'''")) % 2:
            within = not within
    return lines


def _keys(dotted: str) -> Path:
    return tuple(key.strip().strip("\"'") for key in dotted.split("."))
