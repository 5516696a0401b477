"""The progress of a study with people: whoever has played all of its episodes is told so at once, while others still play."""

from __future__ import annotations

from collections import Counter

from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.studies.progress import ShownProgress
from otherminds.web.people import Desk
from otherminds.web.people_records import list_people


class SeatProgress:
    """Shows the progress of a run, and dismisses people. ``left`` counts the episodes that each has to play, ``done`` those recorded."""

    def __init__(self, desk: Desk, left: Counter[str], done: Counter[str], *, say_farewell: bool) -> None:
        self._screen = ShownProgress()
        self._desk, self._left, self._says_farewell = desk, left, say_farewell
        for label, chair in desk.chairs.items():
            chair.stay.recorded = done[label]
            self._dismiss_if_done(label)  # it may have been done when an earlier server was stopped

    def start(self, planned: int, done: int, asked: int) -> None:
        """See :class:`~otherminds.studies.executor.Progress`."""
        self._screen.start(planned, done, asked)

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        """An episode was recorded."""
        for label in list_people([spec]):
            self._left[label] -= 1
            self._desk.chairs[label].stay.recorded += 1
            self._dismiss_if_done(label)
        self._screen.advance(spec, outcome)

    def _dismiss_if_done(self, label: str) -> None:
        if self._says_farewell and not self._left[label]:
            chair = self._desk.chairs[label]
            chair.dismiss(chair.stay.farewell())

    def say(self, text: str) -> None:
        """Shows a message."""
        self._screen.say(text)

    def close(self) -> None:
        """Ends the display."""
        self._screen.close()
