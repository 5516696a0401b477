"""The checks on briefs, spaces, moments, encounters, rewards, truths and ends, and PettingZoo's own tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from math import isfinite
from unittest import SkipTest

from otherminds.core.data import Encounter, Moment
from otherminds.core.world import World
from otherminds.testing.compare import FAULTS, form, keeping, plain, promise, round_trips
from otherminds.testing.transcripts import SteppedEpisode, member
from otherminds.testing.worlds.case import WorldCase


class FormPromises(WorldCase):
    """Checks on the values that a world returns."""

    def test_briefs_fit_their_seats(self) -> None:
        """Seats have different names; each one's brief names it and all the others."""
        run = SteppedEpisode(self.make_world(), self.seeds[0])
        unlike = len(set(run.seats)) == len(run.seats)
        promise(unlike, "seats have different names", f"possible_agents is {list(run.seats)}")
        for seat, brief in run.briefs.items():
            promise(
                [brief.seat, *sorted(brief.others)] == [seat, *sorted(set(run.seats) - {seat})],
                f"the brief of {seat!r} names it and the others",
                f"it names {brief.seat!r} and {brief.others}",
            )
            low, high = brief.reward_range
            promise(low <= high, "reward_range is (lowest, highest)", f"it is {brief.reward_range}")

    def test_spaces_are_the_same_objects(self) -> None:
        """A seat's spaces are the same objects at each call, and its brief has that action space."""
        run = SteppedEpisode(self.make_world(), self.seeds[0])
        for seat in run.seats:
            for space in (run.world.observation_space, run.world.action_space):
                promised = f"{space.__name__}({seat!r}) is the same object at each call"
                promise(space(seat) is space(seat), promised, "two calls gave two objects")
            promise(
                run.briefs[seat].action_space == run.world.action_space(seat),
                f"the brief of {seat!r} holds its action space, {run.world.action_space(seat)}",
                f"it holds {run.briefs[seat].action_space}",
            )

    def test_observations_are_in_their_space(self) -> None:
        """Every observation lies in its seat's space."""
        for run, seat, moment in self.every_moment():
            space = run.world.observation_space(seat)
            if not member(space, moment.observation):
                happened = f"at step {moment.step} it was given {moment.observation!r}"
                promise(False, f"observations of {seat!r} lie in {space}", happened)

    def test_moments_survive_json(self) -> None:
        """Moments round-trip through JSON."""
        for _, _, moment in self.every_moment():
            if not round_trips(moment, Moment):
                lost = f"JSON cannot give back {plain(moment)}"
                promise(False, "a moment comes back from JSON as it was", lost)

    def test_moments_stay_as_they_were(self) -> None:
        """A moment is not changed by later steps."""
        for run, seat, moment in self.every_moment():
            line, now = run.heard[seat][1 + moment.step], form(moment)
            if now != line:
                promised = f"the moment of step {moment.step} stays as {seat!r} heard it"
                promise(False, promised, f"{line.decode()} became {now.decode()}")

    def test_encounters_name_known_behaviours(self) -> None:
        """An encounter is over; it names for each seat at least one behaviour, and known ones only."""
        for run, seat, moment in self.every_moment():
            for encounter in moment.encounters:
                _check_encounter(encounter, moment.step, run.briefs[seat].behaviours)

    def test_rewards_are_in_range(self) -> None:
        """The reward of an encounter is within the brief's range; every reward is a finite number."""
        for run, seat, moment in self.every_moment():
            low, high = run.briefs[seat].reward_range
            happened = f"{seat!r} got {moment.reward} at step {moment.step}"
            promise(isfinite(moment.reward), "rewards are finite", happened)
            for encounter in moment.encounters:
                promise(
                    low <= encounter.reward <= high,
                    f"an encounter brings {seat!r} between {low} and {high}",
                    f"the one of step {encounter.step} brought {encounter.reward}",
                )

    def test_episodes_end_for_all_at_once(self) -> None:
        """A finished seat keeps its place; all end together, each terminated or truncated, never both."""
        for run in self.runs():
            for step, (present, flags) in enumerate(zip(run.present[1:], run.flags, strict=True)):
                promise(
                    present in ((), run.seats),
                    "a seat that has finished keeps its place until the episode ends",
                    f"after step {step} only {list(present)} were left",
                )
                for seat in run.seats:
                    terminated, truncated = (flag[seat] for flag in flags)
                    promise(
                        not (terminated and truncated),
                        "a seat is terminated or truncated, never both",
                        f"{seat!r} was both after step {step}",
                    )
                    promise(
                        (terminated or truncated) == (not present),
                        "a seat is terminated or truncated when the episode ends, not before",
                        f"after step {step} {seat!r} had {terminated}, {truncated} with {list(present)} left",
                    )

    def test_truths_are_told_at_the_end(self) -> None:
        """After the episode, the truth of every question is an option or ``None``, and does not change."""
        questions = self.questions()
        if not questions:
            raise SkipTest("no questions() are given for this world")
        for run in self.runs():
            steps = range(len(run.actions) + 1)
            pairs = [(question, step) for question in questions for step in steps]
            truths = [run.world.truth(question, step) for question, step in pairs]
            for (question, step), truth in zip(pairs, truths, strict=True):
                later = run.world.truth(question, step)
                promised = f"the truth of {question.id!r} at step {step} is one"
                promise(form(truth) == form(later), promised, f"it was {truth!r}, then {later!r}")
                promise(
                    truth is None or not question.options or truth in question.options,
                    f"the truth of {question.id!r} is one of {question.options}, or None",
                    f"at step {step} it is {truth!r}",
                )
            some_truth = any(truth is not None for truth in truths)
            promise(some_truth, "some truth comes to be in an episode", "all were None")


