"""Assign an id to every request, and write logs that a machine can read and that hold no key.

An answer carries the id as ``X-Request-Id``. With the setting ``JSON_LOGS`` every request is one line of JSON; it names
the route, not the address, since some addresses are keys. What looks like a key is struck out of every other line that
any logger of the process writes: a server names the address of a request that failed, and may keep an access log.
"""

import contextlib
import json
import logging
import re
import secrets
import sys
import time
from datetime import UTC, datetime
from typing import Any

from flask import Flask, Response, current_app, g, has_request_context, request

from referee.records.ids import ALPHABET, TOKEN_LENGTH, read_token
from referee.records.names import printable

HEADER = "X-Request-Id"
FROM_PROXY = re.compile(r"[A-Za-z0-9._-]{8,64}")
"""Ids that a proxy may give; anything else could forge a line of the log."""
_UUID = re.compile(r"[0-9a-f]{8}(-?)(?:[0-9a-f]{4}\1){3}[0-9a-f]{12}")
"""What most proxies give. It is longer than a key, so it is none."""

METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
"""Methods that the log names. Servers take any word for one, also a key."""

_SIGN = r"(?:[0-9a-z]|%(?:3\d|[46][1-9a-f]|[57][0-9a]))"
"""A letter or digit as it may stand in an address."""
_BETWEEN = r"(?:[-.+]|%(?:2[0bde]|0[9ad]))"
"""What a token may have between its groups, as `read_token` allows, and as an address writes it."""
_PLAIN = re.compile(rf"[{ALPHABET}]{{{TOKEN_LENGTH},}}", re.IGNORECASE | re.ASCII)
_FORMS = re.compile(
    "|".join(
        (
            r"(?P<cookie>(?<![\w.-])\.?[\w-]{20,}\.[\w-]{6}\.[\w-]{27})",  # signed, with keys inside
            rf"(?P<plain>{_PLAIN.pattern})",
            rf"(?:[0-9a-z]{{5}}\s){{{TOKEN_LENGTH // 5 - 1}}}[0-9a-z]{{6}}",  # as words on a recovery sheet
            rf"{_SIGN}(?:{_BETWEEN}*{_SIGN}){{{TOKEN_LENGTH - 1},}}",
        )
    ),
    re.IGNORECASE | re.ASCII,
)
_HIDDEN = "[key]"


def hide_tokens(text: str) -> str:
    """Replace whatever looks like a key: plain, in groups, misread, percent-coded, or in a signed cookie."""
    return _FORMS.sub(_hidden, text)


def _hidden(match: re.Match[str]) -> str:
    """Leave what is all letters to be read, such as the dotted name of a class: a key has digits among them."""
    if match.lastgroup or any(sign.isdigit() for sign in match[0]):
        return _HIDDEN
    return _PLAIN.sub(_HIDDEN, match[0])


class HideTokens(logging.Filter):
    """Log filter: removes keys, and line breaks that would forge a line of the log."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Clean the record, and return True so that it is written."""
        record.msg, record.args = printable(hide_tokens(record.getMessage()), allowed=""), ()
        if record.exc_info and not record.exc_text:  # formatters take this text, if it is there, for the traceback
            record.exc_text = hide_tokens(logging.Formatter().formatException(record.exc_info))
        return True


def hide_tokens_everywhere() -> None:
    """Hide tokens in every log record of this process: the server's, the libraries' and ours."""
    # a logger's filter sees no record of its children; the factory makes them all
    usual = logging.getLogRecordFactory()
    if getattr(usual, "hides_tokens", False):
        return

    def make(*args: Any, **options: Any) -> logging.LogRecord:
        record = usual(*args, **options)
        with contextlib.suppress(Exception):  # a message that cannot be worded is the logger's to complain of
            told = record.getMessage()
            if (hidden := hide_tokens(told)) != told:
                record.msg, record.args = hidden, ()
        if record.exc_info and not record.exc_text:
            record.exc_text = hide_tokens(logging.Formatter().formatException(record.exc_info))
        if record.stack_info:
            record.stack_info = hide_tokens(record.stack_info)
        return record

    make.hides_tokens = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(make)


class JsonLines(logging.Formatter):
    """Log formatter: one JSON object a line, with time in UTC, level, message, request id and extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Format one record."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if has_request_context():
            line["request_id"] = g.get("request_id")
        line |= getattr(record, "said", {})
        if record.exc_text:
            line["exception"] = record.exc_text
        return json.dumps(line, ensure_ascii=False)


def init_app(app: Flask) -> None:
    """Assign each request an id, keep keys out of the log, and write it as JSON if the host wants it."""
    hide_tokens_everywhere()
    if not any(isinstance(log_filter, HideTokens) for log_filter in app.logger.filters):
        app.logger.addFilter(HideTokens())
    app.url_value_preprocessor(_begin)  # the first that Flask calls: what refuses a request has its id
    app.after_request(_number)
    if app.config["JSON_LOGS"]:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonLines())
        app.logger.handlers = [handler]
        app.logger.propagate = False
        app.logger.setLevel(logging.INFO)
        app.after_request(_log)


def id_of_request(given: str) -> str:
    """Return the id that a proxy gave this request, if it is one, so that both logs have it; else a new id."""
    if not given:
        return secrets.token_hex(8)
    could_be_token = read_token(given) is not None or _PLAIN.search(given) is not None
    is_id = _UUID.fullmatch(given) or (FROM_PROXY.fullmatch(given) and not could_be_token)
    return given if is_id else secrets.token_hex(8)


def _begin(_endpoint: str | None, _values: object) -> None:
    g.began = time.perf_counter()
    g.request_id = id_of_request(request.headers.get(HEADER, ""))


def _number(response: Response) -> Response:
    response.headers[HEADER] = g.get("request_id") or ""
    return response


def _log(response: Response) -> Response:
    fields = {
        "method": request.method if request.method in METHODS else "other",
        "route": request.url_rule.rule if request.url_rule else None,
        "status": response.status_code,
        "milliseconds": round(1000 * (time.perf_counter() - g.began), 1) if "began" in g else None,
    }
    current_app.logger.info("request", extra={"said": fields})
    return response
