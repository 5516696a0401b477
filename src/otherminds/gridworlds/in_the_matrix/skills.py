"""Skills: what a mind can choose instead of primitive actions; each behaviour is one.

``move_to``, ``fire_at`` and their planner follow Hypothetical Minds (Cross et al. 2025, appendices D.4 and
D.5); ``collect`` and the behaviours use the puppet of the background bots. Each skill starts with the drawn
map and what it sees from then on. Bad arguments end it at once with a reason, and so does a duel that comes
in between. While its avatar is removed, a skill waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

from otherminds.core.contracts import Controller, Skill
from otherminds.core.data import Action, Brief, Encounter, Ended, Moment, Seat
from otherminds.gridworlds.grid.paths import Cell
from otherminds.gridworlds.grid.rules import NOOP, TURN_RIGHT, UNREACHED
from otherminds.gridworlds.grid.words import format_arguments, place, refuse_skill
from otherminds.gridworlds.in_the_matrix.charts import Aim, leader
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.sight import (
    Collect,
    Goal,
    Puppet,
    SeekDuel,
    Sight,
    Walk,
    goal,
    number,
)
from otherminds.gridworlds.in_the_matrix.views import READY, RESULT

LEAD = 5  # The lead of a class in the inventory from which its behaviour seeks a duel
PATIENCE = 200  # Steps on the map without progress after which a skill gives up
NEAR = 2  # The distance from a place that is near enough to look out there, without taking a box on it
LOOKOUT = 40
"""Steps of looking round without success, ten full turns, after which ``fire_at`` a place gives up."""
UNREADY = "nothing collected yet, so that no duel can come of it"

Aimed = Callable[[Sight], "Goal | Action | Ended"]


def skills(rules: Rules) -> dict[str, Skill]:
    """The skills of a substrate by name: ``move_to``, ``collect``, ``fire_at`` and the behaviours.

    - ``move_to(x, y)`` walks to a cell, round resources where it can.
    - ``collect(class, n=1)`` collects ``n`` more of a class.
    - ``fire_at(*seats)`` seeks a duel with one of ``seats``, or with anyone, all over the map.
    - ``fire_at(x, y)`` stays around a cell, turns clockwise until it sees another, and seeks a duel with that one.
    - ``rock(*seats)``, ... collects until that class leads by ``LEAD``, then seeks a duel.
    """
    return {
        "move_to": partial(_move_to, rules),
        "collect": partial(_collect, rules),
        "fire_at": partial(_fire_at, rules),
        **{name: partial(_behave, rules, kind) for kind, name in enumerate(rules.classes)},
    }


class _Running:
    """A running skill: calls ``choose_goal`` at every step, and lets a puppet follow the goal, unless it is an action.

    ``wants`` says how a duel ends the skill. Without a change of what ``progress`` measures for ``PATIENCE``
    steps it gives up, for the reason ``stalled``. Its end reports what it has seen others collect.
    """

    def __init__(
        self,
        rules: Rules,
        brief: Brief,
        rng: Random,
        choose_goal: Aimed,
        stalled: str,
        wants: Callable[[Encounter], Ended] = lambda duel: Ended(False, "a duel came in between"),
        progress: Callable[[Sight], Any] = lambda sight: None,
    ) -> None:
        self._sight = Sight(rules, seat=brief.seat)
        self._others = brief.others
        self._puppet = Puppet(self._sight, rng)
        self._choose_goal = choose_goal
        self._wants = wants
        self._progress = progress
        self._stalled = stalled
        self._measured: Any = None
        self._idle = 0
        self._begun = False
        self._seen: list[tuple[int, int]] = []

    def __call__(self, moment: Moment) -> Action | Ended:
        out, rules = self._go(moment), self._sight.rules
        if not isinstance(out, Ended):
            return out
        numbers = [number(seat, rules) for seat in self._others]
        # Of those who look alike, who collected it cannot be seen.
        by = {at: seat for at, seat in zip(numbers, self._others, strict=True) if numbers.count(at) == 1}
        takings = tuple((by[player], rules.classes[kind]) for player, kind in self._seen if player in by)
        return Ended(out.ok, out.why, seen=takings)

    def _go(self, moment: Moment) -> Action | Ended:
        # A duel that is observed when the skill begins came before it.
        if self._begun and moment.encounters:
            return self._wants(moment.encounters[-1])
        self._begun = True
        sight = self._sight
        sight.see(moment.observation, moment.step)
        self._seen += sight.taken
        aim = self._choose_goal(sight)
        if isinstance(aim, Ended):
            return aim
        if sight.pose is not None and not sight.held:
            measured = self._progress(sight)
            self._idle = self._idle + 1 if measured == self._measured else 0
            self._measured = measured
            if self._idle > PATIENCE:
                return Ended(False, self._stalled)
        return self._puppet.act(aim) if isinstance(aim, Collect | SeekDuel | Walk) else aim


def _move_to(rules: Rules, brief: Brief, rng: Random, *args: Any) -> Controller:
    cell = place("move_to", args)
    if isinstance(cell, str):
        return refuse_skill(cell)
    nearest = [UNREACHED]

    def choose_goal(sight: Sight) -> Goal | Ended:
        pose = sight.pose
        if cell not in sight.ground.open:
            return Ended(False, f"nobody can stand at {cell}")
        if pose is None:
            return Walk(cell)
        distance = sight.ground.distance(pose[:2], cell)
        if distance == UNREACHED:
            return Ended(False, f"no way leads to {cell}")
        nearest[0] = min(nearest[0], distance)
        return Walk(cell) if distance else Ended(True, f"at {cell}")

    blocked = f"the way to {cell} is blocked"
    return _Running(rules, brief, rng, choose_goal, blocked, progress=lambda sight: nearest[0])


def _collect(rules: Rules, brief: Brief, rng: Random, *args: Any) -> Controller:
    names = rules.classes
    if not 1 <= len(args) <= 2 or args[0] not in names:
        return refuse_skill(
            f"collect takes one of {', '.join(names)} and how many, not {format_arguments(args)}"
        )
    count = args[1] if len(args) == 2 else 1
    if not isinstance(count, int) or count < 1:
        return refuse_skill(f"collect takes a whole number from 1 on, not {count!r}")
    kind = names.index(args[0])
    had: list[int] = []

    def choose_goal(sight: Sight) -> Goal | Ended:
        if not had:
            had.append(sight.inventory[kind])
        gain = sight.inventory[kind] - had[0]
        return Ended(True, f"collected {gain} {names[kind]}") if gain >= count else Collect(kind)

    none = f"found no more {names[kind]}"
    return _Running(rules, brief, rng, choose_goal, none, progress=lambda sight: sight.inventory[kind])


def _fire_at(rules: Rules, brief: Brief, rng: Random, *args: Any) -> Controller:
    cell = place("fire_at", args)
    if not isinstance(cell, str):
        vain = f"no duel came of it at {cell}"
        return _Running(
            rules, brief, rng, _lookout(rules, cell), vain, lambda duel: _report_duel(brief, duel, ())
        )
    strange = _strangers(brief, args)
    if strange:
        return refuse_skill(strange)
    sought = frozenset(number(seat, rules) for seat in args)
    leads = _leads()

    def choose_goal(sight: Sight) -> Goal | Ended:
        most = leads(sight)
        return Ended(False, UNREADY) if most is None else SeekDuel(most, sought)

    vain = "no duel came of it"
    return _Running(rules, brief, rng, choose_goal, vain, lambda duel: _report_duel(brief, duel, args))


def _leads() -> Callable[[Sight], int | None]:
    """The class that leads in the inventory at the first call; ``None`` if no duel can come of it.

    It is judged once: the inventory may be reset before the duel is heard.
    """
    most: list[int] = []

    def leads(sight: Sight) -> int | None:
        if not most and (sight.ready or sight.held):
            most.append(leader(sight.inventory).kind)
        return most[0] if most else None

    return leads


def _lookout(rules: Rules, cell: Cell) -> Aimed:
    """Goes near ``cell``, turns clockwise until another is in sight, then seeks a duel with it (appendix D.5)."""
    leads = _leads()
    idle = [0]

    def choose_goal(sight: Sight) -> Goal | Action | Ended:
        ground, pose = sight.ground, sight.pose
        if cell not in ground.open:
            return Ended(False, f"nobody can stand at {cell}")
        most = leads(sight)
        if most is None:
            return Ended(False, UNREADY)
        if pose is None or sight.held:
            return NOOP
        if any(s.mark == READY or (rules.players == 2 and s.mark < RESULT) for s in sight.others):
            idle[0] = 0
            return SeekDuel(most)
        distance = ground.distance(pose[:2], cell)
        if distance == UNREACHED:
            return Ended(False, f"no way leads to {cell}")
        if distance > NEAR:
            return Walk(cell)
        idle[0] += 1
        return TURN_RIGHT if idle[0] <= LOOKOUT else Ended(False, f"nobody to duel with was seen from {cell}")

    return choose_goal


def _behave(rules: Rules, kind: int, brief: Brief, rng: Random, *args: Any) -> Controller:
    behaviour = rules.classes[kind]
    strange = _strangers(brief, args)
    if strange:
        return refuse_skill(strange)
    sought = frozenset(number(seat, rules) for seat in args)

    def wants(duel: Encounter) -> Ended:
        met = _report_duel(brief, duel, args)
        if met.ok and duel.did[brief.seat] != (behaviour,):
            return Ended(False, f"a duel came before there was most {behaviour}")
        return met

    def choose_goal(sight: Sight) -> Goal:
        return goal(Aim(kind, LEAD), sight.inventory, sought)

    def progress(sight: Sight) -> Any:
        """What it collects while it seeks a duel brings the duel no nearer."""
        return sight.inventory if isinstance(choose_goal(sight), Collect) else ()

    return _Running(rules, brief, rng, choose_goal, f"no duel came of {behaviour}", wants, progress)


def _report_duel(brief: Brief, duel: Encounter, sought: Sequence[Seat]) -> Ended:
    foe = next((seat for seat in duel.did if seat != brief.seat), "")
    if sought and foe not in sought:
        return Ended(False, f"a duel with {foe} came in between")
    return Ended(True, f"duel with {foe}")


def _strangers(brief: Brief, seats: Sequence[Any]) -> str:
    """What is wrong with ``seats`` as others to duel with; empty if nothing is."""
    strange = [seat for seat in seats if seat not in brief.others]
    return f"{format_arguments(strange)} is none of {', '.join(brief.others)}" if strange else ""
