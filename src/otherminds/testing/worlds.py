"""The checks of the conformance kit on worlds: briefs, spaces, moments, actions, determinism, secrecy, and PettingZoo's tests."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import lru_cache
from io import StringIO
from math import isfinite
from typing import Any, NamedTuple
from unittest import SkipTest

import msgspec
from gymnasium.spaces import Space

from otherminds.core.data import Action, Automaton, Encounter, Game, Moment, Question, Seat, WeightedPolicy
from otherminds.core.errors import WorldError
from otherminds.core.scenario import World
from otherminds.testing.compare import (
    FAULTS,
    Actions,
    SteppedEpisode,
    alike,
    form,
    keeping,
    leaves_randomness_alone,
    member,
    outside,
    plain,
    promise,
    round_trips,
)
from otherminds.testing.episodes import same_elsewhere


class Variant(NamedTuple):
    """Two worlds that differ only in private state of seats other than ``seat``.

    ``seat`` must receive the same for ``steps`` steps (0: in its brief and first moment).
    """

    label: str
    seat: Seat
    one: World
    two: World
    steps: int


_GAME = Game("granted", (("a", "b"), ("c", "d")), (((1.0, 0.0), (0.0, 1.0)), ((0.0, 1.0), (1.0, 0.0))))
_LIKELY = WeightedPolicy(1.0, Automaton(0, ((0.5, 0.5),), (((0, 0), (0, 0)),)))


class WorldCase:
    """Write :meth:`make_world`; the rest has defaults.

    ``has_chance`` says that the world is random, so that seeds must lead to different episodes.
    """

    seeds: tuple[int, ...] = (0, 1, 2)
    has_chance: bool = False

    def make_world(self) -> World:
        """A fresh world with short episodes, which are played many times."""
        raise NotImplementedError(f"{type(self).__name__} must write make_world()")

    def private_variants(self) -> Iterable[Variant]:
        """Pairs of worlds that differ in private state."""
        return ()

    def questions(self) -> Sequence[Question]:
        """Questions that the world has true answers to."""
        return ()

    def grants(self) -> dict[str, Any]:
        """Grants that the world honours, by their field in the brief."""
        return {"game": _GAME, "partners": (_LIKELY,), "secrets": ("the key is under the mat",)}

    def fingerprint(self) -> str:
        """A hash of whole episodes under all seeds."""
        return hashlib.sha256("".join(run.hash for run in self.runs()).encode()).hexdigest()

    def run(self, seed: int) -> SteppedEpisode:
        """A whole episode of a fresh world."""
        return SteppedEpisode(self.make_world(), seed).play()

    def runs(self) -> tuple[SteppedEpisode, ...]:
        """A whole episode under each seed, played once for all checks that only read it."""
        return _runs(type(self))

    def every_moment(self) -> Iterator[tuple[SteppedEpisode, Seat, Moment]]:
        """Every moment of :meth:`runs`, with its episode and seat."""
        return (
            (run, seat, moment) for run in self.runs() for seat in run.seats for moment in run.moments[seat]
        )


@lru_cache(maxsize=1)
def _runs(kind: type[WorldCase]) -> tuple[SteppedEpisode, ...]:
    case = kind()
    return tuple(case.run(seed) for seed in case.seeds)


class ActionPromises(WorldCase):
    """Checks on illegal actions, fallbacks and replay."""

    def test_illegal_actions_are_refused(self) -> None:
        """An action outside the space (wrong type, negative, too large) raises ``WorldError``."""
        for seat, action in self._illegal():
            run = SteppedEpisode(self.make_world(), self.seeds[0])
            error = _attempt(run.world, {**run.next_actions(), seat: action})
            happened = "it was played" if error is None else f"it raised {type(error).__name__}: {error}"
            refused = isinstance(error, WorldError)
            promise(refused, f"action {action!r} of {seat!r} is refused with a WorldError", happened)

    def test_illegal_actions_change_nothing(self) -> None:
        """A refused action does not change the episode."""
        undisturbed = self.runs()
        # One attempt per episode, each at another step: several could cancel each other.
        for i, (seat, action) in enumerate(self._illegal()):
            like = undisturbed[i % len(undisturbed)]
            at = i % len(like.actions)
            run = SteppedEpisode(self.make_world(), self.seeds[i % len(undisturbed)])
            while run.going:
                actions = run.next_actions()
                if len(run.actions) == at:
                    refused = _attempt(run.world, {**actions, seat: action})
                    promise(refused is not None, f"action {action!r} of {seat!r} is refused", "it was played")
                run.step(actions)
            alike(
                like.lines,
                run.lines,
                f"action {action!r} of {seat!r}, refused at step {at}, leaves the world as it was",
                "the episode went on differently",
            )

    def test_fallback_is_an_action(self) -> None:
        """The fallback is in the action space at every step, or ``None``."""
        run = SteppedEpisode(self.make_world(), self.seeds[0])
        while run.going:
            for seat in run.seats:
                space, fallback = run.world.action_space(seat), run.world.fallback(seat)
                lawful = fallback is None or member(space, fallback)
                promise(lawful, f"the fallback of {seat!r} is None or in {space}", f"it is {fallback!r}")
            run.step()

    def test_recorded_actions_replay(self) -> None:
        """The actions in a record reproduce its episode."""
        for seed, run in zip(self.seeds, self.runs(), strict=True):
            script = [
                {seat: read_back(run.world.action_space(seat), action) for seat, action in actions.items()}
                for actions in run.actions
            ]
            again = SteppedEpisode(self.make_world(), seed, script).play()
            alike(run.lines, again.lines, "the recorded actions lead through the same episode")

    def _illegal(self) -> list[tuple[Seat, Any]]:
        """Every seat with each action outside its space."""
        world = self.make_world()
        return [
            (seat, action) for seat in world.possible_agents for action in outside(world.action_space(seat))
        ]


class SecrecyPromises(WorldCase):
    """Checks of non-interference, byte by byte."""

    def test_grants_stay_with_their_seat(self) -> None:
        """What one seat is granted changes no byte that another hears."""
        plain = self.run(self.seeds[0])
        for favoured in plain.seats:
            run = SteppedEpisode(self.make_world(), self.seeds[0], grants={favoured: self.grants()}).play()
            for seat in plain.seats:
                if seat != favoured:
                    alike(
                        plain.heard[seat],
                        run.heard[seat],
                        f"a grant to {favoured!r} changes nothing for {seat!r}",
                    )

    def test_grants_reach_their_seat(self) -> None:
        """A brief holds the privileges that were granted, and only these."""
        ungranted = SteppedEpisode(self.make_world(), self.seeds[0])
        for seat in ungranted.seats:
            for grant, value in self.grants().items():
                granted = getattr(ungranted.briefs[seat], grant)
                promised = f"without the grant {grant!r} the brief of {seat!r} does not hold it"
                promise(not granted, promised, f"it holds {granted!r}")
                run = SteppedEpisode(self.make_world(), self.seeds[0], grants={seat: {grant: value}})
                granted = getattr(run.briefs[seat], grant)
                promised = f"with the grant {grant!r} the brief of {seat!r} holds its value"
                promise(granted == value, promised, f"it holds {granted!r}")

    def test_private_state_is_not_heard(self) -> None:
        """Another seat's private state does not change what a seat receives, before it may be known."""
        variants = [Variant(*variant) for variant in self.private_variants()]
        if not variants:
            raise SkipTest("no private_variants() are given for this world")
        for variant in variants:
            for seed in self.seeds:
                first, second = (_first(world, seed, variant.steps) for world in (variant.one, variant.two))
                seat = variant.seat
                alike(
                    first.heard[seat],
                    second.heard[seat],
                    f"{seat!r} does not notice {variant.label} for {variant.steps} steps",
                    "what it hears differs",
                )
                promise(
                    _rest(first, seat) != _rest(second, seat),
                    f"the two worlds differ in {variant.label}, which shows in facts() or to another seat",
                    "they do not differ at all, so the check shows nothing",
                )


