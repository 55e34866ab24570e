"""The style sheets take every color, size, space and pace from one file, where each stands once."""

from __future__ import annotations

import re
from collections import Counter

from referee.paths import STATIC
from referee.web.page.layout import PAPER
from tests.ground.client import Client

MOTION = re.compile(r"@view-transition|@keyframes|\b(?:transition|animation|scroll-behavior)\s*:[^;]+")
CSS = STATIC / "css"
TOKENS, _, REST = (CSS / "base.css").read_text("utf-8").partition("/* Type, layout")
"""The head of base.css is all tokens."""
COMMENT = re.compile(r"/\*.*?\*/", re.S)
DECLARATION = re.compile(r"(?<![\w-])(--[\w-]+|[a-z][a-z-]*)\s*:\s*([^;{}]+);")
LITERAL = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(|(?<![\w.#])\d*\.?\d+(?:rem|px|pt|ms|s)\b")
"""What only the tokens may say; `em`, percents and shares of the screen are proportions."""


def _declarations(css: str) -> list[tuple[str, str]]:
    return [(name, value.strip()) for name, value in DECLARATION.findall(COMMENT.sub("", css))]


def test_only_the_tokens_name_a_color_a_size_or_a_duration() -> None:
    found = {
        f"{file.name}: {name}: {value}"
        for file in CSS.glob("*.css")
        for name, value in _declarations(REST if file.name == "base.css" else file.read_text("utf-8"))
        if LITERAL.search(value)
    }
    assert not found, "put a token of base.css in its place:\n" + "\n".join(sorted(found))


def test_no_token_has_the_value_of_another_and_every_token_used_exists() -> None:
    tokens = COMMENT.sub("", TOKENS)
    root = tokens[tokens.index("{") : tokens.index("}")]
    literals = Counter(found for _, value in _declarations(root) for found in LITERAL.findall(value))
    assert not [value for value, times in literals.items() if times > 1]
    styles = "".join(COMMENT.sub("", file.read_text("utf-8")) for file in CSS.glob("*.css"))
    names = {name for name, _ in _declarations(root) if name.startswith("--")}
    assert len(names) > 50
    used = set(re.findall(r"var\((--[\w-]+)", styles))
    said = {name for name, _ in _declarations(styles)}
    scripts = "".join(file.read_text("utf-8") for file in (STATIC / "js").glob("*.js"))
    said |= set(re.findall(r'setProperty\("(--[\w-]+)"', scripts))
    assert not used - said, "a token that no file names"


def test_the_bars_of_the_browser_have_the_color_of_the_paper(client: Client) -> None:
    assert f"--paper: light-dark({PAPER['light']}, {PAPER['dark']});" in TOKENS
    assert f"--black: {PAPER['black']};" in TOKENS
    system = re.findall(r'<meta name="theme-color" content="(#\w+)"(?: media="([^"]+)")?>', client.get("/rules").text)
    assert system == [
        (PAPER["light"], "(prefers-color-scheme: light)"),
        (PAPER["dark"], "(prefers-color-scheme: dark)"),
    ]
    client.set_cookie("theme", "black")
    assert f'<meta name="theme-color" content="{PAPER["black"]}">' in client.get("/rules").text


def test_nothing_moves_where_the_phone_asks_for_stillness() -> None:
    for file in CSS.glob("*.css"):
        css = COMMENT.sub("", file.read_text("utf-8"))
        assert not MOTION.findall(_without_blocks(css, "@media (prefers-reduced-motion: no-preference)")), file.name
    assert "@view-transition { navigation: auto; }" in (CSS / "base.css").read_text("utf-8")


def _without_blocks(css: str, opening: str) -> str:
    """Leave out what stands in the braces after an opening."""
    while (start := css.find(opening)) >= 0:
        end = css.index("{", start) + 1
        while css.count("{", start, end) > css.count("}", start, end):
            end = css.index("}", end) + 1
        css = css[:start] + css[end:]
    return css
