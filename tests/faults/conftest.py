"""A server that the tests of faults may kill."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.evening import ServerProcess


@pytest.fixture
def server(database: str, tmp_path: Path) -> Iterator[ServerProcess]:
    """A server in a process of its own."""
    server = ServerProcess(database, tmp_path)
    server.start()
    yield server
    server.kill()
