"""What a mind is shown in each arm, when, and which arms a mind, a partner or a world refuses."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from otherminds.core.data import EXCHANGED, SHOWN, Exchange, Notice, Partner
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Setup, scenario
from otherminds.games.player import Player
from otherminds.minds.registry import make_mind, prepare_setup
from otherminds.play.interventions import (
    ADVICE,
    BELIEF,
    INTERVENTIONS,
    NONE,
    OWN,
    PREDICTION,
    REMIND,
    SWAP,
    TYPE,
    false_prediction,
)
from otherminds.play.loop import play_now
from tests.cases import for_each
from tests.play import toys

ROUNDS = 12
WORLDS = {"rps-mixed-v1": {"rounds": ROUNDS}, "rws-repeated-mixed-v1": {"steps": 500}}
"""A matrix game and the duels, in each of which partners say what they will do."""
SHOWING = (TYPE, PREDICTION, REMIND, OWN, ADVICE)
WHOLE = ("fictitious_play", "bayes", "rmax", "nash", "level_k", "uniform")
"""Tabular minds, which act on all that they know."""


class Looking(Player):
    """Shows its first behaviour, predicts the second, and keeps what it is shown before each act."""

    grants = frozenset({"payoffs"})
    notices = True

    def start(self, own: int, others: int) -> None:
        self.seen: list[Notice | None] = []

    async def act(self) -> Any:
        self.seen.append(self.context.notice)
        return await super().act()

    def choose(self) -> int:
        return 0

    def predict(self) -> int:
        return 1


def play_arm(arm: str, mind: Any, name: str = "rps-mixed-v1", seed: int = 0) -> Record:
    """The record of an episode in an arm; empty for an episode outside of any experiment."""
    return play_now(Setup(scenario(name, WORLDS[name]), {"ego": mind}, seed, intervention=arm))[0]


def shown(record: Record) -> list[tuple[int, dict[str, Any]]]:
    """The notices of the record with their steps."""
    return [(note.step, note.data) for note in record.notes if note.kind == SHOWN]


def behaviours(record: Record, seat: str) -> list[str]:
    """What ``seat`` did in each encounter, as it knows it."""
    return [encounter.did[seat][0] for encounter in record.met[seat]]


@pytest.mark.parametrize("name", WORLDS)
def test_the_prediction_that_is_told_is_what_the_partner_does_next(name: str) -> None:
    for seed in range(4):
        record = play_arm(PREDICTION, Looking(), name, seed)
        by_step = {step: notice["behaviour"] for step, notice in shown(record)}
        told = [by_step[max(step for step in by_step if step <= e.step)] for e in record.met["partner_0"]]
        did = behaviours(record, "partner_0")
        # A bot that is made to duel before it has gathered enough shows what it holds.
        assert sum(a == b for a, b in zip(told, did, strict=True)) >= (
            len(did) if name.startswith("rps") else 0.7 * len(did)
        )


@pytest.mark.parametrize("arm", [OWN, ADVICE])
@pytest.mark.parametrize("name", WORLDS)
def test_what_is_injected_is_not_what_the_partner_intends(arm: str, name: str) -> None:
    for seed in range(3):
        mind = Looking()
        record = play_arm(arm, mind, name, seed)
        notices = shown(record)
        assert [notice["arm"] for _, notice in notices] == [arm] * len(notices)
        if name.startswith("rps"):
            assert all(
                notice["behaviour"] != did
                for (_, notice), did in zip(notices, behaviours(record, "partner_0"), strict=True)
            )


def test_every_other_behaviour_is_injected_equally_often_and_the_same_one_in_every_arm() -> None:
    options = ("rock", "paper", "scissors")
    draws = [false_prediction(seed, n, options, "paper") for seed in range(50) for n in range(12)]
    assert draws == [false_prediction(seed, n, options, "paper") for seed in range(50) for n in range(12)]
    assert set(draws) == {"rock", "scissors"}
    assert abs(draws.count("rock") - 300) < 60
    assert false_prediction(0, 0, ("rock",), "rock") is None


@pytest.mark.parametrize("arm", SHOWING)
@pytest.mark.parametrize("name", WORLDS)
def test_the_record_has_what_was_shown_before_each_act(arm: str, name: str) -> None:
    mind = Looking()
    record = play_arm(arm, mind, name)
    noted = [Notice(**notice) for _, notice in shown(record)]
    assert noted
    assert [(n.arm, n.about, n.behaviour, n.text) for n in noted] == [
        (n.arm, n.about, n.behaviour, n.text) for n in mind.seen if n
    ]
    assert len(noted) == len(mind.seen)


def test_a_type_is_told_with_its_name_and_its_policy() -> None:
    mind = Looking()
    record = play_arm(TYPE, mind)
    (partner,) = record.partners.values()
    assert {(n.text, n.policy) for n in mind.seen if n} == {
        (f"it follows the policy called {partner.name}", partner.automaton)
    }


def test_a_partner_that_says_what_its_policy_is_is_told_of_in_these_words() -> None:
    class Stayer(toys.Diary):
        policy_in_words = "it stays where it is"

    mind = Looking()
    built = replace(toys.scenario(), partner=lambda spec, seat: (Stayer(), Partner(spec.title)))
    play_now(Setup(built, {"ego": mind}, intervention=TYPE))
    assert {n.text for n in mind.seen if n} == {"it stays where it is"}


def test_a_reminder_shows_the_prediction_that_was_asked_for_before_the_act() -> None:
    ordinary, reminded = play_arm(NONE, Looking()), play_arm(REMIND, Looking())
    assert {question.when for question in ordinary.questions} == {"after"}
    assert {question.when for question in reminded.questions} == {"before"}
    assert [notice["behaviour"] for _, notice in shown(reminded)] == [
        answer.answer for answer in reminded.asked
    ]


@pytest.mark.parametrize("name", WHOLE)
def test_a_reminder_changes_nothing_for_minds_that_use_all_they_know(name: str) -> None:
    for world in WORLDS if name not in ("bayes",) else ("rps-mixed-v1",):
        for seed in range(3):
            plain, reminded = (
                play_arm(arm, make_mind(SeatSpec(name)), world, seed) for arm in (NONE, REMIND)
            )
            for part in ("actions", "rewards", "met", "asked", "outcome"):
                assert encode(getattr(plain, part)) == encode(getattr(reminded, part)), part


def test_an_episode_outside_of_an_experiment_has_the_spec_and_the_record_of_before() -> None:
    record = play_arm("", make_mind(SeatSpec("rmax")))
    assert b"intervention" not in encode(record.spec)
    none = play_arm(NONE, make_mind(SeatSpec("rmax")))
    assert none.spec.arm == NONE
    assert none.spec.hash != record.spec.hash
    assert encode(none.actions) == encode(record.actions)


@pytest.mark.parametrize("name", WORLDS)
def test_the_partner_is_exchanged_after_half_of_the_shortest_episode(name: str) -> None:
    first_halves = []
    for arm in (NONE, SWAP):
        record = play_arm(arm, make_mind(SeatSpec("nash")), name)
        first_halves.append(record)
    ordinary, exchanged = first_halves
    (entry,) = [note for note in exchanged.notes if note.kind == EXCHANGED]
    exchange = Exchange(**entry.data)
    half = ROUNDS // 2 if name.startswith("rps") else 250
    assert exchange.step == half
    assert exchange.first == ordinary.partners["partner_0"].name
    assert exchanged.partners["partner_0"].name == f"{exchange.first}, then {exchange.second}"
    assert encode(exchanged.actions[:half]) == encode(ordinary.actions[:half])
    assert encode(exchanged.actions) != encode(ordinary.actions)
    assert exchanged.bounds is not None
    assert (exchanged.bounds.informed, exchanged.bounds.blind) == (None, None)


def test_an_episode_that_chance_ends_is_half_over_at_half_of_its_least_length() -> None:
    worlds = [
        scenario(name, options).world()
        for name, options in (
            ("rws-repeated-0-v1", {}),
            ("rws-repeated-0-v1", {"steps": 300}),
            ("rps-single-v1", {}),
        )
    ]
    for world in worlds:
        world.reset(seed=0)
    assert [world.midway for world in worlds] == [500, 150, 50]


def test_the_second_partner_is_each_of_the_others_in_turn_and_begins_anew() -> None:
    seconds: dict[str, set[str]] = {}
    for seed in range(60):
        record = play_arm(SWAP, make_mind(SeatSpec("uniform")), seed=seed)
        (entry,) = [note for note in record.notes if note.kind == EXCHANGED]
        exchange = Exchange(**entry.data)
        seconds.setdefault(exchange.first, set()).add(exchange.second)
        if exchange.second == "tit_for_tat":
            opening = record.actions[exchange.step][1]
            assert (
                opening
                == play_now(
                    Setup(
                        scenario("rps-tit_for_tat-v1", {"rounds": 1}), {"ego": make_mind(SeatSpec("uniform"))}
                    )
                )[0].actions[0][1]
            )
    assert len(seconds) == 4
    assert all(others == set(seconds) - {first} for first, others in seconds.items())


@pytest.mark.parametrize("arm", [arm for arm in INTERVENTIONS if arm != BELIEF])
def test_every_arm_is_played_again_from_its_spec(arm: str) -> None:
    mind = SeatSpec("simulated", {"accuracy": 0.5, "rationality": 0.5, "heeds": 0.5})
    record = play_arm(arm, make_mind(mind), seed=5)
    assert play_now(prepare_setup(record.spec))[0].hash == record.hash


class Believing(toys.Line):
    """A stranger's world, whose seats believe something from the second step on."""

    def belief(self, seat: str) -> str | None:
        return f"{seat} believes that it is step {len(self.played)}" if self.played else None


