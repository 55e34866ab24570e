"""Someone opens a page, fills its form in with rubbish and sends it off: never a 500, nothing half written."""

import io
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import tries
from tests.fuzz.evening import Evening, begin
from tests.fuzz.rubbish import texts
from tests.ground.record import faults

PAGES = (
    "/", "/club", "/club/records", "/club/recovery", "/matches/new", "/matches/{match}", "/matches/{match}/menu",
    "/matches/{match}/rounds/new", "/matches/{match}/rounds/{round}", "/matches/{match}/share",
    "/matches/{match}/hands", "/matches/{match}/hands/round", "/matches/{match}/disputes/draw-four-challenge",
    "/matches/{match}/disputes/wrong-card", "/disputes/uno-call", "/disputes/who-starts", "/recover", "/history/",
    "/rules",
)  # fmt: skip
"""Where the forms are that a scorekeeper meets."""
NAMES = ("a.csv", "../../a", "a\x00b", 'a"b', "<script>", "x" * 1000, "\u202ea")
HANDS = ("7", "7 skip wild", "20", "20+20+50", "", "", "", "wild wild wild wild wild", "=5")
LEFT_OUT = ("house_rules", "sat_out", "credited_to", "keep_hand", "table_decided", "out", "blank_effect", "target")
"""What a form that can be saved may leave out."""


@dataclass
class Form:
    """A form of a page: where it goes, and its fields as the page fills them in."""

    action: str
    method: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    choices: dict[str, list[str]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)


class FormReader(HTMLParser):
    """Collects the forms of a page."""

    def __init__(self, page: str, address: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._address = address
        self._select = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a form, or a field of the form that is open."""
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(given.get("action") or self._address, given.get("method", "get").upper()))
        if not self.forms:
            return
        form, name = self.forms[-1], given.get("name", "")
        if tag == "input" and given.get("type") == "file":
            form.files.append(name)
        elif tag in ("input", "textarea", "button") and name:
            form.choices.setdefault(name, []).append(given.get("value", ""))
            if "checked" in given or (tag != "button" and given.get("type") not in ("radio", "checkbox", "submit")):
                form.fields.append((name, given.get("value", "")))
        elif tag == "select":
            self._select = name
            form.fields.append((name, ""))
        elif tag == "option" and self._select:
            form.choices.setdefault(self._select, []).append(given.get("value", ""))


def sensible(form: Form) -> dict[str, list[str]]:
    """Fill a form in so that it could be saved: as the page has it, and cards for all but the first player."""
    filled = {name: [value or (form.choices.get(name) or [""])[0]] for name, value in form.fields}
    filled |= {name: offered[:1] for name, offered in form.choices.items() if name not in filled}
    hands = [name for name in filled if name.startswith("hand-")]
    filled |= {name: ["" if name == hands[0] else "7 skip"] for name in hands}
    if "players" in filled:
        filled["players"] = ["Ada", "Bo"]
    return filled | {name: [] for name in LEFT_OUT if name in filled}


@st.composite
def fillings(draw: st.DrawFn, form: Form) -> list[tuple[str, Any]]:
    """Fill a form in, and spoil a few of its fields."""
    filled: list[tuple[str, Any]] = []
    right = sensible(form)
    spoilt = draw(st.sets(st.sampled_from(sorted(right.keys() - {"csrf_token"}) or [""]), max_size=3))
    for name, values in right.items():
        offered = st.sampled_from(HANDS if name.startswith("hand-") else form.choices.get(name) or [""])
        how = draw(st.sampled_from(("rubbish", "another", "leave out", "twice"))) if name in spoilt else ""
        if how in ("", "twice"):
            filled += [(name, value) for value in values]
        if how in ("rubbish", "twice"):
            filled.append((name, draw(texts())))
        if how == "another":
            filled.append((name, draw(offered)))
    for name in form.files:
        data = draw(st.sampled_from((b"", b"date,Ada,Bo\n2020-01-01,1,2\n", b"{}", b"\x1f\x8b", b"PK\x03\x04")))
        filled.append((name, (io.BytesIO(data), draw(st.sampled_from(NAMES)))))
    if not draw(st.integers(0, 5)):
        filled.append((draw(texts()), draw(texts())))
    return filled


def send(evening: Evening, form: Form, filled: list[tuple[str, Any]]) -> None:
    """Send a form as a browser does, half of a character aside, which no browser makes."""
    pairs = [(name, _sendable(value)) for name, value in filled if _sendable(name)]
    if form.method == "GET":
        query = urlencode([pair for pair in pairs if isinstance(pair[1], str)])
        evening.send("GET", form.action.partition("#")[0], query_string=query)
        return
    data: dict[str, list[Any]] = {}
    for name, value in pairs:
        data.setdefault(_sendable(name), []).append(value)
    kind = "multipart/form-data" if form.files else "application/x-www-form-urlencoded"
    evening.send("POST", form.action, data=data, content_type=kind)


def _sendable(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


@tries(20)
@given(data=st.data())
def test_no_filling_of_a_form_breaks_anything(app: Flask, data: st.DataObject) -> None:
    evening = begin(app)
    for _ in range(data.draw(st.integers(1, 4))):
        page = data.draw(st.sampled_from(PAGES)).format(match=evening.match_id, round=evening.round_id)
        answer = evening.client.get(page)
        assert answer.status_code < 500
        forms = FormReader(answer.text, page).forms
        if forms:
            form = forms[data.draw(st.integers(0, len(forms) - 1))]
            send(evening, form, data.draw(fillings(form)))
    assert faults(evening.app, evening.club_id) == []
