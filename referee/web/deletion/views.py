"""Delete and restore matches, players' names and clubs, and show what stands where something was deleted."""

from contextlib import suppress
from typing import Any

from flask import Blueprint, Response, abort, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import ServiceUnavailable
from werkzeug.wrappers import Response as AnyResponse

from referee.records.deletion import of_club, of_player, texts, waiting
from referee.records.errors import Deleted
from referee.records.models import DeletionKind, Player, now
from referee.rules.text.problem import Impossible
from referee.rules.text.words import joined
from referee.web.deletion import saving, wording
from referee.web.page import layout
from referee.web.page.changes import address_of, leave_club
from referee.web.page.match_wording import title_of
from referee.web.server import errors, guards, local_time
from referee.web.server.long_work import Occupied
from referee.web.words import say

blueprint = Blueprint("deletion", __name__)


@blueprint.get("/matches/<match_id>/delete")
def confirm_match(match_id: str) -> str:
    """Show what deleting a match deletes, and until when it can be restored; 401, 403, 404, 410."""
    match = guards.get_match(match_id, write=True)
    (lost,) = of_club.losses_of(guards.records(), [match])
    loss = lost.summary
    return render_template(
        "deletion/delete.html",
        heading=say("deletion.match-heading"),
        title=title_of(match, loss["players"]),
        day=local_time.day(match.started_at),
        loses=[
            say("deletion.rounds", n=loss["rounds"]),
            *([say("deletion.rulings", n=loss["rulings"])] if loss["rulings"] else []),
            say("deletion.results-of", names=joined(loss["players"])),
        ],
        means=say("deletion.match-means"),
        until=local_time.day(now() + waiting.RESTORABLE_FOR),
        button=say("deletion.match-button"),
        action=url_for("deletion.delete_match", match_id=match.id),
        back=address_of(match),
    )


@blueprint.post("/matches/<match_id>/delete")
def delete_match(match_id: str) -> AnyResponse:
    """Delete a match; 401, 403, 404, 410 for one that can no longer be restored."""
    saving.turn_match(match_id, deleted=True)
    layout.announce(say("deletion.match-done"), undo=url_for("deletion.restore_match", match_id=match_id))
    return layout.go(url_for("start.index"))


@blueprint.post("/matches/<match_id>/restore")
def restore_match(match_id: str) -> AnyResponse:
    """Restore a deleted match; 401, 403, 404, 410 for one that is gone."""
    match = saving.turn_match(match_id, deleted=False)
    layout.announce(say("deletion.match-restored"))
    return layout.go(address_of(match))


@blueprint.get("/club/players/<player_id>/delete")
def confirm_player(player_id: str) -> str:
    """Show what deleting a player's name deletes, and the texts with it to choose from; 401, 403, 404, 410."""
    choices = wording.choices_of(saving.list_texts(player_id), MultiDict())
    return _player_page(saving.whose(player_id), choices)


@blueprint.post("/club/players/<player_id>/delete")
def delete_player(player_id: str) -> AnyResponse | str | tuple[str, int] | tuple[str, int, dict[str, str]]:
    """Delete a player's name, or show more texts with it; 401, 403, 404, 409, 410 once it is gone, 422, 503."""
    form, chosen, choices = request.form, None, list[wording.TextChoice]()
    with suppress(Deleted):  # by a tap before this one, which came twice
        choices = wording.choices_of(saving.list_texts(player_id), form)
        if "page" in form:
            return _player_page(saving.whose(player_id), choices)
        if "seen" in form and form["seen"] != wording.digest_of(choices):
            return _player_page(saving.whose(player_id), choices, say("deletion.texts-changed")), 409
        chosen = wording.chosen_by(choices)
    try:
        saving.delete_player(player_id, chosen)
    except Impossible as error:
        messages = [problem.message for problem in wording.place_problems(choices, error.problems)]
        return _player_page(saving.whose(player_id), choices, *messages), 422
    except (Occupied, ServiceUnavailable):
        return _player_page(saving.whose(player_id), choices, say("deletion.busy")), 503, {"Retry-After": "60"}
    layout.announce(say("deletion.player-done"), undo=url_for("deletion.restore_player", player_id=player_id))
    return layout.go(url_for("club.index"))


