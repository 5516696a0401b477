"""Behaviours as inventories: read strictly, found again exactly in every duel, and inferred as the examples do."""

from __future__ import annotations

import re
from ast import literal_eval
from dataclasses import replace
from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Encounter, Invalid, Moment
from otherminds.core.errors import InternalError
from otherminds.core.scenario import Setup, scenario
from otherminds.gridworlds.in_the_matrix.naming import (
    STRONG,
    clues,
    fought_with,
    holding,
    pays,
    read_inventory,
)
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.replies.blocks import last_block
from otherminds.testing import RandomMind
from otherminds.testing.episodes import played
from otherminds.testing.minds import Listening
from tests.cases import depth, for_each

SUBSTRATES = [RWS_REPEATED, RWS_ARENA, PD_REPEATED]
LIVELY = """
WWWWWWWW
WPnrr nW
Wpp 1aPW
Wnsa12PW
WP a2PnW
WWWWWWWW
"""
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
)


@for_each("rules", SUBSTRATES, ids=lambda rules: rules.name)
def test_a_behaviour_is_written_as_a_strong_commitment_and_read_back(rules: Rules) -> None:
    for kind, name in enumerate(rules.classes):
        strong = holding(rules, kind, STRONG)
        assert (
            read_inventory(rules, strong)
            == read_inventory(rules, name)
            == read_inventory(rules, f" {name}\n")
            == name
        )
        assert read_inventory(rules, last_block(repr(strong))) == name


@for_each(
    ("value", "due"),
    [
        ({"rock": 5, "paper": 1, "scissors": 1}, "rock"),
        ({"paper": 2}, "paper"),
        ({"rock": 0.5, "paper": 0.25}, "rock"),
        ({"rock": "1", "paper": "5", "scissors": 2}, "paper"),
        ({"rock": "5+", "paper": 1}, "finite numbers"),
        ({"rock": "five", "paper": 1}, "finite numbers"),
        ({"rock": "-5", "paper": 1}, "finite numbers"),
        ({"rock": "٥", "paper": 1}, "finite numbers"),
        ({"rock": "5", "paper": 5}, "as much of rock and paper"),
        ({"scissors": 10**400, "rock": 1.0}, "scissors"),
        ({"rock": 1, "paper": 1, "scissors": 1}, "as much of rock and paper and scissors"),
        ({"rock": 3, "scissors": 3}, "as much of rock and scissors"),
        ({"rock": 0}, "as much of"),
        ({"rock/yellow": 5}, "'rock/yellow' is none of rock, paper, scissors"),
        ({"rock": -1, "paper": 2}, "finite numbers from 0 on"),
        ({"rock": float("nan")}, "finite numbers from 0 on"),
        ({"rock": float("inf")}, "finite numbers from 0 on"),
        ({"rock": True}, "finite numbers from 0 on"),
        ({}, "it is not an inventory, such as {'rock': 5, 'paper': 1, 'scissors': 1}"),
        ("Rock!", "not an inventory"),
        ([5, 1, 1], "not an inventory"),
        (None, "not an inventory"),
    ],
)
def test_the_class_of_which_there_is_most_is_read_and_nonsense_is_not(value: Any, due: str) -> None:
    found = read_inventory(RWS_REPEATED, value)
    if isinstance(found, Invalid):
        assert due in found.reason
        assert len(found.raw) <= 200
    else:
        assert found == due


@given(JUNK | st.dictionaries(st.sampled_from(["rock", "paper", "scissors", "gold"]), JUNK))
def test_whatever_is_read_is_a_behaviour_or_invalid_with_its_reason(value: Any) -> None:
    found = read_inventory(RWS_REPEATED, value)
    assert found in RWS_REPEATED.classes if isinstance(found, str) else found.reason


@pytest.mark.parametrize("steps", depth(300, 700))
def test_the_inventory_of_every_duel_of_whole_episodes_is_found(steps: int) -> None:
    """In every seat, and against the world's own account of the duels."""
    for name, least in (("rws-repeated-0-v1", 20), ("pd-repeated-1-v1", 20), ("rws-arena-1-v1", 50)):
        made = scenario(name, {"steps": steps})
        minds = {seat: Listening(RandomMind()) for seat in made.world().possible_agents}
        record = played(Setup(made, minds, 1, ask=False))
        rules = next(rules for rules in SUBSTRATES if name.startswith(rules.name.removesuffix("-v1")))
        found = 0
        for seat, mind in minds.items():
            found += _checked(rules, seat, mind.moments, record.facts["duels"])
        assert found >= least * steps // 700


