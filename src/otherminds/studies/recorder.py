"""Finished episodes are written down, and whoever watches is told."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol, TypeAlias

from otherminds.core.errors import InternalError, OtherMindsError
from otherminds.core.record import Clock, EpisodeSpec, Outcome, Record
from otherminds.studies.ledger import Ledger
from otherminds.studies.plan import ego
from otherminds.studies.store import Store, line_of

Played: TypeAlias = tuple[Outcome, bytes]
"""How an episode ended, and its stored line."""


class Progress(Protocol):
    """Told how a run goes."""

    def start(self, planned: int, done: int) -> None:
        """A run begins: so many episodes are planned, so many recorded already."""

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        """An episode was recorded."""

    def say(self, text: str) -> None:
        """Something a person should know."""


class Recorder:
    """Writes finished episodes down: records first, then the ledger, then the screen."""

    def __init__(self, store: Store, ledger: Ledger, progress: Progress) -> None:
        self._store = store
        self._ledger = ledger
        self._progress = progress

    def lease(self, specs: Sequence[EpisodeSpec]) -> None:
        self._ledger.mark((spec.hash, "leased") for spec in specs)

    def unlease(self, spec: EpisodeSpec) -> None:
        """An episode was broken off, to be gone on with later."""
        self._ledger.mark([(spec.hash, "planned")])

    def say(self, text: str) -> None:
        self._progress.say(text)

    def keep(self, specs: Sequence[EpisodeSpec], played: Sequence[Played]) -> None:
        self._store.append([line for _, line in played])
        ended = [(spec, outcome) for spec, (outcome, _) in zip(specs, played, strict=True)]
        self._ledger.mark((spec.hash, outcome.status) for spec, outcome in ended)
        for spec, outcome in ended:
            self._progress.advance(spec, outcome)

    def lost(self, spec: EpisodeSpec, error: BaseException) -> None:
        """An episode ended in an error of ours or of plugged-in code: it is counted, not dropped."""
        if isinstance(error, BrokenProcessPool):
            raise InternalError("a worker process was killed from outside; run the command again") from error
        if isinstance(error, OtherMindsError):
            raise error
        reason = f"{type(error).__name__}: {error}"
        outcome = Outcome("failed", InternalError.blame, reason)
        record = Record(spec, tuple(spec.seats), {}, None, {}, None, [], [], {}, outcome=outcome)
        self._progress.say(f"{spec.title}, {ego(spec).title}, seed {spec.seed}: failed: {reason}")
        self.keep([spec], [(outcome, line_of(record, Clock()))])
