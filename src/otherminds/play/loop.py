"""The only loop over a world.

A step: each seat perceives its moment; ``before`` questions; seats without a
running skill act; ``after`` questions; skills turn into primitive actions; the
world steps. After the last action every seat perceives one closing moment,
``end`` questions are asked, and truths are read.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from numbers import Integral
from operator import itemgetter
from time import perf_counter
from typing import Any, TypeVar, cast

import msgspec

from otherminds.core.contracts import Probe
from otherminds.core.data import Action, Cause, Ended, Invalid, Moment, Seat, SkillChoice
from otherminds.core.errors import InternalError, ProviderError, ReplyError, TaskError, WorldError
from otherminds.core.record import STOPPED, Choice, Outcome, Record, Timing
from otherminds.core.seat_context import side_by_side
from otherminds.core.seeds import stream
from otherminds.core.setup import Setup
from otherminds.play.episode import EpisodeState, SeatRuntime
from otherminds.play.recording import Played, Put, record, timing

T = TypeVar("T")


async def play(setup: Setup) -> tuple[Record, Timing]:
    """Plays the episode of ``setup``.

    An error of a provider, a reply, the world or a task ends the episode and is recorded; an
    error of the study is raised.

    Raises:
        StudyError: a mind does not fit its seat, or lacks a grant or a model.
    """
    started = perf_counter()
    state = EpisodeState(setup)
    episode = _Episode(state)
    try:
        await episode.run()
    except (ProviderError, ReplyError, WorldError, TaskError) as error:
        episode.outcome = Outcome("failed", error.blame, str(error), state.now.step)
    calls = [call for runtime in state.runtimes for call in runtime.context.calls]
    return record(state, episode), timing(calls, perf_counter() - started)


def play_now(setup: Setup) -> tuple[Record, Timing]:
    """As :func:`play`, without an event loop, for minds that await nothing."""
    return finish(play(setup))


def finish(waiting: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that awaits nothing.

    Raises:
        InternalError: it does.
    """
    try:
        waiting.send(None)
    except StopIteration as done:
        return cast("T", done.value)
    waiting.close()
    raise InternalError("a mind waited for something outside; set `suspends = True` on its class")


