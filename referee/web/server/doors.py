"""Know every address before the modules behind it are imported: to import them all takes most of a start.

The first start imports all of them and writes down, beside the installation, what they declared; the next one reads
that, and a view's module is imported when somebody first asks for it. Files of ours that are others than they were then
(by length and time, as Python tells whether its own compiled files are stale) make the next start a first one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from threading import Lock
from typing import Any

from flask import Blueprint, Flask, current_app

from referee import __version__
from referee.paths import PACKAGE
from referee.web.server.parsed_files import ParsedFiles, state_of

WEB = PACKAGE / "web"
BY_ITSELF = frozenset({"HEAD", "OPTIONS"})
"""Methods that Flask adds to those of a view."""
HOOKS = (
    "before_request_funcs",
    "after_request_funcs",
    "teardown_request_funcs",
    "error_handler_spec",
    "template_context_processors",
    "url_default_functions",
    "url_value_preprocessors",
)
"""Where a blueprint keeps what is to be done beside its views."""
_OPENING = Lock()
"""Held by whoever imports: of two threads whose modules know each other, one would see half of a module."""

Rooms = Mapping[str, Sequence[str]]
"""Modules with a `blueprint`, each with the others that put views into it."""


@dataclass(frozen=True)
class Door:
    """An address, and where the view behind it is declared."""

    rule: str
    endpoint: str
    methods: Sequence[str]
    module: str
    name: str


class Closed:
    """A function whose module may not be imported yet; who calls this calls that."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def __call__(self, *given: Any, **parts: Any) -> Any:
        """Do what the function does."""
        return self.open()(*given, **parts)

    def open(self) -> Callable[..., Any]:
        """Import the function."""
        with _OPENING:
            found: Callable[..., Any] = getattr(import_module(self._module), self._name)
        return found


def add_doors(app: Flask, rooms: Rooms, kept: ParsedFiles) -> None:
    """Register the views of all rooms."""
    app.url_value_preprocessor(_open)
    state = f"{__version__} {sys.version} {sorted(rooms.items())} {state_of([WEB], ['.py'])}"
    found = kept.document("doors", state, lambda: {"doors": [vars(door) for door in _declared(rooms)]})
    for door in (Door(**one) for one in found["doors"]):
        view = app.view_functions.get(door.endpoint) or Closed(door.module, door.name)
        app.add_url_rule(door.rule, door.endpoint, view, methods=door.methods)


def _open(endpoint: str | None, _values: object) -> None:
    """Put the view in its place before anything looks at it."""
    view = current_app.view_functions.get(endpoint or "")
    if isinstance(view, Closed):
        current_app.view_functions[endpoint or ""] = view.open()


def _declared(rooms: Rooms) -> Iterator[Door]:
    """Import every view and give its address; raises TypeError for what would be missed where nothing is imported."""
    scratch, bare = Flask(__name__, static_folder=None), Blueprint("bare", __name__)
    for room, others in rooms.items():
        blueprint: Blueprint = import_module(room).blueprint
        for other in others:
            import_module(other)
        hooked = any(vars(blueprint)[hooks] != vars(bare)[hooks] for hooks in HOOKS)
        before = len(scratch.view_functions)
        scratch.register_blueprint(blueprint)
        if hooked or len(blueprint.deferred_functions) > len(scratch.view_functions) - before:
            raise TypeError(f"{room} declares more than views: a hook belongs to an `init_app`")
    for rule in scratch.url_map.iter_rules():
        view = scratch.view_functions[rule.endpoint]
        module, name = view.__module__, view.__name__
        if getattr(sys.modules[module], name, None) is not view:
            raise TypeError(f"{rule.endpoint} is not what {module} calls {name}")
        yield Door(rule.rule, rule.endpoint, sorted((rule.methods or set()) - BY_ITSELF), module, name)
