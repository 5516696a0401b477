"""Learns automata of Axelrod-Python's strategies. For developers; see README.md."""