def test_a_world_of_a_stranger_tells_what_the_partner_believes() -> None:
    mind = Looking()
    record, _ = play_now(Setup(toys.scenario(Believing), {"ego": mind}, intervention=BELIEF))
    texts = [notice and notice.text for notice in mind.seen]
    assert texts == [None, "partner_0 believes that it is step 1", "partner_0 believes that it is step 2"]
    assert [step for step, _ in shown(record)] == [1, 2]


REFUSED: dict[str, tuple[Callable[[], Any], str, str]] = {
    "an unknown arm": (
        lambda: play_arm("remnid", make_mind(SeatSpec("rmax"))),
        "remnid",
        "did you mean remind",
    ),
    "a mind that reads nothing": (
        lambda: play_arm(OWN, make_mind(SeatSpec("rmax"))),
        "inject_own",
        "RMax does not read what it is shown",
    ),
    "a world without beliefs": (lambda: play_arm(BELIEF, Looking()), "grant_belief", "MatrixWorld"),
    "a stranger's world without beliefs": (
        lambda: play_now(Setup(toys.scenario(), {"ego": Looking()}, intervention=BELIEF)),
        "grant_belief",
        "the world Line does not say what a seat believes (World.belief)",
    ),
    "a partner that cannot say what it does": (
        lambda: play_now(Setup(toys.scenario(), {"ego": Looking()}, intervention=PREDICTION)),
        "grant_prediction",
        "the partner 'stayer' does not say what it will do (Mind.intends)",
    ),
    "a mind that is asked nothing": (
        lambda: play_now(
            Setup(
                scenario("rps-mixed-v1", WORLDS["rps-mixed-v1"]),
                {"ego": Looking()},
                ask=False,
                intervention=REMIND,
            )
        ),
        "remind",
        "asked for no prediction",
    ),
    "several partners": (
        lambda: play_now(
            Setup(
                scenario("rws-arena-mixed-v1", {"steps": 20}),
                {"ego": make_mind(SeatSpec("nash"))},
                intervention=REMIND,
            )
        ),
        "remind",
        "one mind and one partner; 'rws-arena-mixed-v1' has 1 and 7",
    ),
    "two minds": (
        lambda: play_now(
            Setup(toys.scenario(), {"ego": toys.Diary(), "partner_0": toys.Diary()}, intervention=SWAP)
        ),
        "swap",
        "one mind and one partner",
    ),
    "a population of one": (
        lambda: play_now(
            Setup(
                scenario("ipd-tit_for_tat-v1", {"rounds": 4}),
                {"ego": make_mind(SeatSpec("rmax"))},
                intervention=SWAP,
            )
        ),
        "swap",
        "no partner but 'tit_for_tat'",
    ),
}


@for_each("run, arm, reason", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_played_in_an_arm_is_refused_in_one_line(
    run: Callable[[], Any], arm: str, reason: str
) -> None:
    with pytest.raises(StudyError, match=re.escape(reason)) as refusal:
        run()
    assert arm in str(refusal.value)
    assert "\n" not in str(refusal.value)
