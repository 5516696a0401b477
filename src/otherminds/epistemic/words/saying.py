"""From statements to text: by name, as the speaker would say them, or to an agent's face."""

from __future__ import annotations

from otherminds.epistemic.errors import FormulaError
from otherminds.epistemic.words.reading import LONGEST
from otherminds.epistemic.words.sentences import sentence
from otherminds.epistemic.words.shapes import Voice
from otherminds.epistemic.words.statements import Statement


def say(statement: Statement, me: str = "") -> str:
    """The statement as one sentence, for a message; ``me``, the agent who writes it, is "I" where it acts.

    Raises:
        FormulaError: it has no words; the text says why.

    >>> from otherminds.epistemic import Atom
    >>> from otherminds.epistemic.words import Doing, Must
    >>> say(Doing("agent_1", Must(Atom("is_on_top", ("bowl_0", "table_18")))), me="agent_1")
    'I will see to it that bowl_0 ends on table_18.'
    """
    return _fitting(sentence(statement, Voice(me=me)))


def tell(statement: Statement, you: str) -> str:
    """The statement as one sentence, for a secret; ``you`` is the agent who is told it.

    Raises:
        FormulaError: it has no words; the text says why.

    >>> from otherminds.epistemic.words import Reaches
    >>> tell(Reaches("agent_0", ("agent_1", "agent_2")), you="agent_0")
    'You can only message agent_1 or agent_2.'
    """
    return _fitting(sentence(statement, Voice(you=you)))


def _fitting(text: str) -> str:
    if len(text) > LONGEST:
        raise FormulaError(
            f"a sentence has at most {LONGEST:,} characters, and this has {len(text):,}; say less"
        )
    return text
