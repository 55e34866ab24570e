"""Show the Play pages of the documentation, what Referee is made with, and what it stores about whom.

The templates under ``help/pages`` are written from ``docs/pages`` by ``python3 -m tools.documents``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from flask import Blueprint, abort, current_app, render_template, request, url_for

from referee import __version__
from referee.paths import PACKAGE, STATIC, TEMPLATES
from referee.records import access, idempotency
from referee.records.deletion import waiting
from referee.records.demo.club import LASTS
from referee.rules.translations import Sentence
from referee.rules.translations import sentences as read_sentences
from referee.rules.words import ENGLISH, languages
from referee.web.page import layout
from referee.web.server import guards
from referee.web.words import CATALOGUES, say

blueprint = Blueprint("help", __name__)

FIRST = "index"
PAGES: Mapping[str, str] = {
    FIRST: "play/index.md",
    "first-match": "play/first-match.md",
    "correcting": "play/correcting.md",
    "more-phones": "play/more-phones.md",
    "everyone-taps": "play/everyone-taps.md",
    "television": "play/television.md",
    "disputes": "play/disputes.md",
    "look-up": "play/look-up.md",
    "own-rules": "play/own-rules.md",
    "offline": "play/offline.md",
    "new-phone": "play/new-phone.md",
    "sharing": "play/sharing.md",
    "deleting": "play/deleting.md",
    "statistics": "play/statistics.md",
    "evening": "host/evening.md",
}
"""The pages in the app by their names, each with where it stands in the documentation."""
PACKAGES = PACKAGE / "web" / "packages.json"
"""The Python packages that a server installs, with their versions and licences."""
ON_A_PAGE = 60
"""Sentences of a language that are shown at once."""
LONGEST_SEARCH = 200
"""Characters to search those sentences for."""
PROSE = {
    "questions": "rules/rulebooks/questions.toml",
    "settings": "rules/setting_words.toml",
    "decks": "rules/decks",
    "house_rules": "rules/house_rules",
}
"""Where the English of a file stands whose name says something else; no code names its sentences."""
_QUOTED = re.compile(r"""["'`]([\w.-]+)(?=["'`{$])""")


@blueprint.get("/help")
def index() -> str:
    """Show what there is help on."""
    return _page(FIRST)


@blueprint.get("/help/<task>")
def page(task: str) -> str:
    """Show the help on one task; 404 for a name that no page has."""
    if task not in PAGES or task == FIRST:
        abort(404)
    return _page(task)


@blueprint.get("/about")
def about() -> str:
    """Show version, licences and what Referee has nothing to do with."""
    return render_template("help/about.html", version=__version__, packages=packages())


@blueprint.get("/https")
def https() -> str:
    """Show what HTTPS brings, and where the guide says how to get it."""
    return render_template("help/https.html", secure=request.is_secure)


@blueprint.get("/privacy")
def privacy() -> str:
    """Show what is stored about whom, where and for how long, with this server's own numbers."""
    guards.holder()  # so that a phone saves the page beside those of its club
    return render_template(
        "help/privacy.html",
        restorable=waiting.RESTORABLE_FOR.days,
        answers=idempotency.KEPT.days,
        invitation=int(access.INVITATION_LIFETIME.total_seconds() // 60),
        demo=int(LASTS.total_seconds() // 3600),
        cookie=current_app.permanent_session_lifetime.days,
        clubs=guards.MOST_KEYS,
        look=layout.KEPT // (24 * 3600),
    )


@blueprint.get("/languages/<spoken>")
def sentences(spoken: str) -> tuple[str, int]:
    """Show every sentence of a language beside the English, and where it is used; 404, 422."""
    if spoken == ENGLISH or spoken not in languages():
        abort(404)
    every = _sentences(spoken)
    files = list(dict.fromkeys(one.file for one, _, _ in every))
    given: dict[str, Any] = {name: request.args.get(name, "") for name in ("catalogue", "q", "flawed")}
    problem = ""
    if given["catalogue"] not in ("", *files):
        problem = say("languages-page.no-catalogue", catalogue=given["catalogue"][:40], choices=", ".join(files))
    elif len(given["q"]) > LONGEST_SEARCH:
        problem = say("languages-page.search-long", most=LONGEST_SEARCH, length=len(given["q"]))
    wanted = given["q"][:LONGEST_SEARCH].casefold()
    found = [
        (one, used)
        for one, used, read in (() if problem else every)
        if given["catalogue"] in ("", one.file) and wanted in read and (one.flaws or not given["flawed"])
    ]
    last = max(1, -(-len(found) // ON_A_PAGE))
    number = min(max(1, request.args.get("page", 1, type=int)), last)
    page = {
        "language_shown": languages()[spoken],
        "files": files,
        "given": given,
        "problem": problem,
        "longest": LONGEST_SEARCH,
        "found": len(found),
        "shown": found[(number - 1) * ON_A_PAGE : number * ON_A_PAGE],
        "before": url_for(".sentences", spoken=spoken, **given, page=number - 1) if number > 1 else "",
        "after": url_for(".sentences", spoken=spoken, **given, page=number + 1) if number < last else "",
    }
    return render_template("help/sentences.html", **page), 422 if problem else 200


@cache
def _sentences(code: str) -> Sequence[tuple[Sentence, Sequence[str], str]]:
    """Return each sentence of a language with the files that use it, and what a search reads of it."""
    uses = _uses()
    return [
        (one, _used(one, uses), "\n".join((one.key, *one.english.values(), *one.ours.values())).casefold())
        for one in read_sentences(languages()[code], CATALOGUES)
    ]


def _used(sentence: Sentence, uses: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return the files that name a sentence: whole, by the beginning of its key, else its table or what follows."""
    if sentence.file not in (catalogue.name for catalogue in CATALOGUES):
        return (PROSE.get(sentence.file, f"rules/{sentence.file}.toml"),)
    parts = sentence.key.split(".")
    beginnings = (".".join(parts[:n]) + "." for n in range(len(parts) - 1, 0, -1))
    for name in (sentence.key, *beginnings):
        if name in uses:
            return uses[name]
    named = [uses[name] for name in (parts[0], ".".join(parts[1:])) if name in uses]
    both = [file for file in named[0] if file in named[-1]] if named else []
    return both or min(named, key=len, default=())


@cache
def _uses() -> Mapping[str, Sequence[str]]:
    """Return the files of the program in which each word in quotation marks stands."""
    found: dict[str, list[str]] = {}
    for folder, ending in ((TEMPLATES, "html"), (STATIC / "js", "js"), (PACKAGE, "py")):
        for file in sorted(folder.rglob(f"*.{ending}")):
            for word in set(_QUOTED.findall(file.read_text("utf-8"))):
                if file.parent.name != "words":  # what scripts say
                    found.setdefault(word, []).append(f"{folder.name}/{file.relative_to(folder).as_posix()}")
    return found


@cache
def packages() -> Sequence[tuple[str, Sequence[str]]]:
    """Return the packages' licences, each with the names and versions under it, the commonest licence first."""
    found: dict[str, list[str]] = {}
    for package in json.loads(PACKAGES.read_text("utf-8")):
        found.setdefault(package["licence"], []).append(f"{package['name']}\N{NO-BREAK SPACE}{package['version']}")
    return sorted(found.items(), key=lambda group: -len(group[1]))


def texts() -> dict[str, str]:
    """Return every help page's text, for a phone that shows them offline."""
    return {name: render_template("help/_text.html", name=name) for name in PAGES}


def _page(name: str) -> str:
    return render_template("help/page.html", name=name)
