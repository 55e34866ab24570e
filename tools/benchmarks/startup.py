"""Time how long the app takes to start, against importing the packages it stands on."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from referee.paths import CHECKOUT
from tools.benchmarks.figures import Figure, medians, ratio

TIMES = 15

START = """
from referee import create_app
create_app({"INSTANCE": FOLDER, "SECRET_KEY": "benchmark"})
"""
LOADED = """
import sys
ours = ("referee", "__main__")
for name in sys.modules:
    module = sys.modules[name]
    if name.partition(".")[0] not in ours and getattr(module, "__file__", None):
        print(name)
"""


def start_up() -> Iterator[Figure]:
    """Measure a fresh process that makes the app, over one that imports what the app imports and no more."""
    with TemporaryDirectory(prefix="referee-benchmark-") as folder:
        start = START.replace("FOLDER", repr(folder))
        modules = _run(start + LOADED).split()  # this also makes the database, once
        imports = "import sys, importlib\nfor name in " + repr(modules) + ":\n    importlib.import_module(name)"
        things = {
            "nothing": lambda: _run("pass"),
            "packages": lambda: _run(imports),
            "create_app": lambda: _run(start),
        }
        taken = medians(things, times=TIMES, warm_up=1, in_a_row=1, clock=_work_of_children)
    raw = {name: taken[name] - taken["nothing"] for name in ("create_app", "packages")}  # Python's own start left out
    what = f"start-up, over importing its {len(modules)} modules"
    yield ratio(what, 1.25, ("create_app", raw["create_app"]), ("imports", raw["packages"]))


def _work_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CHECKOUT)
    return done.stdout
