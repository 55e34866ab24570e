"""Read the JSON that a client sends, within limits: no duplicate keys, no overlong numbers, no deep nesting.

Time and memory grow linearly with the body; each problem names its field.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NoReturn

from flask import request
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from referee.rules.problem import Impossible, Problem
from referee.web.server.errors import MOST_PROBLEMS
from referee.web.words import say

LONGEST_NUMBER = 15
"""Digits of a number; nothing here has more, and longer ones are slow to print."""

DEEPEST = 12
"""Levels of nesting; a round has three."""

MOST_PARTS = 300
"""Items of one object or list; a hand of two whole decks is 224 cards."""

LONGEST_FIELD = 160
"""Characters of a key that a problem quotes: as many as a name has."""


def read_json() -> Any:
    """Read the request's body: 415 for another content type, 400 for invalid JSON, 422 for values over the limits."""
    if not request.is_json:
        raise UnsupportedMediaType(say("body.kind"))
    try:
        value = _READER.decode(request.get_data(cache=True).decode("utf-8"))
    except RecursionError:
        raise BadRequest(say("body.deep", most=DEEPEST)) from None
    except ValueError as error:
        raise BadRequest(say("body.json", reason=error)) from None
    if problems := list(islice(_unreadable(value), MOST_PROBLEMS)):
        raise Impossible(problems)
    return value


def field_of(location: tuple[int | str, ...]) -> str:
    """Write the path to a value, as in ``hands.Bo[2]``, with long keys cut."""
    text = ""
    for part in location:
        part = part[:LONGEST_FIELD] if isinstance(part, str) else part
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "body"


class _Object(dict[str, Any]):
    """An object that remembers duplicate keys, of which JSON readers silently take the last."""

    twice: Sequence[str] = ()

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        if len(self) < len(pairs):
            self.twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]


class _LongNumber(str):
    """The digits of an overlong number, as text until its field is known."""


_LOOKED_INTO = (dict, list, _LongNumber)


def _unreadable(value: Any) -> Iterator[Problem]:
    """Find what is over the limits, level by level; raises BadRequest for too many levels."""
    level: list[tuple[tuple[int | str, ...], Any]] = [((), value)] if isinstance(value, _LOOKED_INTO) else []
    for _ in range(DEEPEST):
        below: list[tuple[tuple[int | str, ...], Any]] = []
        for location, item in level:
            if isinstance(item, _LongNumber):
                message = say("body.long-number", digits=item[:LONGEST_NUMBER], most=LONGEST_NUMBER)
                yield Problem(field_of(location), message)
                continue
            if isinstance(item, _Object):
                for key in item.twice:
                    yield Problem(field_of((*location, key)), say("body.twice", key=key[:40]))
            if len(item) > MOST_PARTS:
                yield Problem(field_of(location), say("body.parts", n=len(item), most=MOST_PARTS))
                continue
            parts = item.items() if isinstance(item, dict) else enumerate(item)
            below += [((*location, key), part) for key, part in parts if isinstance(part, _LOOKED_INTO)]
        level = below
        if not level:
            return
    raise BadRequest(say("body.deep", most=DEEPEST))


def _no_number(text: str) -> NoReturn:
    raise ValueError(say("body.number", text=text))


def _whole_number(text: str) -> int | _LongNumber:
    return _LongNumber(text) if len(text) > LONGEST_NUMBER else int(text)


_READER = json.JSONDecoder(object_pairs_hook=_Object, parse_constant=_no_number, parse_int=_whole_number)
