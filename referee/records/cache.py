"""What was worked out before, each for one state of what it follows from; bounded by bytes, a process for itself.

`caches` lists all of them, so that a monitor sees their sum. What is larger than its cache's share is not cached.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from threading import Lock
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from referee.rules.text.words import language

T = TypeVar("T")

MADE_ONCE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, Enum, bool, type(None))
"""What is there anyway, however many refer to it."""
_CACHES: dict[str, Cache[Any]] = {}


@dataclass(frozen=True, slots=True)
class Usage:
    """How full a cache is, its entries with their keys in bytes."""

    name: str
    entries: int
    bytes: int
    most: int


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T]):
    value: T
    size: int


class Cache(Generic[T]):
    """Values by the state they follow from, the least recently used dropped first; threads may share it."""

    def __init__(self, name: str, most: int, *, share: int = 8, size: Callable[[Any, T], int] | None = None) -> None:
        """Make the cache of a name, one a process: of `most` bytes, of which one entry may take a `share`-th.

        `size` gives the bytes of a state and its value where that is known without adding up what they refer to.
        """
        self.name, self.most, self._largest = name, most, most // share
        self._size = size or (lambda state, value: size_of((state, value)))
        self._entries: LRUCache[Hashable, _Entry[T]] = LRUCache(most, getsizeof=lambda entry: entry.size)
        self._lock = Lock()
        _CACHES[name] = self

    def get(self, state: Hashable, make: Callable[[], T]) -> T:
        """Return the cached value of this state, or make and cache it; two threads may both make it.

        `state` has to name everything that the value depends on, read in this very request, but for the language
        spoken, which belongs to every state.
        """
        found = self._find(state)
        if found is not None:
            return found.value
        value = make()
        self.put(state, value)
        return value

    def put(self, state: Hashable, value: T) -> None:
        """Cache a value that was made elsewhere."""
        size = self._size(state, value)
        if size <= self._largest:
            with self._lock:
                self._entries[language().code, state] = _Entry(value, size)

    def _find(self, state: Hashable) -> _Entry[T] | None:
        with self._lock:
            return self._entries.get((language().code, state))

    def clear(self) -> None:
        """Drop all entries."""
        with self._lock:
            self._entries.clear()

    def usage(self) -> Usage:
        """Return how full the cache is."""
        with self._lock:
            return Usage(self.name, len(self._entries), int(self._entries.currsize), self.most)


def caches() -> Iterator[Usage]:
    """Yield how full each cache of this process is, by name."""
    for name in sorted(_CACHES):
        yield _CACHES[name].usage()


def size_of(thing: object) -> int:
    """Add up the bytes of a value and all that it refers to, each once."""
    size, seen, left = 0, set[int](), [thing]
    while left:
        part = left.pop()
        if id(part) in seen or isinstance(part, MADE_ONCE):
            continue
        seen.add(id(part))
        size += sys.getsizeof(part)
        if isinstance(part, str | bytes | int | float):
            continue
        if isinstance(part, Mapping):
            left += [*part.keys(), *part.values()]
        elif isinstance(part, tuple | list | set | frozenset):
            left += part
        left += [getattr(part, name) for name in _slots(type(part)) if hasattr(part, name)]
        if (own := getattr(part, "__dict__", None)) is not None:
            left.append(own)
    return size


def _slots(kind: type) -> Iterator[str]:
    for each in kind.__mro__:
        slots = each.__dict__.get("__slots__", ())
        yield from (slots,) if isinstance(slots, str) else slots
