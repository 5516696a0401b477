"""The bridge to Inspect: tasks, records, scores, faults, resumption."""

import asyncio
import gc
import math
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from random import Random

import msgspec
import pytest

pytest.importorskip("inspect_ai")
from inspect_ai import eval as evaluate
from inspect_ai import eval_set
from inspect_ai import score as score_again
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import (
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.scorer import SampleScore, Score

from otherminds.bridges.inspect import RECORD, TASKS, cell, episode, outcome, records, theory_of_mind
from otherminds.core.data import Message
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding
from otherminds.core.record import Record, prompts
from otherminds.core.scenario import scenarios
from otherminds.measures.basis import SCORES, ScoreInputs
from otherminds.measures.cells import tabulate
from otherminds.measures.registry import Accuracy, Unknown, measures
from otherminds.minds.registry import prepare_setup
from otherminds.models.inspected import Inspected
from otherminds.models.scripted import scripted
from otherminds.models.wrapper import Reasoning
from otherminds.play.loop import play
from otherminds.studies.file import CellEntry, StudyFile
from otherminds.studies.plan import ego, plan
from tests.hostile_files import JSON_VALUES
from tests.mutations import cut, flipped, truncated

pytestmark = [
    pytest.mark.filterwarnings(
        "ignore:The '.*' parameter is deprecated, use '.*' instead:DeprecationWarning"
    ),
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),
]
"""What Inspect does to tenacity, and leaves of anyio's streams."""

USAGE = ModelUsage(input_tokens=7, output_tokens=2, total_tokens=9)


@modelapi(name="standin")
class StandIn(ModelAPI):
    """A provider whose models are our scripted ones; ``calls`` counts them, ``fault`` disturbs them."""

    def __init__(self, model_name, base_url=None, api_key=None, config=GenerateConfig(), fault=None):  # noqa: B008 - Inspect's signature
        super().__init__(model_name, base_url, api_key, [], config)
        self._scripted = scripted(model_name)
        self._fault = fault or (lambda prompt: None)
        self.calls = 0

    async def generate(self, input, tools, tool_choice, config):
        self.calls += 1
        prompt = [Message(message.role, message.text) for message in input]
        said = self._fault(prompt[-1].content)
        if said is None:
            said = (await self._scripted.generate(prompt, Decoding(seed=config.seed))).text
        output = ModelOutput.from_content(self.model_name, said)
        output.usage = USAGE
        return output


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What Inspect keeps for itself lies in the test's own folder; what it leaves unclosed goes here and now."""
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "inspect"))
    yield
    gc.collect()


def stand_in(name: str = "uniform", fault=None) -> Model:
    return get_model(f"standin/{name}", memoize=False, fault=fault)


def run(folder: Path, task, model: Model, **options) -> EvalLog:
    """Evaluates one task, and reads its log back from the disk."""
    (log,) = evaluate(task, model=model, log_dir=str(folder / "logs"), display="none", **options)
    return read_eval_log(log.location, resolve_attachments=True)


def ours(model: Model, **options) -> list[Record]:
    """The records of our own runner for a cell with Inspect's model."""
    entry = {"mind": "qa", "model": f"inspect:{model}"} | options.pop("mind", {})
    seed = options.pop("seed", 0)
    study = StudyFile(name="a", seed=seed, cells=[CellEntry.model_validate({"minds": [entry], **options})])

    async def played() -> list[Record]:
        found = []
        for spec in plan(study, Path()).episodes:
            found.append((await play(prepare_setup(spec, {ego(spec).model: Reasoning(Inspected(model))})))[0])
        return found

    return asyncio.run(played())


def metrics(log: EvalLog, scorer: str) -> dict[str, float]:
    assert log.results is not None
    (found,) = [score for score in log.results.scores if score.name == scorer]
    return {name: metric.value for name, metric in found.metrics.items()}


def read_back(found: list[Record]) -> list[Record]:
    return [msgspec.json.decode(encode(record), type=Record) for record in found]


