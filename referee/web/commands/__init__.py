"""The command line: ``referee serve``, ``invite``, ``db``, and what takes records out and brings them in."""
