"""Data in a judge's prompt stays data, whatever it contains."""

from __future__ import annotations

import re
import sys
from functools import cache
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from otherminds.cli.shared import guard_output
from otherminds.household.authoring.judge_prompt import TASK, block, block_of, judge_prompt, task_data
from otherminds.household.task import Task
from tests.cases import thinned
from tests.household.authoring.council.injections import INJECTIONS
from tests.household.authoring.council.made import checked, sound
from tests.planner import needs_planner

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
PLAIN = "A plain text."


def placed(task: Task, text: str) -> tuple[Task, ...]:
    """The task with ``text`` as title, id, description, secret, and name."""
    secrets = {**task.agent_secrets, "agent_0": (*task.agent_secrets["agent_0"], text)}
    return (
        structs.replace(task, title=text),
        structs.replace(task, task_id=text),
        structs.replace(task, task=text),
        structs.replace(task, agent_secrets=secrets),
        structs.replace(task, agent_secrets={**task.agent_secrets, text: ("You can send 2 messages.",)}),
    )


def skeleton(prompt: str) -> str:
    """The prompt without the content of strings, which must not decide about anything else but the breaks of lines."""
    return " ".join(STRING.sub('""', prompt).split())


def test_there_are_thirty_texts_or_more() -> None:
    assert len(set(INJECTIONS)) >= 30


@cache
def skeletons() -> list[str]:
    return [skeleton(judge_prompt(plain, None)) for plain in placed(sound(), PLAIN)]


@needs_planner
def test_what_is_derived_stands_before_the_task_and_repeats_no_free_text() -> None:
    task, house = sound(), checked().house
    whole, bare = judge_prompt(task, house), judge_prompt(task, None)
    start = whole.index("<scene>")
    assert whole[:start] + whole[whole.index("<task>") :] == bare
    derived = whole[start : whole.index("<task>")]
    assert task.task not in derived
    assert task.title not in derived


@pytest.mark.parametrize("text", thinned(INJECTIONS, 3))
def test_a_text_changes_nothing_but_its_own_string(text: str) -> None:
    for place, other in enumerate(placed(sound(), text)):
        prompt = judge_prompt(other, None)
        assert skeleton(prompt) == skeletons()[place]
        assert prompt.count("\n</task>\n") == 1
        assert prompt.isprintable() or set(filter(lambda char: not char.isprintable(), prompt)) == {"\n"}
        found = block_of(TASK, prompt)
        assert found is not None
        assert found == _as_json(task_data(other))


def _as_json(data: object) -> object:
    if isinstance(data, dict):
        return {key: _as_json(value) for key, value in data.items()}
    return [_as_json(one) for one in data] if isinstance(data, (list, tuple)) else data


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_text_reaches_a_terminal_raw(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    with guard_output():
        sys.stdout.write(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", stream.getvalue())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(JSON, st.text())
def test_a_block_is_read_back_and_ends_once(data: object, before: str) -> None:
    written = block("data", {"all": data})
    assert block_of("data", f"Some text.\n{written}\n\nMore text.") == {"all": data}
    assert written.count("</data>") == 1
    assert all(line[:1] in "{} <" for line in written.split("\n"))
