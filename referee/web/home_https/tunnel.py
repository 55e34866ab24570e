"""Answer TLS in front of the built-in server, which speaks plain HTTP only.

A thread decrypts each connection and passes its bytes on to a listener that nobody but this computer reaches. What the
app has to know about the phone behind (its address, and that it came by HTTPS) is put back by `Decrypted`.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from referee.web.server.headers import AT_HOME

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HANDSHAKE = 10.0
"""Seconds that a phone has for its handshake; later the built-in server's own limits hold."""
AT_ONCE = 65_536
"""Bytes passed on at once."""


class Tunnel:
    """Decrypts what arrives at a listener, and passes it on to a port of this computer, from a thread of its own."""

    def __init__(self, listener: socket.socket, context: ssl.SSLContext, port: int, most: int) -> None:
        self.port = port
        self.phones: dict[int, str] = {}
        """the phone's address, by the port from which its bytes come to `port`"""
        self._listener, self._context, self._most = listener, context, most
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_pass_over)
        self._thread = threading.Thread(target=self._run, name="https", daemon=True)

    def __enter__(self) -> Tunnel:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join(5)

    def _run(self) -> None:
        with contextlib.suppress(asyncio.CancelledError), contextlib.closing(self._loop):
            self._loop.run_until_complete(self._serve())

    def _stop(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()

    async def _serve(self) -> None:
        server = await asyncio.start_server(
            self._pass_on, sock=self._listener, ssl=self._context, ssl_handshake_timeout=HANDSHAKE, limit=AT_ONCE
        )
        async with server:
            await server.serve_forever()

    async def _pass_on(self, phone: asyncio.StreamReader, to_phone: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError), contextlib.ExitStack() as stack:
            stack.callback(to_phone.close)
            if len(self.phones) >= self._most:
                return
            app, to_app = await asyncio.open_connection("127.0.0.1", self.port, limit=AT_ONCE)
            stack.callback(to_app.close)
            known_by = to_app.get_extra_info("sockname")[1]
            self.phones[known_by] = to_phone.get_extra_info("peername")[0]
            stack.callback(self.phones.pop, known_by)
            ways = [asyncio.ensure_future(_pump(*way)) for way in ((phone, to_app), (app, to_phone))]
            _, pending = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in pending:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(AT_ONCE):
            target.write(data)
            await target.drain()


def _pass_over(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say nothing of phones that hang up or don't trust the certificate: asyncio would log each with a traceback."""
    error = context.get("exception")
    if not isinstance(error, OSError | asyncio.CancelledError):  # TLS errors are OSErrors
        _loop.default_exception_handler(context)


class Decrypted:
    """Tell the app of each request that came through a tunnel by what phone and scheme it came."""

    def __init__(self, wsgi_app: WSGIApplication, tunnel: Tunnel) -> None:
        self._wsgi_app, self._tunnel = wsgi_app, tunnel

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ.get("SERVER_PORT") == str(self._tunnel.port):
            phone = self._tunnel.phones.get(int(environ.get("REMOTE_PORT", 0)))
            environ |= {"wsgi.url_scheme": "https", AT_HOME: True}
            if phone is not None:
                environ["REMOTE_ADDR"] = phone
        return self._wsgi_app(environ, start_response)
