"""Measures: literal and functional theory of mind, regret, costs, and their intervals.

A measure is a function of a record and calls no model. A measure of one episode is registered by
``@measures.register("name")``; ``cells`` combines the episodes of a scenario and a mind.
"""
