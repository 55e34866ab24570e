"""The commands ``referee serve`` and ``referee demo``, which run the app on this computer by waitress.

Idle connections are closed, and so are those that send a request drop by drop: after a while, and at once where a new
one finds no room, so that a crowd of them keeps nobody out. They cost a file descriptor each and no thread, since a
thread works only on requests that have arrived.
"""

import contextlib
import copy
import select
import socket
import time
from collections.abc import Callable
from contextlib import closing
from operator import attrgetter
from pathlib import Path
from typing import Any

import click
from flask import Flask
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import BaseWSGIServer, create_server
from waitress.task import WSGITask

from referee import __version__
from referee.paths import commit
from referee.records.demo.sample import LASTS, SEED, found_demo, sample_plan
from referee.records.models import Club
from referee.web.commands.clubs import club_of_the_home, find_club, show_invitation
from referee.web.commands.terminal import answers, home_address, make_app, phones_address, progress
from referee.web.server.database import db
from referee.web.server.sizes import LARGER
from referee.web.words import say

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""The addresses that listen on every network, each with the one that this computer itself opens."""


@click.command()
@click.option("--host", default=None, help="Address to listen on, instead of the setting HOST.")
@click.option(
    "--port", default=None, type=click.IntRange(0, 65535), help="Port, instead of the setting PORT; 0 picks one."
)
@click.option("--lan", is_flag=True, help="Let phones on your network connect, and show a QR code that invites one.")
@click.option("--https", is_flag=True, hidden=True)
@click.option("--club", default=None, help="With --lan, the name or id of the club to invite to.")
def serve(host: str | None, port: int | None, lan: bool, https: bool, club: str | None) -> None:
    """Run the app on this computer.

    With --lan, phones on the same network find it at the address that is shown. The phone that scans the QR code
    becomes a scorekeeper; the code works once, for a quarter of an hour, and invites into the club that played last.

    The server is enough for a home: it closes connections that send nothing for 30 seconds, or a request more slowly
    than 1,000 bytes a second. On the open internet put a proxy in front.
    """
    if https:
        raise click.UsageError(say("command.https"))
    app = make_app()
    port = app.config["PORT"] if port is None else port
    if lan:
        _serve(app, "0.0.0.0", port, lambda: find_club(club) if club else club_of_the_home())
    else:
        _serve(app, host or app.config["HOST"], port)


@click.command()
@click.option("--seed", default=SEED, show_default=True, help="Another seed plays other matches.")
@click.option("--keep", is_flag=True, help="Let it stay; otherwise it ends after a day.")
def demo(seed: int, keep: bool) -> None:
    """Fill a new club with made-up matches, and show it.

    Seven players over seven months, to see what every page looks like. Scan the QR code with a phone on the same
    network, or open the link on this computer. If Referee isn’t running yet, this command runs it, as serve --lan does.

    Visitors get the same from “Try a demo” on the first page: at most 200 at a time, and six an hour
    from one address. An ended demo opens no more; it is deleted with everything in it when the next match or demo
    starts. REFEREE_DEMO=off takes the button away.
    """
    app = make_app()
    with app.app_context():
        with progress(say("command.playing-demo"), len(sample_plan().matches)) as move:
            founded = found_demo(db.engine, seed=seed, lasts=None if keep else LASTS, done=move)
        matches = founded.sample.matches
        rounds = sum(len(match.rounds) for match in matches)
        click.echo(say("command.demo", name=find_club(founded.club_id).name, matches=len(matches), rounds=rounds))
        if founded.ends_at is not None:
            click.echo(say("command.demo-ends", time=founded.ends_at))
        if answers("127.0.0.1", app.config["PORT"]):
            show_invitation(find_club(founded.club_id), phones_address(app))
            return
    _serve(app, "0.0.0.0", app.config["PORT"], lambda: find_club(founded.club_id))


def _serve(app: Flask, host: str, port: int, club: Callable[[], Club] | None = None) -> None:
    """Print where the app is, and a link into the club that `club` finds, and serve until Ctrl+C."""
    listener = _listen(host, port)
    port = int(listener.getsockname()[1])
    name = EVERYWHERE.get(host, host)
    here = f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
    home = home_address() if host in EVERYWHERE else None
    at_home = f"http://{home}:{port}" if home else None
    with closing(make_server(app, listener)) as server:
        with app.app_context():
            database, instance = db.engine.url.render_as_string(hide_password=True), Path(app.config["INSTANCE"])
            version = f"{__version__} ({commit()})"
            click.echo(say("command.running", version=version, address=here, instance=instance, database=database))
            if at_home:
                click.echo(say("command.network", address=at_home))
            elif club:
                click.echo(say("command.no-network"))
            if club:
                show_invitation(club(), at_home or here)
        click.echo(say("command.stop"))
        server.run()


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = error.strerror or error
        raise click.ClickException(say("command.port", port=port, host=host, reason=reason, next=port + 1)) from error


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
