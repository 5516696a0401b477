"""The interface of worlds: a PettingZoo ``ParallelEnv`` with four more methods.

What a seat receives in addition to its observation is in ``infos[seat]``:
``encounters`` (a tuple of :class:`~otherminds.core.data.Encounter`) and
``told`` (a tuple of :class:`~otherminds.core.data.ReceivedMessage`). A seat that has
finished keeps its place until the episode ends, so that it loses no reward.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from pettingzoo import ParallelEnv  # pyright: ignore[reportMissingTypeStubs]

from otherminds.core.data import Action, Answer, Brief, Question, Seat


class World(ParallelEnv[str, Any, Any]):
    """The interface of a world, which knows nothing of minds or models.

    ``reset(seed, options)`` takes ``options["grants"]``: for each seat a mapping from the name of a grant to
    its value (see :meth:`brief`), and may take options of its own. ``step`` raises
    :class:`~otherminds.core.errors.WorldError` for an action outside the seat's action space; a well-formed
    action that the rules refuse is played and costs what the rules say.
    """

    possible_agents: list[Seat]
    agents: list[Seat]

    @abstractmethod
    def brief(self, seat: Seat) -> Brief:
        """The brief of ``seat``, read once after :meth:`reset`, grants included."""

    @abstractmethod
    def fallback(self, seat: Seat) -> Action | None:
        """The action played for an invalid reply; ``None`` ends the episode."""

    @abstractmethod
    def truth(self, question: Question, step: int) -> Answer | None:
        """The true answer to ``question`` put at ``step``; read once, at the end.

        ``None`` where there is none.
        """

    def facts(self) -> dict[str, Any]:
        """Facts for the record only, as JSON; they may include hidden state."""
        return {}
