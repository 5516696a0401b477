"""Properties of tasks that exclude each other are refused before anything is generated."""

from __future__ import annotations

import pytest

from otherminds.core.errors import StudyError
from otherminds.household.generating.properties import TaskProperties, checked
from tests.cases import for_each


@for_each(
    ("wanted", "text"),
    [
        (
            TaskProperties(mechanics=("remote_contrl",)),
            "there is no mechanic 'remote_contrl'; did you mean remote_control?",
        ),
        (
            TaskProperties(pattern="mixed", category="cooperative"),
            "pattern mixed are not cooperative; leave out",
        ),
        (TaskProperties(pattern="relay", category="mixed"), "pattern relay are not mixed; leave out"),
        (TaskProperties(depth=3, agents=2), "depth 3 is not proved with 2 agents; ask for --agents 3"),
        (TaskProperties(depth=4, agents=3), "depth 4 is not proved with 3 agents; ask for --agents 4"),
        (TaskProperties(agents=2, hard=True), "no task with 2 agents is hard; ask for --agents 3"),
        (
            TaskProperties(agents=2, mechanics=("restricted_communication",)),
            "tasks with 2 agents have no restricted_communication; ask for --agents 3",
        ),
        (
            TaskProperties(mechanics=("inverse_state", "remote_control")),
            "no task has remote_control and inverse_state; ask for one of them",
        ),
        (
            TaskProperties(pattern="relay", agents=2),
            "relay has no such tasks: delegation, relay need three agents",
        ),
        (
            TaskProperties(pattern="delegation", depth=3),
            "delegation has no such tasks: .* and delegation a depth of at most 2",
        ),
        (
            TaskProperties(pattern="relay", mechanics=("inverse_state", "limited_bandwidth")),
            "relay has no inverse_state; ask for --pattern gated or mixed",
        ),
    ],
)
def test_what_cannot_be_is_refused(wanted: TaskProperties, text: str) -> None:
    with pytest.raises(StudyError, match=text.replace("?", r"\?")):
        checked(wanted)


@for_each(
    "wanted",
    [
        TaskProperties(),
        TaskProperties(pattern="mixed", category="mixed"),
        TaskProperties(depth=3, agents=3, pattern="gated", mechanics=("remote_control", "room_restriction")),
        TaskProperties(depth=2, agents=2),
        TaskProperties(depth=3),
        TaskProperties(depth=4, agents=4),
        TaskProperties(agents=3, hard=True, mechanics=("restricted_communication", "state_mirroring")),
    ],
)
def test_what_can_be_is_accepted(wanted: TaskProperties) -> None:
    assert checked(wanted) is wanted
