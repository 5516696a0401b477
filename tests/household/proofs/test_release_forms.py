"""Tasks in the form of the public release: their proofs, and what stays unknown while secrets are prose alone.

Goals on floors, private goals beside the problem's goal, a calibration that is a list of models' runs, a trigger that can
neither be opened nor switched, secrets in free words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec import structs

from otherminds.household.epistemic.fast_downward import program
from otherminds.household.house import House
from otherminds.household.proofs.private_goals import COMPATIBLE
from otherminds.household.proofs.verdicts import PROSE, PUBLIC, verified
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.scenes.scene import Scene
from otherminds.household.task import Binding, Task
from tests.cases import for_each
from tests.household import small_house as small
from tests.household.tasks.examining import examined

pytestmark = pytest.mark.skipif(
    program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'"
)
RELEASE = Path(__file__).parents[1] / "tasks" / "release"
BACK, FRONT = -8.0, -2.0
EDGES = (-4.4, -2.6, -0.9, 1.5)
MIXED = (
    {
        "study_1": {"shelves_2": (-3.0, -7.6, "IT"), "desk_6": (-4.0, -2.4, "T")},
        "pantry_1": {"cabinet_9": (-1.5, -7.6, "AIT")},
        "terrace_1": {"table_4": (0.8, -7.6, "T")},
    },
    {"tray_0": ("on", "desk_6", ""), "teapot_1": ("within", "cabinet_9", ""), "book_3": ("on", "desk_6", "")},
)
COOPERATIVE = (
    {
        "hall_1": {"counter_3": (-3.0, -7.6, "T")},
        "office_1": {"cabinet_5": (-1.5, -7.6, "AIT"), "chest_of_drawers_8": (-1.5, -2.4, "AI")},
        "bedroom_1": {"table_11": (0.8, -7.6, "T")},
    },
    {"vase_2": ("on", "counter_3", ""), "frame_1": ("on", "table_11", "")},
)
SCENES = {"mixed": MIXED, "cooperative": COOPERATIVE}
KNOWS = {
    "mixed": {
        "agent_0": ("(is_restricted agent_0 terrace_1)", "(goal (is_on_top tray_0 table_4))"),
        "agent_1": ("(goal (is_open cabinet_9))",),
        "agent_2": ("(goal (is_on_top teapot_1 table_4))",),
    },
    "cooperative": {
        "agent_0": ("(is_restricted agent_0 office_1)",),
        "agent_1": ("(controls (is_open counter_3) (is_open cabinet_5))",),
        "agent_2": ("(goal (is_on_top vase_2 floor_bedroom_1))",),
    },
}
"""The secrets in free words as formulas."""
OF_TEAMS = ("fair", "levels in order", "hard")


def in_a_row(furniture: Mapping[str, Mapping], objects: Mapping) -> Scene:
    """Three rooms side by side, with doors between them."""
    rooms = tuple(furniture)
    walls = tuple(pairwise(EDGES))
    return small.built(
        "shape_scene",
        {
            room: ((a, BACK), (b, BACK), (b, FRONT), (a, FRONT))
            for room, (a, b) in zip(rooms, walls, strict=True)
        },
        [((rooms[k], rooms[k + 1]), ((EDGES[k + 1], -5.5), (EDGES[k + 1], -4.5))) for k in range(2)],
        furniture,
        objects,
        {f"agent_{k}": ((-3.5 + 1.7 * k, 0.0, -6.1 + 1.3 * k), room) for k, room in enumerate(rooms)},
    )


def released(name: str) -> Task:
    task, account = examined(json.loads((RELEASE / f"{name}.json").read_text(encoding="utf-8")))
    assert account.faults == ()
    return task


def verdicts(task: Task, name: str) -> Mapping[str, ProofVerdict]:
    """The verdicts by name."""
    found = verified(House(task, in_a_row(*SCENES[name])))
    assert not found.holds, "the task is not calibrated"
    return {one.name: one for one in found.verdicts}


@for_each("name", SCENES)
def test_prose_alone_neither_proves_nor_refutes_what_depends_on_secrets(name: str) -> None:
    found = verdicts(released(name), name)
    assert found["not solved at the start"].status == "proved and checked"
    assert found["fair"].status == "unknown"
    unknown = [one for one in found if one not in (*PUBLIC, *OF_TEAMS, COMPATIBLE)]
    for verdict in unknown:
        assert (found[verdict].status, found[verdict].says) == ("unknown", PROSE)
    assert found["shortest plan"].status == "unknown", "models' runs are no calibration"


def test_a_conflict_of_goals_is_shown_without_formulas() -> None:
    """Two agents want one book in different places, which no information changes."""
    one = verdicts(released("mixed"), "mixed")[COMPATIBLE]
    assert one.status == "refuted"
    assert "agent_2 conflicts with the private goal of agent_0" in one.says


def test_what_no_secret_can_change_is_proved_without_formulas() -> None:
    """Only agent_2 may enter the room of the table."""
    task = released("mixed")
    bar = Binding("room_restriction", restricted_rooms=("terrace_1",), for_agents=("agent_1",))
    found = verdicts(structs.replace(task, mechanic_bindings=(*task.mechanic_bindings, bar)), "mixed")
    assert found["needs agent_2"].status == "proved and checked"
    assert found["needs agent_1"].status == "unknown"


def test_with_formulas_a_relay_beside_private_goals_is_proved() -> None:
    found = verdicts(structs.replace(released("mixed"), agent_knows=KNOWS["mixed"]), "mixed")
    for one in ("solvable", "needs messages", "needs agent_0", "needs agent_1", "needs agent_2"):
        assert found[one].status == "proved and checked", found[one].says


def test_with_formulas_goals_on_floors_and_triggers_without_a_state_are_proved() -> None:
    found = verdicts(
        structs.replace(released("cooperative"), agent_knows=KNOWS["cooperative"]), "cooperative"
    )
    assert found["solvable"].status == "proved and checked"
    assert found["needs agent_2"].status == "proved and checked"
    assert found["needs messages"].status == "refuted", "all may open what no secret names"
