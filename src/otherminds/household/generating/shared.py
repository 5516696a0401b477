"""What all families share: links, parts for every agent, messages, chains of knowledge, and secrets about others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from msgspec import Struct

from otherminds.household.epistemic.formula import Atom
from otherminds.household.epistemic.words import Aware, Must
from otherminds.household.generating.draft import Draft
from otherminds.household.generating.parts import (
    close_one,
    open_one,
    place,
    place_own,
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
