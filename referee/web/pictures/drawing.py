"""Draw on pictures, with smooth edges: text in whatever letters, the mark, stamps, and the course of a match.

Text is in the display face where it has all letters, else in Pillow's own or the system's fonts. So a picture looks the
same on every server, and any name can be drawn. Letters that no font has, mostly emoji, are left out.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from referee.web.page.charts import BOTTOM, LEFT, RIGHT, TOP, Chart
from referee.web.score.wording import HYPHEN, hyphened

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
    pen: ImageDraw.ImageDraw, at: tuple[float, float], text: str, size: int, color: str, *, display: bool = False
) -> float:
    """Write a text at its left end, on its baseline; return the x where it ends."""
    x, y = at
    for run, font, bold in _runs(text, size, display):
        drawn = run.rstrip()  # a blank after letters written from right to left would be drawn to their left
        pen.text(
            (x, y), drawn, fill=color, font=font, anchor="ls", stroke_width=size // 48 + 1 if bold and size >= 32 else 0
        )
        x += font.getlength(run)
    return x


def length(text: str, size: int, *, display: bool = False) -> float:
    """Return the width of a text in pixels."""
    return sum(font.getlength(run) for run, font, _ in _runs(text, size, display))


def rise(text: str, size: int) -> float:
    """Return how many pixels a text in the display face stands above its baseline: accents on capitals are high."""
    return max((-font.getbbox(run, anchor="ls")[1] for run, font, _ in _runs(text, size, True)), default=0)


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


def wrapped(text: str, size: int, width: float, *, display: bool = False) -> list[str]:
    """Return a text in lines of at most `width` pixels, broken at blanks; a word that is wider, where it can be."""
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".lstrip()
        if length(joined, size, display=display) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for place, part in enumerate(hyphened(word).split(HYPHEN)):
            if place and length(f"{lines[-1]}{part}-", size, display=display) > width:
                lines[-1] += "-"
                lines.append("")
            for letter in part:
                if lines[-1] and length(lines[-1] + letter, size, display=display) > width:
                    lines.append("")
                lines[-1] += letter
    return lines


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
    fonts = {}
    for folder in FOLDERS:
        for name in OTHERS:
            if name not in fonts and (file := next(Path(folder).rglob(name), None)):
                fonts[name] = file
    return tuple(fonts[name] for name in OTHERS if name in fonts)


COLORS = {
    "red": "#cf2e2a", "yellow": "#e0a400", "green": "#2e8b3d", "blue": "#2767c9",
    "pink": "#d63384", "teal": "#128a8a", "orange": "#e8710a", "purple": "#7b3fb0",
}  # fmt: skip
SHAPES = {"blue": "square", "green": "triangle", "yellow": "diamond"}
"""The shapes of the colors that have corners; the others are circles."""
MARK = ("red", "blue", "green", "yellow")
OWN = COLORS | {"yellow": "#a37200"}
"""The colors of players, dark enough for lines on paper."""
FINER = 3
"""Shapes are drawn at this multiple of their size and scaled down, since Pillow draws no smooth edges itself."""
DOT = 11
"""Radius of the end of a strong line."""
Area = tuple[int, int, int, int]
Pen = ImageDraw.ImageDraw


def smoothly(picture: Image.Image, area: Area, draw: Callable[[Pen, int], None]) -> None:
    """Draw shapes into an area: left, top, right and bottom; `draw` takes a pen and its multiple of the size."""
    part = picture.crop(area)
    fine = part.resize((part.width * FINER, part.height * FINER), Image.Resampling.NEAREST)
    draw(ImageDraw.Draw(fine), FINER)
    picture.paste(fine.resize(part.size, Image.Resampling.LANCZOS), area[:2])


def draw_mark(picture: Image.Image, x: int, y: int, size: int) -> int:
    """Draw the four shapes in a row; return the x where they end."""
    step = size * 5 // 4

    def draw(pen: Pen, finer: int) -> None:
        for place, color in enumerate(MARK):
            _colored(pen, color, place * step * finer, 0, size * finer)

    smoothly(picture, (x, y, x + 4 * step, y + size), draw)
    return x + 4 * step


def draw_marker(picture: Image.Image, x: int, y: int, size: int, marker: str) -> None:
    """Draw the color and shape of a player."""
    color, _, shape = marker.partition("-")
    draw_shape(picture, (x, y), size, shape, OWN[color])


def draw_shape(picture: Image.Image, at: tuple[int, int], size: int, shape: str, fill: str) -> None:
    """Draw a shape with its left upper corner somewhere."""
    x, y = at
    smoothly(picture, (x, y, x + size, y + size), lambda pen, finer: _shape(pen, shape, fill, 0, 0, size * finer))


CHECK = [(4, 13, 10, 19, 21, 5)]
SIGNS: Mapping[str, Sequence[Sequence[int]]] = {"yes": CHECK, "law": CHECK, "no": [(5, 5, 19, 19), (19, 5, 5, 19)]}
"""Strokes of signs on a grid of 24; what is open has a question mark."""


def draw_stamp(words: str, sign: str, color: str, width: int) -> Image.Image:
    """Return a stamp that is turned a little: a sign and words in a frame, at most so wide."""
    size = largest(words, 76, 40, width - 190) * 2
    mark = size * 9 // 10 if sign else 0
    long = int(length(words, size, display=True))
    layer = Image.new("RGBA", (long + mark + size * 3 // 2, size * 8 // 5), "#faf6ee00")
    pen = ImageDraw.Draw(layer)
    pen.rounded_rectangle((6, 6, layer.width - 7, layer.height - 7), size // 4, outline=color, width=size // 8)
    x, low = size * 6 // 10, (layer.height - mark) // 2
    for stroke in SIGNS.get(sign, ()):
        points = [(x + a * mark / 24, low + b * mark / 24) for a, b in zip(stroke[::2], stroke[1::2], strict=True)]
        pen.line(points, fill=color, width=size // 7, joint="curve")
    base = layer.height / 2 + size * 0.32
    if sign == "open":
        write(pen, (x + mark / 5, base), "?", size, color, display=True)
    write(pen, (x + mark + size / 4 * bool(sign), base), words, size, color, display=True)
    turned = layer.rotate(4, Image.Resampling.BICUBIC, expand=True)
    return turned.resize((turned.width // 2, turned.height // 2), Image.Resampling.LANCZOS)


def draw_course(picture: Image.Image, area: Area, chart: Chart, line: str) -> None:
    """Draw the course of a match into an area, each line in its player's color and the winner's strong."""
    left, top, right, bottom = area
    wide, high = (right - left - 2 * DOT) / (RIGHT - LEFT), (bottom - top - 2 * DOT) / (BOTTOM - TOP)

    def draw(pen: Pen, finer: int) -> None:
        def pixels(point: str) -> tuple[float, float]:
            x, _, y = point.partition(",")
            return (DOT + (float(x) - LEFT) * wide) * finer, (DOT + (float(y) - TOP) * high) * finer

        for tick in chart.y_ticks:
            (start, level), (end, _) = pixels(f"{LEFT},{tick.at}"), pixels(f"{RIGHT},{tick.at}")
            pen.line((start, level, end, level), fill=line, width=2 * finer)
        for curve in chart.lines:
            points = [pixels(point) for point in curve.points.split()]
            color, _, shape = curve.marker.partition("-")
            pen.line(points, fill=OWN[color], width=(8 if curve.strong else 5) * finer, joint="curve")
            x, y = points[-1]
            radius = (DOT if curve.strong else 8) * finer
            _shape(pen, shape, OWN[color], x - radius, y - radius, 2 * radius)

    smoothly(picture, area, draw)


def _colored(pen: Pen, color: str, x: float, y: float, size: float) -> None:
    """Draw a color of cards by its shape; those that few boxes have are round."""
    _shape(pen, SHAPES.get(color, "circle"), COLORS[color], x, y, size)


def _shape(pen: Pen, shape: str, fill: str, x: float, y: float, size: float) -> None:
    right, bottom = x + size, y + size
    if shape == "square":
        inset = size * 0.08
        pen.rounded_rectangle((x + inset, y + inset, right - inset, bottom - inset), size * 0.08, fill=fill)
    elif shape == "triangle":
        base = bottom - size * 0.06
        pen.polygon([(x + size / 2, y + size * 0.04), (right, base), (x, base)], fill=fill)
    elif shape == "diamond":
        pen.polygon([(x + size / 2, y), (right, y + size / 2), (x + size / 2, bottom), (x, y + size / 2)], fill=fill)
    else:
        inset = size * 0.04
        pen.ellipse((x + inset, y + inset, right - inset, bottom - inset), fill=fill)
