"""Everyone taps their own hand: the scorekeeper's page of what has arrived, and the page on each player's phone.

A phone comes in by the table's QR code and says who it is; no account. Its key opens one seat of one match,
for hands only. The scorekeeper waits for nobody: what has not arrived is tapped in on the usual pad.
"""
