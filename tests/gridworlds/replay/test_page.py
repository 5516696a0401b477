"""The page of an episode in a world with a map: escaped, small, and holding every frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace as changed

import numpy as np
import pytest
from msgspec.structs import replace

from otherminds import Record, SeatSpec
from otherminds.core.record import Note, Outcome
from otherminds.gridworlds.replay.page import as_page, changes
from otherminds.gridworlds.replay.scenes import GridReplay, again
from tests.reports.replay import reading

Reader, told, unpacked = reading.Reader, reading.told, reading.unpacked


@pytest.fixture(scope="module")
def page(grid_replay: GridReplay) -> str:
    return as_page(grid_replay)


def test_its_pictures_are_in_it(page: str) -> None:
    assert told(page)["stage"]["tiles"].startswith("data:image/png;base64,")


def test_it_holds_every_frame(page: str, grid_replay: GridReplay) -> None:
    data = unpacked(page, "frames")
    for block in told(page)["arrays"]:
        kind = np.dtype(block["type"]).newbyteorder("<")
        count = int(np.prod(block["shape"]))
        stored = np.frombuffer(data[: count * kind.itemsize], kind).reshape(block["shape"])
        data = data[count * kind.itemsize :]
        frames = np.bitwise_xor.accumulate(stored, axis=0)
        if block["name"] == "actions":
            assert [tuple(row) for row in frames.tolist()] == list(grid_replay.record.actions)
        else:
            assert np.array_equal(frames, getattr(grid_replay.frames, block["name"]))
    assert not data


def test_it_holds_every_duel_question_and_choice(page: str, grid_replay: GridReplay) -> None:
    story = told(page)
    kinds = [line[1] for line in story["log"]]
    assert kinds.count("duel") == len(grid_replay.record.facts["duels"])
    assert kinds.count("question") == len(grid_replay.record.asked)
    assert kinds.count("choice") == len(grid_replay.record.choices)
    assert [seat["name"] for seat in story["seats"]] == ["ego", "partner_0"]
    assert story["totals"][-1][1] == pytest.approx(
        [grid_replay.record.total(seat) for seat in grid_replay.record.seats]
    )


def test_it_is_small(page: str, crowd: GridReplay) -> None:
    assert len(page) < 60_000
    assert len(as_page(crowd)) < 90_000


def test_a_frame_is_stored_as_what_changed() -> None:
    frames = np.array([[5, 1], [5, 1], [5, 2]], np.uint8)
    assert changes(frames) == bytes([5, 1, 0, 0, 0, 3])


def test_names_and_replies_are_no_markup(grid_replay: GridReplay) -> None:
    evil = "</script><script>alert(1)</script>$title"
    spec = replace(
        grid_replay.record.spec,
        label=evil,
        seats=dict.fromkeys(grid_replay.record.seats, SeatSpec("x", label=evil)),
    )
    page = as_page(changed(grid_replay, record=replace(grid_replay.record, spec=spec), fault=evil))
    assert "alert(1)</script>" not in page
    assert Reader(page).tags.count("script") == 4
    assert Reader(page).text.count(evil) == 3


def test_a_departure_from_the_record_is_said(record: Record) -> None:
    rewards = [(1.0, -1.0), *record.rewards[1:]]
    page = as_page(again(replace(record, rewards=rewards)))
    assert "from step 1 on the replay is not what was recorded" in Reader(page).text
    assert "departs from the record" in Reader(page).text


def test_a_part_of_an_episode_keeps_its_steps(grid_replay: GridReplay) -> None:
    story = told(as_page(grid_replay.cut(100, 150), 25))
    assert (story["first"], story["last"], story["speed"]) == (100, 150, 25)
    assert story["arrays"][0]["shape"][0] == 51
    assert story["totals"][0] == [0, grid_replay.totals[100].tolist()]


def test_a_dilemma_and_a_crowd_have_pages_too(crowd: GridReplay, of: Callable[[str], Record]) -> None:
    for grid_replay in (crowd, again(of("pd-repeated-5-v1"))):
        story = told(as_page(grid_replay))
        assert len(story["seats"]) == len(grid_replay.record.seats)
        assert len(story["stage"]["looks"]) == len(grid_replay.record.seats) + 1


def test_an_episode_that_failed_before_its_first_step_has_a_page(record: Record) -> None:
    nothing = replace(
        record,
        actions=[],
        rewards=[],
        asked=(),
        choices=(),
        outcome=Outcome("failed", "provider", "no answer", 0),
    )
    grid_replay = again(nothing)
    assert (grid_replay.fault, grid_replay.first, grid_replay.last) == ("", 0, 0)
    page = as_page(grid_replay)
    assert "failed (provider: no answer)" in Reader(page).text
    assert told(page)["totals"] == [[0, [0.0, 0.0]]]


def test_what_minds_thought_has_its_panel(grid_replay: GridReplay, page: str) -> None:
    thinking = {"partner": "partner_0", "encounter": 0, "came": None, "thoughts": []}
    record = replace(grid_replay.record, notes=(Note("ego", 0, "thinking", thinking),))
    (mind,) = told(as_page(changed(grid_replay, record=record)))["minds"]
    assert (mind["seat"], mind["partner"], len(mind["notes"])) == ("ego", "partner_0", 1)
    assert told(page)["minds"] == []
    assert 'id="minds"' in page
