"""Free sentences about the household, parsed by small grammars: as a whole and unambiguously, or not at all.

:func:`gathered` reads the facts of messages, :func:`told_freely` the statements of secrets, and :func:`read_worded` secrets in
the words of the public release, sentence by sentence.
"""

from otherminds.epistemic.words.free.reading import Gathered, gathered
from otherminds.epistemic.words.free.secrets import told_freely
from otherminds.epistemic.words.free.worded import read_worded

__all__ = ["Gathered", "gathered", "read_worded", "told_freely"]
