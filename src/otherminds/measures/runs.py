"""Scored episodes as points of a figure: what each brought, and what it took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev

from msgspec import Struct

from otherminds.core.model import Usage
from otherminds.core.prices import Price
from otherminds.core.record import SeatSpec
from otherminds.measures.cost import total
from otherminds.measures.episode import Episode, Key, grouped
from otherminds.measures.returns import per_1200


class Run(Struct, frozen=True):
    """One scored episode. ``money`` is in US dollars, ``None`` where it is not known.

    ``steps`` is 0 where rewards are not counted in them: in matrix games and in the household.
    ``marked``: it has many fallbacks (:func:`~otherminds.measures.fallbacks.marked`).
    """

    scenario: str
    mind: str
    who: SeatSpec
    reward: float
    steps: int
    calls: int
    usage: Usage
    money: float | None
    marked: bool = False

    @property
    def normalised(self) -> float | None:
        """Its reward per 1,200 steps."""
        return per_1200(self.reward, self.steps)


class Spread(Struct, frozen=True):
    """A mean with its standard error (SEM), which a single number does not have; ``n`` numbers."""

    mean: float
    sem: float | None
    n: int


def runs(planned: Iterable[Key], episodes: Iterable[Episode], prices: Mapping[str, Price]) -> list[Run]:
    """The scored ones of ``episodes``, in the order of ``planned`` and not of their coming.

    Raises:
        StudyError: an episode that was not planned.
    """
    return [
        Run(
            scenario=episode.scenario,
            mind=episode.mind,
            who=episode.about.who,
            reward=episode.reward,
            steps=episode.length if "reward_per_1200_steps" in episode.values else 0,
            calls=episode.tries[0],
            usage=episode.usage,
            money=total([episode], prices).money,
            marked=bool(episode.about.marked),
        )
        for played in grouped(planned, episodes).values()
        for episode in played
        if episode.outcome.status == "scored" and episode.about.who is not None
    ]


def spread(numbers: Sequence[float]) -> Spread | None:
    """Mean and standard error of ``numbers``; ``None`` of none.

    >>> spread([1.0, 3.0])
    Spread(mean=2.0, sem=1.0, n=2)
    """
    if not numbers:
        return None
    n = len(numbers)
    return Spread(fmean(numbers), stdev(numbers) / n**0.5 if n > 1 else None, n)
