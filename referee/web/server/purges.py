"""Every hour, beside the requests: purge what can no longer be restored, end demos, finish what was interrupted."""

import threading
import time
from pathlib import Path

from flask import Flask, Response
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from referee.records.deletion import purging
from referee.records.demo.ending import sweep_demos
from referee.records.transactions import PAUSE, writing
from referee.records.transfer.writing import finish_interrupted
from referee.web.server.database import db
from referee.web.server.long_work import hold_lock_in_background

EVERY = 3600.0
"""Seconds between two looks."""
FIRST = 60.0
"""Seconds from the start to the first look: a process that is restarted every day looks too."""
SMALL = 20_000_000
"""Bytes of a database file that is written anew meanwhile, which takes a fifth of a second; a larger one waits for the
host's command."""


def init_app(app: Flask) -> None:
    """Start a purge in a thread, once an hour, after a request was answered."""
    looked = time.monotonic() - (0 if app.testing else EVERY - FIRST)  # a test's database may be gone by then

    def look(response: Response) -> Response:
        nonlocal looked
        if time.monotonic() - looked > EVERY:
            looked = time.monotonic()
            threading.Thread(target=_purge, args=(app, db.engine), daemon=True).start()
        return response

    app.after_request(look)


def _sweep_demos(engine: Engine) -> int:
    with writing(engine) as session:
        return sweep_demos(session)


def _purge(app: Flask, engine: Engine) -> None:
    try:
        with hold_lock_in_background():
            finish_interrupted(engine)
            while _sweep_demos(engine):
                time.sleep(PAUSE)
            gone = purging.purge(engine)
        if gone:
            app.logger.info("purged %s", gone)
            file = Path(engine.url.database or "")
            if engine.dialect.name == "sqlite" and file.is_file() and file.stat().st_size <= SMALL:
                purging.tidy(engine)
    except SQLAlchemyError as error:
        app.logger.warning("could not purge: %s", getattr(error, "orig", error))
