"""Keep what the files of the rules say beside the installation, as JSON: to parse TOML takes most of a start."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

from referee.web.server.private_files import is_ours, make_private_folder


def state_of(sources: Iterable[Path], endings: Collection[str]) -> str:
    """Name the state that files are in, by length and time, as Python tells whether its compiled files are stale."""
    return json.dumps([*_states(sources, endings)])


def _states(sources: Iterable[Path | os.DirEntry[str]], endings: Collection[str]) -> Iterator[tuple[str, int, int]]:
    for source in sources:
        if source.is_dir():
            with os.scandir(source) as entries:
                yield from _states(sorted(entries, key=attrgetter("name")), endings)
        elif os.path.splitext(source.name)[1] in endings:
            found = source.stat()
            yield os.fspath(source), found.st_size, found.st_mtime_ns


class ParsedFiles:
    """Parsed files in a folder that only its owner may write to; where it cannot be written, none are kept.

    Each is named after the file and holds the digest of its text, so that a file that has changed is parsed again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with suppress(OSError):
            make_private_folder(folder)

    def __call__(self, name: str, text: str) -> dict[str, Any]:
        """Give a file of this name and text as `tomllib.loads` does, and raise what that raises."""
        return self.document(name, text, partial(tomllib.loads, text))

    def document(self, name: str, state: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Give the document of this name, made anew where what it is made from is in another state than then."""
        digest = hashlib.sha256(state.encode()).hexdigest()
        file = self._folder / f"{name}.json"
        kept = self._read(file)
        if kept.get("digest") == digest and isinstance(kept.get("document"), dict):
            known: dict[str, Any] = kept["document"]
            return known
        document = make()
        self._write(file, {"digest": digest, "document": document})
        return document

    def _read(self, file: Path) -> dict[str, Any]:
        with suppress(OSError, ValueError, RecursionError):  # a torn file is as good as none
            if is_ours(self._folder):
                found = json.loads(file.read_bytes())
                return found if isinstance(found, dict) else {}
        return {}

    def _write(self, file: Path, said: dict[str, Any]) -> None:
        try:
            written = json.dumps(said)
            if json.loads(written) != said or not is_ours(self._folder):
                return
        except (TypeError, ValueError):  # a date has no place in JSON
            return
        beside = file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            beside.write_text(written, "utf-8")
            beside.replace(file)
