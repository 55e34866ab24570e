"""The style sheets take every color, size, space and pace from one file, where each stands once."""

import re
from collections import Counter

import pytest

from referee.paths import STATIC
from referee.records.models import MARKER_COLORS
from referee.web.page.layout import PAPER
from referee.web.pictures.drawing import OWN
from tests.ground.client import Client

MOTION = re.compile(r"@keyframes|\b(?:transition|animation|scroll-behavior)\s*:[^;]+")
CSS = STATIC / "css"
TOKENS, _, REST = (CSS / "base.css").read_text("utf-8").partition("/* Type, layout")
"""The head of base.css is all tokens."""
COMMENT = re.compile(r"/\*.*?\*/", re.S)
DECLARATION = re.compile(r"(?<![\w-])(--[\w-]+|[a-z][a-z-]*)\s*:\s*([^;{}]+)[;}]")
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


def test_a_corner_a_layer_and_an_easing_are_tokens_too() -> None:
    still = r"(?!.*(?:ease|linear|steps|cubic)).*"
    allowed = (
        (r"border(?:-\w+)*-radius", r"(?:(?:var\(--radius[\w-]*\)|0|50%|[\d.]+em)\s*)+"),
        (r"z-index", r"var\(--layer-\w+\)"),
        (r"(?:transition|animation)(?:-[\w-]+)?", still),
    )
    found = {
        f"{file.name}: {name}: {value}"
        for file in CSS.glob("*.css")
        for name, value in _declarations(REST if file.name == "base.css" else file.read_text("utf-8"))
        if any(re.fullmatch(names, name) and not re.fullmatch(values, value) for names, values in allowed)
    }
    assert not found, "put a token of base.css in its place:\n" + "\n".join(sorted(found))


def test_hardly_anything_needs_to_be_important() -> None:
    """What the browser hides by itself, what `hidden` hides, and what isn't printed."""
    assert sum(file.read_text("utf-8").count("!important") for file in CSS.glob("*.css")) <= 5


def test_no_class_means_one_thing_here_and_another_there() -> None:
    sheets: dict[str, set[str]] = {}
    for file in CSS.glob("*.css"):
        for rule in re.findall(r"([^{}]+)\{", COMMENT.sub("", file.read_text("utf-8"))):
            if alone := re.fullmatch(r"\.([\w-]+)", rule.strip()):
                sheets.setdefault(alone[1], set()).add(file.name)
    twice = {name: sorted(files) for name, files in sheets.items() if len(files) > 1}
    assert not twice, f"each has a block of its own in several style sheets: {twice}"


def test_the_rules_of_a_room_begin_with_classes_of_its_own() -> None:
    """What a room's sheet styles is no other room's; components are base.css's, and two sheets build on another."""
    builds_on = {"winner.css": "score.css", "history.css": "charts.css"}
    sheets: dict[str, set[str]] = {}
    for file in CSS.glob("*.css"):
        for rule in re.findall(r"([^{}]+)\{", COMMENT.sub("", file.read_text("utf-8"))):
            rule = re.sub(r"\((?:[^()]|\([^()]*\))*\)", "", rule)
            for name in re.findall(r"(?:^|,)\s*\.([\w-]+)", rule):
                sheets.setdefault(name, set()).add(builds_on.get(file.name, file.name))
    several = {name: sorted(files) for name, files in sheets.items() if len(files) > 1 and "base.css" not in files}
    assert not several, f"rename it in all sheets but one: {several}"


def _luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _contrast(*colors: str) -> float:
    darker, lighter = sorted(map(_luminance, colors))
    return (lighter + 0.05) / (darker + 0.05)


def test_one_sign_tells_who_leads() -> None:
    styles = {file.name: COMMENT.sub("", file.read_text("utf-8")) for file in CSS.glob("*.css")}
    found = [
        f"{name}: {said.strip()}"
        for name in styles
        for said in re.findall(r"[^{};]*\.leads [^{};()]*(?=\{)", styles[name])
    ]
    assert found == ["base.css: .leads .total", "base.css: .is-final .leads .total"], "size, place and color are not it"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("color", MARKER_COLORS)
def test_the_colors_of_players_are_told_from_every_ground(color: str, theme: str) -> None:
    tokens = dict(reversed(_declarations(TOKENS)))  # the first of each, which holds for both themes

    def value(name: str) -> str:
        both = re.fullmatch(r"light-dark\((.+), (.+)\)", tokens[name])
        found = both[1 if theme == "light" else 2] if both else tokens[name]
        return value(found[4:-1]) if found.startswith("var(") else found

    grounds = [value("--paper"), value("--leaf"), value("--wash")]
    grounds += [] if theme == "light" else ["#000000", "#12100d"]
    assert min(_contrast(value(f"--own-{color}"), ground) for ground in grounds) >= 3
    if theme == "light":
        assert OWN[color] == value(f"--own-{color}"), "a picture has the colors of the page"


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


def _without_blocks(css: str, opening: str) -> str:
    """Leave out what stands in the braces after an opening."""
    while (start := css.find(opening)) >= 0:
        end = css.index("{", start) + 1
        while css.count("{", start, end) > css.count("}", start, end):
            end = css.index("}", end) + 1
        css = css[:start] + css[end:]
    return css
