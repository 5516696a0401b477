"""The checks on actions, determinism and secrecy of a world."""

from __future__ import annotations

from typing import Any
from unittest import SkipTest

import msgspec
from gymnasium.spaces import Space

from otherminds.core.data import Action, Seat
from otherminds.core.errors import WorldError
from otherminds.core.world import World
from otherminds.testing.compare import FAULTS, alike, form, leaves_randomness_alone, promise
from otherminds.testing.elsewhere import same_elsewhere
from otherminds.testing.transcripts import Actions, SteppedEpisode, member, outside
from otherminds.testing.worlds.case import Variant, WorldCase


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
