"""Run the command line: ``python -m referee``."""

from referee.web.commands.main import main

main(prog_name="python -m referee")
