"""Clubs as large as they may be, as documents that are brought in."""

import copy
import json
from collections.abc import Mapping
from typing import Any

from referee.records.ids import new_id

Document = dict[str, Any]


def with_players(document: Mapping[str, Any], count: int) -> Document:
    """Give a club's document so many players more."""
    larger = copy.deepcopy(dict(document))
    player = larger["players"][0]
    larger["players"] += [player | {"id": new_id(), "name": f"Player {number}"} for number in range(count)]
    return larger


def with_rounds(document: Mapping[str, Any], count: int) -> Document:
    """Give the first match of a club's document so many rounds, all like its first."""
    larger = copy.deepcopy(dict(document))
    match = larger["matches"][0]
    first = json.dumps(match["rounds"][0])
    match["rounds"] = [json.loads(first) | {"id": new_id(), "place": place} for place in range(1, count + 1)]
    return larger


def with_stays(document: Mapping[str, Any], count: int) -> Document:
    """Let the last player of the first match leave and come back so often: one round away, one round here."""
    larger = with_rounds(document, 2 * count)
    seat = larger["matches"][0]["seats"][-1]
    seat["stays"] = [[2 * place + 1, 2 * place + 2] for place in range(count)]
    return larger


def with_matches(document: Mapping[str, Any], count: int) -> Document:
    """Give a club's document so many matches, all like its first."""
    larger = copy.deepcopy(dict(document))
    larger["matches"] = [_like(larger["matches"][0]) for _ in range(count)]
    return larger


def _like(match: Mapping[str, Any]) -> Document:
    made: Document = json.loads(json.dumps(match))
    made["id"] = new_id()
    for kind in ("rounds", "events", "rulings"):
        for one in made[kind]:
            one["id"] = new_id()
    return made
