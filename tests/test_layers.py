"""Who may know whom: rules know the standard library, records know rules, the web knows both; nobody knows back."""

import ast
import graphlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.paths import CHECKOUT, PACKAGE
from tests.ground.each import check_each

LIMIT = 600
LONGER = {"referee.records.models": "the tables, declared one after the other, and nothing that runs"}
"""Modules over the limit, each with its reason."""

ALLOWED = {
    "referee.rules": {"referee.rules"},
    "referee.records": {"referee.rules", "referee.records"}
    | {"sqlalchemy", "alembic", "openskill", "cachetools", "pydantic", "pydantic_core"},
}
MIGRATIONS = PACKAGE / "records" / "migrations"
"""Run by Alembic with Flask-Migrate's ``env.py``; part of no layer."""

MODULES = {
    ".".join(file.relative_to(CHECKOUT).with_suffix("").parts).removesuffix(".__init__"): file
    for file in sorted(PACKAGE.rglob("*.py"))
    if MIGRATIONS not in file.parents
}


def imports(module: str) -> Iterator[str]:
    """Name what a module imports, inside functions too, but for what only types need."""
    for node in _run(ast.parse(MODULES[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively: write the whole name"
            origin = node.module or ""
            yield origin
            yield from (f"{origin}.{alias.name}" for alias in node.names if f"{origin}.{alias.name}" in MODULES)


def _run(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    for child in () if for_types else ast.iter_child_nodes(node):
        yield from _run(child)


def layer_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def _may(name: str, allowed: set[str]) -> bool:
    known = any(name == one or name.startswith(f"{one}.") for one in allowed)
    return known or name.split(".")[0] in sys.stdlib_module_names


def test_a_module_knows_only_its_layer_and_those_below() -> None:
    def check(module: str) -> None:
        assert [name for name in imports(module) if not _may(name, ALLOWED[layer_of(module)])] == []

    check_each([name for name in MODULES if layer_of(name) in ALLOWED], check)


def test_no_module_imports_in_a_circle() -> None:
    known = {
        name: {other for other in imports(name) if other in MODULES and other != name} - {name.rpartition(".")[0]}
        for name in MODULES
        if name != "referee"  # has the version, and imports the web only when an app is made
    }
    graphlib.TopologicalSorter(known).prepare()  # raises CycleError and names the circle


@pytest.mark.parametrize("layer", ["referee.rules", "referee.web"])
def test_no_room_looks_back_up_to_one_that_looks_at_it(layer: str) -> None:
    rooms: dict[str, set[str]] = {}
    for name in MODULES:
        if name.startswith(f"{layer}."):
            others = {_room(other) for other in imports(name) if other in MODULES and other.startswith(f"{layer}.")}
            rooms.setdefault(_room(name), set()).update(others - {_room(name)})
    graphlib.TopologicalSorter(rooms).prepare()  # raises CycleError and names the circle


def _room(module: str) -> str:
    return module.split(".")[2]


@pytest.mark.parametrize(
    ("first", "unwanted"),
    [
        ("referee", {"flask", "sqlalchemy", "wtforms"}),
        ("referee.rules", {"flask", "sqlalchemy", "wtforms", "pydantic"}),
        ("referee.records.models", {"flask", "wtforms"}),
    ],
)
def test_importing_a_layer_loads_nothing_above_it(first: str, unwanted: set[str]) -> None:
    code = f"import {first}, sys; print(*(set(sys.modules) & {unwanted!r}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CHECKOUT)
    assert loaded.stdout.split() == []


def test_no_module_is_long_without_a_reason() -> None:
    def check(module: str) -> None:
        lines = len(MODULES[module].read_text("utf-8").splitlines())
        if module in LONGER:
            assert lines > LIMIT, "it has become short: take it off the list"
        else:
            assert lines <= LIMIT, f"it has {lines} lines: part it, or give the reason in LONGER"

    check_each(MODULES, check)


RULEBOOKS = {file.stem for file in (PACKAGE / "rules" / "rulebooks").glob("*.toml")} - {"questions"}


def test_no_code_asks_which_rulebook_it_is() -> None:
    def check(module: str) -> None:
        tree = ast.parse(MODULES[module].read_text("utf-8"))
        declared = set(_declared(tree))
        named = [
            f"line {node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in declared
            if node.value in RULEBOOKS
        ]
        assert named == [], "a procedure that differs is a setting that names it"

    check_each(MODULES, check)


def _declared(tree: ast.AST) -> Iterator[ast.AST]:
    """Give the texts that ask nothing: of documentation, in the order of what is offered, and the name of a setting."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant() as text):
                yield text
            case ast.Assign(targets=[ast.Name(id="ORDER" | "SECOND")], value=listed):
                yield from ast.walk(listed)
            case ast.Call(func=ast.Name(id="Setting"), args=[name, *_]):
                yield name


def test_nothing_is_called_utils() -> None:
    assert [name for name in MODULES if name.split(".")[-1] in ("utils", "helpers", "misc", "common")] == []


SAME_THING = {
    "RoundScore": "a round's score, and the row that stores it",
    "Ruling": "a ruling, and the row that stores it",
    "Setting": "what is settled: by a clause, or by a host (docs/pages/build/glossary.md)",
}
"""Classes of one name in two modules, each with its reason."""


def test_no_class_has_the_name_of_another() -> None:
    named: dict[str, list[str]] = {}
    for module, file in MODULES.items():
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                named.setdefault(node.name, []).append(module)
    assert {name: where for name, where in named.items() if len(where) > 1}.keys() == SAME_THING.keys()


ROOM = {"views", "wording", "forms", "__init__"}
"""Files that any room may have."""
FURTHER = {
    "club/founding": "how strangers get a club, which every room that saves asks",
    "deletion/saving": "deletes and restores for pages and the JSON interface alike",
    "disputes/questions": "what the pages and the phones' documents ask",
    "evening/screen": "what everyone sees who only plays: the television and their own page",
    "evening/tables": "the phones of single tables, which have keys of their own",
    "offline/documents": "the rules that a phone saves",
    "offline/saved_pages": "the pages that a phone saves",
    "pictures/cards": "what the pictures show",
    "pictures/drawing": "text and shapes, for every picture",
    "season/card": "the picture of a season or an evening, which loads Pillow",
}
"""Other files of rooms, each with what it is there for."""


def test_a_room_has_views_wording_and_forms_and_no_further_file_without_a_reason() -> None:
    web = PACKAGE / "web"
    rooms = {views.parent for views in web.glob("*/views.py")}
    further = {f"{room.name}/{file.stem}" for room in rooms for file in room.glob("*.py") if file.stem not in ROOM}
    assert further == FURTHER.keys()


def test_no_file_of_the_web_has_the_name_of_another() -> None:
    names = [file.stem for file in (PACKAGE / "web").rglob("*.py") if file.stem not in ROOM]
    assert sorted({name for name in names if names.count(name) > 1}) == []


PLACES = re.compile(r"(?<![\w./])/(?:root|work|Users|home/\w+)/|\bissue #?\d+\b", re.IGNORECASE)
"""Paths of someone's machine, and numbers of a tracker: the project stands alone."""


def test_nothing_refers_to_the_place_where_it_was_written() -> None:
    files = list(PACKAGE.rglob("*.*"))
    if shutil.which("git"):  # else, and where there is no repository, it is a copy of what was released
        listed = subprocess.run(["git", "ls-files"], cwd=CHECKOUT, capture_output=True, text=True, check=False)
        files = [CHECKOUT / name for name in listed.stdout.splitlines()] or files
    found = [
        f"{file.relative_to(CHECKOUT)}: {match[0]}"
        for file in files
        if file.is_file() and file != Path(__file__) and file.suffix not in (".png", ".ico", ".gz")
        for match in PLACES.finditer(file.read_text("utf-8", "ignore"))
    ]
    assert found == []


def test_nothing_of_the_web_commits_but_what_saves_and_commands() -> None:
    may = "referee.web.server.database"
    rooms = {name: file for name, file in MODULES.items() if name.startswith("referee.web.") and name != may}
    committing = [name for name, file in rooms.items() if ".commit()" in file.read_text("utf-8")]
    assert [name for name in committing if not name.startswith("referee.web.commands.")] == []
