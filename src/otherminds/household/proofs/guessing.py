"""Whether a task can be solved by guessing: a bound on the share of its family that one silent policy solves.

The family of a task: in each class of furniture, the targets of the goal, and the hidden triggers of mechanics, are
permuted, independently for each class. Everything else stays. Two pieces are of one class, for one use (to be opened,
switched, put on, put into), if

- they have the same kind (the name without its number) or, with ``by_ability``, only the same use;
- the same agents reach them and the same agents see them, and their states at the start are equal;
- no public text, and no brief of an agent that reaches them (an actor), names them, and no other mechanic binds them.

So in the whole family the physics, all first observations and the briefs of the actors are those of the task; only briefs
of agents that cannot act on the class differ. A literal whose target is in the brief of an actor is not hidden; it and all literals
without a class are taken to be reached.

Lemma. A silent policy may look, probe, act on several things and try subsets. Since what the actors of a class are told
and see is the same for all its permutations, so is the final state ``F`` of the things of the class. (A random policy is
a mixture of deterministic ones, whose share is at most that of the best.) Hence the share of the permutations that it
solves is at most

    max over F of |{permutations whose requirements F meets}| / n!

If ``k`` things must change their state, ``m`` must keep it and ``d`` must receive objects of their own, then a final
state with ``s`` changed things among those without these objects meets

    1 / (n)_d * (s)_k (n - d - s)_m / (n - d)_(k + m),    (x)_j = x (x - 1) ... (x - j + 1)

of them: an object is at one place only, and the images of the ``k + m`` things are a uniform sample without
replacement. ``s`` is at most the number of acts within the turn limit.

Several classes. The actors of a class may know the permutations of others: let class i depend on class j if they do.
Along an order in which every class depends on earlier ones only, the final state of each class is a function of the
earlier permutations, whatever the permutations of the classes that are left out; by induction the share is at most the
product. Without such an order it is not: two agents that each see the other's hidden bit and guess their own succeed both
with probability 1/2, not 1/4 (they agree to guess that the bits are equal). The bound is the smallest product over the
sets of classes that have such an order.

What is bounded: the share of the family that a joint policy without messages solves. ``bound`` excludes silent codes: what
is done to a class depends on the briefs of its actors, and on the permutations whose effects they see, but not on acts of
other agents that depend on further briefs. ``coded`` counts every silent code: a class depends on whatever an agent with
a causal path to an actor is told or sees, and is left out if this includes its own permutation. The two are equal if no
path leads from an informed agent to an actor.

Triggers. If no agent reaches a thing, its literal does not hold at the start, and acts on a single trigger set it, then
the trigger must end in the state that sets it, since the opposite state sets the opposite. The trigger is permuted if no
actor sees the thing: messages do not reveal a binding, so that probing gives no feedback. Agents that see the thing are
informed.

Source of the notion: the project's documentation (*Proofs*); Juneja et al. 2026 have no such check."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import perm, prod
from typing import NamedTuple

from msgspec import Struct

from otherminds.household.calibrate import turns_of
from otherminds.household.epistemic.formula import Atom, physical, show
from otherminds.household.epistemic.predicates import OPPOSITES, positive
from otherminds.household.house import House
from otherminds.household.proofs.exported import HouseAccess

Words = tuple[str, ...]
MOST_CLASSES = 12
"""The number of classes whose subsets are enumerated; of more, those with the smallest shares are used."""


class Hidden(Struct, frozen=True, forbid_unknown_fields=True):
    """A class of things among which the targets of some requirements are hidden.

    ``what`` describes the class in words and ``parts`` are the literals of the goal that it hides. Among ``things``,
    those in ``change`` must end in another state than at the start, those in ``stay`` in the same state, and those in
    ``filled`` with objects of their own. ``actors`` can change the things; ``informed`` are all others whose brief or
    observations depend on the permutation. ``most`` bounds the number of things that change within the turn limit.
    """

    what: str
    parts: Words
    things: Words
    actors: Words
    informed: Words
    change: Words = ()
    stay: Words = ()
    filled: Words = ()
    most: int | None = None

    @property
    def share(self) -> Fraction:
        """The largest share of the permutations that one final state meets."""
        many = (len(self.change), len(self.stay), len(self.filled))
        return share(len(self.things), *many, most=self.most)


class Bound(Struct, frozen=True, forbid_unknown_fields=True):
    """A bound, as the text of a fraction, and the numbers of the classes in it, in an order that proves it."""

    share: str
    order: tuple[int, ...]

    @property
    def value(self) -> Fraction:
        return Fraction(self.share)


def share(n: int, change: int, stay: int, filled: int = 0, most: int | None = None) -> Fraction:
    """The largest share of the placements of requirements among ``n`` things that one final state meets.

    Raises:
        ValueError: there are more requirements than things, or a number is negative.

    >>> share(6, 1, 1), share(5, 1, 2), share(8, 0, 0, filled=1)
    (Fraction(3, 10), Fraction(1, 5), Fraction(1, 8))
    """
    if min(change, stay, filled) < 0 or change + stay + filled > n:
        raise ValueError(f"{change} + {stay} + {filled} requirements do not fit on {n} things")
    free = n - filled
    ways = max(
        perm(s, change) * perm(free - s, stay) for s in range(min(free, free if most is None else most) + 1)
    )
    return Fraction(ways, perm(free, change + stay) * perm(n, filled))


def bounded(classes: Sequence[Hidden], depends: Mapping[int, Collection[int]]) -> Bound:
    """The smallest product of shares over sets of classes with an order; ``depends[i]`` are those on which i depends."""
    shares = [hidden.share for hidden in classes]
    useful = [number for number, part in enumerate(shares) if part < 1 and number not in depends[number]]
    useful = sorted(sorted(useful, key=shares.__getitem__)[:MOST_CLASSES])
    best, order = Fraction(1), ()
    for chosen in (subset for size in range(1, len(useful) + 1) for subset in combinations(useful, size)):
        value = prod((shares[number] for number in chosen), start=Fraction(1))
        if value < best and (ordered := _order_classes(chosen, depends)) is not None:
            best, order = value, ordered
    return Bound(str(best), order)


def _order_classes(chosen: Collection[int], depends: Mapping[int, Collection[int]]) -> tuple[int, ...] | None:
    """The classes in an order in which each depends on earlier ones only."""
    waiting, ordered = list(chosen), list[int]()
    while waiting:
        ready = next(_ready(waiting, depends), None)
        if ready is None:
            return None
        waiting.remove(ready)
        ordered.append(ready)
    return tuple(ordered)


def _ready(waiting: Collection[int], depends: Mapping[int, Collection[int]]) -> Iterator[int]:
    return (number for number in waiting if not set(depends[number]).intersection(waiting))


LIMIT = Fraction(1, 4)
"""The largest bound of a task that is guess-proof."""
USES = {
    "is_open": ("articulated", "open or shut"),
    "is_powered_on": ("switch", "switch"),
    "is_on_top": ("top", "put things on"),
    "is_inside": ("interior", "put things into"),
}
"""For each use of furniture, the property that it needs, and its name in words."""
SAME = {"is_closed": "is_open", "is_powered_off": "is_powered_on"}
"""Predicates that belong to the use of their opposite."""


class Guess(Struct, frozen=True, forbid_unknown_fields=True):
    """The bounds of a task within ``turns``, without and with silent codes, and their evidence."""

    hidden: tuple[Hidden, ...]
    bound: Bound
    coded: Bound
    turns: int
    by_ability: bool

    @property
    def guess_proof(self) -> bool:
        """Whether the bound without silent codes is at most ``LIMIT``."""
        return self.bound.value <= LIMIT


class LiteralSlot(NamedTuple):
    """What a literal of the goal requires of a piece of furniture: a state, or an object (``state`` is empty).

    ``sets`` is the thing that the piece sets as a trigger.
    """

    part: str
    thing: str
    use: str
    state: str = ""
    sets: str = ""


class ThingClass(NamedTuple):
    """What the things of one class have in common."""

    use: str
    actors: tuple[str, ...]
    seers: tuple[str, ...]
    name: str
    started: bool


def bound_guesses(house: House, turns: int | None = None, by_ability: bool = False) -> Guess:
    """The bounds for a task within ``turns``, by default those of an episode.

    A task whose secrets are in prose alone has the bound 1, since prose may name things in any way.
    """
    turns = turns_of(house) if turns is None else turns
    access = HouseAccess(house)
    hidden = tuple(_classes(house, access, turns, by_ability)) if house.task.verified else ()
    plain = {agent: {agent} for agent in house.agents}
    coded = {agent: access.sources(agent) for agent in house.agents}
    bounds = [bounded(hidden, _depends(hidden, sources)) for sources in (plain, coded)]
    return Guess(hidden, *bounds, turns=turns, by_ability=by_ability)


def _depends(hidden: tuple[Hidden, ...], sources: dict[str, set[str]]) -> dict[int, set[int]]:
    """The classes whose permutations may have an effect on what the actors of each class do."""
    behind = [set[str]().union(*(sources[actor] for actor in hidden_class.actors)) for hidden_class in hidden]
    return {
        i: {j for j, other in enumerate(hidden) if agents.intersection(other.informed)}
        for i, agents in enumerate(behind)
    }


def _classes(house: House, access: HouseAccess, turns: int, by_ability: bool) -> Iterator[Hidden]:
    names_by_agent = {agent: _list_words(house, agent) for agent in house.agents}
    slots = list(_slots(house, access))
    triggers = {slot.thing for slot in slots if slot.sets}
    bound = access.close_over(access.sets) - triggers
    members: dict[ThingClass, list[str]] = defaultdict(list)
    kinds: dict[tuple[str, str], ThingClass] = {}
    for f, piece in house.scene.geometry.furniture.items():
        actors = access.actors(f)
        if not actors or f in bound or any(f in names_by_agent[agent] for agent in actors):
            continue
        name = "" if by_ability else re.sub(r"_\d+$", "", f)
        for use, (able, _) in USES.items():
            if getattr(piece, able):
                state = use if use in OPPOSITES else "is_open"
                started = bool(house.start & house.facts.get((state, f)))
                kinds[f, use] = ThingClass(use, actors, access.seers(f), name, started)
                members[kinds[f, use]].append(f)
    needed: dict[ThingClass, list[LiteralSlot]] = defaultdict(list)
    for slot in slots:
        if (kind := kinds.get((slot.thing, slot.use))) is not None:
            needed[kind].append(slot)
    for kind, class_slots in needed.items():
        entities = members[kind]
        watched = {slot.sets for slot in class_slots}
        informed = (
            a for a in house.agents if names_by_agent[a].intersection(entities) or access.sees[a] & watched
        )
        states = {slot.thing: (slot.state, slot.thing) for slot in class_slots if slot.state}
        holding = {entity for entity, fact in states.items() if house.start & house.facts.get(fact)}
        yield Hidden(
            what=f"{len(entities)} {kind.name or 'pieces of furniture'}: {', '.join(kind.actors)} can {USES[kind.use][1]}",
            parts=tuple(dict.fromkeys(slot.part for slot in class_slots)),
            things=tuple(entities),
            actors=kind.actors,
            informed=tuple(informed),
            change=tuple(entity for entity in states if entity not in holding),
            stay=tuple(entity for entity in states if entity in holding),
            filled=tuple(dict.fromkeys(slot.thing for slot in class_slots if not slot.state)),
            most=turns * len(kind.actors),
        )


def _slots(house: House, access: HouseAccess) -> Iterator[LiteralSlot]:
    """Requirements for single pieces of furniture that the goal makes necessary."""
    reached = set[str]().union(*access.reaches.values())
    for literal in map(positive, physical(house.goal)):
        if isinstance(literal, Atom) and literal.args:
            predicate, entity, part = literal.predicate, literal.args[-1], show(literal)
            use = SAME.get(predicate, predicate)
            if use in ("is_on_top", "is_inside"):
                yield LiteralSlot(part, entity, use)
            elif use in USES and entity in reached:
                yield LiteralSlot(part, entity, use, predicate)
            elif use in USES and not house.start & house.facts.get((predicate, entity)):
                yield from _trigger(access, reached, LiteralSlot(part, entity, use, predicate))


def _trigger(access: HouseAccess, reached: set[str], requirement: LiteralSlot) -> Iterator[LiteralSlot]:
    """The requirement for the single trigger of a thing that no agent reaches, if its actors have no feedback."""
    entity, value = requirement.thing, requirement.state
    settings = [
        (trigger, effect.taken, effect.value)
        for trigger, effects in access.sets.items()
        for effect in effects
        if effect.thing == entity
    ]
    setting = [(trigger, state) for trigger, state, effect_value in settings if effect_value == value]
    if len(setting) != 1:
        return
    ((trigger, state),) = setting
    both = {(trigger, state, value), (trigger, OPPOSITES[state], OPPOSITES[value])}
    alone = access.close_over(reached - {trigger}).isdisjoint((trigger, entity))
    if alone and set(settings) == both and not set(access.actors(trigger)) & set(access.seers(entity)):
        yield LiteralSlot(requirement.part, trigger, SAME.get(state, state), state, entity)


def _list_words(house: House, agent: str) -> set[str]:
    """All words in the brief of an agent and in the public text."""
    task = house.task
    texts = (task.title, task.task, *task.agent_secrets.get(agent, ()), *task.agent_knows.get(agent, ()))
    return set(re.findall(r"\w+", " ".join(texts)))
