"""Learned minds in episodes: what they answer, where they fit, and what their records say."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import otherminds as om
from otherminds import Mind, Scenario, SeatSpec
from otherminds.core.contracts import MindContext
from otherminds.core.data import Brief, Invalid, Moment, Question
from otherminds.core.errors import StudyError
from otherminds.core.scenario import scenario
from otherminds.minds.learned import files
from otherminds.minds.learned.files import Learned, LearnedMind, PPOMind
from otherminds.minds.learned.policy import Network, policy_of
from otherminds.minds.registry import make_mind
from otherminds.play.loop import finish
from otherminds.play.seat_context import Now, SeatContext
from otherminds.testing import MindConformance
from tests.minds.learned.making import description, file_of, observation, policy_file, tensors
from tests.minds.learned.slow import Slow

SHORT = {"steps": 60}


@cache
def random_network(substrate: str, algorithm: str) -> Network:
    about = description(substrate, algorithm)
    return Network(policy_of(file_of(tensors(about), about), "random", "random"))


class Held(LearnedMind):
    """Plays random weights that are in no file, so that the kit can make it in any process."""

    def __init__(self, substrate: str, algorithm: str) -> None:
        self.substrate, self.algorithm = substrate, algorithm

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        return random_network(self.substrate, self.algorithm).policy.unfit(brief)

    def pick(self, brief: Brief, context: MindContext) -> Network:
        return random_network(self.substrate, self.algorithm)


class Conforming(MindConformance):
    """A policy with random weights keeps the promises of a mind."""

    substrate, world, algorithm = "rws-repeated", "rws-repeated-mixed-v1", "ppo"
    options: dict[str, Any] = SHORT
    seeds = (0, 1)

    def make_mind(self) -> Mind:
        return Held(self.substrate, self.algorithm)

    def make_scenario(self) -> Scenario:
        return scenario(self.world, self.options)


class TestPPO(Conforming):
    pass


class TestOPRE(Conforming):
    substrate, world, algorithm = "pd-repeated", "pd-repeated-0-v1", "opre"


class TestArena(Conforming):
    substrate, world, options, seeds = "rws-arena", "rws-arena-0-v1", {"steps": 30}, (0,)


class TestCook(Conforming):
    substrate, world, options, seeds = "cooking-asymmetric", "cooking-asymmetric-0-v1", {"steps": 50}, (0,)


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of that of the package, with two members of PPO for one substrate and one for another."""
    folder = tmp_path / "shipped"
    for substrate, seed in (("rws-repeated", 0), ("rws-repeated", 1), ("pd-repeated", 0)):
        policy_file(folder, substrate, seed=seed)
    monkeypatch.setattr(files, "SHIPPED", folder)
    monkeypatch.setenv(files.VARIABLE, str(tmp_path / "data"))
    return folder


def brief_of(name: str, **options: Any) -> Brief:
    world = scenario(name, {"steps": 5, **options}).world()
    world.reset(seed=0)
    return world.brief("ego")


def context() -> SeatContext:
    return SeatContext("ego", 0, Now())


def note_of(record: om.Record) -> dict[str, str]:
    (note,) = [note for note in record.notes if note.kind == "policy"]
    return note.data


def test_episodes_are_deterministic_and_differ_by_seed(tmp_path: Path) -> None:
    spec = SeatSpec("learned", {"policy": str(policy_file(tmp_path))})
    one, same, other = (om.play("rws-repeated-0-v1", spec, seed=seed, options=SHORT) for seed in (0, 0, 1))
    assert one.hash == same.hash != other.hash
    assert len({row[0] for row in one.actions}) > 3, "random weights choose several actions"


def test_the_literal_score_and_the_unused_payoff_exist(tmp_path: Path) -> None:
    spec = SeatSpec("learned", {"policy": str(policy_file(tmp_path))})
    records = [om.play("rws-repeated-0-v1", spec, seed=seed, options={"steps": 1500}) for seed in range(3)]
    for record in records:
        assert record.asked
        assert all(asked.answer in ("rock", "paper", "scissors") for asked in record.asked)
    score = om.score(records)
    for name in ("literal", "unused"):
        assert score[name].mean is not None, score[name].reason


def test_answers_are_the_likeliest_behaviour_of_the_player_asked_about(tmp_path: Path) -> None:
    """In the arena, whose probe has a row for each of seven players, from any seat."""
    about = description("rws-arena")
    given = tensors(about, 4)
    path = tmp_path / "arena.safetensors"
    path.write_bytes(file_of(given, about))
    brief = brief_of("rws-arena-0-v1")
    seats = list(brief.behaviours)
    said: set[str] = set()
    for own in (0, 3, 7):
        others = tuple(seat for seat in seats if seat != seats[own])
        mind, slow = Learned(str(path)), Slow(given, about)
        mind.begin(Brief(seats[own], others, brief.action_space, brief.behaviours, (0, 1), 9), context())
        seen = observation(about, random.Random(own))
        finish(mind.perceive(Moment(0, seen)))
        slow.see(seen, 0.0, None)
        for row, logits in enumerate(slow.foreseen()):
            asked = seats[(own + 1 + row) % len(seats)]
            question = Question("q", seats[own], "before", "?", ("paper", "rock", "scissors"), 1 / 3, asked)
            best = about["behaviours"][logits.index(max(logits))]
            assert finish(mind.answer(question)) == best
            said.add(best)
    assert len(said) > 1


