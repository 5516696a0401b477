"""Rules for talking: when a member of a cheap team speaks, and to whom. What it says is in :mod:`..choosing`."""
