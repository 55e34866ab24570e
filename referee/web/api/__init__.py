"""The JSON interface, version 1: what the pages do, for programs."""
