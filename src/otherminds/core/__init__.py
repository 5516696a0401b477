"""The contracts, and the plain data that everything else exchanges.

Imports nothing of ours and nothing heavy; only :mod:`otherminds.core.world`
pulls in PettingZoo, and :mod:`otherminds.core.scenario` with it.
"""
