"""Start a Redis of our own: a Unix socket, no network, nothing written."""

import shutil
import socket
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
        path = Path(folder) / "redis.sock"
        command = (program, "--port", "0", "--unixsocket", str(path), "--save", "", "--dir", folder)
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            while not listens(path):
                if server.poll() is not None:
                    raise RuntimeError(f"{program} ended with status {server.returncode}")
                time.sleep(0.02)
            yield f"redis+unix://{path}"
        finally:
            server.terminate()
            server.wait(30)


def listens(path: Path) -> bool:
    """Return whether anyone takes connections at a Unix socket; its file is there a moment before that."""
    with socket.socket(socket.AF_UNIX) as tried:
        return tried.connect_ex(str(path)) == 0