def tabulated(log: EvalLog) -> dict[str, float]:
    """What a report's cell says about the log's records, under the names of the metric; shares of calls stay out."""
    found = list(records(log))
    key = (found[0].spec.title, ego(found[0].spec).title)
    (one,) = tabulate({key: len(found)}, found)
    named = {name: getattr(one, name) for name in ("delta_functional", "delta_tom", "tom_percent")}
    named |= {"paper_delta_functional": one.paper_delta_functional, "paper_delta_tom": one.paper_delta_tom}
    named |= {name: estimate for name, estimate in one.more.items() if name in measures}
    expected = {"episodes": one.scored} | {name: estimate.mean for name, estimate in named.items()}
    expected |= {name: getattr(one, name).mean for name in SCORES}
    for name in ("unused", "gap", "functional", "literal"):
        estimate = getattr(one, name)
        if estimate.mean is not None:
            expected |= {f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return {name: value for name, value in expected.items() if value is not None}


def numbers(log: EvalLog) -> Iterator[float]:
    assert log.results is not None
    for score in log.results.scores:
        yield from (metric.value for metric in score.metrics.values())


def test_every_scenario_that_needs_no_file_of_the_users_is_a_task():
    needing = {
        name for name in scenarios if {"game", "task"} & signature(scenarios.get(name)).parameters.keys()
    }
    assert {f"{name}_v1" for name in TASKS} == {name.replace("-", "_") for name in {*scenarios} - needing}
    assert {"rps_single", "ibs_mixed", "ipd_tit_for_tat"} <= TASKS.keys()


def test_every_task_can_be_made():
    sizes = {name: len(make(episodes=2).dataset) for name, make in TASKS.items()}
    assert set(sizes.values()) == {2}


def test_rounds_of_a_world_that_has_none_are_refused():
    with pytest.raises(StudyError, match="has no parameter 'rounds'; it takes"):
        TASKS["cooking_asymmetric_0"](rounds=3)


FAMILIES = {
    "acted_beliefs_meet_first": None,
    "axelrod_ipd_automata": 4,
    "coins_mixed": None,
    "cooking_asymmetric_0": None,
    "hanabi_small_2p_mixed": None,
    "household_cabinet_confirmation": None,
    "ibs_single": 4,
    "ipd_tit_for_tat": 4,
    "overcooked_forced_coordination_0": None,
    "rps_mixed": 4,
    "rws_arena_0": None,
    "rws_repeated_0": None,
    "codenames_guesser_mixed": None,
    "taboo_mixed": None,
    "wavelength_guesser_mixed": None,
    "tiny_hanabi_mixed": None,
}
"""A task of each family of scenarios, with its rounds where it has them; other duels are the world of ``rws``, and long, as are apples that of ``coins``."""


def test_there_is_a_played_task_of_each_family():
    duels, apples = {"bach", "chicken", "pd", "pure", "rationalizable", "stag"}, {"clean", "harvest"}
    assert {name.split("_")[0] for name in TASKS} == duels | apples | {
        name.split("_")[0] for name in FAMILIES
    }


@pytest.mark.parametrize(("name", "rounds"), FAMILIES.items())
def test_a_task_of_each_family_has_the_records_and_scores_of_a_study(tmp_path, name, rounds):
    model, counted = stand_in(), {"episodes": 1, "rounds": rounds}
    log = run(tmp_path, TASKS[name](**counted), model)
    assert log.status == "success", log.error
    assert list(records(log)) == read_back(ours(model, scenarios=[scenario_of(name)], **counted))
    assert metrics(log, "outcome")["scored"] == 1
    assert metrics(log, "theory_of_mind") == pytest.approx(tabulated(log), abs=1e-9)


def scenario_of(task: str) -> str:
    return next(of for of in scenarios if of.replace("-", "_") == f"{task}_v1")


def test_a_task_is_found_by_its_entry_point_and_its_samples_are_named_after_whom_they_meet(tmp_path):
    log = run(tmp_path, "otherminds/rps_single", stand_in("first"), task_args={"episodes": 4, "rounds": 2})
    assert log.status == "success"
    assert log.eval.task == "otherminds/rps_single"
    assert log.eval.task_version == 1
    assert [sample.id for sample in log.samples] == [
        "rps_single-000-single(behaviour=0)",
        "rps_single-001-single(behaviour=1)",
        "rps_single-002-single(behaviour=2)",
        "rps_single-003-single(behaviour=0)",
    ]
    assert [sample.metadata["seed"] for sample in log.samples] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("name", "task_args", "options"),
    [
        ("rps_mixed", {}, {"scenarios": ["rps-mixed-v1"]}),
        (
            "ipd_tit_for_tat",
            {"names": "canonical", "literal": "before", "seed": 40, "params": {"tries": 2, "payoffs": False}},
            {
                "scenarios": ["ipd-tit_for_tat-v1"],
                "names": "canonical",
                "literal": "before",
                "seed": 40,
                "mind": {"params": {"tries": 2, "payoffs": False}},
            },
        ),
        ("ibs_single", {"ask": False}, {"scenarios": ["ibs-single-v1"], "ask": False}),
    ],
)
def test_an_episode_through_inspect_is_the_one_of_our_own_runner(tmp_path, name, task_args, options):
    model = stand_in()
    log = run(tmp_path, TASKS[name](episodes=3, rounds=6, **task_args), model)
    assert list(records(log)) == read_back(ours(model, episodes=3, rounds=6, **options))


