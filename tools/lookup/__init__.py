"""What the look-up learns from, and how it learns."""
