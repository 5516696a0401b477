"""Trained policies as minds, by ``om.policy`` and by name in a study."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import gymnasium
import numpy as np
import pytest

import otherminds as om
from tests.cases import for_each

RPS, OPTIONS = "rps-mixed-v1", {"rounds": 6}


def moves(record: om.Record) -> list[int]:
    return [row[0] for row in record.actions]


def play(mind: Any, name: str = RPS, seed: int = 0, **options: Any) -> om.Record:
    return om.play(name, mind, seed=seed, options=options or OPTIONS)


@for_each(
    "output",
    [
        2,
        np.int64(2),
        np.array(2),
        np.array([2]),
        np.array([[2]]),
        np.array([0.1, -5.0, 7.0]),
        np.float32([0, 0, 1]),
    ],
)
def test_an_action_is_a_whole_number_or_the_largest_preference(output: Any) -> None:
    record = play(om.policy(lambda observation: output, om.make(RPS, OPTIONS)))
    assert moves(record) == [2] * 6
    assert {type(move) for move in moves(record)} == {int}
    assert record.outcome.status == "scored"
    assert not record.asked


@for_each(
    "output",
    [
        3,
        -1,
        1.0,
        None,
        "rock",
        [0.1, 0.2],
        np.array([1, 2]),
        np.array([0.1, np.nan, 0.3]),
        np.ones((1, 3)),
        True,
        {},
    ],
)
def test_what_is_no_action_is_refused(output: Any) -> None:
    with pytest.raises(om.StudyError, match="and not an action of"):
        play(om.policy(lambda observation: output, om.make(RPS, OPTIONS)))


def test_a_policy_that_fails_says_which() -> None:
    def broken(observation: Any) -> int:
        raise ZeroDivisionError("no")

    with pytest.raises(om.StudyError, match=r"test_policies:.*broken.*ZeroDivisionError: no"):
        play(om.policy(broken, om.make(RPS, OPTIONS)))


def test_it_observes_what_it_observed_in_training() -> None:
    for name, options in (
        (RPS, OPTIONS),
        ("rws-repeated-0-v1", {"steps": 15}),
        ("cooking-asymmetric-0-v1", {"steps": 15}),
    ):
        seen: list[Any] = []

        def act(observation: Any, seen: list[Any] = seen) -> int:
            seen.append(observation)
            return len(seen) % 3

        env = om.make(name, options)
        play(om.policy(act, env), name, 3, **options)
        observations, _ = env.reset(seed=3)
        for i, played in enumerate(seen, 1):
            np.testing.assert_equal(observations["ego"], played)
            observations, *_ = env.step({"ego": i % 3})
        assert not env.agents


@for_each("substrate", ["rws-repeated-v1", "pd-repeated-v1", "cooking-asymmetric-v1", "rws-arena-v1"])
def test_policies_of_substrates_play_their_scenarios(substrate: str) -> None:
    """What they observe equals what they would in the substrate, given the same world."""
    env = om.make(substrate)
    world = om.scenarios.make(substrate.replace("-v1", "-0-v1")).world()
    flat, _ = env.reset(seed=5)
    own, _ = world.reset(seed=5)
    seen: list[Any] = []
    mind = om.policy(lambda observation: seen.append(observation) or 1, env)
    rng = np.random.default_rng(0)
    for _ in range(40):
        for seat in env.possible_agents:
            converted = env.convert_observation(own[seat])
            assert np.array_equal(flat[seat], converted)
            assert converted.dtype == np.float32
        actions = {seat: int(rng.integers(8)) for seat in env.agents}
        flat, *_ = env.step(actions)
        own, *_ = world.step(actions)
    record = play(mind, substrate.replace("-v1", "-0-v1"), steps=10)
    assert moves(record) == [1] * 10
    assert all(env.observation_space("ego").contains(observation) for observation in seen)
    envs = om.make(substrate, num_envs=env.max_num_agents)
    assert (
        moves(play(om.policy(lambda observation: 1, envs), substrate.replace("-v1", "-0-v1"), steps=4))
        == [1] * 4
    )


def test_pictures_that_a_study_does_not_show_are_refused() -> None:
    with pytest.raises(om.StudyError, match="needs pictures"):
        play(
            om.policy(lambda observation: 0, om.make("rws-repeated-v1", {"observe": "rgb"})),
            "rws-repeated-0-v1",
            steps=5,
        )


def test_wrappers_of_observations_and_actions_apply() -> None:
    env = gymnasium.make("otherminds/rws-repeated-0-v1", options={"steps": 6})
    flat = gymnasium.wrappers.FlattenObservation(env)
    shapes: list[Any] = []
    mind = om.policy(lambda observation: shapes.append(observation.shape) or 1, flat)
    play(mind, "rws-repeated-0-v1", steps=6)
    assert shapes == [flat.observation_space.shape] * 6
    turned = gymnasium.wrappers.TransformAction(
        gymnasium.make(f"otherminds/{RPS}"), lambda action: 2 - action, gymnasium.spaces.Discrete(3)
    )
    assert moves(play(om.policy(lambda observation: 0, turned))) == [2] * 6
    envs = om.make(RPS, OPTIONS, num_envs=2)
    assert moves(play(om.policy(lambda observation: 1, envs))) == [1] * 6
    stacked = gymnasium.wrappers.FrameStackObservation(flat, 2)
    with pytest.raises(om.StudyError, match="FrameStackObservation changes observations"):
        om.policy(lambda observation: 0, stacked)


def test_a_policy_of_another_environment_is_refused() -> None:
    of_ipd = om.policy(lambda observation: 0, om.make("ipd-single-v1"))
    with pytest.raises(
        om.StudyError, match=r"trained with the actions Discrete\(2\), and this seat has Discrete\(3\)"
    ):
        play(of_ipd)
    of_flat = om.policy(lambda observation: 0, gymnasium.make("otherminds/rws-repeated-0-v1"))
    with pytest.raises(om.StudyError, match="trained with observations in"):
        play(of_flat, "cooking-asymmetric-0-v1", steps=5)


def test_sampling_follows_the_preferences_and_the_seed() -> None:
    env = om.make(RPS, {"rounds": 300})
    logits = np.log([0.7, 0.3, 1e-12])
    mind = om.policy(lambda observation: logits, env, sample=True)
    played = [moves(play(mind, RPS, seed, rounds=300)) for seed in (0, 0, 1)]
    assert played[0] == played[1] != played[2]
    assert 0.6 < played[0].count(0) / 300 < 0.8
    assert played[0].count(2) == 0
    certain = om.policy(lambda observation: np.array([0.0, np.inf, -np.inf]), env, sample=True)
    assert set(moves(play(certain))) == {1}


def test_equal_seeds_give_equal_records_also_after_other_episodes() -> None:
    class Recurrent:
        """As a model of Stable-Baselines3: the state counts the steps of an episode."""

        def predict(
            self, observation: Any, state: Any, episode_start: Any, deterministic: bool
        ) -> tuple[Any, Any]:
            assert deterministic
            state = 0 if episode_start[0] else state + 1
            return np.array(state % 3), state

    mind = om.policy(Recurrent(), om.make(RPS, OPTIONS))
    records = [play(mind, seed=seed) for seed in (0, 1, 0)]
    assert moves(records[0]) == [0, 1, 2, 0, 1, 2] == moves(records[1])
    assert records[0] == records[2]
    assert records[0].spec.seats["ego"].params["function"].rpartition("#")[0].endswith("Recurrent")


def test_a_team_of_the_household_can_be_one_policy() -> None:
    name = "household-remote_lights-v1"
    env = om.make(name, {"turns": 4})
    mind = {seat: om.policy(lambda observation: "Wait[]", env) for seat in env.possible_agents}
    record = om.play(name, mind, options={"turns": 4})
    assert set(record.actions[0]) == {"Wait[]"}


def test_f_of_known_policies_is_exact() -> None:
    """Against constants, the reply to the last move loses one round of n; the informed reply none."""
    env = om.make("rps-single-v1", {"rounds": 20})
    reactive = om.policy(lambda seen: 1 if seen == 0 else ((seen - 1) % 3 + 1) % 3, env)
    constant = om.policy(lambda seen: 0, env)
    for mind, low, high in ((reactive, 0.9, 1.0), (constant, -0.01, 0.01)):
        records = [om.play("rps-single-v1", mind, seed=seed, options={"rounds": 20}) for seed in range(12)]
        functional = om.score(records)["functional"].mean
        assert functional is not None
        assert low <= functional <= high


MODULE = """
import otherminds as om