def _check_encounter(encounter: Encounter, step: int, known_behaviours: dict[str, tuple[str, ...]]) -> None:
    promise(
        0 <= encounter.step < step,
        "an encounter is heard of after the step in which it finished",
        f"the one of step {encounter.step} was told at step {step}",
    )
    for seat, behaviours in encounter.did.items():
        promise(
            bool(behaviours),
            "an encounter names for each seat the behaviours that it may have shown, never none",
            f"the one of step {encounter.step} names none for {seat!r}",
        )
        promise(
            set(behaviours) <= set(known_behaviours.get(seat, ())),
            f"encounters name known behaviours: {known_behaviours.get(seat, ())} for {seat!r}",
            f"the one of step {encounter.step} names {behaviours}",
        )


CYCLES = 50
BROKEN = "Live agent|Agent was given|No agents present|The `infos` dictionary"
"""Warnings of PettingZoo that are errors here."""


class PettingZooPromises(WorldCase):
    """A world is a PettingZoo ``ParallelEnv``, and by conversion an ``AECEnv``."""

    def test_pettingzoo_parallel_api(self) -> None:
        """``pettingzoo.test.parallel_api_test`` passes, without the warnings that matter."""
        from pettingzoo.test import parallel_api_test  # pyright: ignore[reportMissingTypeStubs]

        with _petting("parallel_api_test"):
            parallel_api_test(self._make_seeded(), CYCLES)

    def test_pettingzoo_api(self) -> None:
        """``pettingzoo.test.api_test`` passes through ``parallel_to_aec``."""
        from pettingzoo.test import api_test  # pyright: ignore[reportMissingTypeStubs]
        from pettingzoo.utils import parallel_to_aec  # pyright: ignore[reportMissingTypeStubs]

        with _petting("api_test"):
            api_test(parallel_to_aec(self._make_seeded()), CYCLES)

    def test_pettingzoo_seed(self) -> None:
        """``pettingzoo.test.seed_test`` passes through ``parallel_to_aec``."""
        from pettingzoo.test import seed_test  # pyright: ignore[reportMissingTypeStubs]
        from pettingzoo.utils import parallel_to_aec  # pyright: ignore[reportMissingTypeStubs]

        with _petting("seed_test"):
            seed_test(lambda: parallel_to_aec(self.make_world()), CYCLES)

    def _make_seeded(self) -> World:
        """A world whose action spaces are seeded: those tests sample from them."""
        world = self.make_world()
        for seat in world.possible_agents:
            world.action_space(seat).seed(self.seeds[0])
        return world


@contextmanager
def _petting(test: str) -> Iterator[None]:
    """Runs a test without output; warnings other than :data:`BROKEN` are ignored."""
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message=BROKEN)
        with keeping(f"pettingzoo.test.{test} passes", AssertionError, UserWarning, *FAULTS):
            yield
