"""Where something can be put into the app: found by asking the app, so that nothing new is left out.

Bodies and queries of the JSON interface come from its OpenAPI document; the fields of pages are those that their forms
show and those that a view asks its request for, which `Listening` notes.
"""

import copy
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Request
from werkzeug.datastructures import ImmutableMultiDict

from tests.abuse.shapes import ALONE, LISTS, OBJECTS, OTHERS, Shape

asked: set[str] = set()
"""Names of fields that a view has asked its request for since this was last emptied."""
headers_asked: set[str] = set()
"""The same for headers, as WSGI names them."""


class Noted(ImmutableMultiDict[str, Any]):
    """Fields of a request that note the names they are asked for."""

    def __getitem__(self, key: str) -> Any:
        asked.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        asked.add(str(key))
        return super().__contains__(key)

    def get(self, key: str, default: Any = None, type: Any = None) -> Any:  # type: ignore[override]
        """Give a field's first value."""
        asked.add(key)
        return super().get(key, default, type)

    def getlist(self, key: str, type: Any = None) -> list[Any]:
        """Give all values of a field."""
        asked.add(key)
        return super().getlist(key, type)


class Listening(Request):
    """A request that notes which of its fields a view asks for."""

    parameter_storage_class = Noted


def parts_of(schema: Mapping[str, Any], document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """List the schemas of which one has to fit, without references; {} where anything does."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    return [part for one in schema["anyOf"] for part in parts_of(one, document)] if "anyOf" in schema else [schema]


def kinds_of(part: Mapping[str, Any]) -> set[str]:
    """List the types that a schema takes; all of them where it names none."""
    named = part.get("type", ["string", "array", "object", "integer"])
    return {named} if isinstance(named, str) else set(named)


@dataclass(frozen=True)
class Place:
    """A place for something in a JSON body: its path in it, as keys and ``0`` for a list's items, and its schemas."""

    path: tuple[str | int, ...]
    parts: Sequence[Mapping[str, Any]]

    def __str__(self) -> str:
        return ".".join(map(str, self.path))

    def put(self, body: Any, value: Any) -> Any:
        """Give the body with a value at this place; what leads there is made."""
        whole = {"body": copy.deepcopy(body)}
        holder: Any = whole
        path = ("body", *self.path)
        for key, following in itertools.pairwise(path):
            empty: Any = [None] if isinstance(following, int) else {}
            if type(holder[key] if isinstance(key, int) else holder.get(key)) is not type(empty):
                holder[key] = empty
            holder = holder[key]
        holder[path[-1]] = value
        return whole["body"]

    def shapes(self) -> Iterator[tuple[str, Shape]]:
        """Give what is too much here, by bytes: of what its type takes, and where anything goes of all there is."""
        kinds = {kind for part in self.parts for kind in kinds_of(part)}
        for kind, shapes in (("string", ALONE), ("array", LISTS), ("object", OBJECTS), ("integer", OTHERS)):
            if kind in kinds:
                yield from shapes.items()


def places_of(schema: Mapping[str, Any], document: Mapping[str, Any], path: tuple[str | int, ...] = ()) -> list[Place]:
    """List every place of a schema of the OpenAPI document."""
    parts = parts_of(schema, document)
    found = [Place(path, parts)] if path else []
    for part in parts:
        inner: list[tuple[str | int, Any]] = [*part.get("properties", {}).items()]
        inner += [("Bo", part.get("additionalProperties")), (0, part.get("items"))]
        for key, one in inner:
            if isinstance(one, dict):
                found += places_of(one, document, (*path, key))
    return found


def fillings(part: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[tuple[str, int, Callable[[int], Any]]]:
    """Give what just fits: its name, how much of it there may be at most, and how to make so much."""
    kinds = kinds_of(part)
    if "string" in kinds and "maxLength" in part and "enum" not in part:
        yield "marks", part["maxLength"], lambda count: "a\u0323" * (count // 2)
        yield "words", part["maxLength"], lambda count: ("w " * count)[:count]
    if "array" in kinds and "maxItems" in part:
        for item in parts_of(part["items"], document):
            largest = _largest(item, document)
            yield "the same", part["maxItems"], partial(_same, largest)
            if isinstance(largest, str):
                yield "others", part["maxItems"], partial(_others, largest)
    if "object" in kinds and "maxProperties" in part:
        key = _largest(part.get("propertyNames", {"type": "string"}), document)
        for item in parts_of(part["additionalProperties"], document):
            yield "others", part["maxProperties"], partial(_by_name, key, _largest(item, document))


def _same(value: Any, count: int) -> list[Any]:
    return [value] * count


def _by_name(key: str, value: Any, count: int) -> dict[str, Any]:
    return dict.fromkeys(_others(key, count), value)


def _others(text: str, count: int) -> list[str]:
    return [f"{number}{text}"[: len(text)] for number in range(count)]


def _largest(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Any:
    part = parts_of(schema, document)[0]
    found = [make(most) for _, most, make in fillings(part, document)]
    return found[-1] if found else next((BY_TYPE[kind] for kind in kinds_of(part) if kind in BY_TYPE), None)


HINTS: Mapping[str, Any] = {
    "rulebook": "classic-500", "base": "classic-500", "title": "Ours", "role": "spectator", "dispute": "deal",
    "facts": {"players": 4}, "players": ["Ada", "Bo"], "after": 1, "went_out": "Ada",
    "hands": {"Bo": ["7"], "Cy": ["7"], "Di": ["7"]}, "into": "Eve", "player": "Eve", "total": 0, "accepted": True,
    "name": "Wednesday", "note": "rain", "first_day": "2026-11-03", "clause": "players", "text": "Ten may play.",
}  # fmt: skip
"""Right values by a field's name; a field that must be given and is not here gets one by its type."""
HINTS_OF: Mapping[str, Mapping[str, Any]] = {
    "DrawRequest": {"after": 0}, "ArrivalRequest": {"names": ["Fay"]},
}  # fmt: skip
"""Those of a request in which the field means something else."""
BY_TYPE: Mapping[str, Any] = {"string": "x", "integer": 1, "boolean": True, "array": [], "object": {}, "number": 1}


def right_body(schema: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """Make a right body: the fields that must be given, and those that a round or a decision needs."""
    (schema,) = parts_of(schema, document)
    wanted = {*(schema.get("required") or HINTS), "went_out", "hands"}
    wanted |= {"text"} if "clause" in wanted else set()
    hints = {**HINTS, **HINTS_OF.get(schema.get("title", ""), {})}
    return {
        name: hints[name] if name in hints else _largest(schema["properties"][name], document)
        for name in schema["properties"]
        if name in wanted
    }
