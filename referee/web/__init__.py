"""Show the rules and the records to people and programs: Flask, WTForms, and nothing decided here."""
