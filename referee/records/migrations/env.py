"""Run the migrations; Alembic loads this file. The engine comes from whoever gives the command."""

from alembic import context
from sqlalchemy import Engine, text

from referee.records.models import Base

LOCK = 0x4D16AA7E
"""Number of the PostgreSQL advisory lock under which one of several servers migrates."""

PATIENCE = 5
"""Seconds to wait for a table on PostgreSQL. Whoever asks for it meanwhile queues behind us: better to give up then."""


def migrate(engine: Engine) -> None:
    """Bring the database to the version asked for, in one transaction."""
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            connection.execute(text(f"SET LOCAL lock_timeout = '{PATIENCE}s'"))
        elif engine.dialect.name == "sqlite":
            # a batch rebuilds a table by renaming; the keys that point to it must not object meanwhile
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            render_as_batch=True,
            compare_type=True,
            user_module_prefix="models.",
        )
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("PRAGMA foreign_keys=ON")


migrate(context.config.attributes["engine"])
