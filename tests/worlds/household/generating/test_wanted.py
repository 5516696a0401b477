"""Properties of tasks that exclude each other are refused before anything is generated."""

from __future__ import annotations

import pytest

from otherminds.core.errors import StudyError
from otherminds.worlds.household.generating.wanted import Wanted, checked
from tests.cases import for_each


@for_each(
    ("wanted", "text"),
    [
        (
            Wanted(mechanics=("remote_contrl",)),
            "there is no mechanic 'remote_contrl'; did you mean remote_control?",
        ),
        (Wanted(pattern="mixed", category="cooperative"), "pattern mixed are not cooperative; leave out"),
        (Wanted(pattern="relay", category="mixed"), "pattern relay are not mixed; leave out"),
        (Wanted(depth=3, agents=2), "depth 3 is not proved with 2 agents; ask for --agents 3"),
        (Wanted(depth=4, agents=2), "depth 4 is not proved with 2 agents"),
        (Wanted(pattern="relay", agents=2), "the pattern relay needs three agents"),
    ],
)
def test_what_cannot_be_is_refused(wanted: Wanted, text: str) -> None:
    with pytest.raises(StudyError, match=text.replace("?", r"\?")):
        checked(wanted)


@for_each(
    "wanted",
    [
        Wanted(),
        Wanted(pattern="mixed", category="mixed"),
        Wanted(depth=3, agents=3, pattern="relay", mechanics=("remote_control", "room_restriction")),
        Wanted(depth=2, agents=2),
        Wanted(depth=3),
    ],
)
def test_what_can_be_is_accepted(wanted: Wanted) -> None:
    assert checked(wanted) is wanted
