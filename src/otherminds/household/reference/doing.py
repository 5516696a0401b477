"""From goals to the next call: searching for an object, handling things, priorities, learning from the last call, and giving up.

An object is searched room by room, then inside closed furniture, and again later, since things get moved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from otherminds.household.epistemic.formula import Atom, Literal, Not, atom
from otherminds.household.epistemic.predicates import AXES, OPPOSITES, TOOLS
from otherminds.household.epistemic.words import Refusal
from otherminds.household.reference.knowledge import Knowledge
from otherminds.household.reference.picture import LYING, Value
from otherminds.household.reference.sharing import ways
from otherminds.household.scenes.scene import floor_of

SWEEPS = 4
"""The number of sweeps through the house before an object is given up."""
PAUSE = 3
"""Turns between two sweeps."""


class Search:
    """The search state of one agent in this sweep."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._done: set[str] = set()
        self._sweeps: dict[str, int] = {}
        self._looked: set[str] = set()
        self._ended = -PAUSE

    def looked_at(self, place: str) -> None:
        """Records that a room was explored, or furniture opened or given up, in this sweep."""
        self._done.add(place)

    def over(self, o: str) -> bool:
        return self._sweeps.get(o, 0) >= SWEEPS

    def has_explored(self, o: str) -> bool:
        """Whether every room was explored once, though not all closed furniture."""
        return o in self._looked

    def swept(self, o: str) -> bool:
        """Whether every place was searched once without finding ``o``."""
        return self._sweeps.get(o, 0) > 0

    def next(
        self, o: str, stated_room: str | None, again: Collection[str], confined: Collection[str] | None
    ) -> str | None:
        """The next place to search for ``o``: a room to explore, or furniture to open; ``None`` in a pause and at the end.

        ``stated_room`` is the room named by a statement, ``confined`` the only rooms to search. The rooms ``again``, where another
        agent may have left it in the meantime, are explored once more before closed furniture is opened. A target is
        repeated until :meth:`looked_at` records it.
        """
        knowledge = self._knowledge
        if self.over(o) or knowledge.turn < self._ended + PAUSE:
            return None
        hops = knowledge.plan.hops(knowledge.room, knowledge.barred[knowledge.me])
        rooms = [
            room for room in hops if stated_room in (None, room) and (confined is None or room in confined)
        ]
        target = next((room for room in rooms if room not in self._done), None)
        if target is None:
            self._looked.add(o)
            target = self._again(again) or self._next_closed(rooms)
        if target is None:
            self._sweeps[o] = self._sweeps.get(o, 0) + 1
            self._ended = knowledge.turn
            self._done.clear()
            if stated_room:
                knowledge.picture.forget(("at", o))
        return target

    def _again(self, rooms: Collection[str]) -> str | None:
        for room in rooms:
            if (again := f"again {room}") not in self._done:
                self._done.add(again)
                return room
        return None

    def _next_closed(self, rooms: list[str]) -> str | None:
        """The next closed furniture in these rooms, the nearest first."""
        plan, picture = self._knowledge.plan, self._knowledge.picture
        for room in rooms:
            inside = (f for f in plan.all_that("container") if plan.room_of[f] == room)
            for f in inside:
                if f not in self._done and picture.state(f, "is_open") == "is_closed":
                    return f
        return None


