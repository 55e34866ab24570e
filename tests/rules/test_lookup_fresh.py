"""Questions that nothing was tuned on, under every rulebook: its clause answers, or nothing does."""

from __future__ import annotations

import tomllib
from pathlib import Path

from referee.rules.library import get_rulebook
from referee.rules.lookup import look_up

ASKED: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("lookup_fresh.toml").read_text("utf-8"))


def test_fresh_questions_are_answered_by_their_clause_or_not_at_all() -> None:
    missed, falsely = [], []
    answerable = others = 0
    for box, asked in ASKED.items():
        rulebook = get_rulebook(box)
        for query, ids in asked.items():
            wanted = {id for id in ids.split("|") if id in rulebook.clauses}
            found = look_up(query, rulebook)
            answerable, others = answerable + bool(wanted), others + (not wanted)
            shown = {hit.question.id for hit in found.hits[:3]}
            if wanted and not (found.answered and wanted & shown):
                missed.append((box, query, ids, found.answered, shown))
            elif not wanted and found.answered:
                falsely.append((box, query, ids, shown))
    print(f"{answerable - len(missed)} of {answerable} answered, {others - len(falsely)} of {others} refused")  # noqa: T201
    assert answerable >= 50
    assert 1 - len(missed) / answerable >= 0.72, missed  # reached when first asked; 0.95 is wanted
    assert len(falsely) <= 0.1 * others, falsely
