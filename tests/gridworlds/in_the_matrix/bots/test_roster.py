"""The bots are Melting Pot's by name and parameters, and each amounts to the automaton it is recorded with."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from otherminds.core.data import Automaton, Moment
from otherminds.core.errors import StudyError
from otherminds.games.automata import check, deterministic
from otherminds.gridworlds.grid.rules import INTERACT, NOOP
from otherminds.gridworlds.in_the_matrix.bots import (
    Bot,
    Reach,
    bot,
    bot_names,
    describe_partner,
    policy,
    puppeteer,
)
from otherminds.gridworlds.in_the_matrix.charts import Aim, Puppeteer
from otherminds.gridworlds.in_the_matrix.rules import (
    PD_REPEATED,
    RWS_ARENA,
    RWS_REPEATED,
    SUBSTRATES,
    BotPolicy,
    Rules,
)
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld, leading
from otherminds.play.loop import finish
from otherminds.play.seat_context import Now, SeatContext
from tests.cases import for_each
from tests.gridworlds.in_the_matrix import rooms
from tests.gridworlds.in_the_matrix.bots.readable import Follower

EVERY = [(rules, name) for rules in SUBSTRATES.values() for name in bot_names(rules)]
ROUNDS = 60
PAPER, SCISSORS = 1, 2


def named(case: tuple[Rules, str]) -> str:
    return f"{case[0].name}-{case[1]}"


def targets(rules: Rules, followed: Puppeteer, history: list[int], seed: int) -> list[int]:
    """What a policy raises before each duel of ``history``, the classes that the other plays."""
    rng, kinds = Random(-1 - seed), range(len(rules.classes))
    bot = Follower(rules, followed, Random(seed))
    bot.hear([0 for _ in kinds])
    raised: list[int] = []
    for shown in history:
        raised.append(bot.aim.kind)
        bot.hear([1 + rng.randrange(2) + 3 * (kind == shown) for kind in kinds])
        bot.hear([-1 for _ in kinds])
    return raised


def states(automaton: Automaton, own: list[int], other: list[int]) -> list[int]:
    at = automaton.start
    been: list[int] = []
    for a, b in zip(own, other, strict=True):
        been.append(at)
        at = automaton.next[at][a][b]
    return been


def test_the_substrates_have_as_many_bots_as_in_melting_pot() -> None:
    assert {rules.name: len(bot_names(rules)) for rules in SUBSTRATES.values()} == {
        "bach-or-stravinsky-arena-v1": 4,
        "bach-or-stravinsky-repeated-v1": 10,
        "chicken-arena-v1": 10,
        "chicken-repeated-v1": 15,
        "pd-arena-v1": 18,
        "pd-repeated-v1": 15,
        "pure-coordination-arena-v1": 14,
        "pure-coordination-repeated-v1": 16,
        "rationalizable-coordination-arena-v1": 14,
        "rationalizable-coordination-repeated-v1": 16,
        "rws-arena-v1": 10,
        "rws-one-shot-v1": 3,
        "rws-repeated-v1": 14,
        "stag-hunt-arena-v1": 10,
        "stag-hunt-repeated-v1": 15,
    }


@for_each("case", EVERY, ids=named, every=4)
def test_a_policy_plays_what_its_automaton_plays(case: tuple[Rules, str]) -> None:
    rules, name = case
    classes = len(rules.classes)
    followed, partner = puppeteer(rules, policy(rules, name)), describe_partner(rules, name, ROUNDS)
    automaton = partner.automaton
    assert (partner.name, automaton is not None) == (name, True)
    assert automaton is not None
    check(automaton, rules.game)
    for seed in range(30):
        rng = Random(1000 + seed)
        history = [rng.randrange(classes) for _ in range(rng.randrange(1, 20))]
        raised = targets(rules, followed, history, seed)
        for state, kind in zip(states(automaton, raised, history), raised, strict=True):
            output = automaton.output[state]
            assert output[kind] > 0
            assert not deterministic(automaton) or output[kind] == 1


@for_each("case", [case for case in EVERY if "tremble" in case[1]], ids=named, every=4)
def test_a_policy_trembles_as_often_as_its_automaton(case: tuple[Rules, str]) -> None:
    rules, name = case
    automaton = describe_partner(rules, name, ROUNDS).automaton
    assert automaton is not None
    followed = puppeteer(rules, policy(rules, name))
    shown: Counter[tuple[int, int]] = Counter()
    for seed in range(1200):
        history = [Random(seed).randrange(2) for _ in range(12)]
        raised = targets(rules, followed, history, seed)
        shown.update(zip(states(automaton, raised, history), raised, strict=True))
    for state, output in enumerate(automaton.output):
        met = shown[state, 0] + shown[state, 1]
        assert met > 100
        assert shown[state, 0] / met == pytest.approx(output[0], abs=0.05)


def test_a_flip_of_the_arena_follows_its_configuration_and_not_its_name() -> None:
    assert policy(RWS_ARENA, "flip_p2r_0") == BotPolicy(
        "flip", (("first", PAPER), ("second", SCISSORS), ("after", 2)), (5, 1, 5)
    )


@pytest.mark.parametrize(
    ("rules", "name", "kind", "margin"),
    [
        (RWS_REPEATED, "paper_margin_0", PAPER, 5),
        (RWS_REPEATED, "paper_0", PAPER, 1),
        (RWS_ARENA, "paper_margin_0", PAPER, 3),
        (PD_REPEATED, "puppet_defector_margin_1", 1, 7),
    ],
)
def test_margins_are_those_of_the_substrate(rules: Rules, name: str, kind: int, margin: int) -> None:
    followed = puppeteer(rules, policy(rules, name))
    assert Follower(rules, followed, Random(0)).aim == Aim(kind, margin)


def test_a_bot_that_there_is_not_is_said_with_those_there_are() -> None:
    with pytest.raises(
        StudyError, match="no background bot 'rock_margin_0'; it has puppet_cooperator_margin_0"
    ):
        policy(PD_REPEATED, "rock_margin_0")
    with pytest.raises(StudyError, match="noise"):
        bot(PD_REPEATED, "puppet_flip_0", noise=1.5)


def meet(
    rules: Rules, minds: dict[str, Bot], seed: int, steps: int, share: int = 0
) -> tuple[InTheMatrixWorld, list[tuple[Any, ...]], list[tuple[str, Aim, tuple[int, ...]]]]:
    """Bots play each other. Gives the actions of each step and each seat's aim and inventory in its duels."""
    world = InTheMatrixWorld(rules)
    grants = {seat: dict.fromkeys(mind.grants, True) for seat, mind in minds.items()}
    observations, _ = world.reset(seed, {"grants": grants})
    for seat, mind in minds.items():
        mind.begin(world.brief(seat), SeatContext(seat, seed + share, Now()))
    made: list[tuple[Any, ...]] = []
    duels: list[tuple[str, Aim, tuple[int, ...]]] = []
    for step in range(steps):
        for seat, mind in minds.items():
            finish(mind.perceive(Moment(step, observations[seat])))
        actions = {seat: finish(mind.act()) for seat, mind in minds.items()}
        before = len(world.duels)
        observations, *_ = world.step(actions)
        made.append(tuple(actions.values()))
        for duel in world.duels[before:]:
            duels += [
                (seat, minds[seat].aim, own) for seat, own in zip(duel.seats, duel.inventories, strict=True)
            ]
    return world, made, duels


