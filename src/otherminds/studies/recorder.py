"""Finished episodes are written down, and whoever watches is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from otherminds.core.errors import InternalError
from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.studies.ledger import Ledger
from otherminds.studies.plan import ego
from otherminds.studies.store import Store, read_line


class Progress(Protocol):
    """Told how a run goes."""

    def start(self, planned: int, done: int) -> None:
        """A run begins: so many episodes are planned, so many recorded already."""

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        """An episode was recorded."""

    def say(self, text: str) -> None:
        """Something a person should know."""


class Recorder:
    """Writes finished episodes of ``todo`` down: records first, then the ledger, then the screen."""

    def __init__(self, store: Store, ledger: Ledger, progress: Progress, todo: Sequence[EpisodeSpec]) -> None:
        self._store = store
        self._ledger = ledger
        self._progress = progress
        self._todo = {spec.hash: spec for spec in todo}

    def lease(self, specs: Sequence[EpisodeSpec]) -> None:
        """Marks episodes as being played."""
        if specs:
            self._ledger.mark((spec.hash, "leased") for spec in specs)

    def keep(self, lines: Sequence[bytes]) -> None:
        """Records finished episodes by their stored lines.

        Raises:
            InternalError: a line is damaged, or of an episode that was not to be played.
        """
        ended: list[tuple[EpisodeSpec, Outcome]] = []
        for raw in lines:
            line = read_line(raw)
            if line is None or line.episode not in self._todo:
                raise InternalError("an executor sent back a line that is damaged or was not asked for")
            ended.append((self._todo[line.episode], line.outcome()))
        self._store.append(lines)
        self._ledger.mark((spec.hash, outcome.status) for spec, outcome in ended)
        for spec, outcome in ended:
            if outcome.blame == InternalError.blame:
                who = f"{spec.title}, {ego(spec).title}, seed {spec.seed}"
                self._progress.say(f"{who}: failed: {outcome.reason}")
            self._progress.advance(spec, outcome)
