"""What a test class says about its mind, and how the kit seats it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from otherminds.core.contracts import Mind
from otherminds.core.data import Seat
from otherminds.core.model import Model
from otherminds.core.record import Record
from otherminds.core.scenario import Scenario
from otherminds.core.setup import Participant, Setup
from otherminds.testing.episodes import played
from otherminds.testing.records import RecordPromises


class MindCase(RecordPromises):
    """Write :meth:`make_mind` and :meth:`make_scenario`; the rest has defaults.

    Each seed of ``seeds`` is an episode of its own; they meet the population's
    members in the order of its schedule. ``told`` names what the world's briefs hold
    under a grant's name without the grant, such as a seat's own ``secrets``.
    """

    seeds: tuple[int, ...] = (0, 1, 2, 3)
    told: frozenset[str] = frozenset()

    def make_mind(self) -> Mind:
        """A fresh mind."""
        raise NotImplementedError(f"{type(self).__name__} must write make_mind()")

    def make_scenario(self) -> Scenario:
        """Where it plays: a short scenario with probes."""
        raise NotImplementedError(f"{type(self).__name__} must write make_scenario()")

    def make_models(self) -> Mapping[Seat, Model]:
        """A fresh language model for each seat whose mind needs one."""
        return {}

    def setup(
        self,
        seed: int,
        around: Callable[[Mind, Scenario], Mind] = lambda mind, scenario: mind,
        ask: bool = True,
    ) -> Setup:
        """The episode of ``seed``: fresh minds under test, each inside what ``around`` makes of it."""
        scenario = self.make_scenario()
        models = self.make_models()
        minds = {
            seat: Participant(around(self.make_mind(), scenario), models.get(seat)) for seat in scenario.focal
        }
        return Setup(scenario, minds, seed, ask=ask)

    def episode(
        self,
        seed: int,
        around: Callable[[Mind, Scenario], Mind] = lambda mind, scenario: mind,
        ask: bool = True,
    ) -> Record:
        """The record of :meth:`setup`."""
        return played(self.setup(seed, around, ask))
