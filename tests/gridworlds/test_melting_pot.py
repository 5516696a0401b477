"""The real Melting Pot behind the project's worlds: the same promises, the same minds, official bots' seam."""

from __future__ import annotations

import importlib
import random
import sys
import types
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from otherminds.core.scenario import Setup
from otherminds.gridworlds.melting_pot import NEEDED, SUBSTRATES, available

if not available():
    pytest.skip(f"not installed: {', '.join(NEEDED)} (docs/melting_pot.md)", allow_module_level=True)

from otherminds.core.data import Question
from otherminds.core.errors import StudyError
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import scenario, scenarios
from otherminds.gridworlds.cooking import views as kitchen_pixels
from otherminds.gridworlds.cooking.acts import BEHAVIOURS
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC
from otherminds.gridworlds.grid.rules import ACTIONS
from otherminds.gridworlds.grid.scenarios import SCRIPTED
from otherminds.gridworlds.in_the_matrix import views as matrix_pixels
from otherminds.gridworlds.in_the_matrix.bots import bot_names
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES as MATRIX
from otherminds.gridworlds.melting_pot import RealCooking, RealInTheMatrix
from otherminds.gridworlds.melting_pot_scenarios import ASSETS, OFFICIAL, official, real
from otherminds.gridworlds.replay.scenes import again
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from otherminds.testing import ScenarioConformance, WorldConformance
from tests.gridworlds.cooking import plain as kitchen_plain
from tests.gridworlds.in_the_matrix import plain as matrix_plain

pytestmark = pytest.mark.slow
STEPS = 60


class RealConformance(WorldConformance):
    """What native worlds promise, on the official map and for a few steps."""

    has_chance = True
    rules: Rules

    def make_world(self) -> RealInTheMatrix:
        return RealInTheMatrix(replace(self.rules, maximum=STEPS))

    def questions(self) -> list[Question]:
        names = self.rules.classes
        return [Question("next", "ego", "before", "?", names, 1 / len(names), about="partner_0")]

    def test_truths_are_told_at_the_end(self) -> None:
        pytest.skip("random players on an official map hardly ever meet in so few steps")


class TestRealScissors(RealConformance):
    rules = RWS_REPEATED


class TestRealDilemma(RealConformance):
    rules = PD_REPEATED


class TestRealArena(RealConformance):
    rules = RWS_ARENA
    seeds = (0, 1)


class TestRealKitchen(WorldConformance):
    has_chance = True

    def make_world(self) -> RealCooking:
        return RealCooking(replace(COOKING_ASYMMETRIC, maximum=STEPS))

    def questions(self) -> list[Question]:
        return [Question("next", "ego", "before", "?", BEHAVIOURS, 1 / len(BEHAVIOURS), about="partner_0")]


class TestRealScenario(ScenarioConformance):
    name = "real-rws-repeated-3-v1"

    def make_scenario(self) -> Any:
        return scenario(self.name, {"steps": STEPS})


del RealConformance


@pytest.mark.parametrize("rules", [RWS_REPEATED, PD_REPEATED, RWS_ARENA], ids=lambda rules: rules.name)
def test_the_state_that_was_read_off_the_engine_paints_the_engines_own_pictures(rules: Rules) -> None:
    world = RealInTheMatrix(rules, rgb=True)
    for state, pictures, whole in _played(world, 400):
        assert np.array_equal(matrix_pixels.world(rules, state, 0), whole)
        for i, picture in enumerate(pictures):
            assert np.array_equal(matrix_plain.observe(rules, state, 0, i), picture)


def test_the_kitchen_that_was_read_off_the_engine_paints_the_engines_own_pictures() -> None:
    world = RealCooking(rgb=True)
    for state, pictures, whole in _played(world, 400):
        assert np.array_equal(kitchen_pixels.world(COOKING_ASYMMETRIC, state, 0), whole)
        for i, picture in enumerate(pictures):
            assert np.array_equal(kitchen_plain.observe(COOKING_ASYMMETRIC, state, 0, i), picture)
    assert {act.behaviour for act in world.acts}, "something was done in the kitchen"


