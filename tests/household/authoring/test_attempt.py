"""An attempt: bounded, recorded, resumed without a repeated call or action, and replayed without a model."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from otherminds.core.data import Message
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.model import Completion, Decoding, ToolCall, Usage
from otherminds.household.authoring.attempt import AttemptOptions, attempt, read_attempt, replayed
from otherminds.household.authoring.conversation import Conversation, system_prompt
from otherminds.household.authoring.journal import AttemptRecord
from otherminds.household.authoring.results import Gates, SampledTask
from otherminds.household.authoring.tools import list_tools
from otherminds.models.registry import models
from otherminds.models.scripted import ScriptedModel
from otherminds.studies.outside import CallSession, call_session
from tests.household.authoring.authors import (
    ASKED,
    JUDGE,
    SOUND,
    SUBMIT,
    TEST,
    TitleServices,
    action,
    attempted,
    says,
    task_text,
)

CLUMSY = (
    "I will write a task.",
    "Thought: first a scene\nAction: new_scene[2]",
    "Action: judge[]\nAction: submit_task[]",
    action('{"task": '),
    f"Here it is:\n```\nAction: write[{task_text('dislike')}]\n```",
    JUDGE,
    action('{"path": "title", "append": "x"}', "edit"),
    '**Action:** `edit[{"path": "title", "value": ""}]`\n\nNow it should pass.',
    JUDGE,
    "<think>Action: judge[]</think>\n" + TEST,
    SUBMIT,
)
"""A competent author with errors: no action, two actions, bad JSON, fences, prose around."""


def test_an_author_with_errors_arrives(tmp_path: Path) -> None:
    record = attempted(says(*CLUMSY), TitleServices(), tmp_path)
    assert (record.ended, record.stage, record.unusable) == ("submitted", "kept", 2)
    line = record.line(record.spending)
    assert (line.turns, line.unusable) == (len(CLUMSY), 2)
    assert line.tools == {"edit": 2, "judge": 2, "new_scene": 1, "submit_task": 1, "test_task": 1, "write": 2}
    assert line.rejected == {"judged": 1}
    assert (record.spending.calls, record.spending.completion > 0) == (len(CLUMSY), True)
    stored = read_attempt(tmp_path)
    assert stored is not None
    assert stored[0] == record
    assert len(stored[1].calls) == len(CLUMSY)


@pytest.mark.parametrize(
    ("replies", "options", "ended", "turns"),
    [
        ((), AttemptOptions("attempt_0", max_unusable=3), "unusable", 3),
        (("no", "no", JUDGE) * 9, AttemptOptions("attempt_0", max_turns=8, max_unusable=3), "turns", 8),
        ((JUDGE,) * 9, AttemptOptions("attempt_0", max_turns=4), "turns", 4),
    ],
)
def test_an_attempt_is_bounded(
    tmp_path: Path, replies: Sequence[str], options: AttemptOptions, ended: str, turns: int
) -> None:
    record = attempted(says(*replies), TitleServices(), tmp_path, options)
    assert (record.ended, len(record.steps), record.stage) == (ended, turns, "no task")


def test_the_author_is_told_why_a_reply_was_no_action(tmp_path: Path) -> None:
    prompts: list[Sequence[Message]] = []

    def reply(messages: Sequence[Message], decoding: Decoding) -> str:
        prompts.append(messages)
        return "hm"

    attempted(ScriptedModel(reply), TitleServices(), tmp_path, AttemptOptions("attempt_0", max_turns=2))
    assert [message.content for message in prompts[1]][2] == "hm"
    assert "there is no action; write `Thought: ...`" in prompts[1][3].content


@pytest.mark.parametrize("shell", [True, False])
def test_the_prompt_lists_exactly_the_tools_that_are_offered(shell: bool) -> None:
    tools = list_tools(shell)
    said = system_prompt(tools, Gates())
    for name, tool in (list_tools(True) | list_tools(False)).items():
        assert (f"{tool.form} -- " in said) == (name in tools)
        assert name in tools or f"{name}[" not in said


class Provider:
    """A paid model of replies by turn, which counts calls and may fail after ``calls`` of them; it calls tools natively."""

    spec = "test_author"
    concurrency = 1

    def __init__(self, *replies: str, calls: int = 10**6, context: int = 100_000) -> None:
        self.replies, self.left, self.context = replies, calls, context
        self.asked: Counter[int] = Counter()

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        turn = (len(messages) - 2) // 2
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        self.asked[turn] += 1
        prompt = sum(self.count(message.content) for message in messages)
        assert prompt + decoding.max_tokens <= self.context
        if turn >= len(self.replies):
            return Completion("", usage=Usage(prompt, 1))
        if self.replies[turn] == JUDGE:
            return Completion("Judge.", usage=Usage(prompt, 3), tools=(ToolCall("judge", "{}"),))
        return Completion(self.replies[turn], usage=Usage(prompt, 7))

    def count(self, text: str) -> int:
        return len(text) // 4


def run(
    provider: Provider | str,
    services: TitleServices,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: AttemptOptions | None = None,
) -> AttemptRecord:
    if isinstance(provider, Provider):
        monkeypatch.setitem(models._known, "test_author", lambda rest: provider)

    async def made() -> AttemptRecord:
        async with call_session("author", "test_author", folder / "author", ASKED.seed) as session:
            return await attempt(ASKED, session, services, folder, (), options or AttemptOptions("attempt_0"))

    return asyncio.run(made())


def test_an_attempt_goes_on_after_an_interruption_without_a_repeated_call_or_action(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted at every call of the model."""
    whole = run(Provider(*CLUMSY), TitleServices(), tmp_path / "whole", monkeypatch)
    provider, services = Provider(*CLUMSY), TitleServices()
    for _ in CLUMSY[1:]:
        provider.left = 1
        with pytest.raises(KeyboardInterrupt):
            run(provider, services, tmp_path / "parts", monkeypatch)
    provider.left = 1
    record = run(provider, services, tmp_path / "parts", monkeypatch)
    assert encode(record) == encode(whole)
    assert provider.asked == dict.fromkeys(range(len(CLUMSY)), 1)
    assert [call for call in services.calls if call.startswith("council")] == ["council 0", "council 1"]
    assert services.calls.count("submit") == 1
    ours, theirs = (tmp_path / name / "workspace/working_task.json" for name in ("parts", "whole"))
    assert ours.read_bytes() == theirs.read_bytes()


