"""Free sentences about the household, read by a small grammar: whole and for certain, or not at all."""

from otherminds.epistemic.words.free.reading import Gathered, gathered

__all__ = ["Gathered", "gathered"]
