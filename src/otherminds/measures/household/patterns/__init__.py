"""Failure patterns of Juneja et al. 2026 (table 4, appendix C), each found in the record alone.

A detector parses sentences of the controlled language exactly, and all others by the names in them (:mod:`.mentions`); no
model is called. The shared modules are :mod:`.found` (the result of a detector and the registry), :mod:`.targets` (which
agents knew a part of the goal and could achieve it), and :mod:`.mentions`.
"""
