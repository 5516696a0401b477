"""Measures of the household beyond L and F: passes, messages, private goals, failure patterns.

Source: Juneja et al. 2026, section 5 and table 2 (passes), section 6.3, table 4 and
appendix C (failure patterns). All measures use the facts of a record (:mod:`.trace`); ``published.csv`` is table 2 as
printed.
"""
