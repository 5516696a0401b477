"""Minds that wait for something outside wait side by side."""

import asyncio
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest

from otherminds.core.data import SkillChoice
from otherminds.core.encoding import encode
from otherminds.core.errors import ProviderError
from otherminds.core.scenario import Participant, Setup
from otherminds.play.loop import play
from tests.play import toys


async def meet(toys: ModuleType, seats: int) -> list[int]:
    """Plays two minds whose every decision waits until both are deciding; returns their actions."""
    barrier = asyncio.Barrier(seats)

    class Meeting(toys.Diary):
        suspends = True

        async def perceive(self, moment: object) -> None:
            async with barrier:
                await super().perceive(moment)

        async def act(self) -> int:
            async with barrier:
                return 2

    minds = {seat: Meeting() for seat in toys.SEATS}
    async with asyncio.timeout(5):
        record, _ = await play(Setup(toys.scenario(), minds, 1))
    return [action for row in record.actions for action in row]


def test_two_minds_that_suspend_run_side_by_side() -> None:
    assert asyncio.run(meet(toys, 2)) == [2] * 6


def test_one_after_the_other_they_would_never_meet() -> None:
    """The test above can fail: with a third that never comes, nobody goes on."""
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(meet(toys, 3), 0.05))


def speaking(toys: ModuleType, models: Mapping[str, Any]) -> Setup:
    """Both seats decide by what their models say."""
    return Setup(toys.scenario(), {seat: Participant(toys.Speaker(), models[seat]) for seat in toys.SEATS}, 1)


def test_who_is_quicker_changes_nothing() -> None:
    def played(slow: str) -> bytes:
        def model(seat: str) -> object:
            pauses = 5 if seat == slow else 0

            async def wait() -> None:
                for _ in range(pauses):
                    await asyncio.sleep(0)

            return toys.Parrot(wait=wait)

        models = {seat: model(seat) for seat in toys.SEATS}
        record, _ = asyncio.run(play(speaking(toys, models)))
        assert len(record.calls) == 6
        return encode(record)

    assert played("ego") == played("partner_0")


def test_a_running_skill_is_not_asked() -> None:
    skills = {"hold": lambda brief, rng: lambda moment: 0}
    minds = {"ego": toys.Speaker(), "partner_0": toys.Speaker()}

    async def hold() -> SkillChoice:
        return SkillChoice("hold")

    minds["partner_0"].act = hold
    seats = {"ego": Participant(minds["ego"], toys.Parrot()), "partner_0": minds["partner_0"]}
    record, _ = asyncio.run(play(Setup(toys.scenario(skills=skills), seats, 1)))
    assert [row[1] for row in record.actions] == [0, 0, 0]
    assert [call.seat for call in record.calls] == ["ego"] * 3
    assert [row[0] for row in record.actions] == [int(call.reply) % 3 for call in record.calls]


class TestAFault:
    def played(self, toys: ModuleType, broken: str) -> tuple[bytes, str, list[str]]:
        """One model fails at once, the other answers later."""

        async def later() -> None:
            for _ in range(3):
                await asyncio.sleep(0)

        async def run() -> tuple[bytes, str, list[str]]:
            models = {
                seat: toys.Parrot(ProviderError(f"{seat} is gone"))
                if seat == broken
                else toys.Parrot(wait=later)
                for seat in toys.SEATS
            }
            record, _ = await play(speaking(toys, models))
            before = encode(record)
            assert asyncio.all_tasks() == {asyncio.current_task()}, "nothing is left running"
            return before, record.outcome.reason, [call.seat for call in record.calls]

        return asyncio.run(run())

    @pytest.mark.parametrize(("broken", "other"), [("ego", "partner_0"), ("partner_0", "ego")])
    def test_ends_the_episode_when_no_call_is_left_in_the_air(self, broken: str, other: str) -> None:
        body, reason, calls = self.played(toys, broken)
        assert reason == f"{broken} is gone"
        assert calls == [other], "a call that was paid for is on record"
        assert body == self.played(toys, broken)[0]

    def test_of_both_is_told_as_the_first_seats(self) -> None:
        async def run() -> str:
            async def later() -> None:
                await asyncio.sleep(0)

            models = {
                "ego": toys.Parrot(ProviderError("ego is gone"), later),
                "partner_0": toys.Parrot(ProviderError("partner_0 is gone")),
            }
            return (await play(speaking(toys, models)))[0].outcome.reason

        assert asyncio.run(run()) == "ego is gone"
