"""Compiled templates are kept, and never in the way."""

from __future__ import annotations

import marshal
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from referee.web.server.template_cache import TemplateCache
from tests.conftest import MakeApp


def rendered(folder: Path, text: str) -> str:
    """Render a template by an environment of its own, as another process would."""
    environment = Environment(loader=DictLoader({"page": text}), bytecode_cache=TemplateCache(folder), autoescape=True)
    return environment.get_template("page").render()


def test_a_template_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rendered(tmp_path / "cache", "Ada") == "Ada"
    monkeypatch.setattr(Environment, "_compile", lambda *_: pytest.fail("compiled again"))
    assert rendered(tmp_path / "cache", "Ada") == "Ada"


def test_a_template_that_changed_is_compiled_again(tmp_path: Path) -> None:
    assert [rendered(tmp_path / "cache", text) for text in ("Ada", "Bo", "Ada")] == ["Ada", "Bo", "Ada"]


def test_a_torn_file_is_as_good_as_none(tmp_path: Path) -> None:
    rendered(tmp_path / "cache", "Ada")
    (file,) = (tmp_path / "cache").iterdir()
    whole = file.read_bytes()
    for torn in (b"", whole[:20], whole[:-5], marshal.dumps(7), b"rubbish"):
        file.write_bytes(torn)
        assert rendered(tmp_path / "cache", "Ada") == "Ada"


def test_where_nothing_can_be_kept_nothing_is(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert rendered(tmp_path / "cache", "Ada") == "Ada"


def test_code_that_others_could_have_written_is_not_run(tmp_path: Path) -> None:
    rendered(tmp_path / "cache", "Ada")
    (file,) = (tmp_path / "cache").iterdir()
    file.write_bytes(b"rubbish")
    (tmp_path / "cache").chmod(0o777)
    assert rendered(tmp_path / "cache", "Ada") == "Ada"
    assert file.read_bytes() == b"rubbish"


def test_the_app_keeps_its_templates_beside_the_database(make_app: MakeApp, tmp_path: Path) -> None:
    make_app(CACHE=None).test_client().get("/")
    assert any((tmp_path / "instance" / "cache").iterdir())
