"""What an attacker would send: too much of everything, at every address and in every field."""
