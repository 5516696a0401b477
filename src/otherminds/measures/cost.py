"""The cost of episodes in model calls, tokens, money and time, with the rewards in the columns of papers.

Episodes differ in length, by chance; table 1 of Cross et al. is per episode, their figures 2, 8
and 11 to 16 per 1,200 steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev

import numpy as np
from msgspec import Struct

from otherminds.core.model import Price, Usage, cost
from otherminds.core.record import CAUTION, Record, SeatSpec
from otherminds.measures.episode import Episode, Key, group_by_cell
from otherminds.measures.intervals import ONE_EPISODE, Estimate, quantile
from otherminds.measures.registry import Inapplicable, Unknown, by_rounds, ego, in_words, measures

STEPS = 1200
"""The length of a normalised episode."""
ELSEWHERE = "returns per capita are for worlds with background bots"


@measures.register("reward_per_episode")
def reward_per_episode(record: Record) -> float:
    """The return of the mind under test: the sum of its rewards."""
    return record.total(ego(record))


@measures.register("reward_per_1200_steps")
def reward_per_1200_steps(record: Record) -> float | Unknown:
    """Its return, scaled to 1,200 steps, the length that Cross et al. report gridworlds by.

    It needs steps of a clock and no stage game: cooking, which has none, is published in the same unit.
    """
    if not record.rewards:
        return Unknown("no step was played")
    if by_rounds(record):
        return Inapplicable("a matrix game is counted in rounds")
    if in_words(record):
        return Inapplicable("a task whose steps are calls in words is paid once, however long it takes")
    return record.total(ego(record)) * STEPS / len(record.rewards)


def per_1200(amount: float | None, steps: int) -> float | None:
    """An ``amount`` over ``steps`` steps, scaled to 1,200 steps; ``None`` where either is unknown.

    >>> per_1200(50.0, 1500)
    40.0
    """
    return None if amount is None or not steps else amount * STEPS / steps


@measures.register("focal_per_capita_return")
def focal_per_capita_return(record: Record) -> float | Unknown:
    """Mean return of an episode over the seats under test. Agapiou et al. 2022, section 3."""
    return _mean(record, background=False)


@measures.register("background_per_capita_return")
def background_per_capita_return(record: Record) -> float | Unknown:
    """Mean return of an episode over the seats of partners."""
    return _mean(record, background=True)


def _mean(record: Record, background: bool) -> float | Unknown:
    if CAUTION not in record.facts:
        return Inapplicable(ELSEWHERE)
    seats = [seat for seat in record.seats if (seat in record.partners) == background]
    return sum(map(record.total, seats)) / len(seats) if seats else Unknown("there is no such seat")


class Cost(Struct, frozen=True):
    """The cost of recorded episodes, scored or not.

    All ``calls`` of a language model are attributed to the mind under test. ``money`` is in US dollars,
    ``None`` without calls or where a price is unknown. ``seconds`` per episode and ``call_seconds`` per call
    are means of wall-clock time; concurrent episodes delay each other. ``reasks`` is the share of calls that
    repeat a request, ``invalid`` the share of decisions and answers that are invalid. ``strict`` and ``lenient``
    are the shares of replies to a question or a choice that each reader reads, whichever of both was used.
    ``estimated`` is the share of the money, or of the tokens where that is unknown or 0, for tokens that no server
    counted (:class:`~otherminds.core.model.Usage`).
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
    estimated: float | None = None

    @property
    def calls_an_episode(self) -> float | None:
        """Model calls per episode."""
        return self.calls / self.episodes if self.episodes else None

    @property
    def took(self) -> Took:
        """The cost as the columns of a report."""
        return Took(
            episodes=self.episodes,
            calls=self.calls,
            calls_an_episode=self.calls_an_episode,
            prompt_tokens=self.usage.prompt,
            cached_tokens=self.usage.cached,
            completion_tokens=self.usage.completion,
            dollars=self.money,
            seconds_an_episode=self.seconds,
            seconds_a_call=self.call_seconds,
            reask_share=self.reasks,
            invalid_share=self.invalid,
            strict_share=self.strict,
            lenient_share=self.lenient,
            estimated_cost_share=self.estimated,
        )


class Took(Struct, frozen=True):
    """What all recorded episodes of a cell took; tokens that were read include the cached ones.

    ``strict_share`` and ``lenient_share``: replies to a question or a choice that each reader reads.
    ``estimated_cost_share``: the dollars, or the tokens where these are unknown, that were estimated from bytes.
    """

    episodes: int
    calls: int
    calls_an_episode: float | None
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    dollars: float | None
    seconds_an_episode: float | None
    seconds_a_call: float | None
    reask_share: float | None
    invalid_share: float | None
    strict_share: float | None
    lenient_share: float | None
    estimated_cost_share: float | None


