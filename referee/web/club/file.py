"""Read a club's document from bytes: decompressed within limits and validated, each problem with its field.

It is read match by match and player by player, so that memory and the time between two pauses depend on one of them.
"""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaValidator
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from referee.records.transfer.checks import check_head
from referee.records.transfer.document import ClubDocument, Head
from referee.records.transfer.faults import MOST_PROBLEMS
from referee.rules.problem import Impossible, Problem
from referee.web.words import say, say_invalid

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
NUL = b"\\u0000"
LONGEST_PIECE = 6_000_000
"""Characters of one match, player or rulebook; a match of 2,000 rounds, each corrected once, has less."""
WINDOW = 4_000_000
"""Bytes decoded at once."""
MOST_KEYS = 1_000
"""Keys of one object."""
_SURROGATE = "\\ud"
"""Begins the escape of half a character (a surrogate)."""
_BLANKS = re.compile(r"[ \t\n\r]*")


def read_club(data: bytes, limit: int | None, *, rest: Callable[[], object] = lambda: None) -> ClubDocument:
    """Read a document, compressed by gzip or not; `limit` bounds its size decompressed, in bytes.

    `rest` is called after each piece. Raises BadRequest (400) for invalid JSON, RequestEntityTooLarge (413), and
    `Impossible` (422) with the problems of a document.
    """
    if data.startswith(ZIP):
        raise BadRequest(say("file.zip"))
    plain = _unpacked(data, limit) if data.startswith(GZIP) else data
    if _has_nul(plain):
        raise Impossible([Problem("body", say("file.nul"))])
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for key, place, piece in _pieces(plain):
        rest()
        form = _forms().get(key)
        field = key[:40] if place is None else f"{key}[{place}]"
        if form is None:
            problems.append(Problem(field, say("field.unexpected_keyword_argument")))
        elif place is None and key in found:
            problems.append(Problem(field, say("file.twice")))
        else:
            try:
                value = (form.whole if place is None else form.item).validate_python(piece)
            except ValidationError as error:
                problems += _problems(error, field)
            else:
                if place is None:
                    found[key] = value
                else:
                    found[key].append(value)
        if key in ("format", "version") and {"format", "version"} <= found.keys():
            check_head(Head(found["format"], found["version"]))
        if len(problems) > MOST_PROBLEMS:
            raise Impossible([*problems[:MOST_PROBLEMS], Problem("body", say("import.more", n=MOST_PROBLEMS))])
    told = {problem.field for problem in problems}
    needed = [part.name for part in fields(ClubDocument) if part.default_factory is MISSING]
    problems += [Problem(key, say("field.missing")) for key in needed if key not in found and key not in told]
    if problems:
        raise Impossible(problems)
    return ClubDocument(**found)


def club_schema() -> dict[str, Any]:
    """Describe the format of a club's document (JSON Schema)."""
    return TypeAdapter(ClubDocument).json_schema()


class _Form:
    """How the value of one key is read: whole, or as a list of things that are read one by one."""

    def __init__(self, kind: Any) -> None:
        self.whole = _validator(kind)
        items = get_args(kind)
        self.item = _validator(items[0]) if items else self.whole


@cache
def _forms() -> dict[str, _Form]:
    kinds = get_type_hints(ClubDocument)
    return {part.name: _Form(kinds[part.name]) for part in fields(ClubDocument)}


def _validator(kind: Any) -> SchemaValidator:
    return SchemaValidator(_adapted(TypeAdapter(kind).core_schema))


def _adapted(schema: Any) -> Any:
    """Adapt a schema to JSON (objects, lists, times as texts), and stop at the first wrong item of a list.

    Otherwise a list of a million wrong items has a million problems, each with a copy of its item.
    """
    if not isinstance(schema, dict):
        return [_adapted(item) for item in schema] if isinstance(schema, list) else schema
    adapted = {key: _adapted(value) for key, value in schema.items()}
    kind = schema.get("type")
    if kind == "list":
        adapted["fail_fast"] = True
    elif kind in ("dataclass", "tuple", "datetime"):
        adapted["strict"] = False
    return adapted


def _unpacked(data: bytes, limit: int | None) -> bytes:
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


def _has_nul(data: bytes) -> bool:
    """Tell whether a text has an escaped NUL, rather than a backslash before “u0000”."""
    at = data.find(NUL)
    while at >= 0:
        before = at
        while before and data[before - 1] == NUL[0]:
            before -= 1
        if (at - before) % 2 == 0:
            return True
        at = data.find(NUL, at + len(NUL))
    return False


