"""An independent check of the evidence of a guess bound; it shares no code with :mod:`.guessing` beyond the format.

It reads the task and the scene's tables by itself. For each class it checks that the same agents reach all of its things,
that the brief of no actor names one, that agents whose briefs name one are listed as informed, that the things have one kind and one
state at the start, and that each requirement follows from a literal of the goal. Then it checks the order of each bound,
with the agents behind the actors, and recomputes the product of the shares by binomial coefficients.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from math import comb, factorial
from typing import TypeAlias

from otherminds.household.epistemic.formula import physical, show
from otherminds.household.epistemic.guessing import Bound, Hidden
from otherminds.household.epistemic.predicates import OPPOSITES, positive
from otherminds.household.house import House
from otherminds.household.proofs.guessing import Guess

Area: TypeAlias = tuple[set[str], set[str], set[str], set[str]]


def check_guess(house: House, guess: Guess) -> list[str]:
    """The faults of a guess bound; empty if it is correct."""
    areas = {a: _area(house, a) for a in house.agents}
    found = [f"{one.what}: {why}" for one in guess.hidden for why in _class(house, areas, one, guess)]
    acts = {a: _acts(house, areas[a]) for a in house.agents}
    links = {
        a: {b for b in house.agents if areas[b][0] & areas[a][2] or acts[b] & areas[a][1]} for a in areas
    }
    for name, bound, coded in (("bound", guess.bound, False), ("coded", guess.coded, True)):
        found += [f"{name}: {why}" for why in _bound(guess.hidden, bound, links if coded else {})]
    return found


def _area(house: House, agent: str) -> Area:
    """The spots where an agent can be, the things that it sees, the spots that it sees, the things that it reaches."""
    tables, start = house.scene.tables, house.spots[house.start_spot[agent]]
    spots = {start, *(s for s in house.spots if ("may_go", agent, s) in house.static)}
    seen, met, near = (
        {x for s in spots for x in table[s]} for table in (tables.sees, tables.meets, tables.reaches)
    )
    return spots, seen, met, near


def _acts(house: House, area: Area) -> set[str]:
    """The things in reach, and all in a chain of bindings with one of them, in any direction."""
    things = set(area[3])
    for _ in house.bound:
        for _, binding in house.bound:
            pair = {binding.trigger_object, binding.target_object} - {""}
            things |= pair if pair & things else set()
    return things


def _class(house: House, areas: dict[str, Area], one: Hidden, guess: Guess) -> Iterator[str]:
    task, things, actors = house.task, set(one.things), set(one.actors)
    required = (*one.change, *one.stay, *one.filled)
    texts = {
        a: " ".join((task.task, task.title, *task.agent_secrets.get(a, ()), *task.agent_knows.get(a, ())))
        for a in areas
    }
    if not task.verified:
        yield "the secrets are in prose alone"
    told = {a for a, text in texts.items() if any(re.search(rf"\b{f}\b", text) for f in things)}
    if len(things) < len(one.things) or not things.issuperset(required) or len({*required}) < len(required):
        yield "its requirements are not about different things of the class"
    if any({a for a in areas if f in areas[a][3]} != actors for f in things) or not actors:
        yield "other agents reach some of its things"
    if told & actors or not told <= set(one.informed):
        yield "the brief of an actor names one, or an agent whose brief names one is not listed"
    if not guess.by_ability and len({f.rsplit("_", 1)[0] for f in things}) > 1:
        yield "its things have different kinds"
    for state in ("is_open", "is_powered_on"):
        if len({_at_start(house, f"({state} {f})") for f in things}) > 1 and not one.filled:
            yield f"its things differ in {state} at the start"
    reached = set[str]().union(*(area[3] for area in areas.values()))
    setters = {x for x in house.furniture if things.intersection(_sets(house, x))}
    chained = any(setters.intersection(_sets(house, x)) for x in reached.difference(required))
    if (setters & reached or chained) and not one.filled:
        yield "an act on something else sets some of its things"
    for how, some in (("change", one.change), ("stay", one.stay), ("filled", one.filled)):
        for f in some:
            if not any(how == _how(house, areas, f, part, one) for part in one.parts):
                yield f"no literal of the goal requires {f} to be in {how}"
    if one.most is not None and one.most < guess.turns * len(one.actors):
        yield "more acts are possible"


def _how(house: House, areas: dict[str, Area], f: str, part: str, one: Hidden) -> str:
    """What a literal requires of ``f``, directly or as the only trigger of a thing that no agent reaches."""
    state, *things = part.strip("()").split()
    claimed = things and part in [show(positive(literal)) for literal in physical(house.goal)]
    if not claimed:
        return ""
    if things[-1] == f:
        return ("stay" if _at_start(house, part) else "change") if len(things) == 1 else "filled"
    x, opposite = things[0], OPPOSITES.get(state, "")
    only = {y for y in house.furniture if x in _sets(house, y)} == {f}
    reached = any(x in area[3] for area in areas.values())
    watched = any(x in areas[a][1] and (a in one.actors or a not in one.informed) for a in areas)
    sets = _sets(house, f).get(x, "nothing")
    taken = {state: "is_open", opposite: "is_closed", "": state}.get(sets)
    if not only or reached or watched or _at_start(house, part) or taken is None:
        return ""
    return "stay" if _at_start(house, f"({taken} {f})") else "change"


def _sets(house: House, f: str) -> dict[str, str]:
    """The things that ``f`` sets: to this state when it opens, or to its own state (empty)."""
    found: dict[str, str] = {}
    for m, b in house.bound:
        if b.mechanic_type == "remote_control" and f == b.trigger_object:
            found[b.target_object] = dict(m.follows(b, f, "is_open"))[b.target_object]
        if b.mechanic_type == "state_mirroring" and f in (b.trigger_object, b.target_object):
            found[b.target_object if f == b.trigger_object else b.trigger_object] = ""
    return found


def _at_start(house: House, part: str) -> bool:
    return house.start & house.facts.get(tuple(part.strip("()").split())) > 0


def _bound(hidden: tuple[Hidden, ...], bound: Bound, links: dict[str, set[str]]) -> Iterator[str]:
    product = Fraction(1)
    for at, number in enumerate(bound.order):
        one = hidden[number]
        behind = set(one.actors)
        for _ in links:
            behind |= {b for a in behind for b in links[a]}
        if any(behind & set(hidden[later].informed) for later in bound.order[at:]):
            yield f"class {number} depends on itself or on a later one"
        n, k, m, d = len(one.things), len(one.change), len(one.stay), len(one.filled)
        left = n - d
        sizes = range(left + 1 if one.most is None else min(left, one.most) + 1)
        best = max(comb(s, k) * comb(left - s, m) for s in sizes)
        product *= Fraction(best, comb(left, k) * comb(left - k, m) * comb(n, d) * factorial(d))
    parts = [part for number in bound.order for part in hidden[number].parts]
    if len(set(bound.order)) < len(bound.order) or len(set(parts)) < len(parts):
        yield "a class, or a literal, counts twice"
    if product != Fraction(bound.share):
        yield f"the product is {product}, not {bound.share}"
