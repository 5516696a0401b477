"""One model played through a suite, in the largest size that fits into the time and money allowed.

Suites are versioned studies in several sizes, with which models are compared."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, pairwise
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Annotated

import msgspec
from msgspec import Struct, field
from pydantic import Field, model_validator

from otherminds.core.disk import read_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.core.model import Price, Usage, cost
from otherminds.core.record import EpisodeSpec
from otherminds.core.text import hint, quote_name, shell_command
from otherminds.core.user_files import read_toml
from otherminds.minds.registry import models_of
from otherminds.models.hosts import SERVICES, Hosts, allowed_hosts
from otherminds.models.registry import check_model, identity, open_servers, shown
from otherminds.models.wrappers import BudgetSpentError
from otherminds.studies.access import Limits, less
from otherminds.studies.dry_run import CellUsage, DryRunReport, check, estimate
from otherminds.studies.executor import Progress
from otherminds.studies.file import CellEntry, MindEntry, Strict, StudyFile, validate_data
from otherminds.studies.plan import PlannedEpisodes, StudyPlan, ego, plan
from otherminds.studies.run import run
from otherminds.studies.run_dir import holds_run, results, timings
from otherminds.studies.run_overrides import PLACE, RunOverrides, entry_of, fill
from otherminds.studies.sharding import homes
from otherminds.studies.store import Store

LEAST = 9
"""The least number of episodes of a mind in a size of a suite."""


class Size(Strict):
    """One size of a suite: the first ``episodes`` episodes of each scenario in its first ``cells`` cells (in all by default)."""

    name: str
    episodes: Annotated[int, Field(ge=1)]
    cells: Annotated[int, Field(ge=1)] | None = None


class Suite(Strict):
    """The cells of a suite, whose language minds have the model ``MODEL``, and its sizes, the smallest first.

    Sizes are nested: a larger one has all episodes of a smaller one, so that two results can be compared at the
    smaller of their sizes. Every episode has ``rounds`` rounds, where its world counts them.
    A change of anything that changes an episode raises ``version``.
    """

    name: str
    version: Annotated[int, Field(ge=1)]
    rounds: Annotated[int, Field(ge=1)] = 100
    cells: Annotated[list[CellEntry], Field(min_length=1)]
    sizes: Annotated[list[Size], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_nesting(self) -> Suite:
        for smaller, larger in pairwise(self.sizes):
            fewer = len(self.cells[: larger.cells]) < len(self.cells[: smaller.cells])
            if fewer or larger.episodes < smaller.episodes:
                raise ValueError(
                    f"size {larger.name!r} lacks episodes of {smaller.name!r}, which comes before it"
                )
        return self

    @model_validator(mode="after")
    def _large_enough(self) -> Suite:
        for size in self.sizes:
            episodes = size.episodes * sum(len(cell.scenarios) for cell in self.cells[: size.cells])
            if episodes < LEAST:
                raise ValueError(f"size {size.name!r} has {episodes} episodes of a mind, and needs {LEAST}")
        return self

    @property
    def title(self) -> str:
        """Name and version, such as ``core-1``."""
        return f"{self.name}-{self.version}"

    def size(self, name: str) -> Size:
        """The size called ``name``.

        Raises:
            StudyError: there is none.
        """
        for size in self.sizes:
            if size.name == name:
                return size
        sizes = [size.name for size in self.sizes]
        raise StudyError(f"suite {self.title} has no size {quote_name(name)}{hint(name, sizes)}")

    def study(self, size: Size, mind: str = "") -> StudyFile:
        """The study of one size; ``mind``, with its default parameters, replaces the language mind of every cell.

        Studies of two sizes have the same name and rounds, and differ in cells and episodes only.
        """
        cells: list[CellEntry] = []
        for cell in self.cells[: size.cells]:
            entries = [entry_of(entry) for entry in cell.minds]
            minds = [_asking(entry, mind) if entry.model == PLACE else entry for entry in entries]
            cells.append(cell.model_copy(update={"minds": minds}))
        return StudyFile(name=self.title, episodes=size.episodes, rounds=self.rounds, cells=cells)

    def upto(self, size: Size) -> list[Size]:
        """``size`` and all that are smaller, the smallest first."""
        return self.sizes[: self.sizes.index(size) + 1]


def _asking(entry: MindEntry, mind: str) -> MindEntry:
    """A language mind, called by its name alone in reports."""
    if mind in ("", entry.mind):
        return entry.model_copy(update={"label": entry.mind})
    return MindEntry(mind=mind, model=PLACE, label=mind)


def suite(name: str) -> Suite:
    """The shipped suite called ``name``.

    Raises:
        StudyError: there is none.
    """
    files = suites()
    if name not in files:
        raise StudyError(f"there is no suite {quote_name(name)}{hint(name, files)}")
    return validate_data(Suite, read_toml(files[name]))


def suites() -> dict[str, Path]:
    """The file of every shipped suite, by name; its first line describes it."""
    return {file.stem: file for file in sorted(Path(__file__).with_name("suites").glob("*.toml"))}


CARD = "evaluation.json"
SPARE = 0.8
"""A size is chosen if it is expected to take at most this share of what is allowed."""
PILOT = 6
"""The largest number of episodes of a cell that are played to measure a model's speed."""
PILOT_SHARE = 0.25
"""The largest share of the time allowed that measuring the speed may take."""
RUN = "run"
"""The folder of the episodes, inside that of the evaluation."""


