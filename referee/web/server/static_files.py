"""Serve CSS, scripts and pictures under addresses that change with their content, and compress what is text.

One digest of the whole folder stands in the address (``/static/3f2a…/css/base.css``), so that ES modules and style
sheets may name each other by relative paths. An address with an older digest, from a page that was open during an
update, gets the current file, without being kept.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import secrets
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Flask, Response, abort, current_app, request, url_for
from werkzeug.http import parse_accept_header

from referee.records.cache import Cache
from referee.web.server import text_files
from referee.web.server.text_files import text_of

YEAR = 365 * 24 * 3600
WORTH_PACKING = 500
"""Bytes below which compression saves nothing."""
LONGEST_NAME = 32
LONGEST_ACCEPTED = 100
"""Characters of an Accept-Encoding that is looked at; browsers send some 30."""
KINDS = {
    ".css": "text/css",
    ".ico": "image/x-icon",
    ".js": "text/javascript",  # said here because some systems register another kind for it
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
}


ADDRESSES: Cache[str] = Cache("static addresses", 200_000, share=40)
"""Every page names some files, and the router takes its time."""
PACKED: Cache[bytes] = Cache("static files", 1_000_000, share=4)
"""Files and other lasting answers compressed, by the digest of their content."""


def init_app(app: Flask, folder: Path) -> None:
    """Add the route ``static`` over ``folder``, and compress text on its way out."""
    found_at_start = files_in(folder), digest_of(folder)

    def files_and_digest() -> tuple[dict[str, Path], str]:
        changing = current_app.debug
        return (files_in(folder), digest_of(folder)) if changing else found_at_start

    def serve(filename: str, version: str = "") -> Response:
        files, digest = files_and_digest()
        file = files.get(filename) or abort(404)
        response = Response(content_of(file), content_type=content_type(file))
        if version == digest:
            response.cache_control.public = True
            response.cache_control.max_age = YEAR
            response.cache_control.immutable = True
        else:
            response.cache_control.no_cache = True
        response.add_etag()
        response.make_conditional(request)
        return response

    app.add_url_rule("/static/<string(length=12):version>/<path:filename>", "static", serve)
    app.add_url_rule("/static/<path:filename>", "static", serve)

    @app.url_defaults
    def put_digest(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static":
            values.setdefault("version", files_and_digest()[1])

    def address_of(filename: str, script_root: str, digest: str) -> str:
        return ADDRESSES.get(
            (filename, script_root, digest), lambda: url_for("static", filename=filename, version=digest)
        )

    app.jinja_env.globals["static"] = lambda filename: address_of(filename, request.script_root, files_and_digest()[1])
    app.after_request(compress)


def files_in(folder: Path) -> dict[str, Path]:
    """List the files under a folder, each by its path from there, with slashes; nothing else is ever served."""
    return {file.relative_to(folder).as_posix(): file for file in sorted(folder.rglob("*")) if file.is_file()}


def digest_of(folder: Path) -> str:
    """Return twelve hexadecimal digits that change when any file under ``folder`` does, or the way it is sent."""
    digest = hashlib.sha256(Path(text_files.__file__).read_bytes())
    for name, file in files_in(folder).items():
        digest.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]


def content_of(file: Path) -> bytes:
    """Read a file as it is sent."""
    return text_of(file).encode() if file.suffix in (".css", ".js") else file.read_bytes()


def content_type(file: Path) -> str:
    """Say what a file is, as the header `Content-Type` does."""
    kind = KINDS.get(file.suffix, "application/octet-stream")
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def compress(response: Response) -> Response:
    """Compress a text response with gzip when the client takes it; its ETag stays that of the content."""
    if not _is_text(response.mimetype or "") or response.is_streamed or "Content-Encoding" in response.headers:
        return response
    plain = response.get_data()
    if len(plain) < WORTH_PACKING:
        return response
    varies = response.headers.get("Vary")
    response.headers["Vary"] = f"{varies}, Accept-Encoding" if varies else "Accept-Encoding"
    accepted = request.headers.get("Accept-Encoding", "")
    if len(accepted) <= LONGEST_ACCEPTED and _takes_gzip(accepted):
        lasting = response.cache_control.public and response.cache_control.immutable  # a page has a token in it
        response.set_data(_packed_once(plain) if lasting else _packed(plain))
        response.headers["Content-Encoding"] = "gzip"
    return response


def _is_text(kind: str) -> bool:
    return kind.startswith("text/") or kind.endswith(("json", "javascript", "xml"))


@lru_cache(maxsize=64)  # there are as many as there are kinds of browsers
def _takes_gzip(accepted: str) -> bool:
    return parse_accept_header(accepted).quality("gzip") > 0


def _packed(plain: bytes) -> bytes:
    """Compress a page under a name of random length, so that its size tells nothing of the token in it (BREACH)."""
    packed = io.BytesIO()
    with gzip.GzipFile("-" * secrets.randbelow(LONGEST_NAME), "wb", 6, packed, mtime=0) as file:
        file.write(plain)
    return packed.getvalue()


def _packed_once(plain: bytes) -> bytes:
    return PACKED.get(hashlib.sha256(plain).digest(), lambda: gzip.compress(plain, 9, mtime=0))
