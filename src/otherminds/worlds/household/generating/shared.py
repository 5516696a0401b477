"""What all families share: links, parts for every agent, messages, chains of knowledge, and secrets about others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from otherminds.epistemic.words import Barred, Reaches
from otherminds.worlds.household.generating.draft import Draft
from otherminds.worlds.household.generating.parts import close_one, open_one, place, store

SIMPLE: tuple[Callable[[Draft, str, str], bool], ...] = (place, place, open_one, open_one, store, close_one)


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


def reached(draft: Draft, agent: str) -> tuple[str, ...]:
    """The addressees of an agent."""
    return draft.links.get(agent, draft.others(agent))


def path(draft: Draft, sender: str, receiver: str) -> tuple[str, ...] | None:
    """The agents on a shortest way of messages, with both ends; ``None`` if there is none."""
    waiting: list[tuple[str, ...]] = [(sender,)]
    seen = {sender}
    for way in waiting:
        if way[-1] == receiver:
            return way
        for other in reached(draft, way[-1]):
            if other not in seen:
                seen.add(other)
                waiting.append((*way, other))
    return None


def near(draft: Draft, actor: str) -> str:
    """An agent that can message ``actor``."""
    return draft.draw.choice([one for one in draft.others(actor) if actor in reached(draft, one)])


def far(draft: Draft, actor: str) -> str | None:
    """An agent that can message ``actor`` only through others; ``None`` if there is none."""
    distant = [
        one for one in draft.others(actor) if actor not in reached(draft, one) and path(draft, one, actor)
    ]
    return draft.draw.choice(distant) if distant else None


def simple(draft: Draft, actor: str, knower: str) -> bool:
    """One part of any simple kind."""
    return any(part(draft, actor, knower) for part in draft.draw.sample(SIMPLE, len(SIMPLE)))


def completed(draft: Draft, depth: int, knower: Callable[[Draft, str], str] = near) -> Draft | None:
    """The draft with a part for each agent that has none, a chain of knowledge, secrets about others, and budgets."""
    for agent in draft.agents:
        if agent not in draft.parts and not simple(draft, agent, knower(draft, agent)):
            return None
    if draft.draw.random() < 0.3 and len(draft.goals) < 6:
        actor = draft.draw.choice(draft.agents)
        simple(draft, actor, knower(draft, actor))
    if depth and not _chained(draft, depth):
        return None
    _partners(draft)
    _budgets(draft)
    return draft


def _chained(draft: Draft, depth: int) -> bool:
    """Adds a chain about a goal that its first agent cannot see, and that messages can establish."""
    for actor in draft.draw.sample(draft.agents, len(draft.agents)):
        changed = [goal for goal in draft.parts[actor] if "closed" not in str(goal)]
        chains = [one for one in _chains(draft, actor, depth) if one[0] != actor]
        if changed and chains:
            chain = draft.draw.choice(chains)
            draft.know(chain, draft.draw.choice(changed))
            draft.told_on += [actor] if depth == 1 else chain[:0:-1]
            return True
    return False


def _chains(draft: Draft, actor: str, depth: int) -> Sequence[tuple[str, ...]]:
    """Chains of this depth that messages of the actor can establish, the last heard first."""
    ways: list[tuple[str, ...]] = [(actor,)]
    for _ in range(depth - 1 if depth > 1 else 1):
        ways = [(other, *way) for way in ways for other in reached(draft, way[0]) if other not in way]
    return [way[:1] if depth == 1 else way for way in ways]


def _partners(draft: Draft) -> None:
    """Tells the knower of each goal which other agents cannot enter the actor's room, and who messages whom on the way."""
    for actor, goals in draft.parts.items():
        for knower in draft.others(actor):
            if not any(getattr(one, "formula", None) in goals for one in draft.told.get(knower, ())):
                continue
            kept_out = draft.others(actor, knower)
            for other in kept_out if draft.draw.random() < 0.7 else ():
                draft.tell(knower, Barred(other, (draft.own[actor],)))
            way = path(draft, knower, actor) or ()
            for between in way[1:-1]:
                draft.tell(knower, Reaches(between, draft.links[between]))


def _budgets(draft: Draft) -> None:
    """As many messages as the shortest ways of all secrets and chains take, and sometimes one or two more."""
    needed: Counter[str] = Counter()
    for actor, goals in draft.parts.items():
        for knower in draft.others(actor):
            told = [one for one in draft.told.get(knower, ()) if getattr(one, "formula", None) in goals]
            open_ = [one for one in told if "closed" not in str(one)]
            for sender in (path(draft, knower, actor) or ())[:-1]:
                needed[sender] += len(open_)
    for agent in draft.agents:
        for one in draft.told.get(agent, ()):
            if type(one).__name__ in ("Controls", "Mirrors", "Inverse", "Fact"):
                needed[agent] += 1
    needed.update(draft.told_on)
    slack = draft.draw.choice((0, 0, 1, 1, 2))
    draft.budgets = {agent: max(1, needed[agent] + slack) for agent in draft.agents}
