"""The runs that the app shows: those in the folders of the command line, each with its index, which a thread keeps up to date."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic

from msgspec import Struct

from otherminds.core.disk import resolve_path
from otherminds.core.errors import StudyError
from otherminds.core.locks import is_locked
from otherminds.core.record import Record, Timing
from otherminds.core.text import escape_bytes
from otherminds.reports.findings import Findings, findings_of
from otherminds.studies.access import kept_prices
from otherminds.studies.plan import StudyPlan
from otherminds.studies.run_dir import CARD, holds_run, plan_in, played
from otherminds.studies.sharding import homes
from otherminds.studies.status import read_status
from otherminds.web.episode_index import EpisodeIndex
from otherminds.web.listing import Listing
from otherminds.web.long_work import Task, Work, Workshop

TICK = 1.0
"""Seconds between two looks at the folders."""
MOST_RUNS = 1_000
"""Runs that are shown of all folders."""
MEASURED_AT_ONCE = 20_000
"""Runs of at most this many episodes are measured unasked, which takes seconds; larger ones on request."""
SPARE = 4.0
"""A run that goes on is measured again after this many times the seconds that it took."""
ABOUT_AN_EPISODE = 0.0006
"""Seconds that a report takes for each episode (benchmarks/results/cluster.md)."""


class RunProgress(Struct, frozen=True):
    """How far a run is: episodes that are ``planned`` and recorded by outcome, and what it has spent (``None`` without prices).

    ``complete``: all that is recorded has been indexed. ``fault`` says why the run cannot be read.
    """

    planned: int = 0
    outcomes: dict[str, int] = {}
    running: bool = False
    complete: bool = False
    tokens: int = 0
    dollars: float | None = None
    fault: str = ""

    @property
    def recorded(self) -> int:
        """Recorded episodes of the plan that have been indexed."""
        return sum(self.outcomes.values())

    @property
    def state(self) -> str:
        """The state in a word or two."""
        if self.fault:
            return "cannot be read"
        if self.running:
            return "running"
        if not self.complete:
            return "being read"
        return "finished" if self.recorded >= self.planned else "stopped"

    @property
    def spent(self) -> str:
        """What it has cost, in words; a dash where no model was called."""
        words = [f"{self.tokens:,} tokens"] if self.tokens else []
        words += [] if self.dollars is None else [f"{self.dollars:.2f} US dollars"]
        return ", ".join(words) or "–"


class ViewedRun:
    """The run of number ``number`` (from 1) in ``folder``, called ``name``."""

    def __init__(self, number: int, name: str, folder: Path, cache: Path, workshop: Workshop) -> None:
        self.number, self.name, self.folder = number, name, folder
        self.index = EpisodeIndex(folder, cache)
        self.listing = Listing(self.index)
        self._workshop = workshop
        self._batches: Iterator[int] | None = None
        self._complete = False
        self._fault = ""
        self._card: tuple[tuple[int, int], StudyPlan] | None = None

    def follow(self) -> bool:
        """Indexes a batch of what was recorded since; false if there was nothing."""
        try:
            self._batches = self._batches or self.index.follow()
            for _ in self._batches:
                self._fault = ""
                return True
        except StudyError as error:
            self._fault = str(error)
        else:
            self._fault, self._complete = "", True
        self._batches = None
        return False

    def read_plan(self) -> StudyPlan:
        """The plan, read again when its file has changed.

        Raises:
            StudyError: it cannot be read.
        """
        try:
            status = (self.folder / CARD).stat()
        except OSError as error:
            raise StudyError(f"{self.folder}: holds no run any more ({error.strerror})") from None
        state = status.st_mtime_ns, status.st_size
        if self._card is None or self._card[0] != state:
            self._card = state, plan_in(self.folder)
        return self._card[1]

    def read_progress(self) -> RunProgress:
        """How far the run is."""
        try:
            planned = len(self.read_plan().episodes)
            if self._fault:
                return RunProgress(planned, fault=self._fault)
            own = homes(self.folder)
            statuses = [status for home in own if (status := read_status(home)) is not None]
            dollars = [status.dollars for status in statuses if status.dollars is not None]
            return RunProgress(
                planned,
                self.listing.count_names()["outcome"],
                any(map(is_locked, own)),
                self._complete,
                sum(status.tokens for status in statuses),
                sum(dollars) if dollars else None,
            )
        except StudyError as error:
            return RunProgress(fault=str(error))

    def find_measures(self) -> Work:
        """The findings of the run (:class:`~otherminds.reports.findings.Findings`), as far as they are known."""
        return self._workshop.find(("findings", self.number))

    def measure(self) -> Work:
        """Asks for the findings of the run as it is now."""
        return self.work("findings", self.index.read_state(), lambda tell: measure_run(self.folder, tell))

    def work(self, kind: Hashable, state: Hashable, task: Task) -> Work:
        """Asks for other work about the run; see :meth:`.Workshop.ask`."""
        return self._workshop.ask((kind, self.number), state, task)

    def measure_if_due(self) -> None:
        """Measures a small run when it has changed, and not all the time."""
        work = self.find_measures()
        if not self._complete or (work.ended and monotonic() - work.ended < SPARE * work.seconds):
            return
        try:
            if 0 < sum(self.listing.count_names()["outcome"].values()) <= MEASURED_AT_ONCE:
                self.measure()
        except StudyError as error:
            self._fault = str(error)


def measure_run(folder: Path, tell: Callable[[int], None]) -> Findings:
    """The findings of the report on a run; ``tell`` is called with the number of episodes that were read.

    Raises:
        StudyError: the run cannot be read.
    """
    plan, episodes = played(folder)

    def timed() -> Iterator[tuple[Record, Timing]]:
        for n, episode in enumerate(episodes):
            tell(n)
            yield episode.record, episode.timing

    return findings_of(plan.cells(), timed(), kept_prices(folder), curves=True)


class Gallery:
    """The runs in ``folders``, which are folders of runs or have folders of runs in them. Numbers stay while the app runs.

    Raises:
        StudyError: a folder has no run, or no index can be made in the folder ``cache``.
    """

    def __init__(self, folders: Sequence[Path], cache: Path) -> None:
        self.workshop = Workshop()
        self._folders, self._cache = folders, cache
        self._runs: dict[Path, ViewedRun] = {}
        self._closed = threading.Event()
        for folder in folders:
            if not list_runs(folder):
                raise StudyError(f"{folder}: holds no run and no folder of a run; give the --out of a run")
        self.look()

    @property
    def closed(self) -> bool:
        """Whether the app ends."""
        return self._closed.is_set()

    @property
    def runs(self) -> list[ViewedRun]:
        """The runs by number."""
        return list(self._runs.values())

    def look(self) -> None:
        """Takes in runs that have begun since."""
        for folder in self._folders:
            for path in list_runs(folder):
                if path not in self._runs and len(self._runs) < MOST_RUNS:
                    name = escape_bytes(resolve_path(path).name)
                    number = len(self._runs) + 1
                    self._runs[path] = ViewedRun(number, name, path, self._cache, self.workshop)

    def find(self, number: int) -> ViewedRun | None:
        """The run of a number."""
        runs = self.runs
        return runs[number - 1] if 0 < number <= len(runs) else None

    def follow(self) -> bool:
        """Looks at every folder once; whether there is more to read."""
        with suppress(StudyError):  # a folder that is gone has no new runs, and its runs say what is wrong
            self.look()
        has_more = False
        for run in self.runs:
            if run.follow():
                has_more = True
            else:
                run.measure_if_due()
        return has_more

    def start(self) -> None:
        """Follows the runs in a thread of its own."""
        threading.Thread(target=self._follow, daemon=True).start()

    def close(self) -> None:
        """Ends what goes on."""
        self._closed.set()
        self.workshop.close()

    def _follow(self) -> None:
        while not self._closed.is_set():
            if not self.follow():
                self._closed.wait(TICK)


def list_runs(folder: Path) -> list[Path]:
    """The folder itself if it is one of a run, else the folders in it that are; links are left out.

    Raises:
        StudyError: the folder cannot be read.
    """
    if holds_run(folder):
        return [folder]
    try:
        inside = sorted(path for path in folder.iterdir() if not path.is_symlink())
    except OSError as error:
        raise StudyError(f"{folder}: cannot be read ({error.strerror})") from None
    return [path for path in inside if holds_run(path)]


def find_cache() -> Path:
    """The folder of indexes: in ``OTHERMINDS_CACHE``, else in the user's cache."""
    from platformdirs import user_cache_dir

    return Path(os.environ.get("OTHERMINDS_CACHE") or user_cache_dir("otherminds")) / "viewed"
