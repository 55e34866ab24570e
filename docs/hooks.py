"""Bring into the site what stands elsewhere in the repository: files for hosts, pages that GitHub shows at the top."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from tempfile import TemporaryDirectory
from typing import Any

from mkdocs.structure.files import File, Files

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent
sys.path.insert(0, str(CHECKOUT))  # mkdocs is started as a program of its own

from referee.paths import STATIC  # noqa: E402
from referee.rules.text.words import ENGLISH, languages  # noqa: E402
from referee.web.server.static_files import files_in  # noqa: E402
from tools.documents.for_programs import title, written  # noqa: E402
from tools.documents.for_the_app import sources  # noqa: E402
from tools.gallery import create_app  # noqa: E402

INTERFACE = written()
"""The pages of the JSON interface, by their names."""
PAGES: Mapping[str, str] = {
    "CONTRIBUTING.md": "build/contributing.md",
    "CHANGELOG.md": "build/changelog.md",
    ".github/SECURITY.md": "host/vulnerabilities.md",
}
"""Pages of the repository by their paths, each with its place in the site."""
FILES: Mapping[str, str] = {
    **{f"docs/hosting/{name}": f"host/files/{name}" for name in files_in(HERE / "hosting")},
    **{f"static/{name}": name for name in files_in(STATIC) if name.startswith("help/")},
    **{f"static/{name}": f"build/static/{name}" for name in files_in(STATIC) if name.startswith(("css/", "font/"))},
    "tools/gallery/design.css": "build/static/css/design.css",
    "static/img/icon.svg": "icon.svg",
}
MOVED = {**PAGES, **FILES}
POLICY = "default-src 'self';"
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#|/)([^)#\s]+)")


def on_config(config: Any) -> Any:
    """List the JSON interface’s pages under Program; after Play, give each other language a tab in its own name."""
    (program,) = (part["Program"] for part in config.nav if "Program" in part)
    program[1:1] = [{title(name): f"program/{name}.md"} for name in INTERFACE]
    (play,) = (place for place, part in enumerate(config.nav) if "Play" in part)
    own = {one.name: list(sources(code).values()) for code, one in languages().items() if code != ENGLISH}
    config.nav[play + 1 : play + 1] = [{name: pages} for name, pages in own.items() if pages]
    return config


def on_page_content(html: str, *, page: Any, config: Any, files: Files) -> str:
    """Say which language a page of another one is in."""
    code = PurePosixPath(page.file.src_uri).parent.name
    return f'<div lang="{code}">{html}</div>' if code in languages() else html


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages and files to those in docs/pages."""
    for path, place in MOVED.items():
        files.append(File.generated(config, place, abs_src_path=str(CHECKOUT / path)))
    for name, text in INTERFACE.items():
        files.append(File.generated(config, f"program/{name}.md", content=text))
    for id, text in _gallery().items():
        files.append(File.generated(config, f"build/design-{id}.html", content=text))
    return files


def _gallery() -> Mapping[str, str]:
    """Draw every component as the app does, a page each without scripts, by its id; style sheets stand beside them."""
    with TemporaryDirectory() as folder:
        app = create_app({"INSTANCE": Path(folder), "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder}/referee.db"})
        page = app.test_client().get("/design").text
    page = re.sub(r"<script.*?</script>|<link rel=\"(?!stylesheet).*?>", "", page, flags=re.S)
    page = re.sub(r"/static/\w+/css/|/(?=design\.css)", "static/css/", page)
    page = page.replace("<head>", f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}">', 1)
    head, *parts = re.split(r'<section class="shown" id="([\w-]+)">', page.partition("</main>")[0])
    head = head.replace("<h1>Design</h1>", "")
    return {
        id: f'{head}<section class="shown">{text}</main></body></html>'
        for id, text in zip(parts[::2], parts[1::2], strict=True)
    }


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Lead links that leave docs/pages to where their targets stand in the site."""
    place = PurePosixPath(page.file.src_uri)
    home = {place: path for path, place in PAGES.items()}.get(str(place), f"docs/pages/{place}")

    def lead(found: re.Match[str]) -> str:
        target = normpath(PurePosixPath(home).parent / found[1])
        target = MOVED.get(target, target.removeprefix("docs/pages/"))
        return relpath(target, place.parent)

    return LINK.sub(lead, markdown)
