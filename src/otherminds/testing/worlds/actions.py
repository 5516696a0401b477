"""What a world does with actions: it refuses what is none, and replays what was one."""

from __future__ import annotations

from typing import Any
from unittest import SkipTest

import msgspec
from gymnasium.spaces import Space

from otherminds.core.data import Action
from otherminds.core.errors import WorldError
from otherminds.core.world import World
from otherminds.testing.compare import (
    FAULTS,
    difference,
    form,
    leaves_randomness_alone,
    promise,
)
from otherminds.testing.elsewhere import same_elsewhere
from otherminds.testing.transcripts import Actions, SteppedEpisode, member, outside
from otherminds.testing.worlds.case import WorldCase


class ActionPromises(WorldCase):
    """Checks on illegal actions, fallbacks and replay."""

    def test_illegal_actions_are_refused(self) -> None:
        """An action outside the space (wrong type, negative, too large) raises ``WorldError``."""
        world = self.make_world()
        for seat in world.possible_agents:
            for action in outside(world.action_space(seat)):
                run = SteppedEpisode(self.make_world(), self.seeds[0])
                error = _attempt(run.world, {**run.next_actions(), seat: action})
                promise(
                    isinstance(error, WorldError),
                    f"action {action!r} of {seat!r} is refused with a WorldError",
                    "it was played" if error is None else f"it raised {type(error).__name__}: {error}",
                )

    def test_illegal_actions_change_nothing(self) -> None:
        """After a refused action the episode goes on as if it had not been tried."""
        undisturbed = self.runs()
        world = self.make_world()
        tries = [
            (seat, action) for seat in world.possible_agents for action in outside(world.action_space(seat))
        ]
        # One try an episode, at another step each: several could undo each other.
        for i, (seat, action) in enumerate(tries):
            like = undisturbed[i % len(undisturbed)]
            at = i % len(like.actions)
            run = SteppedEpisode(self.make_world(), self.seeds[i % len(undisturbed)])
            while run.going:
                actions = run.next_actions()
                if len(run.actions) == at:
                    refused = _attempt(run.world, {**actions, seat: action})
                    promise(refused is not None, f"action {action!r} of {seat!r} is refused", "it was played")
                run.step(actions)
            promise(
                run.lines == like.lines,
                f"action {action!r} of {seat!r}, refused at step {at}, leaves the world as it was",
                f"the episode went on differently {difference(like.lines, run.lines)}",
            )

    def test_fallback_is_an_action(self) -> None:
        """What is played for an invalid reply is in the action space, at every step; or None."""
        run = SteppedEpisode(self.make_world(), self.seeds[0])
        while run.going:
            for seat in run.seats:
                space, fallback = run.world.action_space(seat), run.world.fallback(seat)
                promise(
                    fallback is None or member(space, fallback),
                    f"the fallback of {seat!r} is None or in {space}",
                    f"it is {fallback!r}",
                )
            run.step()

    def test_recorded_actions_replay(self) -> None:
        """The actions of an episode, as a record gives them back, lead through it again."""
        for seed, run in zip(self.seeds, self.runs(), strict=True):
            script = [
                {seat: recorded(run.world.action_space(seat), action) for seat, action in actions.items()}
                for actions in run.actions
            ]
            again = SteppedEpisode(self.make_world(), seed, script).play()
            promise(
                again.lines == run.lines,
                "the recorded actions lead through the same episode",
                f"it differs {difference(run.lines, again.lines)}",
            )


def recorded(space: Space[Any], action: Action) -> Action:
    """``action`` as JSON gives it back, in its space."""
    back = msgspec.json.decode(form(action))
    return back if member(space, back) else space.from_jsonable([back])[0]


def _attempt(world: World, actions: Actions) -> Exception | None:
    """Tries a step; what it raised."""
    try:
        world.step(actions)
    except (WorldError, *FAULTS) as error:
        return error
    return None


MANY = 20
"""Seeds that are tried before chance is said to play no part."""


class WorldDeterminismPromises(WorldCase):
    """Checks that play the same episode under other circumstances."""

    def test_same_seed_same_episode(self) -> None:
        """A seed decides an episode: in a fresh world, and in one that was played before."""
        used = self.make_world()
        for seed in self.seeds:
            once, again, reused = self.run(seed), self.run(seed), SteppedEpisode(used, seed).play()
            for other, where in ((again, "a fresh world"), (reused, "a world that was played before")):
                promise(
                    once.lines == other.lines,
                    f"seed {seed} gives the same episode in {where}",
                    f"it differs {difference(once.lines, other.lines)}",
                )

    def test_seeds_matter(self) -> None:
        """Where chance plays a part, different seeds lead to different episodes."""
        if not self.has_chance:
            raise SkipTest("this world does not say that it has_chance")
        ways = {SteppedEpisode(self.make_world(), seed, acting=0).play().hash for seed in range(MANY)}
        promise(
            len(ways) > 1,
            "the seed decides what chance does",
            f"{MANY} seeds with equal actions gave one and the same episode",
        )

    def test_same_in_another_process(self) -> None:
        """Another process, with another ``PYTHONHASHSEED``, plays the same episodes."""
        same_elsewhere(self, "episodes")

    def test_interleaved_episodes(self) -> None:
        """Episodes that take turns are the episodes played one after the other."""
        alone = self.runs()
        together = [SteppedEpisode(self.make_world(), seed) for seed in self.seeds]
        while any(run.going for run in together):
            for run in together:
                if run.going:
                    run.step()
        for seed, one, other in zip(self.seeds, alone, together, strict=True):
            promise(
                one.lines == other.lines,
                f"seed {seed} gives the same episode while others are played",
                f"it differs {difference(one.lines, other.lines)}",
            )

    def test_global_randomness_is_left_alone(self) -> None:
        """A world has its own generator: it neither reads nor moves the global ones."""
        one, other = leaves_randomness_alone(lambda: self.run(self.seeds[0]).hash, "the world")
        promise(one == other, "the global generators are not read", "they decide the episode")
