"""Run the command line: ``referee``, or ``python -m referee``."""

import gc

gc.disable()  # a start makes classes, which stay: a tenth of it would go into looking for garbage among them

from referee.web.commands.main import main  # noqa: E402

gc.freeze()  # nor need the server look there again, which takes a tenth of a second each time
gc.enable()


def run() -> None:
    """Run the command that was typed."""
    main(prog_name="referee")


if __name__ == "__main__":
    main(prog_name="python -m referee")
