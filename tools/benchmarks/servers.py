"""Run the app and the least that a Flask app can be on real servers, each in processes of its own, and weigh them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

PATIENCE = 60.0
"""Seconds that a server may take to start."""
THREADS = 4
PROCESSES, THREADS_EACH = 2, 2
"""Of gunicorn."""
HELLO = "tools.benchmarks.ground:hello_app"


@dataclass(frozen=True)
class Served:
    """A server at work: its port and its first process."""

    port: int
    pid: int
    scheme: str = "http"

    @property
    def address(self) -> str:
        """Where it answers, without a slash at the end."""
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def memory(self) -> float:
        """Add up what all of its processes hold, in megabytes; pages that they share are counted once (PSS)."""
        return sum(map(_held, _family(self.pid))) / 1000

    def worked(self) -> float:
        """Add up the seconds that all of its processes have had a processor."""
        return worked(self.pid)


def command_of(kind: str, app: str, port: int) -> tuple[str, ...]:
    """Say how an app (``package.module:factory``) is started, as the guide for hosts does it.

    `kind` is ``waitress`` or ``gunicorn``.
    """
    if kind == "waitress":
        if app.startswith("referee:"):
            return (sys.executable, "-m", "referee", "serve", "--port", str(port))
        return (sys.executable, "-m", "waitress", "--call", f"--threads={THREADS}", f"--listen=127.0.0.1:{port}", app)
    sizes = ("--workers", str(PROCESSES), "--threads", str(THREADS_EACH))
    return (sys.executable, "-m", "gunicorn", f"{app}()", "--bind", f"127.0.0.1:{port}", *sizes)


@contextmanager
def served(
    kind: str, app: str, folder: Path, settings: Mapping[str, str] = {}, pause: float = 0.05
) -> Iterator[Served]:
    """Start a server, ask every `pause` seconds whether it answers, and stop it in the end.

    Raises RuntimeError with its log when it does not start.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    log = folder / f"{app.partition(':')[0]}.log"
    command, here = command_of(kind, app, port), Path(__file__).parents[2]
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with log.open("ab") as out:
        process = subprocess.Popen(command, cwd=here, env={**usual, **settings}, stdout=out, stderr=out)
    try:
        deadline = time.monotonic() + PATIENCE
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{' '.join(command)} did not start:\n{log.read_text('utf-8', 'replace')}")
            time.sleep(pause)
        yield Served(port, process.pid)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status < 500
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def worked(pid: int) -> float:
    """Add up the seconds that a process and all that it started have had a processor."""
    return sum(map(_worked, _family(pid)))


def _family(pid: int) -> list[int]:
    """List a process and all that it started."""
    family = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        children = (task / "children").read_text("ascii").split()
        family += [one for child in children for one in _family(int(child))]
    return family


def _held(pid: int) -> int:
    """Read the proportional set size of a process in kB; the resident one where the kernel does not tell it."""
    for name, field in (("smaps_rollup", "Pss:"), ("status", "VmRSS:")):
        file = Path(f"/proc/{pid}/{name}")
        if file.exists():
            return next(int(line.split()[1]) for line in file.read_text("ascii").splitlines() if line.startswith(field))
    raise RuntimeError("this system does not tell how much memory a process holds (/proc is missing)")


def _worked(pid: int) -> float:
    """Read the processor time of a process, in its own code and in the kernel."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
