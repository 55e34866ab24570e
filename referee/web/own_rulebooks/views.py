"""A club's own rulebooks: start from any rulebook, change what is played differently, name it, share it.

Its form has a field for each control.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from flask import Blueprint, Response, current_app, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse

from referee.records.club import own_rulebooks
from referee.records.errors import NotFound, Stale
from referee.records.models import Club, OwnRulebookRow
from referee.rules.books.controls import Control, controls
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.own.rulebook import LONGEST_FILE, LONGEST_TITLE, MOST_RULES, OwnRulebook
from referee.rules.text.problem import Impossible, Problem, attempt
from referee.web.club.founding import found_once, own_club
from referee.web.own_rulebooks import wording
from referee.web.own_rulebooks.wording import RulebookFormView
from referee.web.page import layout
from referee.web.page.changes import new_key
from referee.web.page.fields import in_form, lines_over, typed_over
from referee.web.page.rulebooks import as_file
from referee.web.server import guards, local_time
from referee.web.server.database import is_writing, save
from referee.web.server.static_files import lasting
from referee.web.sharing.wording import qr_code
from referee.web.words import say

LONGEST_VALUE = 200
"""Characters read of a control's field."""
MOST_PARTS = 60
"""Numbers of one control: one for each face of a deck, or each number of players."""
_NUMBER = re.compile(r"\d{1,9}")

Fields = MultiDict[str, str]


def read_fields(form: Fields, base: Rulebook, before: OwnRulebook | None = None) -> dict[str, Any]:
    """Return the document of a form; `before` is the saved rulebook, for what the form doesn't show."""
    changes: dict[str, dict[str, object]] = {}
    for clause, offered in controls().items():
        settings = base.clauses[clause].settings if clause in base.clauses else {}
        for name, control in offered.items():
            if f"c.{control.id}" in form:
                given = _value(form, control)
                if given not in (None, []) or name in settings:
                    changes.setdefault(clause, {})[name] = given
    known = {rule.text: rule.to_document() for rule in before.clauses} if before else {}
    gone = [rule.to_document() for rule in before.clauses if not in_form(rule.text)] if before else []
    lines = form.get("clauses", "")[:80_000].splitlines()[: MOST_RULES * 2]
    typed = lines_over(lines, [rule.text for rule in before.clauses] if before else ())
    return {
        "title": form.get("title", ""),
        "base": base.id,
        "changes": changes,
        "clauses": [
            known.get(line.strip(), line.strip()) if in_form(line) else gone.pop(0) for line in typed if line.strip()
        ],
        "house_rules": form.getlist("house_rules")[: len(base.house_rules) + 1],
        "without": form.getlist("without")[: len(base.clauses) + 1],
    }


def _value(form: Fields, control: Control) -> object:
    """Return the value chosen; None where nothing is."""
    key = f"c.{control.id}"
    text = form[key][:LONGEST_VALUE].strip()
    if control.kind == "several":
        return [choice.value for choice in control.choices if choice.value in form.getlist(f"{key}.on")]
    if control.kind == "numbers":
        return [_number(part) for part in re.split(r"[\s,;]+", text) if part]
    if control.kind in ("by-players", "by-face") and not text:
        parts = (name.removeprefix(f"{key}.") for name in form if name.startswith(f"{key}."))
        each = {part: form[f"{key}.{part}"][:LONGEST_VALUE].strip() for part in islice(parts, MOST_PARTS)}
        return {part: _number(typed) for part, typed in each.items() if typed} or None
    if control.kind == "number-or-word":
        return _number(form.get(f"{key}.n", "")[:LONGEST_VALUE].strip()) if text == "number" else text or None
    if not text:
        return None
    if control.kind == "yes-no":
        return {"yes": True, "no": False}.get(text, text)
    return text if control.kind == "one-of" else _number(text)


def _number(text: str) -> int | str:
    plain = text.replace(",", "").replace("\u00a0", "")
    return int(plain) if plain.isascii() and _NUMBER.fullmatch(plain) else text


def rules_of(document: Mapping[str, Any]) -> str:
    """Return the rules of a document in the table's own words, one a line."""
    rules = (in_form(rule if isinstance(rule, str) else rule["text"]) for rule in document.get("clauses") or ())
    return "\n".join(" ".join(rule.split()) for rule in rules if rule)


blueprint = Blueprint("own_rulebooks", __name__)

Page = str | AnyResponse | tuple[str, int]


@blueprint.get("/rules/own")
def index() -> str:
    """List the club's own rulebooks, and offer to make one or to open a file."""
    return _list()


@blueprint.route("/rules/own/new", methods=["GET", "POST"])
def new() -> Page:
    """Make a rulebook, or copy one; a stranger's first one founds a club; 403, 404, 422."""
    club = own_club()
    if request.method == "GET":
        if copied := _copied():
            document = copied.to_document() | {"title": say("own-rulebook.copy", title=copied.title)[:LONGEST_TITLE]}
            return _form(copied.base, document, title=say("own-rulebook.new"), copied=request.args["copy"])
        base = rulebooks().get(request.args.get("base", "")) or next(iter(rulebooks().values()))
        document = {"title": say("own-rulebook.our", base=base.title)}
        return _form(base, document, title=say("own-rulebook.new"))
    return _save(club, None)


