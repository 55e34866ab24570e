"""Show every component in every state on one page, drawn by what draws the app's own pages.

A club with two matches is written to the database, drawn, and rolled back. To look at it while working:
``flask --app tools.gallery run --debug``, then open ``/design``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, g, render_template
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from referee import create_app as create_referee
from referee.records.club.access import create_club
from referee.records.ids import first_id_of
from referee.records.match.matches import start_match
from referee.records.match.plans import MatchPlan
from referee.records.match.rounds import draft_round, write_draft
from referee.records.match.seating import load_seating, table_of
from referee.records.models import Club, Key, Match
from referee.records.statistics.figures import Ending, Meeting, PlayerResult
from referee.rules.books.library import rulebooks
from referee.rules.disputes import DISPUTES_BY_ID, read_facts
from referee.rules.disputes.ruling import Ruling
from referee.rules.scoring.round_entry import read_round
from referee.web.disputes.forms import Context, DisputeState
from referee.web.disputes.wording import ruling_view
from referee.web.players import wording as season
from referee.web.score.views import sheet_parts
from referee.web.server import guards

blueprint = Blueprint("design", __name__, template_folder="templates")

PLAYERS = ("Ada", "Benjamin", "Zoë", "Di")
ROUNDS: Sequence[Mapping[str, Any]] = (
    {"went_out": "Ada", "hands": {"Benjamin": ["9", "skip"], "Zoë": ["wild"], "Di": ["draw-two", "8", "2"]}},
    {"went_out": "Benjamin", "hands": {"Ada": ["7"], "Zoë": ["wild"], "Di": ["reverse", "4"]}},
    {
        "went_out": "Ada",
        "hands": {"Benjamin": ["wild", "5"], "Zoë": ["skip", "9"], "Di": ["draw-two", "9", "8"]},
        "last_card": "red-7",
    },
)
RULED: Sequence[tuple[str, Mapping[str, str]]] = (
    ("draw-four-challenge", {"players": "4", "challenged": "yes", "challenger": "target", "held_color": "yes"}),
    ("deal", {"players": "4"}),
)
"""Disputes and what is answered: one with orders, one about which the rules say little."""
MET = (Meeting("Benjamin", 9, 5, 3), Meeting("Zoë", 7, 2, 5), Meeting("Di", 3, 3, 0))
PUT_BY_SCRIPT = ("data-people", "data-turn", "data-sum", "data-fan", "data-mode", "data-next")
LAID = ("7", "skip", "wild")
FACES = ("7", "0", "skip", "reverse", "draw-two", "wild", "wild-draw-four")


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """Make the app with the gallery beside its own pages."""
    app = create_referee(config)
    app.register_blueprint(blueprint)
    return app


@blueprint.get("/design")
def gallery() -> ResponseReturnValue:
    """Draw the gallery."""
    session = guards.records()
    rulings = [_ruling(dispute, answers) for dispute, answers in RULED]
    founded = create_club(session, "Sunday table")
    g.presented = (founded.scorekeeper, founded.club)
    running = _played(founded.club, founded.scorekeeper, target=500)
    ended = _played(founded.club, founded.scorekeeper, target=200)
    parts = sheet_parts(running)
    page = render_template(
        "design.html",
        running=Markup(parts["sheet"]),
        pad=_laid_open(str(parts["pad"])),
        ended=Markup(sheet_parts(ended)["sheet"]),
        rulings=rulings,
        faces=FACES,
        messages=lambda: [{"text": "Round 3 saved: Ada +123", "undo": "#notices", "revision": 0}],
        players=PLAYERS,
        calendar=season.calendar("Ada", _season()),
        duels=season.duels("Ada", MET, {name: name for name in PLAYERS}, ()),
    )
    session.rollback()
    return page


@blueprint.get("/design.css")
def styles() -> ResponseReturnValue:
    """Return the gallery's own styles."""
    return (Path(__file__).parent / "design.css").read_text("utf-8"), {"Content-Type": "text/css"}


def _played(club: Club, by: Key, target: int) -> Match:
    session = guards.records()
    match = start_match(session, club, MatchPlan(PLAYERS, next(iter(rulebooks())), target=target), by)
    for after, said in enumerate(ROUNDS):
        seating = load_seating(session, match)
        entry = read_round(said, table_of(seating.here))
        write_draft(session, draft_round(session, match, entry, after, by, seating=seating))
    return match


def _season() -> list[PlayerResult]:
    """Give a year of matches, some in every month."""
    days = [datetime(2025, month, day, 20, tzinfo=UTC) for month in range(1, 13) for day in range(1, 29, 3 + month % 5)]
    return [
        PlayerResult(first_id_of(day), Ending.LOST if number % 3 else Ending.WON, None, None)
        for number, day in enumerate(days)
    ]


def _ruling(id: str, answers: Mapping[str, str]) -> object:
    rulebook = next(iter(rulebooks().values()))
    case = DisputeState(Context(rulebook), DISPUTES_BY_ID[id], answers)
    heard = case.rule(read_facts(case.dispute, rulebook, case.facts))
    if not isinstance(heard, Ruling):
        raise RuntimeError(f"{id} asks for {heard.key}: answer it in RULED")
    return ruling_view(case, heard)


def _laid_open(form: str) -> Markup:
    """Show the pad as a script opens it, with what the script puts there, and without the form beneath it."""
    pad = '<div class="hand-pad"' + form.partition('<div class="hand-pad"')[2].rpartition("</form>")[0]
    pad = pad.replace("data-pad hidden", "data-pad", 1)
    for place in PUT_BY_SCRIPT:
        inside = render_template("design_pad.html", place=place, players=PLAYERS, faces=LAID).strip()
        opening = re.compile(rf"(<[^<>]*\s{place}(?=[\s>])[^<>]*>)[^<]*")
        pad = opening.sub(lambda found, put=inside: found[1] + put, pad, count=1)  # type: ignore[misc]
    return Markup(pad)
