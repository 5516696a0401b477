"""What a run shows: a bar in a terminal and in a notebook, plain lines elsewhere.

A terminal gets the control characters of tables and bars and none of any text."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from importlib.util import find_spec
from time import monotonic
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.segment import Segment

from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.core.text import plain
from otherminds.minds.registry import models_of
from otherminds.studies.plan import ego


class Terminal(Console):
    """Rich's console for texts of any origin: without markup, highlighting and emoji codes.

    Every text that is printed through it, in a line, a table or a bar, is made :func:`~otherminds.core.text.plain`;
    colours and movements of the cursor are those of its own styles. It writes to ``file``, else to standard
    output, or to ``stderr``. ``width`` in columns is that of the terminal by default; ``colour`` switches colours
    on or off, by default they are on in a terminal.
    """

    def __init__(
        self,
        file: IO[str] | None = None,
        *,
        stderr: bool = False,
        width: int | None = None,
        colour: bool | None = None,
        soft_wrap: bool = False,
    ) -> None:
        super().__init__(
            file=file,
            stderr=stderr,
            width=width,
            soft_wrap=soft_wrap,
            force_terminal=colour,
            color_system={True: "standard", False: None, None: "auto"}[colour],
            highlight=False,
            emoji=False,
            markup=False,
            legacy_windows=None if file is None else False,
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(plain(segment.text), segment.style)


EVERY = 15.0
"""Seconds between plain lines."""
TICK = 0.5
"""Seconds between two looks at the clock."""


class TimeLeft:
    """The time that a run still takes, from the time that its episodes took so far.

    Episodes with a language model come after the others and are timed apart. Times are in seconds, from any origin.
    """

    def __init__(self, now: float, plain: int, with_model: int) -> None:
        self._left = {False: plain, True: with_model}
        self._done = {False: 0, True: 0}
        self._began = {False: now, True: now}

    def finished(self, with_model: bool, now: float) -> None:
        """An episode has ended at ``now``; ``with_model``: it has a language model."""
        self._left[with_model] -= 1
        self._done[with_model] += 1
        if not with_model and not self._left[False]:
            self._began[True] = now

    def words(self, now: float) -> str:
        """The time left at ``now`` in words.

        >>> left = TimeLeft(0, plain=0, with_model=10)
        >>> left.finished(True, 20)
        >>> left.words(20)
        'about 3 min left'
        """
        seconds = 0.0
        for with_model in (False, True):
            if self._left[with_model] and self._done[with_model]:
                seconds += self._left[with_model] * (now - self._began[with_model]) / self._done[with_model]
        unknown = [
            with_model
            for with_model in (False, True)
            if self._left[with_model] and not self._done[with_model]
        ]
        if False in unknown:
            return "time left not known yet"
        then = f", then {self._left[True]} with a language model" if unknown else ""
        return (
            f"about {in_time(seconds)} left{then}" if seconds or not unknown else then.removeprefix(", then ")
        )


def in_time(seconds: float) -> str:
    """A rough time in words.

    >>> in_time(7), in_time(44), in_time(200), in_time(9000)
    ('10 s', '45 s', '3 min', '2.5 h')
    """
    if seconds < 57.5:
        return f"{max(5, 5 * round(seconds / 5 + 0.3))} s"
    return f"{round(seconds / 60) or 1} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class ShownProgress:
    """Shows the progress of a run on standard error, with the time left.

    Once ``stopped`` is set, from any thread, the run is interrupted after the next episode, as
    by Ctrl-C. In a notebook the bar needs ipywidgets; without it, lines are printed, one every
    :data:`EVERY` seconds even if no episode ends.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._console = Terminal(stderr=True)
        self._bar: Progress | None = None
        self._done = self._planned = self._unscored = self._seen = 0
        self._last = 0.0
        self._where = ""
        self._left = TimeLeft(0.0, 0, 0)
        self._reasons: set[str] = set()
        self._over = threading.Event()

    def start(self, planned: int, done: int, asked: int) -> None:
        self.close()
        self._planned, self._done = planned, done
        if done > self._seen:
            self.say(f"{done} of {planned} episodes are recorded already; the run resumes")
        if done >= planned:
            return
        self._left = TimeLeft(monotonic(), planned - done - asked, asked)
        if self._has_bar():
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[left]}", markup=False),
                console=self._console,
            )
            self._bar.start()
            self._task = self._bar.add_task("episodes", total=planned, completed=done, left="")
        self._over = threading.Event()
        threading.Thread(target=self._follow, args=(self._over,), daemon=True).start()

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        if self.stopped:
            raise KeyboardInterrupt
        self._done += 1
        self._seen += 1
        self._unscored += outcome.status != "scored"
        self._left.finished(bool(models_of(spec)), monotonic())
        self._where = f"{spec.title}  {ego(spec).title}"
        if outcome.status == "failed" and outcome.reason not in self._reasons:
            self._reasons.add(outcome.reason)
            self.say(f"{self._where}, seed {spec.seed}: failed: {outcome.reason}")
        if self._bar is not None:
            self._bar.update(self._task, advance=1, description=f"{self._where:<44.44}")
        elif self._done == self._planned or not self._last:
            self._line()

    def say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def close(self) -> None:
        """Removes the bar and ends the lines."""
        self._over.set()
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _follow(self, over: threading.Event) -> None:
        """Shows the time left until the run is ``over``."""
        while not over.wait(TICK) and self._done < self._planned:
            if self._bar is not None:
                self._bar.update(self._task, left=self._left.words(monotonic()))
            elif monotonic() - self._last >= EVERY:
                self._line()

    def _line(self) -> None:
        self._last = monotonic()
        remaining = f", {self._left.words(self._last)}" if self._done < self._planned else ""
        trouble = f", {self._unscored} not scored" if self._unscored else ""
        where = f"  ({self._where})" if self._where else ""
        self.say(f"{self._done}/{self._planned} episodes{trouble}{remaining}{where}")

    def _has_bar(self) -> bool:
        notebook = self._console.is_jupyter and find_spec("ipywidgets") is not None
        return notebook or self._console.is_terminal