def _played(world: Any, steps: int) -> Iterator[tuple[Any, list[Any], Any]]:
    """A random episode: after each step the state, the seats' pictures, the whole picture."""
    world.render_mode = "rgb_array"
    luck = random.Random(1)
    world.reset(5)
    for _ in range(steps):
        actions = {
            seat: luck.choices(range(len(ACTIONS)), (1, 6, 1, 1, 1, 2, 2, 3))[0]
            for seat in world.possible_agents
        }
        observations, *_ = world.step(actions)
        yield world.engine.state, [seen["RGB"] for seen in observations.values()], world.render()


@pytest.fixture(scope="module")
def played() -> Any:
    built = scenario("real-rws-repeated-6-v1", {"steps": 900})
    mind = make_mind(SeatSpec("informed"))
    record, _ = play_now(Setup(built, {"ego": mind}, 1))
    return record


def test_informed_beats_a_scripted_bot_on_the_real_engine(played: Any) -> None:
    assert played.outcome.status == "scored"
    assert played.total("ego") > 30
    assert len(played.met["ego"]) > 5
    assert all(duel.reward > 0 for duel in played.met["ego"])


def test_rewards_of_duels_are_what_the_engine_paid(played: Any) -> None:
    assert sum(duel.reward for duel in played.met["ego"]) == pytest.approx(played.total("ego"))
    for duel in played.facts["duels"]:
        assert sum(duel["rewards"]) == pytest.approx(0)


def test_an_episode_on_the_real_engine_is_replayed_exactly(played: Any) -> None:
    grid_replay = again(played, scenario("real-rws-repeated-6-v1", {"steps": 900}))
    assert grid_replay.fault == ""
    duels = [happening for happening in grid_replay.happenings if happening.kind == "duel"]
    assert len(duels) == len(played.facts["duels"])


def test_a_record_says_which_engine_played(played: Any) -> None:
    assert "dmlab2d" in played.facts["engine"]


def test_the_same_seed_gives_the_same_duels_on_the_real_engine(played: Any) -> None:
    built = scenario("real-rws-repeated-6-v1", {"steps": 900})
    mind = make_mind(SeatSpec("informed"))
    again, _ = play_now(Setup(built, {"ego": mind}, 1))
    assert again.facts == played.facts


def test_each_native_scenario_is_there_with_its_caution() -> None:
    names = [name.removeprefix("real-") for name in scenarios if name.startswith("real-")]
    assert len(names) == 34, "30 of Melting Pot's, and a mixture of each substrate"
    assert set(names) <= set(scenarios)
    for name in names:
        built = scenario(f"real-{name}", {})
        assert built.id == f"real-{name}"
        assert SCRIPTED in built.caution


class Timestep(NamedTuple):
    """What a stand-in was shown."""

    first: bool
    reward: float
    shapes: dict[str, tuple[int, ...]]


class StandIn:
    """A policy as Melting Pot has them: it walks by chance, and its state counts its steps."""

    def __init__(self) -> None:
        self.shown: list[Timestep] = []

    def initial_state(self) -> int:
        return 0

    def step(self, timestep: Any, prev_state: int) -> tuple[np.int64, int]:
        assert prev_state == len(self.shown)
        shapes = {name: value.shape for name, value in timestep.observation.items()}
        self.shown.append(Timestep(timestep.first(), float(timestep.reward), shapes))
        return np.int64(random.randrange(1, 8)), prev_state + 1


def _with_stand_ins(seed: int) -> tuple[Any, list[StandIn]]:
    made: list[StandIn] = []

    def load(name: str) -> StandIn:
        assert name == "rock_margin_0"
        made.append(StandIn())
        return made[-1]

    built = real(scenario("rws-repeated-6-v1", {"steps": STEPS}), load)
    assert built.caution == OFFICIAL
    mind = make_mind(SeatSpec("random"))
    record, _ = play_now(Setup(built, {"ego": mind}, seed))
    return record, made


def test_official_bots_are_shown_what_melting_pot_shows_them_at_each_step() -> None:
    record, made = _with_stand_ins(0)
    assert record.outcome.status == "scored"
    (policy,) = made
    assert [shown.first for shown in policy.shown] == [True] + [False] * (STEPS - 1)
    expected = {
        "RGB": (40, 40, 3),
        "INVENTORY": (3,),
        "READY_TO_SHOOT": (),
        "INTERACTION_INVENTORIES": (2, 3),
    }
    assert all(shown.shapes == expected for shown in policy.shown)