def test_every_call_of_the_record_shows_in_the_transcript(tmp_path):
    log = run(tmp_path, TASKS["rps_single"](episodes=1, rounds=4), stand_in())
    (record,) = records(log)
    (sample,) = log.samples
    shown = [event for event in sample.events if event.event == "model"]
    assert [event.input[-1].text for event in shown] == [p[-1].content for p in prompts(record.calls)]
    assert [event.output.completion for event in shown] == [call.reply for call in record.calls]
    assert [event.config.seed for event in shown] == [call.config["seed"] for call in record.calls]
    assert len(shown) == 8


def test_the_output_says_in_words_what_happened(tmp_path):
    log = run(tmp_path, TASKS["rps_single"](episodes=1, rounds=2, names="canonical"), stand_in("first"))
    text = log.samples[0].output.completion
    (record,) = records(log)
    did = record.met["ego"][1].did
    assert text.splitlines()[0] == "rps-single-v1 [canonical] with single(behaviour=0): scored"
    said = record.asked[1].answer
    reward = record.rewards[1][0]
    assert f"2: ego {did['ego'][0]}, partner_0 rock; reward {reward:g}; said {said}" in text.splitlines()
    assert log.samples[0].messages[-1].text == text


def test_an_answer_that_was_not_understood_is_told_as_none(tmp_path):
    silent = stand_in(fault=lambda prompt: "Who knows?" if "does the other player choose" in prompt else None)
    log = run(tmp_path, TASKS["rps_single"](episodes=1, rounds=2), silent)
    lines = log.samples[0].output.completion.splitlines()
    assert lines[0].endswith(": scored")
    assert "said nothing (no answer in the form asked for" in lines[-1]
    assert metrics(log, "theory_of_mind")["tom_percent"] == 0


@pytest.mark.parametrize(("name", "rounds"), [("rps_mixed", 12), ("ibs_single", 5), ("ipd_single", 4)])
def test_the_metrics_are_those_of_a_report(tmp_path, name, rounds):
    log = run(tmp_path, TASKS[name](episodes=6, rounds=rounds), stand_in("echo_last"))
    found = metrics(log, "theory_of_mind")
    assert found == pytest.approx(tabulated(log), abs=1e-9)
    assert metrics(log, "outcome") == {"scored": 1, "invalid": 0, "cut": 0, "refused": 0, "failed": 0}
    assert "literal" in found
    assert ("functional" in found) == (name != "ipd_single")
    assert ("gap" in found) == (name != "ipd_single")


