"""A seed is a whole number from 0 to 2**63 - 1, and every door refuses others with this one sentence."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import otherminds as om
from otherminds.bridges.gymnasium_text import TextEnv
from otherminds.bridges.trl_sessions import TextEnvironment, play_rollouts
from tests.cases import for_each
from tests.cli.running import COMMANDS, otherminds

SAYING = r"a seed is a whole number from 0 to 2\*\*63 - 1, not [^\n]*$"
OF_64_BITS = (2**63, np.uint64(2**63))
WORSE = (
    *(-1, -(10**30), 2**64, 10**5000),
    *(True, np.True_, 1.0, 1.5, float("nan"), np.float64(2)),
    *("7", "a", "", "x\ny" * 40, b"7", {}, object()),
)
BAD = (*OF_64_BITS, *WORSE)
LISTS = ([0], (1,), np.zeros((2, 2)), [10**5000])
"""No seed either, but where there are several copies."""
GOOD = (0, 7, 2**63 - 1, np.int64(3), np.uint8(4))


def play(seed: Any) -> None:
    om.play("rps-mixed-v1", "nash", seed=seed, options={"rounds": 1})


def play_in_a_loop(seed: Any) -> None:
    asyncio.run(om.aplay("rps-mixed-v1", "nash", seed=seed, options={"rounds": 1}))


def make(name: str) -> Callable[[Any], None]:
    return lambda seed: om.make(name).reset(seed=seed)


def make_gymnasium(seed: Any) -> None:
    gymnasium.make("otherminds/rps-mixed-v1", disable_env_checker=True).unwrapped.reset(seed=seed)


def make_copies(seed: Any) -> None:
    envs = om.make("rps-mixed-v1", num_envs=2)
    envs.reset(seed=[0, seed])


def open_session(seed: Any) -> None:
    with closing(om.session("rps-mixed-v1", ask=False)) as session:
        session.reset(seed)


def open_asession(seed: Any) -> None:
    async def reset() -> None:
        session = om.asession("rps-mixed-v1", ask=False)
        await session.reset(seed)
        await session.close()

    asyncio.run(reset())


def open_text_env(seed: Any) -> None:
    TextEnv(om.session("rps-mixed-v1", ask=False)).reset(seed=seed)


def open_trl_environment(seed: Any) -> None:
    TextEnvironment(lambda: om.session("rps-mixed-v1", ask=False)).reset(seed=seed)


DOORS = {
    "play": play,
    "aplay": play_in_a_loop,
    "make, a matrix game": make("rps-mixed-v1"),
    "make, a household": make("household-remote_lights-v1"),
    "make, a gridworld": make("rws-repeated-0-v1"),
    "gymnasium.make": make_gymnasium,
    "make, copies": make_copies,
    "session": open_session,
    "asession": open_asession,
    "TextEnv of Gymnasium": open_text_env,
    "TextEnvironment of TRL": open_trl_environment,
}


@for_each("door", list(DOORS))
def test_every_door_refuses_a_bad_seed_with_one_sentence(door: str) -> None:
    for seed in BAD + LISTS:
        with pytest.raises(om.StudyError) as refused:
            DOORS[door](seed)
        assert re.match(SAYING, str(refused.value)), f"{door}: {refused.value}"


@for_each("door", list(DOORS))
def test_every_door_takes_a_good_one(door: str) -> None:
    for seed in GOOD:
        DOORS[door](seed)


@for_each("name", ["rws-repeated-v1", "cooking-asymmetric-v1"])
def test_environments_of_substrates_take_seeds_of_64_bits_and_refuse_others(name: str) -> None:
    env, envs = om.make(name), om.make(name, num_envs=4)
    for seed in (*GOOD, *OF_64_BITS, 2**64 - 1):
        env.reset(seed=seed)
    for seed in WORSE:
        saying = SAYING.replace("63", "64")
        with pytest.raises(om.StudyError, match=f"^{saying}"):
            env.reset(seed=seed)
        for each in (seed, [0, seed]):
            with pytest.raises(om.StudyError, match=f"^{saying}"):
                envs.reset(seed=each)


def test_seeds_of_copies_that_follow_the_largest_are_refused_before_any_copy_begins_anew() -> None:
    envs = om.make("ipd-single-v1", num_envs=3)
    envs.reset(seed=0)
    envs.step(np.array([0, 1, 0]))
    with pytest.raises(om.StudyError, match=f"^{SAYING}"):
        envs.reset(seed=2**63 - 2)
    for copy in envs.envs:
        assert copy.env.agents, "the episode goes on"
    assert (envs.reset(seed=np.int64(4))[0] == envs.reset(seed=(4, np.int64(5), 6))[0]).all()


@for_each("name", ["rps-mixed-v1", "household-remote_lights-v1", "rws-repeated-v1"])
def test_a_refused_seed_leaves_the_episode_of_an_environment_as_it_was(name: str) -> None:
    env = om.make(name)
    env.reset(seed=np.int64(3))
    agents = env.agents
    with pytest.raises(om.StudyError):
        env.reset(seed=-1)
    assert env.agents == agents
    env.step({agent: env.action_space(agent).sample() for agent in agents})


def test_a_refused_seed_leaves_the_episode_of_a_session_as_it_was() -> None:
    with closing(om.session("rps-mixed-v1", ask=False, options={"rounds": 1})) as session:
        turn = session.reset(3)
        assert isinstance(turn, om.Turn)
        for seed in BAD:
            with pytest.raises(om.StudyError):
                session.reset(seed)
        assert isinstance(session.step(turn.options[0]), om.Done)


TEXTS = ("-1", "1.5", "x", "", "true", "1e3", str(2**63), "9" * 5000)


@for_each("text", TEXTS)
def test_so_does_a_row_of_a_data_set_of_trl(text: str) -> None:
    rollout = play_rollouts(lambda: om.session({"train": "rps-mixed-v1"}, ask=False))
    with pytest.raises(om.StudyError, match=SAYING):
        rollout([f"train {text}"], SimpleNamespace(processing_class=None))


WITH_SEEDS = [
    words for words, command in COMMANDS.items() if any(option.name == "seed" for option in command.params)
]


@for_each("text", TEXTS)
def test_so_does_every_command_with_a_seed(text: str) -> None:
    assert len(WITH_SEEDS) >= 5
    for words in WITH_SEEDS:
        bits = 32 if words == ("train",) else 63
        done = otherminds(*words, "--seed", text)
        assert done.returncode == 2
        said = " ".join(done.stderr.replace("│", " ").split())
        assert f"'--seed': a seed is a whole number from 0 to 2**{bits} - 1, not" in said, said


STUDY = {
    "name": "s",
    "cells": [{"scenarios": ["rps-mixed-v1"], "minds": ["nash"], "episodes": 1, "rounds": 1}],
}


def test_so_does_a_study(tmp_path: Path) -> None:
    for seed in (*BAD, *LISTS):
        with pytest.raises(om.StudyError, match=rf"^seed: {SAYING}"):
            om.run({**STUDY, "seed": seed}, tmp_path / "run")
