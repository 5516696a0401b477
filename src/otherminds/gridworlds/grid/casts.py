"""Which scripted partner sits where in the worlds of a batch: fixed, or drawn anew for each episode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from otherminds.core.errors import StudyError
from otherminds.core.scenario import Scenario
from otherminds.gridworlds.grid.actions import player_of

Seats: TypeAlias = Mapping[int, str | None] | Sequence[str | None]
"""The partners of one world by seat number, 0 for ``ego``; ``None`` or left out where none sits."""
Draw: TypeAlias = Callable[[int, int], Seats]
"""The partners of a world in one episode: ``draw(world, seed)``."""
Cast: TypeAlias = Sequence[Seats] | Draw | Scenario
"""One entry a world; or a function; or a scenario, whose population fills all seats but those under test, with the
partners that a study meets in the episode of that seed."""


def draws(cast: Cast, names: Sequence[str], worlds: int) -> Draw:
    """``cast`` as what is called at the start of each episode of ``worlds`` worlds.

    Raises:
        StudyError: there is not one entry a world, or a scenario has partners that are none of ``names``, or have options.
    """
    if isinstance(cast, Scenario):
        return _met(cast, names)
    if callable(cast):
        return cast
    if len(cast) != worlds:
        raise StudyError(f"the cast of {worlds} worlds has {len(cast)} entries; give one a world")
    return lambda world, seed: cast[world]


def numbered(seats: Seats, names: Sequence[str], players: int) -> list[int]:
    """The number of the partner in each of ``players`` seats, by its place in ``names``; -1 for none.

    Raises:
        StudyError: no such partner, or no such seat.
    """
    given = dict(seats) if isinstance(seats, Mapping) else dict(enumerate(seats))
    if unknown := set(given) - set(range(players)):
        raise StudyError(f"a cast names seat {min(unknown)}; there are seats 0 to {players - 1}")
    for name in given.values():
        if name is not None and name not in names:
            raise StudyError(f"there is no batched partner {name!r}; there are {', '.join(names) or 'none'}")
    found = [given.get(seat) for seat in range(players)]
    return [-1 if name is None else names.index(name) for name in found]


def _met(scenario: Scenario, names: Sequence[str]) -> Draw:
    for _, specs in scenario.population.members:
        for spec in specs:
            if spec.mind not in names:
                raise StudyError(f"partner {spec.mind!r} of {scenario.id} is none of {', '.join(names)}")
            if spec.params:
                raise StudyError(
                    f"{scenario.id} gives partner {spec.mind!r} the options {spec.params}; make it without, and "
                    "give noise to the partners of the batch instead"
                )
    players = [player_of(seat) for seat in scenario.others]

    def draw(world: int, seed: int) -> Seats:
        return dict(zip(players, (spec.mind for spec in scenario.population.met(seed)), strict=True))

    return draw
