"""Failure patterns of Juneja et al. 2026 (table 4, appendix C), each found in the record alone.

A detector uses what messages conveyed, as the record has it; it parses no text, and no model is called. A pattern is found
where the record shows it: a sentence that was not read, and that may be about the things in question, is none. The shared
modules are :mod:`.found` (the result of a detector and the registry) and :mod:`.targets` (which agents knew a part of the
goal and could achieve it).
"""
