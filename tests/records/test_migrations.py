"""The migrations make what the models say, on the database the tests run on."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, inspect

from referee.paths import MIGRATIONS
from referee.records.models import Base
from referee.records.transactions import HEAD, is_newer, number_of, works_on
from referee.web.server.database import tune_sqlite


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    """The database of a test, all its tables dropped."""
    engine = create_engine(database)
    if engine.dialect.name == "sqlite":
        tune_sqlite(engine)
    with ExitStack() as stack:
        stack.callback(engine.dispose)
        Base.metadata.drop_all(engine)
        with engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE alembic_version")
        yield engine


def alembic(engine: Engine) -> Config:
    """Make Alembic's settings as the command line does."""
    config = Config(attributes={"engine": engine})
    config.set_main_option("script_location", str(MIGRATIONS))
    return config


def test_the_program_knows_the_newest_migration() -> None:
    assert ScriptDirectory(str(MIGRATIONS)).get_current_head() == HEAD


def test_every_migration_says_what_it_does() -> None:
    for migration in ScriptDirectory(str(MIGRATIONS)).walk_revisions():
        assert migration.doc
        assert Path(migration.path).name.startswith(f"{migration.revision}_")


def test_migrations_are_numbered_without_a_gap() -> None:
    oldest_last = [one.revision for one in ScriptDirectory(str(MIGRATIONS)).walk_revisions()]
    assert [number_of(version) for version in oldest_last[::-1]] == list(range(1, len(oldest_last) + 1))


@pytest.mark.parametrize(
    ("tables", "known", "works", "newer"),
    [("0003", "0003", True, False), ("0002", "0003", False, False), ("0003", "0002", False, True),
     ("0003_from_0002", "0003_from_0002", True, False), ("0003_from_0002", "0002", True, True),
     ("0003_from_0002", "0002_from_0001", True, True), ("0003_from_0002", "0001", False, True),
     ("0003_from_0002", "0004", False, False), ("0012_from_0009", "0010_from_0001", True, True),
     ("6f1c0de5f00d", "0003", False, False)],
)  # fmt: skip
def test_a_program_works_on_its_tables_and_on_newer_ones_made_to_bear_it(
    tables: str, known: str, works: bool, newer: bool
) -> None:
    assert (works_on(tables, known), is_newer(tables, known)) == (works, newer)


def test_migrating_from_nothing_makes_what_the_models_say(engine: Engine) -> None:
    command.upgrade(alembic(engine), "head")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    command.check(alembic(engine))


def test_partial_indexes_cover_the_same_rows_whether_migrated_or_made_at_once(engine: Engine) -> None:
    command.upgrade(alembic(engine), "head")
    migrated = partial_indexes(engine)
    command.downgrade(alembic(engine), "base")
    Base.metadata.create_all(engine)
    assert migrated == partial_indexes(engine)
    assert "ix_matches_described" in migrated


def partial_indexes(engine: Engine) -> dict[str, str]:
    """Return the condition of each index that has one, which comparing the models leaves out."""
    found = inspect(engine)
    return {
        str(index["name"]): " ".join(str(condition).split())
        for table in found.get_table_names()
        for index in found.get_indexes(table)
        if (condition := index.get("dialect_options", {}).get(f"{engine.dialect.name}_where")) is not None
    }


def test_migrating_back_to_nothing_leaves_nothing(engine: Engine) -> None:
    command.upgrade(alembic(engine), "head")
    command.downgrade(alembic(engine), "base")
    assert inspect(engine).get_table_names() == ["alembic_version"]
