"""The Dispute room: choose a dispute, answer question by question, hear the ruling, write it down at a match."""