class Need(Struct, frozen=True):
    """What one size is expected to take of language models: ``seconds`` and ``dollars`` where they can be known.

    ``cells`` are all of the size; the other numbers are about the ``episodes`` that are not recorded yet.
    """

    size: str
    cells: int
    episodes: int
    calls: int
    usage: Usage
    seconds: float | None = None
    dollars: float | None = None


class EvaluationChoice(Struct, frozen=True):
    """What an evaluation folder holds: the suite with its version, its size, the model and the mind (the suite's if empty).

    ``seconds`` is the wall-clock time of all calls that played episodes, ``ended`` the end of the last one (UTC, ISO 8601).
    """

    suite: str
    size: str
    model: str
    mind: str = ""
    seconds: float = 0.0
    ended: str = ""


class EvaluationLimits(Struct, frozen=True):
    """What an evaluation may take: minutes of wall-clock time in this call, and US dollars by ``prices`` in all calls."""

    minutes: float | None = None
    dollars: float | None = None
    prices: dict[str, Price] = field(default_factory=dict[str, Price])


class Evaluation:
    """``model`` in ``suite``, in the folder ``out``. All sizes share the run in ``folder``, since they are nested.

    ``mind`` replaces the suite's language mind; ``reply_tokens`` is the maximal length of its replies. The
    time that is ``allowed`` starts now. ``model`` may be asked at the address in its name, and at ``hosts``.

    Raises:
        StudyError: the model or the mind is unknown, or ``out`` has another evaluation.
    """

    def __init__(
        self,
        model: str,
        suite: Suite,
        out: Path,
        allowed: EvaluationLimits,
        mind: str = "",
        reply_tokens: int | None = None,
        hosts: Hosts | None = None,
    ) -> None:
        self.model, self.suite, self.out, self.allowed, self.mind = model, suite, out, allowed, mind
        self.folder = out / RUN
        self._tokens = reply_tokens
        self._hosts = (hosts or allowed_hosts()).naming(model)
        self._start = monotonic()
        self._plans: dict[str, StudyPlan] = {}
        earlier = held_in(out)
        if earlier and (earlier.suite, earlier.model, earlier.mind) != (suite.title, identity(model), mind):
            raise StudyError(
                f"{out}: has an evaluation of {earlier.model} in {earlier.suite}"
                f"{f' with {earlier.mind}' if earlier.mind else ''}; choose another --out"
            )
        self.held = earlier
        self._make_plan(suite.sizes[0])

    def plan(self, size: Size) -> StudyPlan:
        """The plan of one size: the episodes of the smallest size first, so that a run that stops has finished that.

        The plans of all sizes are of one study.
        """
        specs = chain.from_iterable(self._make_plan(smaller).episodes for smaller in self.suite.upto(size))
        largest = self._make_plan(self.suite.sizes[-1])
        return msgspec.structs.replace(largest, episodes=PlannedEpisodes(specs))

    def arguments(self, size: Size) -> list[str]:
        """The arguments of ``otherminds`` that play ``size`` in this folder; tokens in addresses are left out."""
        options = (
            ("--suite", self.suite.name),
            ("--size", size.name),
            ("--mind", self.mind),
            ("--reply-tokens", "" if self._tokens is None else str(self._tokens)),
            ("--out", str(self.out)),
        )
        words = [word for name, value in options if value for word in (name, value)]
        return ["evaluate", shown(self.model), *words]

    def _make_plan(self, size: Size) -> StudyPlan:
        """The plan of the study of one size, made once."""
        if size.name not in self._plans:
            overrides = RunOverrides((self.model,), reply_tokens=self._tokens)
            self._plans[size.name] = plan(fill(self.suite.study(size, self.mind), overrides), Path())
        return self._plans[size.name]

    def pilot(self, progress: Progress) -> None:
        """Plays the first episodes of the smallest size, as many as the servers serve at the same time.

        They are part of every size, and are not played again. A pilot takes at most a share of :data:`PILOT_SHARE` of
        the time that is allowed.

        Raises:
            BudgetSpentError: a limit is reached before; replies of unfinished episodes are kept.
        """
        smallest = self.plan(self.suite.sizes[0])
        model_cells = _model_cells(smallest)
        first = min(PILOT, ceil(self.concurrency() / len(model_cells)))
        counted: Counter[tuple[str, str]] = Counter()
        first_specs: list[EpisodeSpec] = []
        for spec in smallest.episodes:
            key = (spec.title, ego(spec).title)
            counted[key] += 1
            if key in model_cells and counted[key] <= first:
                first_specs.append(spec)
        if self._left(first_specs):
            pilot_plan = msgspec.structs.replace(smallest, episodes=PlannedEpisodes(first_specs))
            run(
                pilot_plan,
                self.folder,
                progress,
                retry_failed=True,
                limits=self._limits(PILOT_SHARE),
                hosts=self._hosts,
            )

    def concurrency(self) -> int:
        """The number of episodes that the model serves at the same time. No server is asked for it."""
        if self.model.partition(":")[0] in SERVICES:
            return check_model(self.model, self._hosts)
        return sum(server.concurrency for server in open_servers(self.model))

    def needs(self) -> list[Need]:
        """What each size still takes, without the episodes that are recorded.

        It is rehearsed without the model, and corrected by what the recorded episodes took.
        """
        smallest = self.plan(self.suite.sizes[0])
        records = list(results(self.folder)[1]) if holds_run(self.folder) else []
        rehearsed = _sum(estimate(smallest))
        measured = _sum(estimate(smallest, records))
        pace = self._pace() if records else None
        price = self.allowed.prices.get(identity(self.model))
        needs: list[Need] = []
        for size in self.suite.sizes:
            planned = self.plan(size)
            unplayed = msgspec.structs.replace(
                planned, episodes=PlannedEpisodes(self._left(planned.episodes))
            )
            took = _sum(estimate(unplayed))
            usage = Usage(
                _scale_count(took.read, measured.read, rehearsed.read),
                _scale_count(took.written, measured.written, rehearsed.written),
            )
            calls = _scale_count(took.calls, measured.calls, rehearsed.calls)
            needs.append(
                Need(
                    size.name,
                    len(_model_cells(planned)),
                    sum(bool(models_of(spec)) for spec in unplayed.episodes),
                    calls,
                    usage,
                    None if pace is None else calls * pace,
                    None if price is None else cost(usage, price),
                )
            )
        return needs

    def check(self) -> DryRunReport:
        """What would stop this evaluation, as :func:`otherminds.studies.dry_run.check` finds it. Nothing is sent."""
        return check(self.plan(self.suite.sizes[0]), self.folder, self._limits(), None, self._hosts)

    def _pace(self) -> float | None:
        """Seconds a call, of all concurrent ones together."""
        spent = [timing for timing in timings(self.folder).values() if timing.calls]
        calls = sum(len(timing.calls) for timing in spent)
        if not calls:
            return None
        return sum(timing.seconds for timing in spent) / min(len(spent), self.concurrency()) / calls

    def _left(self, specs: Iterable[EpisodeSpec]) -> list[EpisodeSpec]:
        """Those of ``specs`` that are not recorded, or that failed."""
        if not holds_run(self.folder):
            return list(specs)
        stored = (Store(home).outcomes() for home in homes(self.folder))
        recorded = {episode for episode, status in chain.from_iterable(stored) if status != "failed"}
        return [spec for spec in specs if int(spec.hash, 16) not in recorded]

    def finished(self, size: Size) -> bool:
        """Whether all episodes of ``size`` are recorded."""
        return not self._left(self.plan(size).episodes)

    def to_report(self, size: Size) -> Size:
        """The largest size up to ``size`` that is finished; ``size`` itself if none is."""
        return next(
            (candidate for candidate in reversed(self.suite.upto(size)) if self.finished(candidate)), size
        )

    def fitting(self, needs: Sequence[Need]) -> list[Size]:
        """The sizes that are expected to take no more than what is left of the limits, the smallest first."""
        minutes, dollars = self.allowed.minutes, self.allowed.dollars
        seconds_left = None if minutes is None else minutes * 60 * SPARE - self._seconds_taken()
        most = None
        if dollars is not None:
            most = less(Limits(dollars * SPARE, None, self.allowed.prices), [self.folder]).max_cost
        return [
            size
            for size, need in zip(self.suite.sizes, needs, strict=True)
            if _within(need.seconds, seconds_left) and _within(need.dollars, most)
        ]

    def play(self, size: Size, progress: Progress) -> str:
        """Plays one size and keeps the choice. Returns why it stopped before its end; empty if it did not.

        Episodes that failed in an earlier call, such as those of a server that was down, are played again.
        """
        planned = self.plan(size)
        before = len(self._left(planned.episodes))
        self._keep(size, 0.0)
        try:
            states = run(
                planned, self.folder, progress, retry_failed=True, limits=self._limits(), hosts=self._hosts
            )
        except BudgetSpentError as spent:
            return str(spent)
        finally:
            if len(self._left(planned.episodes)) < before:
                self._keep(size, self._seconds_taken())
        failed, waiting = states.get("failed", 0), states.get("planned", 0)
        return f"{failed} episodes failed and {waiting} were not played" if failed or waiting else ""

    def _keep(self, size: Size, seconds: float) -> None:
        """Writes the choice of ``size``, and that ``seconds`` more were taken until now."""
        choice = self.held or EvaluationChoice(self.suite.title, size.name, identity(self.model), self.mind)
        ended = datetime.now(UTC).isoformat(timespec="seconds") if seconds else choice.ended
        self.held = msgspec.structs.replace(
            choice, size=size.name, seconds=choice.seconds + seconds, ended=ended
        )
        replace_file(self.out / CARD, msgspec.json.encode(self.held) + b"\n", durable=True)

    def _seconds_taken(self) -> float:
        return monotonic() - self._start

    def _limits(self, share: float = 1.0) -> Limits:
        """The money that is allowed, and what is left of a ``share`` of the time."""
        minutes = self.allowed.minutes
        seconds = None if minutes is None else max(minutes * 60 * share - self._seconds_taken(), 0.0)
        return Limits(self.allowed.dollars, None, self.allowed.prices, seconds)


