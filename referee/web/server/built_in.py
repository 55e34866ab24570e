"""Serve the app by waitress, the server built in.

Idle connections are closed, and so are those that send a request drop by drop: after a while, and at once where a new
one finds no room, so that a crowd of them keeps nobody out. They cost a file descriptor each and no thread, since a
thread works only on requests that have arrived.
"""

from __future__ import annotations

import contextlib
import copy
import select
import socket
import time
from operator import attrgetter
from typing import Any

from flask import Flask
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import BaseWSGIServer, create_server
from waitress.task import WSGITask

from referee.web.server.sizes import LARGER

SPARE_FILES = 64
"""File descriptors left for the database, for uploads and for what the program itself opens."""
FEWEST_CONNECTIONS = 50
IDLE = 30
"""Seconds after which an idle connection is closed; pages that poll every other second keep theirs."""
SLOWEST = 1_000
"""Bytes a second that must arrive of a request from its start, after `IDLE` seconds: less than any phone sends."""
LARGEST_HEADERS = 65_536
"""Bytes of a request before its body, which waitress keeps in memory. The app itself refuses half of that, in words."""
NEAR = 4
"""How many times too large a body may be for the app to refuse it in words; a larger one is refused unread."""
ROOM = 20
"""The share of connections, one in so many, that is kept free for new ones."""


class AnswerTask(WSGITask):
    """A response after which the connection stays open, even if it has no body and therefore no length.

    Waitress would close it after each 304, and a phone that asks all evening would connect anew every time.
    """

    def set_close_on_finish(self) -> None:
        """Close only if the client asks for it, or couldn't tell otherwise where the response ends."""
        asked = self.request.headers if isinstance(self.request, HTTPRequestParser) else {}
        if self.has_body or self.version == "1.0" or asked.get("CONNECTION", "").lower() == "close":
            super().set_close_on_finish()


class Channel(HTTPChannel):
    """A connection whose time limit runs from the start of a request, not from its latest byte."""

    task_class = AnswerTask
    _began = 0.0
    _arrived = 0

    def received(self, data: bytes) -> bool:
        """Read what arrived; every `SLOWEST` bytes of a request extend its time limit by a second."""
        if self.request is None:
            self._began, self._arrived = time.time(), 0
        self._arrived += len(data)
        taken: bool = super().received(data)
        if self.request is not None:
            self.last_activity = min(self.last_activity, self._began + self._arrived / SLOWEST)
        return taken

    @property
    def is_idle(self) -> bool:
        """Return whether no request is being answered or sent."""
        return not self.requests and not self.total_outbufs_len


def make_server(app: Flask, listener: socket.socket, channels: dict[int, Any] | None = None) -> BaseWSGIServer:
    """Return a server on a socket that listens already; it keeps its connections in `channels`.

    ``run()`` serves until Ctrl+C, ``close()`` ends it.
    """
    server = create_server(
        app,
        map=channels,
        sockets=[listener],
        threads=app.config["THREADS"],
        connection_limit=connections_within(app.config["CONNECTIONS"]),
        channel_timeout=IDLE,
        cleanup_interval=IDLE // 6,
        asyncore_use_poll=hasattr(select, "poll"),  # select() knows no file descriptor beyond 1,023
        max_request_header_size=LARGEST_HEADERS,
        max_request_body_size=max(app.config["MAX_CONTENT_LENGTH"], app.config["MAX_IMPORT_LENGTH"]),
        inbuf_overflow=65_536,  # what is longer waits in a file, not in memory
        clear_untrusted_proxy_headers=False,  # the app reads them itself, and only as PROXIES says
        ident=None,
    )
    assert isinstance(server, BaseWSGIServer)  # one listener, one server
    server.channel_class = type("Channel", (Channel,), {"parser_class": _parser(app, server)})
    server.readable = lambda: _make_room(server) and BaseWSGIServer.readable(server)  # type: ignore[method-assign]
    return server


def _make_room(server: Any) -> bool:
    """Close some idle connections where new ones would soon find no room, and be left waiting; return True."""
    some = max(1, server.adj.connection_limit // ROOM)
    # a little before it is full: waitress writes a warning each time that it is
    if len(server._map) >= server.adj.connection_limit - some:
        idle = sorted(filter(attrgetter("is_idle"), server.active_channels.values()), key=attrgetter("last_activity"))
        for channel in idle[:some]:
            channel.will_close = True  # the loop closes it next
    return True


def _parser(app: Flask, server: BaseWSGIServer) -> type[HTTPRequestParser]:
    """Return the class that reads requests; only at addresses for imports does it accept bodies as large as a club."""
    large = {rule.rule for rule in app.url_map.iter_rules() if rule.endpoint in LARGER}
    elsewhere = copy.copy(server.adj)
    elsewhere.max_request_body_size = NEAR * app.config["MAX_CONTENT_LENGTH"]

    class Parser(HTTPRequestParser):
        path: str

        def parse_header(self, header_plus: bytes) -> None:
            super().parse_header(header_plus)
            if self.path not in large:
                self.adj = elsewhere

    return Parser


def connections_within(wanted: int) -> int:
    """Return how many connections can be open at once, `wanted` at most: each takes a file descriptor.

    The process takes more descriptors where the system allows it to.
    """
    try:
        import resource
    except ImportError:  # Windows counts otherwise, and select() takes 512 sockets there
        return min(wanted, 400)
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY and files < wanted + SPARE_FILES:
        more = wanted + SPARE_FILES if most == resource.RLIM_INFINITY else min(wanted + SPARE_FILES, most)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (more, most))
            files = more
        wanted = min(wanted, max(FEWEST_CONNECTIONS, files - SPARE_FILES))
    return wanted
