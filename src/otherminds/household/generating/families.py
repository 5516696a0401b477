"""The families of generated tasks, one for each functional pattern of Juneja et al. 2026 (appendix F), and what all share.

All families have links, parts for every agent, messages, chains of knowledge, and secrets about others. The function of a
family draws a draft for what is requested; ``None`` if the house that was drawn does not allow it. Mixed motives are private
goals that are added to a draft of another family: no private goal holds at the start, so that an agent has to act for it, and
no plan for the shared goal need reach it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from msgspec import Struct

from otherminds.household.epistemic.formula import Atom
from otherminds.household.epistemic.predicates import OPPOSITES
from otherminds.household.epistemic.words import Aware, Must
from otherminds.household.generating.draft import Draft, Use, house, placed_in, usable, walkable
from otherminds.household.generating.parts import (
    close_one,
    control,
    hand_over,
    mirror,
    open_one,
    place,
    place_own,
    reverse,
    shortest,
    store,
    want_known,
)
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred

Part: TypeAlias = Callable[[Draft, str, str], bool]
SIMPLE: tuple[Part, ...] = (place, place, open_one, open_one, store, close_one)
SHORT: tuple[Part, ...] = (open_one, close_one)
"""Parts that take few turns."""
OWN: tuple[Part, ...] = (place_own, place_own, open_one, open_one)
"""Parts for which no agent has to search the house, or to be told of what must stay as it is.

