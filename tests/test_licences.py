"""What is shipped or needed is under the licence that the app says."""

import json
from importlib import metadata

from flask import Flask

from referee import __version__
from referee.paths import STATIC
from tests.test_lock import entries
from tools.releasing import licences


def test_the_list_of_packages_is_what_servers_install_with_the_licences_they_state() -> None:
    listed = {one["name"]: one for one in json.loads(licences.LIST.read_text("utf-8"))}
    versions: dict[str, set[str]] = {}
    for one, _ in entries():
        versions.setdefault(one.name, set()).add(str(one.specifier).removeprefix("=="))
    needed = set(licences.needed())
    assert needed - {"async-timeout"} == listed.keys(), "python3 -m tools.releasing licences"
    assert [name for name, one in listed.items() if one["version"] not in versions[name]] == [], "list them anew"
    stated = {name: licences.licence_of(name) for name in needed if _is_locked(name, listed)}
    assert len(stated) > len(needed) / 2
    assert stated == {name: listed[name]["licence"] for name in stated}


def _is_locked(name: str, listed: dict[str, dict[str, str]]) -> bool:
    return name in listed and metadata.version(name) == listed[name]["version"]


def test_the_page_about_the_app_names_the_release_and_every_licence(app: Flask) -> None:
    page = app.test_client().get("/about").text
    assert f"{__version__} (" in page
    for one in json.loads(licences.LIST.read_text("utf-8")):
        assert one["licence"] in page
        assert f"{one['name']}\N{NO-BREAK SPACE}{one['version']}" in page
    fonts = {file.parent for file in STATIC.rglob("*.woff2")}
    assert fonts
    for folder in fonts:
        licence = (folder / "OFL.txt").read_text("utf-8")
        assert licence.splitlines()[0].split(" (")[0].replace("Copyright", "©") in page
        assert app.test_client().get(f"/static/{folder.name}/OFL.txt").status_code == 200
