"""The command line of a host: to serve, invite and try out, and to move, save and check what is in the database."""
