"""Draw the icons that a phone puts on its home screen: our score sheet, from the same figures as static/img/icon.svg.

Run ``python3 -m tools.pictures.icons`` after the figures changed; the pictures are kept in the repository.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw

IMAGES = Path(__file__).resolve().parents[2] / "static" / "img"
VIOLET, PAPER = "#5f2a86", "#faf6ee"
GRID = 64
"""Units a side, as in the SVG."""
FINE = 4
"""Drawn so many times larger, then made smaller: smooth edges."""


def draw(size: int, *, rounded: bool, scale: float = 1) -> Image.Image:
    """Draw the sheet `size` pixels wide; `scale` shrinks it into the part that a phone's mask leaves."""
    whole = size * FINE
    image = Image.new("RGBA", (whole, whole), (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)

    def at(value: float) -> float:
        return (GRID / 2 + (value - GRID / 2) * scale) * whole / GRID

    pen.rounded_rectangle((0, 0, whole - 1, whole - 1), 14 * whole / GRID if rounded else 0, VIOLET)
    pen.rectangle((at(18), at(14), at(46), at(50)), PAPER)
    width = round(2.5 * scale * whole / GRID)
    pen.line((at(25), at(14), at(25), at(50)), VIOLET, width)
    for line in (26, 38):
        pen.line((at(18), at(line), at(46), at(line)), VIOLET, width)
    return image.resize((size, size), Image.Resampling.LANCZOS)


def main() -> None:
    """Write every size that phones ask for."""
    for size in (192, 512):
        draw(size, rounded=True, scale=1.2).save(IMAGES / f"icon-{size}.png", optimize=True)
    draw(512, rounded=False).save(IMAGES / "icon-mask-512.png", optimize=True)
    draw(180, rounded=False, scale=1.15).save(IMAGES / "icon-180.png", optimize=True)


if __name__ == "__main__":
    main()
