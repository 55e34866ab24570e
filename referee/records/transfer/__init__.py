"""Export and import of a club: its document and checks, and scores from paper."""
