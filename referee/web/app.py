"""Build the app."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, MutableMapping
from functools import partial
from typing import TYPE_CHECKING, Any

from flask import Flask, Request
from flask.templating import Environment
from werkzeug.exceptions import BadHost, SecurityError
from werkzeug.routing import MapAdapter

from referee.paths import TEMPLATES, own_command
from referee.records.errors import Deleted
from referee.rules.books.rulebook import TOPICS
from referee.rules.cards.decks import face_named, parse_card
from referee.rules.text.words import joined, speaking
from referee.web import help, public, words
from referee.web.api import interface
from referee.web.club import founding
from referee.web.club import views as club
from referee.web.deletion import views as deletion
from referee.web.disputes import views as disputes
from referee.web.disputes.wording import roles_marked
from referee.web.evening import screen, tables
from referee.web.evening import views as evening
from referee.web.hands import views as hands
from referee.web.history import views as history
from referee.web.law import views as law
from referee.web.menu import views as menu
from referee.web.offline import saved_pages
from referee.web.offline import views as offline
from referee.web.own_rulebooks import views as own_rulebooks
from referee.web.page import layout
from referee.web.page.fields import own_errors
from referee.web.page.rulebooks import title_of
from referee.web.pictures import views as pictures
from referee.web.players import views as players
from referee.web.players.wording import figure, percent
from referee.web.rounds import views as rounds
from referee.web.rules import views as rules
from referee.web.rules.wording import books_beside, topic_links
from referee.web.score import views as score
from referee.web.score.wording import letters_of
from referee.web.season import views as season
from referee.web.server import (
    database,
    errors,
    guards,
    headers,
    local_time,
    logs,
    long_work,
    monitoring,
    polls,
    rate_limits,
    sessions,
    sizes,
    static_files,
)
from referee.web.server.settings import load_settings
from referee.web.sharing import views as sharing
from referee.web.start import views as start
from referee.web.start.wording import recent_sheets, ways_on
from referee.web.transfer import views as transfer

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

TURN = 0.0005
"""Seconds after which a thread that computes lets another run. Python's own 5 ms are felt: a short request beside a
long one waits for its turn after each of its dozens of statements."""


ROOMS = (
    monitoring, help, start, score, rounds, menu, disputes, rules, own_rulebooks, history, players, season, evening,
    club, law, founding, deletion, hands, tables, sharing, screen, pictures, public, transfer, offline, interface,
)  # fmt: skip
"""The modules with a blueprint."""


class Templates(Environment):
    """Flask's templates, all with the same globals: every import of a macro would compare copies one by one."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of a template; only who passes some of its own gets a copy."""
        return super().make_globals(d) if d else self.globals


class Referee(Flask):
    """Flask, refusing malformed host names."""

    jinja_environment = Templates

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Refuse a malformed host name as a foreign one; werkzeug raises other exceptions for some of them."""
        if request is None:
            return super().create_url_adapter(request)
        try:
            adapter = super().create_url_adapter(request)
        except (BadHost, UnicodeError):
            raise SecurityError from None
        if not request.host:
            raise SecurityError
        return adapter


def _spoken(inside: WSGIApplication) -> WSGIApplication:
    """Wrap the app to answer in the language that is asked for."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        # asked all day long, and says no sentence; or too long to look for a language in
        if environ.get("PATH_INFO") == monitoring.ALIVE or len(environ.get("QUERY_STRING", "")) > sizes.LONGEST_QUERY:
            return inside(environ, start_response)
        with speaking(layout.chosen_language(Request(environ))):
            return inside(environ, start_response)

    return answer


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """Make the application; see ``referee.create_app``."""
    sys.setswitchinterval(TURN)
    app = Referee("referee", template_folder=str(TEMPLATES), static_folder=None)
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}  # before anything asks for its environment
    load_settings(app, config)
    logs.init_app(app)
    errors.init_app(app)
    monitoring.init_app(app)
    polls.init_app(app)
    app.wsgi_app = _spoken(app.wsgi_app)  # type: ignore[assignment]
    sizes.init_app(app)
    app.wsgi_app = headers.behind_proxies(app)  # type: ignore[assignment]
    app.wsgi_app = errors.last_resort(app)  # type: ignore[assignment]
    database.prepare_database(app)
    rate_limits.init_app(app)
    sessions.init_app(app)  # behind `sizes`, which counts the fields of a form before anything parses it
    guards.init_app(app)
    database.init_app(app)
    long_work.init_app(app)
    headers.init_app(app)
    static_files.init_app(app)
    _add_templates(app)  # behind those who add what its macros call
    app.after_request(layout.keep_messages)
    saved_pages.init_app(app)
    for room in ROOMS:
        app.register_blueprint(room.blueprint)
    app.register_error_handler(Deleted, deletion.answer_deleted)
    return app


def _add_templates(app: Flask) -> None:
    app.jinja_env.globals.update(
        say=words.say_in_page,
        bold=words.bold,
        picture_language=guards.picture_language,
        face_named=face_named,
        recent_sheets=recent_sheets,
        may_demo=layout.may_demo,
        own_command=own_command,
        ways_on=ways_on,
        books_beside=books_beside,
        topics_beside=partial(topic_links, TOPICS, None),
    )
    app.jinja_env.filters.update(
        number=words.number,
        figures=words.figures,
        joined=joined,
        own_errors=own_errors,
        points=figure,
        percent=percent,
        card=parse_card,
        local=local_time.local,
        day=local_time.day,
        weekday=local_time.weekday,
        letters=letters_of,
        minute=local_time.minute,
        written=local_time.written,
        rulebook_title=title_of,
        roles=roles_marked,
    )
    # Nearly every template draws these two; each import would gather the environment's names anew at every look
    for file, macro in (("icons", "icon"), ("fields", "csrf")):
        app.jinja_env.globals[macro] = getattr(app.jinja_env.get_template(f"_partials/{file}.html").module, macro)
    app.context_processor(layout.furnish)
