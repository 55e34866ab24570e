"""Take a name out of what was written: out of texts as a word of its own, and out of values that are nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from referee.rules.ruling import Role

NO_TEXT = frozenset(
    {"action", "at", "by", "cite", "clause", "count", "deck", "digest", "house_rules", "kind", "player_id", "quote"}
    | {"replaces", "role", "rulebook", "status", "verdict"}
)
"""Keys in stored JSON under which no player is ever named."""
_ROLES = frozenset(map(str, Role))


def without_names(value: Any, names: Collection[str], stand_in: str) -> Any:
    """Give a text or a JSON value in which `stand_in` stands for each of the names.

    Upper and lower case count, so that somebody called Rose costs no flower.
    """
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(names, key=len, reverse=True)))

    def said(value: Any) -> Any:
        if isinstance(value, str):
            if value in names:
                return value if value in _ROLES else stand_in
            return pattern.sub(stand_in, value) if " " in value else value
        if isinstance(value, Mapping):
            return {_key(key): part if key in NO_TEXT else said(part) for key, part in value.items()}
        return list(map(said, value)) if isinstance(value, list) else value

    def _key(key: str) -> str:
        return stand_in if key in names and key not in _ROLES else key

    return pattern.sub(stand_in, value) if isinstance(value, str) else said(value)
