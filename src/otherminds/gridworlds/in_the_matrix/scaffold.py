"""The words of the *in the matrix* substrates for minds that reason in steps and plan with skills, and the plans' reader.

Cross et al. 2025, appendices D and G; the wording is our own. What is seen is a line for
each kind of thing: "printing each entity type with a list of all the coordinates" worked
best (appendices D.1 and D.2); memory adds the step in which something was seen. How skills are called follows
appendices D.4 and D.5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from otherminds.core.contracts import Heard, Manner, Place, PlanningScaffold, RememberedSighting, Sighting
from otherminds.core.data import Behaviour, Brief, Encounter, Invalid, Moment, Seat, SkillChoice
from otherminds.gridworlds.grid.rules import COMPASS
from otherminds.gridworlds.grid.words import plan as calls_of_plan
from otherminds.gridworlds.in_the_matrix import naming
from otherminds.gridworlds.in_the_matrix import naming as told_rules
from otherminds.gridworlds.in_the_matrix.naming import STRONG, Inventory, SeatVocabulary, holding
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.sight import Sight
from otherminds.gridworlds.in_the_matrix.skills import LOOKOUT

PLACES = {"move_to": (1, 2), "fire_at": (1,)}
"""The skills of plans, and with how many places each may be called: where one starts from may be left out."""
FORMS = "move_to((x, y), (x2, y2)) and fire_at((x, y))"
STRETCH = 5  # Places side by side that an example needs


def skills(words: SeatVocabulary) -> str:
    """The two functions, as a plan calls them, and how a duel is brought about with them."""
    kinds = f"{STRONG} or more boxes of one kind and no others"
    return (
        "You do not steer single steps: you make plans of calls of these functions, which are carried out in turn.\n"
        "- move_to((x, y), (x2, y2)): you walk from the first place, where you are by then, to the second. You collect a "
        "box by moving to its place; on the way you go round boxes of other kinds than the one there, where you can.\n"
        f"- fire_at((x, y)): you stay around that place and turn until you see {words.another}, then you get it into "
        "your beam and fire, which begins a duel if both of you are ready. It ends at once if you have collected "
        f"nothing, and gives up when you have looked round for {LOOKOUT} steps and have seen nobody to duel with.\n"
        f"To play a kind strongly, collect {kinds}, then seek a duel: duels bring rewards and give you one box of each "
        "kind again."
    )


def plan(rules: Rules, calls: Sequence[str]) -> tuple[SkillChoice, ...] | Invalid:
    """The skills that ``calls`` mean, in order. ``move_to`` starts where one is, whatever its first place says."""
    choices = calls_of_plan(calls, PLACES)
    if isinstance(choices, Invalid):
        return Invalid(f"{choices.reason}; use {FORMS}", choices.raw)
    width, height = rules.size
    for do in choices:
        x, y = do.args
        if x >= width or y >= height:
            return Invalid(f"({x}, {y}) is not on the map of {width} by {height}", f"{do.name}({do.args})")
        if do.args in rules.walls:
            return Invalid(f"({x}, {y}) is a wall; choose one of the valid places", f"{do.name}({do.args})")
    return choices


def plans(words: SeatVocabulary, order: Sequence[int]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Collecting boxes in view, going to boxes remembered, and a duel once enough is held.

    Where boxes lie in them is imagined: at places of this map where none grows.
    """
    rules = words.substrate
    first, second, third = (rules.classes[order[n % len(order)]] for n in range(3))
    here, there, yonder = _stretches(rules)
    goal, who = _strong(rules, first), words.another
    collecting = (
        f"I am at {here[0]} and hold {_strong(rules, first, 2)}. My next behaviour is {goal}, so I need "
        f"{STRONG - 2} more boxes of {first}. Boxes of {first} are in view at {here[1]}, {here[2]} and {here[3]}. I "
        "collect them one after the other, and then look for a duel where I am.",
        (*(f"move_to({here[n]}, {here[n + 1]})" for n in range(STRONG - 2)), f"fire_at({here[3]})"),
    )
    remembered = (
        f"I am at {there[0]} and hold {_strong(rules, second, 3)}. My next behaviour is {_strong(rules, second)}, so I "
        f"need 2 more boxes of {second}. None is in view. I remember two at {yonder[0]} and {yonder[1]}; they may be "
        f"gone, but nothing nearer is known. I go there, and seek a duel afterwards.",
        (f"move_to({there[0]}, {yonder[0]})", f"move_to({yonder[0]}, {yonder[1]})", f"fire_at({yonder[1]})"),
    )
    enough = (
        f"I am at {yonder[4]} and hold {_strong(rules, third, STRONG + 1)}, which plays {third} strongly, as my next "
        f"behaviour {_strong(rules, third)} asks. More boxes would take time and change little. "
        f"{who[0].upper() + who[1:]} was seen last at {there[2]}: I go there and seek a duel.",
        (f"move_to({yonder[4]}, {there[2]})", f"fire_at({there[2]})"),
    )
    return collecting, remembered, enough


