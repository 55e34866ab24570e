"""Write text on pictures, in the display face where it has all letters, else in Pillow's own or the system's fonts.

So a picture looks the same on every server, and any name can be drawn. Letters that no font has, mostly emoji, are left
out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from PIL import ImageDraw, ImageFont

Font = ImageFont.FreeTypeFont
ELLIPSIS = "…"
DISPLAY = Path(__file__).parent / "font" / "display.ttf"
FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/System/Library/Fonts", "C:/Windows/Fonts")
OTHERS = (
    "DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "Arial Unicode.ttf", "segoeui.ttf",
    "NotoSansArabic-Regular.ttf", "NotoSansHebrew-Regular.ttf", "NotoSansDevanagari-Regular.ttf",
    "NotoSansCJK-Regular.ttc", "PingFang.ttc", "msyh.ttc",
)  # fmt: skip
"""Fonts that systems have, for letters beyond the Latin ones, the widest first."""
NOWHERE = "\U0010fffd"
"""A code point that no font has: each font draws it as it draws all letters it lacks."""
FIRST = -1
"""Index of the display face; Pillow's own is 0, the system's follow."""


def write(
    pen: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    size: int,
    color: str,
    *,
    display: bool = False,
    anchor: str = "ls",
) -> float:
    """Write a text at its left end, on its baseline unless `anchor` says otherwise; return the x where it ends."""
    x, y = at
    for run, font, bold in _runs(text, size, display):
        pen.text((x, y), run, fill=color, font=font, anchor=anchor, stroke_width=size // 48 + 1 if bold else 0)
        x += font.getlength(run)
    return x


def length(text: str, size: int, *, display: bool = False) -> float:
    """Return the width of a text in pixels."""
    return sum(font.getlength(run) for run, font, _ in _runs(text, size, display))


def fit(text: str, size: int, width: float, *, display: bool = False) -> str:
    """Return a text, shortened with an ellipsis where it is wider than `width` pixels."""
    if length(text, size, display=display) <= width:
        return text
    while text and length(text + ELLIPSIS, size, display=display) > width:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def largest(text: str, most: int, least: int, width: float) -> int:
    """Return the size at which a text in the display face fits `width` pixels; `least` where it never does."""
    wide = length(text, most, display=True)
    return max(least, min(most, int(most * width / wide))) if wide else most


def halves(text: str) -> Sequence[str]:
    """Split a text at the blank nearest its middle; one line where there is none."""
    blanks = [place for place, letter in enumerate(text) if letter == " "]
    if not blanks:
        return (text,)
    middle = min(blanks, key=lambda place: abs(2 * place - len(text)))
    return text[:middle], text[middle + 1 :]


def drawable(text: str) -> str:
    """Return a text without letters that no font has, nor combining marks whose letter is gone."""
    kept = [letter for letter in unicodedata.normalize("NFC", text) if letter == " " or _font_index(letter) is not None]
    while kept and unicodedata.category(kept[0])[0] == "M":
        kept.pop(0)
    return " ".join("".join(kept).split())


def _runs(text: str, size: int, display: bool) -> Iterator[tuple[str, Font, bool]]:
    """Yield the runs of a text with one font each, and whether to draw them bold; a blank stays with the run before.

    A letter that the display face lacks puts the whole text into others, made bold: two faces in a word look broken.
    """
    if display and all(letter == " " or _has(FIRST, letter) for letter in text):
        yield text, _font(FIRST, size), False
        return
    run, current = "", 0
    for letter in text:
        index = current if letter == " " else (_font_index(letter) or 0)
        if index != current and run:
            yield run, _font(current, size), display
            run = ""
        run, current = run + letter, index
    if run:
        yield run, _font(current, size), display


@lru_cache(maxsize=4096)
def _font_index(letter: str) -> int | None:
    """Return the first font that has a letter, by index; None when there is none."""
    if unicodedata.category(letter)[0] == "C":
        return None
    return next((index for index in range(1 + len(_system_fonts())) if _has(index, letter)), None)


@lru_cache(maxsize=4096)
def _has(index: int, letter: str) -> bool:
    font = _font(index, 32)
    mask = font.getmask(letter)
    return bytes(mask) != bytes(font.getmask(NOWHERE)) and mask.getbbox() is not None


@lru_cache(maxsize=256)
def _font(index: int, size: int) -> Font:
    if index == FIRST:
        return ImageFont.truetype(str(DISPLAY), size)
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