def held_in(out: Path) -> EvaluationChoice | None:
    """The evaluation in the folder ``out``, if there is one.

    Raises:
        StudyError: its card is damaged, or it has a folder for each size, as earlier versions made them.
    """
    card = out / CARD
    if not os.path.lexists(card):
        return None
    try:
        choice = msgspec.json.decode(read_file(card), type=EvaluationChoice)
    except (ValueError, RecursionError) as error:
        raise StudyError(f"{card}: is damaged ({error}); delete it") from error
    if holds_run(out / choice.size) and not holds_run(out / RUN):
        raise StudyError(
            f"{out}: an earlier version wrote it, with sizes that are not nested; choose another --out "
            f"({shell_command('report', out / choice.size)} still reads it)"
        )
    return choice


def _model_cells(planned: StudyPlan) -> set[tuple[str, str]]:
    """The cells with a language model."""
    return {(spec.title, ego(spec).title) for spec in planned.episodes if models_of(spec)}


def _sum(by_cell: Mapping[tuple[str, str], CellUsage]) -> CellUsage:
    cells = by_cell.values()
    return CellUsage(
        sum(usage.read for usage in cells),
        sum(usage.written for usage in cells),
        sum(usage.played for usage in cells),
        sum(usage.calls for usage in cells),
    )


def _scale_count(count: int, measured: int, rehearsed: int) -> int:
    return round(count * measured / rehearsed) if rehearsed else count


def _within(amount: float | None, limit: float | None) -> bool:
    return limit is None or (amount is not None and amount <= limit)