def test_other_questions_are_not_answered(tmp_path: Path) -> None:
    mind = Learned(str(policy_file(tmp_path)))
    mind.begin(brief_of("rws-repeated-0-v1"), context())
    for question in (
        Question("q", "ego", "before", "?", ("rock",), 1.0, "nobody"),
        Question("q", "ego", "before", "?", ("lizard",), 1.0, "partner_0"),
        Question("q", "ego", "before", "?", ("rock",), 1.0, "partner_0", truth_is="other"),
    ):
        assert isinstance(finish(mind.answer(question)), Invalid)


def test_the_network_has_the_own_action_and_the_reward_of_the_step_before(tmp_path: Path) -> None:
    about = description("rws-repeated")
    given = tensors(about, 2)
    path = tmp_path / "one.safetensors"
    path.write_bytes(file_of(given, about))
    mind, slow, rng = Learned(str(path)), Slow(given, about), random.Random(1)
    mind.begin(brief_of("rws-repeated-0-v1"), context())
    action: int | None = None
    for step in range(6):
        seen, reward = observation(about, rng), rng.uniform(-5, 5) if step else 0.0
        finish(mind.perceive(Moment(step, seen, reward)))
        slow.see(seen, reward, action)
        assert mind._playing.chances().tolist() == pytest.approx(slow.chances(), abs=1e-5)
        made = finish(mind.act())
        assert isinstance(made, int)
        action = made


@pytest.mark.parametrize("world", ["pd-repeated-0-v1", "rws-arena-0-v1", "cooking-asymmetric-0-v1"])
def test_an_unfit_policy_is_refused(tmp_path: Path, world: str) -> None:
    mind = Learned(str(policy_file(tmp_path)))
    reason = mind.suits(brief_of(world), context())
    assert reason is not None
    assert "was trained in rws-repeated-v1 with 1 other player and the" in reason


def test_a_matrix_game_with_the_same_behaviours_is_refused(tmp_path: Path) -> None:
    mind = Learned(str(policy_file(tmp_path)))
    world = scenario("rps-single-v1", {"rounds": 3}).world()
    world.reset(seed=0)
    reason = mind.suits(world.brief("ego"), context())
    assert reason is not None
    assert "chooses among 8 primitive actions" in reason


def test_each_episode_draws_a_shipped_policy_that_fits(shipped: Path) -> None:
    played = {
        note_of(om.play("rws-repeated-0-v1", "ppo", seed=seed, options={"steps": 3}))["name"]
        for seed in range(8)
    }
    assert played == {"ppo-rws-repeated-0", "ppo-rws-repeated-1"}
    assert note_of(om.play("pd-repeated-0-v1", "ppo", options={"steps": 3}))["name"] == "ppo-pd-repeated-0"


def test_a_member_can_be_chosen(shipped: Path) -> None:
    spec = SeatSpec("ppo", {"member": 1})
    for seed in range(3):
        record = om.play("rws-repeated-0-v1", spec, seed=seed, options={"steps": 3})
        assert note_of(record)["name"] == "ppo-rws-repeated-1"
    with pytest.raises(StudyError, match="has the member 7 here; there are 0, 1"):
        om.play("rws-repeated-0-v1", SeatSpec("ppo", {"member": 7}), options={"steps": 3})


def test_without_a_policy_that_fits_there_is_a_reason(shipped: Path) -> None:
    with pytest.raises(
        StudyError,
        match=r"no shipped policy of ppo fits .*there are some for pd-repeated-v1, rws-repeated-v1",
    ):
        om.play("rws-arena-0-v1", "ppo", options={"steps": 3})
    with pytest.raises(StudyError, match=r"no shipped policy of opre fits .*there are some for none"):
        om.play("rws-repeated-0-v1", "opre", options={"steps": 3})


def test_other_shipped_policies_are_another_mind(shipped: Path) -> None:
    pinned = PPOMind.pinned({}, Path())
    assert make_mind(SeatSpec("ppo", dict(pinned))).suits(brief_of("rws-repeated-0-v1"), context()) is None
    policy_file(shipped, "rws-repeated", seed=2)
    assert PPOMind.pinned({}, Path()) != pinned
    with pytest.raises(StudyError, match="are not those that the study was planned with"):
        make_mind(SeatSpec("ppo", dict(pinned)))
