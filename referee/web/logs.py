"""Give every request an id, and write logs that a machine can read and that hold no key.

An answer carries the id as ``X-Request-Id``. With the setting ``JSON_LOGS`` every request is one line of JSON; it names
the route, not the address, since some addresses are keys. What looks like a key is struck out of every other line.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
import time
from datetime import UTC, datetime
from typing import Any

from flask import Flask, Response, current_app, g, has_request_context, request

from referee.records.access import TOKEN_LENGTH
from referee.records.ids import ALPHABET
from referee.records.names import printable

HEADER = "X-Request-Id"
FROM_PROXY = re.compile(r"[A-Za-z0-9._-]{8,64}")
"""Ids that a proxy may give; anything else could forge a line of the log."""
TOKEN = re.compile(rf"[{ALPHABET}]{{{TOKEN_LENGTH}}}", re.IGNORECASE)


class HideTokens(logging.Filter):
    """Strike out whatever has the form of a key, and let nobody's text begin a line of its own."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record and let it pass."""
        record.msg, record.args = printable(TOKEN.sub("[key]", record.getMessage()), allowed=""), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = TOKEN.sub("[key]", logging.Formatter().formatException(record.exc_info))
        return True


class JsonLines(logging.Formatter):
    """Write a record as one line of JSON: time in UTC, level, message, request id, and what else it brought."""

    def format(self, record: logging.LogRecord) -> str:
        """Word one record."""
        said: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if has_request_context():
            said["request_id"] = g.get("request_id")
        said |= getattr(record, "said", {})
        if record.exc_text:
            said["exception"] = record.exc_text
        return json.dumps(said, ensure_ascii=False)


def init_app(app: Flask) -> None:
    """Number the requests, keep keys out of the log, and write it as JSON where the host wishes."""
    if not any(isinstance(one, HideTokens) for one in app.logger.filters):
        app.logger.addFilter(HideTokens())
    app.before_request(_begin)
    app.after_request(_number)
    if app.config["JSON_LOGS"]:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonLines())
        app.logger.handlers = [handler]
        app.logger.propagate = False
        app.logger.setLevel(logging.INFO)
        app.after_request(_log)


def id_of_request(given: str) -> str:
    """Take over the id that a proxy gave, since it is only worth something when it is the same there and here."""
    return given if given and FROM_PROXY.fullmatch(given) and not TOKEN.search(given) else secrets.token_hex(8)


def _begin() -> None:
    g.began = time.perf_counter()
    g.request_id = id_of_request(request.headers.get(HEADER, ""))


def _number(response: Response) -> Response:
    response.headers[HEADER] = g.get("request_id") or ""
    return response


def _log(response: Response) -> Response:
    said = {
        "method": request.method,
        "route": request.url_rule.rule if request.url_rule else None,
        "status": response.status_code,
        "milliseconds": round(1000 * (time.perf_counter() - g.began), 1) if "began" in g else None,
    }
    current_app.logger.info("request", extra={"said": said})
    return response
