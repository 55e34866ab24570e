"""The Score room: home, a new match, its sheet, recording and correcting, players and phones of the club."""