def test_without_questions_only_what_is_known_is_shown(tmp_path):
    log = run(tmp_path, TASKS["rps_single"](episodes=3, rounds=4, ask=False), stand_in())
    found = metrics(log, "theory_of_mind")
    assert found == pytest.approx(tabulated(log), abs=1e-9)
    assert "functional" in found
    assert not {"literal", "gap", "tom_percent", "unused"} & found.keys()
    assert "tom_percent" in log.samples[0].scores["theory_of_mind"].metadata["unknown"]


def averaged(*values: dict[str, float], won: float = 1.0) -> dict[str, float]:
    """What the metric makes of episodes with these values, of which each wins ``won`` of 4."""
    unknown = Unknown("not asked")
    one = ScoreInputs("p", {"p": 1.0}, "p", True, (won, 4.0), Accuracy(1.0, 0.5, 1.0), unknown)
    about = {"scenario": "s", "mind": "m", "basis": msgspec.to_builtins(one)}
    return cell()([SampleScore(score=Score(value=value, metadata=about)) for value in values])


def test_what_one_episode_does_not_have_is_in_no_mean():
    found = averaged({"tom_percent": 50.0, "best": 1.0}, {"tom_percent": 25.0})
    assert found["tom_percent"] == 37.5
    assert "best" not in found
    assert "unused" not in found


def test_scores_are_over_the_population():
    found = averaged({}, {})
    assert (found["functional"], found["literal"], found["gap"]) == (0.25, 1.0, 0.75)
    assert (found["gap_low"], found["gap_high"]) == (0.75, 0.75)


def test_an_invalid_reply_is_counted_and_is_in_no_mean(tmp_path):
    meets_paper = "the other player chose Option F"
    garbled = stand_in(fault=lambda prompt: "Neither." if meets_paper in prompt else None)
    log = run(tmp_path, TASKS["rps_single"](episodes=6, rounds=5), garbled)
    statuses = [record.outcome.status for record in records(log)]
    assert log.status == "success"
    assert set(statuses) == {"scored", "invalid"}
    share = statuses.count("invalid") / 6
    assert metrics(log, "outcome") == pytest.approx(
        {"scored": 1 - share, "invalid": share, "cut": 0, "refused": 0, "failed": 0}
    )
    assert metrics(log, "theory_of_mind") == pytest.approx(tabulated(log), abs=1e-9)
    (unscored,) = {score.unscored_samples for score in log.results.scores if score.name == "theory_of_mind"}
    assert unscored == statuses.count("invalid")
    sample = log.samples[statuses.index("invalid")]
    assert sample.error is None
    assert sample.scores["outcome"].value == "invalid"
    assert sample.scores["outcome"].reason == "invalid_response_format"
    assert "in 3 tries" in sample.scores["outcome"].explanation
    assert math.isnan(sample.scores["theory_of_mind"].value)


def test_when_every_reply_is_invalid_no_number_is_made_up(tmp_path):
    log = run(tmp_path, TASKS["rps_single"](episodes=2, rounds=3), stand_in(fault=lambda prompt: "No."))
    assert metrics(log, "theory_of_mind") == {"episodes": 0}
    assert metrics(log, "outcome") == {"scored": 0, "invalid": 1, "cut": 0, "refused": 0, "failed": 0}
    assert not any(map(math.isnan, numbers(log)))


def test_epochs_are_episodes_of_their_own(tmp_path):
    log = run(tmp_path, TASKS["rps_mixed"](episodes=3, rounds=5), stand_in(), epochs=2)
    assert metrics(log, "theory_of_mind")["episodes"] == 6
    assert metrics(log, "theory_of_mind") == pytest.approx(tabulated(log), abs=1e-9)


def failing(at: int):
    """A provider that fails at its call number ``at`` and at no other."""
    calls = 0

    def fault(prompt: str) -> None:
        nonlocal calls
        calls += 1
        if calls == at:
            raise ConnectionError("the line\nis dead")

    return fault


