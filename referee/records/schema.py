"""Name the version of the tables. A test holds it against the newest migration."""

HEAD = "0001"