``close_one`` is not one of them: who knows of it sends messages about what must stay open, also to an agent without a
message to spare, and level 3 solves hardly any such task.
"""
OPENING: tuple[Part, ...] = (open_one,)
"""Parts of ``OWN`` that take few turns."""
LEAST = 4
"""Turns of the shortest plan of a hard task: with fewer, a relayed message mostly comes too late."""


DISTRACTIONS = 2
"""Goals that a sender is told of, and whose actors know them, besides one for each spare message."""
DISTRACTED = 0.9
"""The share of other than hard tasks with such goals."""


class DraftRequest(Struct, frozen=True):
    """The number of agents, the depth of the chain, and what else a draft must have.

    ``hard``: a secret passes through an agent that has no message to spare. ``links``: not every agent can message every
    other one. ``mechanic``: a hidden mechanic; empty for any.
    """

    agents: int
    depth: int
    hard: bool = False
    links: bool = False
    mechanic: str = ""


def ring(draft: Draft) -> None:
    """Each agent can message only the next one."""
    turned = [*draft.agents[1:], draft.agents[0]]
    if draft.draw.random() < 0.5:
        turned = [draft.agents[-1], *draft.agents[:-1]]
    draft.links = {agent: (other,) for agent, other in zip(draft.agents, turned, strict=True)}


def line(draft: Draft) -> None:
    """Each agent can message its neighbours in a row."""
    row = draft.draw.sample(draft.agents, len(draft.agents))
    near = {
        agent: {row[k - 1] if k else agent, row[min(k + 1, len(row) - 1)]} - {agent}
        for k, agent in enumerate(row)
    }
    draft.links = {agent: tuple(sorted(near[agent])) for agent in draft.agents}


def connect_agents(draft: Draft, request: DraftRequest) -> dict[str, str]:
    """Restricts who can message whom: in a hard draft to a :func:`bottleneck`, whose knowers by actor are returned.

    Else the links of three or more agents are restricted for a deep chain, if asked for, or by chance; there are no
    knowers.
    """
    if request.hard:
        return bottleneck(draft, request.depth)
    if len(draft.agents) > 2 and (request.depth > 2 or request.links or draft.draw.random() < 0.5):
        (ring if request.depth > 2 or draft.draw.random() < 0.5 else line)(draft)
    return {}


def list_addressees(draft: Draft, agent: str) -> tuple[str, ...]:
    """The addressees of an agent."""
    return draft.links.get(agent, draft.others(agent))


def path(draft: Draft, sender: str, receiver: str) -> tuple[str, ...] | None:
    """The agents on a shortest way of messages, with both ends; ``None`` if there is none."""
    waiting: list[tuple[str, ...]] = [(sender,)]
    visited = {sender}
    for way in waiting:
        if way[-1] == receiver:
            return way
        for other in list_addressees(draft, way[-1]):
            if other not in visited:
                visited.add(other)
                waiting.append((*way, other))
    return None


def near(draft: Draft, actor: str) -> str:
    """An agent that can message ``actor``."""
    return draft.draw.choice(
        [agent for agent in draft.others(actor) if actor in list_addressees(draft, agent)]
    )


def far(draft: Draft, actor: str) -> str | None:
    """An agent that can message ``actor`` only through others; ``None`` if there is none."""
    distant = [
        agent
        for agent in draft.others(actor)
        if actor not in list_addressees(draft, agent) and path(draft, agent, actor)
    ]
    return draft.draw.choice(distant) if distant else None


def simple(draft: Draft, actor: str, knower: str, kinds: Sequence[Part] = SIMPLE) -> bool:
    """One part of any of these kinds."""
    return any(part(draft, actor, knower) for part in draft.draw.sample(kinds, len(kinds)))


def bottleneck(draft: Draft, depth: int) -> dict[str, str]:
    """Links by which one secret must pass through an agent that knows none itself; returns the knower by actor.

    That agent has as many messages as this takes: a team that spends them on what it knows at first never passes it on.
    Each agent starts in its own room, so that it need not search the house.
    """
    first, middle, last, *others = draft.draw.sample(draft.agents, len(draft.agents))
    row = (first, middle, last, *others)
    draft.links = {agent: (other,) for agent, other in zip(row, (*row[1:], first), strict=True)}
    if depth < 3 and draft.draw.random() < 0.6:
        draft.links[last] = tuple(sorted({*draft.links[last], middle}))
    draft.homes.update(draft.own)
    knowers = {other: agent for agent, other in zip(row, (*row[1:], first), strict=True)} | {last: first}
    if middle in draft.links[last] and draft.draw.random() < 0.6:
        knowers[middle] = last
    return knowers


def direct(draft: Draft, knowers: Mapping[str, str]) -> tuple[str, str]:
    """An actor, and an agent that can message it: its knower if there are ``knowers``."""
    if not knowers:
        actor = draft.draw.choice(draft.agents)
        return actor, near(draft, actor)
    reachable = [
        actor for actor, knower in sorted(knowers.items()) if actor in list_addressees(draft, knower)
    ]
    actor = draft.draw.choice(reachable)
    return actor, knowers[actor]


def complete_draft(
    draft: Draft, depth: int, knowers: Mapping[str, str], kinds: Sequence[Part] = SIMPLE
) -> Draft | None:
    """The draft with a part for each agent that has none, a chain of knowledge, secrets about others, and budgets.

    ``knowers`` has the agent that is told of the parts of each actor; by default one that can message it. ``kinds`` are
    those of the parts that are added.
    """
    for agent in draft.agents:
        knower = knowers.get(agent) or near(draft, agent)
        if agent not in draft.changes and not simple(draft, agent, knower, kinds):
            return None
    if knowers and shortest(draft) < LEAST:
        return None
    if not knowers and draft.draw.random() < 0.3 and len(draft.goals) < 6:
        actor = draft.draw.choice(draft.agents)
        simple(draft, actor, near(draft, actor), kinds)
    relays = {
        (relay, actor) for knower, actor in draft.news for relay in (path(draft, knower, actor) or ())[1:-1]
    }
    tight = {relay for relay, _ in relays} if knowers else set[str]()
    senders = _add_chain(draft, depth, relays, tight)
    if senders is None:
        return None
    _partners(draft, bool(knowers))
    needed = Counter(senders)
    for knower, actor in draft.news:
        needed.update((path(draft, knower, actor) or ())[:-1])
    slack = draft.draw.choice((0, 1) if knowers else (0, 0, 1))
    spare = {agent: 0 if agent in tight else slack for agent in draft.agents}
    if knowers or draft.draw.random() < DISTRACTED:
        for sender in needed:
            if not _distract(draft, sender, DISTRACTIONS + spare[sender]) and knowers:
                return None
    draft.budgets = {agent: max(1, needed[agent] + spare[agent]) for agent in draft.agents}
    return draft


def _distract(draft: Draft, sender: str, number: int) -> bool:
    """Tells an agent of goals whose actors know them, and that they do; ``False`` if there are fewer than ``number``.

    A message about such a goal is wasted. Which of all that the agent knows is worth one of its messages follows from what
    its partners know, and from nothing else: a team that ignores this sends any of it.
    """
    for _ in range(number):
        actors = draft.draw.sample(others := draft.others(sender), len(others))
        actor, goal = next(
            ((agent, goal) for agent in actors if (goal := want_known(draft, agent))), ("", None)
        )
        if goal is None:
            return False
        draft.tell(sender, Must(goal), Aware(actor, Must(goal)))
    draft.draw.shuffle(draft.told[sender])
    return True


def _add_chain(
    draft: Draft, depth: int, relays: Set[tuple[str, str]], tight: Set[str]
) -> Sequence[str] | None:
    """Adds a chain about a goal that its first agent cannot see, and that messages of agents not in ``tight`` establish.

    An agent in ``tight``, or one that relays to an actor (``relays`` has both), is not told what the actor must do: its
    chain is about a part of the goal that holds at the start, and the actor is told of it. Returns the senders of these
    messages; ``None`` if there is no such chain.
    """
    options: list[tuple[tuple[str, ...], tuple[str, ...], Atom, str]] = []
    for actor in draft.agents:
        for chain, senders in _chains(draft, actor, depth):
            if tight.isdisjoint(senders):
                relayed = chain[0] in tight or (chain[0], actor) in relays
                goals = draft.kept.get(actor, []) if relayed else draft.changes[actor]
                options += [(chain, senders, goal, actor if relayed else chain[0]) for goal in goals]
    if not options:
        return None
    chain, senders, goal, informed = draft.draw.choice(options)
    draft.know(chain, goal, informed)
    return senders


def _chains(draft: Draft, actor: str, depth: int) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Chains of this depth that messages of the actor can establish, the last heard first, with the senders."""
    ways: list[tuple[str, ...]] = [(actor,)]
    for _ in range(max(depth - 1, 1)):
        ways = [(other, *way) for way in ways for other in list_addressees(draft, way[0]) if other not in way]
    for way in ways:
        yield (way[:1] if depth == 1 else way), way[1:]


