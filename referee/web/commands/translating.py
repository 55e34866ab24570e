"""Check the files of every language against the English, and note how far each has come.

`RECORD`, in a checkout, has for each sentence and page of help a digest of the English that was looked at last and of
each translation then. English that changed since, beside a translation that didn't, is behind: its key is noted in
``language.toml``, and it is said in English until someone translates it.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from referee.paths import CHECKOUT
from referee.rules.text import words
from referee.rules.text.translations import WAITING, Flaw, by_sentence, english, flaws, translation
from referee.rules.text.words import ENGLISH, Language, languages
from referee.web.help import PAGES
from referee.web.words import CATALOGUES, say

RECORD = CHECKOUT / "tools" / "translations" / "checked.json"
TEMPLATES = CHECKOUT / "tools" / "translations" / "english"
DOCS = CHECKOUT / "docs" / "pages"
HELP = "help"
BEGIN = '# Written by "referee translations check --write".\n[checked]\n'
Texts = Mapping[str, Mapping[str, Mapping[str, str]]]
"""The forms of sentences by file and key."""


@click.group("translations")
def translations() -> None:
    """Check the files of a language against the English they translate."""


def _languages(_context: click.Context, _parameter: click.Parameter, codes: tuple[str, ...]) -> list[Language]:
    """Return the languages of these codes, or all; one that there is not is refused by naming all."""
    for code in codes:
        if code not in languages():
            raise click.BadParameter(say("command.no-language", code=code[:40], codes=", ".join(languages())))
    return [each for each in languages().values() if (each.code in codes or not codes) and each.code != ENGLISH]


@translations.command("check")
@click.argument("language", callback=_languages, nargs=-1)
@click.option("--write", is_flag=True, help="Note in each language what is behind its English.")
def check(language: list[Language], write: bool) -> None:
    """Print what waits for a translation, with its English, what is wrong, and how much of each file is done."""
    if write:
        note()
        language = [languages()[spoken.code] for spoken in language]
    faults = 0
    for spoken in language:
        gaps = sorted(gaps_of(spoken), key=lambda flaw: (flaw.file, flaw.key))
        for flaw in gaps:
            click.echo(str(flaw))
        waiting = [flaw.file for flaw in gaps if flaw.kind in WAITING]
        for file, texts in _english().items():
            done = say("command.translation-done", done=len(texts) - waiting.count(file), of=len(texts))
            click.echo(f"{spoken.code}/{file}: {done}")
        if changed := changed_since(spoken):
            click.echo(say("command.translation-changed", code=spoken.code, files=", ".join(changed)))
        faults += len(gaps)
    if faults:
        raise click.ClickException(say("command.translation-faults", n=faults))


@translations.command("template")
@click.argument("folder", type=click.Path(path_type=Path), default=TEMPLATES)
def template(folder: Path) -> None:
    """Write the English by key of what stands in rows: settings, rulebooks, house rules, decks, boxes and questions.

    Weblate needs it as a template. Without a folder it goes into the checkout, to tools/translations/english.
    """
    named = {catalogue.name for catalogue in CATALOGUES}
    for file, texts in english(CATALOGUES).items():
        if file not in named:
            path = folder / f"{file}.toml"
            path.parent.mkdir(parents=True, exist_ok=True)
            tables: dict[str, list[str]] = {"": []}
            for key, text in texts.items():
                table, _, name = key.rpartition(".")
                tables.setdefault(table, []).append(f"{_bare(name)} = {json.dumps(text, ensure_ascii=False)}\n")
            written = (f"[{_bare(table)}]\n{''.join(lines)}" for table, lines in sorted(tables.items()) if table)
            path.write_text("\n".join(("".join(tables[""]), *written)).lstrip(), "utf-8")


def _bare(key: str) -> str:
    return ".".join(part if re.fullmatch(r"[\w-]+", part) else json.dumps(part) for part in key.split("."))


def gaps_of(language: Language) -> Iterator[Flaw]:
    """Yield all flaws of a language, those of its pages of help too."""
    yield from flaws(language, CATALOGUES)
    there = _help(language.code)
    for name, text in _help(ENGLISH).items():
        if name not in there or f"{HELP}.{name}" in language.behind:
            yield Flaw("behind" if name in there else "missing", HELP, name, f": {text[''].partition(chr(10))[0]}")


def changed_since(language: Language) -> list[str]:
    """Return the files whose English isn't the one that was looked at last."""
    looked_at = words.FOLDER / language.code / "language.toml"
    digests = words.readable(looked_at).get("checked", {}).get("english", {})
    return [file for file, texts in _english().items() if digests.get(file) != _digest(texts)]


def note() -> None:
    """Note in each language what is behind, and in the record what was looked at."""
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.is_file() else {}
    now: Texts = _english()
    digests = {file: {key: {ENGLISH: _digest(text)} for key, text in texts.items()} for file, texts in now.items()}
    for language in languages().values():
        if language.code == ENGLISH:
            continue
        behind = []
        for file, texts in digests.items():
            ours = _help(language.code) if file == HELP else by_sentence(translation(language.code, file))
            for key in texts.keys() & ours.keys():
                before = record.get(file, {}).get(key, {})
                texts[key][language.code] = _digest(ours[key])
                reworded = before.get(ENGLISH, texts[key][ENGLISH]) != texts[key][ENGLISH]
                same = before.get(language.code) == texts[key][language.code]
                if same and (reworded or f"{file}.{key}" in language.behind):
                    behind.append(f"{file}.{key}")
        _write(language, sorted(behind), {file: _digest(texts) for file, texts in now.items()})
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    files = []
    for file, texts in sorted(digests.items()):
        lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(of)}" for key, of in sorted(texts.items()))
        files.append(f" {json.dumps(file)}: {{\n{lines}\n }}")
    RECORD.write_text("{\n" + ",\n".join(files) + "\n}\n", "utf-8")
    words.languages.cache_clear()


def _write(language: Language, behind: list[str], digests: Mapping[str, str]) -> None:
    file = words.FOLDER / language.code / "language.toml"
    own = re.split(rf"\n*{re.escape(BEGIN)}", file.read_text("utf-8"))[0].rstrip()
    listed = "".join(f"\n  {json.dumps(key)}," for key in behind)
    lines = [f"behind = [{listed}{chr(10) if behind else ''}]", "", "[checked.english]"]
    lines += [f"{json.dumps(name)} = {json.dumps(digest)}" for name, digest in sorted(digests.items())]
    file.write_text("\n".join((f"{own}\n\n{BEGIN}{lines[0]}", *lines[1:])) + "\n", "utf-8")


def _english() -> dict[str, dict[str, dict[str, str]]]:
    texts = {file: by_sentence(texts) for file, texts in english(CATALOGUES).items()}
    return texts | ({HELP: _help(ENGLISH)} if DOCS.is_dir() else {})


def _help(code: str) -> dict[str, dict[str, str]]:
    """Return the pages of help of a language as the documentation has them, by name."""
    files = {name: DOCS / path.replace("play/", "play/" if code == ENGLISH else f"play/{code}/", 1)
             for name, path in PAGES.items() if path.startswith("play/")}  # fmt: skip
    return {name: {"": file.read_text("utf-8")} for name, file in files.items() if file.is_file()}


def _digest(texts: object) -> str:
    return hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()[:8]
