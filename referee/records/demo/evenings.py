"""What is played in the demo season, as `evenings.toml` beside this file says it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from referee.records.models import DETAILS


@dataclass(frozen=True)
class Evening:
    """One match to be played; `days` before the season's last evening, and the hour at which it begins."""

    days: int
    rulebook: str
    players: Sequence[str]
    hour: int = 19
    house_rules: Sequence[str] = ()
    target: int | None = None
    details: Mapping[str, str] = field(default_factory=dict)
    """the key of what is written about the match, by the names in `DETAILS`"""
    again: bool = False
    """a rematch of the evening before"""
    lucky: str = ""
    """who went out far more often than usual"""
    given_up_after: int = 0
    """abandoned after so many rounds"""
    left_at: int = 0
    """left open once someone has so many points"""
    disputes: Mapping[str, str] = field(default_factory=dict)
    """what is argued about, by the round after which"""


@dataclass(frozen=True)
class Argument:
    """A dispute: its id, what was answered, and the roles in it, in the order of seats."""

    dispute: str
    facts: Mapping[str, object]
    roles: Sequence[str]


@dataclass(frozen=True)
class SeasonPlan:
    """The season: the players with how often each goes out compared with the others, and what is played and argued."""

    luck: Mapping[str, float]
    cases: Mapping[str, Argument]
    evenings: Sequence[Evening]
    """oldest first; the last match is still being played"""


@cache
def season_plan() -> SeasonPlan:
    """Read the file, once."""
    document = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return SeasonPlan(
        document["luck"],
        {name: Argument(**case) for name, case in document["cases"].items()},
        [_evening(evening) for evening in document["evenings"]],
    )


def _evening(table: Mapping[str, Any]) -> Evening:
    details = {name: table[name] for name in DETAILS if name in table}
    return Evening(details=details, **{name: value for name, value in table.items() if name not in DETAILS})
