"""Free sentences about the household, parsed by a small grammar: as a whole and unambiguously, or not at all."""

from otherminds.epistemic.words.free.reading import Gathered, gathered

__all__ = ["Gathered", "gathered"]