def _player_page(player: Player, choices: list[wording.TextChoice], *problems: str) -> str:
    """Draw the page that was asked for, or where something is wrong, with all that was chosen on it and on others."""
    (lost,) = of_player.losses_of_names(guards.records(), [player])
    loss, pages = lost.summary, wording.pages_of(choices)
    wrong = [number for number, page in enumerate(pages, 1) if any(choice.errors for choice in page)]
    asked = request.values.get("page", request.values.get("at", 1, int), int)
    number = wrong[0] if wrong else max(1, min(asked, len(pages)))
    shown, names = pages[number - 1], texts.NameFinder(texts.names_of(guards.records(), player))
    return render_template(
        "deletion/delete.html",
        heading=say("deletion.player-heading"),
        title=player.name,
        loses=[say("deletion.name-in", n=loss["matches"]), say("deletion.name-said"), say("deletion.name-page")],
        means=say("deletion.player-means", n=loss["rounds"]),
        problems=problems,
        choices=choices,
        shown=shown,
        parts={choice.key: wording.parts_of(choice, names) for choice in shown},
        places=wording.places_of(shown, player.club_id),
        instead=texts.placeholder(guards.get_club()),
        number=number,
        pages=len(pages),
        seen=wording.digest_of(choices),
        staying=saving.list_staying(player.id),
        until=local_time.day(now() + waiting.RESTORABLE_FOR),
        button=say("deletion.player-button"),
        action=url_for("deletion.delete_player", player_id=player.id),
        back=url_for("club.player", player_id=player.id),
    )


@blueprint.post("/club/players/<player_id>/restore")
def restore_player(player_id: str) -> AnyResponse:
    """Restore a player's name; 401, 403, 404, 410 for one that is gone, 422 where another has it by now."""
    player = saving.restore_player(player_id)
    layout.announce(say("deletion.player-restored", name=player.name))
    return layout.go(url_for("club.player", player_id=player.id))


@blueprint.get("/club/delete")
def confirm_club() -> str:
    """Show what deleting the club deletes, and until when it can be restored; 401, 403."""
    club = guards.get_club(write=True)
    loss = of_club.count_deleted_with_club(guards.records(), club)
    return render_template(
        "deletion/delete.html",
        heading=say("deletion.club-heading"),
        title=club.name,
        loses=[
            say("deletion.matches", n=loss["matches"]),
            say("deletion.played-rounds", n=loss["rounds"]),
            say("deletion.players", n=loss["players"]),
            say("deletion.club-rest"),
            say("deletion.keys", n=loss["keys"]),
        ],
        means=say("deletion.club-means"),
        until=local_time.day(now() + waiting.RESTORABLE_FOR),
        button=say("deletion.club-button"),
        action=url_for("deletion.delete_club"),
        back=url_for("club.index"),
        export=url_for("transfer.records"),
    )


@blueprint.post("/club/delete")
def delete_club() -> AnyResponse:
    """Delete the club; 401, 403, 410 for one that is deleted."""
    saving.delete_club(guards.get_club(write=True).id)
    return layout.go(url_for("start.index"))


@blueprint.post("/club/restore")
def restore_club() -> AnyResponse:
    """Restore the club; 401, 403, 410 for one that is gone for good."""
    club = saving.restore_club(guards.get_restorer().club_id)
    layout.announce(say("deletion.club-restored", name=club.name))
    return layout.go(url_for("club.index"))


@blueprint.post("/club/forget")
def forget_club() -> AnyResponse:
    """Drop this browser's key to a deleted club; 401 for a stranger, 403 where it isn't deleted."""
    try:
        guards.get_key()
        abort(403, say("deletion.not-deleted"))
    except Deleted:
        return leave_club()


def restoring(kind: DeletionKind, id: str) -> str:
    """Return the address that restores a deletion."""
    values: dict[str, Any] = {} if kind == DeletionKind.CLUB else {f"{kind}_id": id}
    own = kind in (DeletionKind.SEASON, DeletionKind.EVENING)
    return url_for(f"{kind}.restore" if own else f"deletion.restore_{kind}", **values)


def answer_deleted(error: Deleted) -> Response:
    """Answer 410 for something deleted: JSON, or a page where a scorekeeper may restore it."""
    until = error.until.isoformat() if error.until else None
    if errors.wants_json():
        return errors.answer(410, str(error), kind="deleted", deleted_at=error.at.isoformat(), restorable_until=until)
    may_restore = guards.may_restore(error)
    told = "deletion.restorable" if may_restore else "deletion.until"
    page = render_template(
        "deletion/deleted.html",
        title=say(f"deletion.{error.kind}-was"),
        day=say("deletion.on", at=local_time.day(error.at)),
        until=say(told, until=local_time.day(error.until)) if error.until else say("deletion.for-good"),
        action=restoring(error.kind, error.id) if may_restore else "",
        button=say(f"deletion.{error.kind}-restore"),
        leave=url_for("deletion.forget_club") if error.kind == DeletionKind.CLUB else "",
    )
    response = Response(page, 410, mimetype="text/html")
    response.cache_control.no_store = True
    if error.kind == DeletionKind.CLUB:
        response.headers["Referee-Gone"] = "club"  # a phone drops the pages that it keeps for playing offline
    return response
