"""A task as data for proofs: an epistemic problem (its rules, what agents see, their secrets, its goal), and what each agent can
reach, change, see and meet, wherever it walks.

Agents act on what they know: an action that adds a literal which a secret sets as a goal needs an agent that knows this
secret, and, where it does so through a secret mechanic, that secret too. Hence a goal is not reached by chance; the share
of tasks that chance solves is bounded apart (:mod:`.guessing`).

A problem has the shared goal, and apart from it the physical parts of private goals. A private goal is a reason to act for
its owner, and for those whom it asks. It forbids nothing: what others do for no secret reason they still may do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from otherminds.core.errors import TaskError
from otherminds.household.epistemic import words
from otherminds.household.epistemic.certificate import (
    EpistemicProblem,
    Gate,
    Known,
    ProblemAction,
    Words,
)
from otherminds.household.epistemic.forms import canonical, private_forms, statements
from otherminds.household.epistemic.formula import Literal, Not, atom, claims, physical, show
from otherminds.household.epistemic.predicates import positive, positive_claims
from otherminds.household.goal_check import check_by_facts, implies, witnesses
from otherminds.household.house import House
from otherminds.household.rules import SIGHTS, Fact, Rule

TOUCHED = ("is_open", "is_closed")
"""The values that a trigger without a state of its own seems to take when an agent tries to open or close it."""


class Effect(NamedTuple):
    """When its trigger takes the value ``taken``, ``thing`` takes ``value``."""

    taken: str
    thing: str
    value: str


class HouseAccess:
    """For each agent: ``spots`` where it may be, what it ``reaches``, ``sees`` and ``changes``, and the spots that it ``meets``.

    ``spots`` has the start, even in a barred room. ``changes`` are the things in reach and all that mechanics set with them.
    ``sets`` has the direct effects of each trigger.
    """

    def __init__(self, house: House) -> None:
        tables, walks = house.scene.tables, house.static
        self.spots = {
            agent: {spot for spot in house.spots if ("may_go", agent, spot) in walks} | {house.spots[start]}
            for agent, start in house.start_spot.items()
        }
        self.reaches = {a: {f for s in spots for f in tables.reaches[s]} for a, spots in self.spots.items()}
        self.sees = {a: {f for s in spots for f in tables.sees[s]} for a, spots in self.spots.items()}
        self.meets = {a: {t for s in spots for t in tables.meets[s]} for a, spots in self.spots.items()}
        self.sets = dict(_triggers(house))
        self.changes = {agent: self.close_over(reachable) for agent, reachable in self.reaches.items()}

    def actors(self, entity: str) -> tuple[str, ...]:
        """The agents that reach a thing."""
        return tuple(agent for agent, reachable in self.reaches.items() if entity in reachable)

    def seers(self, entity: str) -> tuple[str, ...]:
        """The agents that see a thing."""
        return tuple(agent for agent, visible in self.sees.items() if entity in visible)

    def close_over(self, entities: Iterable[str]) -> set[str]:
        """``entities`` and all that mechanics set with them, directly or in a chain."""
        closure = set(entities)
        waiting = [*closure]
        while waiting:
            fresh = {effect.thing for effect in self.sets.get(waiting.pop(), ())} - closure
            closure |= fresh
            waiting += fresh
        return closure

    def sources(self, agent: str) -> set[str]:
        """``agent``, and all agents whose acts may have an effect on what it observes, directly or through others."""
        agents, waiting = {agent}, [agent]
        while waiting:
            observer = waiting.pop()
            fresh = {
                other
                for other in self.spots.keys() - agents
                if self.spots[other] & self.meets[observer] or self.changes[other] & self.sees[observer]
            }
            agents |= fresh
            waiting += fresh
        return agents


def _triggers(house: House) -> Iterator[tuple[str, tuple[Effect, ...]]]:
    """Each trigger with its direct effects."""
    turnable = house.plan.turnable()
    triggers = {entity for m, b in house.bound for entity in m.triggers(b)}
    for trigger in dict.fromkeys((*turnable, *sorted(triggers))):
        effects = tuple(
            Effect(state, other, value)
            for state in turnable.get(trigger, TOUCHED)
            for m, b in house.bound
            for other, value in m.follows(b, trigger, state)
            if value in turnable.get(other, ())
        )
        if effects:
            yield trigger, effects


class BarredRoom(Struct, frozen=True):
    """An agent cannot enter a room."""

    agent: str
    room: str

    def __str__(self) -> str:
        return f"{self.agent} cannot enter {self.room}"


def barred_rooms(house: House) -> list[BarredRoom]:
    """All bars of a task, in the order of its agents."""
    return [BarredRoom(agent, room) for agent in house.agents for room in sorted(house.barred[agent])]


def walks(house: House, without: Collection[BarredRoom]) -> frozenset[Words]:
    """The static facts that hold in addition without some bars: where agents may go then."""
    facts: set[Words] = set()
    for agent in {bar.agent for bar in without}:
        freed = {bar.room for bar in without if bar.agent == agent}
        near = house.plan.walkable(agent, house.barred[agent] - freed)
        facts |= {
            ("may_go", agent, spot)
            for spot, room in zip(house.spots, house.spot_room, strict=True)
            if room in near
        }
    return frozenset(facts - house.static)


Forms: TypeAlias = Mapping[str, frozenset[str]]
"""Secrets, each with the things that it connects if it is about a mechanic."""
TALK = "Communicate"
TALKING = ("next", "can_communicate", "can_broadcast")
"""Static facts of messages, which the problem has as links and budgets."""


def exported(house: House) -> EpistemicProblem:
    """The epistemic problem of a task.

    Raises:
        TaskError: the goal has ``is_next_to``, which depends on boxes, or knowledge that something is not at a place; or
            some agents have a tool that others lack, which no proof has.
    """
    shared = [(chain.agents, chain.fact) for chain in positive_claims(house.goal)]
    private = private_facts(house)
    followed = tuple(dict.fromkeys(fact for _, fact in shared))
    followed = tuple(dict.fromkeys((*followed, *(fact for facts in private.values() for fact in facts))))
    actions = tuple(_actions(house))
    changing = {fact[0] for action in actions for fact in (*action.adds, *action.removes)}
    start = [fact for fact in house.facts.shown(house.start) if fact[0] != "left"]
    # What no tool of the agents changes is static: a bowl stays clean where nobody has Clean or Pour.
    lasting = [fact for fact in start if fact[0] not in changing]
    return EpistemicProblem(
        task=house.task.task_id,
        digest=sha256(msgspec.json.encode(house.task, order="deterministic")).hexdigest(),
        agents=house.agents,
        names={
            "agent": house.agents,
            "spot": house.spots,
            "room": house.rooms,
            "furniture": house.furniture,
            "object": house.objects,
        },
        actions=actions,
        sights=SIGHTS,
        static=tuple(sorted({*_static(house), *lasting})),
        start=tuple(sorted(fact for fact in start if fact[0] in changing)),
        known=tuple(_list_known(house, followed)),
        links=dict(house.talk),
        budgets={agent: limit for agent, limit in house.limits.items() if limit is not None},
        gates=tuple(_gates(house)),
        literals={show(fact): _ways(house, fact) for fact in followed},
        goal=tuple(dict.fromkeys((agents, show(fact)) for agents, fact in shared)),
        private={agent: tuple(map(show, facts)) for agent, facts in private.items() if facts},
        statements=house.statements or 0,
    )


def private_facts(house: House) -> dict[str, tuple[Literal, ...]]:
    """The physical parts of each agent's private goal, in positive form, without those that no proof has."""
    facts_by_agent: dict[str, tuple[Literal, ...]] = {}
    for agent, formula in house.private.items():
        facts = tuple(map(positive, physical(formula)))
        facts_by_agent[agent] = tuple(fact for fact in facts if _expressible(house, fact))
    return facts_by_agent