def test_a_fault_of_the_provider_is_an_error_of_the_sample(tmp_path):
    log = run(
        tmp_path,
        TASKS["rps_single"](episodes=3, rounds=2),
        stand_in(fault=failing(3)),
        fail_on_error=False,
        max_samples=1,
    )
    broken, *others = log.samples
    assert broken.error.message == (
        "ProviderError('model inspect:standin/uniform: ConnectionError: the line is dead')"
    )
    assert [record.outcome.status for record in records(log)] == ["failed", "scored", "scored"]
    assert not any(sample.error for sample in others)
    assert metrics(log, "outcome") == {"scored": 1, "invalid": 0, "cut": 0, "refused": 0, "failed": 0}
    assert log.results.completed_samples == 2


def test_an_errored_sample_that_is_scored_nevertheless_counts_as_failed(tmp_path):
    log = run(
        tmp_path,
        TASKS["rps_single"](episodes=2, rounds=2),
        stand_in(fault=failing(3)),
        fail_on_error=False,
        score_on_error=True,
        max_samples=1,
    )
    assert metrics(log, "outcome") == {"scored": 0.5, "invalid": 0, "cut": 0, "refused": 0, "failed": 0.5}
    assert "the line is dead" in log.samples[0].scores["outcome"].explanation
    assert metrics(log, "theory_of_mind")["episodes"] == 1


def test_a_set_that_was_interrupted_goes_on(tmp_path):
    model = stand_in(fault=failing(6))

    def go() -> tuple[bool, list[EvalLog]]:
        return eval_set(
            [TASKS["rps_single"](episodes=4, rounds=2)],
            log_dir=str(tmp_path / "set"),
            model=model,
            retry_attempts=0,
            retry_immediate=False,
            max_samples=1,
            display="none",
        )

    whole, _ = go()
    assert not whole
    assert model.api.calls == 6
    whole, (log,) = go()
    assert whole
    assert model.api.calls == 6 + 3 * 4
    done = list(records(read_eval_log(log.location)))
    assert done == read_back(ours(stand_in(), scenarios=["rps-single-v1"], episodes=4, rounds=2))


def test_a_limit_of_inspects_ends_the_episode_and_is_counted(tmp_path):
    log = run(tmp_path, TASKS["rps_single"](episodes=2, rounds=3), stand_in(), token_limit=30)
    assert log.status == "success"
    assert [sample.limit.type for sample in log.samples] == ["token", "token"]
    assert not any(sample.error for sample in log.samples)
    assert metrics(log, "outcome") == {"scored": 0, "invalid": 0, "cut": 0, "refused": 0, "failed": 1}
    assert metrics(log, "theory_of_mind") == {"episodes": 0}
    assert list(records(log)) == []


def test_a_log_is_scored_again_from_its_records_without_a_call(tmp_path):
    model = stand_in()
    log = run(tmp_path, TASKS["ibs_mixed"](episodes=4, rounds=5), model)
    made = model.api.calls
    again = score_again(log, [theory_of_mind(), outcome()], action="overwrite", display="none")
    assert model.api.calls == made
    assert metrics(again, "theory_of_mind") == metrics(log, "theory_of_mind")
    assert metrics(again, "outcome") == metrics(log, "outcome")


def test_a_sample_that_was_saved_from_a_killed_run_has_its_record_still(tmp_path):
    whole = run(tmp_path, TASKS["rps_single"](episodes=3, rounds=3), stand_in())
    for resolved in (True, False):
        saved = read_eval_log(whole.location, resolve_attachments=resolved)
        saved.samples[1].store = {}  # so Inspect leaves it when it puts a sample together from its events
        assert list(records(saved)) == list(records(whole))
        again = score_again(saved, [theory_of_mind(), outcome()], action="overwrite", display="none")
        assert metrics(again, "theory_of_mind") == metrics(whole, "theory_of_mind")


