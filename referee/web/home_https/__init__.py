"""HTTPS on a home network: an authority that phones can trust, what answers TLS, and the page that explains both."""
