"""Keep what the files of the rules say beside the installation, as JSON: to parse TOML takes most of a start."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

from referee.web.server.private_files import is_ours, make_private_folder


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
        digest = hashlib.sha256(text.encode()).hexdigest()
        file = self._folder / f"{name}.json"
        kept = self._read(file)
        if kept.get("digest") == digest and isinstance(kept.get("document"), dict):
            known: dict[str, Any] = kept["document"]
            return known
        document = tomllib.loads(text)
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
