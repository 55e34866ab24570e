"""The club: its players and phones, invitations, import and export."""
