"""A server and a PostgreSQL that the tests of faults may kill."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.cluster import Cluster
from tests.faults.evening import ServerProcess
from tests.ground.postgresql import KEEPS_WORD, NoPostgreSQL, running_postgresql


@pytest.fixture
def server(database: str, tmp_path: Path) -> Iterator[ServerProcess]:
    """A server in a process of its own."""
    with ServerProcess(database, tmp_path) as server:
        yield server


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL of this test's own."""
    with ExitStack() as stack:
        try:
            cluster = Cluster(stack.enter_context(running_postgresql(KEEPS_WORD)))
        except NoPostgreSQL as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"no PostgreSQL: {error}")
        yield cluster
    if cluster.process is not None:
        cluster.process.wait(30)
