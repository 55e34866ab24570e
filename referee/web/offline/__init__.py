"""Work without a connection: all that a phone saves and takes along."""
