"""Parsed rulebooks are kept, and never in the way; a rulebook is read when it is first asked for."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from referee.rules import library
from referee.rules.library import HERE, IDS, Library
from referee.rules.loading import load_rulebook
from referee.rules.rulebook import Rulebook
from referee.web.server.parsed_files import ParsedFiles

BOOK = (HERE / "rulebooks" / f"{IDS[0]}.toml").read_text("utf-8")


def never(*_: object) -> None:
    pytest.fail("parsed again")


def test_a_file_is_parsed_once_and_again_when_it_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    assert ParsedFiles(folder)("book", BOOK) == tomllib.loads(BOOK)
    assert ParsedFiles(folder)("book", "a = 1") == {"a": 1}
    assert ParsedFiles(folder)("book", BOOK) == tomllib.loads(BOOK)
    whole = tomllib.loads(BOOK)
    monkeypatch.setattr(tomllib, "loads", never)
    assert ParsedFiles(folder)("book", BOOK) == whole
    assert [file.name for file in folder.iterdir()] == ["book.json"]


def test_what_is_no_toml_is_refused_as_ever_and_what_json_cannot_say_is_not_kept(tmp_path: Path) -> None:
    parse = ParsedFiles(tmp_path / "cache")
    with pytest.raises(ValueError, match="line 1"):
        parse("book", "a = b c")
    day = parse("book", "day = 2026-01-01")["day"]
    assert (day.year, list((tmp_path / "cache").iterdir())) == (2026, [])


def test_a_torn_file_one_of_others_and_a_folder_that_is_none_are_as_good_as_nothing(tmp_path: Path) -> None:
    parse = ParsedFiles(tmp_path / "cache")
    parse("book", BOOK)
    file = tmp_path / "cache" / "book.json"
    whole = file.read_bytes()
    for torn in (b"", whole[:20], whole[:-5], b"7", b"\xff", b"[" * 100_000):
        file.write_bytes(torn)
        assert parse("book", BOOK) == tomllib.loads(BOOK)
    forged = json.loads(whole) | {"document": {"forged": True}}
    file.write_text(json.dumps(forged))
    (tmp_path / "cache").chmod(0o777)
    assert parse("book", BOOK) == tomllib.loads(BOOK)
    (tmp_path / "plain").write_text("a file where the folder should be")
    assert ParsedFiles(tmp_path / "plain")("book", "a = 1") == {"a": 1}


def test_only_rulebooks_asked_for_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def load(path: Path, *rest: Any) -> Rulebook:
        asked.append(path.stem)
        return load_rulebook(path, *rest)

    monkeypatch.setattr(library, "load_rulebook", load)
    books = Library(IDS)
    assert (tuple(books), len(books), IDS[-1] in books, "uno-9000" in books) == (IDS, len(IDS), True, False)
    assert asked == []
    assert books[IDS[0]] is books[IDS[0]]
    assert books.get("uno-9000") is None
    assert asked == [IDS[0]]
