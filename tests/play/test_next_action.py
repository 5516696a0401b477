"""The grant ``next_action``: one seat decides last, and is told what the others do."""

import asyncio
from typing import Any

import numpy as np
import pytest

from otherminds.core.data import Invalid
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Setup, scenario
from otherminds.play.loop import play, play_now
from tests.play import toys


def test_the_seat_is_told_what_the_partner_does_in_this_very_step() -> None:
    told: list[Any] = []

    class Copying(toys.Diary):
        grants = frozenset({"next_action"})

        async def act(self) -> int:
            told.append(dict(self.context.foreseen))
            return toys.MOVES.index(self.context.foreseen["partner_0"])

    class Walking(toys.Diary):
        step = 0

        async def act(self) -> int:
            self.step += 1
            return self.step % 3

    record, _ = play_now(Setup(toys.scenario(), {"ego": Copying(), "partner_0": Walking()}))
    assert record.actions == [(1, 1), (2, 2), (0, 0)]
    assert told == [{"partner_0": "stay"}, {"partner_0": "right"}, {"partner_0": "left"}]


def test_nobody_else_foresees_anything() -> None:
    contexts: list[Any] = []

    class Looking(toys.Diary):
        def begin(self, brief: Any, context: Any) -> None:
            super().begin(brief, context)
            contexts.append(context)

    play_now(Setup(toys.scenario(), {"ego": Looking(), "partner_0": Looking()}, 1))
    assert [context.foreseen for context in contexts] == [{}, {}]


def test_an_invalid_decision_is_not_told() -> None:
    told: list[Any] = []

    class ReceivedMessage(toys.Diary):
        grants = frozenset({"next_action"})

        async def act(self) -> int:
            told.append(dict(self.context.foreseen))
            return 0

    class Mumbling(toys.Diary):
        async def act(self) -> Invalid:
            return Invalid("mumbled")

    scene = toys.scenario(lambda: toys.Line(3, fallback=0))
    play_now(Setup(scene, {"ego": ReceivedMessage(), "partner_0": Mumbling()}))
    assert told == [{}, {}, {}]


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("wrong", [None, 3, -1, 1.0, "left", (0, 1)], ids=repr)
def test_what_is_no_action_is_not_told_and_fails_as_without_the_grant(wrong: Any, together: bool) -> None:
    told: list[Any] = []

    class ReceivedMessage(toys.Diary):
        suspends = together

        async def act(self) -> int:
            told.append(dict(self.context.foreseen))
            return 0

    class Wrong(toys.Diary):
        suspends = together

    scene = toys.scenario()
    ends = []
    for grants in ({}, {"ego": ("next_action",)}):
        minds = {"ego": ReceivedMessage(), "partner_0": Wrong([2, wrong])}
        record = asyncio.run(play(Setup(scene, minds, grants=grants)))[0]
        assert record.actions == [(0, 2)]
        ends.append(record.outcome)
    assert ends[0] == ends[1]
    assert (ends[1].status, ends[1].blame, ends[1].step) == ("failed", "world", 1)
    assert "partner_0" in ends[1].reason
    assert told[-2:] == [{"partner_0": "right"}, {}]


def test_a_number_of_another_kind_is_told() -> None:
    told: list[Any] = []

    class ReceivedMessage(toys.Diary):
        async def act(self) -> int:
            told.append(dict(self.context.foreseen))
            return 0

    partner = toys.Diary([np.int64(2), np.int8(0)])
    record, _ = play_now(
        Setup(
            toys.scenario(),
            {"ego": ReceivedMessage(), "partner_0": partner},
            grants={"ego": ("next_action",)},
        )
    )
    assert record.outcome.status == "scored"
    assert told == [{"partner_0": "right"}, {"partner_0": "left"}, {"partner_0": "stay"}]


def test_two_seats_cannot_both_decide_last() -> None:
    minds = {seat: toys.Diary() for seat in toys.SEATS}
    setup = Setup(toys.scenario(), minds, grants=dict.fromkeys(toys.SEATS, ("next_action",)))
    with pytest.raises(StudyError, match="only one can decide last"):
        play_now(setup)


def test_a_mind_without_a_literal_form_is_asked_nothing() -> None:
    class Silent(toys.Diary):
        answers = False

    scene = toys.scenario(probes=(toys.question("now", "after"),))
    asked = play_now(Setup(scene, {"ego": toys.Diary()}, 1))[0]
    silent = play_now(Setup(scene, {"ego": Silent()}, 1))[0]
    assert asked.questions
    assert asked.asked
    assert silent.questions == ()
    assert silent.asked == ()


def test_the_partner_plays_as_it_would_without_the_grant() -> None:
    """Deciding first or last changes no draw of a partner that plays at random."""
    from otherminds import SeatSpec
    from otherminds.minds.registry import make_mind

    partner = SeatSpec("noisy_tit_for_tat", {"noise": 0.3})
    built = scenario("ipd-noisy_tit_for_tat-v1", {"rounds": 30})
    minds = {"ego": make_mind(SeatSpec("uniform"))}
    records = [
        play_now(Setup(built, minds, 3, {"partner_0": partner}, grants={"ego": grants}))[0]
        for grants in ((), ("next_action",))
    ]
    assert records[0].actions == records[1].actions
