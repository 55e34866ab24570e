"""What is said of an import: how much of it is new, and what is wrong with a file."""

from __future__ import annotations

from referee.rules.problem import Problem
from referee.web.words import say


def imported(matches: int, known: int, deleted: int) -> list[str]:
    """Word how many matches were imported, and how many weren't: they are here already, or were deleted here."""
    sentences = [say("import.matches", n=matches)]
    if known:
        sentences.append(say("import.known", n=known))
    if deleted:
        sentences.append(say("import.deleted", n=deleted))
    return sentences


def problem_in_file(problem: Problem) -> str:
    """Word what is wrong, and where in the file."""
    in_form = problem.field in ("file", "table")
    return problem.message if in_form else say("import.at", where=problem.field.capitalize(), problem=problem.message)
