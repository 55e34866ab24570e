"""The result of a match as a picture, drawn on the server: for messengers, without any browser.

The type is the one that Pillow brings along, so that the card looks the same on every server; letters
it lacks come from a font of the system where there is one. What no font has (emoji, mostly) is left
out, and a name of nothing else becomes the player's number.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from referee.records.models import MatchStatus
from referee.records.sheets import Sheet
from referee.web.score import summaries
from referee.web.score.sides import by_sides
from referee.web.sharing import handouts
from referee.web.words import number, say

Font = ImageFont.FreeTypeFont
WIDTH = 1080
LEAST_HEIGHT, MOST_HEIGHT = 1080, 1350
MARGIN = 96
PAPER, INK, QUIET, LINE, ACCENT = "#faf6ee", "#231d14", "#665c4c", "#e2dacb", "#5f2a86"
HIGHEST_ROW = 132
FOOT = 216
ELLIPSIS = "…"
FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/System/Library/Fonts", "C:/Windows/Fonts")
OTHERS = (
    "DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "Arial Unicode.ttf", "segoeui.ttf",
    "NotoSansArabic-Regular.ttf", "NotoSansHebrew-Regular.ttf", "NotoSansDevanagari-Regular.ttf",
    "NotoSansCJK-Regular.ttc", "PingFang.ttc", "msyh.ttc",
)  # fmt: skip
"""Fonts that systems have, for letters beyond the Latin ones, the widest first."""
NOWHERE = "\U0010fffd"
"""A code point that no font draws: what it looks like is how a font shows what it lacks."""


def draw_card(sheet: Sheet) -> bytes:
    """Draw the card of a match: who won or how it stands, and every total; a PNG, 1080 pixels wide."""
    picture = Image.new("RGB", (WIDTH, MOST_HEIGHT), PAPER)
    pen = ImageDraw.Draw(picture)
    bottom = _standings(pen, sheet, _head(pen, sheet))
    height = min(MOST_HEIGHT, max(LEAST_HEIGHT, bottom + FOOT))
    _foot(pen, sheet, height)
    out = io.BytesIO()
    picture.crop((0, 0, WIDTH, height)).quantize(64).save(out, "PNG", optimize=True)
    return out.getvalue()


def _head(pen: ImageDraw.ImageDraw, sheet: Sheet) -> int:
    match = sheet.match
    names = {player: _drawable(player) or _nameless(sheet, player) for player in sheet.players}
    winners = [names.get(name, _drawable(name)) for name in sheet.winners]
    headline = summaries.result(match, winners) or say(
        "result.after-round", round=summaries.round_number(sheet.round_count, sheet.terms.rounds_to_play)
    )
    title = _drawable(match.name) or summaries.joined(list(names.values()))
    _write(pen, (MARGIN, MARGIN), _fit(title, 40, WIDTH - 2 * MARGIN), 40, QUIET)
    y = MARGIN + 76
    for line in _wrapped(headline, 84, WIDTH - 2 * MARGIN)[:3]:
        _write(pen, (MARGIN, y), line, 84, ACCENT if match.status != MatchStatus.IN_PROGRESS else INK, bold=True)
        y += 100
    return y + 36


def _standings(pen: ImageDraw.ImageDraw, sheet: Sheet, top: int) -> int:
    rows = by_sides(sheet.standings)
    height = min(HIGHEST_ROW, (MOST_HEIGHT - FOOT - top) // max(1, len(rows)))
    for place, standing in enumerate(rows):
        y = top + place * height
        pen.line((MARGIN, y, WIDTH - MARGIN, y), fill=LINE, width=2)
        middle = y + height // 2
        first = standing.names[0] in sheet.winners
        total = number(standing.total)
        size = min(76, int(height * 0.62))
        room = WIDTH - 2 * MARGIN - 72 - _length(total, size) - 40
        names = [_drawable(name) or _nameless(sheet, name) for name in standing.names]
        name = _fit(summaries.joined(names), int(size * 0.72), room)
        if sheet.round_count:
            _write(pen, (MARGIN, middle), str(standing.rank), int(size * 0.5), QUIET, anchor="lm")
        _write(pen, (MARGIN + 72, middle), name, int(size * 0.72), INK, bold=first, anchor="lm")
        right = WIDTH - MARGIN - _length(total, size)
        _write(pen, (right, middle), total, size, ACCENT if first else INK, bold=True, anchor="lm")
    return top + len(rows) * height


def _foot(pen: ImageDraw.ImageDraw, sheet: Sheet, height: int) -> None:
    width = WIDTH - 2 * MARGIN
    lines = (summaries.terms_line(sheet.terms), handouts.facts_line(sheet))
    for place, line in enumerate(lines):
        _write(pen, (MARGIN, height - MARGIN - 80 + place * 48), _fit(_drawable(line), 32, width), 32, QUIET)


def _nameless(sheet: Sheet, player: str) -> str:
    return say("names.unnamed", n=1 + sheet.players.index(player))


# -- type --------------------------------------------------------------------------------------------------------------


def _write(
    pen: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    size: int,
    color: str,
    *,
    bold: bool = False,
    anchor: str = "la",
) -> None:
    x, y = at
    for run, font in _runs(text, size):
        pen.text((x, y), run, fill=color, font=font, anchor=anchor, stroke_width=size // 48 + 1 if bold else 0)
        x += font.getlength(run)


def _length(text: str, size: int) -> float:
    return sum(font.getlength(run) for run, font in _runs(text, size))


def _fit(text: str, size: int, width: float) -> str:
    """Shorten a text until it is no wider than `width` pixels."""
    if _length(text, size) <= width:
        return text
    while text and _length(text + ELLIPSIS, size) > width:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def _wrapped(text: str, size: int, width: float) -> Sequence[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _length(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return [_fit(line, size, width) for line in lines]


def _drawable(text: str) -> str:
    """Leave out what no font here has, and composing marks that would then hang in the air."""
    kept = [letter for letter in unicodedata.normalize("NFC", text) if letter == " " or _font_index(letter) is not None]
    while kept and unicodedata.category(kept[0])[0] == "M":
        kept.pop(0)
    return " ".join("".join(kept).split())


def _runs(text: str, size: int) -> Iterator[tuple[str, Font]]:
    """Part a text where its font changes; a blank stays with what stands before it."""
    run, current = "", 0
    for letter in text:
        index = current if letter == " " else (_font_index(letter) or 0)
        if index != current and run:
            yield run, _font(current, size)
            run = ""
        run, current = run + letter, index
    if run:
        yield run, _font(current, size)


@lru_cache(maxsize=4096)
def _font_index(letter: str) -> int | None:
    """Find the first font that draws a letter; None when there is none."""
    if unicodedata.category(letter)[0] == "C":
        return None
    for index in range(1 + len(_system_fonts())):
        font = _font(index, 32)
        if bytes(font.getmask(letter)) != bytes(font.getmask(NOWHERE)) and font.getmask(letter).getbbox():
            return index
    return None


@lru_cache(maxsize=256)
def _font(index: int, size: int) -> Font:
    if index:
        return ImageFont.truetype(str(_system_fonts()[index - 1]), size)
    font = ImageFont.load_default(size)
    if not isinstance(font, Font):
        raise RuntimeError("Pillow was built without FreeType, so it cannot draw letters of a size")
    return font


@lru_cache(maxsize=1)
def _system_fonts() -> tuple[Path, ...]:
    found = {}
    for folder in FOLDERS:
        for name in OTHERS:
            if name not in found and (file := next(Path(folder).rglob(name), None)):
                found[name] = file
    return tuple(found[name] for name in OTHERS if name in found)