def _pieces(data: bytes) -> Iterator[tuple[str, int | None, Any]]:
    """Split an object into the values of its keys, and lists into their items.

    Gives key, place in the list and value; a list comes first by itself, empty, before its items.
    """
    reader = _Reader(data)
    if reader.next() != "{":
        reader.value("body")
        if reader.next():
            raise reader.malformed("file.json-end")
        raise Impossible([Problem("body", say("file.object"))])
    more = reader.open("}")
    while more:
        key = reader.value("body")
        if not isinstance(key, str) or reader.next() != ":":
            raise reader.malformed("file.json-key")
        reader.at += 1
        if reader.next() == "[" and get_args(get_type_hints(ClubDocument).get(key)):
            yield key, None, []
            place, items = 0, reader.open("]")
            while items:
                yield key, place, reader.value(f"{key[:40]}[{place}]")
                place, items = place + 1, reader.goes_on("]")
        else:
            yield key, None, reader.value(key[:40])
        more = reader.goes_on("}")
    if reader.next():
        raise reader.malformed("file.json-end")


class _Reader:
    """Reads JSON value by value, with a few million characters in memory."""

    def __init__(self, data: bytes) -> None:
        self._data, self._taken = data, 0
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._before, self._text, self.at = 0, "", 0
        self._parse = json.JSONDecoder(object_pairs_hook=_object).raw_decode

    def next(self) -> str:
        """Give the next character that isn't whitespace; empty at the end."""
        while True:
            self._look()
            if found := _BLANKS.match(self._text, self.at):
                self.at = found.end()
            if self.at < len(self._text):
                return self._text[self.at]
            if self._taken >= len(self._data):
                return ""

    def open(self, end: str) -> bool:
        """Go into an object or a list; tell whether there is anything in it."""
        self.at += 1
        if self.next() != end:
            return True
        self.at += 1
        return False

    def goes_on(self, end: str) -> bool:
        """Go beyond a comma, or the end of an object or a list; tell whether it was a comma."""
        found = self.next()
        if not found or found not in (",", end):
            raise self.malformed("file.json-comma", end=end)
        self.at += 1
        return found == ","

    def value(self, field: str) -> Any:
        """Read a value and go beyond it."""
        self.next()
        start = self.at
        try:
            value, self.at = self._parse(self._text, start)
        except _Odd as error:
            raise Impossible([Problem(field, str(error))]) from None
        except RecursionError:
            raise BadRequest(say("file.deep")) from None
        except json.JSONDecodeError as error:
            if self._taken < len(self._data):
                raise BadRequest(say("file.long", field=field, most=LONGEST_PIECE)) from None
            self.at = error.pos
            raise self.malformed("file.json", reason=error.msg) from None
        except ValueError:  # a number of thousands of digits
            raise BadRequest(say("file.long-number", field=field)) from None
        if _SURROGATE in self._text[start : self.at]:
            try:
                json.dumps(value, ensure_ascii=False).encode()
            except UnicodeEncodeError:
                raise Impossible([Problem(field, say("file.surrogate"))]) from None
        return value

    def malformed(self, key: str, **places: object) -> BadRequest:
        return BadRequest(say(key, at=self._before + self.at + 1, **places))

    def _look(self) -> None:
        if self._taken < len(self._data) and len(self._text) - self.at < LONGEST_PIECE:
            more = self._data[self._taken : self._taken + WINDOW]
            self._taken += len(more)
            try:
                text = self._decode(more, self._taken >= len(self._data))
            except UnicodeDecodeError:
                raise BadRequest(say("file.encoding")) from None
            self._before += self.at
            self._text, self.at = self._text[self.at :] + text, 0


class _Odd(ValueError):
    """An object with duplicate or too many keys."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; refuse one with too many keys, or one of them twice."""
    if len(pairs) > MOST_KEYS:
        raise _Odd(say("file.keys", n=len(pairs), most=MOST_KEYS))
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _Odd(say("file.key-twice"))
    return made


def _problems(error: ValidationError, field: str) -> list[Problem]:
    details = error.errors(include_url=False, include_input=False)
    return [Problem(_field(field, detail["loc"]), say_invalid(detail)) for detail in details[: MOST_PROBLEMS + 1]]


def _field(text: str, location: tuple[int | str, ...]) -> str:
    """Write the path to a value, without the type names that pydantic adds for unions."""
    for part in location:
        if not (isinstance(part, str) and part.startswith(("list[", "tuple["))):
            text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text
