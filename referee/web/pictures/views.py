"""Answer with a picture, drawn once for each state of what it shows."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Blueprint, Response, request

from referee.records.cache import Cache
from referee.records.match.agreements import frozen_rulebook
from referee.records.match.rulings import get_ruling
from referee.records.match.seating import load_seating
from referee.records.match.sheets import load_sheet
from referee.records.models import Match
from referee.records.statistics.decided import load_course
from referee.rules.disputes import Dispute
from referee.rules.disputes.facts import Fact
from referee.rules.disputes.ruling import Ruling
from referee.rules.text.problem import Impossible, Problem
from referee.web.disputes import wording
from referee.web.disputes.forms import Context, DisputeState, context_of, find_dispute, find_rulebook, read_case
from referee.web.history.views import night_in_address
from referee.web.page.filters import number
from referee.web.page.rulebooks import available
from referee.web.players.views import year_in_address
from referee.web.score.wording import tonight
from referee.web.server import guards, local_time, rate_limits
from referee.web.server.headers import etag_of, unless_cached
from referee.web.server.long_work import long_work
from referee.web.server.polls import PRIVATE
from referee.web.words import say

blueprint = Blueprint("pictures", __name__)
FRESH = 60
"""Seconds for which an embedded picture may be out of date, or outlive its page."""


@dataclass(frozen=True)
class Picture:
    """A PNG, and when it was drawn."""

    data: bytes
    at: datetime


PICTURES: Cache[Picture] = Cache("pictures", 2_000_000, lambda picture: len(picture.data))
"""Pictures by ETag: messengers ask for the same one again and again, and drawing takes a tenth of a second."""


@blueprint.get("/matches/<match_id>/result.png")
def result_card(match_id: str) -> Response:
    """Return the picture of a match; 304, 401, 403, 404."""
    match = guards.get_match(match_id)
    guards.speak_for_club()
    return match_picture(match)


def match_picture(match: Match, *, public: bool = False) -> Response:
    """Return the picture of a match, or 304; in `public` without the place, with its day in UTC."""

    def draw() -> bytes:
        from referee.web.pictures.cards import draw_card  # Pillow adds a third to a start, and few matches ask

        sheet = load_sheet(guards.records(), match, last=1, rulings=False)
        course = load_course(guards.records(), match, sheet.terms, sheet.seating)
        return draw_card(sheet, course, tonight=tonight(sheet), public=public)

    zone = "" if public else str(local_time.zone())
    response = picture(("match", match.club_id, match.id, match.state, public, zone), draw, public=public)
    if not public:
        response.headers["Content-Disposition"] = 'inline; filename="uno-result.png"'
    return response


@blueprint.get("/disputes/<dispute_id>/ruling.png")
def ruling_anywhere(dispute_id: str) -> Response:
    """Return the picture of a ruling under the rulebook in the address; 304, 404, 422, 429."""
    dispute = find_dispute(dispute_id)
    problems: list[Problem] = []
    rulebook = find_rulebook(request.args, problems)
    if rulebook is None:
        known = ", ".join(available())
        raise Impossible(problems or [Problem("rulebook", say("case.no-rulebook", id="", choices=known))])
    return _ruling(Context(rulebook), dispute, problems)


@blueprint.get("/matches/<match_id>/disputes/<dispute_id>/ruling.png")
def ruling_at_match(match_id: str, dispute_id: str) -> Response:
    """Return the picture of a ruling under the rules of a match; 304, 401, 403, 404, 422, 429."""
    return _ruling(context_of(guards.get_match(match_id)), find_dispute(dispute_id), [])


def _ruling(context: Context, dispute: Dispute, problems: list[Problem]) -> Response:
    """Return the picture of the ruling on the facts in the address, at a match in the club's language."""
    rate_limits.count_hearing()
    case, heard = _hear_address(context, dispute, problems)
    if context.match:
        guards.speak_for_club()
        case, heard = _hear_address(context, dispute, [])
    people = context.seating.names if context.seating else ()
    return _draw_ruling(wording.ruling_view(case, heard), people, wording.rules_of(context.rulebook))


