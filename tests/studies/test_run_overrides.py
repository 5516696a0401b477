"""What a run is given beside its study file: models in their places, addresses apart, shorter episodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.errors import StudyError
from otherminds.studies.plan import StudyPlan, ego, plan_file
from otherminds.studies.run_overrides import RunOverrides

ANY = """
name = "any"
episodes = 2
[[cells]]
scenarios = ["rps-single-v1"]
rounds = 50
minds = ["rmax", "lm@MODEL", { mind = "qa", model = "MODEL", label = "QA", params = { tries = 20 } }]
[[cells]]
scenarios = ["ipd-single-v1"]
minds = ["lm@MODEL"]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "any.toml"
    path.write_text(ANY)
    return path


def titles(plan: StudyPlan) -> list[str]:
    return list(dict.fromkeys(ego(spec).title for spec in plan.episodes))


def test_each_model_takes_the_place_in_turn(study: Path) -> None:
    plan = plan_file(study, RunOverrides(("scripted:first", "scripted:uniform")))
    assert titles(plan) == [
        "rmax",
        "lm@scripted:first",
        "lm@scripted:uniform",
        "QA@scripted:first",
        "QA@scripted:uniform",
    ]
    assert len(plan.episodes) == 2 * (5 + 2)


def test_room_for_a_reply_goes_to_the_strategies_that_write(study: Path) -> None:
    plan = plan_file(study, RunOverrides(("scripted:first",), reply_tokens=4096))
    rooms = {ego(spec).mind: ego(spec).params.get("max_tokens") for spec in plan.episodes}
    assert rooms == {"rmax": None, "lm": None, "qa": 4096}


def test_without_a_model_it_says_what_to_add(study: Path) -> None:
    with pytest.raises(StudyError, match=r"any\.toml: this study needs a model: add --model"):
        plan_file(study)


def test_a_model_that_no_mind_takes_is_refused(small: Path) -> None:
    with pytest.raises(StudyError, match="no mind of this study has the model MODEL; leave out --model"):
        plan_file(small, RunOverrides(("smollm2",)))


def test_rounds_and_episodes_go_before_what_the_file_says(study: Path) -> None:
    plan = plan_file(study, RunOverrides(("scripted:first",), rounds=7, episodes=3))
    assert {spec.options["rounds"] for spec in plan.episodes} == {7}
    assert set(plan.cells().values()) == {3}


def test_other_rounds_are_another_study_more_episodes_are_not(study: Path) -> None:
    model = ("scripted:first",)
    plain = plan_file(study, RunOverrides(model)).identity
    assert plan_file(study, RunOverrides(model, episodes=9)).identity == plain
    assert plan_file(study, RunOverrides(model, rounds=9)).identity != plain
    assert plan_file(study, RunOverrides(("scripted:uniform",))).identity != plain


def test_a_server_may_move_and_the_study_stays_the_same(study: Path) -> None:
    here, there = (
        plan_file(study, RunOverrides((f"openai:qwen@http://{host}/v1?concurrency=4",)))
        for host in ("a:1", "b:2,c:3")
    )
    assert here.identity == there.identity
    assert here.episodes == there.episodes
    assert {ego(spec).model for spec in here.episodes} == {"", "openai:qwen"}
    assert here.access == {"openai:qwen": "openai:qwen@http://a:1/v1?concurrency=4"}
    assert titles(here)[1:] == ["lm@openai:qwen", "QA@openai:qwen"]


def test_one_model_at_two_addresses_is_refused(study: Path) -> None:
    with pytest.raises(StudyError, match=r"'openai:m' has two addresses.*with a comma between"):
        plan_file(study, RunOverrides(("openai:m@http://a/v1", "openai:m@http://b/v1")))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (RunOverrides(), []),
        (RunOverrides(("smollm2", "gguf:a.gguf")), ["--model", "smollm2", "--model", "gguf:a.gguf"]),
        (
            RunOverrides(rounds=3, episodes=2, reply_tokens=9),
            ["--rounds", "3", "--episodes", "2", "--reply-tokens", "9"],
        ),
        (
            RunOverrides(minds=("cot@smollm2",), splits=("hard",)),
            ["--mind", "cot@smollm2", "--split", "hard"],
        ),
    ],
)
def test_overrides_are_the_options_that_gave_them(given: RunOverrides, words: list[str]) -> None:
    assert given.arguments() == words


def test_no_token_is_among_the_options() -> None:
    model = "openai:m@https://gateway.example/token-4711/v1"
    for given in (RunOverrides((model,)), RunOverrides(minds=(f"cot@{model}",))):
        assert "token-4711" not in " ".join(given.arguments())
        assert "gateway.example" in " ".join(given.arguments())