def _first(world: World, seed: int, steps: int) -> SteppedEpisode:
    """The first ``steps`` steps of an episode."""
    run = SteppedEpisode(world, seed)
    while run.going and len(run.actions) < steps:
        run.step()
    return run


def _rest(run: SteppedEpisode, seat: Seat) -> list[bytes]:
    """Everything that the other seats receive, and the facts."""
    return [form(run.world.facts()), *(line for s in run.seats if s != seat for line in run.heard[s])]


def read_back(space: Space[Any], action: Action) -> Action:
    """``action`` after a JSON round trip, in its space."""
    back = msgspec.json.decode(form(action))
    return back if member(space, back) else space.from_jsonable([back])[0]


def _attempt(world: World, actions: Actions) -> Exception | None:
    """The error of a step, if any."""
    try:
        world.step(actions)
    except (WorldError, *FAULTS) as error:
        return error
    return None


MANY = 20
"""The number of seeds before a world counts as deterministic."""


class WorldDeterminismPromises(WorldCase):
    """Checks that play an episode again under other circumstances."""

    def test_same_seed_same_episode(self) -> None:
        """The seed determines the episode, in a fresh world and in one that was played before."""
        world = self.make_world()
        for seed, once in zip(self.seeds, self.runs(), strict=True):
            again, reused = self.run(seed), SteppedEpisode(world, seed).play()
            for other, where in ((again, "a fresh world"), (reused, "a world that was played before")):
                alike(once.lines, other.lines, f"seed {seed} gives the same episode in {where}")

    def test_seeds_matter(self) -> None:
        """In a random world, different seeds lead to different episodes."""
        if not self.has_chance:
            raise SkipTest("this world does not say that it has_chance")
        ways = (SteppedEpisode(self.make_world(), seed, acting=0).play().hash for seed in range(MANY))
        first = next(ways)
        happened = f"{MANY} seeds with equal actions gave one and the same episode"
        promise(any(way != first for way in ways), "the seed decides what chance does", happened)

    def test_same_in_another_process(self) -> None:
        """Another process, with another ``PYTHONHASHSEED``, plays the same episodes."""
        same_elsewhere(self, "episodes")

    def test_interleaved_episodes(self) -> None:
        """Interleaved episodes are equal to those played one after the other."""
        together = [SteppedEpisode(self.make_world(), seed) for seed in self.seeds]
        while any(run.going for run in together):
            for run in together:
                if run.going:
                    run.step()
        for seed, alone, other in zip(self.seeds, self.runs(), together, strict=True):
            alike(alone.lines, other.lines, f"seed {seed} gives the same episode while others are played")

    def test_global_randomness_is_left_alone(self) -> None:
        """A world neither reads nor changes the global generators."""
        first, other = leaves_randomness_alone(lambda: self.run(self.seeds[0]).hash, "the world")
        promise(first == other, "the global generators are not read", "they decide the episode")


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


class WorldConformance(
    FormPromises, ActionPromises, WorldDeterminismPromises, SecrecyPromises, PettingZooPromises
):
    """Inherit this in a test class and write ``make_world``.

    :class:`~otherminds.testing.worlds.WorldCase` has the optional declarations: randomness,
    private state, questions and grants.
    """
