"""Read what is uploaded: a club's document, decompressed within limits, each problem with its field."""

import json
import re
import time
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

from flask import current_app
from pydantic import TypeAdapter, ValidationError
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from referee.records.transfer.checking import MOST_PROBLEMS, check_format, field_of
from referee.records.transfer.document import ClubDocument
from referee.rules.text.problem import Impossible, Problem
from referee.web.server import guards, rate_limits
from referee.web.words import say, say_invalid

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
MOST_KEYS = 1_000
"""Keys of one object: an error of a kilobyte is made for each that is unknown."""
STRETCH, LONGEST_PAUSE = 0.005, 0.02
"""Seconds that an import computes before it pauses, and the longest it then sleeps."""
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
"""An escaped NUL, which no database stores, rather than a backslash before “u0000”."""


class Pauses:
    """A callback that sleeps as long as it was away: computing holds the interpreter's lock.

    Call it often; after each `STRETCH` seconds of work it sleeps as long as it has worked.
    """

    def __init__(self) -> None:
        self._since = time.perf_counter()

    def __call__(self) -> None:
        worked = time.perf_counter() - self._since
        if worked > STRETCH:
            time.sleep(min(worked, LONGEST_PAUSE))
            self._since = time.perf_counter()


def read_upload(data: bytes) -> tuple[str, ClubDocument]:
    """Return the id of this request's club, and the document to be imported into it; raises as `read_club`, and 429."""
    club_id = guards.get_club(write=True).id
    rate_limits.count_import()
    return club_id, read_club(data, current_app.config["MAX_IMPORT_LENGTH"], pause=Pauses())


def read_club(data: bytes, limit: int | None, *, pause: Callable[[], object] | None = None) -> ClubDocument:
    """Read a document, compressed by gzip or not; `limit` bounds its size decompressed, in bytes.

    `pause` is called after each object and each round. Raises BadRequest (400) for invalid JSON, RequestEntityTooLarge
    (413), and `Impossible` (422) with the problems of a document.
    """
    if data.startswith(ZIP):
        raise BadRequest(say("file.zip"))
    plain = _decompressed(data, limit) if data.startswith(GZIP) else data
    if _NUL.search(plain):
        raise Impossible([Problem("body", say("file.nul"))])
    head = _read_head(plain, pause)
    check_format(head.get("format"), head.get("version"))
    try:
        return _adapter().validate_json(plain, context=pause)
    except ValidationError as error:
        raise Impossible(_problems(error)) from None


def club_schema() -> dict[str, Any]:
    """Return the JSON Schema of a club's document."""
    return _adapter().json_schema()


@cache
def _adapter() -> TypeAdapter[ClubDocument]:
    return TypeAdapter(ClubDocument)


def _decompressed(data: bytes, limit: int | None) -> bytes:
    reader = zlib.decompressobj(wbits=31)
    try:
        plain = reader.decompress(data, (limit or 0) + 1 if limit else 0)
    except zlib.error:
        raise BadRequest(say("file.gzip")) from None
    if limit and len(plain) > limit:
        raise RequestEntityTooLarge(say("file.large", most=limit))
    if not reader.eof:
        raise BadRequest(say("file.cut-off"))
    return plain


def _read_head(data: bytes, pause: Callable[[], object] | None) -> dict[str, Any]:
    """Return format and version; refuse what is no JSON, and objects with duplicate or too many keys.

    The model would take the last of duplicate keys, and collect a gigabyte of errors for a million unknown ones.
    """

    def read(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if pause is not None:
            pause()
        if len(pairs) > MOST_KEYS:
            raise Impossible([Problem("body", say("file.keys", n=len(pairs), most=MOST_KEYS))])
        fields = dict(pairs)
        if len(fields) < len(pairs):
            raise Impossible([Problem("body", say("file.key-twice"))])
        return {name: fields[name] for name in ("format", "version") if name in fields}

    try:
        head = json.loads(data.decode(), object_pairs_hook=read)
    except UnicodeDecodeError:
        raise BadRequest(say("file.encoding")) from None
    except Impossible:
        raise
    except RecursionError:
        raise BadRequest(say("file.deep")) from None
    except json.JSONDecodeError as error:
        raise BadRequest(say("file.json", at=error.pos + 1)) from None
    except ValueError:  # a number of thousands of digits
        raise BadRequest(say("file.long-number")) from None
    if not isinstance(head, dict):
        raise Impossible([Problem("body", say("file.object"))])
    return head


def _problems(error: ValidationError) -> list[Problem]:
    details = error.errors(include_url=False, include_input=False)
    problems = [Problem(field_of(detail["loc"]), say_invalid(detail)) for detail in details[:MOST_PROBLEMS]]
    if len(details) > MOST_PROBLEMS:
        problems.append(Problem("body", say("import.more", n=MOST_PROBLEMS)))
    return problems