def test_a_damaged_record_is_named(tmp_path):
    log = run(tmp_path, TASKS["rps_single"](episodes=1, rounds=2), stand_in())
    log.samples[0].store[RECORD] = log.samples[0].store[RECORD].replace('"rewards":[[', '"rewards":[[1')
    with pytest.raises(StudyError, match=r"rps_single-000-.*is damaged \(it does not match its hash\)"):
        list(records(log))
    with pytest.raises(StudyError, match="leave out header_only"):
        list(records(read_eval_log(log.location, header_only=True)))


def test_a_log_with_any_record_is_read_or_refused_in_one_line(tmp_path):
    log = run(tmp_path, TASKS["rps_single"](episodes=1, rounds=2), stand_in("first"))
    store, rng = log.samples[0].store, Random(0)
    line = store[RECORD].encode()
    texts = [
        rng.choice((flipped, truncated, cut))(line, rng).decode("utf-8", "surrogateescape")
        for _ in range(1_100)
    ]
    said = []
    for value in (*JSON_VALUES, *texts):
        store[RECORD] = value
        try:
            list(records(log))
        except StudyError as error:
            said.append(str(error))
    assert len(said) > 1_000
    assert [text for text in said if "\n" in text or "rps_single-000-" not in text] == []


@pytest.mark.parametrize(
    ("task_args", "text"),
    [
        ({"episodes": 0}, "task rps_single: -T episodes: Input should be greater than or equal to 1, not 0"),
        ({"names": "foo"}, "task rps_single: game 'rps' has no action names 'foo'; choose from letters"),
        ({"strategy": "qaa"}, "task rps_single: no strategy is called 'qaa'; did you mean qa"),
        ({"params": {"trys": 2}}, "task rps_single: strategy 'qa' has no parameter 'trys'; it takes tries"),
        ({"literal": "end"}, "task rps_single: -T literal: Input should be 'after' or 'before', not 'end'"),
        ({"seed": -1}, "task rps_single: -T seed: a seed is a whole number from 0 to 2**63 - 1, not -1"),
    ],
)
def test_a_bad_argument_is_told_in_one_line(task_args, text):
    with pytest.raises(StudyError) as caught:
        TASKS["rps_single"](**task_args)
    assert str(caught.value).startswith(text)
    assert "\n" not in str(caught.value)


@agent
def two_calls() -> Agent:
    """Drafts a reply in one call of the model, and gives it in another."""

    async def execute(state: AgentState) -> AgentState:
        await get_model().generate([*state.messages, ChatMessageUser(content="Draft a reply first.")])
        state.output = await get_model().generate(state.messages)
        return state

    return execute


@agent
def mute() -> Agent:
    async def execute(state: AgentState) -> AgentState:
        return state

    return execute


def test_an_agent_of_inspect_plays_in_place_of_the_model(tmp_path: Path) -> None:
    """It sees the prompts of the strategy, and what it says in the end is what the record has."""
    model = stand_in("first")
    log = run(tmp_path, TASKS["rps_single"](episodes=3, rounds=4), model, solver=episode(two_calls()))
    assert log.status == "success"
    played = list(records(log))
    plain = ours(stand_in("first"), scenarios=["rps-single-v1"], episodes=3, rounds=4)
    assert [record.outcome.status for record in played] == ["scored"] * 3
    assert {ego(record.spec).model for record in played} == {"inspect-agent:two_calls"}
    for own, other in zip(played, plain, strict=True):
        assert own.actions == other.actions
        assert prompts(own.calls) == prompts(other.calls)
        assert [call.reply for call in own.calls] == [call.reply for call in other.calls]
    assert model.api.calls == 2 * sum(len(record.calls) for record in played)


def test_an_agent_without_an_output_leaves_the_sample_in_error(tmp_path: Path) -> None:
    log = run(tmp_path, TASKS["rps_single"](episodes=1, rounds=2), stand_in(), solver=episode(mute()))
    assert log.status == "error"
    assert log.samples is not None
    assert log.samples[0].error is not None
    assert "the agent ended without an output" in log.samples[0].error.message