def _expressible(house: House, literal: Literal) -> bool:
    try:
        return bool(_ways(house, literal))
    except TaskError:
        return False


def _ways(house: House, literal: Literal) -> tuple[Fact, ...]:
    """The facts any of which makes a literal hold."""
    fact = atom(literal)
    check_by_facts(house, literal)
    every = tuple(house.facts.shown(witnesses(house, (fact.predicate, *fact.args))))
    if isinstance(literal, Not):
        raise TaskError(
            f"task {house.task.task_id!r}: the goal has {show(literal)}, which no proof has; say where it must be instead"
        )
    return every


def _usable(house: House) -> Iterator[Rule]:
    """The rules of the tools that agents have."""
    task = house.task
    for rule in house.rules:
        having = [agent for agent in house.agents if task.allows(agent, rule.tool)]
        if having and len(having) < len(house.agents):
            text = f"only {', '.join(having)} can use {rule.tool}, which no proof has; bar rooms instead"
            raise TaskError(f"task {task.task_id!r}: agent_actions: {text}")
        if having:
            yield rule


def _actions(house: House) -> Iterator[ProblemAction]:
    for rule in _usable(house):
        if rule.tool != TALK:
            needs = tuple(precondition.pattern for precondition in rule.preconditions)
            yield ProblemAction(rule.name, rule.parameters, needs, rule.add_effects, rule.del_effects)


