"""Run the command line: ``python -m referee``."""

from referee.web.cli import main

main(prog_name="python -m referee")
