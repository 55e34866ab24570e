"""Try containers and the guide on machines made for it; the words name the parts, without any all are tried."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence

from tools.machines import alone, fresh, together
from tools.machines.engine import Failed, command, lacking, say

PARTS: dict[str, tuple[str, Callable[[], None]]] = {
    "container": ("One container, SQLite in a volume", alone.try_it),
    "guide": ("README and guide on a new machine", fresh.try_it),
    "compose": ("Referee, PostgreSQL, Redis and Caddy", together.try_it),
}


def main(words: Sequence[str] | None = None) -> int:
    """Try what the words name and return 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.machines", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, "clean", []], metavar="part")
    chosen = parser.parse_args(words).parts or list(PARTS)
    if missing := lacking():
        say(f"Needed first: {missing}")
        return 1
    if chosen == ["clean"]:
        command("podman", "system", "reset", "--force")
        return 0
    failed = []
    for part in chosen:
        title, try_it = PARTS[part]
        say(f"== {title}")
        began = time.monotonic()
        try:
            try_it()
        except Failed as error:
            failed.append(part)
            say("\n".join([str(error), *getattr(error, "__notes__", ())]))
        say(f"  {time.monotonic() - began:.0f} s")
    say(f"== not in order: {', '.join(failed)}" if failed else "== all in order")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
