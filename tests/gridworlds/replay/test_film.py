"""Films: a frame a step, as fast as asked for, and a clear word where MP4 cannot be written."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from otherminds.core.errors import StudyError
from otherminds.gridworlds.grid.pixels import picture
from otherminds.gridworlds.replay.film import EDGE, HOLD, FrameDrawing, plan, write_film
from otherminds.gridworlds.replay.scenes import GridReplay


def test_a_gif_has_a_frame_a_step_and_holds_the_last(grid_replay: GridReplay, tmp_path: Path) -> None:
    duel = next(happening for happening in grid_replay.happenings if happening.stop)
    write_film(grid_replay.cut(duel.step - 3, duel.step + 2), tmp_path / "film.gif", 20)
    with Image.open(tmp_path / "film.gif") as film:
        durations = [frame.info["duration"] for frame in ImageSequence.Iterator(film)]
    assert sum(durations) == 5 * 50 + HOLD * 1000
    assert durations[-1] == HOLD * 1000


def test_faster_than_viewers_play_leaves_steps_out_but_not_the_last(grid_replay: GridReplay) -> None:
    numbers, rate = plan(grid_replay.cut(0, 100), 120)
    assert numbers == [*range(0, 100, 3), 100]
    assert rate == 40
    assert plan(grid_replay.cut(7, 9), 2.5) == ([7, 8, 9], 2.5)


@pytest.mark.parametrize("which", ["grid_replay", "crowd"])
def test_a_frame_shows_the_map_and_is_even_in_size(which: str, request: pytest.FixtureRequest) -> None:
    grid_replay: GridReplay = request.getfixturevalue(which)
    drawing = FrameDrawing(grid_replay)
    image = np.asarray(drawing.frame(5))
    assert (image.shape[1], image.shape[0]) == drawing.size
    assert not any(length % 2 for length in drawing.size)
    scale = drawing.scale
    shown = image[drawing.top : drawing.top + drawing.map[1] : scale, EDGE : EDGE + drawing.map[0] : scale]
    whole = picture(grid_replay.stage.tiles, grid_replay.stage.whole(grid_replay.frames.codes[5]))
    # All but the outlines of windows.
    assert (shown == whole).all(axis=2).mean() > 0.9


def test_all_frames_have_one_size(grid_replay: GridReplay) -> None:
    drawing = FrameDrawing(grid_replay)
    assert {drawing.frame(number).size for number in (0, 50, grid_replay.last)} == {drawing.size}


def test_another_ending_is_an_error(grid_replay: GridReplay, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"a film is a \.gif or an \.mp4"):
        write_film(grid_replay, tmp_path / "film.mov", 10)


def test_mp4_without_pyav_says_what_to_install(
    grid_replay: GridReplay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(StudyError, match=r"pip install 'otherminds\[video\]'"):
        write_film(grid_replay, tmp_path / "film.mp4", 10)
    assert not (tmp_path / "film.mp4").exists()


def test_an_mp4_has_a_frame_a_step(grid_replay: GridReplay, tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    write_film(grid_replay.cut(10, 15), tmp_path / "film.mp4", 10)
    with av.open(str(tmp_path / "film.mp4")) as film:
        assert len(list(film.decode(video=0))) == 6
