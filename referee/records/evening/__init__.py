"""An evening of many tables: who is here, who sits where, who has met."""