class _Episode(Played):
    """One run of the loop."""

    def __init__(self, state: EpisodeState) -> None:
        super().__init__()
        self.state = state

    async def run(self) -> None:
        """Plays to the end, or until an invalid reply has no fallback."""
        state = self.state
        world, runtimes, now = state.world, state.runtimes, state.now
        before, after = state.before, state.after
        together = state.suspending > 1
        jointly = together or state.oracle is not None
        pick = _row(state.seats)
        observations, infos = state.observations, state.infos
        rewards: dict[Seat, float] = dict.fromkeys(state.seats, 0.0)
        step, last = 0, False
        while True:
            now.step = step
            for runtime in runtimes:
                seat = runtime.seat
                info = infos[seat]
                encounters = info.get("encounters", ())
                runtime.moment = moment = Moment(
                    step, observations[seat], rewards[seat], encounters, None, info.get("told", ()), last
                )
                if encounters:
                    runtime.met += encounters
                if runtime.controller is not None or runtime.ended is not None:
                    runtime.moment = moment = _advance(runtime, moment)
                if not together:
                    await runtime.perceive(moment)
            if together:
                await side_by_side(runtime.perceive(runtime.moment) for runtime in runtimes)
            if last:
                break
            if before:
                await self._ask(before, step)
            actions: dict[Seat, Action] = {}
            decisions = await self._decide(together) if jointly else None
            for i, runtime in enumerate(runtimes):
                if runtime.controller is not None:
                    actions[runtime.seat] = runtime.pending
                    continue
                action = decisions[i] if decisions is not None else await runtime.act()
                if action.__class__ is not int:
                    action = self._primitive(runtime, action)
                    if action is None:
                        return
                actions[runtime.seat] = action
            if after:
                await self._ask(after, step)
            observations, rewards, _, _, infos = world.step(actions)
            self.actions.append(tuple(actions.values()))
            self.rewards.append(pick(rewards))
            last = not world.agents
            step += 1
        await self._ask(state.closing, step)

    async def _ask(self, probes: list[tuple[SeatRuntime, int, Probe]], step: int) -> None:
        """Puts the questions that are due; if one of them fails, none of them counts as put."""
        answers: list[Put] = []
        for runtime, i, probe in probes:
            if probe.due is None or probe.due(runtime.moment):
                answers.append((step, i, await runtime.answer(probe.question)))
        self.put += answers

    async def _decide(self, together: bool) -> list[Any]:
        """The decisions of all seats without a running skill; a seat granted ``next_action`` decides last."""
        oracle = self.state.oracle
        free = [runtime for runtime in self.state.runtimes if runtime.controller is None]
        first = [runtime for runtime in free if runtime is not oracle]
        waiting = (
            await side_by_side(runtime.act() for runtime in first)
            if together
            else [await runtime.act() for runtime in first]
        )
        decisions = {runtime.seat: decision for runtime, decision in zip(first, waiting, strict=True)}
        if oracle is not None and oracle.controller is None:
            behaviours = oracle.brief.behaviours
            # An invalid action is reported by the world, once the step is taken.
            oracle.context.foreseen = {
                seat: behaviours[seat][int(decision)]
                for seat, decision in decisions.items()
                if isinstance(decision, Integral) and 0 <= int(decision) < len(behaviours[seat])
            }
            decisions[oracle.seat] = await oracle.act()
        return [decisions.get(runtime.seat) for runtime in self.state.runtimes]

    def _primitive(self, runtime: SeatRuntime, decision: Any) -> Action | None:
        """The action for a decision that may be a skill or invalid; ``None`` stops the episode."""
        state = self.state
        if isinstance(decision, SkillChoice):
            self.choices.append(Choice(state.now.step, runtime.seat, decision))
            skill = state.scenario.skills.get(decision.name)
            if skill is None:
                raise WorldError(f"scenario {state.scenario.id!r} has no skill {decision.name!r}")
            rng = stream(state.spec.seed, "skill", runtime.seat, state.now.step)
            runtime.controller, runtime.doing = skill(runtime.brief, rng, *decision.args), decision
            out = runtime.controller(runtime.moment)
            if not isinstance(out, Ended):
                runtime.pending = out
                return out
            runtime.controller, runtime.ended = None, out
            return self._fallback(runtime, f"skill {decision.name!r} ended at once: {out.why}")
        if isinstance(decision, Invalid):
            self.choices.append(Choice(state.now.step, runtime.seat, decision))
            return self._fallback(runtime, decision.reason, decision.cause)
        if decision is None:
            raise WorldError(f"the mind in seat {runtime.seat!r} returned None instead of an action")
        return decision

    def _fallback(self, runtime: SeatRuntime, reason: str, cause: Cause = "reply") -> Action | None:
        action = self.state.world.fallback(runtime.seat)
        if action is None:
            status, blame = STOPPED[cause]
            self.outcome = Outcome(status, blame, f"{runtime.seat}: {reason}", self.state.now.step)
        return action


def _advance(runtime: SeatRuntime, moment: Moment) -> Moment:
    """Passes the moment to a running skill; if it ends, the moment says how."""
    ended, runtime.ended = runtime.ended, None
    if runtime.controller is not None:
        out = runtime.controller(moment)
        if isinstance(out, Ended):
            runtime.controller, ended = None, out
        else:
            runtime.pending = out
    if ended is None:
        return moment
    return msgspec.structs.replace(moment, ended=msgspec.structs.replace(ended, made=runtime.doing))


def _row(seats: tuple[Seat, ...]) -> Callable[[dict[Seat, float]], tuple[float, ...]]:
    """Returns a function from a mapping to its values in the order of ``seats``."""
    if len(seats) == 1:
        only = seats[0]
        return lambda values: (values[only],)
    return cast("Callable[[dict[Seat, float]], tuple[float, ...]]", itemgetter(*seats))
