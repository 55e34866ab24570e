"""Say what is sent of a script or a style sheet: whole modules instead of small ones, without what readers need.

Scripts are written as small modules with many comments. Every module would cost a request and its headers, and the
comments a quarter of the bytes, so a module that a page needs anyway is sent inside the one that needs it, as a style
sheet is that another imports.
"""

from __future__ import annotations

import re
from pathlib import Path

WHOLES = {
    "base": ("words",),
    "hand": ("follow",),
    "hands": ("follow",),
    "live": ("follow", "winner"),
    "outbox": ("waiting-state",),
    "public": ("passing-on",),
    "share": ("passing-on",),
    "pad": ("focus", "pad-keys", "pad-state"),
    "sheet": ("waiting", "winner"),
    "tap-keys": ("pad-keys",),
    "together": ("follow",),
}
"""Scripts by the modules sent inside them, in the order they run; together they name nothing twice.

Who imports a module that is in one script alone gets it from there, so that it runs once. In several, each has its
own: such a module keeps nothing that two scripts of one page would have to share.
"""
PARTS = frozenset(f"js/{part}.js" for parts in WHOLES.values() for part in parts)
"""Files that no page asks for by themselves."""

CSS_IMPORT = re.compile(r'@import "([\w.-]+)";')
"""How one of our style sheets names another beside it."""
JS_IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"\./([\w-]+)\.js";\n', re.MULTILINE)
JS_IMPORT_LATER = re.compile(r'\bimport\("\./([\w-]+)\.js"\)')
"""How one of our modules names another beside it: at its head, and where it is needed first."""
COMMENT = r"/\*[^*]*(?:\*(?!/)[^*]*)*\*/"
CSS_COMMENT = re.compile(rf"{COMMENT}\s*")
JS_COMMENT = re.compile(rf"^[ \t]*(?://[^\n]*|{COMMENT}[ \t]*)\n|(?<=[\s(.]){COMMENT} ?", re.MULTILINE)
"""Comments on lines of their own, and types beside what they say; what stands behind code stays."""


def text_of(file: Path) -> str:
    """Give the text of a script or a style sheet as it is sent."""
    return _style(file) if file.suffix == ".css" else _script(file)


def without_comments(script: str) -> str:
    """Leave out what a script says to its readers and to the type checker."""
    return JS_COMMENT.sub("", script)


def _style(file: Path) -> str:
    whole = CSS_IMPORT.sub(lambda found: _style(file.parent / found[1]), file.read_text("utf-8"))
    return CSS_COMMENT.sub("", whole)


def _script(file: Path) -> str:
    inside = (*WHOLES.get(file.stem, ()), file.stem)
    text = "".join(without_comments((file.parent / f"{module}.js").read_text("utf-8")) for module in inside)
    wanted: dict[str, set[str]] = {}
    for names, module in JS_IMPORT.findall(text):
        if module not in inside:
            wanted.setdefault(_home(module), set()).update(name.strip() for name in names.split(",") if name.strip())
    imports = [f'import {{ {", ".join(sorted(names))} }} from "./{home}.js";\n' for home, names in wanted.items()]
    body = JS_IMPORT_LATER.sub(lambda found: f'import("./{_home(found[1])}.js")', JS_IMPORT.sub("", text))
    return "".join(imports) + body


def _home(module: str) -> str:
    """Find the script that a module is to be imported from."""
    homes = [whole for whole, parts in WHOLES.items() if module in parts]
    return homes[0] if len(homes) == 1 else module
