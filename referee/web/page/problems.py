"""Put problems beside the fields that caused them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from flask_wtf import FlaskForm
from wtforms import FieldList

from referee.rules.problem import Problem


@dataclass(frozen=True)
class Placed:
    """A problem and the id of the control it belongs to; empty when it belongs to the form as a whole."""

    message: str
    id: str


def place(form: FlaskForm, problems: Iterable[Problem], names: Mapping[str, str] | None = None) -> None:
    """Add problems to the errors of the form's fields, those of no field to the form's own.

    `names` maps a problem's field to a form's field where they are called differently.
    """
    for problem in problems:
        head, index = str(problem.path[0]), problem.path[1] if len(problem.path) > 1 else None
        field = form._fields.get((names or {}).get(head, head))
        if isinstance(field, FieldList) and isinstance(index, int) and index < len(field.entries):
            _add(field.entries[index], problem.message)
        elif field is not None:
            _add(field, problem.message)
        else:
            form.form_errors.append(problem.message)


def listed(form: FlaskForm) -> list[Placed]:
    """List all problems of a form in the order of its fields, each with the id of its control."""
    found = [Placed(message, "") for message in form.form_errors]
    for field in form:
        if isinstance(field, FieldList):
            found += [Placed(str(message), entry.id) for entry in field.entries for message in entry.errors]
            messages = [message for message in field.errors if isinstance(message, str)]
        else:
            messages = [str(message) for message in field.errors]
        found += [Placed(message, field.id) for message in messages]
    return found


def own_errors(field: object) -> list[str]:
    """List the errors of a field itself, without those of its entries."""
    return [message for message in getattr(field, "errors", ()) if isinstance(message, str)]


def _add(field: object, message: str) -> None:
    field.errors = [*field.errors, message]  # type: ignore[attr-defined]
