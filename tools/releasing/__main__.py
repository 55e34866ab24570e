"""Make a release: ``python3 -m tools.releasing cut 1.0.0``, later ``build``; ``--help`` lists everything."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from referee.paths import CHECKOUT
from tools.releasing import artefacts, cutting, licences, played


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words ask for and return the exit status."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.releasing")
    tasks = parser.add_subparsers(dest="task", required=True)
    building = tasks.add_parser("build", help="wheel, sdist and SBOM, built twice and compared, with their sums")
    building.add_argument("--into", type=Path, default=CHECKOUT / "dist")
    cutting_it = tasks.add_parser("cut", help="make a release: written, tested, committed, built, tagged, or nothing")
    cutting_it.add_argument("version")
    cutting_it.add_argument("--into", type=Path, default=CHECKOUT / "dist")
    numbered = tasks.add_parser("write", help="write number, changelog, database and fixed migrations; a part of cut")
    numbered.add_argument("version")
    moved = tasks.add_parser("addresses", help="write another address of the source wherever it stands")
    moved.add_argument("source")
    tasks.add_parser("play", help="keep a database of this version, once; a part of cut")
    tasks.add_parser("licences", help="list anew, from the lock, what the page about the app names")
    given = parser.parse_args(words)
    if given.task == "build":
        for name, found in artefacts.build_twice(given.into).items():
            print(f"{found}  {name}")
        print(artefacts.image())
    elif given.task in ("cut", "write"):
        return cut(given)
    elif given.task == "addresses":
        print("\n".join(cutting.rename(given.source)))
    elif given.task == "play":
        print(f"Tables that hold nothing in the database of this release: {', '.join(played.keep()) or 'none'}")
    else:
        licences.write()
    return 0


def cut(given: argparse.Namespace) -> int:
    """Cut a release, dated as what it releases, or write its files, and say what comes next; return the exit status."""
    try:
        if given.task == "write":
            cutting.cut(given.version, date.fromisoformat(cutting.git("show", "--no-patch", "--format=%cs")))
        else:
            made = cutting.release(given.version, given.into)
            print(f"Released {given.version} as {made}. Publish it: git push --follow-tags")
    except (ValueError, FileExistsError) as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(
            f"Nothing was changed. This failed: {error.cmd}\n{error.stdout or ''}{error.stderr or ''}", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
