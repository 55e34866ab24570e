"""Clubs as the host’s commands find them: by name or id, or because there is only one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from sqlalchemy import select

from referee.records import access
from referee.records.deletion.of_club import is_deleted
from referee.records.models import Club, KeyRole, Match
from referee.web.club.views import path_of
from referee.web.server.extensions import db
from referee.web.words import say

MINUTES = int(access.INVITATION_LIFETIME.total_seconds() // 60)
"""For which an invitation is good."""


def found_by(wanted: str | None) -> Club:
    """Find a club by name or id, or the only one."""
    return find_club(wanted) if wanted else only_club()


def invite_one(club: Club, role: str = KeyRole.SCOREKEEPER) -> tuple[str, str]:
    """Invite one phone into a club; give the club's name, and the path of the link."""
    token = access.invite(db.session(), club, role)
    name = club.name
    db.session.commit()
    return name, path_of(token)


def club_of_the_home() -> Club:
    """Choose the club that played last, else the newest, a demo if there is no other, else create one."""
    session = db.session()
    stays = Club.ends_at.is_(None).desc()
    played = select(Club).join(Match, Match.club_id == Club.id).where(~is_deleted()).order_by(stays)
    played_last = played.order_by(Match.id.desc()).limit(1)
    newest = select(Club).where(~is_deleted()).order_by(stays, Club.id.desc()).limit(1)
    return session.scalar(played_last) or session.scalar(newest) or access.create_club(session, "Our table").club


def only_club() -> Club:
    """Give the only club there is, demos aside; raises click.ClickException if there is none or a choice."""
    found = select(Club).where(~is_deleted()).order_by(Club.ends_at.is_(None).desc(), Club.id.desc()).limit(10)
    clubs = db.session.scalars(found).all()
    if [club.ends_at is None for club in clubs[:2]] == [True, False]:
        clubs = clubs[:1]
    if not clubs:
        raise click.ClickException(say("command.no-club"))
    if len(clubs) > 1:
        raise click.ClickException(say("command.clubs", clubs=_listed(clubs)))
    return clubs[0]


def find_club(wanted: str) -> Club:
    """Find a club by name or id."""
    named = select(Club).where((Club.id == wanted) | (Club.name == wanted), ~is_deleted())
    clubs = db.session.scalars(named.limit(10)).all()
    if not clubs:
        raise click.ClickException(say("command.unknown-club", name=wanted))
    if len(clubs) > 1:
        raise click.ClickException(say("command.same-name", name=wanted, clubs=_listed(clubs)))
    return clubs[0]


def _listed(clubs: Sequence[Any]) -> str:
    return "\n".join(say("command.club", id=club.id, name=club.name, since=club.created_at) for club in clubs)
