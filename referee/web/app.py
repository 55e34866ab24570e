"""Put the app together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from flask import Flask, Request
from jinja2 import Template
from jinja2.environment import TemplateModule
from jinja2.runtime import Context
from werkzeug.exceptions import BadHost, SecurityError
from werkzeug.routing import MapAdapter, Rule

from referee.paths import STATIC, TEMPLATES
from referee.records.errors import Deleted
from referee.rules.decks import face_named
from referee.rules.toml_files import parse_by
from referee.web import carried, layout, words, writing
from referee.web.public import shutting
from referee.web.server import (
    csrf,
    errors,
    guards,
    headers,
    logs,
    metrics,
    pauses,
    polls,
    proxies,
    purges,
    rate_limits,
    sessions,
    sizes,
    static_files,
)
from referee.web.server.database import prepare_database
from referee.web.server.doors import Closed, Rooms, add_doors
from referee.web.server.parsed_files import ParsedFiles
from referee.web.server.settings import load_settings
from referee.web.server.template_cache import TemplateCache

WEB = "referee.web"
ROOMS: Mapping[str, Sequence[str]] = {
    "server.health": (),
    "about": (),
    "help": (),
    "score.room": (
        "club.deleting",
        "club.demo",
        "club.page",
        "score.adjusting",
        "score.clock",
        "score.closing",
        "score.dealer",
        "score.home",
        "score.menu",
        "score.new_match",
        "score.players",
        "score.rounds",
        "score.sheet",
        "score.striking",
    ),
    "disputes.room": ("disputes.offline_bundle", "disputes.pages", "disputes.record"),
    "rules.room": ("rules.own", "rules.reading", "rules.searching"),
    "history.room": ("history.match", "history.matches", "history.player", "history.players"),
    "club.invitations": (),
    "sharing.live": (),
    "hands.room": ("hands.gathering", "hands.phone"),
    "sharing.page": (),
    "public.room": ("public.front", "public.match", "public.players"),
    "club.transfer": (),
    "home_https.page": (),
    "offline": (),
    "ahead": (),
    "api.interface": (),
}
"""Modules of ``referee.web`` that each have a `blueprint`, with those that put further views into it."""


FOR_PAGES = {
    "recent_sheets": "score.recent",
    "ways_on": "score.home",
    "books_beside": "rules.beside",
    "topics_beside": "rules.beside",
}
"""Functions that templates call, and where they are."""


class LazyRule(Rule):
    """A rule that learns to write its address when one is first asked for: werkzeug compiles code for each."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        learn = super()._compile_builder
        learned: list[Callable[..., tuple[str, str]]] = []

        def build(rule: Rule, /, **values: object) -> tuple[str, str]:
            if not learned:
                learned.append(learn(append_unknown))
            return learned[0](rule, **values)

        return build


class QuickTemplate(Template):
    """A template whose macros are looked up at once: all of ours see the same globals, whoever imports them."""

    def _get_default_module(self, ctx: Context | None = None) -> TemplateModule:
        return super()._get_default_module()


class Referee(Flask):
    """Flask that refuses host names which no host can have."""

    url_rule_class = LazyRule

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Call every function as it is: none of ours is asynchronous, and a page has thirty hooks to look at."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Refuse, as a host that is not ours, every name that none can have: werkzeug fails at some of them."""
        if request is None:
            return super().create_url_adapter(request)
        try:
            adapter = super().create_url_adapter(request)
        except (BadHost, UnicodeError):
            raise SecurityError from None
        if not request.host:
            raise SecurityError
        return adapter


def make_app(config: Mapping[str, Any] | None) -> Flask:
    """Make the application; see ``referee.create_app``."""
    app = Referee("referee", template_folder=str(TEMPLATES), static_folder=None)
    load_settings(app, config)
    logs.init_app(app)
    errors.init_app(app)
    metrics.init_app(app)
    sessions.init_app(app)
    cached = Path(app.config["CACHE"] or Path(app.config["INSTANCE"], "cache"))
    kept = ParsedFiles(cached)
    parse_by(kept)
    app.jinja_options = {
        "trim_blocks": True,
        "lstrip_blocks": True,
        "bytecode_cache": TemplateCache(cached),
    }
    app.jinja_env.template_class = QuickTemplate
    app.jinja_env.globals["say"] = words.say_in_page
    app.jinja_env.globals["face_named"] = face_named
    app.jinja_env.globals |= {name: Closed(f"{WEB}.{place}", name) for name, place in FOR_PAGES.items()}
    app.context_processor(layout.furnish)
    app.register_error_handler(Deleted, Closed(f"{WEB}.club.deleting", "answer_deleted"))
    app.jinja_env.filters["number"] = words.number
    polls.init_app(app)
    sizes.init_app(app)
    app.wsgi_app = proxies.Proxies(app)  # type: ignore[method-assign]
    app.wsgi_app = errors.LastResort(app)  # type: ignore[method-assign]
    prepare_database(app)
    rate_limits.init_app(app)
    csrf.init_app(app)
    guards.init_app(app)
    writing.init_app(app)
    pauses.init_app(app)
    purges.init_app(app)
    headers.init_app(app)
    static_files.init_app(app, STATIC)
    app.after_request(layout.keep_said)
    carried.init_app(app, kept)
    shutting.init_app(app)
    add_doors(app, _rooms({**ROOMS, "design": ()} if app.debug else ROOMS), kept)
    return app


def _rooms(short: Mapping[str, Sequence[str]]) -> Rooms:
    return {f"{WEB}.{room}": [f"{WEB}.{other}" for other in others] for room, others in short.items()}