class Hands:
    """The handling of things by one agent. Each method returns one call, or ``None`` if there is nothing to do now.

    ``near`` is the furniture next to the agent. By object, ``meet`` is the room where another agent will leave it,
    ``again`` the rooms where another agent may have left it, and ``confined`` the only rooms to search. ``opened`` is the
    furniture that was opened for access to something else.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.search = Search(knowledge)
        self.layer = Layer(knowledge)
        self.near = ""
        self.meet: dict[str, str] = {}
        self.again: dict[str, tuple[str, ...]] = {}
        self.confined: dict[str, frozenset[str]] = {}
        self.opened: list[str] = []

    def towards(self, goal: Literal, goals: Sequence[Literal] = ()) -> str | None:
        """A call towards ``goal`` that respects the other places that ``goals`` name for its object."""
        fact = atom(goal)
        entity, *others = fact.args
        if fact.predicate in RESTING:
            where = self.layer.choose(entity, goal, goals)
            return self._put_object(entity, *where) if where else None
        if isinstance(goal, Not):
            return self._away(fact)
        match fact.predicate:
            case "is_next_to":
                return self._beside(entity, others[0], goals)
            case "is_held_by":
                return self._get_object(entity)
            case "agent_in_room":
                return f"Navigate[{others[0]}]"
            case value if value in AXES and entity in self.knowledge.plan.room_of:
                return self.turn(entity, value)
            case _:
                return self._handle(goal)

    def turn(self, furniture: str, value: str) -> str | None:
        """Sets the state of furniture, directly or through furniture that controls it."""
        for handle, tried in ways(self.knowledge, self.knowledge.me, furniture, value):
            current = self.knowledge.picture.state(handle, tried)
            if handle == furniture and current == tried:
                return None
            if self.near != handle:
                return f"Navigate[{handle}]"
            # Only a change sets what follows: a handle that is in the right state already is moved back first.
            return self.knowledge.wiring.call(handle, OPPOSITES[tried] if current == tried else tried)
        return None

    def _put_object(self, o: str, how: str, f: str, beside: str = "") -> str | None:
        if self.knowledge.plan.room_of.get(f) not in self.knowledge.rooms(self.knowledge.me):
            return None
        if o not in self.knowledge.holding:
            return self._get_object(o)
        if self.near != f:
            return f"Navigate[{f}]"
        if how == "within" and self._shut(f):
            return self.access(f)
        return f"Place[{o}, {how}, {f}, next_to, {beside}]" if beside else f"Place[{o}, {how}, {f}]"

    def _get_object(self, o: str) -> str | None:
        knowledge = self.knowledge
        if o in knowledge.holding:
            return None
        place = knowledge.picture.place(o)
        if place is None:
            return self._seek(o)
        if place[0] == "is_held_by":
            return self._await(o)
        room = knowledge.picture.room(o)
        if room not in knowledge.rooms(knowledge.me):
            return self._await(o)
        if place[0] not in LYING:
            return self._seek(o, room)
        f = place[1]
        if self.near != f:
            return f"Navigate[{f}]"
        if place[0] == "is_inside" and self._shut(f):
            return self.access(f)
        if knowledge.sees(o) != place:
            knowledge.picture.forget(("at", o))
            return self._seek(o)
        if knowledge.holding:
            return f"Place[{knowledge.holding[0]}, on, {floor_of(knowledge.room)}]"
        return f"Pick[{o}]"

    def _seek(self, o: str, stated_room: str | None = None) -> str | None:
        """The next call in search of an object; ``stated_room`` is the room named by a statement."""
        while place := self.search.next(o, stated_room, self.again.get(o, ()), self.confined.get(o)):
            if place in self.knowledge.plan.rooms:
                return f"Explore[{place}]"
            call = self.access(place)
            if call is None or not call.startswith("Navigate"):
                self.search.looked_at(place)
            if call:
                return call
        return None

    def _await(self, o: str) -> str | None:
        """Goes to the room where another agent, which has the object or alone can reach it, will leave it."""
        room = self.meet.get(o)
        if room and room != self.knowledge.room:
            return f"Navigate[{room}]"
        return None

    def access(self, f: str) -> str | None:
        """Opens furniture for access to its inside; it will be closed again."""
        call = self.turn(f, "is_open")
        if call and not call.startswith("Navigate") and f not in self.opened:
            self.opened.append(f)
        return call

    def _shut(self, f: str) -> bool:
        return self.knowledge.picture.state(f, "is_open") == "is_closed"

    def _away(self, fact: Atom) -> str | None:
        if fact.predicate == "is_held_by":
            o, holder = fact.args
            return f"Place[{o}, on, {floor_of(self.knowledge.room)}]" if holder == self.knowledge.me else None
        if fact.predicate == "agent_in_room":
            agent, room = fact.args
            others = [other_room for other_room in sorted(self.knowledge.rooms(agent)) if other_room != room]
            return f"Navigate[{others[0]}]" if agent == self.knowledge.me and others else None
        o = fact.args[0]
        if o not in self.knowledge.holding:
            return self._get_object(o)
        return self._put_object(o, "on", floor_of(self.knowledge.room))

    def _beside(self, o: str, other: str, goals: Sequence[Literal]) -> str | None:
        """Puts ``o`` next to ``other``, or vice versa, or both where both are wanted."""
        if other in self.knowledge.holding:
            o, other = other, o
        place = self.knowledge.picture.place(other)
        if place is None or place[0] not in LYING:
            return self._seek(other)
        if self.layer.fits((o, other), goals, place):
            return self._put_object(o, "within" if place[0] == "is_inside" else "on", place[1], other)
        both = self.layer.place((o, other), goals)
        if both is None:
            return None
        lies = self.knowledge.picture.place(o)
        return self._put_object(other, *both, o if lies and lies[0] in LYING and lies[1] == both[1] else "")

    def _handle(self, goal: Literal) -> str | None:
        """Cleans, fills, empties or switches an object."""
        fact = atom(goal)
        o = fact.args[0]
        knowledge = self.knowledge
        if fact.predicate in ("is_filled", "is_empty"):
            return self._fill(o) if fact.predicate == "is_filled" else self._pour(o)
        tool = {"is_clean": "Clean", "is_powered_on": "PowerOn", "is_powered_off": "PowerOff"}.get(
            fact.predicate
        )
        if tool is None:
            return None
        call = f"{tool}[{o}]"
        place = knowledge.picture.place(o)
        if o in knowledge.holding:
            return call
        if place is None or place[0] not in LYING:
            return self._get_object(o)
        if knowledge.picture.room(o) not in knowledge.rooms(knowledge.me):
            return self._await(o)
        if self.near != place[1]:
            return f"Navigate[{place[1]}]"
        if place[0] == "is_inside" and self._shut(place[1]):
            return self.access(place[1])
        return call if knowledge.sees(o) == place else self._get_object(o)

    def _fill(self, o: str) -> str | None:
        knowledge = self.knowledge
        if o not in knowledge.holding:
            return self._get_object(o)
        rooms = knowledge.rooms(knowledge.me)
        faucets = [f for f in knowledge.plan.all_that("faucet") if knowledge.plan.room_of[f] in rooms]
        if not faucets:
            return None
        return f"Fill[{o}]" if self.near in faucets else f"Navigate[{faucets[0]}]"

    def _pour(self, o: str) -> str | None:
        knowledge = self.knowledge
        if o not in knowledge.holding:
            return self._get_object(o)
        for (axis, other), value in knowledge.picture.facts.items():
            if axis == "is_filled" and value == ("is_empty",) and other != o:
                place = knowledge.sees(other)
                if place and knowledge.picture.room(other) in knowledge.rooms(knowledge.me):
                    return f"Pour[{other}]" if self.near == place[-1] else f"Navigate[{place[-1]}]"
        return None


RESTING = ("is_on_top", "is_inside", "is_in_room", "is_on_floor")
"""Predicates that say where an object rests."""
HOW = {"is_on_top": "on", "is_inside": "within", "lies_on": "on"}
"""The relation in a call of ``Place``, by predicate."""


class Layer:
    """Places for objects, by the knowledge of one agent."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def choose(self, o: str, goal: Literal, goals: Sequence[Literal]) -> tuple[str, str] | None:
        """The place for ``o``: together with the objects to be next to it if all goals for them are compatible, else alone.

        If the other goals exclude ``goal``, they are ignored.
        """
        company = [name for fact in map(atom, goals) if fact.predicate == "is_next_to" for name in fact.args]
        beside = [name for name in company if name != o] if o in company else []
        return self.place((o, *beside), goals) or self.place((o,), goals) or self.place((o,), (goal,))

    def place(self, objects: Sequence[str], goals: Sequence[Literal]) -> tuple[str, str] | None:
        """The relation and furniture of a call that puts any of ``objects`` where all of them may rest.

        ``None`` if no reachable place is compatible with the goals.
        """
        rooms = self._knowledge.rooms(self._knowledge.me)
        for how, f in self._places(objects, goals):
            if self._knowledge.plan.room_of.get(f) in rooms and self.fits(objects, goals, (how, f)):
                return HOW[how], f
        return None

    def fits(self, objects: Sequence[str], goals: Sequence[Literal], place: Value) -> bool:
        """Whether ``place`` is compatible with all goals for the places of ``objects``."""
        picture = self._knowledge.picture
        return all(picture.would(literal, place) is not False for literal in _of(objects, goals))

    def _places(self, objects: Sequence[str], goals: Sequence[Literal]) -> Iterator[tuple[str, str]]:
        """Candidate places, the most likely first: the furniture named in goals, then floors, then all other furniture."""
        place_goals = [literal for literal in _of(objects, goals) if isinstance(literal, Atom)]
        yield from ((fact.predicate, fact.args[1]) for fact in place_goals if fact.predicate in HOW)
        knowledge = self._knowledge
        near = knowledge.plan.hops(knowledge.room, knowledge.barred[knowledge.me])
        goal_rooms = [fact.args[1] for fact in place_goals if fact.predicate == "is_in_room"]
        rooms = [*goal_rooms, *(room for room in near if room not in goal_rooms)]
        yield from (("lies_on", floor_of(room)) for room in rooms)
        for how, kind in (("is_on_top", "surface"), ("is_inside", "container")):
            able = knowledge.plan.all_that(kind)
            yield from ((how, f) for room in rooms for f in able if knowledge.plan.room_of[f] == room)