def rock(observation):
    return 0

def reply(observation):
    return [0.0, 1.0, 0.5]

mind = om.policy(lambda seen: 1 if seen == 0 else ((seen - 1) % 3 + 1) % 3, om.make("rps-single-v1"))
number = 7
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "trained_for_test.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    monkeypatch.delitem(sys.modules, "trained_for_test", raising=False)
    return "trained_for_test"


def test_a_study_names_policies_and_reports_their_f(module: str, tmp_path: Path) -> None:
    names = [
        {"mind": "policy", "params": {"function": f"{module}:{name}"}, "label": name}
        for name in ("mind", "rock")
    ]
    cells = [
        {"scenarios": ["rps-single-v1"], "minds": [*names, "blind", "informed"], "rounds": 20, "episodes": 6}
    ]
    report = om.run(cells, tmp_path / "out")
    functional = {row["mind"]: row["functional"] for row in report}
    assert functional["mind"] > 0.9
    assert functional["informed"] == pytest.approx(1.0)
    assert functional["rock"] == pytest.approx(functional["blind"]) == pytest.approx(0.0)


@for_each(
    ("function", "says"),
    [
        ("nowhere_at_all:f", "cannot be imported"),
        ("math:nothing", "cannot be imported"),
        ("rock", "named as 'module:name'"),
        (":rock", "named as 'module:name'"),
        ("math:", "named as 'module:name'"),
        ("trained_for_test:number", "not callable"),
    ],
)
def test_a_name_that_is_no_policy_is_refused(function: str, says: str, module: str) -> None:
    with pytest.raises(om.StudyError, match=says):
        play(om.SeatSpec("policy", {"function": function}))


