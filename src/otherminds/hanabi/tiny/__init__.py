"""Tiny Hanabi: one player speaks by its choice, the other has to know what it means; all ends are exact."""
