"""Start a Redis of our own: a Unix socket, no network, nothing written."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class NoRedis(Exception):
    """Say that no Redis is installed on this machine."""


@contextmanager
def running_redis() -> Iterator[str]:
    """Run a server and yield its address, as the setting for the counts takes it.

    Raises NoRedis when there is none.
    """
    program = shutil.which("redis-server")
    if program is None:
        raise NoRedis("redis-server is not installed: apt-get install redis-server")
    with tempfile.TemporaryDirectory(prefix="referee-redis-") as folder:
        socket = Path(folder) / "redis.sock"
        command = (program, "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", folder)
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            while not socket.exists():
                if server.poll() is not None:
                    raise RuntimeError(f"{program} ended with status {server.returncode}")
                time.sleep(0.02)
            yield f"redis+unix://{socket}"
        finally:
            server.terminate()
            server.wait(30)
