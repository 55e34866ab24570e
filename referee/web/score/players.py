"""One player of the club: renamed, set aside, merged with another."""

from __future__ import annotations

from typing import Any

from flask import render_template
from werkzeug.wrappers import Response

from referee.records import players
from referee.records.models import Player
from referee.rules.problem import Impossible, Problem
from referee.web.club.forms import MergeForm, PlayerForm
from referee.web.club.page import saved
from referee.web.page.problems import listed, place
from referee.web.score.room import blueprint
from referee.web.server import guards
from referee.web.server.extensions import db
from referee.web.words import say


@blueprint.get("/club/players/<player_id>")
def player(player_id: str) -> str:
    """Show what can be changed about a player; 401, 403, 404."""
    return _page(guards.get_player(player_id, write=True))


@blueprint.post("/club/players/<player_id>")
def change_player(player_id: str) -> Response | tuple[str, int]:
    """Rename a player, or say whether they still play; 401, 403, 404, 422."""
    found, form = guards.get_player(player_id, write=True), PlayerForm()
    try:
        players.change_player(
            guards.records(), guards.get_club(write=True), found, form["name"].data or "", form.active.data
        )
    except Impossible as error:
        return _again(player_id, form, error)
    return saved(say("clubs.player-saved", name=found.name))


@blueprint.post("/club/players/<player_id>/merge")
def merge_player(player_id: str) -> Response | tuple[str, int]:
    """Say that two names are one person; 401, 403, 404, 422."""
    found, form = guards.get_player(player_id, write=True), MergeForm()
    try:
        if not form.into.data:
            raise Impossible([Problem("into", say("clubs.choose-player"))])
        into = guards.get_player(form.into.data, write=True)
        players.merge_players(guards.records(), guards.get_club(write=True), found, into)
    except Impossible as error:
        return _again(player_id, form, error)
    return saved(say("clubs.player-merged", name=found.name, into=into.name))


def _again(player_id: str, form: Any, error: Impossible) -> tuple[str, int]:
    db.session.rollback()
    place(form, error.problems, {"id": "into" if isinstance(form, MergeForm) else "name"})
    return _page(guards.get_player(player_id, write=True), form), 422


def _page(found: Player, form: PlayerForm | MergeForm | None = None) -> str:
    club = guards.get_club(write=True)
    everyone = players.list_players(guards.records(), club)
    renaming = isinstance(form, PlayerForm)
    return render_template(
        "score/player.html",
        player=found,
        into=players.get_player(guards.records(), club.id, found.merged_into) if found.merged_into else None,
        typed=form["name"].data if form is not None and renaming else found.name,
        active=form["active"].data if form is not None and renaming else found.active,
        others=[("", "…"), *((other.id, other.name) for other in everyone if other.id != found.id)],
        chosen=form["into"].data if isinstance(form, MergeForm) else "",
        problems=listed(form) if form is not None else (),
        errors_of={field.name: field.errors for field in form} if form is not None else {},
    )
