"""Oracle + Max prompting: is told what the other does, and to make the most of it."""

from __future__ import annotations

from otherminds.minds.language.answering import Instruction
from otherminds.minds.language.strategies.oracle import Oracle
from otherminds.minds.registry import strategies


@strategies.register("oracle_max")
class OracleMax(Oracle):
    """Oracle that stresses the own gain, given what the other does.

    Riemer et al. 2025, section 4.2 and figure 15. With ``history = false`` it is
    the paper's Oracle + Max − History, with ``payoffs = false`` its Oracle + Max
    − Payoffs (table 3).
    """

    instruction = Instruction(
        "You know what the other player does, so maximise your own gain: choose what brings you the most. Write"
    )
