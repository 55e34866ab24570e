"""How a machine is made to run Referee always, by root, with nothing but Python's own library."""
