"""The versions of a round, worded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import url_for

from referee.records.models import Match, Round
from referee.records.rounds import VersionView
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


def bring_back_address(match: Match, played: Round, number: int) -> str:
    """Give the address that makes a version of a round count again."""
    return url_for("score.bring_back", match_id=match.id, round_id=played.id, number=number)


def played_as(version: VersionView) -> str:
    """Say how a round was played, as one of its versions has it."""
    return summaries.round_played(version.entry)


def lines_of(match: Match, played: Round, versions: Sequence[VersionView]) -> list[VersionLine]:
    """Word every version of a round, oldest first."""
    return [
        _line(
            version,
            versions[index - 1] if index else None,
            "" if version is versions[-1] or played.struck else bring_back_address(match, played, version.version),
        )
        for index, version in enumerate(versions)
    ]


def _line(version: VersionView, before: VersionView | None, bring_back: str) -> VersionLine:
    points = ", ".join(f"{name} {points}" for name, points in version.points.items())
    return VersionLine(
        title=summaries.version_title(version.struck, before.struck if before else None),
        when=local_time.minute(version.entered_at),
        by=version.entered_by or "",
        text=f"{played_as(version)} {say('played.points', points=points)}",
        bring_back=bring_back,
    )


def striking(match: Match, played: Round | None) -> dict[str, object]:
    """Say for the round's page whether it is struck, and where that is changed; nothing for a round to come."""
    if played is None:
        return {}
    endpoint = "score.restore" if played.struck else "score.strike"
    return {"struck": played.struck, "strike_address": url_for(endpoint, match_id=match.id, round_id=played.id)}
