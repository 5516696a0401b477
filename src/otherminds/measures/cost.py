"""The cost of episodes in model calls, tokens, money and time, with the reward of each scored one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import TypeVar

import numpy as np
from msgspec import Struct

from otherminds.core.model import Price, Usage, cost
from otherminds.core.record import SeatSpec
from otherminds.measures.episode import Episode, Key, grouped
from otherminds.measures.intervals import ONE_EPISODE, Estimate, quantile
from otherminds.measures.returns import per_1200

T = TypeVar("T", bound=Hashable)


class Cost(Struct, frozen=True):
    """The cost of recorded episodes, scored or not.

    All ``calls`` of a language model are attributed to the mind under test. ``money`` is in US dollars,
    ``None`` without calls or where a price is unknown. ``seconds`` per episode and ``call_seconds`` per call
    are means of wall-clock time; concurrent episodes delay each other. ``reasks`` is the share of calls that
    repeat a request, ``invalid`` the share of decisions and answers that are invalid. ``strict`` and ``lenient``
    are the shares of replies to a question or a choice that each reader reads, whichever of both was used.
    """

    episodes: int
    calls: int
    usage: Usage
    money: float | None
    seconds: float | None
    call_seconds: float | None
    reasks: float | None
    invalid: float | None
    strict: float | None = None
    lenient: float | None = None

    @property
    def calls_an_episode(self) -> float | None:
        """Model calls per episode."""
        return self.calls / self.episodes if self.episodes else None


def total(episodes: Sequence[Episode], prices: Mapping[str, Price]) -> Cost:
    """The cost of ``episodes``; ``prices`` are by model.

    Episodes without wall-clock figures are left out of the mean time.
    """
    calls, requests = (sum(episode.tries[i] for episode in episodes) for i in (0, 1))
    invalid, replies = (sum(episode.replies[i] for episode in episodes) for i in (0, 1))
    strict, lenient, neither = (sum(episode.read[i] for episode in episodes) for i in (0, 1, 2))
    put = strict + lenient + neither
    timings = [episode.timing for episode in episodes if episode.timing.seconds > 0]
    waits = [seconds for timing in timings for seconds in timing.calls]
    return Cost(
        episodes=len(episodes),
        calls=calls,
        usage=Usage(
            prompt=sum(episode.usage.prompt for episode in episodes),
            completion=sum(episode.usage.completion for episode in episodes),
            cached=sum(episode.usage.cached for episode in episodes),
        ),
        money=_money(episodes, prices),
        seconds=sum(timing.seconds for timing in timings) / len(timings) if timings else None,
        call_seconds=sum(waits) / len(waits) if waits else None,
        reasks=1 - requests / calls if calls else None,
        invalid=invalid / replies if replies else None,
        strict=strict / put if put else None,
        lenient=(strict + lenient) / put if put else None,
    )


def costs(
    keys: Iterable[T], episodes: Iterable[Episode], key: Callable[[Episode], T], prices: Mapping[str, Price]
) -> dict[T, Cost]:
    """The cost of the episodes of each key, such as those of each mind; in the order of ``keys``."""
    found: dict[T, list[Episode]] = {one: [] for one in keys}
    for episode in episodes:
        found[key(episode)].append(episode)
    return {one: total(those, prices) for one, those in found.items()}


def _money(episodes: Sequence[Episode], prices: Mapping[str, Price]) -> float | None:
    called = [(model, usage) for episode in episodes for model, usage in episode.by_model.items()]
    if not called or any(model not in prices for model, _ in called):
        return None
    return sum(cost(usage, prices[model]) for model, usage in called)


class EpisodeCost(Struct, frozen=True):
    """The cost and reward of one scored episode. ``money`` is in US dollars, ``None`` if unknown.

    ``steps`` is 0 where rewards are not normalised by steps: in matrix games, and where seats act by text.
    ``marked``: it has many fallbacks (:func:`~otherminds.measures.hypothesis_tracks.marked`).
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
        """The reward per 1,200 steps."""
        return per_1200(self.reward, self.steps)


class Spread(Struct, frozen=True):
    """A mean of ``n`` numbers with its standard error (SEM), ``None`` for one number."""

    mean: float
    sem: float | None
    n: int

    @property
    def estimate(self) -> Estimate:
        """The mean with its 95 % interval (Student's t)."""
        if self.sem is None:
            return Estimate(self.mean, reason=ONE_EPISODE, n=self.n)
        reach = self.sem * float(quantile(np.array(self.n - 1.0)))
        return Estimate(self.mean, self.mean - reach, self.mean + reach, "", self.sem, self.n - 1.0, self.n)

    @property
    def reach(self) -> float | None:
        """Half the width of the 95 % interval; ``None`` for one number."""
        high = self.estimate.high
        return None if high is None else high - self.mean


def runs(
    planned: Iterable[Key], episodes: Iterable[Episode], prices: Mapping[str, Price]
) -> list[EpisodeCost]:
    """The scored ``episodes``, in the order of ``planned``.

    Raises:
        StudyError: an episode that was not planned.
    """
    return [
        EpisodeCost(
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
    """Mean and standard error of ``numbers``; ``None`` without any.

    >>> spread([1.0, 3.0])
    Spread(mean=2.0, sem=1.0, n=2)
    """
    if not numbers:
        return None
    n = len(numbers)
    return Spread(fmean(numbers), stdev(numbers) / n**0.5 if n > 1 else None, n)
