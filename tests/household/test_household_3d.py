"""Houses in MuJoCo: what is seen from above and by each agent, and a clear word where MuJoCo is lacking."""

from __future__ import annotations

from collections.abc import Iterator
from math import atan2
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from otherminds.core.errors import StudyError
from otherminds.household import household_3d
from otherminds.household.commands import parse
from otherminds.household.engine import HouseEngine
from otherminds.household.household_3d import Studio, available, write_picture
from otherminds.household.reports.chart import front
from otherminds.household.reports.state import MapState, taken
from tests.household import small_house as small

AGENTS = ("agent_0", "agent_1", "agent_2")
SIZE = (160, 120)
real = pytest.mark.skipif(not available(), reason="MuJoCo is not installed")


def moment(*rows: tuple[str, str, str]) -> MapState:
    engine = HouseEngine(small.house())
    for row in rows:
        assert all(worked for worked, _ in engine.step([parse(text) for text in row]))
    return taken(engine)


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    with Studio(small.scene(), AGENTS, SIZE) as made:
        yield made


def seen(studio: Studio, agent: str = "") -> set[str]:
    """The names of all that is in a picture."""
    return {studio.names[number] for number in np.unique(studio.segmentation(agent))}


def test_without_mujoco_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(household_3d, "find_spec", lambda name: None)
    with pytest.raises(StudyError, match=r"otherminds\[3d\]") as caught:
        write_picture(small.scene(), moment(), tmp_path / "a.png")
    assert "\n" not in str(caught.value)


def test_a_way_to_draw_that_cannot_be_loaded_is_named_with_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise AttributeError("no eglQueryString")

    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setattr(household_3d, "find_spec", lambda name: name)
    monkeypatch.setattr(household_3d.importlib, "import_module", broken)
    with pytest.raises(StudyError, match=r"MUJOCO_GL=egl \(no eglQueryString\); install EGL .* or OSMesa"):
        household_3d.library()


@pytest.mark.parametrize(
    ("there", "chosen"),
    [({"EGL", "OSMesa"}, "egl"), ({"EGL"}, "egl"), ({"OSMesa"}, "osmesa"), (set(), "egl")],
)
def test_what_is_found_is_used_where_nothing_is_chosen(
    there: set[str], chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(household_3d, "find_spec", lambda name: name)
    monkeypatch.setattr(household_3d, "find_library", lambda name: name if name in there else None)
    monkeypatch.setattr(
        household_3d.importlib, "import_module", lambda name: household_3d.os.environ["MUJOCO_GL"]
    )
    assert household_3d.library() == chosen


@real
def test_from_above_all_rooms_and_all_agents_are_seen_and_no_ceiling(studio: Studio) -> None:
    studio.show(moment())
    assert seen(studio) >= {*AGENTS, *(f"floor_{room}" for room in small.ROOMS), "bed_9", "stove_4"}
    picture = studio.picture()
    assert (picture.shape, picture.dtype) == ((SIZE[1], SIZE[0], 3), np.uint8)


@real
def test_the_house_fills_the_picture_from_above(studio: Studio) -> None:
    studio.show(moment())
    floors = [number for number, name in enumerate(studio.names) if name.startswith("floor_")]
    ys, xs = np.nonzero(np.isin(studio.segmentation(), floors))
    assert ys.max() - ys.min() > 0.6 * SIZE[1]
    assert 0 < xs.min() <= xs.max() < SIZE[0] - 1


@real
def test_an_agent_sees_what_it_faces_and_not_its_own_body(studio: Studio) -> None:
    state = moment(("Navigate[fridge_3]", "Wait[]", "Wait[]"))
    studio.show(state)
    assert "fridge_3" in seen(studio, "agent_0")
    for agent in AGENTS:
        assert agent not in seen(studio, agent)


@real
def test_walls_hide_what_is_behind_them(studio: Studio) -> None:
    """From the store's far corner nothing of the kitchen is seen."""
    state = moment()
    hidden = replace(state.agents["agent_0"], at=(7.0, 7.0), facing=0.8)
    studio.show(replace(state, agents={**state.agents, "agent_0": hidden}))
    assert not seen(studio, "agent_0") & set(small.FURNITURE["kitchen_1"])


@real
def test_an_open_door_shows_what_is_inside(studio: Studio) -> None:
    state = moment()
    side = front(small.scene(), "cabinet_12")
    (x, z), (ox, oz) = side.beyond(1.9), side.outward
    across = replace(state.agents["agent_0"], at=(x, z), facing=atan2(-oz, -ox))
    shut = replace(state, agents={**state.agents, "agent_0": across})
    studio.show(shut)
    assert "key_0" not in seen(studio, "agent_0")
    studio.show(replace(shut, turned={**shut.turned, "cabinet_12": frozenset({"is_open"})}))
    assert "key_0" in seen(studio, "agent_0")


@real
def test_what_an_agent_holds_is_before_it(studio: Studio) -> None:
    studio.show(moment(("Navigate[counter_0]", "Wait[]", "Wait[]"), ("Pick[bowl_0]", "Wait[]", "Wait[]")))
    assert "bowl_0" in seen(studio, "agent_0")


@real
def test_the_same_moment_is_the_same_picture(studio: Studio) -> None:
    state = moment()
    studio.show(state)
    first = studio.picture("agent_1")
    studio.show(moment(("Open[cabinet_2]", "Navigate[hallway_1]", "Wait[]")))
    assert not np.array_equal(first, studio.picture("agent_1"))
    studio.show(state)
    assert np.array_equal(first, studio.picture("agent_1"))


@real
def test_shadows_are_drawn_only_if_asked_for(studio: Studio) -> None:
    state = moment()
    studio.show(state)
    with Studio(small.scene(), AGENTS, SIZE, shadows=True) as other:
        other.show(state)
        assert not np.array_equal(studio.picture(), other.picture())


@real
def test_an_agent_that_is_not_there_is_refused(studio: Studio) -> None:
    with pytest.raises(StudyError, match="no agent 'agent_7' is in the picture; there are agent_0, agent_1"):
        studio.picture("agent_7")


@real
def test_a_picture_is_written(tmp_path: Path) -> None:
    write_picture(small.scene(), moment(), tmp_path / "a.png", "agent_2")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
