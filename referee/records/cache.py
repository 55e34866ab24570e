"""What was worked out before, each for one state of what it follows from; bounded by bytes, a process for itself.

`caches` lists all of them, so that a monitor sees their sum. What is larger than its cache's share is not cached.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from referee.rules.text.words import language

T = TypeVar("T")

SHARE = 8
"""One entry may take a cache's bytes by this."""
_CACHES: dict[str, Cache[Any]] = {}


@dataclass(frozen=True, slots=True)
class Usage:
    """How full a cache is."""

    name: str
    entries: int
    bytes: int
    most: int


class Cache(Generic[T]):
    """Values by the state they follow from, the least recently used dropped first; threads may share it."""

    def __init__(self, name: str, most: int, size: Callable[[T], int]) -> None:
        """Make the cache of a name, one a process, of `most` bytes; `size` estimates those of a value."""
        self.name, self.most, self._size = name, most, size
        self._values: LRUCache[bytes, T] = LRUCache(most, getsizeof=size)
        self._lock = Lock()
        _CACHES[name] = self

    def get(self, state: Hashable, make: Callable[[], T]) -> T:
        """Return the cached value of this state, or make and cache it; two threads may both make it.

        `state` has to name everything that the value depends on, read in this very request, but for the language
        spoken, which belongs to every state. Only its digest is stored.
        """
        key = hashlib.sha256(repr((language().code, state)).encode()).digest()
        with self._lock:
            if key in self._values:
                return self._values[key]
        value = make()
        if self._size(value) <= self.most // SHARE:
            with self._lock:
                self._values[key] = value
        return value

    def clear(self) -> None:
        """Drop all entries."""
        with self._lock:
            self._values.clear()

    def usage(self) -> Usage:
        """Return how full the cache is."""
        with self._lock:
            return Usage(self.name, len(self._values), int(self._values.currsize), self.most)


def caches() -> Iterator[Usage]:
    """Yield how full each cache of this process is, by name."""
    for name in sorted(_CACHES):
        yield _CACHES[name].usage()
