"""Failure patterns of Juneja et al. 2026 (table 4, appendix C), each found in the record alone.

A detector reads statements of the controlled language exactly, and any other sentence by the
names in it (:mod:`.mentions`): no model is called. Besides the patterns stand what they share:
:mod:`.found` (what a detector gives), :mod:`.targets` (who knew what had to be done, and who
could do it), :mod:`.mentions`.
"""
