"""How long a request may stop those beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from referee.paths import CHECKOUT

WORK = """
import gc, sys
from pathlib import Path
from referee import create_app
from referee.web.server.pauses import WARM
folder = Path(sys.argv[1])
app = create_app({"INSTANCE": str(folder), "SECRET_KEY": "x", "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder}/referee.db"})
client = app.test_client()
for _ in range(WARM - 1):
    assert client.get("/healthz").status_code == 200
before = gc.get_freeze_count()
client.get("/healthz")
gc.collect()
print(before, gc.get_freeze_count(), len(gc.get_objects()), sys.getswitchinterval())
"""


def test_what_an_app_is_made_of_is_not_looked_through_again_and_threads_take_short_turns(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WORK, str(tmp_path)], capture_output=True, text=True, check=True, cwd=CHECKOUT
    )
    before, frozen, left, turn = done.stdout.split()
    assert 50_000 < int(before) < int(frozen), "what the start made, then what the first requests did"
    assert int(left) < int(frozen) / 10
    assert float(turn) <= 0.001
