"""Every reference mind by its name, made for a house of which it is told nothing but what its seat hears, and what its secrets are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from otherminds.core.contracts import Mind
from otherminds.core.errors import StudyError
from otherminds.worlds.household.house import House
from otherminds.worlds.household.reference.central import InformedHousemate
from otherminds.worlds.household.reference.knowledge import ReceivedMessage
from otherminds.worlds.household.reference.levels import LEVELS, Broadcaster
from otherminds.worlds.household.reference.mind import Housemate
from otherminds.worlds.household.reference.null import NULL, Chance


def level_k(house: House, k: int = 3) -> Mind:
    """The level-``k`` mind, k from 0 to 3.

    Raises:
        StudyError: there is no such level.
    """
    if isinstance(k, bool) or k not in LEVELS:
        raise StudyError(f"level_k: k must be one of {', '.join(map(str, LEVELS))}, not {k!r}")
    return LEVELS[k](told(house))


def told(house: House) -> ReceivedMessage:
    """What each agent is told as formulas; nothing in a task without them, where minds read prose."""
    return {seat: house.task.told_to(seat) for seat in house.agents if house.task.verified}


def _plain(made: type[Mind]) -> Callable[[House], Mind]:
    def make(house: House) -> Mind:
        return made(told(house)) if issubclass(made, Housemate) else made()

    return make


ROSTER: Mapping[str, Callable[..., Mind]] = MappingProxyType(
    {
        "random": _plain(Chance),
        "no_message": _plain(Housemate),
        "blind": _plain(Housemate),
        "broadcast": _plain(Broadcaster),
        "level_k": level_k,
        "informed": _plain(InformedHousemate),
        **{name: _plain(null) for name, null in NULL.items()},
    }
)
"""What each is called in a study, and what makes it. ``blind`` is ``no_message``, as what F counts from."""
