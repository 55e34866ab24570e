"""Pictures drawn on the server with Pillow: the result of a match, a club's year, and a ruling."""
