"""What a process that has just started answers to its first requests, when several arrive at once."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

STARTS = 50
AT_ONCE = 8
START = """
import os, sys, threading
from referee import create_app
import referee.web.app  # once for all starts, which it is most of; what functions import, each start still does

instance, starts, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ROUND = {"rulebook": "classic-500", "went_out": "Ada", "hands": {"Bo": ["7"]}}
POSTS = (
    ("/api/v1/clubs", {"name": "Home"}),
    ("/api/v1/score", ROUND),
    ("/api/v1/hearings", {"dispute": "deal", "rulebook": "classic-500"}),
    ("/api/v1/matches", {"players": ["Ada", "Bo"], "rulebook": "classic-500"}),
)

def start():
    app = create_app({"INSTANCE": instance, "SECRET_KEY": "the same at each start", "RATELIMIT_ENABLED": False})
    ready, statuses = threading.Barrier(at_once), []

    def post(path, body):
        client = app.test_client()
        ready.wait()
        statuses.append(client.post(path, json=body).status_code)

    threads = [threading.Thread(target=post, args=POSTS[at % len(POSTS)]) for at in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(*statuses, flush=True)

for _ in range(starts):
    child = os.fork()
    if not child:
        start()
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit("a start failed")
"""


def test_no_start_answers_a_server_error_to_its_first_posts(tmp_path: Path) -> None:
    command = [sys.executable, "-c", START, str(tmp_path), str(STARTS), str(AT_ONCE)]
    found = Counter(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert found.total() == STARTS * AT_ONCE
    assert {status[0] for status in found} == {"2", "4"}, found
