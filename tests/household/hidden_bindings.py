"""Pairs of tasks that differ in what one agent was not told: bindings, secrets, goals, and states out of its sight.

Both are played side by side with a third that has none of the hidden bindings; the agent
does the same in all. As long as what it could see (``eyes.py``, computed apart from the engine)
is the same in all three, nothing has happened that unbound things could not have done,
and all that the agent hears must be the same, byte by byte.

Run as a program it plays many pairs and prints the counts of ``docs/results/household.md``.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import cache

import msgspec

from otherminds.core.data import Moment
from otherminds.core.errors import TaskError
from otherminds.household.commands import Command
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.words import Statement
from otherminds.household.epistemic.words.sentences import tell
from otherminds.household.house import House
from otherminds.household.mechanics.mechanic import mechanic
from otherminds.household.rules import GroundRules
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.scene import Scene
from otherminds.household.task import Binding, Task
from otherminds.household.verbalizer import HouseholdVerbalizer
from otherminds.household.world import HouseholdWorld
from tests.household import eyes
from tests.household import small_house as small
from tests.household.choosing import Chooser

AGENTS = 3
TURNS = 24
TRIES = 6
DRAWS = 60
WAIT = "Wait[]"
KINDS = {"articulated": ("open", "closed"), "switch": ("on", "off")}


class Told(AssertionError):  # noqa: N818 - what it says
    """A seat was told of something that it could not see."""


@dataclass
class Count:
    """Pairs played, moments compared, those in which something hidden differed, and calls on hidden bound furniture."""

    pairs: int = 0
    moments: int = 0
    hidden: int = 0
    knocks: int = 0


@dataclass(frozen=True)
class Pair:
    """The seat that is not told, and the houses: two that differ, and one without hidden bindings."""

    seat: int
    houses: tuple[House, House, House]

    @property
    def bound(self) -> frozenset[str]:
        """The furniture that is bound in one of them, told or not."""
        return frozenset(
            thing
            for house in self.houses
            for _, b in house.bound
            for thing in (b.trigger_object, b.target_object)
            if thing
        )


# Drawing


@cache
def scene_of(name: str) -> Scene:
    return small.scene() if name == "small" else load_scene(name)


def bandwidth(statements: int) -> Binding:
    """So many statements a message, and no other limit that an episode could reach."""
    limits = {f"agent_{i}": 1000 for i in range(AGENTS)}
    return Binding("limited_bandwidth", message_limits=limits, statements=statements)


def a_binding(draw: random.Random, scene: Scene) -> Binding:
    """One binding of any mechanic; for furniture, of a kind that can take the state."""
    seats = [f"agent_{i}" for i in range(AGENTS)]
    kind = "switch" if draw.random() < 0.25 else "articulated"
    handles = [f for f, piece in scene.geometry.furniture.items() if getattr(piece, kind)]
    if len(handles) < 3:
        kind, handles = "articulated", list(scene.articulated_furniture)
    one, other, _ = draw.sample(handles, 3)
    match draw.choice(("inverse", "mirror", "mirror", "remote", "remote", "bar", "limit", "only")):
        case "inverse":
            return Binding("inverse_state", trigger_object=one)
        case "mirror":
            return Binding("state_mirroring", trigger_object=one, target_object=other)
        case "remote":
            return Binding(
                "remote_control",
                trigger_object=one,
                target_object=other,
                target_state=draw.choice(KINDS[kind]),
            )
        case "bar":
            agent = draw.choice(seats)
            free = [room for room in scene.rooms if room != scene.agent_spawns[agent].room]
            return Binding("room_restriction", restricted_rooms=(draw.choice(free),), for_agents=(agent,))
        case "limit":
            return Binding("limited_bandwidth", message_limits={draw.choice(seats): draw.randrange(3)})
        case _:
            agent, other = draw.sample(seats, 2)
            return Binding("restricted_communication", allowed_targets={agent: (other,)})


def said(bindings: Sequence[Binding], seat: str) -> tuple[str, ...]:
    """Secrets that tell ``seat`` of bindings."""
    told: list[Statement] = [one for b in bindings for one in mechanic(b.mechanic_type).secrets(b)]
    return tuple(tell(one, you=seat) for one in told)


def unseen_states(
    draw: random.Random, scene: Scene, seen: frozenset[str], bindings: Sequence[Binding]
) -> dict[str, dict[str, bool | str]]:
    """Other initial states of things that are not ``seen``; mirrored things keep theirs, so that they start alike."""
    fixed = seen | {
        f
        for b in bindings
        if b.mechanic_type == "state_mirroring"
        for f in (b.trigger_object, b.target_object)
    }
    states: dict[str, dict[str, bool | str]] = {}
    for f, piece in scene.geometry.furniture.items():
        if f not in fixed and piece.articulated and draw.random() < 0.3:
            states[f] = {"is_open": True}
    tops = [f for f, piece in scene.geometry.furniture.items() if piece.top and f not in seen]
    for o, item in scene.geometry.objects.items():
        if o in seen:
            continue
        if tops and draw.random() < 0.2:
            states[o] = {"is_on_top": draw.choice(tops)}
        if item.dirtyable and draw.random() < 0.3:
            states.setdefault(o, {})["is_dirty"] = True
    return states


def drawn(name: str, seed: int) -> Pair | None:
    """The pair of ``seed`` in a scene; None where no bindings were found that agree with each other."""
    draw, scene = random.Random(seed), scene_of(name)
    seats = [f"agent_{i}" for i in range(AGENTS)]
    i = draw.randrange(AGENTS)
    # The largest number of statements of a message is public: it is that of all three houses.
    public = [bandwidth(statements)] if (statements := seed % 3) else []
    for _ in range(DRAWS):
        known = [a_binding(draw, scene) for _ in range(draw.randrange(2))]
        try:
            plain = _house(scene, draw, (*known, *public), {}, {seats[i]: said(known, seats[i])})
            seen = frozenset(name for fact in eyes.in_sight(HouseEngine(plain), i) for name in fact[1:])
            varied: list[House] = []
            for _ in range(2):
                hidden = [a_binding(draw, scene) for _ in range(draw.randint(2, 6))]
                states = unseen_states(draw, scene, seen, (*known, *hidden))
                secrets = {
                    seat: said(draw.sample(hidden, min(2, len(hidden))), seat)
                    for k, seat in enumerate(seats)
                    if k != i
                }
                secrets[seats[i]] = said(known, seats[i])
                varied.append(_house(scene, draw, (*known, *public, *hidden), states, secrets))
        except TaskError:
            continue
        one, other = varied
        sights = {eyes.in_sight(HouseEngine(house), i) for house in (one, other, plain)}
        if len(sights) == 1:
            return Pair(i, (one, other, plain))
    return None


def _house(
    scene: Scene,
    draw: random.Random,
    bindings: Sequence[Binding],
    states: dict[str, dict[str, bool | str]],
    secrets: dict[str, tuple[str, ...]],
) -> House:
    task = Task(
        task_id="drawn",
        task="Tidy up.",
        scene_id=scene.scene_id,
        num_agents=AGENTS,
        mechanic_bindings=tuple(bindings),
        initial_states=states,
        agent_secrets=secrets,
        private_goals={
            draw.choice(("agent_0", "agent_1")): f"(agent_in_room agent_0 {draw.choice(scene.rooms)})"
        },
        problem_pddl=f"(is_open {draw.choice(scene.articulated_furniture)})",
    )
    return House(task, scene)


# Playing


class Knocker(Chooser):
    """Draws calls of which many turn bound furniture, and its neighbours."""

    def __init__(self, engine: HouseEngine, seed: int, bound: frozenset[str]) -> None:
        super().__init__(engine, seed)
        self.bound = sorted(bound)

    def choose(self, i: int) -> Command:
        draw = self.draw
        near = [f for f in self.bound if f in self.engine.house.reaches[self.engine.spot[i]]]
        chance = draw.random()
        if near and chance < 0.5:
            return Command(draw.choice(("Open", "Close", "PowerOn", "PowerOff")), (draw.choice(near),))
        if self.bound and chance < 0.65:
            return Command("Navigate", (draw.choice(self.bound),))
        return super().choose(i)


@contextmanager
def at_the_moment(engine: HouseEngine, state: int, spots: Sequence[int]) -> Iterator[None]:
    """The engine as it was in the middle of a turn."""
    current = engine.current
    now = current.facts, current.spot
    current.facts, current.spot = state, list(spots)
    yield
    current.facts, current.spot = now


def noticed(engine: HouseEngine, i: int, before: tuple[int, Sequence[int]], room: str) -> Sequence[object]:
    """What agent ``i`` could see of the last turn, right before and after its own call and in the end, and
    whether its own message left.

    ``before`` is the state at the start of the turn, and where everybody was; ``room`` the one that it explored.
    """
    state, was = before
    passed, spots = [state, *engine.passed], engine.spot
    sent = any(message.sender == engine.agents[i] for mail in engine.mail for message in mail)
    seen: list[object] = [
        eyes.in_sight(engine, i),
        eyes.witnessed(engine, i),
        tuple(engine.mail[i]),
        spots[i],
        sent,
    ]
    for k in (i, i + 1):
        with at_the_moment(engine, passed[k], [*spots[:k], *was[k:]]):
            seen.append(eyes.in_sight(engine, i))
            if room in engine.house.rooms:
                seen += [eyes.in_room(engine, room), eyes.done_in(engine, room)]
    return seen


def start(pair: Pair) -> list[HouseholdWorld]:
    """The three worlds; all that the seat is told at the start is the same.

    Raises:
        Told: it is not.
    """
    worlds = [HouseholdWorld(house, TURNS) for house in pair.houses]
    seat = pair.houses[0].agents[pair.seat]
    heard = [_bytes(world, seat, *world.reset()) for world in worlds]
    briefs = [msgspec.structs.replace(world.brief(seat), action_space=None) for world in worlds]
    rules = [
        HouseholdVerbalizer(world.house, seat, TURNS).rules(world.brief(seat)).encode() for world in worlds
    ]
    for three in (heard, [msgspec.json.encode(brief) for brief in briefs], rules):
        same(seat, three)
    return worlds


def play(pair: Pair, seed: int, count: Count) -> None:
    """One episode. A turn in which the seat may notice a difference is taken back and another is tried.

    Raises:
        Told: the seat was told of what it could not have seen.
    """
    worlds, i = start(pair), pair.seat
    house = pair.houses[0]
    seat, bound = house.agents[i], pair.bound
    mine = Knocker(worlds[0].engine, seed, bound)
    others = [Knocker(world.engine, seed + 1 + k, bound) for k, world in enumerate(worlds)]
    alike = seed % 3
    for turn in range(TURNS - 1):
        for _ in range(TRIES):
            command = mine.choose(i)
            room = command.args[0] if command.tool == "Explore" else ""
            saved = [small.saved(world.engine) for world in worlds]
            logs = [(len(world.log), len(world.messages)) for world in worlds]
            first = {other: str(others[0].choose(j)) for j, other in enumerate(house.agents) if j != i}
            heard, seen = [], []
            for k, world in enumerate(worlds):
                calls = dict(first) if k == 0 or alike == 0 else dict.fromkeys(first, WAIT)
                if k and alike == 1:
                    calls = {other: str(others[k].choose(house.agents.index(other))) for other in first}
                before = world.engine.state, list(world.engine.spot)
                heard.append(_step(world, seat, calls | {seat: str(command)}))
                seen.append(noticed(world.engine, i, before, room))
            if seen[0] == seen[1] == seen[2]:
                same(seat, heard)
                count.moments += 1
                count.hidden += len({frozenset(small.facts(world.engine)) for world in worlds}) > 1
                count.knocks += command.args[:1] != () and command.args[0] in bound and command.tool in TOOLS
                break
            for world, state, (log, messages) in zip(worlds, saved, logs, strict=True):
                small.restore(world.engine, state)
                world.turn = turn
                del world.log[log:], world.messages[messages:]
        else:
            break
    count.pairs += 1


TOOLS = ("Open", "Close", "PowerOn", "PowerOff")


def _step(world: HouseholdWorld, seat: str, calls: dict[str, str]) -> bytes:
    observations, _, _, _, infos = world.step(calls)
    return _bytes(world, seat, observations, infos)


def _bytes(world: HouseholdWorld, seat: str, observations: dict, infos: dict) -> bytes:
    """What a seat hears, as data and in words."""
    observed, told = observations[seat], infos[seat]
    words = HouseholdVerbalizer(world.house, seat, TURNS).tell(
        Moment(world.turn, observed, told=told["told"])
    )
    return msgspec.json.encode((observed, told, words))


def same(seat: str, heard: Sequence[bytes]) -> None:
    first, *others = heard
    for other in others:
        if first != other:
            at = next((k for k, (a, b) in enumerate(zip(first, other, strict=False)) if a != b), -1)
            raise Told(
                f"{seat}: {first[max(at - 80, 0) : at + 80]!r} against {other[max(at - 80, 0) : at + 80]!r}"
            )


def many(pairs: int, seed: int, count: Count, leak: Callable[[House], object] | None = None) -> None:
    """Plays so many pairs, in the small house and in all shipped scenes by turns."""
    scenes = ("small", *shipped_scenes())
    for k in range(seed, seed + pairs):
        pair = drawn(scenes[k % len(scenes)] if k % 2 else "small", k)
        if pair is None:
            continue
        if leak:
            for house in pair.houses:
                leak(house)
        play(pair, k, count)


def said_otherwise(house: House, old: str, new: str) -> None:
    """The rules of bound furniture answer with other words: a leak, to see that it is found."""
    rules = []
    for rule in house.rules:
        if "__" in rule.name:
            rule = copy(rule)
            preconditions = tuple(
                msgspec.structs.replace(need, text=need.text.replace(old, new)) for need in rule.preconditions
            )
            rule = msgspec.structs.replace(
                rule, preconditions=preconditions, says=rule.says.replace(old, new)
            )
        rules.append(rule)
    house.rules = tuple(rules)
    house.ground = GroundRules(house.rules, house.facts, house.static)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    count, breaks = Count(), 0
    for k in range(options.seed, options.seed + options.pairs):
        try:
            many(1, k, count)
        except Told as error:
            breaks += 1
            print(f"pair {k}: {error}", flush=True)
    print(
        f"{count.pairs:,} pairs of tasks, {count.moments:,} moments compared, {count.hidden:,} while something hidden "
        f"differed, {count.knocks:,} calls on bound furniture: {breaks} breaks"
    )


if __name__ == "__main__":
    main()
