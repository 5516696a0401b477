"""Progress without a terminal: a line now and then with the time left, even while no episode ends."""

from __future__ import annotations

import time

import pytest

from otherminds.core.record import EpisodeSpec, Outcome, SeatSpec
from otherminds.studies import progress as module
from otherminds.studies.progress import ShownProgress, TimeLeft

PLAIN = EpisodeSpec("rps-single-v1", {"ego": SeatSpec("rmax")}, 0)
ASKED = EpisodeSpec("rps-single-v1", {"ego": SeatSpec("lm", model="smollm2")}, 0)


def test_episodes_with_a_model_are_timed_apart_from_the_others() -> None:
    left = TimeLeft(100.0, plain=200, with_model=10)
    assert left.words(101.0) == "time left not known yet"
    for k in range(100):
        left.finished(False, 100.0 + k / 5)
    assert left.words(120.0) == "about 20 s left, then 10 with a language model"
    for k in range(100):
        left.finished(False, 120.0 + k / 5)
    assert left.words(140.0) == "10 with a language model"
    left.finished(True, 139.8 + 60)
    assert left.words(139.8 + 60) == "about 9 min left", "the quick ones say nothing about the slow ones"


def test_a_run_without_a_model_needs_no_word_about_one() -> None:
    left = TimeLeft(0.0, plain=4, with_model=0)
    left.finished(False, 10.0)
    assert left.words(10.0) == "about 30 s left"


def test_a_line_comes_although_no_episode_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "EVERY", 0.02)
    monkeypatch.setattr(module, "TICK", 0.01)
    progress = ShownProgress()
    progress.start(3, 0, 1)
    heard = ""
    try:
        while heard.count("0/3 episodes, time left not known yet") < 2:
            time.sleep(0.01)
            heard += capsys.readouterr().err
    finally:
        progress.close()


def test_the_last_episode_has_a_line_and_a_second_part_is_no_resumed_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = ShownProgress()
    progress.start(1, 0, 0)
    progress.advance(PLAIN, Outcome())
    progress.start(2, 1, 1)
    progress.advance(ASKED, Outcome())
    progress.start(4, 3, 0)
    progress.close()
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("1/1 episodes")
    assert said[1].startswith("2/2 episodes")
    assert said[2] == "3 of 4 episodes are recorded already; the run resumes"