@pytest.mark.parametrize("steps", depth(400, 1200))
@for_each("rules", SUBSTRATES, ids=lambda rules: rules.name)
def test_the_inventory_is_found_where_boxes_grow_under_those_who_walk_into_beams(
    rules: Rules, steps: int
) -> None:
    """All walk and fire at random on a small map where boxes come back at once: every order of events occurs."""
    lively = replace(rules, drawing=LIVELY, regrowth=0.3, delay=1, respawn=3, freeze=4, maximum=steps)
    lively = replace(lively, players=4 if rules is RWS_ARENA else 2)
    found, shown = 0, set[str]()
    for seed in range(12):
        world, rng = InTheMatrixWorld(lively), Random(seed)
        observations, _ = world.reset(seed=seed)
        moments = {seat: [Moment(0, observations[seat])] for seat in world.possible_agents}
        while world.agents:
            actions = {seat: rng.choice((0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 7)) for seat in world.possible_agents}
            observations, _, _, _, infos = world.step(actions)
            for seat, heard in moments.items():
                heard.append(Moment(len(heard), observations[seat], 0.0, infos[seat].get("encounters", ())))
        duels = [duel.facts() for duel in world.duels]
        for seat, heard in moments.items():
            found += _checked(lively, seat, heard, duels)
            shown |= {_kind(heard, duel, seat) for duel in duels if seat in duel["seats"]}
    assert found > 100
    assert shown == {"kept", "reset", "collected", "grown under"}


def _checked(rules: Rules, seat: str, moments: list[Moment], duels: list[dict[str, Any]]) -> int:
    """How many duels ``seat`` heard; in each the inventory found must be the true one."""
    own = [duel for duel in duels if seat in duel["seats"]]
    found, since = 0, list[Moment]()
    for moment in moments:
        since.append(moment)
        for encounter in moment.encounters:
            true = own[found]["inventories"][own[found]["seats"].index(seat)]
            assert fought_with(rules, encounter, since) == tuple(true)
            found, since = found + 1, []
    return found


def _kind(moments: list[Moment], duel: dict[str, Any], seat: str) -> str:
    """What happened to the inventory in the step of a duel."""
    true = duel["inventories"][duel["seats"].index(seat)]
    before, after = (moments[duel["step"] + n].observation["INVENTORY"].tolist() for n in (0, 1))
    if before == after:
        return "kept"
    if before != true:
        return "collected"
    return "reset" if max(after) == 1 else "grown under"


def test_without_the_moments_of_the_duel_its_inventory_is_not_guessed() -> None:
    world = InTheMatrixWorld(RWS_REPEATED)
    observations, _ = world.reset(0)
    duel = Encounter(40, {"ego": ("rock",), "partner_0": ("paper",)}, -3.0)
    with pytest.raises(InternalError, match="moments 23 and 24"):
        fought_with(RWS_REPEATED, duel, [Moment(41, observations["ego"], -3.0, (duel,))])


@for_each("rules", SUBSTRATES, ids=lambda rules: rules.name)
def test_examples_of_inferring_are_what_duels_pay_and_are_read_back(rules: Rules) -> None:
    for order in permutations(range(len(rules.classes))):
        examples = re.findall(
            r"Example \d: you played (\{.*?\}), your reward (\S+)\. .*?\((.*)\) / (\d+) = (\S+), so this fits:\n(.*)",
            clues(rules, order),
        )
        assert len(examples) == 3
        answers = set[Any]()
        for mine, reward, terms, total, due, answer in examples:
            own, other = literal_eval(mine), last_block(answer)
            assert isinstance(other, dict)
            theirs = other["they_played"]
            paid = pays(rules.game, [*own.values()], [*theirs.values()])[0]
            assert float(reward) == float(due) == round(paid, 3)
            worked = [term.split(" * ") for term in terms.split(" + ")]
            sums = sum(int(count) * float(pay.strip("()")) for count, pay in worked)
            assert sums / int(total) == pytest.approx(paid, abs=0.001)
            answers.add(read_inventory(rules, theirs))
        assert answers == set(rules.classes)
