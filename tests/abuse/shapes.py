"""The shapes of too much: texts, lists and objects that cost more to read than they look."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.fuzz import LONG

Shape = Callable[[int], Any]
"""Make something of about so many bytes in UTF-8."""


def _run(*parts: str) -> Callable[[int], str]:
    """Repeat parts until they fill a number of bytes."""
    text = "".join(parts)
    size = len(text.encode("utf-8", "surrogatepass"))
    return lambda size_wanted: text * max(1, size_wanted // size)


def _numbered(part: str) -> Callable[[int], str]:
    """Repeat a part with a number behind it, so that no two are alike."""
    return lambda size: "".join(f"{part}{number}" for number in range(size // (len(part) + 4)))


TEXTS: Mapping[str, Callable[[int], str]] = {
    "letters": _run("a"), "marks": lambda size: "a" + "\u0315\u0300\u0327\u0345" * (size // 8),
    "marks in order": lambda size: "a" + "\u0301" * (size // 2), "jamo": _run("\u1100\u1161\u11a8"),
    "blanks": _run(" "), "wide blanks": _run("\u3000"),
    "padded": lambda size: " " * (size // 2) + "red-7" + " " * (size // 2), "lines": _run("a\n"), "digits": _run("9"),
    "sum": _run("20+"), "sum ended": lambda size: "20+" * (size // 3) + "20", "commas": _run("1,"),
    "semicolons": _run(";"), "cards": _run("7 skip "), "card words": _run("wild draw "), "pluses": _run("+ "),
    "hyphens": _run("a-"), "dots": _run("a."), "quotes": _run('"', "'"), "backslashes": _run("\\"),
    "percents": _run("%41"), "broken percents": _run("%c3"), "ampersands": _run("&a"), "markup": _run("<b>&lt;"),
    "brackets": _run("["), "braces": _run("{{a}}"), "slashes": _run("a/"), "dots and slashes": _run("../"),
    "emoji": _run("👩🏽\u200d🚀"), "turned": _run("\u202e"), "dotless": _run("İﬁ"), "expanding": _run("\ufdfa"),
    "invisible": _run("\u3164"), "words": _numbered("w "), "equal signs": _run("a="), "at signs": _run("a@"),
    "colons": _run("a:"), "entity tags": _run('W/"a",'), "parameters": _run("a;q=0.5,"), "cookies": _run("a=b; "),
}  # fmt: skip
"""Texts by what they are made of."""

THOROUGH = LONG > 0
"""Whether there is time for everything: each field in each shape, which takes minutes."""


def _some(*names: str) -> Mapping[str, Callable[[int], str]]:
    return TEXTS if THOROUGH else {name: TEXTS[name] for name in names}


ALONE = _some("marks", "words")
"""The shapes in which a field is tried alone."""
TOGETHER = _some("marks", "padded", "lines", "sum")
"""Those in which all fields of a form are tried at once."""
IN_PATHS = _some("marks", "dots and slashes")
IN_HEADERS = _some("commas", "quotes", "parameters")


LISTS: Mapping[str, Shape] = {
    "the same text": lambda size: ["red-7"] * (size // 8),
    "other texts": lambda size: [f"x{number}" for number in range(size // 8)],
    "numbers": lambda size: list(range(size // 6)),
    "lists": lambda size: [[]] * (size // 3),
    "objects": lambda size: [{}] * (size // 3),
    "nulls": lambda size: [None] * (size // 5),
    "one long text": lambda size: ["a" + "\u0315\u0300\u0327\u0345" * (size // 8)],
}


def _nested(depth: int) -> Any:
    found: Any = []
    for _ in range(depth):
        found = [found]
    return found


OBJECTS: Mapping[str, Shape] = {
    "other keys": lambda size: {f"k{number}": 1 for number in range(size // 9)},
    "keys of hands": lambda size: {f"k{number}": ["7"] for number in range(size // 14)},
    "sums": lambda size: {f"k{number}": "20+20" for number in range(size // 16)},
    "one long hand": lambda size: {"Bo": ["7"] * (size // 4)},
    "one long sum": lambda size: {"Bo": "20+" * (size // 3) + "20"},
    "one long key": lambda size: {"a" + "\u0315\u0300\u0327\u0345" * (size // 8): 1},
    "nested": lambda size: {"k": _nested(min(size // 2, 900))},
}

OTHERS: Mapping[str, Shape] = {"a long number": lambda size: int("9" * min(size, 4000))}

RAW: Mapping[str, Callable[[int], bytes]] = {
    "duplicate keys": lambda size: b"{" + b",".join(b'"k%d":1' % (number // 2) for number in range(size // 9)) + b"}",
    "one key again and again": lambda size: b"{" + b",".join([b'"k":1'] * (size // 6)) + b"}",
    "blanks": lambda size: b"{" + b" " * size + b"}",
    "brackets": lambda size: b"[" * size,
    "closed brackets": lambda size: b"[" * (size // 2) + b"]" * (size // 2),
    "objects in objects": lambda size: b'{"a":' * (size // 5),
    "a list": lambda size: b"[" + b"1," * (size // 2) + b"1]",
    "a number": lambda size: b'{"a":' + b"9" * size + b"}",
    "a fraction": lambda size: b'{"a":0.' + b"9" * size + b"}",
    "long numbers": lambda size: b"[" + b"99999999999999999999," * (size // 21) + b"1]",
    "exponents": lambda size: b"[" + b"1e999," * (size // 6) + b"1]",
    "escapes": lambda size: b'{"a":"' + b"\\u0315\\u0300" * (size // 12) + b'"}',
    "backslashes": lambda size: b'{"a":"' + b"\\\\" * (size // 2) + b'"}',
    "no UTF-8": lambda size: b"\xff" * size,
    "other fields": lambda size: b"{" + b",".join(b'"x%d":1' % number for number in range(size // 9)) + b"}",
    "other fields of marks": lambda size: b'{"a' + b"\xcc\x95\xcc\x80\xcc\xa7\xcd\x85" * (size // 8) + b'":1}',
}
"""Bodies of JSON, right or not."""

IN_BODIES = RAW if THOROUGH else {name: RAW[name] for name in ("duplicate keys", "other fields", "a list")}
"""Those that are tried at every address."""
