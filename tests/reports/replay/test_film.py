"""Films: a frame a step, as fast as asked for, and a clear word where MP4 cannot be written."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from otherminds.core.errors import StudyError
from otherminds.reports.replay.again import Reel
from otherminds.reports.replay.film import EDGE, HOLD, Drawing, plan, write_film
from otherminds.worlds.grid.pixels import picture


def test_a_gif_has_a_frame_a_step_and_holds_the_last(reel: Reel, tmp_path: Path) -> None:
    duel = next(happening for happening in reel.happenings if happening.stop)
    write_film(reel.cut(duel.step - 3, duel.step + 2), tmp_path / "film.gif", 20)
    with Image.open(tmp_path / "film.gif") as film:
        durations = [frame.info["duration"] for frame in ImageSequence.Iterator(film)]
    assert sum(durations) == 5 * 50 + HOLD * 1000
    assert durations[-1] == HOLD * 1000


def test_faster_than_viewers_play_leaves_steps_out_but_not_the_last(reel: Reel) -> None:
    numbers, rate = plan(reel.cut(0, 100), 120)
    assert numbers == [*range(0, 100, 3), 100]
    assert rate == 40
    assert plan(reel.cut(7, 9), 2.5) == ([7, 8, 9], 2.5)


@pytest.mark.parametrize("which", ["reel", "crowd"])
def test_a_frame_shows_the_map_and_is_even_in_size(which: str, request: pytest.FixtureRequest) -> None:
    reel: Reel = request.getfixturevalue(which)
    drawing = Drawing(reel)
    image = np.asarray(drawing.frame(5))
    assert (image.shape[1], image.shape[0]) == drawing.size
    assert not any(length % 2 for length in drawing.size)
    scale = drawing.scale
    shown = image[drawing.top : drawing.top + drawing.map[1] : scale, EDGE : EDGE + drawing.map[0] : scale]
    whole = picture(reel.stage.tiles, reel.stage.whole(reel.codes[5]))
    # All but the outlines of windows.
    assert (shown == whole).all(axis=2).mean() > 0.9


def test_all_frames_have_one_size(reel: Reel) -> None:
    drawing = Drawing(reel)
    assert {drawing.frame(number).size for number in (0, 50, reel.last)} == {drawing.size}


def test_another_ending_is_an_error(reel: Reel, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"a film is a \.gif or an \.mp4"):
        write_film(reel, tmp_path / "film.mov", 10)


def test_mp4_without_pyav_says_what_to_install(
    reel: Reel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(StudyError, match=r"pip install 'otherminds\[video\]'"):
        write_film(reel, tmp_path / "film.mp4", 10)
    assert not (tmp_path / "film.mp4").exists()


def test_an_mp4_has_a_frame_a_step(reel: Reel, tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    write_film(reel.cut(10, 15), tmp_path / "film.mp4", 10)
    with av.open(str(tmp_path / "film.mp4")) as film:
        assert len(list(film.decode(video=0))) == 6
