"""Links, ways of messages, chains of knowledge and budgets of drafts that are written by hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from otherminds.household.epistemic.formula import Atom, chains
from otherminds.household.epistemic.words import Aware
from otherminds.household.generating.draft import Draft
from otherminds.household.generating.families import (
    DISTRACTIONS,
    DraftRequest,
    bottleneck,
    complete_draft,
    connect_agents,
    direct,
    far,
    line,
    list_addressees,
    near,
    path,
    ring,
    simple,
)
from otherminds.household.generating.parts import open_one
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from tests.cases import for_each
from tests.household.generating.drafts import drafted, knowers, named, parts, row


def ringed(*agents: str) -> Draft:
    """Messages go round: each agent can message the next of ``agents``."""
    made = drafted()
    made.links = {one: (other,) for one, other in pairwise((*agents, agents[0]))}
    return made


def test_in_a_ring_each_agent_messages_one_other_and_hears_another() -> None:
    ways = set[tuple[str, ...]]()
    for seed in range(6):
        made = drafted(seed=seed)
        ring(made)
        ways.add(made.links["agent_0"])
        assert all(len(made.links[agent]) == 1 for agent in made.agents)
        assert {other for targets in made.links.values() for other in targets} == set(made.agents)
    assert ways == {("agent_1",), ("agent_2",)}


def test_in_a_line_neighbours_message_each_other() -> None:
    for seed in range(6):
        made = drafted(seed=seed)
        line(made)
        assert sorted(map(len, made.links.values())) == [1, 1, 2]
        assert all(agent in made.links[other] for agent in made.agents for other in made.links[agent])


@for_each(
    ("depth", "links", "restricted"),
    [(3, False, {True}), (1, True, {True}), (1, False, {True, False})],
)
def test_links_are_restricted_for_deep_chains_and_if_asked_for(
    depth: int, links: bool, restricted: set[bool]
) -> None:
    found = set[bool]()
    for seed in range(12):
        made = drafted(seed=seed)
        assert connect_agents(made, DraftRequest(3, depth, links=links)) == {}
        found.add(bool(made.links))
    assert found == restricted


def test_two_agents_have_no_restricted_links() -> None:
    made = drafted(2)
    assert connect_agents(made, DraftRequest(2, 1, links=True)) == {}
    assert made.links == {}
    assert list_addressees(made, "agent_0") == ("agent_1",)


def test_a_way_of_messages_is_a_shortest_one() -> None:
    made = row(drafted())
    assert path(made, "agent_0", "agent_2") == ("agent_0", "agent_1", "agent_2")
    assert path(made, "agent_0", "agent_1") == ("agent_0", "agent_1")
    made.links["agent_1"] = ("agent_0",)
    assert path(made, "agent_0", "agent_2") is None


def test_near_agents_can_message_an_actor_and_far_ones_through_others_only() -> None:
    made = row(drafted())
    assert {near(made, "agent_2") for _ in range(8)} == {"agent_1"}
    assert {far(made, "agent_2") for _ in range(8)} == {"agent_0"}
    assert far(made, "agent_1") is None
    assert far(drafted(), "agent_1") is None


def test_a_bottleneck_knows_no_part_of_the_actor_that_it_relays_to() -> None:
    extra = set[bool]()
    for seed in range(20):
        made = drafted(seed=seed)
        found = bottleneck(made, 1)
        assert set(found) == set(made.agents)
        assert made.homes == made.own
        (relayed,) = (actor for actor, knower in found.items() if actor not in list_addressees(made, knower))
        way = path(made, found[relayed], relayed)
        assert way is not None
        first, middle, last = way
        assert last == relayed
        assert (made.links[first], made.links[middle]) == ((middle,), (relayed,))
        actor, knower = direct(made, found)
        assert actor != relayed
        assert (found[actor], actor in list_addressees(made, knower)) == (knower, True)
        extra.add(len(made.links[last]) > 1)
        assert all(actor != knower for actor, knower in found.items())
    assert extra == {True, False}


def test_without_knowers_any_agent_that_can_message_an_actor_is_chosen() -> None:
    made = row(drafted())
    pairs = {direct(made, {}) for _ in range(60)}
    assert pairs == {
        (actor, knower) for actor in made.agents for knower in made.agents if actor in made.links[knower]
    }


def test_the_links_of_a_hard_draft_are_a_bottleneck() -> None:
    made = drafted()
    assert connect_agents(made, DraftRequest(3, 1, hard=True)) == bottleneck(drafted(), 1)


def test_a_bottleneck_of_a_deep_chain_is_a_ring() -> None:
    for seed in range(10):
        made = drafted(seed=seed)
        bottleneck(made, 3)
        assert all(len(targets) == 1 for targets in made.links.values())


@for_each("depth", [1, 2, 3])
def test_completed_drafts_have_work_for_each_agent_and_one_chain(depth: int) -> None:
    done = 0
    for seed in range(12):
        made = drafted(seed=seed)
        connect_agents(made, DraftRequest(3, depth, links=True))
        if complete_draft(made, depth, {}) is None:
            continue
        done += 1
        assert set(made.changes) == set(made.agents)
        (chain,) = (one for goal in made.goals for one in chains(goal) if one.agents)
        assert len(chain.agents) == depth
        assert len(set(chain.agents)) == depth
        assert any(chain.fact in goals for goals in (*made.changes.values(), *made.kept.values()))
    assert done > 4


def test_a_chain_can_be_established_by_messages_of_the_actor() -> None:
    """In a ring 0, 1, 2, agent 1 learns from agent 0, and agent 2 from agent 1."""
    for seed in range(12):
        made = drafted(seed=seed)
        made.links = ringed("agent_0", "agent_1", "agent_2").links
        if complete_draft(made, 2, {}) is None:
            continue
        (chain,) = (one for goal in made.goals for one in chains(goal) if one.agents)
        outer, inner = chain.agents
        assert made.links[inner] == (outer,)
        actor = next(actor for actor, goal in _all(made) if goal == chain.fact)
        assert actor == inner


def test_two_agents_have_no_chain_of_three() -> None:
    assert complete_draft(drafted(2), 2, {}) is not None
    assert complete_draft(drafted(2), 3, {}) is None


def test_the_agent_that_relays_a_part_is_not_told_of_it_by_a_chain() -> None:
    """Agent 0 knows what agent 2 must do, and agent 1 relays it."""
    done = 0
    for seed in range(40):
        made = row(drafted(seed=seed))
        assert open_one(made, "agent_2", "agent_0")
        goal = made.changes["agent_2"][0]
        if complete_draft(made, 1, {}) is not None:
            done += 1
            assert goal not in named(made, "agent_1")
    assert done > 10


def test_knowers_learn_who_is_shut_out_and_whom_those_on_the_way_can_message() -> None:
    made = row(drafted())
    assert simple(made, "agent_2", "agent_0")
    assert complete_draft(made, 1, {}) is not None
    assert Reaches("agent_1", ("agent_0", "agent_2")) in made.told["agent_0"]
    barred = {
        one.agent: one.rooms
        for told in made.told.values()
        for one in told
        if isinstance(one, Barred) and one.agent
    }
    assert all(set(rooms) <= set(made.own.values()) for rooms in barred.values())
    assert all(made.own[agent] not in rooms for agent, rooms in barred.items())


def test_budgets_are_enough_to_pass_on_all_that_actors_need() -> None:
    for seed in range(20):
        made = row(drafted(seed=seed))
        if complete_draft(made, 1, {}) is None:
            continue
        needed = Counter[str]()
        for knower, actor in made.news:
            needed.update((path(made, knower, actor) or ())[:-1])
        assert all(made.budgets[agent] >= max(1, needed[agent]) for agent in made.agents)


def test_a_bottleneck_has_no_message_to_spare_and_no_news_of_its_own() -> None:
    done = 0
    for seed in range(30):
        made = drafted(seed=seed)
        found = bottleneck(made, 1)
        if complete_draft(made, 1, found) is None:
            continue
        done += 1
        relays = [path(made, found[actor], actor) or () for actor in made.agents]
        (way,) = (way for way in relays if len(way) > 2)
        carried = sum(way[1] in (path(made, knower, actor) or ())[:-1] for knower, actor in made.news)
        assert made.budgets[way[1]] == carried
        assert not named(made, way[1]) & {goal for _, goal in parts(made)}
    assert done > 8


def test_each_sender_of_a_hard_draft_knows_goals_that_are_not_worth_a_message() -> None:
    done = 0
    for seed in range(60):
        made = drafted(seed=seed)
        if complete_draft(made, 1, bottleneck(made, 1)) is None:
            continue
        done += 1
        for sender in made.agents:
            aware = [one for one in made.told[sender] if isinstance(one, Aware)]
            assert all(one.goal in made.told[sender] and one.goal in made.told[one.agent] for one in aware)
            assert all(made.own[one.agent] in made.bars(sender) for one in aware)
            sent = [
                (knower, actor)
                for knower, actor in made.news
                if sender in (path(made, knower, actor) or ())[:-1]
            ]
            spare = made.budgets[sender] - len(sent)
            assert not sent or len(aware) >= DISTRACTIONS + max(0, spare - 1), (seed, sender)
    assert done > 4


def test_parts_of_an_actor_are_told_to_its_knower_alone() -> None:
    made = drafted()
    assert open_one(made, "agent_1", "agent_0")
    assert knowers(made, made.changes["agent_1"][0]) == {"agent_0"}


def _all(made: Draft) -> list[tuple[str, Atom]]:
    """The parts of the goal that change and those that stay, each with its actor."""
    return [*parts(made), *((actor, goal) for actor, goals in made.kept.items() for goal in goals)]
