"""Classical problems of epistemic planning, with their known answers.

Corridor, grapevine and selective communication: Kominis and Geffner, Beliefs in Multiagent Planning, ICAPS 2015; Muise et
al., Planning over Multi-Agent Epistemic States, AAAI 2015. Coin in the box: Baral et al., 2015. Gossip: Tijdeman, On a
telephone problem, 1971: 2n - 4 calls for n >= 4 agents.

A call of gossip goes both ways and tells all; messages here go one way and tell one secret. For one-way calls that tell
all, the least number is 2n - 2 (Harary and Schwenk, The communication problem on graphs and digraphs, 1974). With one
secret a message, each of the n secrets must reach n - 1 agents: n messages to everybody, or n (n - 1) to single agents.
"""

from __future__ import annotations

from itertools import product

import pytest
from msgspec import structs

from otherminds.household.epistemic.certificate import Claim, PlanTell
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.compiling import Compiled
from otherminds.household.epistemic.fast_downward import program, solve
from otherminds.household.epistemic.relaxed import ProblemVariant, Reachability
from tests.household.epistemic.classics import OPENED, room
from tests.household.epistemic.random_problems import Case
from tests.household.epistemic.refereed import BEST, played

pytestmark = pytest.mark.skipif(
    program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'"
)


def shortest(case: Case) -> int | None:
    """The number of steps of a shortest plan, which the checker accepts; ``None`` if Fast Downward proves that there is none."""
    found = solve((compiled := Compiled(case.problem, case.problem.goal)).task, BEST)
    assert found.verdict != "unknown"
    if found.verdict == "unsolvable":
        return None
    claim = Claim("reached", "plan", case.problem.goal, compiled.plan(found.steps))
    assert refuted(case.problem, claim) == ""
    result = played(case, claim.plan, most=False, points=3_000)
    assert result is None or (result.run and result.holds)
    return len(claim.plan)


def impossible(case: Case, deepest: int = 1000) -> bool:
    """Whether the checker accepts the proof that the goal never holds."""
    claim = Reachability(case.problem, [ProblemVariant(deepest=deepest)]).never(case.problem.goal)
    return claim is not None and refuted(case.problem, claim) == ""


SPOTS = ("r1", "r2", "s")
CORRIDOR = [("r1", "r2"), ("r2", "s")]


def corridor(agents: str, goal_of: str, **others: dict[str, tuple[str, ...]]) -> Case:
    """Agent a walks along three rooms; the box is in the last, and all can be told what a saw there."""
    return room(
        agents,
        goal=[((agent,), OPENED) for agent in goal_of],
        spots=dict.fromkeys(agents, "r1"),
        walks={"a": SPOTS},
        leads=CORRIDOR,
        start=("is_open", "box"),
        **others,
    )


def test_corridor() -> None:
    links = {"a": ("b", "c")}
    assert shortest(corridor("abc", "a")) == 2
    assert shortest(corridor("abc", "ab", links=links)) == 3
    assert shortest(corridor("abc", "abc", links=links)) == 3, "one message to both"
    assert shortest(corridor("abc", "ab")) is None
    assert impossible(corridor("abc", "ab"))
    assert impossible(corridor("abc", "ab", links=links), deepest=0)
    assert not impossible(corridor("abc", "a"), deepest=0)


def selective(hearing: tuple[str, ...]) -> Case:
    """b and c are at different rooms of the corridor; who hears a message depends on the links alone."""
    return corridor("abc", "ab", links={"a": hearing})


def test_selective_communication() -> None:
    case = selective(("b",))
    assert shortest(case) == 3
    assert (
        shortest(structs.replace(case, problem=structs.replace(case.problem, goal=((("c",), OPENED),))))
        is None
    )
    only_c = structs.replace(case.problem, goal=((("c",), OPENED),))
    assert impossible(structs.replace(case, problem=only_c))
    both = selective(("b", "c"))
    aimed = Claim("reached", "plan", (), (PlanTell("a", ("b",), ((), OPENED)),)).plan
    start = structs.replace(both.problem, known=((("a",), OPENED),), goal=((("c",), OPENED),))
    why = refuted(start, Claim("reached", "plan", start.goal, aimed))
    assert why == "the parts do not all hold after the plan", "what a tells b, c does not know"


