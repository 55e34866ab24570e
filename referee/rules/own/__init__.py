"""A table's own rulebook: a published one with settings changed and rules in the table's own words."""
