"""A controlled language: statements said in English sentences and read back exactly.

Reference minds talk in it, secrets of tasks are told in it, and detectors of
failures read with it what anybody wrote. A sentence is understood whole or not at
all, and what is written is always understood as what was meant::

    read(say(statement)) == (statement,)
    read(say(statement, me=agent), me=agent) == (statement,)
    read(tell(statement, you=agent), you=agent) == (statement,)

========= ====================================================================
Fact      ``bowl_0 is on table_1.`` ``cabinet_3 is not open.``
          ``agent_1 holds bowl_0.`` ``agent_2 knows that cabinet_3 is open.``
Must      ``bowl_0 must end on table_18.``
          ``By the end, agent_1 must know that cabinet_28 is open.``
Barred    ``agent_0 cannot enter kitchen_1 or bedroom_2.``
Reaches   ``agent_0 can only message agent_1.`` ``agent_0 cannot message anyone.``
Budget    ``agent_0 can send 2 messages.``
Inverse   ``cabinet_3 works in reverse: opening closes it, and closing opens it.``
Mirrors   ``cabinet_3 and cabinet_4 always move together.``
Controls  ``Opening cabinet_3 makes fridge_5 open, and closing it does the opposite.``
Doing     ``agent_1 will see to it that bowl_0 ends on table_18.``
Asks      ``agent_1, please see to it that bowl_0 ends on table_18.``
========= ====================================================================
"""

from otherminds.epistemic.words.sentences import read, say, tell, unread
from otherminds.epistemic.words.statements import (
    Asks,
    Barred,
    By,
    Controls,
    Doing,
    Fact,
    Inverse,
    MessageBudget,
    Mirrors,
    Must,
    Reaches,
    State,
    Statement,
)

__all__ = [
    "Asks",
    "Barred",
    "By",
    "Controls",
    "Doing",
    "Fact",
    "Inverse",
    "MessageBudget",
    "Mirrors",
    "Must",
    "Reaches",
    "State",
    "Statement",
    "read",
    "say",
    "tell",
    "unread",
]
