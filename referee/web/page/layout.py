"""What every page has around its content: tabs, light, messages; and fragments for pages that stay open.

A form works the same with and without script. Without, an answer is a page or a redirect. A script asks with
``X-Fragment: 1`` and gets JSON: ``{"fragments": {element id: html}, "address": where a page would have gone,
"problems": [{"field", "message", "player"}], "seen": {field: value}}``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Request, current_app, flash, g, get_flashed_messages, jsonify, redirect, request, session, url_for
from werkzeug.wrappers import Response

from referee.records.models import KeyRole
from referee.rules.text.words import ENGLISH, Language, language, languages, speak
from referee.web import words
from referee.web.server import local_time
from referee.web.server.headers import etag_of, unless_cached
from referee.web.server.sessions import token

THEMES = ("auto", "light", "dark", "black")
PAPER = {"light": "#faf6ee", "dark": "#1c1712", "black": "#000"}
"""The page's ground in each theme, as `--paper` in static/css/base.css: browsers color their own bars with it.

Where none is chosen, they do so by the phone's scheme, light or dark.
"""
THEME_COOKIE = "theme"
LANGUAGE_COOKIE = "language"
LONGEST_WISH = 1000
"""Characters of an `Accept-Language` that are read; browsers send some fifty."""
INTERFACE = "/api/"
KEPT = 400 * 24 * 3600
"""Seconds for which a cookie remembers what a browser wants; browsers keep none longer."""
FURNITURE = "referee.furniture"
SAID = "referee_said"
"""Where a request notes what it said and nobody has been shown."""
TABS = ("start", "disputes", "rules", "history")
"""Blueprints that have a tab; a room's first view is called ``index``."""
WITHIN = {"own_rulebooks": "rules", "players": "history", "season": "history"}
"""Blueprints whose pages stand under another one's tab; the others without a tab belong to a match."""
ICONS = {"start": "score", "disputes": "dispute"}
"""Icons of tabs that are not called as their room."""


@dataclass(frozen=True)
class Link:
    """A link with a title and a hint, as ``_partials/lists.html`` draws it."""

    title: str
    address: str
    hint: str = ""


@dataclass(frozen=True)
class Tab:
    """One tab of the bar at the bottom."""

    title: str
    address: str
    icon: str
    here: bool


def furnish() -> dict[str, Any]:
    """Return the context that every template gets, built once a request."""
    made: dict[str, Any] | None = request.environ.get(FURNITURE)
    if made is None:
        # what the phone says where this browser chose none, and on public pages
        theme = request.cookies.get(THEME_COOKIE, "auto")
        theme = theme if theme in THEMES and request.blueprint != "public" else "auto"
        made = request.environ[FURNITURE] = {
            "language": language(),
            "offered": offered(),
            "theme": theme,
            # each scheme of the phone (empty: whichever) with the color of the browser's own bars
            "theme_colors": [("", PAPER[theme])]
            if theme in PAPER
            else [(one, PAPER[one]) for one in ("light", "dark")],
            "tabs": tabs,
            "said": said,
            # a page that did not ask who holds this phone, such as one of the rules, does not say whose it is
            "knows_club": "holder_club" in g,
            "holder_club": g.get("holder_club"),
            "demo_ends": demo_end(),
        }
    return made


def demo_end() -> str | None:
    """Return when the demo ends whose pages these are; None for any other club."""
    ends_at = g.get("holder_ends_at")
    return None if ends_at is None else local_time.minute(ends_at)


def tabs() -> list[Tab]:
    """List the rooms, each by its first view, or by the one that knows the match."""
    part = (request.endpoint or "").partition(".")[0]
    here = part if part in TABS or not part else WITHIN.get(part, "start")
    match_id = (request.view_args or {}).get("match_id")
    caller = g.get("presented")
    at_table = caller is not None and caller[0].role == KeyRole.TABLE  # which has no history of its club
    tabs = []
    for room in TABS[:-1] if at_table else TABS:
        address = url_for(f"{room}.index")
        if match_id is not None and f"{room}.at_match" in current_app.view_functions:
            address = url_for(f"{room}.at_match", match_id=match_id)
        tabs.append(Tab(words.say(f"tab.{room}"), address, ICONS.get(room, room), here == room))
    return tabs


def offered() -> Sequence[Language]:
    """List the languages that a page offers: those that have every sentence."""
    return [candidate for candidate in languages().values() if candidate.whole]


def is_supported_language(code: str) -> bool:
    """Return whether anyone can be answered in a language of that code."""
    return code in languages() and languages()[code].spoken