def _stretches(rules: Rules) -> tuple[list[Place], list[Place], list[Place]]:
    """Three rows of places side by side where no box grows: in the north, in the middle and in the south."""
    growing = {*rules.places}
    runs: list[list[Place]] = []
    free = enumerate(place for place in rules.open if place not in growing)
    for _, run in groupby(free, key=lambda item: (item[1][1], item[1][0] - item[0])):
        places = [place for _, place in run]
        if len(places) >= STRETCH:
            runs.append(places)
    return runs[0], runs[len(runs) // 2], runs[-1]


def _strong(rules: Rules, name: str, count: int = STRONG) -> Inventory:
    return holding(rules, rules.classes.index(name), count)


JOINT = frozenset({"rws-repeated-v1"})
"""Where the call that predicts chooses too; in the others these are two calls (appendix D.3)."""
BOX = "box of "
GONE = "no box"
"""Where a box may grow and none lies: worth remembering, because it outdates a box seen there before."""
INFERRING = "What another player played in a duel you have to infer from what you held and from your reward."


class InTheMatrixScaffold(PlanningScaffold):
    """The words of one episode for ``seat`` of ``substrate``; ``order`` is that in which classes are listed.

    A behaviour is written as an inventory that commits to it strongly, with the classes
    under their own names and in their own order. Of a duel only the own part is told.
    """

    distances = False

    def __init__(self, substrate: Rules, seat: Seat, order: tuple[int, ...]) -> None:
        self.manner = Manner(hidden=True, joint=substrate.name in JOINT)
        self._rules = substrate
        self._words = SeatVocabulary(substrate, seat)
        self._order = order

    def system(self, brief: Brief) -> str:
        words = self._words
        paragraphs = [
            *told_rules.paragraphs(words),
            f"{told_rules.view(self._rules)} {INFERRING} {told_rules.OUTDATED}",
            skills(words),
        ]
        if brief.game is not None:
            paragraphs.append(told_rules.payoffs(words, brief.game, self._order))
        paragraphs += [f"You are told a secret: {words.name_seats(secret)}." for secret in brief.secrets]
        paragraphs.append("You want as much reward as you can get over the whole episode.")
        return "\n".join(paragraphs)

    def name(self, seat: Seat) -> str:
        return self._words.name(seat)

    def seat(self, name: str) -> Seat | None:
        return self._words.others.get(name.strip().casefold())

    def choices(self, seat: Seat) -> tuple[Any, ...]:
        return tuple(naming.holding(self._rules, k, naming.STRONG) for k in self._order)

    def written(self, behaviour: Behaviour, seat: Seat) -> Any:
        return naming.holding(self._rules, self._rules.classes.index(behaviour), naming.STRONG)

    def read(self, value: Any, seat: Seat) -> Behaviour | Invalid:
        return naming.read_inventory(self._rules, value)

    def heard(self, encounter: Encounter, since: Sequence[Moment]) -> Heard:
        own = naming.fought_with(self._rules, encounter, since)
        # The step in which it is heard.
        return Heard(f"step {encounter.step + 1}", dict(zip(self._rules.classes, own, strict=True)))

    def clues(self) -> str:
        return naming.clues(self._rules, self._order)

    def strategies(self) -> tuple[str, ...]:
        first, second, *_ = (self._rules.classes[k] for k in self._order)
        return (
            f"They play {first} twice, then {second} once, and begin again.",
            "They repeat what I played two duels ago.",
            f"They choose at random each time, {second} more often than anything else.",
        )

    def scene(self, moment: Moment) -> str:
        """Position, inventory, and what is in view with its distance in steps (boxes) or its name (players)."""
        rules, sight = self._rules, read_sight(self._rules, moment)
        width, height = rules.size
        lines = [
            f"Map: {width} by {height}",
            f"Valid places for move_to: {[*rules.open]}",
            _standing(sight),
            _holding(rules, sight),
        ]
        for kind, name in enumerate(rules.classes):
            near = [(place, _away(sight, place)) for place in _boxes(sight, kind)]
            lines.append(f"Boxes of {name} in view: {near}")
        lines.append(f"Other players in view: {[*_players(sight)]}")
        return "\n".join(lines)

    def state(self, moment: Moment) -> str:
        sight = read_sight(self._rules, moment)
        return f"{_standing(sight)}. {_holding(self._rules, sight)}."

    def sightings(self, moment: Moment) -> tuple[Sighting, ...]:
        """Boxes, places where boxes grow and none lies now, and other players."""
        sight = read_sight(self._rules, moment)
        return (
            *(
                Sighting(f"{BOX}{name}", place)
                for kind, name in enumerate(self._rules.classes)
                for place in _boxes(sight, kind)
            ),
            *(Sighting(GONE, sight.rules.places[n]) for n in _places(sight) if not sight.there[n]),
            *(Sighting(name, place, moves=True) for name, place in _players(sight)),
        )

    def recall(self, seen: Sequence[RememberedSighting], moment: Moment) -> str:
        """Of each place and each player what was seen last, unless the place is in view, or the player is.

        With :attr:`distances` also how far each is, except while off the map.
        """
        sight = read_sight(self._rules, moment)

        def far(place: Place) -> tuple[int, ...]:
            return (_away(sight, place),) if self.distances and sight.pose is not None else ()

        now = {*_in_view(sight)}
        present = {name for name, _ in _players(sight)}
        lying: dict[Place, RememberedSighting] = {}
        met: dict[str, RememberedSighting] = {}
        for memory in sorted(seen, key=lambda memory: memory.step):
            if memory.sighting.thing == GONE or memory.sighting.thing.startswith(BOX):
                lying[memory.sighting.place] = memory
            else:
                met[memory.sighting.thing] = memory
        lines: list[str] = []
        out_of_sight = sorted(lying.keys() - now, key=lambda place: place[::-1])
        for name in self._rules.classes:
            places = [place for place in out_of_sight if lying[place].sighting.thing == f"{BOX}{name}"]
            boxes = [(place, lying[place].step, *far(place)) for place in places]
            lines.append(f"Boxes of {name} seen earlier: {boxes}")
        others = [
            (name, memory.sighting.place, memory.step, *far(memory.sighting.place))
            for name, memory in sorted(met.items())
            if name not in present and memory.sighting.place not in now
        ]
        lines.append(f"Other players seen earlier: {others}")
        return "\n".join(lines)

    def skills(self) -> str:
        return skills(self._words)

    def plans(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return plans(self._words, self._order)

    def plan(self, calls: Sequence[str]) -> tuple[SkillChoice, ...] | Invalid:
        return plan(self._rules, calls)


def read_sight(rules: Rules, moment: Moment) -> Sight:
    """What this one moment shows; nothing is remembered."""
    sight = Sight(rules)
    sight.see(moment.observation, moment.step)
    return sight


def _boxes(sight: Sight, kind: int) -> list[Place]:
    places = sight.rules.places
    return [places[n] for n in _places(sight) if sight.there[n] and sight.kind[n] == kind]


def _players(sight: Sight) -> Iterator[tuple[str, Place]]:
    for other in sorted(sight.others):
        yield (f"player {other.player}" if sight.rules.distinct else "the other player"), other.cell


def _places(sight: Sight) -> list[int]:
    return [n for n, step in enumerate(sight.seen) if sight.pose is not None and step == sight.step]


def _in_view(sight: Sight) -> Iterator[Place]:
    ys, xs = (sight.looked == sight.step).nonzero()
    if sight.pose is not None:
        yield from zip(xs.tolist(), ys.tolist(), strict=True)


def _standing(sight: Sight) -> str:
    if sight.pose is None:
        return "You are at: nowhere, off the map until you come back at a random place"
    x, y, facing = sight.pose
    return f"You are at: ({x}, {y}), facing {COMPASS[facing]}"


def _holding(rules: Rules, sight: Sight) -> str:
    inventory: dict[str, Any] = dict(zip(rules.classes, sight.inventory, strict=True))
    return f"You hold: {inventory}"


def _away(sight: Sight, place: Place) -> int:
    """How far a place is from the own one, in steps east or west and north or south."""
    assert sight.pose is not None
    return abs(place[0] - sight.pose[0]) + abs(place[1] - sight.pose[1])
