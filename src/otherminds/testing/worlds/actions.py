"""What a world does with actions: it refuses what is none, and replays what was one."""

from __future__ import annotations

from typing import Any

import msgspec
from gymnasium.spaces import Space

from otherminds.core.data import Action
from otherminds.core.errors import WorldError
from otherminds.core.world import World
from otherminds.testing.compare import FAULTS, difference, form, promise
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
