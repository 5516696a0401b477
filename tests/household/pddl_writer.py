"""A task's rules, start and physical goal as typed PDDL, generated from the simulator's own data; and plans parsed back.

``object`` and ``number`` are reserved in PDDL; hence objects have the type ``item`` and numbers the type ``count``. A
``thing`` is an item or a piece of furniture. Knowledge is not part of this export.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from otherminds.core.errors import TaskError
from otherminds.household.commands import EVERYBODY, Command
from otherminds.household.epistemic.formula import Literal, Not, atom, physical
from otherminds.household.epistemic.predicates import positive
from otherminds.household.house import House
from otherminds.household.planning.joint import named_for
from otherminds.household.rules import AXIOMS, RULES, Fact, Pattern, Rule
from otherminds.household.scenes.scene import floor_of

DOMAIN = "household"
TYPES = "agent spot room count thing - object furniture item - thing"
ITEM, COUNT, THING = "item", "count", "thing"
RENAMED = {"object": ITEM, "number": COUNT}
HELLO = "Hello."

Keep = AbstractSet[str]
"""The names of spots, furniture and objects to keep; agents, rooms and numbers are always kept."""


def legal(name: str) -> str:
    """A legal PDDL name, different for different names.

    >>> legal("stand:cabinet_3"), legal("2"), legal("bowl_0")
    ('stand--cabinet_3', 'n2', 'bowl_0')
    """
    return f"n{name}" if name.isdecimal() else name.replace(":", "--")


def original(name: str) -> str:
    """The name that :func:`legal` wrote.

    >>> original("stand--cabinet_3"), original("n2"), original("bowl_0")
    ('stand:cabinet_3', '2', 'bowl_0')
    """
    return name[1:] if name[1:].isdecimal() else name.replace("--", ":")


def needed(house: House) -> frozenset[str]:
    """The spots, furniture and objects that are relevant for the physical goal, to reduce a large house for a planner.

    Kept are the things that the goal or a mechanic names, the furniture that its objects rest on at the start, all
    floors, vessels and faucets if the goal requires filling, and the spots for all of these. Every plan in the reduced
    house is a plan in the whole house.
    """
    named = named_for(house)
    objects = named.intersection(house.objects)
    rests = {house.place_of(o, house.start)[1] for o in objects}
    furniture = (named | rests | {floor_of(room) for room in house.rooms}).intersection(house.furniture)
    spots = {f"stand:{f}" for f in furniture}.intersection(house.spots)
    spots |= {f"centre:{room}" for room in house.rooms}
    spots |= {house.spots[spot] for spot in house.start_spot.values()}
    return frozenset(objects | furniture | spots)


def domain(house: House, keep: Keep | None = None) -> str:
    """The PDDL domain of ``house``: its rules, including mechanics, and the derived predicates."""
    cut = _cut(house, keep)
    lines = [
        f"(define (domain {DOMAIN})",
        "  (:requirements :strips :typing :negative-preconditions :derived-predicates)",
        f"  (:types {TYPES})",
        f"  (:constants {_typed((legal(name), cut.kinds[name]) for name in cut.constants)})",
        "  (:predicates",
    ]
    for predicate, types in cut.signatures.items():
        lines += [f"    {_atom(predicate, [f'?x{k} - {kind}' for k, kind in enumerate(types)])}"]
    lines += ["  )"]
    for axiom in AXIOMS:
        head = _typed(zip(axiom.head[1:], cut.signatures[axiom.head[0]], strict=True))
        body = " ".join(_written(part) for part in axiom.body)
        lines += [f"  (:derived ({axiom.head[0]} {head})"]
        lines += [f"    (exists (?f - furniture) (and {body})))"]
    for rule in cut.rules:
        lines += [f"  (:action {rule.name}"]
        lines += [f"    :parameters ({_typed(_parameters(rule).items())})"]
        lines += [f"    :precondition (and {' '.join(_written(one.pattern) for one in rule.preconditions)})"]
        removed = (f"(not {_written(part)})" for part in rule.del_effects)
        lines += [f"    :effect (and {' '.join((*removed, *map(_written, rule.add_effects)))}))"]
    return "\n".join([*lines, ")", ""])


def problem(house: House, keep: Keep | None = None) -> str:
    """The PDDL problem: the start of ``house`` and the physical part of its goal.

    With ``keep`` (see :func:`needed`), only these names are written. Then agents walk only to middles of rooms and to
    furniture, and reach only that piece of furniture from its spot, because the simulator does not move an agent that
    has the piece in reach already.

    Raises:
        TaskError: the goal has ``is_next_to``, which depends on boxes and not on facts.
    """
    cut = _cut(house, keep)
    init = [
        fact
        for fact in (*sorted(house.static), *sorted(house.facts.shown(house.start)))
        if fact[0] in cut.signatures
        and all(name in cut.kinds for name in fact[1:])
        and (keep is None or _walkable(fact))
    ]
    goal = [_literal(house, literal) for literal in physical(house.goal)]
    objects = ((legal(name), kind) for name, kind in cut.kinds.items() if name not in cut.constants)
    lines = [f"(define (problem task) (:domain {DOMAIN})", f"  (:objects {_typed(objects)})", "  (:init"]
    lines += [f"    {_written(fact)}" for fact in init]
    return "\n".join([*lines, "  )", f"  (:goal (and {' '.join(goal)}))", ")", ""])


def command_of(house: House, action: str, args: Sequence[str], text: str = HELLO) -> Command:
    """The call for a step of a planner by the agent ``args[0]``; ``text`` is the text of a message.

    For a step to the spot of a piece of furniture, the agent does not move if the piece is in its reach already.

    Raises:
        TaskError: no rule has that name, or no call leads to the spot (:func:`problem` with ``keep`` has no such steps).
    """
    rule = next((rule for rule in house.rules if rule.name == action), None)
    if rule is None:
        raise TaskError(
            f"plan: there is no action {action!r} in task {house.task.task_id!r}; plan in its own domain"
        )
    values = {name: original(arg) for (name, _), arg in zip(rule.parameters, args, strict=True)}
    match rule.tool:
        case "Navigate":
            kind, _, name = values["?t"].partition(":")
            if kind not in ("centre", "stand"):
                raise TaskError(
                    f"plan: no call leads to {values['?t']!r}; make the problem with keep=needed(house)"
                )
            return Command(rule.tool, (name,))
        case "Communicate":
            return Command(rule.tool, (values.get("?b", EVERYBODY), text))
        case "Place":
            relation = "within" if action == "place_within" else "on"
            return Command(rule.tool, (values["?o"], relation, values["?f"]))
        case _:
            thing = values.get("?o") or values.get("?f") or action.partition("__")[2]
            return Command(rule.tool, (thing,))


class _Cut(NamedTuple):
    """The written part of a house: the type of each name, the rules, the constants in them, and the signatures of
    predicates."""

    kinds: Mapping[str, str]
    rules: Sequence[Rule]
    constants: Sequence[str]
    signatures: Mapping[str, Sequence[str]]


def _cut(house: House, keep: Keep | None) -> _Cut:
    kinds = _kinds(house, keep)
    own = [rule for rule in house.rules[len(RULES) :] if all(name in kinds for name in _named(rule))]
    rules = [*house.rules[: len(RULES)], *own]
    constants = tuple(dict.fromkeys(name for rule in own for name in _named(rule)))
    return _Cut(kinds, rules, constants, _signatures(rules, kinds))


def _kinds(house: House, keep: Keep | None) -> dict[str, str]:
    start = house.facts.shown(house.start)
    counts = {fact[-1] for fact in start if fact[0] == "left"}
    counts |= {name for fact in house.static if fact[0] == "next" for name in fact[1:]}
    free = {"spot": house.spots, "furniture": house.furniture, ITEM: house.objects}
    return {
        **{name: kind for kind, names in free.items() for name in names if keep is None or name in keep},
        **dict.fromkeys(house.agents, "agent"),
        **dict.fromkeys(house.rooms, "room"),
        **dict.fromkeys(sorted(counts), COUNT),
    }


def _signatures(rules: Sequence[Rule], kinds: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[set[str]]] = {}
    used = [(part, {**kinds, **_parameters(rule)}) for rule in rules for part in _patterns(rule)]
    for axiom in AXIOMS:
        types = {"?o": ITEM, "?r": "room", "?f": "furniture"}
        used += [(part, types) for part in (axiom.head, *axiom.body)]
    for part, types in used:
        places = found.setdefault(part[0], [set() for _ in part[1:]])
        for place, name in zip(places, part[1:], strict=True):
            place.add(types[name])
    return {
        predicate: [THING if len(place) > 1 else next(iter(place)) for place in places]
        for predicate, places in found.items()
    }


def _parameters(rule: Rule) -> dict[str, str]:
    return {name: RENAMED.get(kind, kind) for name, kind in rule.parameters}


def _patterns(rule: Rule) -> Iterator[Pattern]:
    yield from (one.pattern for one in rule.preconditions)
    yield from rule.add_effects
    yield from rule.del_effects


def _named(rule: Rule) -> Iterator[str]:
    """The constants in a rule."""
    return (name for part in _patterns(rule) for name in part[1:] if not name.startswith("?"))


def _walkable(fact: Fact) -> bool:
    """Whether ``fact`` is kept if agents walk only to destinations of calls."""
    match fact:
        case ("may_go", _, spot):
            return spot.startswith(("centre:", "stand:"))
        case ("reaches", spot, f):
            return not spot.startswith("stand:") or spot == f"stand:{f}"
        case _:
            return True


def _literal(house: House, literal: Literal) -> str:
    fact = positive(literal)
    inside = atom(fact)
    # A floor stores what is on it as lies_on.
    on_floor = inside.predicate == "is_on_top" and ("floor", inside.args[1]) in house.static
    predicate = "lies_on" if on_floor else inside.predicate
    written = _atom(predicate, [legal(name) for name in inside.args])
    if inside.predicate == "is_next_to":
        raise TaskError(
            f"task {house.task.task_id!r}: the goal has {written}: that is a matter of boxes, which PDDL "
            "cannot say; leave it out to plan"
        )
    return f"(not {written})" if isinstance(fact, Not) else written


def _typed(pairs: Iterable[tuple[str, str]]) -> str:
    return " ".join(f"{name} - {kind}" for name, kind in pairs)


def _written(fact: Pattern) -> str:
    return _atom(fact[0], [name if name.startswith("?") else legal(name) for name in fact[1:]])


def _atom(predicate: str, args: Sequence[str]) -> str:
    return f"({' '.join((predicate, *args))})"