def _partners(draft: Draft, tight: bool) -> None:
    """Tells knowers which other agents cannot enter the actor's room, and whom the agents on the way can message.

    If messages are ``tight``, a knower that can message the actor is always told: it would ask the other agents too.
    """
    for knower, actor in dict.fromkeys(draft.news):
        sure = tight and actor in list_addressees(draft, knower)
        for other in draft.others(actor, knower) if sure or draft.draw.random() < 0.7 else ():
            draft.tell(knower, Barred(other, (draft.own[actor],)))
        for between in (path(draft, knower, actor) or ())[1:-1]:
            draft.tell(knower, Reaches(between, draft.links[between]))


def draft_delegation(draw: random.Random, request: DraftRequest) -> Draft | None:
    """Who knows a goal can message several agents, of which one can achieve it.

    A draft with at least three agents and a chain of at most two: a deeper one needs a ring, in which nobody chooses.
    """
    draft = house(draw, request.agents) if request.agents > 2 and request.depth < 3 else None
    if draft is None:
        return None
    knowers = bottleneck(draft, request.depth) if request.hard else {}
    if not request.hard and (request.links or draw.random() < 0.4):
        line(draft)
    kinds = OWN if request.hard else SIMPLE
    most = max(len(list_addressees(draft, agent)) for agent in draft.agents)
    chooser = draw.choice([agent for agent in draft.agents if len(list_addressees(draft, agent)) == most])
    free = [actor for actor in list_addressees(draft, chooser) if knowers.get(actor, chooser) == chooser]
    if len(list_addressees(draft, chooser)) < 2 or not free:
        return None
    for actor in draw.sample(free, draw.randint(1, len(free))):
        if not simple(draft, actor, chooser, kinds):
            return None
    return complete_draft(draft, request.depth, knowers, kinds)


def draft_sequencing(draw: random.Random, request: DraftRequest) -> Draft | None:
    """An agent has to bring a thing out of its own room before another one can put it in its place.

    A draft in which the giver knows the goal, or the actor can ask the giver.
    """
    draft = house(draw, request.agents)
    if draft is None:
        return None
    knowers = connect_agents(draft, request)
    actor, knower = direct(draft, knowers)
    givers = [agent for agent in list_addressees(draft, actor) if agent != knower] if not request.hard else []
    giver = draw.choice(givers) if givers and draw.random() < 0.4 else knower
    if not hand_over(draft, actor, knower, giver):
        return None
    draft.homes |= {agent: draft.own[agent] for agent in (actor, giver)}
    return complete_draft(draft, request.depth, knowers, OPENING if request.hard else SHORT)