def _hear_address(context: Context, dispute: Dispute, problems: list[Problem]) -> tuple[DisputeState, Ruling]:
    """Return the ruling on the facts in the address; raise `Impossible` in the language spoken where one is missing."""
    case = read_case(context, dispute, request.args, problems)
    if case.private:
        problems.append(Problem(("facts", "hand"), say("case.private")))
    if problems:
        raise Impossible(problems)
    heard = case.rule(case.read())
    if isinstance(heard, Fact):
        raise Impossible([Problem(("facts", heard.key), heard.text)])
    return case, heard


@blueprint.get("/matches/<match_id>/rulings/<ruling_id>/ruling.png")
def saved_ruling(match_id: str, ruling_id: str) -> Response:
    """Return the picture of a saved ruling, as it was made; 304, 401, 403, 404."""
    match = guards.get_match(match_id)
    recorded = get_ruling(guards.records(), match, ruling_id)
    guards.speak_for_club()
    seating = load_seating(guards.records(), match)
    rulebook = frozen_rulebook(guards.records(), match.club_id, recorded.rulebook_digest)
    foot = [*wording.rules_of(rulebook), local_time.minute(recorded.given_at)]
    return _draw_ruling(
        wording.recorded_view(match, recorded, seating), seating.names, foot, recorded.table_decided or ""
    )


def _draw_ruling(
    ruling: wording.RulingView, people: Sequence[str], under: Sequence[str], decided: str = ""
) -> Response:
    """Return the picture of a ruling in which `people` may be named; `decided` is what the table decided instead."""

    def draw() -> bytes:
        from referee.web.pictures.cards import draw_ruling  # with Pillow, which few starts need

        return draw_ruling(ruling, people, under, decided)

    response = picture((ruling, people, under, decided), draw, public=False)
    response.headers["Content-Disposition"] = 'inline; filename="uno-ruling.png"'
    return response


@blueprint.get("/history/year.png")
def year() -> Response:
    """Return the picture of one card of a year, counted by ``n`` from 1; 304, 401, 403, 404, 422."""
    guards.get_club()
    guards.speak_for_club()
    review, place = year_in_address(), (number(request.args.get("n", "1")) or 0) - 1
    if place not in range(len(review.cards)):
        raise Impossible([Problem("n", say("year.no-card", most=len(review.cards)))])

    def draw() -> bytes:
        from referee.web.pictures.cards import draw_year  # with Pillow, which few starts need

        return draw_year(review.cards[place], place, f"{say('share.app')} · {review.title}")

    return picture(("year", review.title, review.cards[place], place), draw, public=False, alone=False)


@blueprint.get("/history/night.png")
def night() -> Response:
    """Return the picture of one day of play; 304, 401, 403."""
    club = guards.get_club()
    guards.speak_for_club()
    shown = night_in_address(club)

    def draw() -> bytes:
        from referee.web.pictures.cards import draw_night  # with Pillow, which few starts need

        return draw_night(shown, club.name or say("share.app"))

    return picture(("night", club.id, club.name, shown), draw, public=False)


def picture(state: tuple[object, ...], draw: Callable[[], bytes], *, public: bool, alone: bool = True) -> Response:
    """Return what `draw` draws as PNG, or 304 where the client has it.

    What takes long is drawn `alone`, one picture after the other; a page that shows several small ones asks for all.

    `state` holds everything the picture depends on but the program. In `public` any site may embed it, and its server
    may cache it for a minute.
    """
    etag = etag_of(*state)

    def drawn_now() -> Picture:
        with long_work() if alone else nullcontext():
            return Picture(draw(), datetime.now(UTC))

    def send() -> Response:
        drawn = PICTURES.get(etag, drawn_now)
        response = Response(drawn.data, mimetype="image/png")
        response.last_modified = drawn.at
        return response

    response = unless_cached(etag, send)
    if public:
        response.headers.update(PRIVATE)
        response.headers["Cache-Control"] = f"public, max-age={FRESH}"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
