"""Have the images that ours are built on: from their registry or, where none can be reached, made from Debian.

A stand-in carries the name of the image it stands for, so that the files to be tried stay as they are. It has what
those files rely on and nothing else; which one was used is said.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.machines.engine import Failed, podman, say

HERE = Path(__file__).parent / "stand_ins"
SUITE = "bookworm"
DEBIAN = "docker.io/library/debian:bookworm-slim"
MIRROR = "http://deb.debian.org/debian"
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
"""This machine's, for the case that its network needs more than Debian's."""


@dataclass(frozen=True)
class StandIn:
    """What an image is made of: Debian packages, and the lines after ``FROM`` in its description."""

    name: str
    packages: tuple[str, ...]
    lines: str = ""


IMAGES = {
    one.name: one
    for one in (
        StandIn(DEBIAN, ()),
        StandIn(
            "docker.io/library/python:3.11-slim",
            ("python3", "python3-pip"),
            "RUN ln -s python3 /usr/bin/python && rm /usr/lib/python3*/EXTERNALLY-MANAGED\n",
        ),
        StandIn(
            "docker.io/library/postgres:17",
            ("postgresql",),
            'COPY postgres /entry\nVOLUME /var/lib/postgresql/data\nENTRYPOINT ["/entry"]\n'
            "RUN ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/\n",
        ),
        StandIn("docker.io/library/redis:7", ("redis-server",), 'COPY redis /entry\nENTRYPOINT ["/entry"]\n'),
        StandIn(
            "docker.io/library/caddy:2",
            ("caddy",),
            "ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config\n"
            'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]\n',
        ),
    )
}


def have(name: str) -> str:
    """Have an image and say where it is from; raises Failed."""
    mark = "org.referee.stand-in"
    try:
        marked = podman("image", "inspect", "--format", f'{{{{index .Labels "{mark}"}}}}', name).strip()
        origin = "a stand-in from Debian" if marked == "yes" else "its registry"
    except Failed:
        try:
            podman("pull", "--quiet", name)
            origin = "its registry"
        except Failed:
            _make(IMAGES[name], mark)
            origin = "a stand-in from Debian"
    say(f"  {name}: {origin}")
    return origin


def _make(image: StandIn, mark: str) -> None:
    say(f"  {image.name}: no registry can be reached, so it is made from Debian {SUITE} …")
    with TemporaryDirectory() as folder:
        if image.name == DEBIAN:
            made = subprocess.run(
                ["mmdebstrap", "--variant=minbase", "--include=ca-certificates", SUITE, f"{folder}/root.tar", MIRROR],
                capture_output=True,
                text=True,
                check=False,
            )
            if made.returncode:
                raise Failed(made.stderr[-3000:])
            shutil.copy(AUTHORITIES, Path(folder) / "authorities")
            text = f"FROM scratch\nADD root.tar /\nCOPY authorities {AUTHORITIES}\nLABEL {mark}=yes\n"
        else:
            have(DEBIAN)
            shutil.copytree(HERE, folder, dirs_exist_ok=True)
            install = f"apt-get install --yes --no-install-recommends {' '.join(image.packages)}"
            clean = "rm -r /var/lib/apt/lists/*"
            text = f"FROM {DEBIAN}\nLABEL {mark}=yes\nRUN apt-get update && {install} && {clean}\n{image.lines}"
        (Path(folder) / "Containerfile").write_text(text)
        podman("build", "--quiet", "--format", "docker", "--tag", image.name, folder)
