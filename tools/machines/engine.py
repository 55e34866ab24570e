"""Run podman with images, volumes and networks of its own, on machines that allow little as well."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

STORE = Path(os.environ.get("REFEREE_MACHINES") or Path.home() / ".cache" / "referee-machines")
"""Where everything is kept; stand-ins carry the names of real images, so nobody else's podman should see them."""
ENOUGH = 16_384
"""Open files, and processes, that a container may have."""
PATIENCE = 900
"""Seconds that any one command may take."""


class Failed(Exception):
    """A command failed: which, and what it said."""


def say(line: str) -> None:
    """Tell whoever watches what is being tried."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def lacking() -> str:
    """Say which program is missing; "" when all are there."""
    programs = ("podman", "mmdebstrap")
    missing = [name for name in programs if shutil.which(name) is None]
    return f"apt-get install {' '.join(missing)}" if missing else ""


def settings() -> Mapping[str, str]:
    """Write podman's settings for this machine, and give the environment that names them.

    Without the right to raise limits, podman would fail at those it wants. crun refuses control groups of both
    versions at once, as some virtual machines have them; runc doesn't mind. Without systemd podman can't have health
    asked for at intervals, and would log an error each time.
    """
    STORE.mkdir(parents=True, exist_ok=True)
    limits = []
    for name, kind in (("nofile", resource.RLIMIT_NOFILE), ("nproc", resource.RLIMIT_NPROC)):
        hard = resource.getrlimit(kind)[1]
        most = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
        limits.append(f'"{name}={most}:{most}"')
    both = Path("/sys/fs/cgroup/unified").is_dir()
    lines = ["[containers]", f"default_ulimits = [{', '.join(limits)}]"]
    lines += ["[engine]", *(['runtime = "runc"'] if both and shutil.which("runc") else [])]
    lines += ["[network]", f'network_config_dir = "{STORE / "networks"}"']
    (STORE / "containers.conf").write_text("\n".join(lines) + "\n")
    storage = f'[storage]\ndriver = "overlay"\ngraphroot = "{STORE / "store"}"\nrunroot = "{STORE / "run"}"\n'
    (STORE / "storage.conf").write_text(storage)
    found = {"CONTAINERS_CONF": str(STORE / "containers.conf"), "CONTAINERS_STORAGE_CONF": str(STORE / "storage.conf")}
    if not Path("/run/systemd/private").exists():
        found["DISABLE_HC_SYSTEMD"] = "true"
    return found


def command(*words: str, at: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Run a program with podman's settings and return what it printed; raises Failed."""
    done = subprocess.run(
        words,
        cwd=at,
        env={**os.environ, **settings(), **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode:
        raise Failed(f"{' '.join(words)}\n{done.stdout[-3000:]}{done.stderr[-5000:]}")
    return done.stdout


def podman(*words: str) -> str:
    """Run podman and return what it printed; raises Failed."""
    return command("podman", *words)
