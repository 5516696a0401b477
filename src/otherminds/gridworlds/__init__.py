"""Gridworlds of Melting Pot: matrix games on a map, and collaborative cooking; their partners, training, films."""