def _static(house: House) -> Iterator[Fact]:
    yield from (fact for fact in house.static if fact[0] not in TALKING)
    yield from (("door", room, other) for room, beyond in house.doors.items() for other in beyond)
    tables = house.scene.tables
    for spot in house.spots:
        yield from (("sees", spot, f) for f in tables.sees[spot])
        yield from (("meets", spot, other) for other in tables.meets[spot])


def _list_known(house: House, followed: tuple[Literal, ...]) -> Iterator[Known]:
    """What secrets make known: the forms that are no facts, and the followed literals that hold and that facts imply."""
    true = [fact for fact in followed if house.start & house.facts.mask(_ways(house, fact))]
    for agent in house.agents:
        for form in dict.fromkeys(
            form for text in house.task.agent_knows.get(agent, ()) for form in canonical(text)
        ):
            if not any(isinstance(statement, words.Fact) for statement in statements((form,))):
                yield (agent,), form
        for statement in house.task.told_to(agent):
            for claim in claims(statement.formula) if isinstance(statement, words.Fact) else ():
                for fact in true:
                    if not claim.agents and implies(house, positive(claim.fact), fact):
                        yield (agent,), show(fact)


def _gates(house: House) -> Iterator[Gate]:
    """For each secret goal, the reasons to reach it; private goals are reasons where another one is needed anyway."""
    forms = _forms(house)
    shared = [
        gate
        for form in forms
        for statement in statements((form,))
        for literal in (physical(statement.formula) if isinstance(statement, words.Must) else ())
        for gate in _reasons(house, positive(literal), (form,), forms)
    ]
    yield from shared
    adds = {rule.name: set(rule.add_effects) for rule in _usable(house)}
    for gate in _private_reasons(house, forms):
        (name,) = gate.actions
        gated = {fact for other in shared if name in other.actions for fact in other.adds}
        # Each use of a rule of one thing adds the same.
        beside = gate.adds if adds[name] & gated else tuple(fact for fact in gate.adds if fact in gated)
        if beside:
            yield Gate(gate.actions, beside, gate.secrets)


def private_gates(house: House) -> tuple[Gate, ...]:
    """Gates with which nobody reaches a private goal without being its owner, being asked, or having another reason."""
    forms = _forms(house)
    public = [fact for fact in map(positive, physical(house.goal)) if f"(goal {show(fact)})" not in forms]
    free = (gate for fact in public for gate in _reasons(house, fact, (), {}))
    return (*_private_reasons(house, forms), *free)


def _private_reasons(house: House, forms: Forms) -> Iterator[Gate]:
    """The reasons that private goals are; one that its owner is told as a goal of the team is such a goal."""
    for facts in private_facts(house).values():
        for fact in facts:
            if (form := private_form(fact)) in forms:
                yield from _reasons(house, fact, (form,), forms)


def private_form(fact: Literal) -> str:
    """The secret that states a private goal."""
    (form,) = private_forms(fact)
    return form


def _forms(house: House) -> Forms:
    """All secrets, each once, with the things that it connects if it is about a mechanic."""
    several = (
        form for texts in house.task.agent_knows.values() for text in texts for form in canonical(text)
    )
    return {form: frozenset(_acted_on(form)) for form in several}


def _reasons(house: House, literal: Literal, goal: Words, forms: Forms) -> Iterator[Gate]:
    """The reasons to reach a literal that a secret (in ``goal``) sets: directly, or through a mechanic, which may be secret too."""
    adds, entity = _ways(house, literal), atom(literal).args[0]
    for name in _adding(house, {fact[0] for fact in adds}, entity):
        own = name.partition("__")[2]
        through = {own} if own == entity else {own, entity}
        secrets = [form for form, entities in forms.items() if own and entities == through]
        yield Gate((name,), adds, (*goal, *secrets))


def _acted_on(form: str) -> Words:
    """The things that a secret about a mechanic connects; empty for other forms."""
    (statement,) = statements((form,)) or (None,)
    return statement.things if isinstance(statement, words.HouseRule) else ()


def _adding(house: House, predicates: set[str], entity: str) -> Iterator[str]:
    """The names of the rules that may add a fact with one of the predicates about ``entity``."""
    for rule in _usable(house):
        if any(
            effect[0] in predicates and (effect[1] == entity or effect[1].startswith("?"))
            for effect in rule.add_effects
        ):
            yield rule.name
