"""Free sentences about the household, parsed by small grammars: as a whole and unambiguously, or not at all.

:func:`read_message` reads what messages convey, :func:`told_freely` the statements of secrets, and :func:`read_worded` secrets
in the words of the public release, sentence by sentence.
"""

from otherminds.household.epistemic.words.free.grammar import may_name
from otherminds.household.epistemic.words.free.messages import Reading, read_message, told_freely
from otherminds.household.epistemic.words.free.worded import read_worded

__all__ = ["Reading", "may_name", "read_message", "read_worded", "told_freely"]