def test_an_action_that_was_interrupted_is_done_again_on_the_workspace_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stops:
        name = "stops"
        runs = 0

        async def run(self, command: str, folder: Path) -> object:
            self.runs += 1
            with (folder / "notes").open("a") as notes:
                notes.write(command)
            if self.runs == 2:
                raise KeyboardInterrupt
            return Ran()

    class Ran:
        code, stdout, stderr, timed_out, cut = 0, "", "", False, ()

    shell = Stops()
    options = AttemptOptions("attempt_0", max_turns=3, sandbox=shell)  # type: ignore[arg-type]
    provider = Provider(*(action(text, "bash") for text in "abc"))
    with pytest.raises(KeyboardInterrupt):
        run(provider, TitleServices(), tmp_path, monkeypatch, options)
    run(provider, TitleServices(), tmp_path, monkeypatch, options)
    assert shell.runs == 4
    assert (tmp_path / "workspace/notes").read_text() == "abc"


def test_another_assignment_is_refused_in_the_same_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Provider(*CLUMSY, calls=3), TitleServices(), tmp_path, monkeypatch)
    with pytest.raises(StudyError, match="another assignment"):
        run(Provider(*CLUMSY), TitleServices(Gates(council=False)), tmp_path, monkeypatch)


@pytest.mark.parametrize("tail", [b"", b"\0" * 512], ids=["killed", "power cut"])
def test_a_torn_line_of_the_journal_is_dropped(
    tail: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Provider(*CLUMSY, calls=6), TitleServices(), tmp_path, monkeypatch)
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-9] + tail)
    provider = Provider(*CLUMSY)
    record = run(provider, TitleServices(), tmp_path, monkeypatch)
    assert record.stage == "kept"
    assert min(provider.asked) == 6, "replies are kept by the session"
    lines = [msgspec.json.decode(line) for line in journal.read_bytes().splitlines()]
    assert [line["step"]["turn"] for line in lines[1:]] == [*range(len(record.steps))]


def test_a_conversation_that_is_shortened_has_room_for_more_turns() -> None:
    """So that the start of the next prompts is that of this one."""
    talk = Conversation("rules", "task", 10_000, len)
    for _ in range(10):
        talk.add("reply", "x" * 1000)
    shortened = talk.fitting(0)
    assert shortened is not None
    talk.add("reply", "x" * 1000)
    assert talk.fitting(shortened) == shortened


def test_an_attempt_is_replayed_without_model_and_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one whose conversation was shortened to fit the context of its model, which the replay does not have."""
    options = AttemptOptions("attempt_0", reply_tokens=500)
    looks = tuple(action(name, "read") for name in ("available_mechanics.md", "available_predicates.md") * 3)
    record = run(Provider(*looks, *CLUMSY, context=6000), TitleServices(), tmp_path, monkeypatch, options)
    assert record.stage == "kept"
    assert max(step.shortened for step in record.steps) > 2
    session = CallSession("author", models.make("replay", {"argument": str(tmp_path / "author")}), ASKED.seed)
    assert encode(asyncio.run(replayed(record, session))) == encode(record)


def test_shortened_results_say_so_and_calls_that_do_not_fit_are_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = tuple(action("available_mechanics.md", "read") for _ in range(8))
    options = AttemptOptions("attempt_0", max_turns=8, reply_tokens=500)
    run(Provider(*looks, context=5000), TitleServices(), tmp_path / "some", monkeypatch, options)
    (line,) = (tmp_path / "some/author/records").iterdir()
    assert b"characters left out, since the conversation is long" in line.read_bytes()
    small = run(Provider(*looks, context=600), TitleServices(), tmp_path / "none", monkeypatch, options)
    assert (small.ended, small.spending.calls) == ("context", 0)


@pytest.mark.parametrize("lost", [True, False])
def test_an_attempt_stopped_before_its_first_step_shows_the_tasks_of_its_record(
    tmp_path: Path, lost: bool
) -> None:
    """The pool may have other tasks by then."""

    def stopped(messages: Sequence[Message], decoding: Decoding) -> str:
        raise KeyboardInterrupt

    first, second = (SampledTask(structs.replace(SOUND, task_id=name), True) for name in ("first", "second"))
    with pytest.raises(KeyboardInterrupt):
        attempted(ScriptedModel(stopped, spec="scripted_test"), TitleServices(), tmp_path, sampled=[first])
    if lost:
        shutil.rmtree(tmp_path / "workspace")
    record = attempted(says(), TitleServices(), tmp_path, sampled=[second])
    assert record.shown == ("second",)
    assert '"task_id": "second"' in (tmp_path / "workspace/sampled_tasks/01.json").read_text()
