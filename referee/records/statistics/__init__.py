"""The statistics of players: what they are made of, how they are counted, and what each one says."""
