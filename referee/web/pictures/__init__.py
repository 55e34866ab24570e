"""Pictures drawn on the server with Pillow: the result of a match, and a club's season."""
