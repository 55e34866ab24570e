"""Write the page of promises: what the hosting pages promise, each with the tests that hold it.

A promise is what follows an anchor in one of the pages, `<a id="alone"></a>A restore needs the database alone.`: the
sentence, or in a table the row. A test holds it by its marker, `@pytest.mark.promise("backup#alone")`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from referee.paths import CHECKOUT

PAGES = ("security", "reliability", "backup", "deleting")
"""The pages that promise, in docs/pages/host."""
UNTESTED: Mapping[str, str] = {
    "reliability#power-cut": "A test can kill a process, not cut a machine's power or wear out a disk.",
    "deleting#older-backups": "No program sees what lies on another disk.",
}
"""Promises that no test can hold, each with the reason."""
BEGIN = """# Promises

What [security](../host/security.md), [reliability](../host/reliability.md), [backup](../host/backup.md) and
[deleting](../host/deleting.md) promise, and the tests that hold it. `python3 run test tests -k NAME` runs one.
`python3 -m tools.documents` writes this page from anchors in those pages and markers on the tests
([how](../../../CONTRIBUTING.md#promises)).
"""
ANCHOR = re.compile(r'<a id="([a-z0-9-]+)"></a>')


def promises() -> dict[str, str]:
    """Return what is promised, by page and anchor, in the order of the pages."""
    found = {}
    for page in PAGES:
        text = (CHECKOUT / "docs" / "pages" / "host" / f"{page}.md").read_text("utf-8")
        for anchor in ANCHOR.finditer(text):
            found[f"{page}#{anchor[1]}"] = _promised(text, anchor)
    return found


def holders() -> dict[str, list[str]]:
    """Return the names of the tests that hold a promise, by page and anchor."""
    found: dict[str, list[str]] = {}
    for file in sorted((CHECKOUT / "tests").rglob("test_*.py")):
        text = file.read_text("utf-8")
        for test in ast.parse(text).body if "mark.promise(" in text else ():
            if isinstance(test, ast.FunctionDef):
                for promise in _marked(test):
                    found.setdefault(promise, []).append(test.name)
    return found


def promises_page() -> str:
    """Write the page: a table for each page, then what no test can hold."""
    told, held = promises(), holders()
    tables = [_table(page, told, held) for page in PAGES]
    reasons = [f"| {_linked(promise, told)} | {why} |\n" for promise, why in UNTESTED.items()]
    rest = ["\n## Held by no test\n\n| promise | why |\n| --- | --- |\n", *reasons]
    return "".join([BEGIN, *tables, *rest])


def _table(page: str, told: Mapping[str, str], held: Mapping[str, list[str]]) -> str:
    head = f"\n## {page.capitalize()}\n\n| promise | held by |\n| --- | --- |\n"
    rows = (
        f"| {_linked(promise, told)} | {', '.join(f'`{name}`' for name in held.get(promise, ()))} |\n"
        for promise in told
        if promise.startswith(f"{page}#") and promise not in UNTESTED
    )
    return head + "".join(rows)


def _linked(promise: str, told: Mapping[str, str]) -> str:
    page, anchor = promise.split("#")
    return f"[{anchor}](../host/{page}.md#{anchor}): {told[promise]}"


def _promised(text: str, anchor: re.Match[str]) -> str:
    """Return the sentence behind an anchor, or what the row of its table begins and ends with, without its links."""
    rest = text[anchor.end() :]
    if text[: anchor.start()].endswith("\n| "):
        first, *_, last = rest.split("\n", 1)[0].strip().removesuffix("|").split(" | ")
        sentence = f"{first.strip()}: {last.strip()}"
    else:
        paragraph = " ".join(re.split(r"\n\n|\n- ", rest, maxsplit=1)[0].split())
        sentence = re.split(r"(?<=\.)\**(?=\s|$)", paragraph, maxsplit=1)[0].rstrip(":;")
    return re.sub(r"\[([^]]+)]\([^)]+\)", r"\1", ANCHOR.sub("", sentence)).replace("**", "")


def _marked(test: ast.FunctionDef) -> Iterator[str]:
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.promise":
            for argument in decorator.args:
                yield ast.literal_eval(argument)
