"""One model played through a suite, in the largest size that fits into the time and money allowed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from time import monotonic

import msgspec
from msgspec import Struct, field

from otherminds.core.disk import read_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.core.model import Price, Usage, cost
from otherminds.core.record import EpisodeSpec
from otherminds.models.metered import BudgetSpentError
from otherminds.models.registry import identity, open_servers
from otherminds.studies.access import Limits, less
from otherminds.studies.episodes import PlannedEpisodes
from otherminds.studies.estimate import CellUsage, estimate
from otherminds.studies.executor import Progress
from otherminds.studies.plan import StudyPlan, ego, plan
from otherminds.studies.run import run
from otherminds.studies.run_dir import holds_run, results, timings
from otherminds.studies.run_overrides import RunOverrides, fill
from otherminds.studies.seating import models_of
from otherminds.studies.suite import Size, Suite

CARD = "evaluation.json"
SPARE = 0.8
"""A size is chosen if it is expected to take at most this share of what is allowed."""
PILOT = 6
"""The largest number of episodes of a cell that are played to measure a model's speed."""


class Need(Struct, frozen=True):
    """What one size is expected to take of language models: ``seconds`` and ``dollars`` where they can be known."""

    size: str
    cells: int
    episodes: int
    calls: int
    usage: Usage
    seconds: float | None = None
    dollars: float | None = None


class Chosen(Struct, frozen=True):
    """What an evaluation folder holds: the suite with its version, its size, the model and the mind (the suite's if empty)."""

    suite: str
    size: str
    model: str
    mind: str = ""


class Allowed(Struct, frozen=True):
    """What an evaluation may take: minutes of wall-clock time in this call, and US dollars by ``prices`` in all calls."""

    minutes: float | None = None
    dollars: float | None = None
    prices: dict[str, Price] = field(default_factory=dict[str, Price])


