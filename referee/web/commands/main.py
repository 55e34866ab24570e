"""The program ``referee``: its commands, each from the file that has it, and ``referee db``."""

from __future__ import annotations

from typing import Any

import click
from flask import Flask
from flask.cli import ScriptInfo

from referee import __version__
from referee.paths import MIGRATIONS
from referee.rules.translations import flaws, see
from referee.rules.words import Language, languages
from referee.web.commands import backups, clubs, serving, transfer
from referee.web.commands.terminal import make_app
from referee.web.server.database import MIGRATING, db
from referee.web.words import CATALOGUES, say


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="referee")
def main() -> None:
    """Keep score and settle disputes for people who play Uno with physical cards."""


@main.command("db", add_help_option=False, context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def database(arguments: tuple[str, ...]) -> None:
    """Upgrade the database, or check its version.

    A new database gets its tables at the first start; an existing one is never changed unless you say so. When an
    update of Referee needs it, the server says so at the start: make a backup and run “referee db upgrade”. “referee
    db current” shows the version, “referee db check” whether tables and program agree.
    """
    from flask_migrate.cli import db as group  # takes a tenth of a second, and no other command needs it

    group.main(list(arguments), prog_name="referee db", obj=ScriptInfo(create_app=_app_to_migrate))


def _app_to_migrate() -> Flask:
    from flask_migrate import Migrate  # for the same reason

    app = make_app({MIGRATING: True})

    def give_engine(config: Any) -> Any:
        config.attributes["engine"] = db.engine  # so that the migrations need not know Flask
        return config

    Migrate(app, db, directory=str(MIGRATIONS)).configure(give_engine)
    return app


@main.group("translations")
def translations() -> None:
    """Check the files of a language against the English they translate."""


def _language(_context: click.Context, _parameter: click.Parameter, code: str) -> Language:
    """Return the language of a code; one that there is not is refused by naming all."""
    if code not in languages():
        raise click.BadParameter(say("command.no-language", code=code[:40], codes=", ".join(languages())))
    return languages()[code]


@translations.command("check")
@click.argument("language", callback=_language)
def check_translation(language: Language) -> None:
    """Print what is missing from a language, stale, too long, or has other places or forms than the English."""
    found = sorted(flaws(language, CATALOGUES), key=lambda flaw: (flaw.file, flaw.key))
    for flaw in found:
        click.echo(str(flaw))
    if found:
        raise click.ClickException(say("command.translation-faults", n=len(found)))


@translations.command("seen")
@click.argument("language", callback=_language)
def see_translation(language: Language) -> None:
    """Note that the present English of every translated sentence was looked at."""
    click.echo(say("command.translation-seen", n=see(language.code, CATALOGUES)))


for command in (
    serving.serve,
    serving.demo,
    clubs.invite,
    clubs.purge,
    transfer.export,
    transfer.import_file,
    backups.backup,
    backups.restore,
    transfer.check,
):
    main.add_command(command)
