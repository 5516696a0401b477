"""Replays of gridworlds on their maps."""
