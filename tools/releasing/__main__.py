"""Make a release: ``python3 -m tools.releasing cut 1.0.0``, later ``build``; ``--help`` lists everything."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from referee.paths import CHECKOUT
from tools.releasing import artefacts, cutting, licences, season


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words ask for and return the exit status."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.releasing")
    tasks = parser.add_subparsers(dest="task", required=True)
    building = tasks.add_parser("build", help="wheel, sdist and SBOM, built twice and compared, with their sums")
    building.add_argument("--into", type=Path, default=CHECKOUT / "dist")
    numbered = tasks.add_parser("cut", help="write number, changelog, database and fixed migrations of a release")
    numbered.add_argument("version")
    tasks.add_parser("season", help="keep the database of this version, once; a part of cut")
    tasks.add_parser("licences", help="list anew, from the lock, what the page about the app names")
    given = parser.parse_args(words)
    if given.task == "build":
        for name, found in artefacts.build_twice(given.into).items():
            print(f"{found}  {name}")
    elif given.task == "cut":
        return cut(given.version)
    elif given.task == "season":
        print(f"Tables that hold nothing in the database of this release: {', '.join(season.keep()) or 'none'}")
    else:
        licences.write()
    return 0


def cut(version: str) -> int:
    """Cut a release of today, and say what comes next; return the exit status."""
    try:
        cutting.cut(version, datetime.now(UTC).date())
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Written. Look at `git diff`, run all tests, commit, and tag it: git tag v{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
