"""Make a release: ``python3 -m tests.releasing build`` and ``licences``; ``--help`` lists what they take."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from referee.paths import CHECKOUT
from tests.releasing import artefacts, licences


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words ask for and return the exit status."""
    parser = argparse.ArgumentParser(prog="python3 -m tests.releasing")
    tasks = parser.add_subparsers(dest="task", required=True)
    building = tasks.add_parser("build", help="wheel, sdist and SBOM, built twice and compared, with their sums")
    building.add_argument("--into", type=Path, default=CHECKOUT / "dist")
    tasks.add_parser("licences", help="list anew, from the lock, what the page about the app names")
    given = parser.parse_args(words)
    if given.task == "build":
        for name, found in artefacts.build_twice(given.into).items():
            print(f"{found}  {name}")
    else:
        licences.write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
