"""What is said to the driver itself is what SQLAlchemy would say, and what it gives or refuses too."""

from __future__ import annotations

import subprocess
import sys

import pytest
from flask import Flask
from sqlalchemy import bindparam, select
from sqlalchemy.exc import IntegrityError

from referee.paths import CHECKOUT
from referee.records.access import create_club, look_at_key
from referee.records.models import Club, Key, MatchEvent, OwnRulebookRow, columns_of, now
from referee.records.plain import Plain, adding, attached, look_of
from referee.web.server.extensions import db
from tests.ground.listening import counted

_KEYS, _BOOKS = columns_of(Key), columns_of(OwnRulebookRow)
KEYS = Plain(select(*_KEYS).where(_KEYS.club_id == bindparam("club_id")).order_by(_KEYS.id))
BOOKS = Plain(select(*_BOOKS).where(_BOOKS.club_id == bindparam("club_id")))
ADD_BOOK, ADD_EVENT = Plain(adding(OwnRulebookRow)), Plain(adding(MatchEvent))


def test_the_driver_gives_what_sqlalchemy_gives(app: Flask) -> None:
    with app.app_context():
        session = db.session()
        club = create_club(session, "Ours").club
        book = dict.fromkeys(_BOOKS.keys()) | {"club_id": club.id, "version": 3, "nonce": 2**23}
        book |= {"document": {"title": "Ünö", "points": [1, 2]}, "created_at": now(), "changed_at": now()}
        assert ADD_BOOK.run(session, **book | {"id": "1" * 16}) == 1
        with counted(app) as said:
            ADD_BOOK.run(session, **book | {"id": "2" * 16})
            listened = [KEYS.rows(session, club_id=club.id), BOOKS.rows(session, club_id=club.id)]
        assert len(said) == 3
        assert listened == [KEYS.rows(session, club_id=club.id), BOOKS.rows(session, club_id=club.id)]
        for row in listened[1]:
            assert dict(zip(_BOOKS.keys(), row, strict=True)) == book | {"id": row[1]}


def test_what_the_driver_refuses_is_raised_as_by_sqlalchemy(app: Flask) -> None:
    with app.app_context():
        session = db.session()
        club = create_club(session, "Ours").club
        event = {"club_id": club.id, "id": "1" * 16, "match_id": "none", "kind": "joined", "after_place": 0}
        with pytest.raises(IntegrityError) as refused:
            ADD_EVENT.run(session, **event, details={}, at=now(), by=None)
        assert "joined" not in str(refused.value)  # what was typed is nobody's business in a log
        session.rollback()


def test_what_was_looked_at_is_written_once_it_belongs_to_the_session(app: Flask) -> None:
    with app.app_context():
        session = db.session()
        new = create_club(session, "Ours")
        session.commit()
        session.expunge_all()
        key, club = look_at_key(session, new.scorekeeper_token) or (None, None)
        assert key is not None
        assert club is not None
        club.name = "Theirs"
        session.commit()
        assert session.scalars(select(Club.name)).all() == ["Ours"]
        own = attached(session, look_of(Club, tuple(getattr(new.club, column.key) for column in columns_of(Club))))
        assert attached(session, club) is own
        own.name = "Everybody's"
        session.commit()
        assert session.scalars(select(Club.name)).all() == ["Everybody's"]


def test_a_look_can_be_read_before_any_query_by_a_model() -> None:
    code = """
from referee.records.models import Club
from referee.records.plain import look_of
print(look_of(Club, [None] * len(Club.__table__.columns)).ends_at)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.stdout == "None\n", done.stderr
