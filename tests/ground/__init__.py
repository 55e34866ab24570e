"""The ground the tests stand on: a real PostgreSQL, a real server, a real browser."""
