"""The sandbox as one of Inspect: Inspect's own checks of a sandbox, and an evaluation in it."""

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("inspect_ai")
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import OutputLimitExceededError, sandbox
from inspect_ai.util._sandbox import self_check

from otherminds import StudyError
from otherminds.bridges.inspect import WorkspaceEnvironment
from otherminds.sandbox.kinds import open_sandbox

pytestmark = [
    pytest.mark.filterwarnings(
        "ignore:The '.*' parameter is deprecated, use '.*' instead:DeprecationWarning"
    ),
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),
]
"""What Inspect does to tenacity, and leaves of anyio's streams."""

Check = Callable[[WorkspaceEnvironment], Coroutine[None, None, None]]
ELSEWHERE = "only files in the workspace last"
MODES = "no permission lasts but that to execute"
EXPECTED = {
    "test_read_and_write_file_including_directory_absolute": ELSEWHERE,
    "test_read_file_is_directory": ELSEWHERE,
    "test_write_text_file_is_directory": ELSEWHERE,
    "test_write_binary_file_is_directory": ELSEWHERE,
    "test_cwd_absolute": ELSEWHERE,
    "test_read_file_not_allowed": MODES,
    "test_write_text_file_without_permissions": MODES,
    "test_write_binary_file_without_permissions": MODES,
    "test_exec_permission_error": "there is no /etc/passwd",
    "test_exec_as_user": "there is one user",
}
"""Inspect's checks that fail, by design."""
CHECKS = [
    pytest.param(
        check,
        id=name.removeprefix("test_"),
        marks=[pytest.mark.xfail(reason=EXPECTED[name], strict=True)] if name in EXPECTED else [],
    )
    for name, check in vars(self_check).items()
    if name.startswith("test_") and inspect.iscoroutinefunction(check)
]


@pytest.fixture(scope="module")
def works() -> None:
    try:
        open_sandbox("bubblewrap")
    except StudyError as error:
        pytest.skip(str(error))


@pytest.fixture
def environment(works: None) -> Iterator[WorkspaceEnvironment]:
    made = asyncio.run(WorkspaceEnvironment.sample_init("task", None, {}))
    environment = made["default"].as_type(WorkspaceEnvironment)
    yield environment
    asyncio.run(WorkspaceEnvironment.sample_cleanup("task", None, made, False))
    assert not environment._folder.exists()


@pytest.mark.parametrize("check", CHECKS)
def test_inspects_own_check(
    check: Check, environment: WorkspaceEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_check, "anyio", SimpleNamespace(sleep=lambda seconds: asyncio.sleep(0.01)))
    asyncio.run(check(environment))


def test_too_much_output_is_an_error_with_its_beginning(environment: WorkspaceEnvironment) -> None:
    with pytest.raises(OutputLimitExceededError) as raised:
        asyncio.run(environment.exec(["head", "-c", "20M", "/dev/zero"]))
    assert raised.value.truncated_output == "\0" * (10 << 20)


@pytest.mark.parametrize(
    "file", ["../x", "/etc/hostname", "/workspace/../etc/x", "a/../../x", "/workspace2/x"]
)
def test_files_of_the_host_are_out_of_reach(environment: WorkspaceEnvironment, file: str) -> None:
    with pytest.raises(PermissionError, match="only files in /workspace"):
        asyncio.run(environment.read_file(file))
    with pytest.raises(PermissionError, match="only files in /workspace"):
        asyncio.run(environment.write_file(file, "x"))


def test_a_link_to_the_host_is_not_read(environment: WorkspaceEnvironment) -> None:
    asyncio.run(environment.exec(["ln", "-s", "/etc/hostname", "link"]))
    with pytest.raises(FileNotFoundError):
        asyncio.run(environment.read_file("link"))


@solver
def sorts() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        result = await sandbox().exec(["sort", "numbers"])
        state.output.completion = result.stdout
        return state

    return solve


@scorer(metrics=[accuracy()])
def same() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=state.output.completion == target.text)

    return score


@pytest.mark.usefixtures("works")
def test_an_evaluation_runs_in_it(tmp_path: Path) -> None:
    sample = Sample(input="sort", target="1\n2\n", files={"numbers": "2\n1\n"})
    task = Task([sample], solver=sorts(), scorer=same(), sandbox="otherminds")
    (log,) = evaluate(task, model="mockllm/model", display="none", log_dir=str(tmp_path))
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1