class Puppet:
    """A stand-in for a neural puppet: it walks by chance and notes the goals that it is set."""

    def __init__(self, goals: list[int]) -> None:
        self.goals = goals

    def initial_state(self) -> tuple[()]:
        return ()

    def step(self, timestep: Any, prev_state: tuple[()]) -> tuple[int, tuple[()]]:
        self.goals.append(int(np.argmax(timestep.observation["GOAL"])))
        return random.randrange(1, 8), prev_state


@pytest.mark.parametrize("substrate", ["rws-repeated", "rws-arena", "pd-repeated"])
def test_melting_pots_own_puppeteers_take_what_they_are_shown(substrate: str) -> None:
    known = importlib.import_module("meltingpot.configs.bots").BOT_CONFIGS
    policies = importlib.import_module("meltingpot.utils.policies.puppet_policy")
    goals: dict[str, list[int]] = {}

    def load(name: str) -> Any:
        build = known[f"{SUBSTRATES[f'{substrate}-v1']}__{name}"].puppeteer_builder
        puppet = Puppet(goals.setdefault(name, []))
        return puppet if build is None else policies.PuppetPolicy(puppeteer=build(), puppet=puppet)

    for name in bot_names(MATRIX[f"{substrate}-v1"]):
        if name == "free_0":
            continue  # has no puppeteer, and its own stand-in is above
        built = real(scenario(f"{substrate}-mixed-v1", {"steps": 20}), load)
        members = (SeatSpec(name),) * (MATRIX[f"{substrate}-v1"].players - 1)
        made = make_mind(SeatSpec("random"))
        record, _ = play_now(
            Setup(built, {"ego": made}, 0, partners=dict(zip(built.others, members, strict=True)))
        )
        assert record.outcome.status == "scored"
        assert len(goals[name]) == 20 * len(members)
    assert len({goal for set_ in goals.values() for goal in set_}) > 1


def test_official_bots_draw_from_a_stream_of_their_own() -> None:
    random.seed(1)
    one, _ = _with_stand_ins(0)
    random.seed(2)
    before = random.getstate()
    two, _ = _with_stand_ins(0)
    assert one.actions == two.actions
    assert random.getstate() == before
    assert _with_stand_ins(1)[0].actions != one.actions


def test_official_bots_without_models_say_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(ASSETS, raising=False)
    with pytest.raises(StudyError, match=ASSETS):
        official("rws-repeated-v1", "rock_0")
    monkeypatch.setenv(ASSETS, str(tmp_path))
    with pytest.raises(StudyError, match="no saved_models"):
        official("rws-repeated-v1", "rock_0")
    with pytest.raises(StudyError, match="no bot 'stone_0'"):
        official("rws-repeated-v1", "stone_0")


@pytest.mark.parametrize(
    ("substrate", "bot"), [("rws-arena-v1", "free_0"), ("cooking-asymmetric-v1", "chef_1")]
)
def test_official_bots_are_built_from_the_folder_of_the_user(
    substrate: str, bot: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = tmp_path / "saved_models" / SUBSTRATES[substrate] / bot
    model.mkdir(parents=True)
    monkeypatch.setenv(ASSETS, str(tmp_path))
    builder: Any = types.ModuleType("meltingpot.bot")
    builder.build_from_config = lambda config: config
    monkeypatch.setitem(sys.modules, "meltingpot.bot", builder)
    built: Any = official(substrate, bot)
    assert built.model_path == str(model)


def test_options_of_scripted_bots_do_not_go_with_official_ones() -> None:
    with pytest.raises(StudyError, match="official ones have neither"):
        scenario("real-rws-repeated-0-v1", {"noise": 0.1, "bots": "official"})
    with pytest.raises(StudyError, match="not 'own'"):
        scenario("real-rws-repeated-0-v1", {"bots": "own"})


def test_other_rules_than_the_shipped_ones_are_refused() -> None:
    with pytest.raises(StudyError, match="by its own rules alone"):
        RealInTheMatrix(replace(RWS_REPEATED, regrowth=0.5))
    with pytest.raises(StudyError, match="by its own rules alone"):
        RealCooking(replace(COOKING_ASYMMETRIC, pay=1.0))
