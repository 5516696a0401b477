"""The facts of a record are read as the world wrote them, and of other worlds nothing is made up."""

from __future__ import annotations

import msgspec
import pytest

from otherminds import Record
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.household.epistemic.household_facts import Act
from otherminds.household.epistemic.parse import parse
from otherminds.household.measures.trace import trace
from otherminds.measures.registry import Unknown
from tests.cases import for_each


def test_a_record_read_back_is_the_same_episode(errand, household) -> None:
    record = household(errand, [*errand.told(), *errand.fetch(), *errand.reported()])
    seen = trace(record)
    assert seen == trace(msgspec.json.decode(encode(record), type=Record))
    place = parse(errand.goal)
    assert seen.solved
    assert seen.since(place) == 5
    assert seen.find_turns(place, holds=True) == (4,)
    assert seen.find_turns(place, holds=False) == ()
    assert [act.tool for act in seen.done(errand.doer)][1:5] == ["Navigate", "Pick", "Navigate", "Place"]


def test_not_open_is_closed(errand, household, setting) -> None:
    script = [(errand.doer, f"{tool}[{errand.door}]") for tool in ("Navigate", "Open", "Close")]
    bound = setting(f"(not (is_open {errand.door}))", barred={errand.holder: ()})
    seen = trace(household(errand, script, bound))
    for text in (f"(not (is_open {errand.door}))", f"(is_closed {errand.door})"):
        assert (seen.since(parse(text)), seen.find_turns(parse(text), holds=False)) == (3, (1,))


def test_other_worlds_have_none(play) -> None:
    assert isinstance(trace(play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=2)), Unknown)


def test_facts_of_another_form_are_refused(errand, household) -> None:
    record = household(errand, [])
    record.facts["log"] = [{"turn": "first"}]
    with pytest.raises(StudyError, match="play it again"):
        trace(record)


@for_each(
    ("call", "tool", "args"),
    [
        ('Place["bowl_0", on, table_1]', "Place", ("bowl_0", "on", "table_1")),
        ("Place[bowl_0, on, table_1, None, None]", "Place", ("bowl_0", "on", "table_1", "None", "None")),
        (" Open[cabinet_1] ", "Open", ("cabinet_1",)),
        ("Wait[]", "Wait", ("",)),
        ("nonsense", "nonsense", ("",)),
        ("", "", ("",)),
    ],
)
def test_calls_are_taken_apart(call: str, tool: str, args: tuple[str, ...]) -> None:
    act = Act(0, "agent_0", call, True, "", "")
    assert (act.tool, act.args) == (tool, args)
