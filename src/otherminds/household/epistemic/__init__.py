"""Epistemic goals: formulas of nested knowledge, as s-expressions and as English sentences.

A goal is written in PDDL with nested ``K`` (:mod:`.parse`), represented as a tree (:mod:`.formula`) over
a fixed vocabulary (:mod:`.predicates`), printed exactly (:func:`~.formula.show`), and expressed in controlled English
(:mod:`.words`).
"""
