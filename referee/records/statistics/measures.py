"""The kinds of values that statistics have, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.records.models import Scale


@dataclass(frozen=True, slots=True)
class Fraction:
    """So many of so many."""

    part: int
    whole: int

    @property
    def percent(self) -> float | None:
        """Give the share in percent; None of nothing."""
        return 100 * self.part / self.whole if self.whole else None


@dataclass(frozen=True, slots=True)
class Run:
    """Matches in a row that ended alike: `won` or not."""

    won: bool
    matches: int


@dataclass(frozen=True, slots=True)
class Opponents:
    """The opponents, by id, with the highest share; several when nothing parts them."""

    ids: tuple[str, ...]
    share: Fraction


PerScale = Mapping[Scale, float]
Value = int | Fraction | Run | Opponents | PerScale | Mapping[str, int] | None


def to_json(value: Value) -> Any:
    """Write a statistic's value as JSON; shares as `{"part", "whole"}`, points by scale."""
    if isinstance(value, Fraction):
        return {"part": value.part, "whole": value.whole}
    if isinstance(value, Run):
        return {"won": value.won, "matches": value.matches}
    if isinstance(value, Opponents):
        return {"players": list(value.ids), "share": to_json(value.share)}
    return dict(value) if isinstance(value, Mapping) else value
