"""Serve the app by HTTPS too, beside the plain HTTP of the built-in server."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask import Flask

from referee.web.home_https.authority import HomeAuthority, is_home
from referee.web.home_https.page import ServedByHTTPS, serve_by_https
from referee.web.home_https.tunnel import Decrypted, Tunnel
from referee.web.server.built_in import make_server

THIS_COMPUTER = ("127.0.0.1", "::1")


def vouched(addresses: Sequence[str]) -> list[str]:
    """Choose the addresses that a home's authority may vouch for, this computer's own among them."""
    return [*THIS_COMPUTER, *(address for address in addresses if is_home(address))]


@contextmanager
def https_server(
    app: Flask, listener: socket.socket, addresses: Sequence[str], channels: dict[int, Any]
) -> Iterator[HomeAuthority]:
    """Answer HTTPS at a listener until the block ends, with a certificate for IP addresses.

    The connections are among `channels`, so that the server that runs those serves these too. The authority stands in
    the folder ``https`` of the instance. Raises OSError where that can't be written.
    """
    authority = HomeAuthority(Path(app.config["INSTANCE"]) / "https")
    context = authority.context_for(vouched(addresses))
    inner = socket.create_server((THIS_COMPUTER[0], 0))
    server = make_server(app, inner, channels)
    tunnel = Tunnel(listener, context, inner.getsockname()[1], app.config["CONNECTIONS"])
    plain = app.wsgi_app
    app.wsgi_app = Decrypted(plain, tunnel)  # type: ignore[method-assign]
    port = int(listener.getsockname()[1])
    serve_by_https(app, ServedByHTTPS(port, authority.name, authority.certificate))
    try:
        with tunnel:
            yield authority
    finally:
        app.wsgi_app = plain  # type: ignore[method-assign]
        serve_by_https(app, None)
        server.task_dispatcher.shutdown()
        server.close()
