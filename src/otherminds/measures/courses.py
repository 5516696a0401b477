"""The course of the hypotheses about one partner: when one was validated, and what came before and after.

Notes and encounters are matched by their steps. An encounter was gone into with what was
noted last before it, in its own step at the latest, since minds think before they act.
"""

from __future__ import annotations

from bisect import bisect_right

from msgspec import Struct

from otherminds.core.data import Seat
from otherminds.core.record import Record
from otherminds.measures.seats import ego
from otherminds.measures.thoughts import Noted, thoughts


class Course(Struct, frozen=True):
    """The encounters with ``partner`` in their order, as many as ``rewards``.

    ``validated`` says of each whether a hypothesis about the partner counted as validated
    when it was gone into. ``first`` is how many encounters came before the first validation
    (``None``: there was none); it is the number of all where the last one brought it.
    """

    partner: Seat
    rewards: tuple[float, ...]
    validated: tuple[bool, ...]
    first: int | None

    @property
    def before(self) -> tuple[float, ...]:
        """The rewards of the encounters before the first validation; all where there was none."""
        return self.rewards[: self.first]

    @property
    def after(self) -> tuple[float, ...]:
        """The rewards of the encounters from the first validation on, whether it held or not."""
        return () if self.first is None else self.rewards[self.first :]


def courses(record: Record) -> tuple[Course, ...]:
    """A course for each partner about whom the mind under test noted hypotheses, if any of them can be validated.

    Where no note has a threshold or a validated hypothesis, there is no such thing to that mind.
    """
    mine = ego(record)
    streams: dict[Seat, list[Noted]] = {}
    for noted in thoughts(record, mine):
        streams.setdefault(noted.thinking.partner, []).append(noted)
    if not any(_validates(noted) for stream in streams.values() for noted in stream):
        return ()
    return tuple(_course(record, mine, partner, stream) for partner, stream in streams.items())


def _validates(noted: Noted) -> bool:
    return noted.thinking.threshold is not None or noted.thinking.validated is not None


def _course(record: Record, mine: Seat, partner: Seat, stream: list[Noted]) -> Course:
    met = [encounter for encounter in record.met.get(mine, ()) if partner in encounter.did]
    steps = [noted.step for noted in stream]
    known = [bisect_right(steps, encounter.step) for encounter in met]
    held = [n > 0 and stream[n - 1].thinking.validated is not None for n in known]
    since = next((noted.step for noted in stream if noted.thinking.validated is not None), None)
    first = None if since is None else sum(encounter.step < since for encounter in met)
    return Course(partner, tuple(encounter.reward for encounter in met), tuple(held), first)
