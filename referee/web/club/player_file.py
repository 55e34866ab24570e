"""Everything that a club has about one player, as a file."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Response
from sqlalchemy.orm import Session

from referee.records.models import Club, Player
from referee.records.transfer.of_player import Person, export_player
from referee.web.server import guards
from referee.web.server.files import from_record, stream


def player_file(player: Player) -> Response:
    """Stream everything about a player, by a session that outlives the request's."""
    person = Person(player.club_id, player.id, player.name, player.active, player.created_at)

    def read(session: Session, club: Club) -> Iterator[str]:
        return export_player(session, club, person)

    return stream(from_record(read, guards.get_club()), "application/json", f"player-{player.id}.json")
