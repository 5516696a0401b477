"""A record replayed: the same world under the same seed, with the recorded actions.

The seed and the actions determine an episode, so replay is exact and needs no mind and
no model. The rewards are compared with the recorded ones at every step.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Answer, Brief, Invalid, Moment, Question
from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.core.scenario import Scenario
from otherminds.core.setup import Setup
from otherminds.core.worlds import scenario as named
from otherminds.play.episode import EpisodeState


def scenario_of(record: Record) -> Scenario:
    """The scenario that a record names.

    Raises:
        StudyError: there is no such one; the text names the episode.
    """
    with naming_episode(record):
        return named(record.spec.scenario, record.spec.options)


@contextmanager
def naming_episode(record: Record) -> Generator[None]:
    """Names the episode of ``record`` in an error that says why it cannot be played again."""
    try:
        yield
    except StudyError as error:
        raise StudyError(f"episode {record.spec.hash[:12]} cannot be played again: {error}") from None


class _Played(Mind):
    """Fills a seat whose actions are in the record: it is asked for none."""

    answers = False

    def begin(self, brief: Brief, context: MindContext) -> None:
        """Keeps nothing."""

    async def perceive(self, moment: Moment) -> None:
        """Keeps nothing."""

    async def act(self) -> Invalid:
        return Invalid("the actions are in the record")

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("the answers are in the record")


class Again:
    """The world of a record, reset as it was then. ``fault`` says where a replay departs from the record.

    Raises:
        StudyError: there is no such scenario as the record names, where none is given, or it has other seats or
            grants; the text names the episode.
    """

    def __init__(self, record: Record, scenario: Scenario | None = None) -> None:
        self._record = record
        scenario = scenario or scenario_of(record)
        seats = dict.fromkeys(record.seats, _Played())
        with naming_episode(record):
            state = EpisodeState(Setup(scenario, seats, record.spec.seed, grants=record.spec.grants))
        self.world = state.world
        self.fault = ""

    def steps(self) -> Iterator[int]:
        """Moves the world by the recorded actions, and gives the number of each step, from 1, once it is taken."""
        record, world = self._record, self.world
        for step, (actions, rewards) in enumerate(zip(record.actions, record.rewards, strict=True), 1):
            if not world.agents:
                self.found(f"the replay ends after {step - 1} of {len(record.actions)} recorded steps")
                break
            _, paid, *_ = world.step(dict(zip(record.seats, actions, strict=True)))
            replayed = tuple(paid[seat] for seat in record.seats)
            if replayed != tuple(rewards):
                self.found(
                    f"from step {step} on the replay is not what was recorded: rewards {replayed}, recorded {tuple(rewards)}"
                )
            yield step
        if record.outcome.status == "scored" and world.agents:
            self.found(f"the replay goes on after the {len(record.actions)} recorded steps")

    def found(self, fault: str) -> None:
        """Keeps the first fault."""
        self.fault = self.fault or fault