@blueprint.get("/rules/own/sentences-<version>.json")
def sentences(version: str) -> Response:
    """Return the sentence of each setting, by control, for the form's script; 404 for another version's."""
    if version != wording.sentences_version():
        raise NotFound("document")
    return lasting(wording.sentences(), "application/json")


@blueprint.post("/rules/own/file")
def open_file() -> Page:
    """Make a rulebook from a file; 403, 422 with every problem and its line."""
    club = own_club()
    file = request.files.get("file")
    data = file.read(LONGEST_FILE + 1) if file else b""
    try:
        if not data:
            raise Impossible([Problem("file", say("own-rulebook.no-file"))])
        own = own_rulebooks.read_text(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return _list((Problem("file", say("own-rulebook.no-text")),)), 422
    except Impossible as error:
        return _list(error.problems), 422
    return _made(own, club)


@blueprint.get("/rules/own/<own_id>")
def show(own_id: str) -> str:
    """Show a rulebook: what is played differently, and all that can be done with it; 401, 403, 404."""
    row = _row(own_id)
    problems: list[Problem] = []
    own = attempt(problems, lambda: own_rulebooks.read_row(row))
    may_write = guards.get_key().role == "scorekeeper"
    secret = current_app.config["SECRET_KEY"]
    token = own_rulebooks.share_token(guards.records(), row, secret) if may_write else None
    link = url_for("own_rulebooks.shared", share_token=token, _external=True) if token else ""
    return render_template(
        "own_rulebooks/rulebook.html",
        row=row,
        day=local_time.day(row.changed_at),
        own=own,
        problems=[{"message": problem.message, "id": ""} for problem in problems],
        may_write=may_write,
        link=link,
        qr=qr_code(link) if link else "",
    )


@blueprint.get("/rules/own/<own_id>.toml")
def save_file(own_id: str) -> Response:
    """Return a rulebook as a file; 401, 403, 404."""
    return as_file(own_rulebooks.read_row(_row(own_id)))


@blueprint.route("/rules/own/<own_id>/edit", methods=["GET", "POST"])
def edit(own_id: str) -> Page:
    """Change a rulebook; matches keep the version they agreed on; 401, 403, 404, 409, 422."""
    row = _row(own_id, write=True)
    if request.method == "POST":
        return _save(guards.get_club(write=True), row)
    base = rulebooks().get(row.document["base"])
    if base is None:
        raise NotFound("rulebook")
    return _form(base, row.document, title=say("own-rulebook.edit"), state=str(row.state))


@blueprint.post("/rules/own/<own_id>/delete")
def delete(own_id: str) -> AnyResponse:
    """Delete a rulebook, with Undo; 401, 403, 404."""

    def delete_it() -> OwnRulebookRow:
        row = _row(own_id, write=True)
        own_rulebooks.delete(guards.records(), row)
        return row

    deleted = say("own-rulebook.deleted", title=save(delete_it).document["title"])
    layout.announce(deleted, undo=url_for("own_rulebooks.restore", own_id=own_id))
    return layout.go(url_for("own_rulebooks.index"))


@blueprint.post("/rules/own/<own_id>/restore")
def restore(own_id: str) -> AnyResponse:
    """Restore a deleted rulebook; 401, 403, 404, 422."""
    save(lambda: own_rulebooks.restore(guards.records(), _row(own_id, write=True, deleted=True)))
    layout.announce(say("own-rulebook.restored"))
    return layout.go(url_for("own_rulebooks.show", own_id=own_id))


@blueprint.post("/rules/own/<own_id>/share")
def share(own_id: str) -> AnyResponse:
    """Make the link by which others read the rulebook; 401, 403, 404."""
    secret = current_app.config["SECRET_KEY"]
    save(lambda: own_rulebooks.share(guards.records(), _row(own_id, write=True), secret, guards.get_key()))
    return layout.go(url_for("own_rulebooks.show", own_id=own_id, _anchor="share"))


@blueprint.post("/rules/own/<own_id>/unshare")
def unshare(own_id: str) -> AnyResponse:
    """Close that link; 401, 403, 404."""
    save(lambda: own_rulebooks.unshare(guards.records(), _row(own_id, write=True)))
    layout.announce(say("own-rulebook.unshared"))
    return layout.go(url_for("own_rulebooks.show", own_id=own_id))


@blueprint.route("/rules/shared/<share_token>", methods=["GET", "POST"])
def shared(share_token: str) -> Page:
    """Show a rulebook to anyone with its link, and copy it into their club; 403, 404, 429."""
    own = _shared(share_token)
    if request.method == "POST":
        return _made(own, own_club())
    return render_template("own_rulebooks/shared.html", own=own, share_token=share_token, token=new_key())


@blueprint.get("/rules/shared/<share_token>.toml")
def shared_file(share_token: str) -> Response:
    """Return a shared rulebook as a file; 404, 429."""
    return as_file(_shared(share_token))


def _shared(token: str) -> OwnRulebook:
    """Return the rulebook of a link; raise `NotFound`, and 429 for those who guess."""
    try:
        return own_rulebooks.read_row(own_rulebooks.find_shared(guards.records(), token))
    except NotFound:
        guards.count_unknown(token)
        raise


def _save(club: Club | None, row: OwnRulebookRow | None) -> Page:
    """Save the form, or show it again with each problem, or what the table is asked first, at its field."""
    base = rulebooks().get(request.form.get("base", ""))
    if base is None:
        raise Impossible([Problem("base", say("own-rulebook.no-base"))])
    title = say("own-rulebook.edit" if row else "own-rulebook.new")
    state = request.form.get("state", "")
    before = own_rulebooks.read_row(row) if row else _copied()
    copied = request.form.get("copy", "") if before and not row else ""
    document = read_fields(request.form, base, before)
    document["title"] = typed_over(document["title"], row.document["title"] if row else "")
    if request.form.get("step") == "preview":
        return _form(base, document, title=title, state=state, copied=copied)
    try:
        own = own_rulebooks.read_document(document)
    except Impossible as error:
        return _form(base, document, title=title, state=state, copied=copied, problems=error.problems), 422
    if own.warnings and request.form.get("asked") != wording.asked(own.warnings):
        return _form(base, document, title=title, state=state, copied=copied, warnings=own.warnings)
    if row is None:
        return _made(own, club)

    def change() -> OwnRulebookRow:
        newest = _row(row.id, write=True)
        if state != str(newest.state):
            raise Stale(say("own-rulebook.changed"))
        own_rulebooks.change(guards.records(), newest, own, guards.get_key())
        return newest

    try:
        saved = save(change)
    except Stale as stale:
        newest, behind = _row(row.id), Problem("title", str(stale))
        return _form(base, document, title=title, state=str(newest.state), problems=[behind]), 409
    layout.announce(say("own-rulebook.saved", n=saved.version))
    return layout.go(url_for("own_rulebooks.show", own_id=saved.id))


def _copied() -> OwnRulebook | None:
    """Return the club's rulebook that the new one copies; None when it starts from a published one."""
    own_id = request.values.get("copy", "")
    if not own_id or not guards.presents_key():
        return None
    own = own_rulebooks.read_row(own_rulebooks.get_row(guards.records(), guards.get_club().id, own_id))
    return replace(own, clauses=tuple(rule for rule in own.clauses if in_form(rule.text)))


def _made(own: OwnRulebook, club: Club | None) -> Page:
    """Save a new rulebook, for a stranger in a new club."""

    def make() -> tuple[OwnRulebookRow, str]:
        if club is not None:
            return own_rulebooks.create(guards.records(), club, own, guards.get_key(write=True)), ""
        by, founded, token = found_once(request.form.get("token", "")[:100], say("own-rulebook.busy"))
        return own_rulebooks.create(guards.records(), founded, own, by), token

    try:
        row, token = save(make)
    except Impossible as error:
        return _list(error.problems), 422
    if token:
        guards.keep_token(token)
    layout.announce(say("own-rulebook.made"))
    return layout.go(url_for("own_rulebooks.show", own_id=row.id))


def _form(
    base: Rulebook,
    document: Mapping[str, Any],
    *,
    title: str,
    state: str = "",
    copied: str = "",
    problems: Sequence[Problem] = (),
    warnings: Sequence[Problem] = (),
) -> str:
    return render_template(
        "own_rulebooks/form.html",
        view=RulebookFormView(base, document.get("changes") or {}, problems, warnings),
        title=title,
        name=in_form(str(document.get("title") or "")),
        house_rules=document.get("house_rules") or (),
        rules=rules_of(document),
        without=document.get("without") or (),
        token=new_key(),
        state=state,
        copied=copied,
        asked=wording.asked(warnings),
        rulebooks=rulebooks(),
        sentences=url_for("own_rulebooks.sentences", version=wording.sentences_version()),
    )


def _list(problems: tuple[Problem, ...] = ()) -> str:
    caller = guards.holder() if guards.presents_key() else None
    club_id = caller[1].id if caller else None
    rows = own_rulebooks.list_rows(guards.records(), club_id) if club_id else ()
    return render_template(
        "own_rulebooks/index.html",
        rows=[(row, attempt([], partial(own_rulebooks.rulebook_of, row))) for row in rows],
        may_write=caller is None or caller[0].role == "scorekeeper",
        token=new_key(),
        problems=[{"message": problem.message, "id": "file"} for problem in problems],
    )


def _row(own_id: str, *, write: bool = False, deleted: bool = False) -> OwnRulebookRow:
    club = guards.get_club(write=write)
    lock = write and is_writing()
    return own_rulebooks.get_row(guards.records(), club.id, own_id, lock=lock, deleted=deleted)
