"""Read the form of an own rulebook, a field for each control, into the document that the rules check."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from werkzeug.datastructures import MultiDict

from referee.rules.books.controls import Control, controls
from referee.rules.books.rulebook import Rulebook
from referee.rules.own.rulebook import MOST_RULES, OwnRulebook
from referee.web.page.fields import in_form, lines_over

LONGEST_VALUE = 200
"""Characters read of a control's field."""
MOST_PARTS = 60
"""Numbers of one control: one for each face of a deck, or each number of players."""
LONGEST_RULES = 80_000
"""Characters of the rules in the table's own words."""
_NUMBER = re.compile(r"\d{1,9}")

Fields = MultiDict[str, str]


def read_fields(form: Fields, base: Rulebook, before: OwnRulebook | None = None) -> dict[str, Any]:
    """Return the document of a form; `before` is the saved rulebook, for what the form doesn't show."""
    changes: dict[str, dict[str, object]] = {}
    for clause, offered in controls().items():
        settings = base.clauses[clause].settings if clause in base.clauses else {}
        for name, control in offered.items():
            if f"c.{control.id}" in form:
                given = _value(form, control)
                if given not in (None, []) or name in settings:
                    changes.setdefault(clause, {})[name] = given
    known = {rule.text: rule.to_document() for rule in before.clauses} if before else {}
    lines = form.get("clauses", "")[:LONGEST_RULES].splitlines()[: MOST_RULES * 2]
    typed = lines_over(lines, [rule.text for rule in before.clauses] if before else ())
    return {
        "title": form.get("title", ""),
        "base": base.id,
        "changes": changes,
        "clauses": [known.get(line.strip(), line.strip()) for line in typed if line.strip()],
        "house_rules": form.getlist("house_rules")[: len(base.house_rules) + 1],
        "without": form.getlist("without")[: len(base.clauses) + 1],
    }


def _value(form: Fields, control: Control) -> object:
    """Return the value chosen; None where nothing is."""
    key = f"c.{control.id}"
    text = form[key][:LONGEST_VALUE].strip()
    if control.kind == "several":
        return [choice.value for choice in control.choices if choice.value in form.getlist(f"{key}.on")]
    if control.kind == "numbers":
        return [_number(part) for part in re.split(r"[\s,;]+", text) if part]
    if control.kind in ("by-players", "by-face") and not text:
        parts = (name.removeprefix(f"{key}.") for name in form if name.startswith(f"{key}."))
        each = {part: form[f"{key}.{part}"][:LONGEST_VALUE].strip() for part in islice(parts, MOST_PARTS)}
        return {part: _number(typed) for part, typed in each.items() if typed} or None
    if control.kind == "number-or-word":
        return _number(form.get(f"{key}.n", "")[:LONGEST_VALUE].strip()) if text == "number" else text or None
    if not text:
        return None
    if control.kind == "yes-no":
        return {"yes": True, "no": False}.get(text, text)
    return text if control.kind == "one-of" else _number(text)


def _number(text: str) -> int | str:
    plain = text.replace(",", "").replace("\u00a0", "")
    return int(plain) if plain.isascii() and _NUMBER.fullmatch(plain) else text


def rules_of(document: Mapping[str, Any]) -> str:
    """Return the rules of a document in the table's own words, one a line."""
    rules = (in_form(rule if isinstance(rule, str) else rule["text"]) for rule in document.get("clauses") or ())
    return "\n".join(" ".join(rule.split()) for rule in rules if rule)
