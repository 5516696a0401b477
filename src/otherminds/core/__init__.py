"""The contracts and the plain data that all packages exchange.

Imports no other package of the project and nothing heavy; only :mod:`otherminds.core.scenario`
imports PettingZoo.
"""
