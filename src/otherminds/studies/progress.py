"""Progress of a run: a bar in a terminal and in a notebook, plain lines elsewhere."""

from __future__ import annotations

from importlib.util import find_spec
from time import monotonic

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.studies.plan import ego
from otherminds.studies.terminal import Terminal

EVERY = 5.0
"""Seconds between plain lines."""


class ShownProgress:
    """Shows the progress of a run on standard error.

    Once ``stopped`` is set, from any thread, the run is interrupted after the next episode, as
    by Ctrl-C. In a notebook the bar needs ipywidgets; without it, lines are printed.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._console = Terminal(stderr=True)
        self._bar: Progress | None = None
        self._done = self._planned = self._unscored = 0
        self._last = 0.0
        self._reasons: set[str] = set()

    def start(self, planned: int, done: int) -> None:
        self._planned, self._done = planned, done
        if done:
            self.say(f"{done} of {planned} episodes are recorded already; the run resumes")
        if self._has_bar() and done < planned:
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=self._console,
            )
            self._bar.start()
            self._task = self._bar.add_task("episodes", total=planned, completed=done)

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        if self.stopped:
            raise KeyboardInterrupt
        self._done += 1
        self._unscored += outcome.status != "scored"
        where = f"{spec.title}  {ego(spec).title}"
        if outcome.status == "failed" and outcome.reason not in self._reasons:
            self._reasons.add(outcome.reason)
            self.say(f"{where}, seed {spec.seed}: failed: {outcome.reason}")
        if self._bar is not None:
            self._bar.update(self._task, advance=1, description=f"{where:<44.44}")
        elif monotonic() - self._last >= EVERY or self._done == self._planned:
            self._last = monotonic()
            trouble = f", {self._unscored} not scored" if self._unscored else ""
            self.say(f"{self._done}/{self._planned} episodes{trouble}  ({where})")

    def say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def close(self) -> None:
        """Removes the bar."""
        if self._bar is not None:
            self._bar.stop()

    def _has_bar(self) -> bool:
        notebook = self._console.is_jupyter and find_spec("ipywidgets") is not None
        return notebook or self._console.is_terminal
