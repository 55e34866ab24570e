"""Requests that come again: the same key is for one request only."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from referee.records.club.access import create_club
from referee.records.errors import Conflict
from referee.records.idempotency import recall, remember
from referee.web.server.database import db


def test_a_key_used_for_two_matches_at_the_same_moment_is_a_conflict(app: Flask) -> None:
    with app.app_context(), Session(db.engine) as first, Session(db.engine) as second:
        club_id = create_club(first, "Ours").club.id
        first.commit()
        assert recall(second, club_id, "once", "a round of one match") is None
        second.commit()
        remember(first, club_id, "once", "a round of another match", "")
        first.commit()
        with pytest.raises(Conflict):
            remember(second, club_id, "once", "a round of one match", "")
