"""Free sentences about the household, parsed by small grammars: as a whole and unambiguously, or not at all.

:func:`read_message` reads what messages convey, and :func:`told_freely` the statements of secrets.
"""

from otherminds.epistemic.words.free.messages import Reading, read_message
from otherminds.epistemic.words.free.reading import may_name
from otherminds.epistemic.words.free.secrets import told_freely

__all__ = ["Reading", "may_name", "read_message", "told_freely"]
