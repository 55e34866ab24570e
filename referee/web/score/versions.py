"""The versions of a round, worded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask import url_for

from referee.records.models import Match, Round
from referee.records.round_views import VersionView
from referee.records.seating import Seating
from referee.web.score import summaries
from referee.web.server import local_time
from referee.web.words import say


@dataclass(frozen=True)
class VersionLine:
    """One version of a round, worded."""

    title: str
    when: str
    by: str
    text: str
    bring_back: str
    brings: str
    """points by player that bringing it back adds, as JSON, for a phone without a connection"""


def bring_back_address(match: Match, played: Round, number: int) -> str:
    """Give the address that makes a version of a round count again."""
    return url_for("score.bring_back", match_id=match.id, round_id=played.id, number=number)


def played_as(version: VersionView) -> str:
    """Say how a round was played, as one of its versions has it."""
    return summaries.round_played(version.entry)


def lines_of(match: Match, played: Round, versions: Sequence[VersionView], seating: Seating) -> list[VersionLine]:
    """Word every version of a round, oldest first."""
    latest = versions[-1].points
    return [
        _line(
            version,
            versions[index - 1] if index else None,
            "" if version is versions[-1] or played.struck else bring_back_address(match, played, version.version),
            brings(seating, {name: version.points.get(name, 0) - points for name, points in latest.items()}),
        )
        for index, version in enumerate(versions)
    ]


def _line(version: VersionView, before: VersionView | None, bring_back: str, brings: str) -> VersionLine:
    points = ", ".join(f"{name} {points}" for name, points in version.points.items())
    return VersionLine(
        title=summaries.version_title(version.struck, before.struck if before else None),
        when=local_time.minute(version.entered_at),
        by=version.entered_by or "",
        text=f"{played_as(version)} {say('played.points', points=points)}",
        bring_back=bring_back,
        brings=brings,
    )


def brings(seating: Seating, points: Mapping[str, int]) -> str:
    """Write points by name as JSON by the ids of players, as a phone adds them up."""
    return json.dumps({seat.player_id: points[seat.name] for seat in seating.seats if seat.name in points})


def striking(
    match: Match, played: Round, versions: Sequence[VersionView], seating: Seating, number: int | None
) -> dict[str, object]:
    """Say for the round's page whether it is struck, and what changing that brings."""
    endpoint, sign = ("score.restore", 1) if played.struck else ("score.strike", -1)
    points = versions[-1].points
    return {
        "struck": played.struck,
        "strike_address": url_for(endpoint, match_id=match.id, round_id=played.id),
        "match_id": match.id,
        "match_title": summaries.title_of(match, [seat.name for seat in seating.here]),
        "round_id": played.id,
        "strike_title": say("waits.restore") if number is None else say("waits.strike", round=number),
        "revert_title": say("waits.revert-struck") if number is None else say("waits.revert", round=number),
        "played_as": played_as(versions[-1]),
        "strike_brings": brings(seating, {name: sign * worth for name, worth in points.items()}),
    }
