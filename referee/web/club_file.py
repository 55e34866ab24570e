"""Read a club's document from bytes: unpacked within bounds, checked against its form, every fault by its field."""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from referee.records.club_checks import check_head
from referee.records.club_document import ClubDocument, Head
from referee.records.club_findings import MOST_PROBLEMS
from referee.rules.problem import Impossible, Problem

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
NUL = b"\\u0000"


def read_club(data: bytes, limit: int | None) -> ClubDocument:
    """Read a document, packed by gzip or not; `limit` bounds its size unpacked, in bytes.

    Raises BadRequest (400) for what is no JSON, RequestEntityTooLarge (413), and `Impossible` (422)
    with every fault of a document that is.
    """
    if data.startswith(ZIP):
        raise BadRequest("This is a ZIP archive. Unpack it, and send the JSON file in it.")
    plain = _unpacked(data, limit) if data.startswith(GZIP) else data
    if NUL in plain:
        raise Impossible([Problem("body", "A text has a NUL character in it (U+0000), which cannot be kept.")])
    try:
        check_head(_head().validate_json(plain))
        return _document().validate_json(plain)
    except ValidationError as error:
        raise _problems(error) from None
    except RecursionError:
        raise BadRequest("The file is nested too deep.") from None


def club_schema() -> dict[str, Any]:
    """Describe the form of a club's document (JSON Schema)."""
    return _document().json_schema()


@cache
def _document() -> TypeAdapter[ClubDocument]:
    return TypeAdapter(ClubDocument)


@cache
def _head() -> TypeAdapter[Head]:
    return TypeAdapter(Head)


def _unpacked(data: bytes, limit: int | None) -> bytes:
    reader = zlib.decompressobj(wbits=31)
    try:
        plain = reader.decompress(data, (limit or 0) + 1 if limit else 0)
    except zlib.error:
        raise BadRequest("This file was packed by gzip, and is damaged.") from None
    if limit and len(plain) > limit:
        raise RequestEntityTooLarge(f"Unpacked, the file is larger than {limit:,} bytes.")
    if not reader.eof:
        raise BadRequest("This file was packed by gzip, and its end is missing.")
    return plain


def _problems(error: ValidationError) -> Exception:
    details = error.errors(include_url=False, include_context=False, include_input=False)
    if details[0]["type"] == "json_invalid":
        return BadRequest(f"The file is no JSON: {details[0]['msg'].partition(': ')[2] or details[0]['msg']}.")
    found = [Problem(_field(detail["loc"]), _message(detail)) for detail in details[:MOST_PROBLEMS]]
    if len(details) > MOST_PROBLEMS:
        found.append(Problem("body", f"{len(details) - MOST_PROBLEMS:,} more things are wrong."))
    return Impossible(found)


def _field(location: tuple[int | str, ...]) -> str:
    """Write where something stands, leaving out the names of types that pydantic puts where several are possible."""
    text = ""
    for part in location:
        if not (isinstance(part, str) and part.startswith(("list[", "tuple["))):
            text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "body"


def _message(detail: Any) -> str:
    if detail["type"] == "missing":
        return "This is missing."
    if detail["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return "There is no such field."
    return f"{str(detail['msg']).removesuffix('.')}."
