"""The app behind a real server on a free port of this machine."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from flask import Flask

from referee.web.commands.serving import make_server


@dataclass(frozen=True)
class Server:
    """A running server: its address (no slash at the end) and the app it serves."""

    url: str
    app: Flask


@contextmanager
def running_server(app: Flask) -> Iterator[Server]:
    """Serve the app by waitress, as ``referee serve`` does, until the block ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    channels: dict[int, Any] = {}
    server = make_server(app, listener, channels)
    stopping = threading.Event()

    def serve() -> None:
        while not stopping.is_set():
            server.asyncore.loop(timeout=1, map=channels, count=1, use_poll=server.adj.asyncore_use_poll)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{listener.getsockname()[1]}", app)
    finally:
        # Sockets are closed only when nobody waits for them any more: select() would stumble over a closed one.
        stopping.set()
        server.pull_trigger()
        thread.join(5)
        server.task_dispatcher.shutdown()
        server.close()
        for channel in list(channels.values()):
            channel.close()
