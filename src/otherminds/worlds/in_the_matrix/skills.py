"""Skills: what a mind can choose instead of primitive actions, one for each behaviour among them.

``move_to``, ``fire_at`` and the planner behind them follow Hypothetical Minds
(Cross et al. 2025, appendices D.4 and D.5); ``collect`` and the behaviours stand on
the same puppet as the background bots. Each skill starts with the drawn map and
what it sees from then on. Arguments that make no sense end it at once, with the
reason; so does a duel that comes in between, and a duel is heard as an encounter.
While its avatar is removed, a skill waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from otherminds.core.contracts import Controller, Skill
from otherminds.core.data import Action, Brief, Encounter, Ended, Moment, Seat
from otherminds.worlds.grid.actions import NOOP, TURN_RIGHT
from otherminds.worlds.grid.calls import place, refused, shown
from otherminds.worlds.grid.paths import UNREACHED, Cell
from otherminds.worlds.in_the_matrix.bots.puppet import Collect, Goal, Puppet, SeekDuel, Walk
from otherminds.worlds.in_the_matrix.bots.puppeteers import Aim, goal, leader
from otherminds.worlds.in_the_matrix.rules import Rules
from otherminds.worlds.in_the_matrix.sight import READY, RESULT, Sight, number

LEAD = 5
"""By so much a class leads in the inventory before its behaviour seeks a duel."""
PATIENCE = 200
"""So many steps on the map without progress, and a skill gives up."""
NEAR = 2
"""Moves from a place within which one is around it: to look out there, no box that lies on it need be taken."""
LOOKOUT = 40
"""So many steps in a row of looking round in vain, ten full turns, and ``fire_at`` a place gives up."""
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
        "move_to": _move_to(rules),
        "collect": _collect(rules),
        "fire_at": _fire_at(rules),
        **{name: _behave(rules, kind) for kind, name in enumerate(rules.classes)},
    }


class _Running:
    """A running skill: asks ``aimed`` at every step what to do, and lets a puppet do it, unless it is an action.

    ``wants`` says of a duel what it means for the skill. Without a change of what
    ``progress`` measures for ``PATIENCE`` steps it gives up, for the reason ``stalled``.
    When it ends it tells what it has seen others collect.
    """

    def __init__(
        self,
        rules: Rules,
        brief: Brief,
        rng: Random,
        aimed: Aimed,
        wants: Callable[[Encounter], Ended],
        progress: Callable[[Sight], Any],
        stalled: str,
    ) -> None:
        self._sight = Sight(rules)
        self._others = brief.others
        self._puppet = Puppet(self._sight, rng)
        self._aimed = aimed
        self._wants = wants
        self._progress = progress
        self._stalled = stalled
        self._measured: Any = None
        self._idle = 0
        self._begun = False
        self._seen: list[tuple[int, int]] = []

    def __call__(self, moment: Moment) -> Action | Ended:
        out = self._go(moment)
        return self._with_seen(out) if isinstance(out, Ended) else out

    def _go(self, moment: Moment) -> Action | Ended:
        # The duel that is heard as the skill begins is what came before it.
        if self._begun and moment.encounters:
            return self._wants(moment.encounters[-1])
        self._begun = True
        sight = self._sight
        sight.see(moment.observation, moment.step)
        self._seen += zip(sight.takers, sight.taken, strict=True)
        aim = self._aimed(sight)
        if isinstance(aim, Ended):
            return aim
        if sight.pose is not None and not sight.held:
            measured = self._progress(sight)
            self._idle = self._idle + 1 if measured == self._measured else 0
            self._measured = measured
            if self._idle > PATIENCE:
                return Ended(False, self._stalled)
        return self._puppet.act(aim) if isinstance(aim, Collect | SeekDuel | Walk) else aim

    def _with_seen(self, ended: Ended) -> Ended:
        """``ended`` with what was seen, under the names of seats."""
        rules = self._sight.rules
        by = {number(seat, rules): seat for seat in self._others}
        seen = tuple((by[player], rules.classes[kind]) for player, kind in self._seen if player in by)
        return Ended(ended.ok, ended.why, seen=seen)


def _move_to(rules: Rules) -> Skill:
    def move_to(brief: Brief, rng: Random, *args: Any) -> Controller:
        cell = place("move_to", args)
        if isinstance(cell, str):
            return refused(cell)
        nearest = [UNREACHED]

        def aimed(sight: Sight) -> Goal | Ended:
            pose = sight.pose
            if cell not in sight.survey.ground.open:
                return Ended(False, f"nobody can stand at {cell}")
            if pose is None:
                return Walk(cell)
            left = sight.survey.ground.distance(pose[:2], cell)
            if left == UNREACHED:
                return Ended(False, f"no way leads to {cell}")
            nearest[0] = min(nearest[0], left)
            return Walk(cell) if left else Ended(True, f"at {cell}")

        return _Running(
            rules,
            brief,
            rng,
            aimed,
            lambda duel: Ended(False, "a duel came in between"),
            lambda sight: nearest[0],
            f"the way to {cell} is blocked",
        )

    return move_to


def _collect(rules: Rules) -> Skill:
    names = rules.classes

    def collect(brief: Brief, rng: Random, *args: Any) -> Controller:
        if not 1 <= len(args) <= 2 or args[0] not in names:
            return refused(f"collect takes one of {', '.join(names)} and how many, not {shown(args)}")
        wanted = args[1] if len(args) == 2 else 1
        if not isinstance(wanted, int) or wanted < 1:
            return refused(f"collect takes a whole number from 1 on, not {wanted!r}")
        kind = names.index(args[0])
        had: list[int] = []

        def aimed(sight: Sight) -> Goal | Ended:
            if not had:
                had.append(sight.inventory[kind])
            got = sight.inventory[kind] - had[0]
            return Ended(True, f"collected {got} {names[kind]}") if got >= wanted else Collect(kind)

        return _Running(
            rules,
            brief,
            rng,
            aimed,
            lambda duel: Ended(False, "a duel came in between"),
            lambda sight: sight.inventory[kind],
            f"found no more {names[kind]}",
        )

    return collect


def _fire_at(rules: Rules) -> Skill:
    def fire_at(brief: Brief, rng: Random, *args: Any) -> Controller:
        cell = place("fire_at", args)
        if not isinstance(cell, str):
            return _Running(
                rules,
                brief,
                rng,
                _lookout(rules, cell),
                lambda duel: _met(brief, duel, ()),
                lambda sight: (),
                f"no duel came of it at {cell}",
            )
        strange = _strangers(brief, args)
        if strange:
            return refused(strange)
        sought = frozenset(number(seat, rules) for seat in args)
        most: list[int] = []

        def aimed(sight: Sight) -> Goal | Ended:
            # Judged once: the inventory may be reset before the duel is heard.
            if not most:
                if not sight.ready and not sight.held:
                    return Ended(False, UNREADY)
                most.append(leader(sight.inventory).kind)
            return SeekDuel(most[0], sought)

        return _Running(
            rules,
            brief,
            rng,
            aimed,
            lambda duel: _met(brief, duel, args),
            lambda sight: (),
            "no duel came of it",
        )

    return fire_at


def _lookout(rules: Rules, cell: Cell) -> Aimed:
    """Goes near ``cell``, turns clockwise until another is in sight, then seeks a duel with it (appendix D.5)."""
    most: list[int] = []
    idle = [0]

    def aimed(sight: Sight) -> Goal | Action | Ended:
        ground, pose = sight.survey.ground, sight.pose
        if cell not in ground.open:
            return Ended(False, f"nobody can stand at {cell}")
        # Judged once: the inventory may be reset before the duel is heard.
        if not most:
            if not sight.ready and not sight.held:
                return Ended(False, UNREADY)
            most.append(leader(sight.inventory).kind)
        if pose is None or sight.held:
            return NOOP
        if any(s.mark == READY or (rules.players == 2 and s.mark < RESULT) for s in sight.others):
            idle[0] = 0
            return SeekDuel(most[0])
        left = ground.distance(pose[:2], cell)
        if left == UNREACHED:
            return Ended(False, f"no way leads to {cell}")
        if left > NEAR:
            return Walk(cell)
        idle[0] += 1
        return TURN_RIGHT if idle[0] <= LOOKOUT else Ended(False, f"nobody to duel with was seen from {cell}")

    return aimed


def _behave(rules: Rules, kind: int) -> Skill:
    behaviour = rules.classes[kind]

    def behave(brief: Brief, rng: Random, *args: Any) -> Controller:
        strange = _strangers(brief, args)
        if strange:
            return refused(strange)
        sought = frozenset(number(seat, rules) for seat in args)

        def wants(duel: Encounter) -> Ended:
            met = _met(brief, duel, args)
            if met.ok and duel.did[brief.seat] != (behaviour,):
                return Ended(False, f"a duel came before there was most {behaviour}")
            return met

        def aimed(sight: Sight) -> Goal:
            return goal(Aim(kind, LEAD), sight.inventory, sought)

        return _Running(
            rules,
            brief,
            rng,
            aimed,
            wants,
            # What it collects while it looks for a duel brings that no nearer.
            lambda sight: sight.inventory if isinstance(aimed(sight), Collect) else (),
            f"no duel came of {behaviour}",
        )

    return behave


def _met(brief: Brief, duel: Encounter, sought: Sequence[Seat]) -> Ended:
    """How a duel ends a skill that seeks one."""
    foe = next((seat for seat in duel.did if seat != brief.seat), "")
    if sought and foe not in sought:
        return Ended(False, f"a duel with {foe} came in between")
    return Ended(True, f"duel with {foe}")


def _strangers(brief: Brief, seats: Sequence[Any]) -> str:
    """What is wrong with ``seats`` as others to duel with; empty if nothing is."""
    strange = [seat for seat in seats if seat not in brief.others]
    return f"{shown(strange)} is none of {', '.join(brief.others)}" if strange else ""
