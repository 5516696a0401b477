"""Which bot sits where in a world of a batch: fixed, or drawn anew for each episode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from otherminds.core.errors import StudyError
from otherminds.core.scenario import Scenario
from otherminds.worlds.grid.actions import player_of
from otherminds.worlds.in_the_matrix.bots.roster import bot_names
from otherminds.worlds.in_the_matrix.rules import Rules

Seats: TypeAlias = Mapping[int, str | None] | Sequence[str | None]
"""The bots of one world by seat number, 0 for ``ego``; ``None`` or left out where none sits."""
Draw: TypeAlias = Callable[[int, int], Seats]
"""The bots of a world in one episode: ``draw(world, seed)``."""
Cast: TypeAlias = Sequence[Seats] | Draw | Scenario


def draws(cast: Cast, rules: Rules, worlds: int) -> Draw:
    """``cast`` as what is called at the start of each episode.

    A scenario fills all seats but those under test, with the partners that its population has in the episode of
    that seed.

    Raises:
        StudyError: there is not one entry a world, or a scenario of another substrate, or whose bots have options.
    """
    if isinstance(cast, Scenario):
        return _met(cast, rules)
    if callable(cast):
        return cast
    if len(cast) != worlds:
        raise StudyError(f"the cast of {worlds} worlds has {len(cast)} entries; give one a world")
    return lambda world, seed: cast[world]


def numbered(seats: Seats, rules: Rules) -> list[int]:
    """The number of the bot in each seat, in the order of :func:`.roster.bot_names`; -1 for none.

    Raises:
        StudyError: no such bot, or no such seat.
    """
    names = bot_names(rules)
    given = dict(seats) if isinstance(seats, Mapping) else dict(enumerate(seats))
    if unknown := set(given) - set(range(rules.players)):
        raise StudyError(f"a cast names seat {min(unknown)}; {rules.name} has seats 0 to {rules.players - 1}")
    for name in given.values():
        if name is not None and name not in names:
            raise StudyError(
                f"{rules.name} has no background bot {name!r}; it has {', '.join(names) or 'none'}"
            )
    found = [given.get(seat) for seat in range(rules.players)]
    return [-1 if name is None else names.index(name) for name in found]


def _met(scenario: Scenario, rules: Rules) -> Draw:
    names = bot_names(rules)
    for _, specs in scenario.population.members:
        for spec in specs:
            if spec.mind not in names:
                raise StudyError(f"{scenario.id} has partner {spec.mind!r}, which is no bot of {rules.name}")
            if spec.params:
                raise StudyError(
                    f"{scenario.id} gives its bots the options {spec.params}; make it without, and pass noise to "
                    "BatchedBots instead"
                )
    players = [player_of(seat) for seat in scenario.others]

    def draw(world: int, seed: int) -> Seats:
        return dict(zip(players, (spec.mind for spec in scenario.population.met(seed)), strict=True))

    return draw