class Evaluation:
    """``model`` in ``suite``, in the folder ``out``; each size has a folder of its own inside.

    ``mind`` replaces the suite's language mind; ``reply_tokens`` is the maximal length of its replies. The
    time that is ``allowed`` starts now.

    Raises:
        StudyError: the model or the mind is unknown, or ``out`` has another evaluation.
    """

    def __init__(
        self,
        model: str,
        suite: Suite,
        out: Path,
        allowed: Allowed,
        mind: str = "",
        reply_tokens: int | None = None,
    ) -> None:
        self.model, self.suite, self.out, self.allowed, self.mind = model, suite, out, allowed, mind
        self._tokens = reply_tokens
        self._start = monotonic()
        held = held_in(out)
        if held and (held.suite, held.model, held.mind) != (suite.title, identity(model), mind):
            raise StudyError(
                f"{out}: has an evaluation of {held.model} in {held.suite}"
                f"{f' with {held.mind}' if held.mind else ''}; choose another --out"
            )
        self.held = held
        self.plan(suite.sizes[0])

    def folder(self, size: Size) -> Path:
        """The run folder of one size."""
        return self.out / size.name

    def chosen(self, size: Size) -> Chosen:
        """What ``out`` holds when ``size`` is played."""
        return Chosen(self.suite.title, size.name, identity(self.model), self.mind)

    def plan(self, size: Size) -> StudyPlan:
        """The plan of one size."""
        given = RunOverrides((self.model,), reply_tokens=self._tokens)
        return plan(fill(self.suite.study(size, self.mind), given), Path())

    def pilot(self, progress: Progress) -> None:
        """Plays the first episodes of the smallest size, as many as the servers serve at the same time.

        They are part of that size, and are not played again for it.
        """
        smallest = self.suite.sizes[0]
        whole = self.plan(smallest)
        asked = _asked(whole)
        first = min(PILOT, ceil(self.concurrency() / len(asked)))
        counted: dict[tuple[str, str], int] = {}
        kept: list[EpisodeSpec] = []
        for spec in whole.episodes:
            key = (spec.title, ego(spec).title)
            counted[key] = counted.get(key, 0) + 1
            if key in asked and counted[key] <= first:
                kept.append(spec)
        some = msgspec.structs.replace(whole, episodes=PlannedEpisodes(kept))
        run(some, self.folder(smallest), progress, limits=self._limits(smallest))

    def concurrency(self) -> int:
        """The number of episodes that the model serves at the same time."""
        return sum(server.concurrency for server in open_servers(self.model))

    def needs(self) -> list[Need]:
        """What each size takes: rehearsed without the model, and corrected by what the pilot took, if there was one."""
        smallest = self.suite.sizes[0]
        folder = self.folder(smallest)
        records = list(results(folder)[1]) if holds_run(folder) else []
        rehearsed = _sum(estimate(self.plan(smallest)))
        measured = _sum(estimate(self.plan(smallest), records))
        pace = self._pace(folder) if records else None
        price = self.allowed.prices.get(identity(self.model))
        found: list[Need] = []
        for size in self.suite.sizes:
            planned = self.plan(size)
            took = _sum(estimate(planned))
            usage = Usage(
                _scaled(took.read, measured.read, rehearsed.read),
                _scaled(took.written, measured.written, rehearsed.written),
            )
            calls = _scaled(took.calls, measured.calls, rehearsed.calls)
            found.append(
                Need(
                    size.name,
                    len(_asked(planned)),
                    sum(bool(models_of(spec)) for spec in planned.episodes),
                    calls,
                    usage,
                    None if pace is None else calls * pace,
                    None if price is None else cost(usage, price),
                )
            )
        return found

    def _pace(self, folder: Path) -> float | None:
        """Seconds a call, of all concurrent ones together."""
        spent = [timing for timing in timings(folder).values() if timing.calls]
        calls = sum(len(timing.calls) for timing in spent)
        if not calls:
            return None
        return sum(timing.seconds for timing in spent) / min(len(spent), self.concurrency()) / calls

    def finished(self, size: Size) -> bool:
        """Whether all episodes of ``size`` are recorded."""
        folder = self.folder(size)
        recorded = sum(1 for _ in results(folder)[1]) if holds_run(folder) else 0
        return recorded == len(self.plan(size).episodes)

    def fitting(self, needs: Sequence[Need]) -> list[Size]:
        """The sizes that are expected to take no more than is allowed, the smallest first."""
        seconds, dollars = self.allowed.minutes, self.allowed.dollars
        left = None if seconds is None else seconds * 60 * SPARE - self._elapsed()
        most = None if dollars is None else dollars * SPARE
        return [
            size
            for size, need in zip(self.suite.sizes, needs, strict=True)
            if _within(need.seconds, left) and _within(need.dollars, most)
        ]

    def play(self, size: Size, progress: Progress, retry: bool = False) -> str:
        """Plays one size and keeps the choice. Returns why it stopped before its end; empty if it did not."""
        replace_file(self.out / CARD, msgspec.json.encode(self.chosen(size)) + b"\n", durable=True)
        try:
            left = run(self.plan(size), self.folder(size), progress, retry, self._limits(size))
        except BudgetSpentError as spent:
            return str(spent)
        failed, waiting = left.get("failed", 0), left.get("planned", 0)
        return f"{failed} episodes failed and {waiting} were not played" if failed or waiting else ""

    def _elapsed(self) -> float:
        return monotonic() - self._start

    def _limits(self, size: Size) -> Limits:
        """What is left of the time that is allowed, and of the money without that of the other sizes."""
        minutes, dollars = self.allowed.minutes, self.allowed.dollars
        seconds = None if minutes is None else max(minutes * 60 - self._elapsed(), 0.0)
        others = (self.folder(one) for one in self.suite.sizes if one.name != size.name)
        return less(Limits(dollars, None, self.allowed.prices, seconds), others)


def held_in(out: Path) -> Chosen | None:
    """The evaluation in the folder ``out``, if there is one.

    Raises:
        StudyError: its card is damaged.
    """
    card = out / CARD
    if not os.path.lexists(card):
        return None
    try:
        return msgspec.json.decode(read_file(card), type=Chosen)
    except (ValueError, RecursionError) as error:
        raise StudyError(f"{card}: is damaged ({error}); delete it") from error


def _asked(planned: StudyPlan) -> set[tuple[str, str]]:
    """The cells with a language model."""
    return {(spec.title, ego(spec).title) for spec in planned.episodes if models_of(spec)}


def _sum(found: Mapping[tuple[str, str], CellUsage]) -> CellUsage:
    cells = found.values()
    return CellUsage(
        sum(one.read for one in cells),
        sum(one.written for one in cells),
        sum(one.played for one in cells),
        sum(one.calls for one in cells),
    )


def _scaled(count: int, measured: int, rehearsed: int) -> int:
    return round(count * measured / rehearsed) if rehearsed else count


def _within(amount: float | None, limit: float | None) -> bool:
    return limit is None or (amount is not None and amount <= limit)