def grapevine(depth: int, links: dict[str, tuple[str, ...]]) -> Case:
    """a sees the open box; a chain of agents that ends with a is to know it."""
    chain = ("c", "b", "a")[-depth:]
    return room(
        "abc",
        goal=[(chain, OPENED)],
        spots={"b": "far", "c": "farther"},
        links=links,
        start=("is_open", "box"),
    )


@pytest.mark.parametrize(("depth", "messages"), [(1, 0), (2, 1), (3, 2)])
def test_grapevine(depth: int, messages: int) -> None:
    line = {"a": ("b",), "b": ("c",)}
    assert shortest(grapevine(depth, line)) == messages
    assert impossible(grapevine(depth, {})) == (messages > 0)
    if depth == 3:
        assert impossible(grapevine(3, line), deepest=2), "b must tell c what a knows"
        assert impossible(grapevine(3, {"a": ("b",)}))


def coin(a_watches: bool) -> Case:
    """a opens the box and looks in; b watches if it is in the room, and then all is known of all."""
    return room(
        "ab",
        goal=[(("a", "b"), OPENED), (("b", "a"), OPENED), (("a", "b", "a"), OPENED)],
        spots={} if a_watches else {"b": "away"},
    )


def test_coin_in_the_box() -> None:
    watched = coin(True)
    claim = Reachability(watched.problem, [ProblemVariant(deepest=0)]).never(watched.problem.goal)
    assert claim is None, "two that look into the box together know it of one another"
    assert impossible(coin(False))
    peeked = room("ab", goal=[(("b",), OPENED)], spots={"b": "away"}, meets=[("away", "s")])
    assert impossible(peeked), "to see somebody look is not to know what was seen"
    assert shortest(room("ab", goal=[(("a",), OPENED)], spots={"b": "away"})) == 1


def gossip(count: int, all_at_once: bool) -> Case:
    """Each agent has a secret; all are to know all. ``all_at_once``: a message reaches everybody."""
    agents = "abcd"[:count]
    secrets = {agent: f"(goal {agent})" for agent in agents}
    case = room(
        agents,
        goal=[((one,), secrets[two]) for one, two in product(agents, agents)],
        links={one: tuple(two for two in agents if two != one) for one in agents},
        known=[((agent,), secrets[agent]) for agent in agents],
        actions=(),
        sights=(),
    )
    if all_at_once:
        return case
    line = {one: (agents[(k + 1) % count],) for k, one in enumerate(agents)}
    return structs.replace(case, problem=structs.replace(case.problem, links=line))


@pytest.mark.parametrize("count", [2, 3, 4])
def test_gossip(count: int) -> None:
    wide, ring = (
        Compiled(one.problem, one.problem.goal) for one in (gossip(count, True), gossip(count, False))
    )
    found = [solve(one.task, BEST).cost for one in (wide, ring)]
    assert found == [count, count * (count - 1)], "n messages to everybody, n (n - 1) around a ring"


def calls(count: int) -> int:
    """The fewest calls, each of which tells two agents all that either knows: a search over who knows what."""
    pairs = [(one, two) for two in range(count) for one in range(two)]
    layer, number = {tuple(frozenset([k]) for k in range(count))}, 0
    while not any(all(len(knows) == count for knows in state) for state in layer):
        layer = {
            tuple(state[one] | state[two] if k in (one, two) else state[k] for k in range(count))
            for state in layer
            for one, two in pairs
        }
        number += 1
    return number


def test_two_way_calls_of_gossip_are_fewer() -> None:
    assert [calls(count) for count in (2, 3, 4)] == [1, 3, 4], "2n - 4 for n = 4"
