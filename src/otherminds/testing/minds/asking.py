"""Asking never changes acting."""

from __future__ import annotations

from functools import partial

from otherminds.core.contracts import Mind
from otherminds.core.data import Invalid
from otherminds.core.record import Record
from otherminds.core.scenario import Scenario
from otherminds.testing.compare import difference, promise
from otherminds.testing.episodes import deeds, drawn
from otherminds.testing.minds.case import MindCase
from otherminds.testing.wrappers import Examined, Inquisitive


def _inquisitive(mind: Mind, scenario: Scenario, seed: int) -> Mind:
    return Inquisitive(mind, scenario.probes_for(drawn(scenario, seed)))


class AskingPromises(MindCase):
    """Checks that ask more, less or not at all."""

    def test_asking_never_changes_acting(self) -> None:
        """With questions, without, and with each asked more often: equal actions and rewards."""
        for seed in self.seeds:
            asked = self.episode(seed)
            unasked = self.episode(seed, ask=False)
            promise(
                deeds(asked) == deeds(unasked),
                f"under seed {seed} a mind acts alike with and without questions",
                f"what it did differs {difference(deeds(asked), deeds(unasked))}",
            )
            pressed = self.episode(seed, partial(_inquisitive, seed=seed))
            promise(
                deeds(asked) == deeds(pressed),
                f"under seed {seed} a mind acts alike when each question is asked more often",
                f"what it did differs {difference(deeds(asked), deeds(pressed))}",
            )
            promise(
                _answers(asked) == _answers(pressed),
                f"under seed {seed} a mind answers alike when each question is asked more often",
                f"what it said differs {difference(_answers(asked), _answers(pressed))}",
            )

    def test_answers_write_nothing(self) -> None:
        """``answer`` leaves the mind's state, its random stream and its notes as they were."""
        for seed in self.seeds:
            record = self.episode(seed, lambda mind, scenario: Examined(mind))
            promise(
                bool(record.asked) or not self.make_mind().answers,
                "the scenario of a mind's tests asks questions",
                f"under seed {seed} it asked none, so the check shows nothing",
            )

    def test_answers_are_options(self) -> None:
        """An answer is one of the question's options, or ``Invalid``."""
        for seed in self.seeds:
            record = self.episode(seed)
            for asked in record.asked:
                question = record.questions[asked.question]
                promise(
                    isinstance(asked.invalid, Invalid)
                    or not question.options
                    or asked.answer in question.options,
                    f"the answer to {question.id!r} is one of {question.options}, or Invalid",
                    f"at step {asked.step} it was {asked.answer!r}",
                )


def _answers(record: Record) -> list[object]:
    return [(asked.step, asked.question, asked.answer, asked.invalid) for asked in record.asked]
