"""Write the generated pages of the documentation: ``python3 -m tests.documents``."""

from tests.documents.generated import PAGES, ROOT

for path, write in PAGES.items():
    file = ROOT / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(write(), "utf-8")
