"""How the product is built: what it learns, its pages, pictures and releases, and what it is measured by."""
