"""Public pages of matches and clubs."""
