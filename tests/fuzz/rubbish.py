"""What hostile and hurried people send: texts, and documents that were right until someone changed them."""

import copy
from typing import Any

from hypothesis import strategies as st

HOSTILE = (
    "", " ", "\x00", "a\x00b", "\r\nSet-Cookie: a=b", "\x1b[31m", "\ud800", "\ufeff", "\u202eoB", "\u2028", "\u200f",
    "<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "{{7*7}}", "%s%n", "../../etc/passwd", "=1+1",
    "__import__('os')", "20+20+50", "2+", "+2", "+4", "=7", "7 skip wild", "9" * 400, "1e9", "-1", "-0", "٣٥", "½",
    "²", "0x10", "NaN", "Infinity", "1_000", "true", "null",
    "[]", "{}", "x" * 1000, "x" * 10_000, "👩🏽\u200d🚀" * 40, "Ada",
    "ADA", "ﬁ", "İ", "ß", "went-out", "time-limit", "draw-pile-empty", "classic-500", "duo-200", "0" * 16, "0" * 26,
)  # fmt: skip
NUMBERS = (0, 1, -1, 2, 11, 500, 10**6, 2**31, 2**53, 2**63, 2**64, 10**30, 0.5, -0.0, 1e300)


def texts() -> st.SearchStrategy[str]:
    """Make a text that someone might send."""
    return st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=()), max_size=60)


def values() -> st.SearchStrategy[Any]:
    """Make a JSON value."""
    leaves = st.none() | st.booleans() | st.sampled_from(NUMBERS) | st.integers() | texts()
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts(), inner, max_size=4), max_leaves=6
    )


@st.composite
def changed(draw: st.DrawFn, document: Any, least: int = 1) -> Any:
    """Change a JSON document in a few places: another value, one left out, doubled, added, or two exchanged."""
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(least, 3))):
        holder, place = draw(st.sampled_from(_places(document)))
        what = draw(st.sampled_from(("replace", "replace", "nudge", "remove", "double", "add", "exchange")))
        if what == "replace":
            holder[place] = draw(values())
        elif what == "nudge" and isinstance(holder[place], bool):
            holder[place] = not holder[place]
        elif what == "nudge" and isinstance(holder[place], int):
            holder[place] += draw(st.sampled_from((-1, 1, 100, 2**40)))
        elif what == "nudge" and isinstance(holder[place], str):
            cut = draw(st.integers(0, len(holder[place])))
            holder[place] = holder[place][:cut] + draw(texts()) + holder[place][cut + 1 :]
        elif what == "remove":
            del holder[place]
        elif what == "double" and isinstance(holder, list):
            holder.insert(place, copy.deepcopy(holder[place]))
        elif what == "add" and isinstance(holder, dict):
            holder[draw(texts())] = draw(values())
        elif what == "exchange":
            other, there = draw(st.sampled_from(_places(document)))
            holder[place] = copy.deepcopy(other[there])
        if not _places(document):
            break
    return document


def _places(document: Any) -> list[tuple[Any, Any]]:
    """List every place of a document in which something stands, as its holder and the key or index there."""
    if isinstance(document, dict):
        return [found for key, part in document.items() for found in ((document, key), *_places(part))]
    if isinstance(document, list):
        return [found for index, part in enumerate(document) for found in ((document, index), *_places(part))]
    return []
