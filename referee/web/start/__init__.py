"""The first page, and a new match: who plays, by which rules, agreed on before the first deal."""
