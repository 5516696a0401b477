"""Free sentences about the household, parsed by small grammars: as a whole and unambiguously, or not at all.

:func:`gathered` reads the facts of messages, and :func:`told_freely` the statements of secrets.
"""

from otherminds.epistemic.words.free.reading import Gathered, gathered
from otherminds.epistemic.words.free.secrets import told_freely

__all__ = ["Gathered", "gathered", "told_freely"]