class CostSums(Struct, frozen=True):
    """What a :class:`Cost` is computed from; sums of several can be added.

    ``timed`` episodes have wall-clock figures, ``waited`` calls the seconds of each. ``money`` is that of ``called``
    models, ``None`` if a price is unknown, ``estimated`` the part of it for estimated tokens.
    """

    episodes: int = 0
    tries: tuple[int, int] = (0, 0)
    replies: tuple[int, int] = (0, 0)
    read: tuple[int, int, int] = (0, 0, 0)
    usage: Usage = Usage()
    called: bool = False
    money: float | None = 0.0
    seconds: float = 0.0
    timed: int = 0
    waits: float = 0.0
    waited: int = 0
    estimated: float = 0.0

    def __add__(self, other: CostSums) -> CostSums:
        return CostSums(
            self.episodes + other.episodes,
            (self.tries[0] + other.tries[0], self.tries[1] + other.tries[1]),
            (self.replies[0] + other.replies[0], self.replies[1] + other.replies[1]),
            (self.read[0] + other.read[0], self.read[1] + other.read[1], self.read[2] + other.read[2]),
            self.usage + other.usage,
            self.called or other.called,
            None if self.money is None or other.money is None else self.money + other.money,
            self.seconds + other.seconds,
            self.timed + other.timed,
            self.waits + other.waits,
            self.waited + other.waited,
            self.estimated + other.estimated,
        )

    @property
    def cost(self) -> Cost:
        """The cost of all episodes together."""
        (calls, requests), (invalid, replies), (strict, lenient, neither) = (
            self.tries,
            self.replies,
            self.read,
        )
        read_replies = strict + lenient + neither
        return Cost(
            episodes=self.episodes,
            calls=calls,
            usage=self.usage,
            money=self.money if self.called else None,
            seconds=self.seconds / self.timed if self.timed else None,
            call_seconds=self.waits / self.waited if self.waited else None,
            reasks=1 - requests / calls if calls else None,
            invalid=invalid / replies if replies else None,
            strict=strict / read_replies if read_replies else None,
            lenient=(strict + lenient) / read_replies if read_replies else None,
            estimated=self._estimated(),
        )

    def _estimated(self) -> float | None:
        if not self.called:
            return None
        if self.money:
            return self.estimated / self.money
        tokens, guessed = self.usage, self.usage.estimated
        return (guessed.prompt + guessed.completion) / (tokens.prompt + tokens.completion or 1)


def sum_costs(episodes: Sequence[Episode], prices: Mapping[str, Price]) -> CostSums:
    """The sums of ``episodes``; ``prices`` are by model.

    Episodes without wall-clock figures are left out of the mean time.
    """
    timings = [episode.timing for episode in episodes if episode.timing.seconds > 0]
    waits = [seconds for timing in timings for seconds in timing.calls]
    called = [(model, usage) for episode in episodes for model, usage in episode.by_model.items()]
    priced = all(model in prices for model, _ in called)
    return CostSums(
        episodes=len(episodes),
        tries=(sum(episode.tries[0] for episode in episodes), sum(episode.tries[1] for episode in episodes)),
        replies=(
            sum(episode.replies[0] for episode in episodes),
            sum(episode.replies[1] for episode in episodes),
        ),
        read=(
            sum(episode.read[0] for episode in episodes),
            sum(episode.read[1] for episode in episodes),
            sum(episode.read[2] for episode in episodes),
        ),
        usage=sum((episode.usage for episode in episodes), Usage()),
        called=bool(called),
        money=sum(cost(usage, prices[model]) for model, usage in called) if priced else None,
        estimated=sum(cost(usage.estimated, prices[model]) for model, usage in called) if priced else 0.0,
        seconds=sum(timing.seconds for timing in timings),
        timed=len(timings),
        waits=sum(waits),
        waited=len(waits),
    )


def total(episodes: Sequence[Episode], prices: Mapping[str, Price]) -> Cost:
    """The cost of ``episodes``; see :func:`sum_costs`."""
    return sum_costs(episodes, prices).cost


class EpisodeCost(Struct, frozen=True):
    """The cost and reward of one scored episode. ``money`` is in US dollars, ``None`` if unknown.

    ``steps`` is 0 where rewards are not normalised by steps: in matrix games, and where seats act by text.
    ``marked``: it has many fallbacks (:func:`~otherminds.measures.notes.has_many_fallbacks`).
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

    @property
    def compared(self) -> bool:
        """Whether a table may compare it: it has calls, or steps to divide by, or its mind a number as parameter."""
        return bool(self.steps or self.calls) or any(
            isinstance(value, int | float) and not isinstance(value, bool)
            for value in self.who.params.values()
        )


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
        for played in group_by_cell(planned, episodes).values()
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