def playing(move: int) -> Any:
    return lambda observation: move


def playing_default(move: int) -> Any:
    def choose(observation: Any, *, played: int = move) -> int:
        return played

    return choose


def playing_with(move: int) -> Any:
    def inner() -> int:
        return move

    return lambda observation: inner()


class Player:
    def __init__(self, move: int) -> None:
        self.move = move

    def __call__(self, observation: Any) -> int:
        return self.move

    def choose(self, observation: Any) -> int:
        return self.move


class Locked(Player):
    """What cannot be written down."""

    def __init__(self, move: int) -> None:
        super().__init__(move)
        self.lock = Lock()


def from_notebook(move: int) -> Any:
    names: dict[str, Any] = {"__name__": "__main__", "weights": np.arange(5000) * 0 + move}
    exec("def choose(observation):\n    return int(weights[4000])", names)
    return names["choose"]


def compiled(move: int) -> Any:
    return eval(f"lambda observation: {move}")


@for_each(
    "make",
    [
        playing,
        playing_default,
        playing_with,
        Player,
        Locked,
        lambda move: Player(move).choose,
        lambda move: partial(max, move, key=None) if move > 9 else partial(Player(move).choose),
        from_notebook,
        compiled,
        lambda move: playing_with(move) if move else playing(move),
    ],
)
def test_policies_that_play_differently_have_different_names_and_do_not_pool(make: Any) -> None:
    env = om.make(RPS, OPTIONS)
    first, second = (om.policy(make(move), env) for move in (0, 1))
    assert first.function != second.function
    records = [play(first), play(second, seed=1)]
    with pytest.raises(om.StudyError, match="score them one by one"):
        om.score(records)
    if make is not Locked:
        assert om.policy(make(0), env).function == first.function, "equal ones are one"
        assert om.score([play(first), play(om.policy(make(0), env), seed=1)]).episodes == 2


def test_a_policy_that_can_be_imported_keeps_its_name() -> None:
    env = om.make(RPS, OPTIONS)
    assert om.policy(playing, env).function == f"{__name__}:playing"


def test_a_network_is_named_by_its_weights() -> None:
    torch = pytest.importorskip("torch")
    env = om.make(RPS, OPTIONS)
    network = torch.nn.Linear(3, 3)
    before = om.policy(network, env).function
    assert om.policy(network, env).function == before
    with torch.no_grad():
        network.weight[2, 2] += 1
    assert om.policy(network, env).function != before


@for_each("env", [None, 0, "rps-mixed-v1", object(), om.make])
def test_a_policy_needs_an_environment(env: Any) -> None:
    with pytest.raises(om.StudyError, match=r"^a policy needs the environment [^\n]*$"):
        om.policy(lambda observation: 0, env)