@pytest.mark.parametrize("reach", ["window", "map"])
def test_bots_meet_and_play_what_they_aim_at(reach: Reach) -> None:
    cases = (
        (RWS_REPEATED, ("rock_margin_0", "paper_0")),
        (PD_REPEATED, ("puppet_tft_margin_0", "puppet_flip_0")),
    )
    for rules, names in cases:
        minds = {
            seat: bot(rules, name, reach=reach)
            for seat, name in zip(("ego", "partner_0"), names, strict=True)
        }
        _, _, duels = meet(rules, minds, 0, 500)
        assert len(duels) >= 8
        assert [leading(own) for _, _, own in duels] == [(aim.kind,) for _, aim, _ in duels]


def test_a_bot_is_granted_what_the_official_one_sees_and_the_map_only_if_asked() -> None:
    assert bot(PD_REPEATED, "puppet_flip_0").grants == {"inventories"}
    assert bot(PD_REPEATED, "puppet_flip_0", reach="map").grants == {"inventories", "map"}
    assert not bot(PD_REPEATED, "puppet_flip_0").answers


def test_the_seed_decides_what_bots_do() -> None:
    minds = {"ego": bot(RWS_REPEATED, "free_0"), "partner_0": bot(RWS_REPEATED, "resp2prev_margin_0", 0.1)}
    once = meet(RWS_REPEATED, minds, 1, 150)[1]
    assert once == meet(RWS_REPEATED, minds, 1, 150)[1]
    assert once != meet(RWS_REPEATED, minds, 1, 150, share=1)[1]


def test_what_lies_in_the_way_of_a_bot_shifts_none_of_its_trembles() -> None:
    """Two worlds, one of them crowded with ties to break: the policy draws the same."""
    followed = policy(PD_REPEATED, "puppet_tft_tremble_margin_0")
    aims: list[list[Aim]] = []
    for drawing in ("WWWWWWWW\nWn1nW1 W\nWWWWWWWW", "WWWWWWWW\nWn1n   W\nW 1111 W\nWWWWWWWW"):
        world = rooms.room(PD_REPEATED, drawing)
        rooms.put(world, 0, (1, 1), 0)
        rooms.put(world, 1, (3, 1), 0)
        mind = Bot(world.rules, followed)
        mind.begin(world.brief("ego"), SeatContext("ego", 3, Now()))
        aims.append([])
        for step in range(60):
            seen = rooms.observed(world, "ego")
            met = [2.0, 1.0] if step % 5 == 0 else [-1.0, -1.0]
            finish(mind.perceive(Moment(step, {**seen, "INTERACTION_INVENTORIES": [[1.0, 1.0], met]})))
            action = finish(mind.act())
            world.step({"ego": NOOP if action == INTERACT else action, "partner_0": NOOP})
            aims[-1].append(mind.aim)
    assert aims[0] == aims[1]
    assert len(set(aims[0])) == 2
