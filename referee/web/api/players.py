"""The players of a club."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response

from referee.records import players
from referee.records.models import Player
from referee.rules.problem import Impossible, Problem
from referee.web.api.endpoint import Resource
from referee.web.api.schemas import MergeRequest, PlayerChange, PlayerDocument, PlayerRequest, PlayersDocument
from referee.web.club.player_file import player_file
from referee.web.server import guards
from referee.web.server.extensions import db
from referee.web.words import say

resource = Resource("players")


@resource.endpoint("GET", "/players", access="reader", answer=PlayersDocument)
def list_players() -> Mapping[str, Any]:
    """List the club's players by name."""
    found = players.list_players(guards.records(), guards.get_club())
    return {"players": [_player_document(player) for player in found]}


@resource.endpoint("POST", "/players", access="scorekeeper", body=PlayerRequest, answer=PlayerDocument, status=201)
def add_player(body: PlayerRequest) -> Mapping[str, Any]:
    """Add a player to the club."""
    return _saved(players.add_player(guards.records(), guards.get_club(write=True), body.name))


@resource.endpoint("PATCH", "/players/<player_id>", access="scorekeeper", body=PlayerChange, answer=PlayerDocument)
def change_player(player_id: str, body: PlayerChange) -> Mapping[str, Any]:
    """Rename a player, or set whether they are active."""
    player = guards.get_player(player_id, write=True)
    players.change_player(guards.records(), guards.get_club(write=True), player, body.name, body.active)
    return _saved(player)


@resource.endpoint(
    "POST", "/players/<player_id>/merge", access="scorekeeper", body=MergeRequest, answer=PlayerDocument
)
def merge_players(player_id: str, body: MergeRequest) -> Mapping[str, Any]:
    """Merge this player into another; answers with the other."""
    player = guards.get_player(player_id, write=True)
    into = players.find_player(guards.records(), player.club_id, body.into, "into")
    if into is None:
        raise Impossible([Problem("into", say("request.merge-into"))])
    players.merge_players(guards.records(), guards.get_club(write=True), player, into)
    return _saved(into)


@resource.endpoint("GET", "/players/<player_id>/export", access="reader")
def export_player(player_id: str) -> Response:
    """Give everything about a player as one document: names, phones, matches with rounds, results and rulings."""
    return player_file(guards.get_player(player_id))


def _saved(player: Player) -> dict[str, Any]:
    document = _player_document(player)
    db.session.commit()
    return document


def _player_document(player: Player) -> dict[str, Any]:
    return {"id": player.id, "name": player.name, "active": player.active}
