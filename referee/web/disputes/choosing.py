"""The list of disputes, by when they arise: what a page shows to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from referee.rules.disputes import DISPUTES, beside_the_point, name_of_moment
from referee.web.disputes.context import Context, dispute_address


@dataclass(frozen=True)
class DisputeLine:
    """A dispute to choose: `found_by` are words that find it besides what is shown."""

    title: str
    address: str
    hint: str
    found_by: str


def dispute_groups(context: Context | None) -> dict[str, list[dict[str, Any]]]:
    """List the disputes by when they arise, those that arise most often first, without a moment.

    Those of which the rules know nothing stand apart as ``outside``, by the reason why.
    """
    match, rulebook = (context.match, context.rulebook) if context else (None, None)
    players = len(context.seats) or None if context else None
    moments: dict[str, list[DisputeLine]] = {}
    outside: dict[str, list[DisputeLine]] = {}
    for dispute in DISPUTES:
        why = beside_the_point(dispute, rulebook, players) if rulebook else None
        address = dispute_address(dispute.id, match, rulebook.id if rulebook else "")
        heading = dispute.heading(rulebook)
        group = outside.setdefault(why, []) if why else moments.setdefault(name_of_moment(dispute), [])
        group.append(DisputeLine(heading.title, address, heading.lead, dispute.found_by))
    return {
        "groups": [{"moment": moment, "disputes": lines} for moment, lines in moments.items()],
        "outside": [{"why": why, "disputes": outside[why]} for why in ("not-agreed", "silent") if why in outside],
    }
