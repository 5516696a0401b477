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
from otherminds.household.epistemic.predicates import OPPOSITES, positive
from otherminds.household.house import House
from otherminds.household.proofs.guessing import Bound, Guess, Hidden

Area: TypeAlias = tuple[set[str], set[str], set[str], set[str]]


def check_guess(house: House, guess: Guess) -> list[str]:
    """The faults of a guess bound; empty if it is correct."""
    areas = {a: _area(house, a) for a in house.agents}
    faults = [
        f"{hidden.what}: {why}" for hidden in guess.hidden for why in _class(house, areas, hidden, guess)
    ]
    acts = {a: _acts(house, areas[a]) for a in house.agents}
    links = {
        a: {b for b in house.agents if areas[b][0] & areas[a][2] or acts[b] & areas[a][1]} for a in areas
    }
    for name, bound, coded in (("bound", guess.bound, False), ("coded", guess.coded, True)):
        faults += [f"{name}: {why}" for why in _bound(guess.hidden, bound, links if coded else {})]
    return faults


def _area(house: House, agent: str) -> Area:
    """The spots where an agent can be, the things that it sees, the spots that it sees, the things that it reaches."""
    tables, start = house.scene.tables, house.spots[house.start_spot[agent]]
    spots = {start, *(s for s in house.spots if ("may_go", agent, s) in house.static)}
    visible, met, near = (
        {x for s in spots for x in table[s]} for table in (tables.sees, tables.meets, tables.reaches)
    )
    return spots, visible, met, near


def _acts(house: House, area: Area) -> set[str]:
    """The things in reach, and all in a chain of bindings with one of them, in any direction."""
    entities = set(area[3])
    for _ in house.bound:
        for _, binding in house.bound:
            pair = {binding.trigger_object, binding.target_object} - {""}
            entities |= pair if pair & entities else set()
    return entities


def _class(house: House, areas: dict[str, Area], hidden: Hidden, guess: Guess) -> Iterator[str]:
    task, entities, actors = house.task, set(hidden.things), set(hidden.actors)
    required = (*hidden.change, *hidden.stay, *hidden.filled)
    texts = {
        a: " ".join((task.task, task.title, *task.agent_secrets.get(a, ()), *task.agent_knows.get(a, ())))
        for a in areas
    }
    if not task.verified:
        yield "the secrets are in prose alone"
    named_to = {a for a, text in texts.items() if any(re.search(rf"\b{f}\b", text) for f in entities)}
    if (
        len(entities) < len(hidden.things)
        or not entities.issuperset(required)
        or len({*required}) < len(required)
    ):
        yield "its requirements are not about different things of the class"
    if any({a for a in areas if f in areas[a][3]} != actors for f in entities) or not actors:
        yield "other agents reach some of its things"
    if named_to & actors or not named_to <= set(hidden.informed):
        yield "the brief of an actor names one, or an agent whose brief names one is not listed"
    if not guess.by_ability and len({f.rsplit("_", 1)[0] for f in entities}) > 1:
        yield "its things have different kinds"
    for state in ("is_open", "is_powered_on"):
        if len({_at_start(house, f"({state} {f})") for f in entities}) > 1 and not hidden.filled:
            yield f"its things differ in {state} at the start"
    reached = set[str]().union(*(area[3] for area in areas.values()))
    setters = {x for x in house.furniture if entities.intersection(_sets(house, x))}
    chained = any(setters.intersection(_sets(house, x)) for x in reached.difference(required))
    if (setters & reached or chained) and not hidden.filled:
        yield "an act on something else sets some of its things"
    for how, pieces in (("change", hidden.change), ("stay", hidden.stay), ("filled", hidden.filled)):
        for f in pieces:
            if not any(how == _how(house, areas, f, part, hidden) for part in hidden.parts):
                yield f"no literal of the goal requires {f} to be in {how}"
    if hidden.most is not None and hidden.most < guess.turns * len(hidden.actors):
        yield "more acts are possible"


def _how(house: House, areas: dict[str, Area], f: str, part: str, hidden: Hidden) -> str:
    """What a literal requires of ``f``, directly or as the only trigger of a thing that no agent reaches."""
    state, *entities = part.strip("()").split()
    claimed = entities and part in [show(positive(literal)) for literal in physical(house.goal)]
    if not claimed:
        return ""
    if entities[-1] == f:
        return ("stay" if _at_start(house, part) else "change") if len(entities) == 1 else "filled"
    x, opposite = entities[0], OPPOSITES.get(state, "")
    only = {y for y in house.furniture if x in _sets(house, y)} == {f}
    reached = any(x in area[3] for area in areas.values())
    watched = any(x in areas[a][1] and (a in hidden.actors or a not in hidden.informed) for a in areas)
    sets = _sets(house, f).get(x, "nothing")
    trigger_state = {state: "is_open", opposite: "is_closed", "": state}.get(sets)
    if not only or reached or watched or _at_start(house, part) or trigger_state is None:
        return ""
    return "stay" if _at_start(house, f"({trigger_state} {f})") else "change"


def _sets(house: House, f: str) -> dict[str, str]:
    """The things that ``f`` sets: to this state when it opens, or to its own state (empty)."""
    state_by_target: dict[str, str] = {}
    for m, b in house.bound:
        if b.mechanic_type == "remote_control" and f == b.trigger_object:
            state_by_target[b.target_object] = dict(m.follows(b, f, "is_open"))[b.target_object]
        if b.mechanic_type == "state_mirroring" and f in (b.trigger_object, b.target_object):
            state_by_target[b.target_object if f == b.trigger_object else b.trigger_object] = ""
    return state_by_target


def _at_start(house: House, part: str) -> bool:
    return house.start & house.facts.get(tuple(part.strip("()").split())) > 0


def _bound(hidden: tuple[Hidden, ...], bound: Bound, links: dict[str, set[str]]) -> Iterator[str]:
    product = Fraction(1)
    for at, number in enumerate(bound.order):
        hidden_class = hidden[number]
        behind = set(hidden_class.actors)
        for _ in links:
            behind |= {b for a in behind for b in links[a]}
        if any(behind & set(hidden[later].informed) for later in bound.order[at:]):
            yield f"class {number} depends on itself or on a later one"
        n, k, m, d = (
            len(hidden_class.things),
            len(hidden_class.change),
            len(hidden_class.stay),
            len(hidden_class.filled),
        )
        unfilled = n - d
        sizes = range(unfilled + 1 if hidden_class.most is None else min(unfilled, hidden_class.most) + 1)
        best = max(comb(s, k) * comb(unfilled - s, m) for s in sizes)
        product *= Fraction(best, comb(unfilled, k) * comb(unfilled - k, m) * comb(n, d) * factorial(d))
    parts = [part for number in bound.order for part in hidden[number].parts]
    if len(set(bound.order)) < len(bound.order) or len(set(parts)) < len(parts):
        yield "a class, or a literal, counts twice"
    if product != Fraction(bound.share):
        yield f"the product is {product}, not {bound.share}"
