"""Write the generated pages of the documentation and of help: ``python3 -m tools.documents``."""

from referee.paths import CHECKOUT
from tools.documents.generated import GENERATED

for path, write in GENERATED.items():
    file = CHECKOUT / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(write(), "utf-8")
