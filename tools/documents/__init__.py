"""Pages of the documentation that are written from the code: settings, commands, the JSON interface."""
