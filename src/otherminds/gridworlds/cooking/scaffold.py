"""Cooking for minds that reason in steps: scenes, skills and worked plans, by Cross et al. 2025, appendices D and G.4.

What the seats did is observed, not inferred; predictions are free text; the choice is a strategy, carried out
by plans whose outcomes are evaluated (appendices D.3, D.6). The wording is our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.core.data import Behaviour, Brief, Encounter, Invalid, Moment, Seat, SkillChoice
from otherminds.core.scaffold import Heard, Manner, PlanningScaffold, RememberedSighting, Sighting
from otherminds.gridworlds.cooking import acts
from otherminds.gridworlds.cooking import sightings as told_rules
from otherminds.gridworlds.cooking.kitchen import FULL_BAR, layout
from otherminds.gridworlds.cooking.rules import (
    COUNTER,
    DISHES,
    EMPTY,
    FLOOR,
    HATCH,
    ITEMS,
    POT,
    TOMATOES,
    Rules,
)
from otherminds.gridworlds.cooking.sightings import LABELS, THINGS, ParsedObservation, Side, see, side
from otherminds.gridworlds.grid.actions import COMPASS, player_of, seat_of
from otherminds.gridworlds.grid.paths import Cell
from otherminds.gridworlds.grid.words import plan as planned
from otherminds.replies.asking import several, unread

MANNER = Manner(judged=True, joint=False, choice="strategy", reflects=True)
PLACES = {"move_to": (1, 2), "interact": (1,), "wait": (1,)}
"""The skills of plans, and with how many places each may be called: where one starts from may be left out."""
KINDS = (TOMATOES, DISHES, HATCH, POT, COUNTER)
STRATEGIES = (
    "They lay dishes on the counters for you instead of using them.",
    "They only ever fill the pot that is nearer to them.",
    "They pick up tomatoes, but seldom put them into a pot.",
)
"""No partner follows any of these."""


@dataclass(frozen=True)
class CookingScaffold(PlanningScaffold):
    """The words of one episode for seat ``me`` of ``substrate``; ``order`` is that in which behaviours are listed."""

    substrate: Rules
    me: Seat
    order: tuple[int, ...]
    manner: Manner = MANNER

    def system(self, brief: Brief) -> str:
        lines = [
            *told_rules.paragraphs(self.substrate),
            "You steer yourself by plans: one skill after the other, each called with places.",
            self.skills(),
            "Most of the time interact is all you need, since it walks as well. Use only what stands around your own "
            "side. A tomato or a dish is taken with empty hands alone: interact with an empty counter to free them, never "
            "with a place of delivery. Take a dish before you go for soup. Wait at a pot only where you have nothing "
            "better to do, as when all pots are full.",
            "Find out from what happens what your team gains by: who is nearer to tomatoes, to dishes, to a place of "
            "delivery; what others do and how well; and what is left undone if you do not do it.",
            "Whenever soup is delivered you are told what was done since the delivery before, in these words: "
            f"{several([repr(behaviour) for behaviour in self._behaviours], 'or')}. Of others you are told what you could "
            f"see. Whoever does none of the others for {acts.PATIENCE} steps stands around.",
            *(f"You are told a secret: {secret}." for secret in brief.secrets),
        ]
        return "\n".join(lines)

    def name(self, seat: Seat) -> str:
        return told_rules.name_player(self.substrate, player_of(seat))

    def seat(self, name: str) -> Seat | None:
        others = [seat for seat in map(seat_of, range(self.substrate.players)) if seat != self.me]
        return {self.name(seat): seat for seat in others}.get(name.strip().lower())

    def choices(self, seat: Seat) -> tuple[Any, ...]:
        return tuple(self._behaviours)

    def written(self, behaviour: Behaviour, seat: Seat) -> Any:
        return behaviour

    def read(self, value: Any, seat: Seat) -> Behaviour | Invalid:
        """A behaviour in the past tense, or as an instruction (:data:`.sightings.LABELS`)."""
        text = value.strip() if isinstance(value, str) else ""
        for behaviour, label in LABELS.items():
            if text in (behaviour, label):
                return behaviour
        return unread("no act of those that are told of", value)

    def heard(self, encounter: Encounter, since: Sequence[Moment]) -> Heard:
        return Heard(f"step {encounter.step + 1}", list(encounter.did[self.me]))

    def theirs(self, encounter: Encounter, seat: Seat) -> tuple[Behaviour, ...]:
        did = encounter.did[seat]
        # Where even standing around is possible beside acts, nothing was seen.
        return () if len(did) > 1 and acts.STOOD in did else did

    def strategies(self) -> tuple[str, ...]:
        return STRATEGIES

    def scene(self, moment: Moment) -> str:
        sight = self._sight(moment)
        own = side(self.substrate, sight.pose[:2])
        fixtures = {name: [*own.things[kind]] for kind, name in THINGS.items()}
        items = {cell: ITEMS[item] for cell, item in sight.items}
        mates = {seat_of(mate.player): (mate.cell, ITEMS[mate.held]) for mate in sight.mates}
        others = [seat for seat in map(seat_of, range(self.substrate.players)) if seat != self.me]
        lines = [
            f"You are at: {sight.pose[:2]}, facing {COMPASS[sight.pose[2]]}",
            f"You hold: {ITEMS[sight.held]!r}",
            f"On your side: {fixtures}",
            f"Places to stand: {[*own.floor]}",
            f"Pots in view: {self._pots(sight)}",
            f"On counters in view: {items}",
            *(f"{self.name(seat).capitalize()}: {mates.get(seat, 'not seen')!r}" for seat in others),
        ]
        return "\n".join(lines)

    def state(self, moment: Moment) -> str:
        sight = self._sight(moment)
        x, y, facing = sight.pose
        return (
            f"You are at {(x, y)}, facing {COMPASS[facing]}, and hold {ITEMS[sight.held]!r}; "
            f"pots in view: {self._pots(sight)}"
        )

    def sightings(self, moment: Moment) -> tuple[Sighting, ...]:
        """Pots with their state, and counters with what lies there: ``'nothing'`` too, so that what went is forgotten."""
        sight = self._sight(moment)
        kitchen = layout(self.substrate)
        watched = kitchen.counters if sight.whole else [cell for cell, _, _ in kitchen.shown[sight.pose]]
        lying = {cell: EMPTY for cell in watched if kitchen.things[cell] == COUNTER} | dict(sight.items)
        return (
            *(Sighting(repr(state), cell) for cell, state in self._pots(sight).items()),
            *(Sighting(repr(ITEMS[item]), cell) for cell, item in lying.items()),
        )

    def recall(self, seen: Sequence[RememberedSighting], moment: Moment) -> str:
        now = {sighting.place for sighting in self.sightings(moment)}
        last: dict[Cell, RememberedSighting] = {}
        for memory in seen:
            place = memory.sighting.place
            if place not in now and (place not in last or memory.step >= last[place].step):
                last[place] = memory
        entries: dict[bool, list[str]] = {True: [], False: []}
        for place in sorted(last, key=lambda cell: cell[::-1]):
            contents, step = last[place].sighting.thing, last[place].step
            if contents != repr(ITEMS[EMPTY]):
                entries[place in self.substrate.pots].append(f"{place}: ({contents}, {step})")
        return (
            f"Pots seen earlier: {{{', '.join(entries[True])}}}\n"
            f"On counters seen earlier: {{{', '.join(entries[False])}}}"
        )

    def skills(self) -> str:
        return (
            "- move_to((x, y), (x2, y2)): walk from (x, y), where you stand, to (x2, y2), a place to stand on your side.\n"
            "- interact((x, y)): go beside what stands at (x, y), face it and use it once: take from a dispenser or a "
            "counter, put a tomato into a pot, take soup out of a pot, deliver soup, put what you hold onto a counter.\n"
            "- wait((x, y)): go to the pot at (x, y) and wait until its soup is done."
        )

    def plans(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Thoughts and calls, on one side and another in turn: chance decides which is the own one.

        None where no side has everything.
        """
        rules = self.substrate
        sides = dict.fromkeys(side(rules, cell).floor for cell in rules.spawns)
        equipped = [
            own for floor in sides if all((own := side(rules, floor[0])).things[kind] for kind in KINDS)
        ]
        if not equipped:
            return ()
        here, there = ({kind: own.things[kind][0] for kind in KINDS} for own in (equipped[0], equipped[-1]))
        far, near = _ends(rules, equipped[0])
        _, beside = _ends(rules, equipped[-1])
        return (
            (
                f"Suppose I stand at {far} with empty hands, and the pot at {here[POT]} has 2 tomatoes. My "
                "teammate seems to serve. One tomato more and it cooks: I fetch one and put it in.",
                (f"interact({here[TOMATOES]})", f"interact({here[POT]})"),
            ),
            (
                f"Suppose I stand at {beside} with empty hands, the pot at {there[POT]} cooks, and nobody "
                "else serves. I fetch a dish meanwhile, wait for the soup, take it and deliver it.",
                (
                    f"interact({there[DISHES]})",
                    f"wait({there[POT]})",
                    f"interact({there[POT]})",
                    f"interact({there[HATCH]})",
                ),
            ),
            (
                f"Suppose I stand at {far} with a tomato, and all pots that I know of were full. I lay it on "
                f"the counter at {here[COUNTER]} to free my hands, and go beside the pot at {here[POT]} to "
                "see how it stands.",
                (f"interact({here[COUNTER]})", f"move_to({far}, {near})"),
            ),
        )

    def plan(self, calls: Sequence[str]) -> tuple[SkillChoice, ...] | Invalid:
        """Also invalid if no player, on any side, could do it."""
        choices = planned(calls, PLACES)
        if isinstance(choices, Invalid):
            return choices
        wrong = [(why, text) for do, text in zip(choices, calls, strict=True) if (why := self._senseless(do))]
        return Invalid(*wrong[0]) if wrong else choices

    def _senseless(self, do: SkillChoice) -> str:
        """Why no player could do this; empty if one could."""
        tile = layout(self.substrate).things.get(do.args)
        if tile is None:
            width, height = self.substrate.size
            return f"{do.args} is not in the kitchen of {width} by {height} cells"
        if do.name == "move_to":
            return "" if tile == FLOOR else f"nobody can stand at {do.args}"
        if tile == FLOOR:
            return f"there is nothing to use at {do.args}"
        return f"there is no pot at {do.args}" if do.name == "wait" and tile != POT else ""

    def _sight(self, moment: Moment) -> ParsedObservation:
        return see(self.substrate, moment.observation, player_of(self.me))

    def _pots(self, sight: ParsedObservation) -> dict[Cell, dict[str, Any]]:
        """The state of each pot in sight. It is done when it is full and so is its bar."""
        full = self.substrate.capacity
        return {
            cell: {"tomatoes": inside, "bar": bar, "done": inside == full and bar == FULL_BAR}
            for cell, inside, bar in sight.pots
        }

    @property
    def _behaviours(self) -> list[Behaviour]:
        return [acts.BEHAVIOURS[i] for i in self.order]


def _ends(rules: Rules, own: Side) -> tuple[Cell, Cell]:
    """The places to stand on a side that are farthest from its first pot, and nearest to it."""
    pot, ground = own.things[POT][0], layout(rules).ground
    near = min(own.floor, key=lambda cell: abs(cell[0] - pot[0]) + abs(cell[1] - pot[1]))
    return max(own.floor, key=lambda cell: ground.distance(cell, near)), near
