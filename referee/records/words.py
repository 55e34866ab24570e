"""What the records say: problems, conflicts and faults, whole sentences of ``words.toml``."""

from pathlib import Path

from referee.rules.text.words import Catalogue

CATALOGUE = Catalogue(Path(__file__).with_name("words.toml"), "records")
say = CATALOGUE.say
