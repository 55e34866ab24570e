"""One container, one command: the guide's own, with SQLite in a volume."""

from __future__ import annotations

import contextlib
import json
import shlex
import socket
import time
from collections.abc import Iterator

from referee.paths import CHECKOUT
from tools.machines import pages, stand_ins
from tools.machines.engine import Failed, command, podman, say
from tools.machines.evening import Site, check, play, still

NAME = "referee"
"""Of the image, the container and the volume, as the guide calls them."""
SECONDS_TO_STOP = 8
"""podman loses patience after ten."""


def try_it() -> None:
    """Build the image, play in a container of it, take the container away, and go on in a new one; raises Failed."""
    stand_ins.have("docker.io/library/python:3.11-slim")
    build, run = pages.commands(pages.HOST / "containers.md", "One container")
    with cleaned_up():
        began = time.monotonic()
        command(*shlex.split(build), at=CHECKOUT)
        size = int(podman("image", "inspect", "--format", "{{.Size}}", NAME)) // 1_000_000
        say(f"  built in {time.monotonic() - began:.0f} s, {size} MB with its base")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        start = shlex.split(run.replace("--publish 8000:8000", f"--publish 127.0.0.1:{port}:8000"))
        site = Site(f"http://127.0.0.1:{port}")
        command(*start)
        say(f"  ready {site.wait():.1f} s after podman run")
        key, told = play(site)
        look_inside()
        stop()
        podman("rm", NAME)
        command(*start)
        site.wait()
        still(site, key, told)
        say("  stopped, removed and started anew: the match is there")
        keep_safe(site, key, told)


@contextlib.contextmanager
def cleaned_up() -> Iterator[None]:
    """Leave neither container nor volume behind."""
    try:
        _clean()
        yield
    except Failed as error:
        with contextlib.suppress(Failed):
            error.add_note(podman("logs", "--tail", "30", NAME))
        raise
    finally:
        _clean()


def _clean() -> None:
    with contextlib.suppress(Failed):
        podman("rm", "--force", "--volumes", NAME)
    with contextlib.suppress(Failed):
        podman("volume", "rm", "--force", NAME)


def look_inside() -> None:
    """Look at what the container may do, and whether it is found healthy; raises Failed."""
    podman("healthcheck", "run", NAME)
    check(podman("exec", NAME, "id", "--user").strip(), "10001")
    state = json.loads(podman("inspect", NAME))[0]
    check(state["HostConfig"]["ReadonlyRootfs"], True)
    rights = podman("exec", NAME, "grep", "CapEff", "/proc/1/status").split()[1]
    check(int(rights, 16), 0)
    for path in ("/written", "/usr/lib/written"):
        try:
            podman("exec", NAME, "touch", path)
        except Failed:
            continue
        raise Failed(f"{path} can be written")
    mode = podman("exec", NAME, "stat", "--format", "%a", "/var/lib/referee/referee.db").strip()
    check(mode, "600")
    said = podman("logs", NAME)
    if "rror" in said:
        raise Failed(f"it started with an error:\n{said}")
    say("  healthy, as an ordinary user without rights, on a file system that is read-only but for its volume")


def stop() -> None:
    """Stop the container as a host does; raises Failed if it has to be killed."""
    began = time.monotonic()
    podman("stop", NAME)
    took = time.monotonic() - began
    check(json.loads(podman("inspect", NAME))[0]["State"]["ExitCode"], 0)
    if took > SECONDS_TO_STOP:
        raise Failed(f"stopping took {took:.1f} s")
    say(f"  stopped within {took:.1f} s")


def keep_safe(site: Site, key: str, told: dict[str, object]) -> None:
    """Back up, lose everything, and restore, by the guide's commands; raises Failed."""
    backup, *restore = pages.commands(pages.HOST / "containers.md", "Back up and restore")
    command(*shlex.split(backup))
    site.api(f"/matches/{told['id']}/rounds", {"after": 2, "went_out": "Bo", "hands": {"Ada": ["1"], "Cy": ["1"]}}, key)
    for line in restore:
        command(*shlex.split(line))
    site.wait()
    still(site, key, told)
    check(podman("exec", NAME, "referee", "check").strip(), "No problems found.")
    say("  backed up, went on, and restored to what it was")