def draft_relay(draw: random.Random, request: DraftRequest) -> Draft | None:
    """Who knows a goal cannot message the agent that can achieve it, and another agent can.

    A draft with at least three agents.
    """
    draft = house(draw, request.agents) if request.agents > 2 else None
    if draft is None:
        return None
    if request.hard:
        return complete_draft(draft, request.depth, bottleneck(draft, request.depth), OWN)
    (ring if request.depth > 2 or draw.random() < 0.6 else line)(draft)
    for actor in draw.sample(draft.agents, draw.randint(1, len(draft.agents))):
        knower = far(draft, actor)
        if knower is not None and not simple(draft, actor, knower):
            return None
    return complete_draft(draft, request.depth, {}) if draft.changes else None


GATED_PARTS = {"remote_control": control, "inverse_state": reverse, "state_mirroring": mirror}
"""The part of a goal for each hidden mechanic."""


def draft_gated(draw: random.Random, request: DraftRequest) -> Draft | None:
    """Which act is right depends on a mechanic that only another agent knows.

    A draft with a hidden mechanic.
    """
    mechanic = request.mechanic or draw.choice(("remote_control", *GATED_PARTS))
    draft = house(draw, request.agents, locks=mechanic != "inverse_state")
    if draft is None:
        return None
    knowers = connect_agents(draft, request)
    actor, knower = direct(draft, knowers)
    insider = knower if request.hard else near(draft, actor)
    if not GATED_PARTS[mechanic](draft, actor, knower, insider):
        return None
    # A message that is relayed takes turns, and the limit of turns depends on the longest part.
    if request.hard and not place_own(draft, *direct(draft, knowers)):
        return None
    return complete_draft(draft, request.depth, knowers, OWN if request.hard else SIMPLE)


CONFLICTING = 0.6
"""The share of private goals that exclude a part of the shared goal, where that is possible."""
PUT: dict[str, Use] = {"is_on_top": "top", "is_inside": "interior"}
"""The use of furniture for each predicate of the place of an object."""


def with_private_goals(draft: Draft) -> Draft | None:
    """The draft with a private goal for one to all of its agents; ``None`` if there is no furniture for one.

    It is to open furniture that the agent can reach and that nothing is said about; or it excludes a part of the shared
    goal that the agent is told of (:func:`conflicting`).
    """
    for agent in draft.draw.sample(draft.agents, draft.draw.randint(1, len(draft.agents))):
        opposed = [*dict.fromkeys(conflicting(draft, agent))]
        if opposed and draft.draw.random() < CONFLICTING:
            draft.private_goals[agent] = draft.draw.choice(opposed)
        elif free := _pieces(draft, agent, "articulated"):
            piece = draft.draw.choice(free)
            draft.used.add(piece)
            draft.private_goals[agent] = Atom("is_open", (piece,))
    return draft if draft.private_goals else None


def conflicting(draft: Draft, agent: str) -> Iterator[Atom]:
    """What does not hold at the start and excludes a part of the shared goal that an agent is told of.

    Furniture that has to stay as it is shall not, and the agent can message who could change that; or an object that the agent can reach shall end somewhere else.
    """
    told_goals = {statement.formula for statement in draft.told.get(agent, ()) if isinstance(statement, Must)}
    # Nobody else would reach it for an agent that cannot ask the only one who can.
    for goals in (draft.kept.get(actor, ()) for actor in list_addressees(draft, agent)):
        yield from (Atom(OPPOSITES[goal.predicate], goal.args) for goal in goals if goal in told_goals)
    places = placed_in(draft.scene)
    for goal in (part for goals in draft.changes.values() for part in goals):
        if goal in told_goals and goal.predicate in PUT and places[goal.args[0]][1] in draft.rooms(agent):
            entity = goal.args[0]
            yield from (Atom("is_on_top", (entity, f)) for f in _pieces(draft, agent, "top"))


def _pieces(draft: Draft, agent: str, use: Use) -> list[str]:
    """The furniture with a use that an agent can reach and that nothing is said about."""
    near = walkable(draft.scene, draft.homes[agent], draft.rooms(agent))
    return [
        f
        for room in draft.rooms(agent)
        if room in near
        for f in usable(draft.scene.scene_id, room, use)
        if f not in draft.used
    ]
