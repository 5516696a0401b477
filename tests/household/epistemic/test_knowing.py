"""The rule by which messages make agents know."""

from __future__ import annotations

from itertools import product

from otherminds.household.epistemic.formula import Atom, KnowledgeChain, known_to, learned, tellable

A, B, C = "agent_0", "agent_1", "agent_2"
FACT = Atom("is_open", ("cabinet_2",))


def chain(*agents: str) -> KnowledgeChain:
    return KnowledgeChain(agents, FACT)


def test_a_truthful_message_gives_three_chains_a_hearer() -> None:
    found = {*learned(A, (B, C), [chain()], {chain(A)}.__contains__)}
    assert found == {chain(B), chain(B, A), chain(A, B), chain(C), chain(C, A), chain(A, C)}


def test_what_the_sender_did_not_know_gives_none() -> None:
    assert list(learned(A, (B,), [chain(), chain(C)], {chain(B)}.__contains__)) == []


def test_a_relay_tells_who_knew_it() -> None:
    found = {*learned(B, (C,), [chain(A)], {chain(B, A)}.__contains__)}
    assert found == {chain(C, A), chain(C, B, A), chain(B, C, A)}


def test_whatever_is_tellable_is_truthful() -> None:
    known = {chain(A), chain(A, B), chain(A, B, C), chain(B, A), chain(C)}
    contents = list(tellable(A, known))
    assert {*contents} == {chain(A), chain(), chain(A, B), chain(B), chain(A, B, C), chain(B, C)}
    assert all(known_to(A, content) in known for content in contents)


def test_no_agent_stands_twice_in_succession() -> None:
    for agents in product((A, B, C), repeat=2):
        content = KnowledgeChain(agents if agents[0] != agents[1] else agents[:1], FACT)
        for found in learned(A, (B, C), [content], lambda _: True):
            assert all(one != other for one, other in zip(found.agents, found.agents[1:], strict=False))
