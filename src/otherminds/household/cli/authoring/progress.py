"""The progress of an evolution, in lines on standard error."""

from __future__ import annotations

from time import monotonic

from otherminds.household.authoring.evolution import Generation
from otherminds.studies.progress import EVERY, ShownProgress, in_time
from otherminds.studies.terminal import Terminal


class EvolutionProgress:
    """Says every few seconds how many tasks of a generation are kept; ``targets`` shows the studies of targets."""

    def __init__(self) -> None:
        self.targets = ShownProgress()
        self._console = Terminal(stderr=True)
        self._last = 0.0

    def __call__(self, generation: Generation) -> None:
        if generation.kept == generation.wanted or monotonic() - self._last >= EVERY:
            self._last = monotonic()
            self.say(in_words(generation))

    def say(self, text: str) -> None:
        """Prints a line."""
        self._console.print(text, soft_wrap=True)

    def close(self) -> None:
        """Ends the bars of studies."""
        self.targets.close()


def in_words(generation: Generation) -> str:
    """The progress of a generation in one line.

    >>> in_words(Generation(2, 30, 10, {"kept": 10, "verified": 2}, 0.0, 60.0))
    'generation 2: 10/30 tasks; 12 attempts: kept 10, verified 2; about 2 min left'
    """
    ended = ", ".join(f"{stage} {count}" for stage, count in generation.stages.items())
    parts = [f"generation {generation.number}: {generation.kept}/{generation.wanted} tasks"]
    if generation.stages:
        parts.append(f"{sum(generation.stages.values())} attempts: {ended}")
    if generation.dollars:
        parts.append(f"{generation.dollars:.2f} US dollars")
    if generation.kept and (missing := generation.wanted - generation.kept):
        parts.append(f"about {in_time(generation.seconds / generation.kept * missing)} left")
    return "; ".join(parts)
