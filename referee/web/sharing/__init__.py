"""Sharing a match: its live board, the result as a picture, a text and a link, and QR codes."""
