"""The program ``referee``: its commands, each from the file that has it, and ``referee db``."""

from typing import Any

import click
from flask import Flask
from flask.cli import ScriptInfo
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from referee import __version__
from referee.paths import MIGRATIONS, commit
from referee.web.commands import backups, clubs, moving, serving, translating
from referee.web.commands.terminal import make_app, reason_of
from referee.web.server.database import MIGRATING, db
from referee.web.words import say

VERSION = "referee.version"
"""Where the app notes the version of its tables before they are migrated."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="referee", message=f"%(prog)s, version %(version)s, commit {commit()}")
def main() -> None:
    """Keep score and settle disputes for people who play Uno with physical cards."""


@main.command("db", add_help_option=False, context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def database(arguments: tuple[str, ...]) -> None:
    """Upgrade the database, or check its version.

    A new database gets its tables at the first start; an existing one is never changed unless you say so. When an
    update of Referee needs it, the server says so at the start: make a backup and run “referee db upgrade”,
    which says what it did. “referee db current” shows the version, “referee db check” whether tables and program agree.
    """
    from flask_migrate.cli import db as group  # takes a tenth of a second, and no other command needs it

    info = ScriptInfo(create_app=_app_to_migrate)
    try:
        group.main(list(arguments), prog_name="referee db", obj=info, standalone_mode=False)
    except (ValueError, DBAPIError) as error:  # a migration refuses, or the database does
        raise click.ClickException(reason_of(error)) from error
    if {"upgrade", "downgrade"} & set(arguments) and not {"--help", "--sql"} & set(arguments):
        app = info.load_app()
        with app.app_context():
            before, after = app.extensions[VERSION], _version()
            db.engine.dispose()
        click.echo(say("command.same-version" if before == after else "command.migrated", before=before, after=after))


def _version() -> str:
    """Return the version of the tables."""
    with db.engine.connect() as connection:
        return connection.scalar(text("SELECT version_num FROM alembic_version")) or "base"


def _app_to_migrate() -> Flask:
    from flask_migrate import Migrate  # for the same reason

    app = make_app({MIGRATING: True})
    with app.app_context():
        app.extensions[VERSION] = _version()

    def give_engine(config: Any) -> Any:
        config.attributes["engine"] = db.engine  # so that the migrations need not know Flask
        return config

    Migrate(app, db, directory=str(MIGRATIONS)).configure(give_engine)
    return app


for command in (
    serving.serve,
    serving.demo,
    clubs.invite,
    clubs.purge,
    clubs.export,
    clubs.import_file,
    backups.backup,
    backups.restore,
    moving.move,
    clubs.check,
    translating.translations,
):
    main.add_command(command)
