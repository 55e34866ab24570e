"""Our law: what a club decided where its rules are silent."""
