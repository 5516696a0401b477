"""The command ``otherminds pools author``, with authors by script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from otherminds.core.data import Message
from otherminds.core.model import Decoding
from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.epistemic.formula import depth
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.pool.store import pool_called, task_json
from otherminds.models.registry import models
from otherminds.models.scripted import ScriptedModel
from tests.cli.running import otherminds
from tests.household.authoring.authors import JUDGE, SUBMIT, TEST
from tests.planner import needs_planner

SEED_TASK = next(one.task for one in pool_called("standard") if one.task.num_agents == 3)
ASKED = ("--category", SEED_TASK.category, "--depth", str(depth(goal_of(SEED_TASK.problem_pddl))))
REPLIES = (
    "I begin.",
    f"```\nAction: write[{task_json(SEED_TASK).decode()}]\n```",
    JUDGE,
    TEST,
    SUBMIT,
)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The turns for which the model ``copyist`` was asked; it copies a task of a split, after a reply without an action."""
    asked: list[int] = []

    def reply(messages: Sequence[Message], decoding: Decoding) -> str:
        asked.append((len(messages) - 2) // 2)
        return (*REPLIES, *["" for _ in range(9)])[asked[-1]]

    monkeypatch.setitem(models._known, "copyist", lambda rest: ScriptedModel(reply, spec="copyist"))
    return asked


def author(out: Path, *more: str) -> tuple[object, str]:
    given = ("--model", "copyist", "--out", out, "--sandbox", "none", "--without", "council", *ASKED)
    done = otherminds("pools", "author", *given, *more)
    return done.returncode, done.stdout + done.stderr


@needs_planner
def test_what_an_author_writes_is_checked_calibrated_and_added_to_the_pool_once(
    tmp_path: Path, calls: list[int]
) -> None:
    """The second attempt writes the same task, which is refused."""
    code, said = author(tmp_path, "--n", "2", "--max-turns", "7")
    assert code == 0, said
    added = AuthoredPool(tmp_path / "pool").provenance()
    (one,) = (name for name, where in added.items() if where.author == "copyist")
    assert f"kept as {one}" in said
    assert "ended at: duplicate" in said
    assert len(calls) == 5 + 7
    assert author(tmp_path, "--n", "2", "--max-turns", "7")[0] == 0
    assert len(calls) == 5 + 7, "nothing is left to do"


@needs_planner
def test_attempts_with_other_limits_are_others_in_one_pool(tmp_path: Path, calls: list[int]) -> None:
    shared = ("--pool", tmp_path / "pool")
    assert author(tmp_path / "short", *shared, "--max-turns", "1")[0] == 0
    code, said = author(tmp_path / "long", *shared)
    assert (code, "kept as" in said) == (0, True), said


@needs_planner
def test_an_attempt_stops_at_its_limit_of_cost_and_goes_on_with_a_higher_one(
    tmp_path: Path, calls: list[int]
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text("[copyist]\ninput = 1000.0\noutput = 1000.0\n")
    limited = ("--prices", str(prices), "--max-cost")
    code, said = author(tmp_path, *limited, "1.5")
    assert (code, "stopped: " in said) == (1, True), said
    assert 0 < len(calls) < 5
    code, said = author(tmp_path, *limited, "1000")
    assert (code, "kept as" in said) == (0, True)
    assert calls == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--model", "nobody"), "no model is called 'nobody'"),
        (("--sandbox", "cellar"), "no sandbox 'cellar'"),
        (("--max-cost", "1"), "--prices"),
    ],
)
def test_wrong_arguments_are_said_in_one_line(
    tmp_path: Path, calls: list[int], more: Sequence[str], said: str
) -> None:
    code, output = author(tmp_path, *more)
    assert code == 2
    assert said in output
    assert not calls


def test_a_council_without_judges_is_refused(tmp_path: Path, calls: list[int]) -> None:
    done = otherminds("pools", "author", "--model", "copyist", "--out", tmp_path, "--sandbox", "none")
    assert (done.returncode, "leave the council out" in done.stderr) == (2, True)
