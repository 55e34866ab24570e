"""What every web server needs, whatever it serves: settings, sessions, limits, headers, logs, metrics, caches."""
