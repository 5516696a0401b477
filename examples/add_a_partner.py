"""A partner of your own, in one file: tit-for-two-tats.

Run it: ``python examples/add_a_partner.py``. In a study: ``plugins =
["add_a_partner.py"]``, and the scenarios ``rps-tit_for_two_tats-v1``,
``ibs-…`` and ``ipd-…`` are there.
"""

from __future__ import annotations

from otherminds import Automaton, Game
from otherminds.games.automata import START, Machine, always, shape
from otherminds.games.best_response import best_response
from otherminds.games.registry import games, partners


@partners.register("tit_for_two_tats")
def tit_for_two_tats(game: Game, rounds: int) -> Automaton:
    """Plays behaviour 0, unless the other showed its last behaviour twice running. Axelrod 1984."""
    rows, columns = shape(game)
    return Machine(
        START,
        lambda run: always(columns - 1 if run == 2 else 0, columns),
        lambda run, own, other: min(2, run + 1) if other == rows - 1 else 0,
    ).automaton(game, rounds)


if __name__ == "__main__":
    ipd = games.get("ipd")()
    plan = best_response(ipd, tit_for_two_tats(ipd, 100), 100)
    print(f"the best response to tit-for-two-tats earns {plan.value:g} in 100 rounds of the IPD:")
    print("defect every other round, which is never punished, and in the last two.")
