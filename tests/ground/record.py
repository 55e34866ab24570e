"""What is on record, past every page: all rows, and what is unsound about them."""

from collections.abc import Sequence

from flask import Flask
from sqlalchemy import select

from referee.records.models import Base, Club
from referee.records.soundness import faults_of_club, find_faults
from referee.web.server.database import db


def rows(app: Flask, club_id: str = "", *, without: Sequence[str] = ()) -> dict[str, list[str]]:
    """Read all rows as texts, by table; of tables that have a club's rows those of one club, where it is named."""
    found = {}
    with app.app_context():
        for table in Base.metadata.sorted_tables:
            columns = select(*(one for one in table.c if one.name not in without))
            chosen = columns.where(table.c.club_id == club_id) if club_id and "club_id" in table.c else columns
            found[table.name] = sorted(map(repr, db.session.execute(chosen).all()))
        db.session.rollback()
    return found


def faults(app: Flask, club_id: str = "") -> list[str]:
    """List what `referee check` finds, in one club where it is named."""
    with app.app_context():
        session = db.session()
        found = faults_of_club(session, session.get_one(Club, club_id)) if club_id else find_faults(session)
        listed = list(found)
        session.rollback()
    return listed
