"""The server dies by SIGKILL between a phone's request and the answer, and comes back on its port."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from sqlalchemy import create_engine, text

from tests.browser.table import IMPATIENT, Table
from tests.browser.test_offline import GRID, SIX, take_along
from tests.conftest import NewPhone
from tests.faults.evening import ServerProcess
from tests.faults.mortal import AFTER, BEFORE, FILE

pytestmark = pytest.mark.database


@pytest.fixture
def mortal(database: str, tmp_path: Path) -> Iterator[ServerProcess]:
    """A server in a process of its own that can be told when to die."""
    server = ServerProcess(database, tmp_path, program=("tests.faults.mortal", "--port", "{port}"))
    server.start()
    yield server
    server.kill()


def rounds_in(database: str) -> int:
    """Count the rounds on record, past the app."""
    engine = create_engine(database)
    with engine.connect() as connection:
        count: int = connection.execute(text("SELECT count(*) FROM rounds")).scalar_one()
    engine.dispose()
    return count


@pytest.mark.parametrize(("moment", "written"), [(BEFORE, 1), (AFTER, 2)], ids=[BEFORE, AFTER])
@pytest.mark.promise("reliability#killed-between")
def test_a_round_on_its_way_when_the_server_dies_is_there_once_when_it_is_back(
    mortal: ServerProcess, database: str, new_phone: NewPhone, moment: str, written: int
) -> None:
    phone = new_phone(base_url=f"http://127.0.0.1:{mortal.port}", service_workers="allow").new_page()
    phone.add_init_script(IMPATIENT)
    table = Table(phone)
    table.begin()
    take_along(phone)
    table.round(SIX[0][0], *SIX[0][1])
    expect(phone.locator(GRID)).to_have_count(1)

    (mortal.folder / "instance" / FILE).write_text(moment)
    table.round(SIX[1][0], *SIX[1][1])
    expect(phone.locator("#outbox")).to_contain_text("1 round not sent yet")
    assert mortal.process is not None
    assert mortal.process.wait(60) == -signal.SIGKILL
    assert rounds_in(database) == written
    table.round(SIX[2][0], *SIX[2][1])  # the game goes on while nobody answers
    phone.reload()
    expect(phone.locator("#outbox h2")).to_have_text("2 rounds not sent yet")

    mortal.start()
    expect(phone.locator("#outbox")).to_be_hidden()
    expect(phone.locator(GRID)).to_have_count(3)
    table.expect_totals({"Ada": 109, "Bo": 75, "Cy": 27, "Di": 0})
    phone.reload()
    expect(phone.locator(GRID)).to_have_count(3)
    assert rounds_in(database) == 3
