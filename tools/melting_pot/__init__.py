"""Runs the real Melting Pot beside ours. For developers; see README.md for how to set the engine up."""
