"""Draw QR codes."""

from __future__ import annotations

import segno
from markupsafe import Markup


def qr_code(text: str) -> Markup:
    """Draw a QR code as SVG, black on white whatever the page's light."""
    drawing = segno.make(text, micro=False).svg_inline(border=4, light="#fff", omitsize=True)
    return Markup(drawing)
