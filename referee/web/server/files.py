"""Answers that are files to save, sent while they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flask import Response

AT_ONCE = 32_000
"""Bytes sent at once."""
SPREADSHEET = "\ufeff"
"""Tells a spreadsheet that a table is in UTF-8."""


def stream(pieces: Iterable[str], kind: str, name: str, mark: str = "") -> Response:
    """Stream an answer as a file to save; `mark` comes first."""

    def encoded() -> Iterator[bytes]:
        gathered = bytearray(mark.encode())
        for piece in pieces:
            gathered += piece.encode()
            if len(gathered) >= AT_ONCE:
                yield bytes(gathered)
                gathered.clear()
        yield bytes(gathered)

    response = Response(encoded(), content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "private, no-store"
    return response
