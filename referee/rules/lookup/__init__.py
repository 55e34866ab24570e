"""Find the clause that answers a question asked in players' words."""