def chosen_language(asked: Request) -> str:
    """Return the code of the language to answer in.

    That is the one named by ``?lang=``, where programs and service workers ask, else the one this browser chose; and
    where it chose none, the first of those that it or a program prefers (`Accept-Language`), English if we speak none
    of them. A browser fetches its service worker without `Accept-Language`, and that fetches its files without cookies.
    """
    named = asked.args.get("lang", "") if asked.path.startswith((INTERFACE, "/service-worker.js", "/offline")) else ""
    if not named and not asked.path.startswith(INTERFACE):
        named = asked.cookies.get(LANGUAGE_COOKIE, "")
    named = named.partition("-")[0].lower()
    if is_supported_language(named):
        return named
    if len(asked.headers.get("Accept-Language", "")) > LONGEST_WISH:
        return ENGLISH
    known = {offer.code for offer in offered()}
    # a browser in Austria prefers de-AT before the plain en, and would get English by `best_match`
    preferred = (code.partition("-")[0].lower() for code, quality in asked.accept_languages if quality > 0)
    return next((code for code in preferred if code in known), ENGLISH)


def speak_as_asked(club_language: str) -> None:
    """Speak the language named by ``?lang=``, else the club's, on a page that anyone opens by its address alone."""
    named = request.args.get("lang", "")
    speak(named if is_supported_language(named) else club_language)


def keep_language(endpoint: str, values: dict[str, Any]) -> None:
    """Name the language that this address names also in those of its room: a default for `Blueprint.url_defaults`."""
    if request and "lang" in request.args and endpoint.partition(".")[0] == request.blueprint:
        values.setdefault("lang", language().code)


def said() -> list[Any]:
    """Take out of the session what was said; only the page that shows it asks."""
    return [*get_flashed_messages(), *g.pop(SAID, ())]


def announce(text: str, *, undo: str = "", revision: int | str = "") -> None:
    """Show a message on the next page; `undo` is the address that a form with `revision` is posted to."""
    g.setdefault(SAID, []).append({"text": text, "undo": undo, "revision": str(revision)})


def keep_messages(response: Response) -> Response:
    """Keep what this answer did not say for the next page, out of the cookie what it did; and say its language."""
    for message in g.pop(SAID, ()):
        flash(message)
    if request.endpoint != "static":  # what is cached for everyone speaks none
        response.headers.setdefault("Content-Language", language().code)
    return response


def unless_page_cached(draw: Callable[[], str], *state: object) -> Response | str:
    """Return 304 to a browser that has this page as it would be drawn; `state` is what the page itself follows from.

    A page that has a message to show is drawn, and not for keeping.
    """
    if session.get("_flashes") or g.get(SAID):
        return draw()
    token()  # else two sessions without one would be alike
    files = current_app.jinja_env.globals["static"]("css/base.css")  # type: ignore[operator]
    around = (session["csrf_token"], request.cookies.get(THEME_COOKIE), g.get("holder_club"), demo_end(), files)
    return unless_cached(etag_of(*around, *state), draw)


def messages() -> str:
    """Return the messages as the part of a page, and take them out of the session."""
    return current_app.jinja_env.get_template("_partials/messages.html").render(said=said)


def wants_fragments() -> bool:
    """Return whether the request is from a script that puts fragments into the open page."""
    return request.headers.get("X-Fragment") == "1"


def fragments(
    parts: Mapping[str, str],
    *,
    address: str = "",
    problems: Sequence[Mapping[str, str]] = (),
    seen: Mapping[str, str] | None = None,
    theirs: Sequence[str] = (),
    begun: Mapping[str, object] | None = None,
    status: int = 200,
) -> Response:
    """Return the answer to a script: parts of the page by their ids, and the address where a page would have gone.

    `seen` are the values by which a form says what its writer has seen, as they would be now; `theirs` is what others
    saved meanwhile, a sentence each. `begun` names a match that began, and its players.
    """
    further = {"problems": problems, "seen": seen, "theirs": theirs, "begun": begun}
    body = {"fragments": parts, "address": address} | {name: part for name, part in further.items() if part}
    response: Response = jsonify(body)
    response.status_code = status
    return response


def go(address: str) -> Response:
    """Return a redirect for after a form was accepted (303)."""
    return redirect(address, 303)


def may_demo() -> bool:
    """Return whether a demo is offered here: a host may switch them off, or sign-ups altogether, and none is in one."""
    return bool(current_app.config["DEMO"] and current_app.config["SIGN_UP"]) and demo_end() is None
