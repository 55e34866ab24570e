"""Everything that a club has about one player, as a file."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Response
from sqlalchemy.orm import Session

from referee.records.models import Club, Player
from referee.records.transfer.of_player import export_player
from referee.web.server import guards
from referee.web.server.files import from_record, stream


def player_file(player: Player) -> Response:
    """Stream everything about a player, who is looked up again: the answer outlives the request's session."""
    key = (player.club_id, player.id)

    def read(session: Session, club: Club) -> Iterator[str]:
        return export_player(session, club, session.get_one(Player, key))

    return stream(from_record(read, guards.get_club()), "application/json", f"player-{player.id}.json")
