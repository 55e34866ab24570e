"""Whatever is sent, and wherever: four times as much makes at most six times the work, and a stranger's little work."""

from collections.abc import Callable, Iterator

import pytest

from tests.abuse.sweep import TIMES, Case, Send, Sweep
from tests.abuse.work import Work, least_seconds, measure, quiet, slowness
from tests.conftest import app_on, close
from tests.ground.house import furnish

MOST_GROWTH = 6.0
"""What four times as much may make of the work: linear work, and some that is n log n."""
SHARES = 6
"""Parts of the sweep that processes may take side by side."""
DOUBT = 3.0
"""Growth by the clock from which on calls are counted."""
WORTH_A_LOOK = 0.02
"""Seconds of the processor below which the clock says nothing of growth; calls always do."""
TRIFLE = 0.005
"""Seconds of the processor that nothing can grow to from a sixth of it: the least request takes one of these five."""
STRANGERS_TIME = 0.050
"""Seconds that a request without a key may make the server work."""
FOUNDING_A_DEMO = 0.400
"""Seconds for what six times an hour from an address, and 200 times in all, founds a club with a season in it."""


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sweep]:
    """All that can be sent to an app on SQLite: here the database is no matter, and copied back it is fast."""
    folder = tmp_path_factory.mktemp("sweep")
    database = folder / "referee.db"
    app = app_on(f"sqlite:///{database}", folder)
    sweep = Sweep(furnish(app), database)
    yield sweep
    sweep.close()
    close(app)


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.promise("security#bounded-work")
def test_four_times_as_much_makes_at_most_six_times_the_work(sweep: Sweep, share: int) -> None:
    slow = slowness()
    found = []
    list(sweep.cases("GET", "/"))  # tells which headers every address reads
    with quiet():
        for method, rule in sweep.routes()[share::SHARES]:
            cases = list(sweep.cases(method, rule))
            found += [] if cases else [f"{method} {rule}: nothing was sent there"]
            for case in cases:
                found += problems(sweep, case, slow)
    assert not found, "\n".join(found)


def problems(sweep: Sweep, case: Case, slow: float) -> Iterator[str]:
    """Send a case in both sizes and say what is wrong with the work it makes."""

    small, large = case.make(case.size), case.make(case.size * TIMES)
    most = slow * (FOUNDING_A_DEMO if case.route == "POST /demo" else STRANGERS_TIME)

    def send(request: Send) -> None:
        status = request()
        assert status < 500, f"{case}: {status}"

    def work(request: Send) -> Work:
        sweep.restore()
        return measure(lambda: send(request))

    def seconds(request: Send) -> float:
        return least_seconds(lambda: send(request), 1, sweep.restore)

    took = seconds(large)
    if took > TRIFLE * slow and took > DOUBT * seconds(small):
        before, after = work(small), work(large)
        told = f"{before.calls} calls, then {after.calls}; {after.grown_most(before)}"
        if after.calls > MOST_GROWTH * before.calls:
            yield f"{case}: {told}"
        elif never(lambda: seconds(large) <= max(WORTH_A_LOOK * slow, MOST_GROWTH * seconds(small))):
            yield f"{case}: {1000 * seconds(small):.0f} ms, then {1000 * seconds(large):.0f} ms; {told}"
    if not case.keyed and took > most and never(lambda: seconds(large) <= most):
        yield f"{case}: {1000 * seconds(large):.0f} ms without a key"


def never(within: Callable[[], bool]) -> bool:
    """Say whether something takes too long each time: a machine with other things to do is slow now and then."""
    return not any(within() for _ in range(10))
