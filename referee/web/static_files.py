"""Serve CSS, scripts and pictures under addresses that change with their content, compressed.

One digest of the whole folder stands in the address (``/static/3f2a…/css/base.css``), so that ES modules and style
sheets may name each other by relative paths. An address with an older digest, from a page that was open during an
update, gets the current file, without being kept.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Flask, Response, current_app, request, send_from_directory, url_for

YEAR = 365 * 24 * 3600
WORTH_PACKING = 500
"""Bytes below which compression saves nothing."""


def init_app(app: Flask, folder: Path) -> None:
    """Add the route ``static`` over ``folder`` and compress text on its way out."""
    digest = digest_of(folder)

    def serve(filename: str, version: str = "") -> Response:
        response = send_from_directory(folder, filename, max_age=YEAR)
        response.cache_control.immutable = True
        if version != current_digest():
            response.cache_control.clear()
            response.cache_control.no_cache = True
        response.direct_passthrough = False
        return response

    def current_digest() -> str:
        return digest_of(folder) if current_app.debug or current_app.testing else digest

    app.add_url_rule("/static/<string(length=12):version>/<path:filename>", "static", serve)
    app.add_url_rule("/static/<path:filename>", "static", serve)

    @app.url_defaults
    def put_digest(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static":
            values.setdefault("version", current_digest())

    app.jinja_env.globals["static"] = lambda filename: url_for("static", filename=filename)
    app.after_request(compress)


def digest_of(folder: Path) -> str:
    """Return twelve hexadecimal digits that change when any file under ``folder`` does."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            digest.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def compress(response: Response) -> Response:
    """Compress a text response with gzip when the client takes it; its ETag stays that of the content."""
    if not _is_text(response) or response.is_streamed or "Content-Encoding" in response.headers:
        return response
    response.vary.add("Accept-Encoding")
    plain = response.get_data()
    if len(plain) >= WORTH_PACKING and request.accept_encodings.quality("gzip") > 0:
        kept = request.endpoint == "static"
        response.set_data(_packed_once(plain) if kept else gzip.compress(plain, 6, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response


def _is_text(response: Response) -> bool:
    kind = response.mimetype or ""
    return kind.startswith("text/") or kind.endswith(("json", "javascript", "xml", "manifest+json"))


@lru_cache(maxsize=256)
def _packed_once(plain: bytes) -> bytes:
    return gzip.compress(plain, 9, mtime=0)
