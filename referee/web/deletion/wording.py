"""Word the page that asks before a name is deleted: the texts with the name, and what the host decides about each."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from sqlalchemy import select
from werkzeug.datastructures import MultiDict

from referee.records.deletion.texts import NameFinder, Text, fold_text
from referee.records.match.sheets import load_summaries
from referee.records.models import DELETED_TOO, Match, OwnRulebookRow
from referee.records.names import LONGEST_LINE
from referee.rules.text.problem import Problem
from referee.rules.text.words import joined
from referee.web.page.match_wording import title_of
from referee.web.server import guards, local_time
from referee.web.words import say

ON_A_PAGE = 50
"""Choices on a page, fewer where the texts are long: their words come back with the form."""
LETTERS_ON_A_PAGE = 25_000
BEFORE, AFTER = 60, 160
"""Letters shown before and after the place where a name begins."""


@dataclass
class TextChoice:
    """A text with the name in it, wherever it stands, and what is decided about it."""

    key: str
    places: Sequence[Text]
    ticked: bool
    """taken out whole, unless other words are typed"""
    typed: str
    errors: list[str] = field(default_factory=list)

    @property
    def edited(self) -> bool:
        """Return whether other words are to stand there."""
        return self.typed not in ("", self.words)

    @property
    def words(self) -> str:
        """Return what people wrote; nothing of what was taken out with another name already."""
        return "" if self.places[0].apart else self.places[0].words

    @property
    def by_default(self) -> bool:
        """Return whether the name stands free there."""
        return any(text.ticked for text in self.places)


def choices_of(texts: Iterable[Text], form: MultiDict[str, str]) -> list[TextChoice]:
    """Return a choice for each text, as `form` decides it: by the boxes on its page, else as decided before."""
    same: dict[str, list[Text]] = {}
    for text in texts:
        identity = repr((_kind(text), text.words, text.id if text.apart else ""))
        same.setdefault(hashlib.sha256(identity.encode("utf-8", "backslashreplace")).hexdigest()[:12], []).append(text)
    shown, taken, kept = (form.get(name, "").split() for name in ("shown", "taken", "kept"))
    on = {*form.getlist("on"), *taken}
    off = {*kept, *shown} - on
    choices = []
    for key, places in same.items():
        choice = TextChoice(key, places, False, "")
        choice.ticked = key in on or (choice.by_default and key not in off)
        typed = form.get(f"words-{key}", choice.words).replace("\r\n", "\n").strip()
        choice.typed = typed if places[0].most > LONGEST_LINE else typed.replace("\n", " ")
        choices.append(choice)
    return sorted(choices, key=lambda choice: not choice.by_default)


def pages_of(choices: Sequence[TextChoice]) -> list[list[TextChoice]]:
    """Divide choices into pages."""
    pages: list[list[TextChoice]] = [[]]
    for choice in choices:
        letters = sum(max(len(one.typed), len(one.words)) for one in (*pages[-1], choice))
        if len(pages[-1]) == ON_A_PAGE or (pages[-1] and letters > LETTERS_ON_A_PAGE):
            pages.append([])
        pages[-1].append(choice)
    return pages


def digest_of(choices: Iterable[TextChoice]) -> str:
    """Return what differs as soon as another text has the name in it."""
    return hashlib.sha256(" ".join(sorted(choice.key for choice in choices)).encode()).hexdigest()[:12]


def chosen_by(choices: Iterable[TextChoice]) -> dict[str, str | None]:
    """Return the texts to be taken out by their places, each with the words that stand there instead, if any."""
    decided = (choice for choice in choices if choice.ticked or choice.edited)
    return {text.id: choice.typed if choice.edited else None for choice in decided for text in choice.places}


def place_problems(choices: Iterable[TextChoice], problems: Iterable[Problem]) -> list[Problem]:
    """Put each problem beside its text, and return those of none."""
    ids, left = list(chosen_by(choices)), []
    for problem in problems:
        place = problem.path[1] if len(problem.path) > 1 else None
        id = ids[place] if isinstance(place, int) else ""
        choice = next((beside for beside in choices if any(text.id == id for text in beside.places)), None)
        if choice is None:
            left.append(problem)
        elif problem.message not in choice.errors:
            choice.errors.append(problem.message)
    return left


def parts_of(choice: TextChoice, names: NameFinder) -> list[tuple[str, bool]]:
    """Split what is shown of a text into parts, each with whether it is a name; long texts are cut around one.

    That is the first that stands free, or else the first.
    """
    text = choice.words
    folds = [(at, folded) for at, letter in enumerate(text) for folded in fold_text(letter)]
    spans = [
        (not free, folds[start][0], folds[end - 1][0] + 1)
        for start, end, free in names.spans("".join(letter for _, letter in folds))
    ]
    first = min(spans)[1] if spans else 0
    begin, end = max(0, first - BEFORE), min(len(text), first + AFTER)
    begin += len(text[begin:first].partition(" ")[0]) if begin else 0  # from the next whole word on
    named = {at for _, start, stop in spans for at in range(start, stop)}
    parts = [
        ("".join(text[at] for at in some), is_name) for is_name, some in groupby(range(begin, end), named.__contains__)
    ]
    cut = [("…", False)]
    return [*(cut if begin else ()), *parts, *(cut if end < len(text) else ())]


def places_of(choices: Sequence[TextChoice], club_id: str) -> Mapping[str, str]:
    """Say of each choice what kind of text it is and where it stands: at which match, of what day."""
    session = guards.records()
    ids = {text.match_id for choice in choices for text in choice.places[:1]}
    asked = select(Match).where(Match.club_id == club_id, Match.id.in_(ids)).execution_options(**DELETED_TOO)
    at = {summary.match.id: summary for summary in load_summaries(session, session.scalars(asked).all())}
    lines = {}
    for choice in choices:
        text, matches = choice.places[0], len({text.match_id for text in choice.places})
        parts = [say(f"text-kind.{_kind(text)}")]
        if text.kind.startswith("own_rulebooks"):
            own = session.get_one(OwnRulebookRow, (club_id, text.id.split("/")[1]))
            parts.append(own.document["title"])
        if text.match_id in at:
            match, players = at[text.match_id].match, at[text.match_id].players
            parts.append(joined(players) if text.kind == "matches.name" else title_of(match, players))
            parts.append(local_time.day(match.started_at))
            parts += [say("deletion.text-gone")] if match.deleted_at is not None else []
            parts += [say("deletion.text-elsewhere", n=matches - 1)] if matches > 1 else []
        lines[choice.key] = " · ".join(parts)
    return lines


def _kind(text: Text) -> str:
    """Return the key of what a text is called; why a rule was changed is a note, too."""
    if text.kind == "matches.note" and "/agreements/" in text.id:
        return "match-events-note"
    return text.kind.replace(".", "-").replace("_", "-")