def _of(objects: Sequence[str], goals: Sequence[Literal]) -> list[Literal]:
    return [
        literal
        for literal in goals
        if atom(literal).predicate in RESTING and atom(literal).args[0] in objects
    ]


TRIES = 3
"""The number of times that a failing call is tried."""
TURNS = 6
"""The number of times that a successful call is repeated, so that agents with opposite goals stop eventually."""

CALL = re.compile(r"(\w+)\[([^,\]]*)")
VALUES = {tool: value for value, tool in TOOLS.items()}

ORDER = {"is_filled": 0, "is_empty": 0, "is_clean": 1, "agent_in_room": 4, "is_held_by": 3}
"""The order of goals by predicate; moving things has rank 2, changing furniture rank 3."""


class Doer:
    """The acts of an agent, with a memory of its attempts."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.hands = Hands(knowledge)
        self._last = ""
        self._failed: Counter[str] = Counter()
        self._made: Counter[str] = Counter()

    def next(self, goals: Iterable[Literal]) -> str | None:
        """The next call towards the first of ``goals`` that is not achieved and can be advanced."""
        ranked = sorted(goals, key=self._rank)
        for goal in ranked:
            if not self.knowledge.achieved(goal):
                call = self._worth(self.hands.towards(goal, ranked))
                if call:
                    return call
        return None

    def tidy(self) -> str | None:
        """Closes furniture that was opened for access, unless a goal or the agent's own private goal wants it open."""
        for f in tuple(self.hands.opened):
            open_now = self.knowledge.picture.state(f, "is_open") == "is_open"
            desired = {*self.knowledge.goals, *self.knowledge.wishes}
            if open_now and Atom("is_open", (f,)) not in desired:
                call = self._worth(self.hands.turn(f, "is_closed"))
                if call:
                    return call
            self.hands.opened.remove(f)
        return None

    def did(self, call: str) -> None:
        self._last = call

    def settle(self, worked: bool, text: str) -> None:
        """Learns from the result of the last call, after its observation was processed."""
        call = CALL.match(self._last)
        if call is None:
            return
        tool, name = call[1], call[2]
        if worked:
            self._made[self._last] += 1
            self._record_move(tool, name)
        else:
            self._failed[self._last] += 1
            self._record_refusal(tool, name, text)
        self._last = ""

    def stuck(self, goal: Literal) -> bool:
        """Whether the search for things of ``goal`` failed: they may be where only others can go."""
        knowledge, search = self.knowledge, self.hands.search
        elsewhere = len(knowledge.rooms(knowledge.me)) < len(knowledge.plan.rooms)
        return any(
            search.swept(name) or (elsewhere and search.has_explored(name)) for name in atom(goal).args
        )

    def _record_move(self, tool: str, name: str) -> None:
        knowledge = self.knowledge
        if tool == "Navigate":
            self.hands.near = name if name in knowledge.plan.room_of else ""
        elif tool == "Explore":
            self.hands.near = ""
            self.hands.search.looked_at(name)
        elif tool in VALUES:
            value = knowledge.picture.state(name, VALUES[tool])
            for furniture, follows in knowledge.wiring.effects(name, value).items() if value else ():
                knowledge.picture.note(Atom(follows, (furniture,)))
        elif tool == "Place" and "next_to" in self._last:
            other = self._last.rpartition(", ")[2].rstrip("]")
            knowledge.picture.note(Atom("is_next_to", (name, other)))

    def _record_refusal(self, tool: str, name: str, text: str) -> None:
        knowledge = self.knowledge
        target_value = VALUES.get(tool)
        opposite = (
            target_value is not None
            and knowledge.picture.state(name, target_value) == OPPOSITES[target_value]
        )
        knowledge.learn_refusal(Refusal(knowledge.me, text, name, opposite))

    def _worth(self, call: str | None) -> str | None:
        """The call, unless it has been tried too often."""
        if call is None or self._failed[call] >= TRIES:
            return None
        return None if self._made[call] >= TURNS and not call.startswith(("Navigate", "Explore")) else call

    def _rank(self, goal: Literal) -> tuple[bool, int]:
        fact = atom(goal)
        turns = fact.predicate in AXES and fact.args[0] in self.knowledge.plan.room_of
        rank = ORDER.get(fact.predicate, 3 if turns else 2)
        return fact.args[0] not in self.knowledge.holding or rank > 2, rank
