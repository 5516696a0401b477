"""The questions of a scenario."""

from __future__ import annotations

from math import isclose

from otherminds.core.data import Question
from otherminds.testing.compare import promise
from otherminds.testing.episodes import drawn
from otherminds.testing.scenarios.case import ScenarioCase


class ProbePromises(ScenarioCase):
    """Checks on probes, as they are declared and as they are put."""

    def test_questions_are_sound(self) -> None:
        """Ids differ; seats exist; options differ and are at least two, unless the question is open."""
        for seed in self.seeds:
            self._check(self._questions(seed))

    def _check(self, questions: list[Question]) -> None:
        seats = self.make_scenario().world().possible_agents
        ids = [question.id for question in questions]
        promise(len(set(ids)) == len(ids), "questions have different ids", f"they are {ids}")
        for question in questions:
            for seat in (question.seat, question.about or question.seat):
                promise(seat in seats, f"{question.id!r} names seats of {seats}", f"it names {seat!r}")
            options = question.options
            promise(
                len(options) != 1 and all(option not in options[:i] for i, option in enumerate(options)),
                f"{question.id!r} has two or more different options, or none",
                f"they are {options}",
            )
            promise(
                not question.truth_is or question.truth_is in set(ids) - {question.id},
                f"the truth of {question.id!r} is the answer to another question of {ids}",
                f"truth_is names {question.truth_is!r}",
            )

    def test_chances_are_right(self) -> None:
        """Blind guessing is right one time in as many as there are options, unless declared otherwise."""
        for question in (question for seed in self.seeds for question in self._questions(seed)):
            promise(
                bool(question.options) or question.id in self.chances,
                f"the chance of the open question {question.id!r} is declared in `chances`",
                "it is not",
            )
            due = self.chances.get(question.id) if question.id in self.chances else 1 / len(question.options)
            promise(
                isclose(question.chance, due or 0.0, abs_tol=1e-12),
                f"the chance of {question.id!r} is {due}",
                f"it is {question.chance}",
            )

    def test_truths_are_options(self) -> None:
        """Every truth of an episode is one of the question's options, or None."""
        for seed in self.seeds:
            record = self.episode(seed)
            for asked in record.asked:
                question = record.questions[asked.question]
                promise(
                    asked.truth is None or not question.options or asked.truth in question.options,
                    f"the truth of {question.id!r} is one of {question.options}, or None",
                    f"under seed {seed} at step {asked.step} it is {asked.truth!r}",
                )

    def test_probes_are_put(self) -> None:
        """Each probe is put at least once, and some truth comes to be, under some seed."""
        records = [self.episode(seed) for seed in self.seeds]
        put = {record.questions[asked.question].id for record in records for asked in record.asked}
        for question in (question for seed in self.seeds for question in self._questions(seed)):
            promise(
                question.id in put,
                f"{question.id!r} is put",
                f"it never was under the seeds {self.seeds}",
            )
        asked = [asked for record in records for asked in record.asked]
        promise(
            not asked or any(entry.truth is not None for entry in asked),
            "some truth comes to be",
            f"none did under the seeds {self.seeds}",
        )

    def _questions(self, seed: int) -> list[Question]:
        """The questions of the episode under ``seed``."""
        scenario = self.make_scenario()
        return [probe.question for probe in scenario.probes_for(drawn(scenario, seed))]
