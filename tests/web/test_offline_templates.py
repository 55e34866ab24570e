"""Templates that the phone draws by too."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from jinja2 import DictLoader, Environment

from referee.web.offline import documents
from referee.web.offline.documents import shared_templates


def written(monkeypatch: pytest.MonkeyPatch, source: str) -> dict[str, Any]:
    monkeypatch.setattr(documents, "FILES", ("page",))
    return shared_templates(Environment(loader=DictLoader({"page": source}), autoescape=True))


def test_a_macro_is_written_with_what_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    told = written(
        monkeypatch,
        '{% set paths = {"on": "M5"} %}{% macro row(link, kind="") %}<a>{{ link.title }}</a>'
        "{% if kind %}{{ kind }}{% elif link %}-{% endif %}"
        "{% for one in link.all %}{{ loop.index }}{% else %}none{% endfor %}{% endmacro %}",
    )
    assert told["values"] == {"paths": {"on": "M5"}}
    row = told["macros"]["row"]
    assert (row["takes"], row["defaults"]) == (["link", "kind"], [""])
    title = ["of", ["name", "link"], ["is", "title"]]
    otherwise = [["if", ["name", "link"], ["-"], []]]
    assert row["body"][:4] == [
        "<a>",
        ["out", title],
        "</a>",
        ["if", ["name", "kind"], [["out", ["name", "kind"]]], otherwise],
    ]
    assert row["body"][4][:3] == ["for", "one", ["of", ["name", "link"], ["is", "all"]]]


@pytest.mark.parametrize(
    "part",
    [
        "{{ title | upper }}", "{{ title[1:] }}", "{% set a = title %}", "{{ title.lower() }}",
        "{% for a, b in title %}{% endfor %}", "{{ 1 + 1 }}", "{% if title < 2 %}{% endif %}",
    ],
)  # fmt: skip
def test_what_the_phone_cannot_evaluate_is_refused_with_its_place(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    with pytest.raises(NotImplementedError, match="page: line 2"):
        written(monkeypatch, "{% macro row(title) %}\n" + part + "{% endmacro %}")


def test_every_macro_that_is_called_is_written_too(app: Flask) -> None:
    macros = shared_templates(app.jinja_env)["macros"]

    def called(body: Any) -> set[str]:
        if not isinstance(body, list):
            return set()
        own = {body[1]} if body[:1] == ["call"] else set()
        return own.union(*(called(part) for part in body))

    for name, macro in macros.items():
        assert called(macro["body"]) <= set(macros), name
