"""The command line: ``serve``, ``invite``, ``db``, ``export``, ``import``, ``backup``, ``restore`` and ``check``."""
