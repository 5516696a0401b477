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

from otherminds.core.bench import side_by_side
from otherminds.core.contracts import Probe
from otherminds.core.data import Action, Do, Ended, Invalid, Moment, Seat
from otherminds.core.errors import (
    InternalError,
    OtherMindsError,
    ProviderError,
    ReplyError,
    TaskError,
    WorldError,
)
from otherminds.core.record import Choice, Clock, Outcome, Record
from otherminds.core.seeds import stream
from otherminds.core.setup import Setup
from otherminds.play.recording import Played, Put, clock, record
from otherminds.play.table import Chair, Table

T = TypeVar("T")


async def play(setup: Setup) -> tuple[Record, Clock]:
    """Plays the episode that ``setup`` makes.

    A fault of a provider, a reply, the world or a task ends the episode, and the
    record says so; a fault of the study is raised.

    Raises:
        StudyError: a mind does not fit its seat, or lacks a grant or a model.
    """
    started = perf_counter()
    table = Table(setup)
    episode = _Episode(table)
    try:
        await episode.run()
    except (ProviderError, ReplyError, WorldError, TaskError) as error:
        episode.outcome = _failed(error, table.now.step)
    return record(table, episode), clock(table, perf_counter() - started)


def play_now(setup: Setup) -> tuple[Record, Clock]:
    """As :func:`play`, without an event loop: no seat waits for anything."""
    return finish(play(setup))


def finish(waiting: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits.

    Raises:
        InternalError: it does wait.
    """
    try:
        waiting.send(None)
    except StopIteration as done:
        return cast("T", done.value)
    waiting.close()
    raise InternalError("a mind waited for something outside; set `suspends = True` on its class")


class _Episode(Played):
    """One run of the loop, and what it has written down so far."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.table = table

    async def run(self) -> None:
        """Plays to the end, or until an invalid reply has no fallback."""
        table = self.table
        world, chairs, now = table.world, table.chairs, table.now
        before, after, put = table.before, table.after, self.put
        together = table.suspending > 1
        pick = _row(table.seats)
        observations, infos = table.observations, table.infos
        rewards: dict[Seat, float] = dict.fromkeys(table.seats, 0.0)
        step, last = 0, False
        while True:
            now.step = step
            for chair in chairs:
                seat = chair.seat
                info = infos[seat]
                encounters = info.get("encounters", ())
                chair.moment = moment = Moment(
                    step, observations[seat], rewards[seat], encounters, None, info.get("told", ()), last
                )
                if encounters:
                    chair.met += encounters
                if chair.controller is not None or chair.ended is not None:
                    chair.moment = moment = _advance(chair, moment)
                if not together:
                    await chair.perceive(moment)
            if together:
                await side_by_side(chair.perceive(chair.moment) for chair in chairs)
            if last:
                break
            if before:
                put += await _ask(before, step)
            actions: dict[Seat, Action] = {}
            made = await self._decide(together) if together or table.oracle is not None else None
            for i, chair in enumerate(chairs):
                if chair.controller is not None:
                    actions[chair.seat] = chair.pending
                    continue
                action = made[i] if made is not None else await chair.act()
                if action.__class__ is not int:
                    action = self._primitive(chair, action)
                    if action is None:
                        return
                actions[chair.seat] = action
            if after:
                put += await _ask(after, step)
            observations, rewards, _, _, infos = world.step(actions)
            self.actions.append(tuple(actions.values()))
            self.rewards.append(pick(rewards))
            last = not world.agents
            step += 1
        put += await _ask(table.closing, step)

    async def _decide(self, together: bool) -> list[Any]:
        """The decisions of all seats that are free; one that is told of them comes last."""
        oracle = self.table.oracle
        free = [chair for chair in self.table.chairs if chair.controller is None]
        first = [chair for chair in free if chair is not oracle]
        waiting = (
            await side_by_side(chair.act() for chair in first)
            if together
            else [await chair.act() for chair in first]
        )
        made = {chair.seat: decision for chair, decision in zip(first, waiting, strict=True)}
        if oracle is not None and oracle.controller is None:
            behaviours = oracle.brief.behaviours
            # What is no action fails as ever, once the step is taken.
            oracle.bench.foreseen = {
                seat: behaviours[seat][int(decision)]
                for seat, decision in made.items()
                if isinstance(decision, Integral) and 0 <= int(decision) < len(behaviours[seat])
            }
            made[oracle.seat] = await oracle.act()
        return [made.get(chair.seat) for chair in self.table.chairs]

    def _primitive(self, chair: Chair, made: Any) -> Action | None:
        """The action for a decision that may be a skill or invalid; ``None`` stops the episode."""
        table = self.table
        if isinstance(made, Do):
            self.choices.append(Choice(table.now.step, chair.seat, made))
            skill = table.scenario.skills.get(made.name)
            if skill is None:
                raise WorldError(f"scenario {table.scenario.id!r} has no skill {made.name!r}")
            rng = stream(table.spec.seed, "skill", chair.seat, table.now.step)
            chair.controller, chair.doing = skill(chair.brief, rng, *made.args), made
            out = chair.controller(chair.moment)
            if not isinstance(out, Ended):
                chair.pending = out
                return out
            chair.controller, chair.ended = None, out
            return self._fallback(chair, f"skill {made.name!r} ended at once: {out.why}")
        if isinstance(made, Invalid):
            self.choices.append(Choice(table.now.step, chair.seat, made))
            return self._fallback(chair, made.reason)
        if made is None:
            raise WorldError(f"the mind in seat {chair.seat!r} returned None instead of an action")
        return made

    def _fallback(self, chair: Chair, reason: str) -> Action | None:
        action = self.table.world.fallback(chair.seat)
        if action is None:
            self.outcome = Outcome("invalid", "reply", f"{chair.seat}: {reason}", self.table.now.step)
        return action


async def _ask(due: list[tuple[Chair, int, Probe]], step: int) -> list[Put]:
    return [
        (step, i, await chair.answer(probe.question))
        for chair, i, probe in due
        if probe.due is None or probe.due(chair.moment)
    ]


def _advance(chair: Chair, moment: Moment) -> Moment:
    """Gives a running skill the moment; one that ends leaves word of it."""
    ended, chair.ended = chair.ended, None
    if chair.controller is not None:
        out = chair.controller(moment)
        if isinstance(out, Ended):
            chair.controller, ended = None, out
        else:
            chair.pending = out
    if ended is None:
        return moment
    return msgspec.structs.replace(moment, ended=msgspec.structs.replace(ended, made=chair.doing))


def _failed(error: OtherMindsError, step: int) -> Outcome:
    return Outcome("failed", error.blame, str(error), step)


def _row(seats: tuple[Seat, ...]) -> Callable[[dict[Seat, float]], tuple[float, ...]]:
    """Takes a mapping apart in the order of ``seats``."""
    if len(seats) == 1:
        only = seats[0]
        return lambda values: (values[only],)
    return cast("Callable[[dict[Seat, float]], tuple[float, ...]]", itemgetter(*seats))
