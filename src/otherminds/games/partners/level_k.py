"""Level-k reasoning over the last encounter."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import Machine, always, best_reply, shape
from otherminds.games.registry import partners

OPENING: tuple[int, int] = (0, 0)
"""Round 1 is played as if both had shown behaviour 0."""


def level_k_reply(game: Game, level: int, own: int, other: int) -> int:
    """What a level-k thinker in the *row* seat plays after (own, other).

    Level 0 repeats its own last behaviour; level k best-responds to a partner
    of level k − 1. Stahl & Wilson 1994, applied to the last encounter.
    """
    if level == 0:
        return own
    return best_reply(game, level_k_reply(game.flipped(), level - 1, other, own))


@partners.register("level_k")
def level_k(game: Game, rounds: int, level: int = 1) -> Automaton:
    """A level-``level`` thinker; round 1 is played as if both had shown behaviour 0."""
    _, columns = shape(game)
    if level < 0:
        raise StudyError(f"level_k needs a level of at least 0, not {level}")
    own = game.flipped()
    return Machine(
        OPENING,
        lambda last: always(level_k_reply(own, level, *last), columns),
        lambda last, mine, other: (mine, other),
    ).automaton(game, rounds)
