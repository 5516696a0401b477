"""What follows from a stated policy: how the partner answers each own behaviour in the round after.

In a game with a dominant action a prediction of one move cannot matter. A statement such as "after J it plays J, after F
it plays F" can: it has a best plan. Partners here answer the own last behaviour alone, as constants and tit-for-tat do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import TypeAlias

from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.games.planning import TIE
from otherminds.games.unseeing import LEAST_ROOM, LiteralRoom

Response: TypeAlias = tuple[int, ...]
"""For each own behaviour, the partner's in the round after."""


@lru_cache(maxsize=256)
def response_of(automaton: Automaton) -> Response | None:
    """How the automaton answers each own behaviour; ``None`` where that depends on more, or on chance."""
    reached, responses = [automaton.start], set[Response]()
    for state in reached:
        if max(automaton.output[state]) < 1:
            return None
        following = automaton.next[state][automaton.output[state].index(1.0)]
        if any(max(automaton.output[after]) < 1 for after in following):
            return None
        responses.add(tuple(automaton.output[after].index(1.0) for after in following))
        reached += [after for after in dict.fromkeys(following) if after not in reached]
    return responses.pop() if len(responses) == 1 else None


@lru_cache(maxsize=4096)
def planned_actions(game: Game, behaviour: int, response: Response, rounds: int) -> tuple[int, ...]:
    """The best own behaviours, with all ties, against a partner that shows ``behaviour`` now and then follows ``response``.

    ``rounds`` are those left, this one included. By dynamic programming.
    """
    values = [0.0] * len(game.behaviours[1])
    own = range(len(game.behaviours[0]))
    for _ in range(rounds - 1):
        values = [max(game.payoffs[a][x][0] + values[response[a]] for a in own) for x in range(len(values))]
    worths = [game.payoffs[a][behaviour][0] + values[response[a]] for a in own]
    return tuple(a for a in own if worths[a] > max(worths) - TIE)


@lru_cache(maxsize=64)
def policy_room(game: Game, family: tuple[WeightedPolicy, ...]) -> LiteralRoom | None:
    """The room of each member for stated policies: the floor is the best single guess, the same about every partner.

    Ties between guesses are averaged. ``None`` where a member's answer depends on more than the own last behaviour.
    """
    responses = [response_of(member.automaton) for member in family]
    stated = [response for response in responses if response is not None]
    if len(stated) < len(family):
        return None
    own, others = (range(len(names)) for names in game.behaviours)
    guesses = [
        [sum(a == b for a, b in zip(guess, response, strict=True)) / len(own) for response in stated]
        for guess in product(others, repeat=len(own))
    ]

    def worth(accuracies: Sequence[float], shares: Sequence[float]) -> float:
        return sum(share * accuracy for share, accuracy in zip(shares, accuracies, strict=True))

    prior = [member.weight for member in family]
    most = max(worth(guess, prior) for guess in guesses)
    best = [guess for guess in guesses if worth(guess, prior) > most - TIE]
    floors = tuple(sum(column) / len(best) for column in zip(*best, strict=True))
    counted = [
        weight if 1 - floor >= LEAST_ROOM else 0.0 for weight, floor in zip(prior, floors, strict=True)
    ]
    if not sum(counted):
        return LiteralRoom(floors, (1.0,) * len(family), (0.0,) * len(family), 0.0)
    weights = tuple(weight / sum(counted) for weight in counted)
    shares = [weight / (1 - floor) if weight else 0.0 for weight, floor in zip(weights, floors, strict=True)]
    base = max(worth(guess, shares) for guess in guesses) - worth(floors, shares)
    return LiteralRoom(floors, (1.0,) * len(family), weights, base if base > TIE else 0.0)
