"""The Rounds of a match: the form and the hand pad, recording, correcting, striking and bringing back."""
