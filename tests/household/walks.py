"""Random walks in which the simulator and the PDDL of its task must agree, action by action and fact by fact.

What a call means in PDDL is written here a second time, from the description of the tools. Of
the engine only what its agents believe is asked, because a call is tried where its agent
believes the thing to be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Self

from otherminds.household.commands import Command
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.formula import Atom
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from tests.household.choosing import Chooser
from tests.household.pddl_interpreter import Planning
from tests.household.pddl_writer import domain, problem

Step = tuple[str, tuple[str, ...]]
HOW = {"is_on_top": "on", "is_inside": "within", "lies_on": "floor"}
ALWAYS = ("FindObjectTool", "FindReceptacleTool", "FindRoomTool", "Wait")
EPISODE = 120
"""Turns until everything starts anew: what is clean stays clean, and messages run out."""
SELDOM = 59
"""Turns between comparisons of what follows by axioms."""


class DisagreementError(AssertionError):
    """The simulator and the PDDL differ."""


class Walk:
    """One walk. ``told`` is the house whose PDDL is read, where that is not ``house`` (a mutant)."""

    def __init__(self, house: House, seed: int, told: House | None = None) -> None:
        self.house = house
        self.engine = HouseEngine(house)
        self.pddl = Planning(domain(told or house), problem(told or house))
        self.chooser = Chooser(self.engine, seed)
        self.fired: Counter[str] = Counter()
        self.tried: Counter[str] = Counter()
        self.actions = self.turns = 0
        fixed = self.pddl.fixed
        self.room = {fact[1]: fact[2] for fact in fixed if fact[0] in ("spot_in", "furniture_in")}
        self.near = {spot: [] for spot in self.pddl.kinds if self.pddl.kinds[spot] == "spot"}
        self.meets = {legal(s): {legal(o) for o in seen} for s, seen in house.scene.tables.meets.items()}
        for fact in sorted(fixed):
            if fact[0] == "reaches":
                self.near[fact[1]].append(fact[2])
        self.kind = {
            kind: {f[1] for f in fixed if f[0] == kind} for kind in ("surface", "container", "floor")
        }
        self.next = {fact[1]: fact[2] for fact in fixed if fact[0] == "next"}
        self.reset()

    def reset(self) -> None:
        """A new episode, on both sides."""
        self.engine.reset()
        self.pddl.state = set(self.pddl.start)
        self.mirror = {written(fact) for fact in self.house.facts.shown(self.engine.state)}
        self._compare(self.engine.state)

    def walk(self, actions: int) -> Self:
        """Walks until ``actions`` more actions were tried."""
        end = self.actions + actions
        while self.actions < end:
            self.turn()
            if self.turns % EPISODE == 0:
                self.reset()
        return self

    def turn(self) -> None:
        """One turn of everybody, first in the engine, then action by action in PDDL."""
        engine = self.engine
        commands = [self.chooser.choose(i) for i in range(len(engine.agents))]
        believed = [self._believed(i, command) for i, command in enumerate(commands)]
        before = engine.state
        for i, (worked, text) in enumerate(engine.step(commands)):
            command = commands[i]
            self.tried[command.tool] += 1
            if command.tool in ALWAYS:
                applies = True
            else:
                steps = self._steps(engine.agents[i], command, believed[i])
                possible = [step for step in steps if self.pddl.applicable(*step)]
                applies = bool(possible)
                for name, values in possible[:1]:
                    self.pddl.apply(name, values)
                    self.fired[name] += 1
            if worked != applies:
                raise DisagreementError(
                    f"turn {self.turns}: {engine.agents[i]}: {command}: {text!r} against {applies}"
                )
        self.actions += len(commands)
        self.turns += 1
        self._compare(before)

    def _compare(self, before: int) -> None:
        """The state and the positions of all agents are the same."""
        house, engine = self.house, self.engine
        self.mirror ^= {written(fact) for fact in house.facts.shown(before ^ engine.state)}
        if self.mirror != self.pddl.state:
            raise DisagreementError(f"turn {self.turns}: {sorted(self.mirror ^ self.pddl.state)}")
        for agent, spot in zip(engine.agents, engine.spot, strict=True):
            assert ("at", agent, legal(house.spots[spot])) in self.pddl.state
        if self.turns % SELDOM == 0:
            self._compare_what_follows(self.chooser.draw.sample(house.objects, 3))

    def _compare_what_follows(self, objects: Sequence[str]) -> None:
        """What the axioms say of some objects is what the simulator says of them."""
        atoms = [Atom("is_on_floor", (o,)) for o in objects]
        atoms += [Atom("is_in_room", (o, room)) for o in objects for room in self.house.rooms]
        mine = {(atom.predicate, *atom.args) for atom in atoms if holds(self.engine, atom)}
        follow = self.pddl.follows("is_on_floor") | self.pddl.follows("is_in_room")
        told = {fact for fact in follow if fact[1] in objects}
        if mine != told:
            raise DisagreementError(f"turn {self.turns}: {sorted(mine ^ told)}")

    # What a call means

    def _believed(self, i: int, command: Command) -> dict[str, tuple[str, str] | None]:
        """Where an agent believes the things and agents of its call to be, before the turn."""
        engine = self.engine
        places = {name: engine.sight.where(i, name) for name in command.args if name in self.house.objects}
        holders = [place[1] for place in places.values() if place and place[0] == "is_held_by"]
        for agent in (*command.args, *holders):
            if agent in engine.agents:
                room = engine.sight.believed[i] & self.house.rooms_mask[agent]
                places[agent] = self.house.facts.named[room.bit_length() - 1][::2] if room else None
        return places

    def _steps(self, a: str, command: Command, believed: dict[str, tuple[str, str] | None]) -> Sequence[Step]:
        """The ground actions any of which the call can be."""
        s = next(fact[2] for fact in self.pddl.state if fact[:2] == ("at", a))
        args, tool = command.args, command.tool.lower()
        match command.tool:
            case "Navigate" | "Explore":
                t = self._goal(a, s, args[0], believed) if tool == "navigate" else f"centre--{args[0]}"
                return [("navigate", (a, s, self.room[s], t, self.room[t]))] if t in self.near else []
            case "Communicate":
                k = next(fact[2] for fact in self.pddl.state if fact[:2] == ("left", a))
                if k not in self.next:
                    return []
                if args[0] == "all":
                    return [("broadcast", (a, k, self.next[k]))]
                known = [b for b in args[:1] if b in self.engine.agents]
                return [("communicate", (a, b, k, self.next[k])) for b in known]
            case "Place":
                return self._placing(a, s, args, believed)
            case "Fill":
                known = believed.get(args[0]) is not None
                return [
                    ("fill_held", (a, s, args[0], f)) for f in (*self.near[s], *self.house.furniture) if known
                ]
            case "Done":
                return []
            case _:
                pass
        thing = args[0]
        if thing in self.room and tool != "pick":
            own = f"{tool}_furniture__{thing}"
            if own in self.pddl.actions:
                return [(own, (a, s))]
            return [(f"{tool}_furniture", (a, s, thing))] if f"{tool}_furniture" in self.pddl.actions else []
        place = believed.get(thing)
        if place is None or thing not in self.house.objects or f"{tool}_on" not in self.pddl.actions:
            return []
        predicate, where = place
        if predicate == "is_held_by":
            return (
                [(f"{tool}_held", (a, s, thing))]
                if where == a and f"{tool}_held" in self.pddl.actions
                else []
            )
        held = [fact[1] for fact in self.pddl.state if fact[0] == "is_held_by" and fact[2] == a]
        further = held if tool == "pour" else []
        if tool == "pour" and not held:
            return []
        return [(f"{tool}_{HOW[predicate]}", (a, s, thing, *further, where))]

    def _placing(
        self, a: str, s: str, args: Sequence[str], believed: dict[str, tuple[str, str] | None]
    ) -> Sequence[Step]:
        o, relation, f = args[:3]
        if o not in self.house.objects or f not in self.room:
            return []
        how = "floor" if f in self.kind["floor"] and relation == "on" else relation
        if len(args) > 3:
            beside = next((key for key, value in HOW.items() if value == how), ""), f
            if believed.get(args[4]) != beside or (beside[0], args[4], f) not in self.pddl.state:
                return []
        return [(f"place_{how}", (a, s, o, f))]

    def _goal(self, a: str, s: str, target: str, believed: dict[str, tuple[str, str] | None]) -> str:
        """The spot where a walk ends: none, where the agent does not know."""
        if target in self.room:
            own = f"stand--{target}"
            return (
                s if target in self.near[s] else own if own in self.near else f"centre--{self.room[target]}"
            )
        if target in self.house.rooms:
            return f"centre--{target}"
        place = believed.get(target)
        if place is None:
            return ""
        if target in self.engine.agents:
            spot = next(fact[2] for fact in self.pddl.state if fact[:2] == ("at", target))
            return spot if spot in self.meets[s] else f"centre--{place[1]}"
        if place[0] == "is_held_by":
            return s if place[1] == a else self._goal(a, s, place[1], believed)
        return self._goal(a, s, place[1], believed)


def legal(name: str) -> str:
    """A spot as the PDDL names it."""
    return name.replace(":", "--")


def written(fact: tuple[str, ...]) -> tuple[str, ...]:
    """A fact of the engine as the PDDL names it."""
    return (fact[0], *(f"n{part}" if part.isdecimal() else legal(part) for part in fact[1:]))
