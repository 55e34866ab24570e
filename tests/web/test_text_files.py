"""Scripts and styles as they are sent: whole, in few pieces, without what only readers need."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pygments.lexers.javascript import JavascriptLexer  # of pytest
from pygments.token import Comment, Whitespace

from referee.paths import CHECKOUT, STATIC
from referee.web.server.text_files import PARTS, WHOLES, text_of, without_comments
from tests.ground.each import check_each

NODE = shutil.which("node")
SCRIPTS = sorted((STATIC / "js").glob("*.js"))


def said(script: str) -> list[str]:
    """List what a script says to a browser."""
    return [
        text.strip()
        for kind, text in JavascriptLexer().get_tokens(script)
        if kind not in Comment and kind not in Whitespace and text.strip()
    ]


def test_only_comments_are_left_out_of_a_script() -> None:
    def check(file: Path) -> None:
        whole = file.read_text("utf-8")
        short = without_comments(whole)
        assert said(short) == said(whole)
        assert "/**" not in short

    check_each(SCRIPTS, check, lambda file: file.name)


def test_what_is_sent_links_without_any_part_by_itself() -> None:
    """A name said twice, a name that nobody exports and a file that is not sent all fail here."""
    if NODE is None:
        pytest.skip("no Node on this machine to link scripts as a browser does")
    sent = [[file.name, text_of(file)] for file in SCRIPTS if f"js/{file.name}" not in PARTS]
    words = ["--experimental-vm-modules", "--no-warnings", "tests/scripts/linked.js"]
    run = subprocess.run(
        [NODE, *words], cwd=CHECKOUT, input=json.dumps(sent), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {}
    later = {name for _, text in sent for name in re.findall(r'import\("\./([^"]+)"\)', text)}
    assert later
    assert later <= {name for name, _ in sent}


def test_a_script_holds_its_parts_and_imports_each_module_once() -> None:
    for whole, parts in WHOLES.items():
        text = text_of(STATIC / f"js/{whole}.js")
        imported = re.findall(r'^import \{[^}]*\} from "\./([^"]+)\.js";$', text, re.MULTILINE)
        assert len(imported) == len(set(imported)), whole
        assert not set(imported) & set(parts), whole


def test_a_style_sheet_holds_those_it_imports() -> None:
    for file in (STATIC / "css").glob("*.css"):
        text = text_of(file)
        assert "@import" not in text, file.name
        assert "/*" not in text, file.name
    assert "--paper" in text_of(STATIC / "css/base.css")
    assert ".chart" in text_of(STATIC / "css/winner.css")
